//! Runs one kernel on every executor and compares words.
//!
//! A case names the kernel once, with the Rust types of its parameters; [`kernel!`] makes from it the
//! call of the CPU function and the typed binding of the GPU. The interpreters run what the macro
//! embedded: the decoded and re-verified IR.

use nupp::KernelSpec;
use nupp::rt::testing::{self, Width};
use nupp_core::device::lower_device;
use nupp_core::device::profile::{Profile, Route};
use nupp_core::eval::device::{self, Dispatch};
use nupp_core::eval::source::LaneOrder;
use nupp_core::ir::codec;
use nupp_core::ir::kernel::{Body, Kernel};
use nupp_core::verify::{self, Verified};
use nupp_gpu::{Buffer, Context, ContextOptions, Element, ModuleForm, RawSlot, Slot, SlotMut};
use nupp_testkit::compare::difference;
use std::sync::{Mutex, OnceLock, PoisonError};

pub type Words = Vec<u32>;
type Cpu = Box<dyn Fn(&mut [Words], &[u32]) -> Result<(), nupp::KernelError> + Sync>;
type Buffers = Box<dyn Fn(&Context, &[Words]) -> Result<Vec<Box<dyn Device>>, String>>;

/// A kernel and how to call it.
pub struct Runner {
    pub spec: &'static KernelSpec,
    pub cpu: Cpu,
    pub buffers: Buffers,
}

impl Runner {
    /// Makes buffers, binds, dispatches and reads everything back.
    pub fn gpu(
        &self,
        context: &Context,
        spans: &mut [Words],
        uniforms: &[u32],
    ) -> Result<(), String> {
        self.repeated(context, spans, uniforms, 1, |_| ())
    }

    /// As [`Runner::gpu`], several times over, showing the words after each.
    pub fn repeated(
        &self,
        context: &Context,
        spans: &mut [Words],
        uniforms: &[u32],
        times: u32,
        mut each: impl FnMut(&[Words]),
    ) -> Result<(), String> {
        let buffers = (self.buffers)(context, spans)?;
        let kernel = context
            .compile_raw(self.spec)
            .map_err(|fault| fault.to_string())?;
        let slots = buffers.iter().map(|buffer| buffer.slot()).collect();
        let binding = kernel.bind(slots).map_err(|fault| fault.to_string())?;
        for _ in 0..times {
            binding
                .dispatch(uniforms)
                .map_err(|fault| fault.to_string())?;
            for (buffer, words) in buffers.iter().zip(&mut *spans) {
                buffer.read(context, words)?;
            }
            each(spans);
        }
        Ok(())
    }
}

/// A value made from a uniform's word.
pub trait FromWord {
    fn from_word(word: u32) -> Self;
}

impl FromWord for f32 {
    fn from_word(word: u32) -> Self {
        f32::from_bits(word)
    }
}

impl FromWord for u32 {
    fn from_word(word: u32) -> Self {
        word
    }
}

impl FromWord for i32 {
    fn from_word(word: u32) -> Self {
        word as i32
    }
}

/// A buffer whose element type is no longer in its type.
pub trait Device {
    fn slot(&self) -> RawSlot;
    fn read(&self, context: &Context, words: &mut Words) -> Result<(), String>;
}

struct Typed<T: Element> {
    buffer: Buffer<T>,
    write: bool,
}

impl<T: Element> Device for Typed<T> {
    fn slot(&self) -> RawSlot {
        if self.write {
            SlotMut::from(&self.buffer).into()
        } else {
            Slot::from(&self.buffer).into()
        }
    }

    fn read(&self, context: &Context, words: &mut Words) -> Result<(), String> {
        let read = context
            .download_blocking(&self.buffer)
            .map_err(|fault| fault.to_string())?;
        *words = bytemuck::cast_slice(&read).to_vec();
        Ok(())
    }
}

