//! Generated map kernels: the direct evaluator of the typed tree against every executor.
//!
//! Kernels must go through the real macro and rustc, so this test writes a crate of them under the
//! target folder, builds it and runs it; the crate includes the harness of this folder. There,
//! each kernel's source text is parsed once more, evaluated directly, and its words are what every
//! executor must give. `NUPP_GENERATED_KERNELS` says how many, `NUPP_GENERATED_SEED` where to start.

use nupp_testkit::generate::map_kernel;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Kernels of one crate: more would keep one rustc busy for too long.
const BATCH: u64 = 250;

#[test]
fn generated_kernels_agree() {
    let count = number("NUPP_GENERATED_KERNELS", 500);
    let start = number("NUPP_GENERATED_SEED", 0);
    for first in (start..start + count).step_by(BATCH as usize) {
        let seeds = first..(start + count).min(first + BATCH);
        let folder = write_crate(seeds.clone());
        let status = Command::new(env!("CARGO"))
            .args(["run", "--offline", "--quiet", "--target-dir"])
            .arg(target_folder())
            .current_dir(&folder)
            .status()
            .expect("cargo starts");
        assert!(
            status.success(),
            "a kernel of the seeds {seeds:?} failed; they are in {}",
            folder.display()
        );
    }
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

/// The folder of this very build, so that the dependencies are there already.
pub fn target_folder() -> PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    temporary.parent().expect("the target folder").to_path_buf()
}

fn write_crate(seeds: std::ops::Range<u64>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    let root = env!("CARGO_MANIFEST_DIR");
    std::fs::create_dir_all(folder.join("src")).expect("a folder under the target folder");
    write_manifest(&folder, "nupp-generated");
    let mut main = format!(
        "#[path = \"{root}/tests/exec/harness.rs\"]\n#[allow(dead_code)]\nmod harness;\nuse harness::kernel;\n\
         #[path = \"{root}/tests/exec/generated/run.rs\"]\nmod run;\n\nfn main() {{\n    let mut failed = 0;\n"
    );
    let mut modules = String::new();
    for seed in seeds {
        let text = map_kernel(seed);
        let _ = writeln!(
            main,
            "    failed += run::one({seed}, k{seed}::TEXT, || kernel!(k{seed}::kernel: w f32, w u32, r f32, \
             r u32, r f32, r k{seed}::Pair, u f32, u u32, u i32));"
        );
        let _ = writeln!(
            modules,
            "mod k{seed} {{\n    pub const TEXT: &str = r#\"{text}\"#;\n    nupp::nupp! {{\n{text}    }}\n}}\n"
        );
    }
    main.push_str("    std::process::exit(i32::from(failed != 0));\n}\n\n");
    write_if_new(&folder.join("src/main.rs"), &(main + &modules));
    folder
}

/// The manifest and lock file of a crate of kernels.
pub fn write_manifest(folder: &Path, name: &str) {
    let root = env!("CARGO_MANIFEST_DIR");
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\nnupp = {{ path = '{root}' }}\n\
         nupp-core = {{ path = '{root}/nupp-core', features = [\"interpreters\", \"text\"] }}\n\
         nupp-front = {{ path = '{root}/nupp-front' }}\n\
         nupp-gpu = {{ path = '{root}/nupp-gpu' }}\nnupp-testkit = {{ path = '{root}/tests/kit' }}\n\
         bytemuck = \"1\"\n\n[workspace]\n\n\
         [profile.dev]\ndebug = \"line-tables-only\"\nincremental = false\n\n\
         [profile.dev.package.{name}]\nopt-level = 1\ndebug-assertions = false\n"
    );
    write_if_new(&folder.join("Cargo.toml"), &manifest);
    write_if_new(
        &folder.join("Cargo.lock"),
        &std::fs::read_to_string(format!("{root}/Cargo.lock")).expect("the lock file"),
    );
}

/// Writes only what changed, so that a repeated run builds nothing.
pub fn write_if_new(path: &Path, text: &str) {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    std::fs::write(path, text).expect("a file under the target folder");
}
