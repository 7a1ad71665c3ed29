//! Prints kernels as Rust source, which `src/lib.rs` includes: those written by hand in Source
//! IR, and as many of the generated ones as `NUPP_PRINTED_KERNELS` says. The facade has another name in
//! this package, as it may have in a user's.

use nupp_compile::driver;
use nupp_compile::rust::{CRATE, KernelItem, kernel};
use nupp_core::ir::samples;
use nupp_core::math::Function;
use nupp_core::verify::source;
use nupp_front::syntax::Source;
use nupp_testkit::generate::map_kernel;
use std::fmt::Write;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=NUPP_PRINTED_KERNELS");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    let save = |name: &str, text: &str| {
        let path = Path::new(&out).join(name);
        std::fs::write(path, text.replace(CRATE, "::gpu_kernels"))
            .expect("the folder can be written");
    };
    save("samples.rs", &samples());
    save("generated.rs", &generated());
    println!("cargo::rerun-if-changed=rounding.nupp");
    let rounding = std::fs::read_to_string("rounding.nupp").expect("the file is there");
    save("rounding.rs", &compiled(&rounding, "rounding"));
}

fn samples() -> String {
    let mut text = String::new();
    let functions = Function::ALL.iter();
    let functions = functions.copied().map(samples::function_map);
    let by_hand = [samples::map(), samples::groups()];
    for sample in by_hand.into_iter().chain(functions) {
        let verified = source::verify(sample).expect("the samples are valid");
        text += &kernel(&KernelItem {
            kernel: &verified,
            public: true,
            docs: &[],
            rest: "",
        });
    }
    text
}

/// The items of a block without structs.
fn compiled(text: &str, name: &str) -> String {
    let compiled = match driver::compile(&Source::from_nupp(text)) {
        Ok(compiled) => compiled,
        Err(mistakes) => panic!("{name}: {mistakes:#?}"),
    };
    let pairs = compiled.kernels.iter().zip(&compiled.program.kernels);
    pairs
        .map(|(kernel, def)| driver::kernel_text(kernel, def, 1))
        .collect()
}

fn generated() -> String {
    let asked = std::env::var("NUPP_PRINTED_KERNELS").ok();
    let count: u64 = asked.and_then(|text| text.parse().ok()).unwrap_or(6);
    let mut text = String::new();
    let mut table = String::new();
    for seed in 0..count {
        let source = Source::from_nupp(&map_kernel(seed));
        let compiled = match driver::compile(&source) {
            Ok(compiled) => compiled,
            Err(mistakes) => panic!("seed {seed}: {mistakes:#?}"),
        };
        let _ = writeln!(text, "/// Seed {seed}.\npub mod seed_{seed} {{");
        for item in &compiled.program.structs {
            text += &driver::structure(item);
        }
        for (kernel, def) in compiled.kernels.iter().zip(&compiled.program.kernels) {
            text += &driver::kernel_text(kernel, def, 1);
        }
        text += RUN;
        text += "}\n";
        let _ = writeln!(table, "({seed}, seed_{seed}::run as Run),");
    }
    let _ = write!(
        text,
        "/// The kernels by seed.\npub const KERNELS: &[(u64, Run)] = &[{table}];"
    );
    text
}

/// Runs the kernel beside it over words, serially or in parallel.
const RUN: &str = "
/// Runs the kernel.
pub fn run(spans: &mut [Vec<u32>], scalars: [u32; 3], parallel: bool) {
    let [out, words, a, b, g, p] = spans else { return };
    let (x, n, k) = (f32::from_bits(scalars[0]), scalars[1], scalars[2].cast_signed());
    let out: &mut [f32] = bytemuck::cast_slice_mut(out);
    let (a, g, p) = (bytemuck::cast_slice(a), bytemuck::cast_slice(g), bytemuck::cast_slice(p));
    let run = if parallel { kernel::cpu_parallel } else { kernel };
    run(out, words, a, b, g, p, x, n, k).expect(\"the guards hold\");
}
";
