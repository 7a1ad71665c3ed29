//! Judges of emitted modules, for the tests of several crates.
//!
//! They are naga's readers and validator (the route of every portable module), what naga writes
//! again, for backends of text too, `spirv-val`, and Tint. This crate knows words and text alone, no crate of the project.
//!
//! `NUPP_REQUIRE_VALIDATORS=1` turns a missing `spirv-val`, and `NUPP_REQUIRE_TINT=1` a missing
//! Tint, into a failure; without them the check says that it was skipped. `NUPP_TINT` is the
//! command that checks a WGSL file, `tint` where it is not set.

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

mod text;

/// Checks SPIR-V words with `spirv-val` for Vulkan 1.1, with naga, and what naga makes of them: SPIR-V, and
/// for backends of text GLSL, HLSL and MSL whose brackets do not nest too deeply.
///
/// # Panics
/// If any of them refuses the module; `what` names it in the message.
pub fn assert_spirv(what: &str, words: &[u32]) {
    check_spirv(words).unwrap_or_else(|fault| panic!("{what}: {fault}"));
}

/// Checks SPIR-V words that go to the driver as they are: with `spirv-val` for Vulkan 1.1 alone, since
/// naga refuses what only such modules may declare.
///
/// # Panics
/// If it refuses the module; `what` names it in the message.
pub fn assert_native_spirv(what: &str, words: &[u32]) {
    spirv_val(words).unwrap_or_else(|fault| panic!("{what}: {fault}"));
}

/// Checks WGSL text with naga, what naga makes of it with `spirv-val`, and the text with Tint.
///
/// # Panics
/// If any of them refuses the module; `what` names it in the message, and the text follows.
pub fn assert_wgsl(what: &str, text: &str) {
    check_wgsl(text).unwrap_or_else(|fault| panic!("{what}: {fault}\n{text}"));
}

/// What `assert_spirv` asks of a module.
fn check_spirv(words: &[u32]) -> Result<(), String> {
    spirv_val(words)?;
    let module = naga_from_spirv(words).map_err(|fault| format!("naga refuses it: {fault}"))?;
    let info = naga_validate(&module).map_err(|fault| format!("naga refuses it: {fault}"))?;
    text::check(&module, &info)?;
    let again = naga_write(&module, &info).map_err(|fault| format!("naga refuses it: {fault}"))?;
    spirv_val(&again).map_err(|fault| format!("through naga: {fault}"))
}

/// What `assert_wgsl` asks of a module.
fn check_wgsl(text: &str) -> Result<(), String> {
    let again = wgsl_to_spirv(text)?;
    spirv_val(&again).map_err(|fault| format!("through naga: {fault}"))?;
    tint(text)
}

/// Reads WGSL with naga and writes it as SPIR-V, unchecked, as a trusted module is.
///
/// # Errors
/// What naga says against the text.
pub fn wgsl_to_spirv(text: &str) -> Result<Vec<u32>, String> {
    let module = naga::front::wgsl::parse_str(text)
        .map_err(|fault| format!("naga refuses the WGSL: {}", fault.emit_to_string(text)))?;
    naga_to_spirv(&module)
}

/// Reads SPIR-V words with naga.
///
/// # Errors
/// What naga says against them.
pub fn naga_from_spirv(words: &[u32]) -> Result<naga::Module, String> {
    let options = naga::front::spv::Options::default();
    naga::front::spv::Frontend::new(words.iter().copied(), &options)
        .parse()
        .map_err(|fault| format!("{fault}"))
}

fn naga_validate(module: &naga::Module) -> Result<ModuleInfo, String> {
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(module)
        .map_err(|fault| format!("naga's validator: {:?}", fault.as_inner()))
}

fn naga_to_spirv(module: &naga::Module) -> Result<Vec<u32>, String> {
    naga_write(module, &naga_validate(module)?)
}

fn naga_write(module: &naga::Module, info: &ModuleInfo) -> Result<Vec<u32>, String> {
    let unchecked = naga::proc::BoundsCheckPolicy::Unchecked;
    let options = naga::back::spv::Options {
        bounds_check_policies: naga::proc::BoundsCheckPolicies {
            index: unchecked,
            buffer: unchecked,
            image_load: unchecked,
            binding_array: unchecked,
        },
        force_loop_bounding: false,
        zero_initialize_workgroup_memory: naga::back::spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..Default::default()
    };
    naga::back::spv::write_vec(module, info, &options, None)
        .map_err(|fault| format!("naga's writer: {fault}"))
}

