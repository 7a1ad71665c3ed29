//! No printed kernel calls libm, in any width, with or without optimisation: the program of printed
//! kernels imports none of its functions. The imports are what `nm` lists, which stands beside the
//! linker that builds the program.

#![cfg(target_os = "linux")]

use std::hint::black_box;
use std::path::Path;
use std::process::Command;

const LIBM: &[&str] = &[
    "fmaf",
    "fma",
    "floorf",
    "ceilf",
    "truncf",
    "rintf",
    "roundf",
    "roundevenf",
    "nearbyintf",
    "sqrtf",
    "expf",
    "exp",
    "logf",
    "powf",
    "sinf",
    "cosf",
];

fn imports(program: &Path) -> Vec<&'static str> {
    let listed = Command::new("nm")
        .args(["-D", "--undefined-only"])
        .arg(program)
        .output();
    let listed = listed.expect("binutils are installed");
    assert!(listed.status.success(), "{listed:?}");
    let text = String::from_utf8_lossy(&listed.stdout);
    // A line is `U floorf@GLIBC_2.2.5`.
    let names = text
        .split_whitespace()
        .filter_map(|word| word.split('@').next());
    let names: Vec<&str> = names.collect();
    LIBM.iter()
        .copied()
        .filter(|name| names.contains(name))
        .collect()
}

#[test]
fn printed_kernels_call_no_libm() {
    let program = Path::new(env!("CARGO_BIN_EXE_no-libm"));
    let status = Command::new(program).status();
    assert!(status.expect("it starts").success());
    assert_eq!(imports(program), [""; 0]);
}

#[test]
fn an_import_would_be_found() {
    let call: fn(f32) -> f32 = f32::exp;
    assert!(black_box(call)(black_box(1.0)) > 2.0);
    let this = std::env::current_exe().expect("this program has a path");
    assert!(imports(&this).contains(&"expf"));
}
