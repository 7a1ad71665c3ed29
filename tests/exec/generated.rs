//! Generated map kernels: the direct evaluator of the typed tree against every executor.
//!
//! Each kernel's source text is parsed once more in the program that runs it, evaluated directly, and
//! its words are what every executor must give. `NUPP_GENERATED_KERNELS` says how many kernels,
//! `NUPP_GENERATED_SEED` where to start, `NUPP_GENERATED_OPT` at which level rustc optimises them.
//! More of them, `NUPP_GENERATED_DEVICE`, run on the GPU alone.

use nupp_testkit::generate::map_kernel;
use nupp_testkit::mapped;

pub mod crates;
pub mod device;

#[test]
fn generated_kernels_agree() {
    let count = number("NUPP_GENERATED_KERNELS", 500);
    let start = number("NUPP_GENERATED_SEED", 0);
    let maps = crates::Crate {
        name: "nupp-generated",
        run: "run.rs",
        kernels: 125,
        text: map_kernel,
        parameters: &[
            "w f32", "w u32", "r f32", "r u32", "r f32", "r Pair", "u f32", "u u32", "u i32",
        ],
    };
    maps.agree(start..start + count);
}

#[test]
fn generated_kernels_agree_on_the_device() {
    let kind = device::Kind {
        name: "maps",
        text: map_kernel,
        lengths: |_| mapped::LENGTHS.to_vec(),
        run: mapped::run,
    };
    kind.agree(number("NUPP_GENERATED_DEVICE", 200));
}

/// A number from the environment.
pub fn number(variable: &str, otherwise: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is no number: {text}")),
        Err(_) => otherwise,
    }
}
