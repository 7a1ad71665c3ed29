//! The lanes of the test command, in the order in which a failure is cheapest to find.

use crate::install::Tools;
use crate::step::run;

fn driver<'a>(tools: &'a Tools, manifest: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("VK_DRIVER_FILES", manifest),
        ("VK_ICD_FILENAMES", manifest),
        ("NUPP_REQUIRE_GPU", "1"),
        ("NUPP_REQUIRE_VALIDATORS", "1"),
        ("NUPP_REQUIRE_TINT", "1"),
        ("NUPP_TINT", &tools.tint),
    ]
}

/// A command line as its words.
fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Every lane that a push must pass.
pub fn test(tools: &Tools) -> Result<(), String> {
    run(&words("cargo fmt --all --check"), &[])?;
    run(
        &words("cargo clippy --workspace --all-targets -- -D warnings"),
        &[],
    )?;
    let lavapipe = driver(tools, &tools.lavapipe);
    run(&words("cargo test --workspace"), &lavapipe)?;
    let mut swiftshader = driver(tools, &tools.swiftshader);
    swiftshader.push(("NUPP_GENERATED_KERNELS", "100"));
    swiftshader.push(("NUPP_GENERATED_GROUPS", "100"));
    swiftshader.push(("NUPP_GENERATED_GROUPS_MACRO", "10"));
    run(
        &words("cargo test --package nupp --test exec --test anylen"),
        &swiftshader,
    )?;
    run(&words("cargo test --package nupp-gpu"), &swiftshader)?;
    // Generated kernels are built with optimisation of their own in the lane above.
    run(
        &words("cargo test --release --package nupp --test exec -- --skip generated"),
        &lavapipe,
    )?;
    run(
        &words("cargo run --release --example quickstart"),
        &lavapipe,
    )?;
    run(&words("cargo run --release --example photo"), &lavapipe)
}

/// The long lanes.
pub fn nightly(tools: &Tools) -> Result<(), String> {
    let mut env = driver(tools, &tools.lavapipe);
    env.push(("NUPP_GENERATED_KERNELS", "10000"));
    env.push(("NUPP_GENERATED_GROUPS", "5000"));
    env.push(("NUPP_GENERATED_GROUPS_MACRO", "1000"));
    run(&words("cargo test --package nupp --test exec"), &env)
}
