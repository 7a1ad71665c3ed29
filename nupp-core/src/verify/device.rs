//! Re-checks a module of Device IR.

mod scopes;

pub use scopes::scopes;