/// Makes and fills a device buffer of `T`.
pub fn on_device<T: Element>(
    context: &Context,
    words: &[u32],
    write: bool,
) -> Result<Box<dyn Device>, String> {
    let data: &[T] = bytemuck::cast_slice(words);
    let buffer = context
        .buffer::<T>(data.len())
        .map_err(|fault| fault.to_string())?;
    context
        .upload(&buffer, data)
        .map_err(|fault| fault.to_string())?;
    Ok(Box::new(Typed { buffer, write }))
}

/// `kernel!(scale: w f32, r f32, u f32)`: parameters in declaration order, `w` for exclusive, `r` for
/// borrowed spans, `u` for uniforms.
macro_rules! kernel {
    ($($path:ident)::+ : $($kind:ident $ty:ty),*) => {
        $crate::harness::Runner {
            spec: &$($path)::+::SPEC,
            cpu: Box::new(|spans: &mut [$crate::harness::Words], uniforms: &[u32]| {
                let mut spans = spans.iter_mut();
                let mut uniforms = uniforms.iter();
                let _ = (&mut spans, &mut uniforms);
                $($path)::+($(kernel!(@cpu $kind $ty, spans, uniforms)),*)
            }),
buffers: Box::new(|context, spans: &[$crate::harness::Words]| {
                let mut buffers: Vec<Box<dyn $crate::harness::Device>> = Vec::with_capacity(spans.len());
                $(kernel!(@gpu $kind $ty, context, spans, buffers);)*
                Ok(buffers)
            }),
        }
    };
    (@cpu w $ty:ty, $spans:ident, $uniforms:ident) => {
        bytemuck::cast_slice_mut::<u32, $ty>($spans.next().expect("a span"))
    };
    (@cpu r $ty:ty, $spans:ident, $uniforms:ident) => {
        bytemuck::cast_slice::<u32, $ty>($spans.next().expect("a span"))
    };
    (@cpu u $ty:ty, $spans:ident, $uniforms:ident) => {
        <$ty as $crate::harness::FromWord>::from_word(*$uniforms.next().expect("a uniform"))
    };
    (@gpu w $ty:ty, $context:ident, $spans:ident, $buffers:ident) => {
        $buffers.push($crate::harness::on_device::<$ty>($context, &$spans[$buffers.len()], true)?);
    };
    (@gpu r $ty:ty, $context:ident, $spans:ident, $buffers:ident) => {
        $buffers.push($crate::harness::on_device::<$ty>($context, &$spans[$buffers.len()], false)?);
    };
    (@gpu u $ty:ty, $context:ident, $spans:ident, $buffers:ident) => {};
}
pub(crate) use kernel;

/// One run: a kernel, its inputs, and what must come out.
pub struct Case {
    pub runner: Runner,
    pub spans: Vec<Words>,
    pub uniforms: Vec<u32>,
    large: bool,
    generated: Option<u64>,
}

impl Case {
    pub fn new(runner: Runner) -> Self {
        Case {
            runner,
            spans: Vec::new(),
            uniforms: Vec::new(),
            large: false,
            generated: None,
        }
    }

    /// Spans in declaration order, as words.
    pub fn spans(mut self, spans: impl IntoIterator<Item = Words>) -> Self {
        self.spans = spans.into_iter().collect();
        self
    }

    /// Uniforms in declaration order, as words.
    pub fn uniforms<W: IntoWord>(mut self, uniforms: impl IntoIterator<Item = W>) -> Self {
        self.uniforms = uniforms.into_iter().map(IntoWord::into_word).collect();
        self
    }

    /// Too much work for the interpreter of one hardware lane; where nothing is optimised, for every
    /// interpreter, and for a software device that carries all arithmetic in integer operations.
    pub fn large(mut self) -> Self {
        self.large = true;
        self
    }

    /// A software driver takes seconds to compile software operations, so each form but the first
    /// runs every eighth generated kernel, unless `NUPP_GENERATED_ALL` is set.
    #[allow(dead_code, reason = "the crate of generated kernels calls it")]
    pub fn generated(mut self, seed: u64) -> Self {
        self.generated = Some(seed);
        self
    }

