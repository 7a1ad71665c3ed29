//! Re-checks a module of Device IR: its structure, where its barriers stand, and what lanes do to
//! workgroup memory between them.
//!
//! Only what passes here is printed or run. Bounds are not looked at: they were proved on Source
//! IR, and `eval::device` watches them. Whether lanes meet in a storage buffer is decided on Source
//! IR as well, by the forms of its places.

use super::{Verified, VerifyError};
use crate::device::ir::Module;
use crate::limits::{DEVICE_NESTING, MAX_NESTING};

mod access;
mod scopes;
mod shape;
mod structure;
mod uniform;

pub use scopes::scopes;

/// Checks a module and makes the token.
///
/// # Errors
/// The first rule that does not hold, and where.
pub fn verify(module: Module) -> Result<Verified<Module>, VerifyError> {
    check(&module)?;
    Ok(Verified(module))
}

/// Checks a module without taking it.
///
/// # Errors
/// As [`verify`].
pub fn check(module: &Module) -> Result<(), VerifyError> {
    let levels = module.functions.iter().map(|f| f.body.nesting());
    let levels = levels.chain([module.body.nesting()]).max();
    if levels > Some(MAX_NESTING + DEVICE_NESTING) {
        return error(
            "nesting",
            "regions nest more deeply than readers of modules allow",
        );
    }
    structure::check(module)?;
    let scopes = scopes(module);
    uniform::check(module, &scopes)?;
    access::check(module, &scopes)
}

/// For each workgroup array of a well-formed module, whether a slot of it may be read before it is
/// written, as far as the check can see.
pub fn unwritten(module: &Module) -> Vec<bool> {
    access::unwritten(module, &scopes(module))
}

fn error<T>(rule: &'static str, detail: impl Into<String>) -> Result<T, VerifyError> {
    Err(VerifyError {
        rule,
        detail: detail.into(),
    })
}
