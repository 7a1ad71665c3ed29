//! The command line as a user meets it: exit codes, what goes to which stream, and the forms.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const GOOD: &str = "-- a kernel in a file
@aot(target = \"gpu\")
local function scale(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>, factor: float): nil
    assert(#output == #input, 'lengths differ')
    for index = 1, #output do
        output[index] = input[index] * factor
    end
end
";

const BAD: &str = "@aot(target = \"gpu\")
local function scale(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
    for index = 1, #output do
        output[index] = input[index]
    end
end
";

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a file under the target folder");
    path
}

fn nupp(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cargo-nupp"))
        .args(arguments)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn an_accepted_file() {
    let path = file("good.nupp", GOOD);
    let path = path.to_string_lossy();
    // With and without the word that cargo passes on.
    for given in [vec!["nupp", "check", &path], vec!["check", &path]] {
        let output = nupp(&given);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "1 kernel in 1 file accepted\n");
    }
}

#[test]
fn a_refused_file_names_the_place_and_what_to_write() {
    let path = file("bad.nupp", BAD);
    let path = path.to_string_lossy();
    let output = nupp(&["check", &path]);
    assert_eq!(output.status.code(), Some(1));
    let printed = text(&output.stderr);
    assert!(printed.starts_with("error[N04"), "{printed}");
    assert!(printed.contains(&format!("--> {path}:4:25")), "{printed}");
    assert!(printed.contains("assert(#input == #output)"), "{printed}");
    assert!(printed.ends_with("1 mistake in 1 file\n"), "{printed}");
    assert_eq!(nupp(&["aot", "--emit", "ir", &path]).status.code(), Some(1));
}

#[test]
fn kernels_in_a_rust_file_stand_on_their_own_lines() {
    let path = file(
        "block.rs",
        &format!("fn main() {{}}\n\nnupp::nupp! {{\n{BAD}}}\n"),
    );
    let output = nupp(&["check", &path.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(1));
    let printed = text(&output.stderr);
    assert!(printed.contains("block.rs:7:25"), "{printed}");
}

#[test]
fn every_form_is_printed() {
    let path = file("forms.nupp", GOOD);
    let path = path.to_string_lossy();
    let expected = [
        ("ir", "map"),
        ("spirv-asm", "OpEntryPoint GLCompute"),
        ("wgsl", "@compute"),
        (
            "rust",
            "fn scale(output: &mut [f32], input: &[f32], factor: f32)",
        ),
        (
            "report",
            "f32.mul: the device's instruction, its result opaque",
        ),
    ];
    for (form, part) in expected {
        let output = nupp(&["aot", "--emit", form, &path]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{form}: {}",
            text(&output.stderr)
        );
        assert!(
            text(&output.stdout).contains(part),
            "{form}: {}",
            text(&output.stdout)
        );
    }
    let soft = nupp(&["aot", "--emit", "report", "--profile", "integer", &path]);
    assert!(
        text(&soft.stdout).contains("f32.mul: software, in integers"),
        "{}",
        text(&soft.stdout)
    );
}

#[test]
fn words_go_to_a_file() {
    let path = file("words.nupp", GOOD);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("words.spv");
    let output = nupp(&[
        "aot",
        "--emit",
        "spirv",
        &path.to_string_lossy(),
        "--kernel",
        "scale",
        "-o",
        &out.to_string_lossy(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
    let bytes = std::fs::read(out).expect("the module");
    assert_eq!(bytes[..4], 0x0723_0203_u32.to_le_bytes());
}

#[test]
fn wrong_usage_and_files_that_are_not_there() {
    let good = file("usage.nupp", GOOD);
    let good = good.to_string_lossy();
    let two = file(
        "two.nupp",
        &format!("{GOOD}{}", GOOD.replace("scale", "other")),
    );
    let two = two.to_string_lossy();
    let cases: [(&[&str], &str); 7] = [
        (&["check"], "FILE"),
        (&["frobnicate"], "frobnicate"),
        (&["check", "missing.nupp"], "missing.nupp"),
        (&["check", "Cargo.toml"], "neither"),
        (&["aot", "--emit", "metal", &good], "metal"),
        (
            &["aot", "--emit", "ir", &good, "--kernel", "scal"],
            "there is no kernel `scal`; there is `scale`",
        ),
        (&["aot", "--emit", "spirv", &two], "--kernel"),
    ];
    for (arguments, part) in cases {
        let output = nupp(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            text(&output.stderr).contains(part),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
    }
    assert_eq!(nupp(&["--help"]).status.code(), Some(0));
}

#[test]
fn a_file_without_a_block_is_named() {
    let path = file("plain.rs", "fn main() {}\n");
    let path = path.to_string_lossy();
    let output = nupp(&["check", &path]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        text(&output.stderr),
        format!("note: `{path}` has no `nupp!` block\n")
    );
    assert_eq!(text(&output.stdout), "0 kernels in 1 file accepted\n");
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_is_no_fault() {
    // More than a pipe holds, so that the program meets the closed end.
    let many: String = (0..400)
        .map(|n| GOOD.replace("scale", &format!("scale{n}")))
        .collect();
    let path = file("many.nupp", &many);
    let mut child = Command::new(env!("CARGO_BIN_EXE_cargo-nupp"))
        .args(["aot", "--emit", "ir", &path.to_string_lossy()])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
