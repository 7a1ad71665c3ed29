//! Whether the device runs long loops to their ends, found out before the first kernel that may have some.
//!
//! Where it does not and a last loop shows that (`nupp_core::device::turns`), such kernels are watched:
//! their modules end with that loop, and what it notes is read like what a scatter claims (`check`). Where
//! nothing shows it they are refused.

use std::sync::OnceLock;

use nupp_core::artifact::{BindingSpec, KernelKind, KernelSpec, ModuleSpec, UniformSpec};
use nupp_core::device::profile::Profile;
use nupp_core::device::turns::{self, FEW, Loops, RESULTS, UNIFORMS};
use nupp_core::ir::codec;
use nupp_core::ir::entity::Scalar;

use crate::context::Context;
use crate::error::{CompileError, ProbeError};
use crate::module::Form;
use crate::probing::{Known, Run, Wait, once};

/// What contexts of this process have found.
static KNOWN: Known<Loops> = Known::new();

impl Context {
    /// Whether the loops of a kernel are watched on this device, in modules of this form.
    pub(crate) async fn watches_loops(
        &self,
        spec: &'static KernelSpec,
        form: Form,
        wait: Wait,
    ) -> Result<bool, CompileError> {
        let kernel = codec::decode(spec.ir).map_err(|error| CompileError::Malformed {
            kernel: spec.name,
            reason: error.to_string(),
        })?;
        if turns::most(&kernel).is_some_and(|most| most <= FEW) {
            return Ok(false);
        }
        let cell = &self.inner.loops[form.kind().position()];
        let found = self.found_once(&KNOWN, form, self.probe_loops(form, wait));
        let cause = match once(cell, wait, found).await {
            Ok(Loops::Whole) => return Ok(false),
            Ok(Loops::Shown) => return Ok(true),
            Ok(Loops::Hidden) => ProbeError::Loops,
            Err(cause) => cause,
        };
        Err(CompileError::Loops {
            kernel: spec.name,
            cause,
        })
    }

    async fn probe_loops(&self, form: Form, wait: Wait) -> Result<Loops, ProbeError> {
        let run = Run {
            spec: spec()?,
            // It computes with no floats.
            profile: &Profile::CONSERVATIVE,
            form,
            wait,
            results: RESULTS as usize,
            inputs: &[],
            uniforms: &UNIFORMS,
        };
        let given = self.run_probing(run).await?;
        let given = given.try_into().map_err(|_| ProbeError::Failed {
            step: "reading its results",
            reason: "there are too few".into(),
        })?;
        Ok(turns::judge(given))
    }
}

/// What a macro would have embedded for the kernel that finds out. One of the process: it is a pure value.
fn spec() -> Result<&'static KernelSpec, ProbeError> {
    static ONE: OnceLock<Option<KernelSpec>> = OnceLock::new();
    const fn uniform(name: &'static str) -> UniformSpec {
        UniformSpec {
            name,
            ty: Scalar::U32,
        }
    }
    let made = ONE.get_or_init(|| {
        let kernel = turns::kernel().ok()?;
        Some(KernelSpec {
            name: "loop probe",
            file: file!(),
            line: line!(),
            kind: KernelKind::Map { primary: 0 },
            bindings: const {
                &[BindingSpec {
                    name: "results",
                    element: "uint32",
                    words: 1,
                    write: true,
                    loop_indexed: true,
                    scatter: false,
                }]
            },
            uniforms: const { &[uniform("single"), uniform("nested"), uniform("last")] },
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
    made.as_ref().ok_or(ProbeError::Failed {
        step: "building it",
        reason: "its kernel does not pass the verifier".into(),
    })
}
