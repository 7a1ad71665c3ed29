//! Crates of generated kernels: kernels must go through the real macro and rustc, so a test writes a
//! crate of them under the target folder, builds it and runs its programs.
//!
//! Each program includes the harness of this folder and says by its exit code whether a kernel
//! failed. A crate has several, so that rustc works on more than one at a time.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs of one crate.
const PROGRAMS: u64 = 4;

/// One kind of generated crate.
pub struct Crate {
    /// The name of its package.
    pub name: &'static str,
    /// The file of this folder that runs one kernel.
    pub run: &'static str,
    /// Kernels of one program; more would keep one rustc busy for too long.
    pub kernels: u64,
    /// The text of a kernel, called `kernel`.
    pub text: fn(u64) -> String,
    /// Its parameters, as the harness's `kernel!` takes them; `Pair` is the kernel's structure.
    pub parameters: &'static [&'static str],
}

impl Crate {
    /// Runs the kernels of so many seeds, and fails at the first crate in which one fails.
    pub fn agree(&self, seeds: std::ops::Range<u64>) {
        let batch = self.kernels * PROGRAMS;
        for first in seeds.clone().step_by(batch as usize) {
            let seeds = first..seeds.end.min(first + batch);
            let folder = self.write(seeds.clone());
            self.cargo(&folder, &["build"], &seeds);
            for program in programs(&seeds, self.kernels) {
                self.cargo(
                    &folder,
                    &["run", "--bin", &self.program(&program)],
                    &program,
                );
            }
        }
    }

    fn cargo(&self, folder: &Path, words: &[&str], seeds: &std::ops::Range<u64>) {
        let status = Command::new(env!("CARGO"))
            .args(words)
            .args(["--offline", "--quiet", "--target-dir"])
            .arg(target_folder())
            .current_dir(folder)
            .status()
            .expect("cargo starts");
        assert!(
            status.success(),
            "a kernel of the seeds {seeds:?} failed; they are in {}",
            folder.display()
        );
    }

    fn program(&self, seeds: &std::ops::Range<u64>) -> String {
        format!("{}-{}", self.name, seeds.start)
    }

    fn write(&self, seeds: std::ops::Range<u64>) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(self.name);
        let sources = folder.join("src/bin");
        std::fs::create_dir_all(&sources).expect("a folder under the target folder");
        self.write_manifest(&folder);
        let mut written = Vec::new();
        for program in programs(&seeds, self.kernels) {
            let file = sources.join(format!("{}.rs", self.program(&program)));
            write_if_new(&file, &self.source(program));
            written.push(file);
        }
        for entry in std::fs::read_dir(&sources).expect("the folder") {
            let file = entry.expect("its entry").path();
            if !written.contains(&file) {
                std::fs::remove_file(file).expect("a program of an earlier batch");
            }
        }
        folder
    }

    fn source(&self, seeds: std::ops::Range<u64>) -> String {
        let root = env!("CARGO_MANIFEST_DIR");
        let mut main = format!(
            "#[path = \"{root}/tests/exec/harness.rs\"]\n#[allow(dead_code)]\nmod harness;\nuse harness::kernel;\n\
             #[path = \"{root}/tests/exec/generated/{}\"]\nmod run;\n\nfn main() {{\n    let mut failed = 0;\n",
            self.run
        );
        let mut modules = String::new();
        for seed in seeds {
            let text = (self.text)(seed);
            let parameters = self.parameters.join(", ");
            let parameters = parameters.replace("Pair", &format!("k{seed}::Pair"));
            let _ = writeln!(
                main,
                "    failed += run::one({seed}, k{seed}::TEXT, || kernel!(k{seed}::kernel: {parameters}));"
            );
            let _ = writeln!(
                modules,
                "mod k{seed} {{\n    pub const TEXT: &str = r#\"{text}\"#;\n    nupp::nupp! {{\n{text}    }}\n}}\n"
            );
        }
        main.push_str("    std::process::exit(i32::from(failed != 0));\n}\n\n");
        main + &modules
    }

    /// The manifest and lock file. The interpreters are built as in the workspace, each program as one
    /// unit: more would be linked by their code, which takes as long again.
    fn write_manifest(&self, folder: &Path) {
        let root = env!("CARGO_MANIFEST_DIR");
        let name = self.name;
        let optimisation = super::number("NUPP_GENERATED_OPT", 1);
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [dependencies]\nnupp = {{ path = '{root}' }}\n\
             nupp-core = {{ path = '{root}/nupp-core', features = [\"interpreters\", \"text\"] }}\n\
             nupp-front = {{ path = '{root}/nupp-front' }}\n\
             nupp-gpu = {{ path = '{root}/nupp-gpu' }}\nnupp-testkit = {{ path = '{root}/tests/kit' }}\n\
             bytemuck = \"1\"\n\n[workspace]\n\n\
             [profile.dev]\ndebug = \"line-tables-only\"\nincremental = false\n\n\
             [profile.dev.package]\nnupp-core.opt-level = 1\nnupp-ir.opt-level = 1\n\
             [profile.dev.package.{name}]\nopt-level = {optimisation}\ncodegen-units = 1\ndebug-assertions = false\n"
        );
        write_if_new(&folder.join("Cargo.toml"), &manifest);
        write_if_new(
            &folder.join("Cargo.lock"),
            &std::fs::read_to_string(format!("{root}/Cargo.lock")).expect("the lock file"),
        );
    }
}

/// The seeds of each program.
fn programs(
    seeds: &std::ops::Range<u64>,
    kernels: u64,
) -> impl Iterator<Item = std::ops::Range<u64>> + use<> {
    let end = seeds.end;
    let starts = seeds.clone().step_by(kernels as usize);
    starts.map(move |first| first..end.min(first + kernels))
}

/// The folder of this very build, so that the dependencies are there already.
fn target_folder() -> PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    temporary.parent().expect("the target folder").to_path_buf()
}

/// Writes only what changed, so that a repeated run builds nothing.
fn write_if_new(path: &Path, text: &str) {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    std::fs::write(path, text).expect("a file under the target folder");
}
