//! What the device's arithmetic turned out to be, found by a probe before the first float kernel.
//!
//! The probe runs once with the device's bare operations, and once as kernels will run. Each form of
//! modules has an outcome of its own, which is kept (`probing`).

use std::sync::OnceLock;

use nupp_core::artifact::{BindingSpec, KernelKind, KernelSpec, ModuleSpec, UniformSpec};
use nupp_core::device::probe::{Evidence, Finding, Probe, Stage, UNIFORMS, Verdict};
use nupp_core::device::profile::{Profile, Route};
use nupp_core::ir::codec;
use nupp_core::ir::entity::Scalar;
use nupp_core::ir::op::ScalarOp;

use crate::context::Context;
use crate::error::ProbeError;
use crate::fault::ready;
use crate::measured::Standing;
use crate::module::Form;
use crate::options::ModuleForm;
use crate::probing::{Known, Run, Wait, once};

/// A device's arithmetic, as measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arithmetic {
    form: ModuleForm,
    verdict: Verdict,
    rejected: Option<Evidence>,
    standing: Standing,
}

impl Arithmetic {
    /// The form of the modules of which all this is said.
    pub fn form(&self) -> ModuleForm {
        self.form
    }

    /// Whether a table of what every operation gives on this device and driver stands behind the
    /// probe.
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// The profile that kernels are emitted for.
    pub fn profile(&self) -> &Profile {
        &self.verdict.profile
    }

    /// What each operation rests on.
    pub fn routes(&self) -> [(&'static str, Route); 7] {
        self.verdict.profile.routes()
    }

    /// What the device's bare operations gave.
    pub fn findings(&self) -> &[(ScalarOp, Finding)] {
        &self.verdict.findings
    }

    /// Why the routes that the findings allow were not taken, if they were not: together they gave
    /// this.
    pub fn rejected(&self) -> Option<&Evidence> {
        self.rejected.as_ref()
    }
}

#[cfg(test)]
impl Arithmetic {
    /// What a device would have that gets this profile.
    pub(crate) fn made_up(form: ModuleForm, profile: Profile) -> Self {
        let findings = Vec::new();
        Self {
            form,
            verdict: Verdict { findings, profile },
            rejected: None,
            standing: Standing::ProbedOnly,
        }
    }
}

/// The probe and what a macro would have embedded for its kernels.
struct Embedded {
    probe: Probe,
    bare: KernelSpec,
    parts: [KernelSpec; Stage::PARTS.len()],
}

/// One of the process: it is a pure value.
fn embedded() -> Result<&'static Embedded, ProbeError> {
    static ONE: OnceLock<Option<Embedded>> = OnceLock::new();
    ONE.get_or_init(|| {
        let probe = Probe::new().ok()?;
        let of = |stage| spec(codec::encode(probe.kernel(stage)).leak());
        Some(Embedded {
            bare: of(Stage::Bare),
            parts: Stage::PARTS.map(of),
            probe,
        })
    })
    .as_ref()
    .ok_or(ProbeError::Failed {
        step: "building it",
        reason: "its kernel does not pass the verifier".into(),
    })
}

fn spec(ir: &'static [u8]) -> KernelSpec {
    const fn span(name: &'static str, write: bool) -> BindingSpec {
        BindingSpec {
            name,
            element: "uint32",
            words: 1,
            write,
            loop_indexed: true,
            scatter: false,
        }
    }
    const fn uniform(name: &'static str) -> UniformSpec {
        UniformSpec {
            name,
            ty: Scalar::F32,
        }
    }
    KernelSpec {
        name: "arithmetic probe",
        file: file!(),
        line: line!(),
        kind: KernelKind::Map { primary: 0 },
        bindings: const {
            &[
                span("results", true),
                span("x", false),
                span("y", false),
                span("z", false),
            ]
        },
        uniforms: const { &[uniform("u"), uniform("v")] },
        // Every span is made as long as the others.
        guards: &[],
        scratch_bytes: 0,
        register_bytes: 0,
        barriers: 0,
        ir,
        module: ModuleSpec {
            profile: "",
            spirv: &[],
            workgroup: 0,
            covers: 0,
            software: &[],
        },
    }
}