    /// Expects these words in one span, and the others as they were.
    pub fn gives(self, span: usize, expected: Words) {
        let mut all = self.spans.clone();
        all[span] = expected;
        self.check(&all);
    }

    /// Expects these words in the first spans, and the others as they were.
    pub fn gives_all(self, expected: impl IntoIterator<Item = Words>) {
        let mut all = self.spans.clone();
        for (place, words) in all.iter_mut().zip(expected) {
            *place = words;
        }
        self.check(&all);
    }

    fn check(&self, expected: &[Words]) {
        let name = self.runner.spec.name;
        for (executor, outcome) in self.outcomes() {
            let actual = outcome.unwrap_or_else(|fault| panic!("`{name}` on {executor}: {fault}"));
            for (span, (expected_words, words)) in expected.iter().zip(&actual).enumerate() {
                let Some(fault) = difference(expected_words, words) else {
                    continue;
                };
                let binding = self.runner.spec.bindings[span].name;
                panic!("`{name}` on {executor}: `{binding}`: {fault}");
            }
        }
    }

    fn outcomes(&self) -> Vec<(String, Result<Vec<Words>, String>)> {
        let mut all = self.interpreted();
        let run = |with: &dyn Fn(&mut [Words]) -> Result<(), String>| {
            let mut spans = self.spans.clone();
            with(&mut spans).map(|()| spans)
        };
        for width in testing::widths() {
            let cpu = |spans: &mut [Words]| {
                (self.runner.cpu)(spans, &self.uniforms).map_err(|f| f.to_string())
            };
            let outcome = in_width(width, || run(&cpu));
            all.push((format!("the CPU in {width}"), outcome));
        }
        for (form, device) in devices().iter().enumerate() {
            if self.large && cfg!(debug_assertions) && device.integer {
                continue;
            }
            let each = std::env::var_os("NUPP_GENERATED_ALL").is_some();
            let eighth = |seed: u64| each || form == 0 || (seed + form as u64).is_multiple_of(8);
            if !self.generated.is_none_or(eighth) {
                continue;
            }
            let gpu = |spans: &mut [Words]| self.runner.gpu(&device.context, spans, &self.uniforms);
            all.push((device.name.clone(), run(&gpu)));
        }
        all
    }

    fn interpreted(&self) -> Vec<(String, Result<Vec<Words>, String>)> {
        // Unoptimised, an interpreter takes minutes over these; the release lane runs it.
        if self.large && cfg!(debug_assertions) {
            return Vec::new();
        }
        let kernel = embedded(self.runner.spec);
        let orders = [
            LaneOrder::Ascending,
            LaneOrder::Reversed,
            LaneOrder::Shuffled(7),
        ];
        let mut all = Vec::new();
        for order in orders.into_iter().take(if self.large { 1 } else { 3 }) {
            let mut spans = self.spans.clone();
            let outcome = nupp_core::eval::source::run(&kernel, &mut spans, &self.uniforms, order);
            let outcome = outcome.map(|()| spans).map_err(|fault| fault.to_string());
            all.push((format!("the interpreter, lanes {order:?}"), outcome));
        }
        for profile in Profile::ALL.iter().filter(|_| !self.large) {
            all.push((
                (format!("the interpreter of Device IR, profile {}", profile.name)),
                device_interpreted(&kernel, profile, &self.spans, &self.uniforms),
            ));
        }
        all
    }
}

/// The IR that the macro embedded, decoded and verified anew.
pub fn embedded(spec: &KernelSpec) -> Verified<Kernel> {
    let kernel = codec::decode(spec.ir).expect("the embedded IR decodes");
    verify::source::verify(kernel).expect("the embedded IR verifies")
}

