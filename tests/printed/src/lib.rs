//! Printed kernels, compiled as a user's own source would be: lints are silent inside macros of
//! other crates, so this is where they are heard.

#![forbid(unsafe_code)]
#![deny(clippy::all, clippy::pedantic)]

include!(concat!(env!("OUT_DIR"), "/sample_map.rs"));
include!(concat!(env!("OUT_DIR"), "/sample_groups.rs"));
