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
    // Of the whole workspace, so that nothing is built again with fewer features.
    run(
        &words("cargo test --workspace --test exec --test anylen --test host"),
        &swiftshader,
    )?;
    let runtime = "allocations arithmetic costs emitted handles limits maps measures narrow native open \
         operations pipelines splits transfers views waiter";
    let runtime: String = runtime
        .split(' ')
        .map(|test| format!(" --test {test}"))
        .collect();
    run(
        &words(&format!("cargo test --workspace{runtime}")),
        &swiftshader,
    )?;
    // OpenGL has computed before a wait begins: tests that wait for a wait are not here.
    let opengl =
        "arithmetic emitted handles limits maps narrow open operations pipelines splits views";
    let opengl: String = opengl
        .split(' ')
        .map(|test| format!(" --test {test}"))
        .collect();
    let line = format!("cargo test -p nupp-gpu --features gles --lib{opengl}");
    let mut on_opengl = lavapipe.clone();
    on_opengl.push(("NUPP_DEVICE", "gl"));
    run(&words(&line), &on_opengl)?;
    // Generated kernels are built with optimisation of their own in the lanes above.
    let release = words("cargo test --release --package nupp --test exec -- --skip generated");
    run(&release, &lavapipe)?;
    // Functions take its compiler minutes, and are the same modules as in the lane above.
    run(&[release, words("--skip functions")].concat(), &swiftshader)?;
    run(
        &words("cargo run --release --example quickstart"),
        &lavapipe,
    )?;
    for example in ["photo", "quantized", "compaction", "transformer"] {
        let line = format!("cargo run --release --example {example}");
        run(&words(&line), &lavapipe)?;
    }
    Ok(())
}

/// Every operation on the device that is there.
pub fn conformance(arguments: &[&str]) -> Result<(), String> {
    let mut line = words("cargo run --release --package nupp-conformance --");
    line.extend(arguments);
    run(&line, &[])
}

/// The long lanes.
pub fn nightly(tools: &Tools) -> Result<(), String> {
    let mut env = driver(tools, &tools.lavapipe);
    env.push(("NUPP_GENERATED_KERNELS", "10000"));
    env.push(("NUPP_GENERATED_GROUPS", "5000"));
    env.push(("NUPP_GENERATED_GROUPS_MACRO", "500"));
    // The kernels of the lane above are optimised; here that would take as long as all else.
    env.push(("NUPP_GENERATED_OPT", "0"));
    run(&words("cargo test --package nupp --test exec"), &env)
}
