//! Runs the stages over one block.
//!
//! Each stage runs to its end and collects what is wrong; the next one starts only if nothing is.
//! What the later stages find is never the author's mistake: a claim that does not verify becomes
//! a diagnostic that says so, and nothing here panics. `expand` prints the result as Rust items,
//! the command line takes it apart itself.

mod expand;
mod stand_ins;

pub use expand::{expand, kernel_text, print_rust, structure};

use crate::lower;
use crate::rust::Embedded;
use nupp_core::device::ir::Module;
use nupp_core::device::lower_device;
use nupp_core::device::profile::Profile;
use nupp_core::emit;
use nupp_core::ir::kernel::{Kernel, Target};
use nupp_core::verify::{self, Verified};
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::hir::Program;
use nupp_front::span::SrcSpan;
use nupp_front::syntax::{Source, ast};
use nupp_front::{check, syntax};

/// A block that was accepted.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The typed tree.
    pub program: Program,
    /// Its kernels, in source order.
    pub kernels: Vec<CompiledKernel>,
}

/// One kernel of it.
#[derive(Clone, Debug)]
pub struct CompiledKernel {
    /// The kernel.
    pub kernel: Verified<Kernel>,
    /// The canonical module and its SPIR-V words; nothing where the kernel is for the CPU only.
    pub device: Option<(Verified<Module>, Vec<u32>)>,
}

impl CompiledKernel {
    /// What is embedded of it; nothing where it is for the CPU only.
    pub fn embedded(&self) -> Option<Embedded> {
        let (module, words) = self.device.as_ref()?;
        Some(Embedded::of(&self.kernel, module, words))
    }
}

/// Compiles a block.
///
/// # Errors
/// All mistakes of the first stage that found any.
pub fn compile(source: &Source) -> Result<Compiled, Vec<Diagnostic>> {
    let (file, mistakes) = syntax::parse(source);
    compile_file(source, &file, mistakes)
}

/// As [`compile`], after parsing.
fn compile_file(
    source: &Source,
    file: &ast::File,
    mistakes: Vec<Diagnostic>,
) -> Result<Compiled, Vec<Diagnostic>> {
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let program = check::check(file, source)?;
    let lowered = lower::lower(&program)?;
    let mut kernels = Vec::new();
    let mut faults = Vec::new();
    for (kernel, def) in lowered.into_iter().zip(&program.kernels) {
        match finish(kernel) {
            Ok(kernel) => kernels.push(kernel),
            Err(detail) => faults.push(fault(def.func.name.at, &def.func.name.text, &detail)),
        }
    }
    if faults.is_empty() {
        Ok(Compiled { program, kernels })
    } else {
        Err(faults)
    }
}

/// What follows the front end: nothing here can be the author's mistake.
///
/// # Errors
/// What the verifiers or the lowering have against the kernel.
pub fn finish(kernel: Kernel) -> Result<CompiledKernel, String> {
    let kernel = verify::source::verify(kernel).map_err(|error| error.to_string())?;
    let device = match kernel.target {
        Target::Cpu => None,
        Target::Gpu => Some(canonical(&kernel)?),
    };
    Ok(CompiledKernel { kernel, device })
}

/// The module that is embedded: right on every device that keeps subnormals.
fn canonical(kernel: &Verified<Kernel>) -> Result<(Verified<Module>, Vec<u32>), String> {
    let module =
        lower_device::lower(kernel, &Profile::CONSERVATIVE).map_err(|error| error.to_string())?;
    let module = verify::device::verify(module).map_err(|error| error.to_string())?;
    let words = emit::spirv::emit(&module);
    Ok((module, words))
}

fn fault(at: SrcSpan, kernel: &str, detail: &str) -> Diagnostic {
    Diagnostic::new(
        Code::Fault,
        at,
        format!("this is a fault of Nupp, not of `{kernel}`; please report it with the kernel"),
    )
    .note(None, detail)
}

/// The token table of a macro's block. Its text is that of the file it stands in, which the host
/// is asked for, since the facade's macro stands between the call and the block.
pub fn block(tokens: proc_macro2::TokenStream) -> Source {
    Source::from_tokens(tokens)
}