fn device_interpreted(
    kernel: &Verified<Kernel>,
    profile: &Profile,
    spans: &[Words],
    uniforms: &[u32],
) -> Result<Vec<Words>, String> {
    let module = lower_device::lower(kernel, profile).map_err(|fault| fault.to_string())?;
    let module = verify::device::verify(module).map_err(|fault| fault.to_string())?;
    let mut spans = spans.to_vec();
    let words = |span: usize| kernel.elem_words(kernel.spans[span].elem);
    let lengths: Vec<u32> = (0..spans.len())
        .map(|span| spans[span].len() as u32 / words(span))
        .collect();
    let dispatch = Dispatch {
        count: count(kernel, &lengths),
        lengths: &lengths,
        offsets: &vec![0; spans.len()],
        uniforms,
        // A narrow launch, so that rows are folded.
        width: 3,
        seed: 11,
    };
    device::run(&module, &mut spans, &dispatch)
        .map(|()| spans)
        .map_err(|fault| fault.to_string())
}

/// Lanes of a map, groups of a workgroup kernel.
pub fn count(kernel: &Kernel, lengths: &[u32]) -> u32 {
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

/// Runs with the width forced; one at a time, since the choice is the process's.
pub fn in_width<R>(width: Width, work: impl FnOnce() -> R) -> R {
    static ONE: Mutex<()> = Mutex::new(());
    let _held = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    testing::force(Some(width));
    let result = work();
    testing::force(None);
    result
}

/// An open context and what is known of it.
pub struct Opened {
    pub name: String,
    pub context: Context,
    /// The profile relies on nothing but integer operations.
    pub integer: bool,
}

/// Contexts for each form with the profile that the device's probe finds, and for every named profile
/// that asks for no more than the device gives; none where there is no adapter. All must give the same
/// bits.
pub fn devices() -> &'static [Opened] {
    static ALL: OnceLock<Vec<Opened>> = OnceLock::new();
    ALL.get_or_init(|| match opened() {
        Ok(all) => all,
        Err(fault) if std::env::var_os("NUPP_REQUIRE_GPU").is_some() => {
            panic!("a GPU is required (NUPP_REQUIRE_GPU), but {fault}")
        }
        Err(fault) => {
            eprintln!("skipped on the GPU: {fault}");
            Vec::new()
        }
    })
}

/// The device's own profile in each form, and every named one that it is right with.
fn opened() -> Result<Vec<Opened>, nupp::OpenError> {
    let mut all = vec![
        open(ModuleForm::Spirv, None)?,
        open(ModuleForm::Wgsl, None)?,
    ];
    match open(ModuleForm::Native, None) {
        Err(nupp::OpenError::NoNative { .. }) => {}
        other => all.push(other?),
    }
    let found = *all[0]
        .context
        .device()
        .arithmetic()
        .expect("a route for every operation")
        .profile();
    let bare = |route| route == Route::Opaque;
    let keeps_subnormals = bare(found.add) && bare(found.mul) && bare(found.compare);
    for &profile in Profile::ALL {
        let right = match profile.name {
            "conservative" => keeps_subnormals,
            "guarded" => found.add != Route::Software && found.mul != Route::Software,
            "fused" => found.fma != Route::Software,
            _ => true,
        };
        if right {
            all.push(open(ModuleForm::Spirv, Some(profile))?);
        }
    }
    Ok(all)
}

fn open(form: ModuleForm, profile: Option<Profile>) -> Result<Opened, nupp::OpenError> {
    let options = ContextOptions::new().form(form).profile(profile);
    let context = Context::open_with(options)?;
    let adapter = context.device().adapter.clone();
    let profile_name = profile.map_or("found by the probe", |profile| profile.name);
    Ok(Opened {
        name: format!("{adapter}, {form:?}, profile {profile_name}"),
        context,
        integer: profile == Some(Profile::INTEGER),
    })
}

/// A word of some host type.
pub trait IntoWord {
    fn into_word(self) -> u32;
}

impl IntoWord for u32 {
    fn into_word(self) -> u32 {
        self
    }
}

impl IntoWord for i32 {
    fn into_word(self) -> u32 {
        self as u32
    }
}

impl IntoWord for f32 {
    fn into_word(self) -> u32 {
        self.to_bits()
    }
}

/// The bits of floats.
pub fn floats(values: &[f32]) -> Words {
    values.iter().map(|value| value.to_bits()).collect()
}
