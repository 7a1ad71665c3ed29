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

/// Every lane that a push must pass.
pub fn test(tools: &Tools) -> Result<(), String> {
    run(&["cargo", "fmt", "--all", "--check"], &[])?;
    let lavapipe = driver(tools, &tools.lavapipe);
    let swiftshader = driver(tools, &tools.swiftshader);
    run(
        &[
            "cargo",
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
        &[],
    )?;
    run(&["cargo", "test", "--workspace"], &lavapipe)?;
    run(
        &["cargo", "test", "--package", "nupp", "--test", "exec"],
        &swiftshader,
    )?;
    run(&["cargo", "test", "--package", "nupp-gpu"], &swiftshader)?;
    run(
        &[
            "cargo",
            "test",
            "--release",
            "--package",
            "nupp",
            "--test",
            "exec",
        ],
        &lavapipe,
    )?;
    run(
        &["cargo", "run", "--release", "--example", "quickstart"],
        &lavapipe,
    )?;
    run(
        &["cargo", "run", "--release", "--example", "photo"],
        &lavapipe,
    )
}

/// The long lanes.
pub fn nightly(tools: &Tools) -> Result<(), String> {
    let mut env = driver(tools, &tools.lavapipe);
    env.push(("NUPP_GENERATED_KERNELS", "10000"));
    run(
        &[
            "cargo",
            "test",
            "--release",
            "--package",
            "nupp",
            "--test",
            "exec",
        ],
        &env,
    )
}
