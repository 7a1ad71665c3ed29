//! Devices of which a table says what every operation gives.
//!
//! The tables lie in `docs/conformance`, written by `cargo xtask conformance`; what is repeated of
//! them here a test compares with them. A device is one of them if adapter, backend and driver are
//! word for word the same and the probe chose the routes that were measured: then every operation
//! was seen to be right there, not only those of the probe. A driver that does not say its version is none.

use nupp_core::device::profile::{Profile, Route};

use crate::module::Form;
use crate::options::{DeviceInfo, ModuleForm};

#[cfg(test)]
mod tests;

/// What stands behind the routes of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// Every operation was measured on this adapter and driver, in this form and on these routes.
    Measured {
        /// The name of the table under `docs/conformance`.
        table: &'static str,
    },
    /// The probe alone.
    ProbedOnly,
}

impl std::fmt::Display for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Standing::Measured { table } => write!(f, "measured (docs/conformance/{table}.md)"),
            Standing::ProbedOnly => f.write_str("probed only"),
        }
    }
}

impl Standing {
    pub(crate) fn of(device: &DeviceInfo, form: Form, profile: &Profile) -> Standing {
        let device = device.to_string();
        let routes = profile.routes().map(|(_, route)| route);
        let is = |row: &&Measured| {
            let found = (form.kind(), routes);
            row.device == device && row.forms.contains(&found)
        };
        match MEASURED.iter().find(is) {
            Some(row) => Standing::Measured { table: row.table },
            None => Standing::ProbedOnly,
        }
    }
}

/// What is repeated of a table: the device in words, and the routes of each form in which nothing
/// was wrong.
struct Measured {
    table: &'static str,
    device: &'static str,
    forms: &'static [(ModuleForm, [Route; 7])],
}

use Route::{Guarded, Opaque, Refined, Software};

/// add, mul, fma, div, sqrt, compare, from integer.
const MEASURED: &[Measured] = &[
    Measured {
        table: "llvmpipe",
        device: "llvmpipe (LLVM 15.0.6, 256 bits) through vulkan (llvmpipe Mesa 22.3.6 (LLVM 15.0.6))",
        forms: &[
            (ModuleForm::Spirv, MESA),
            (ModuleForm::Wgsl, MESA),
            (ModuleForm::Native, MESA),
        ],
    },
    Measured {
        table: "llvmpipe-gl",
        device: "llvmpipe (LLVM 15.0.6, 256 bits) through gl (4.5 (Core Profile) Mesa 22.3.6)",
        forms: &[(ModuleForm::Spirv, MESA), (ModuleForm::Wgsl, MESA)],
    },
    Measured {
        table: "nvidia-h200",
        device: "NVIDIA H200 through vulkan (NVIDIA 580.159.04)",
        forms: &[
            (
                ModuleForm::Spirv,
                [
                    Guarded, Guarded, Guarded, Refined, Refined, Software, Opaque,
                ],
            ),
            (
                ModuleForm::Wgsl,
                [
                    Guarded, Guarded, Guarded, Refined, Refined, Software, Opaque,
                ],
            ),
            (
                ModuleForm::Native,
                [Opaque, Opaque, Guarded, Opaque, Refined, Software, Opaque],
            ),
        ],
    },
];

/// Exact, but for `fma`, which is none.
const MESA: [Route; 7] = [Opaque, Opaque, Software, Opaque, Opaque, Opaque, Opaque];
