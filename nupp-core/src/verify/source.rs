//! Re-checks every claim of Source IR from the kernel alone.
//!
//! [`verify`] runs these checks in order, each of which may assume those before it:
//! declarations and structure (`decls`, `shape`), least scopes (`scopes`), who may touch what
//! (`ownership`, `footprint`), and that every access is in bounds and every claim of termination
//! holds (`bounds`). The engine behind the last (`facts`, `linear`, `range`) shares nothing with
//! the front end's proofs: a certificate names a reason, and the reason has to be found again.

use super::{Verified, VerifyError};
use crate::ir::kernel::Kernel;

mod bounds;
mod decls;
mod facts;
mod footprint;
mod guards;
mod linear;
mod loops;
mod ownership;
mod places;
mod range;
mod scopes;
mod shape;
#[cfg(test)]
mod tests;

pub use footprint::{Footprint, footprint};

/// Checks a kernel and marks it as checked.
///
/// # Errors
/// Names the first rule that the kernel breaks. No kernel makes this panic, whatever its numbers
/// refer to.
pub fn verify(kernel: Kernel) -> Result<Verified<Kernel>, VerifyError> {
    decls::check(&kernel)?;
    shape::check(&kernel)?;
    scopes::check(&kernel)?;
    ownership::check(&kernel)?;
    footprint::check(&kernel)?;
    bounds::check(&kernel)?;
    Ok(Verified(kernel))
}

/// The error of a broken rule.
fn broken<T>(rule: &'static str, detail: String) -> Result<T, VerifyError> {
    Err(VerifyError { rule, detail })
}

/// Fails with a rule and a detail unless the condition holds.
macro_rules! ensure {
    ($cond:expr, $rule:expr, $($detail:tt)*) => {
        if !$cond {
            return crate::verify::source::broken($rule, format!($($detail)*));
        }
    };
}
use ensure;
