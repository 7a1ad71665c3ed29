//! The kernel that reads what a dispatch has claimed, as a macro would have embedded it.
//!
//! It computes with no floats, so that it is compiled without a probe, in the first form of the context;
//! a context compiles it with the first kernel that is checked.

use std::sync::OnceLock;

use nupp_core::artifact::{
    BindingSpec, KernelKind, KernelSpec, ModuleSpec, UniformLayout, UniformSpec,
};
use nupp_core::device::claims;
use nupp_core::ir::codec;
use nupp_core::ir::entity::Scalar;

use crate::error::CompileError;

/// Its name in messages.
pub(super) const NAME: &str = "dispatch check";

/// Its uniform block: the record, the claims, and the number of slots.
pub(super) const LAYOUT: UniformLayout = UniformLayout {
    spans: 2,
    uniforms: 1,
};

/// What would be embedded for the kernel that reads the claims. One of the process: it is a pure value.
pub(super) fn spec() -> Result<&'static KernelSpec, CompileError> {
    static ONE: OnceLock<Option<KernelSpec>> = OnceLock::new();
    const fn span(name: &'static str, write: bool) -> BindingSpec {
        BindingSpec {
            name,
            element: "uint32",
            words: 1,
            write,
            loop_indexed: write,
            scatter: false,
        }
    }
    let made = ONE.get_or_init(|| {
        let kernel = claims::reader().ok()?;
        Some(KernelSpec {
            name: NAME,
            file: file!(),
            line: line!(),
            kind: KernelKind::Map { primary: 0 },
            bindings: const { &[span("record", true), span("claims", false)] },
            uniforms: const {
                &[UniformSpec {
                    name: "slots",
                    ty: Scalar::U32,
                }]
            },
            guards: &[],
            scratch_bytes: 0,
            register_bytes: 0,
            barriers: 0,
            ir: codec::encode(&kernel).leak(),
            module: ModuleSpec {
                profile: "",
                spirv: &[],
                workgroup: 0,
                covers: 0,
                software: &[],
            },
        })
    });
    made.as_ref().ok_or(CompileError::Malformed {
        kernel: NAME,
        reason: "it does not pass the verifier".into(),
    })
}
