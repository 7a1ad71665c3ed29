//! Prints kernels as Rust source; `src/lib.rs` includes them.

use nupp_core::emit::rust::{CRATE, KernelItem, kernel};
use nupp_core::ir::samples;
use nupp_core::verify::source;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    for sample in [samples::map(), samples::groups()] {
        let name = sample.name.clone();
        let verified = source::verify(sample).expect("the samples are valid");
        let item = KernelItem {
            kernel: &verified,
            public: true,
            docs: &[],
            rest: "",
        };
        let text = kernel(&item).replace(CRATE, "::nupp");
        let path = Path::new(&out).join(format!("{name}.rs"));
        std::fs::write(path, text).expect("the output folder can be written");
    }
}
