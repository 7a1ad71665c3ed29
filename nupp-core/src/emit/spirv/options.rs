//! What a SPIR-V module says beyond its code.
//!
//! The float modes are of SPV_KHR_float_controls, for 32 bits, the only width that modules use. Each
//! is a capability and an execution mode that a driver may lack, and a driver that lacks one may do
//! anything at all with the module: whoever sets a mode knows that the device claims it.

use super::opcode as op;

/// How a module is printed; [`Options::CANONICAL`] is what a kernel embeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Decorates every float arithmetic result NoContraction.
    pub no_contraction: bool,
    /// Declares RoundingModeRTE: results are rounded to nearest even.
    pub rounding_rte_32: bool,
    /// Declares SignedZeroInfNanPreserve: these values are not assumed away.
    pub signed_zero_inf_nan_preserve_32: bool,
    /// Declares DenormPreserve: subnormals are kept.
    pub denorm_preserve_32: bool,
    /// Ends every loop after 2^64 turns, so that no compiler may take an endless one for code that
    /// is never reached. For modules with a loop that is not known to end.
    pub bound_loops: bool,
    /// Cuts long chains of operations, each used by the next alone, for readers that write a chain as
    /// one expression of another language.
    pub cut_chains: bool,
}

impl Options {
    /// NoContraction, and what readers need.
    pub const CANONICAL: Options = Options {
        no_contraction: true,
        rounding_rte_32: false,
        signed_zero_inf_nan_preserve_32: false,
        denorm_preserve_32: false,
        bound_loops: false,
        cut_chains: true,
    };

    /// The capability and the execution mode of each float mode that is declared.
    pub(super) fn modes(&self) -> Vec<(u32, u32)> {
        let modes = [
            (
                self.denorm_preserve_32,
                op::CAPABILITY_DENORM_PRESERVE,
                op::DENORM_PRESERVE,
            ),
            (
                self.signed_zero_inf_nan_preserve_32,
                op::CAPABILITY_SIGNED_ZERO_INF_NAN_PRESERVE,
                op::SIGNED_ZERO_INF_NAN_PRESERVE,
            ),
            (
                self.rounding_rte_32,
                op::CAPABILITY_ROUNDING_MODE_RTE,
                op::ROUNDING_MODE_RTE,
            ),
        ];
        let declared = modes.into_iter().filter(|(declared, ..)| *declared);
        declared
            .map(|(_, capability, mode)| (capability, mode))
            .collect()
    }
}

impl Default for Options {
    fn default() -> Self {
        Options::CANONICAL
    }
}
