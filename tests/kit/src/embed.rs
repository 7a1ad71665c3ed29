//! Kernels that did not go through the macro, as it would embed them.

use nupp_compile::driver::CompiledKernel;
use nupp_compile::rust::{Binding, Embedded, LengthGuard};
use nupp_core::artifact::{BindingSpec, GuardSpec, KernelSpec, ModuleSpec, UniformSpec};
use nupp_core::ir::kernel::UniformDecl;

/// What the macro would embed, for as long as the process lives.
///
/// # Errors
/// Where nothing would be, since the kernel is for the CPU alone.
pub fn embed(compiled: &CompiledKernel) -> Result<&'static KernelSpec, String> {
    let found = compiled.embedded().ok_or("a kernel without a module")?;
    Ok(Box::leak(Box::new(constant(found)?)))
}

fn constant(found: Embedded) -> Result<KernelSpec, String> {
    let word = |bytes: u64| u32::try_from(bytes).map_err(|_| format!("{bytes} bytes of scratch"));
    let uniform = |uniform: UniformDecl| UniformSpec {
        name: uniform.name.leak(),
        ty: uniform.ty,
    };
    Ok(KernelSpec {
        name: found.name.leak(),
        file: file!(),
        line: line!(),
        kind: found.kind,
        bindings: all(found.bindings, binding),
        uniforms: all(found.uniforms, uniform),
        guards: all(found.guards, guard),
        scratch_bytes: word(found.scratch_bytes)?,
        register_bytes: word(found.register_bytes)?,
        barriers: found.barriers,
        ir: found.ir.leak(),
        module: ModuleSpec {
            profile: found.module.profile,
            spirv: found.module.spirv.leak(),
            workgroup: found.module.workgroup,
            covers: found.module.covers,
            software: found.module.software.leak(),
        },
    })
}

fn all<T, U>(list: Vec<T>, one: impl FnMut(T) -> U) -> &'static [U] {
    list.into_iter().map(one).collect::<Vec<U>>().leak()
}

fn binding(binding: Binding) -> BindingSpec {
    BindingSpec {
        name: binding.name.leak(),
        element: binding.element.leak(),
        words: binding.words,
        write: binding.write,
        loop_indexed: binding.loop_indexed,
        scatter: binding.scatter,
    }
}

fn guard(guard: LengthGuard) -> GuardSpec {
    GuardSpec {
        cond: guard.cond.leak(),
        message: guard.message.leak(),
        text: guard.text.leak(),
    }
}
