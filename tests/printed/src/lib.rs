//! Printed kernels, compiled as a user's own source would be: lints are silent inside macros of
//! other crates, so this is where they are heard. The one thing beside safe code is the marker
//! impls of structs, each with its reason.

#![deny(clippy::all, clippy::pedantic, clippy::undocumented_unsafe_blocks)]

/// Runs a generated kernel over the words of its spans.
pub type Run = fn(&mut [Vec<u32>], [u32; 3], bool);

/// Kernels without a struct.
pub mod samples {
    #![forbid(unsafe_code)]

    include!(concat!(env!("OUT_DIR"), "/samples.rs"));
}

/// Kernels of operations that are functions of libm elsewhere.
pub mod rounding {
    #![forbid(unsafe_code)]

    include!(concat!(env!("OUT_DIR"), "/rounding.rs"));
}

/// Random kernels. Their authors write `x - x` and the like, which is theirs to answer for.
#[allow(
    clippy::eq_op,
    clippy::nonminimal_bool,
    clippy::bool_to_int_with_if,
    clippy::many_single_char_names,
    clippy::missing_panics_doc
)]
mod random {
    use super::Run;

    include!(concat!(env!("OUT_DIR"), "/generated.rs"));
}
pub use random::*;