/// Runs `spirv-val` over words.
fn spirv_val(words: &[u32]) -> Result<(), String> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut command = Command::new("spirv-val");
    command.args(["--target-env", "vulkan1.1"]);
    judge(command, &bytes, "spv", "NUPP_REQUIRE_VALIDATORS")
}

/// Runs Tint over text.
fn tint(text: &str) -> Result<(), String> {
    let setting = std::env::var("NUPP_TINT").unwrap_or_default();
    let mut parts = setting.split_whitespace();
    let mut command = Command::new(parts.next().unwrap_or("tint"));
    // Every build of Tint has this format; the runner for Dawn looks at the file alone.
    command.args(parts).args(["--format", "wgsl"]);
    judge(command, text.as_bytes(), "wgsl", "NUPP_REQUIRE_TINT")
}

/// Writes the module to a file and runs a judge over it.
fn judge(
    mut command: Command,
    content: &[u8],
    extension: &str,
    required: &str,
) -> Result<(), String> {
    let file = Scrap::new(content, extension)?;
    let name = command.get_program().to_string_lossy().into_owned();
    let output = match command.arg(&file.0).stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(fault) if fault.kind() == ErrorKind::NotFound => {
            if std::env::var(required).is_ok_and(|value| value == "1") {
                return Err(format!(
                    "`{name}` is required by {required} and is not there"
                ));
            }
            eprintln!("skipped: `{name}` is not there to check a module");
            return Ok(());
        }
        Err(fault) => return Err(format!("`{name}` does not run: {fault}")),
    };
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "`{name}` refuses it\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    ))
}

/// A file that is removed when it is done with.
struct Scrap(PathBuf);

impl Scrap {
    fn new(content: &[u8], extension: &str) -> Result<Scrap, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "nupp-module-{}-{}.{extension}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        write(&path, content)
            .map_err(|fault| format!("{} cannot be written: {fault}", path.display()))?;
        Ok(Scrap(path))
    }
}

fn write(path: &Path, content: &[u8]) -> std::io::Result<()> {
    std::fs::File::create(path)?.write_all(content)
}

impl Drop for Scrap {
    fn drop(&mut self) {
        // A file left behind in the temporary folder does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_module_passes() {
        let text = "@compute @workgroup_size(1) fn main() {}";
        assert_eq!(check_wgsl(text), Ok(()));
        let words = wgsl_to_spirv(text).expect("naga writes it");
        assert_eq!(check_spirv(&words), Ok(()));
    }

    #[test]
    fn a_wrong_text_fails() {
        let fault = check_wgsl("fn main( {}").expect_err("it is no WGSL");
        assert!(fault.starts_with("naga refuses the WGSL: "), "{fault}");
    }

    #[test]
    fn wrong_words_fail() {
        // A header alone, without the memory model that every module says.
        let words = [0x0723_0203, 0x0001_0300, 0, 1, 0];
        let fault = check_spirv(&words).expect_err("it is no module");
        let judges = ["`spirv-val` refuses it", "naga refuses it: "];
        let known = judges.iter().any(|judge| fault.starts_with(judge));
        assert!(known, "{fault}");
    }

    #[test]
    fn a_mode_without_its_capability_fails() {
        if Command::new("spirv-val").arg("--version").output().is_err() {
            eprintln!("skipped: `spirv-val` is not there");
            return;
        }
        let text = "@compute @workgroup_size(1) fn main() {}";
        let mut words = wgsl_to_spirv(text).expect("naga writes it");
        let mut at = 5;
        // Behind the first execution mode: RoundingModeRTE 32 for the same entry point.
        while words[at] & 0xffff != 16 {
            at += (words[at] >> 16) as usize;
        }
        let mode = [4 << 16 | 16, words[at + 1], 4462, 32];
        let behind = at + (words[at] >> 16) as usize;
        words.splice(behind..behind, mode);
        let fault = spirv_val(&words).expect_err("the capability is missing");
        assert!(fault.contains("RoundingModeRTE"), "{fault}");
    }

    #[test]
    fn a_barrier_under_a_lane_condition_fails() {
        let text = "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lane: u32) \
                    { if (lane == 0u) { workgroupBarrier(); } }";
        wgsl_to_spirv(text).expect("naga does not look at uniformity");
        let installed = Command::new("tint").arg("--help").output().is_ok();
        if !installed && std::env::var_os("NUPP_TINT").is_none() {
            eprintln!("skipped: `tint` is not there");
            return;
        }
        let fault = check_wgsl(text).expect_err("not all lanes reach the barrier");
        assert!(fault.contains("uniform control flow"), "{fault}");
    }
}