impl Context {
    /// The arithmetic of the device, found out now if no kernel has needed it yet.
    pub(crate) fn arithmetic(&self) -> Result<&Arithmetic, ProbeError> {
        ready(self.preferred(Wait::Here)).unwrap_or(Err(ProbeError::MustAwait))
    }

    /// As [`Context::arithmetic`], where waiting is asynchronous.
    pub(crate) async fn arithmetic_async(&self) -> Result<&Arithmetic, ProbeError> {
        self.preferred(Wait::Asynchronously).await
    }

    /// The arithmetic in a form.
    pub(crate) fn arithmetic_in(&self, form: ModuleForm) -> Result<&Arithmetic, ProbeError> {
        let form = self.inner.forms.by_name(form);
        let form = form.map_err(|reason| ProbeError::NoNative { reason })?;
        ready(self.arithmetic_of(form, Wait::Here)).unwrap_or(Err(ProbeError::MustAwait))
    }

    /// That of the first form, or of another where that one is refused.
    async fn preferred(&self, wait: Wait) -> Result<&Arithmetic, ProbeError> {
        let forms = self.inner.forms;
        let first = self.arithmetic_of(forms.first(), wait).await;
        match (&first, forms.second(first.is_ok())) {
            (Ok(_) | Err(ProbeError::MustAwait), _) | (Err(_), None) => first,
            (Err(_), Some(second)) => self.arithmetic_of(second, wait).await.or(first),
        }
    }

    /// The arithmetic in a form.
    pub(crate) async fn arithmetic_of(
        &self,
        form: Form,
        wait: Wait,
    ) -> Result<&Arithmetic, ProbeError> {
        let cell = &self.inner.arithmetic[form.kind().position()];
        let found = self.found_once(&KNOWN, form, self.probe(form, wait));
        once(cell, wait, found).await
    }

    /// Probes: bare operations first, then the routes that they allow, confirmed as a whole.
    async fn probe(&self, form: Form, wait: Wait) -> Result<Arithmetic, ProbeError> {
        let probe = &embedded()?.probe;
        let run = async |stage, profile: &Profile| self.run_probe(stage, profile, form, wait).await;
        let run_all = async |profile: &Profile| {
            let mut given = Vec::new();
            for part in Stage::PARTS {
                given.extend(run(part, profile).await?);
            }
            Ok(given)
        };
        let made = |verdict: Verdict, rejected| Arithmetic {
            form: form.kind(),
            standing: Standing::of(&self.inner.info, form, &verdict.profile),
            verdict,
            rejected,
        };
        let verdict = probe.judge(&run(Stage::Bare, &Profile::DEVICE).await?);
        let given = run_all(&verdict.profile).await?;
        let Err(rejected) = probe.confirm(&given) else {
            return Ok(made(verdict, None));
        };
        let given = run_all(&Profile::INTEGER).await?;
        probe
            .confirm(&given)
            .map_err(|evidence| ProbeError::Inexact { evidence })?;
        let verdict = Verdict {
            profile: Profile::INTEGER,
            ..verdict
        };
        Ok(made(verdict, Some(rejected)))
    }

    /// What a kernel of the probe gives, lowered for a profile.
    async fn run_probe(
        &self,
        stage: Stage,
        profile: &Profile,
        form: Form,
        wait: Wait,
    ) -> Result<Vec<u32>, ProbeError> {
        let embedded = embedded()?;
        let spec = match stage {
            Stage::Bare => &embedded.bare,
            Stage::Part(part) => &embedded.parts[part],
        };
        let operands = embedded.probe.operands(stage);
        let run = Run {
            spec,
            profile,
            form,
            wait,
            results: operands[0].len(),
            inputs: &operands,
            uniforms: &UNIFORMS,
        };
        self.run_probing(run).await
    }
}

/// What contexts of this process have found.
static KNOWN: Known<Arithmetic> = Known::new();
