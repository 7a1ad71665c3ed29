//! Which form and which profile a kernel's module gets, and what it checks.
//!
//! Without a word from the options, a kernel that computes with floats is emitted in the form whose
//! profile carries its operations at the least cost, the portable one where both cost the same; all
//! other kernels run as they were embedded. A form is probed only where a kernel could gain by it,
//! and a form whose probe fails is left alone: the other one runs the kernel, and the module says so.
//! Where a device takes no native modules, the other one is WGSL.

use std::fmt;

use nupp_core::artifact::KernelSpec;
use nupp_core::device::claims::Checks;
use nupp_core::device::cost::Census;
use nupp_core::device::profile::{Profile, Route};
use nupp_core::ir::codec;

use crate::arithmetic::Arithmetic;
use crate::check;
use crate::context::Context;
use crate::error::{CompileError, ProbeError};
use crate::module::{Form, Forms};
use crate::options::ModuleForm;
use crate::probing::Wait;

/// Why a module has its form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormReason {
    /// The options ask for it, or for a profile, which goes with the portable form where they name
    /// no other.
    Asked,
    /// The kernel does no arithmetic with floats, so that it is the same in all forms.
    NoArithmetic,
    /// The device takes no native modules, for this reason.
    NoNative(&'static str),
    /// The kernel's operations cost no more in it than in the other: roughly so many instructions.
    Cheapest {
        /// In the portable form.
        portable: u64,
        /// In native modules; nothing where it was not looked at, since they could not cost less.
        native: Option<u64>,
    },
    /// In the other form the device's arithmetic cannot be relied on, or could not be looked at.
    OtherRefused(ProbeError),
}

impl fmt::Display for FormReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormReason::Asked => f.write_str("the options ask for it"),
            FormReason::NoArithmetic => f.write_str("the kernel does not compute with floats"),
            FormReason::NoNative(reason) => {
                write!(f, "the device takes no native modules: {reason}")
            }
            FormReason::Cheapest {
                portable,
                native: None,
            } => write!(f, "its operations cost {portable}, the least there is"),
            FormReason::Cheapest {
                portable,
                native: Some(native),
            } => write!(
                f,
                "its operations cost {portable} in the portable form and {native} in native modules"
            ),
            FormReason::OtherRefused(cause) => write!(f, "in the other form, {cause}"),
        }
    }
}

/// What a module is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) form: Form,
    pub(crate) profile: Profile,
    pub(crate) reason: FormReason,
    /// The routes of the operations that the kernel asks for.
    pub(crate) routes: Vec<(&'static str, Route)>,
}

impl Context {
    /// The form and the profile of a kernel's module and what it checks, the device probed as far as that
    /// needs.
    pub(crate) async fn plan(
        &self,
        spec: &'static KernelSpec,
        wait: Wait,
    ) -> Result<(Choice, Checks), CompileError> {
        let choice = self.choose(spec, wait).await?;
        let checks = Checks {
            scatter: check::wanted(spec, &self.inner.options),
            loops: self.watches_loops(spec, choice.form, wait).await?,
        };
        Ok((choice, checks))
    }

    /// The form and the profile of a kernel's module, the device probed as far as that needs.
    async fn choose(&self, spec: &'static KernelSpec, wait: Wait) -> Result<Choice, CompileError> {
        let census = census(spec)?;
        let forms = self.inner.forms;
        let form = forms.first();
        let made = |form, profile: Profile, reason| Choice {
            form,
            profile,
            reason,
            routes: census.routes(&profile),
        };
        if let Some(profile) = self.inner.options.profile {
            return Ok(made(form, profile, FormReason::Asked));
        }
        if census.is_empty() {
            let embedded = |known: &&Profile| known.name == spec.module.profile;
            let known = Profile::ALL.iter().find(embedded);
            // A profile that this build does not know asked for no more than this one does.
            let profile = *known.unwrap_or(&Profile::CONSERVATIVE);
            let reason = match forms.asked() {
                Some(_) => FormReason::Asked,
                None => FormReason::NoArithmetic,
            };
            return Ok(made(form, profile, reason));
        }
        let portable = self.arithmetic_of(form, wait).await;
        let other = match forms.second(portable.is_ok()) {
            Some(second) if could_gain(&census, &portable) => {
                Some((second, self.arithmetic_of(second, wait).await))
            }
            _ => None,
        };
        let (form, arithmetic, reason) =
            decide(&census, forms, portable, other).map_err(|cause| CompileError::Arithmetic {
                kernel: spec.name,
                cause,
            })?;
        Ok(made(form, *arithmetic.profile(), reason))
    }
}

type Found<'a> = Result<&'a Arithmetic, ProbeError>;

/// Whether any other profile could be cheaper for these operations.
fn could_gain(census: &Census, found: &Found<'_>) -> bool {
    match found {
        Ok(arithmetic) => census.cost(arithmetic.profile()) > census.cost(&Profile::DEVICE),
        // It cannot be waited for here, nor could the other.
        Err(ProbeError::MustAwait) => false,
        Err(_) => true,
    }
}

/// The form with the least cost among those that were probed.
fn decide<'a>(
    census: &Census,
    forms: Forms,
    first: Found<'a>,
    second: Option<(Form, Found<'a>)>,
) -> Result<(Form, &'a Arithmetic, FormReason), ProbeError> {
    let cost = |arithmetic: &Arithmetic| census.cost(arithmetic.profile());
    match (first, second) {
        (Ok(found), None) => {
            let reason = match (forms.asked(), forms.native()) {
                (Some(_), _) => FormReason::Asked,
                (None, Err(reason)) => FormReason::NoNative(reason),
                (None, Ok(_)) => FormReason::Cheapest {
                    portable: cost(found),
                    native: None,
                },
            };
            Ok((forms.first(), found, reason))
        }
        (Err(cause), None) => Err(cause),
        (Ok(portable), Some((form, Ok(native)))) => {
            let reason = FormReason::Cheapest {
                portable: cost(portable),
                native: Some(cost(native)),
            };
            if cost(native) < cost(portable) {
                Ok((form, native, reason))
            } else {
                Ok((forms.first(), portable, reason))
            }
        }
        (Ok(portable), Some((_, Err(cause)))) => {
            Ok((forms.first(), portable, FormReason::OtherRefused(cause)))
        }
        (Err(cause), Some((form, Ok(native)))) => {
            Ok((form, native, FormReason::OtherRefused(cause)))
        }
        // What it is in the portable form says more: nothing is asked of the driver there.
        (Err(cause), Some((_, Err(_)))) => Err(cause),
    }
}

/// The operations of a kernel that depend on the device's float arithmetic.
fn census(spec: &'static KernelSpec) -> Result<Census, CompileError> {
    let kernel = codec::decode(spec.ir).map_err(|error| CompileError::Malformed {
        kernel: spec.name,
        reason: error.to_string(),
    })?;
    Ok(Census::of(&kernel))
}

impl ModuleForm {
    /// Its place among [`ModuleForm::ALL`].
    pub(crate) fn position(self) -> usize {
        match self {
            ModuleForm::Spirv => 0,
            ModuleForm::Wgsl => 1,
            ModuleForm::Native => 2,
        }
    }
}

#[cfg(test)]
mod tests;
