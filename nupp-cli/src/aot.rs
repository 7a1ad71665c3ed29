//! `cargo nupp aot`: compiled forms, ahead of time.

use crate::Failure;
use crate::arguments::{Emit, Request};
use crate::file::compile;
use nupp_compile::driver::{self, CompiledKernel};
use nupp_core::device::ir::Module;
use nupp_core::device::lower_device;
use nupp_core::device::profile::Profile;
use nupp_core::emit;
use nupp_core::ir::kernel::{Kernel, Target};
use nupp_core::ir::print;
use nupp_core::verify::{self, Verified};
use rspirv::binary::Disassemble as _;
use std::io::Write as _;

/// Prints the form that is asked for.
pub fn run(request: &Request) -> Result<(), Failure> {
    let outcome = compile(&request.file)?;
    if outcome.mistakes > 0 {
        return Err(Failure::Refused);
    }
    let bytes = if request.emit == Emit::Rust {
        let wanted = |name: &str| {
            request
                .kernel
                .as_deref()
                .is_none_or(|kernel| kernel == name)
        };
        let blocks = outcome.compiled.iter();
        let text: String = blocks
            .map(|(source, compiled)| driver::print_rust(source, compiled, wanted))
            .collect();
        if let Some(name) = &request.kernel {
            let all = outcome
                .compiled
                .iter()
                .flat_map(|(_, compiled)| &compiled.kernels);
            find(all.collect(), name)?;
        }
        text.into_bytes()
    } else {
        let all: Vec<&CompiledKernel> = outcome
            .compiled
            .iter()
            .flat_map(|(_, compiled)| &compiled.kernels)
            .collect();
        let chosen = match &request.kernel {
            Some(name) => find(all, name)?,
            None => all,
        };
        forms(request, &chosen)?
    };
    write(request, &bytes)
}

fn find<'a>(all: Vec<&'a CompiledKernel>, name: &str) -> Result<Vec<&'a CompiledKernel>, Failure> {
    let found: Vec<_> = all
        .iter()
        .copied()
        .filter(|compiled| compiled.kernel.name == name)
        .collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let names: Vec<String> = all
        .iter()
        .map(|compiled| format!("`{}`", compiled.kernel.name))
        .collect();
    Err(Failure::Usage(format!(
        "there is no kernel `{name}`; there is {}",
        names.join(", ")
    )))
}

fn forms(request: &Request, kernels: &[&CompiledKernel]) -> Result<Vec<u8>, Failure> {
    if request.emit == Emit::Spirv && kernels.len() != 1 {
        let count = kernels.len();
        return Err(Failure::Usage(format!(
            "SPIR-V holds one kernel and the file has {count}: name it with `--kernel`"
        )));
    }
    let mut bytes = Vec::new();
    for compiled in kernels {
        form(request, &compiled.kernel, &mut bytes)?;
    }
    Ok(bytes)
}

fn form(request: &Request, kernel: &Verified<Kernel>, bytes: &mut Vec<u8>) -> Result<(), Failure> {
    let text = match request.emit {
        Emit::Ir => print::print(kernel),
        Emit::Report => report(kernel, &request.profile)?,
        Emit::Wgsl => emit::wgsl::emit(&module(kernel, &request.profile)?),
        Emit::SpirvAsm => disassemble(&emit::spirv::emit(&module(kernel, &request.profile)?))?,
        Emit::Spirv => {
            let words = emit::spirv::emit(&module(kernel, &request.profile)?);
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            return Ok(());
        }
        Emit::Rust => return Ok(()),
    };
    bytes.extend(text.bytes());
    if !text.ends_with('\n') {
        bytes.push(b'\n');
    }
    Ok(())
}

fn report(kernel: &Verified<Kernel>, profile: &Profile) -> Result<String, Failure> {
    if kernel.target == Target::Cpu {
        return Ok(emit::report::report(kernel, None));
    }
    let module = module(kernel, profile)?;
    let words = emit::spirv::emit(&module).len();
    Ok(emit::report::report(kernel, Some((&module, words))))
}

fn module(kernel: &Verified<Kernel>, profile: &Profile) -> Result<Verified<Module>, Failure> {
    let module =
        lower_device::lower(kernel, profile).map_err(|fault| Failure::Usage(fault.to_string()))?;
    verify::device::verify(module)
        .map_err(|fault| Failure::Usage(format!("a fault of Nupp: {fault}")))
}

fn disassemble(words: &[u32]) -> Result<String, Failure> {
    let module = rspirv::dr::load_words(words)
        .map_err(|fault| Failure::Usage(format!("a fault of Nupp: {fault}")))?;
    Ok(module.disassemble())
}

fn write(request: &Request, bytes: &[u8]) -> Result<(), Failure> {
    match &request.output {
        Some(path) => std::fs::write(path, bytes)
            .map_err(|fault| Failure::Usage(format!("`{}`: {fault}", path.display()))),
        None => match std::io::stdout().write_all(bytes) {
            // Whoever reads has seen enough, as `head` has.
            Err(fault) if fault.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|fault| Failure::Usage(format!("standard output: {fault}"))),
        },
    }
}
