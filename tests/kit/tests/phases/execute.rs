//! Compiles a kernel's text and runs it on both interpreters.

use nupp_compile::lower::lower;
use nupp_core::device::ir::Module;
use nupp_core::device::lower_device;
use nupp_core::device::profile::Profile;
use nupp_core::eval::device::{self, Dispatch};
use nupp_core::eval::source::{self, LaneOrder};
use nupp_core::ir::kernel::{Body, Kernel};
use nupp_core::verify::{self, Verified};
use nupp_front::check::check;
use nupp_front::hir::Program;
use nupp_front::syntax::{Source, parse};
use nupp_testkit::compare::difference;
use nupp_testkit::grouped::Run;

/// The typed tree and the verified kernel, or why the front end refuses the text. That the verifier
/// does not accept what the front end does is the inner error.
#[allow(clippy::type_complexity)]
pub fn compile(text: &str) -> Result<(Program, Result<Verified<Kernel>, String>), String> {
    let source = Source::from_nupp(text);
    let (file, found) = parse(&source);
    if let Some(first) = found.first() {
        return Err(format!("{} {}", first.code.text(), first.message));
    }
    let first = |found: Vec<nupp_front::diag::Diagnostic>| match found.first() {
        Some(first) => format!("{} {} at {:?}", first.code.text(), first.message, first.at),
        None => "refused without a word".to_string(),
    };
    let program = check(&file, &source).map_err(first)?;
    let mut kernels = lower(&program).map_err(first)?;
    let kernel = kernels.pop().ok_or("no kernel")?;
    let verified = verify::source::verify(kernel);
    let verified = verified.map_err(|fault| format!("accepted, but not verified: {fault}"));
    Ok((program, verified))
}

/// A kernel, and its module of each profile.
pub struct Executors {
    kernel: Verified<Kernel>,
    modules: Vec<Verified<Module>>,
}

impl Executors {
    /// Lowers the kernel for these profiles.
    pub fn new(kernel: Verified<Kernel>, profiles: &[Profile]) -> Result<Self, String> {
        let module = |profile: &Profile| {
            let of = |fault: String| format!("profile {}: {fault}", profile.name);
            let module = lower_device::lower(&kernel, profile).map_err(|f| of(f.to_string()))?;
            verify::device::verify(module).map_err(|f| of(f.to_string()))
        };
        let modules = profiles.iter().map(module).collect::<Result<_, _>>()?;
        Ok(Executors { kernel, modules })
    }

    /// Runs it in these orders of lanes and groups, against the run's words.
    pub fn in_order(&self, run: &Run, orders: &[LaneOrder]) -> Result<(), String> {
        for &order in orders {
            let mut spans = run.spans.clone();
            source::run(&self.kernel, &mut spans, &run.uniforms, order)
                .map_err(|fault| format!("{order:?}: {fault}"))?;
            same(&run.expected, &spans).map_err(|fault| format!("{order:?}: {fault}"))?;
        }
        Ok(())
    }

    /// Runs it as a device does, on these schedules, watched for lanes that meet.
    pub fn scheduled(&self, run: &Run, seeds: std::ops::Range<u64>) -> Result<(), String> {
        for module in &self.modules {
            for seed in seeds.clone() {
                let of = |fault: String| format!("{}, seed {seed}: {fault}", module.profile);
                let lengths = lengths(&self.kernel, &run.spans);
                let dispatch = Dispatch {
                    count: groups(&self.kernel, &lengths),
                    lengths: &lengths,
                    offsets: &vec![0; lengths.len()],
                    uniforms: &run.uniforms,
                    width: 2 + seed as u32,
                    seed,
                };
                let mut spans = run.spans.clone();
                device::run(module, &mut spans, &dispatch).map_err(|f| of(f.to_string()))?;
                same(&run.expected, &spans).map_err(of)?;
            }
        }
        Ok(())
    }
}

fn same(expected: &[Vec<u32>], actual: &[Vec<u32>]) -> Result<(), String> {
    for (at, (expected, actual)) in expected.iter().zip(actual).enumerate() {
        if let Some(difference) = difference(expected, actual) {
            return Err(format!("span {at}: {difference}"));
        }
    }
    Ok(())
}

fn lengths(kernel: &Kernel, spans: &[Vec<u32>]) -> Vec<u32> {
    let pairs = kernel.spans.iter().zip(spans);
    pairs
        .map(|(span, words)| words.len() as u32 / kernel.elem_words(span.elem))
        .collect()
}

fn groups(kernel: &Kernel, lengths: &[u32]) -> u32 {
    match &kernel.body {
        Body::Map { primary, .. } => lengths[primary.index()],
        Body::Groups(groups) => {
            let length = lengths[groups.rule.span.index()];
            if groups.rule.ceil {
                length.div_ceil(groups.rule.divisor)
            } else {
                length / groups.rule.divisor
            }
        }
    }
}
