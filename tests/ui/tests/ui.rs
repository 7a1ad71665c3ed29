//! What rustc says of wrong kernels, word for word. The compiler is pinned by
//! `rust-toolchain.toml`; after a change of a message, `TRYBUILD=overwrite cargo test -p nupp-ui`
//! writes the new texts, to be read before they are committed.

use std::fs;
use std::path::PathBuf;

use nupp_front::diag::Code;

#[test]
fn refusals() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("cases/*.rs");
}

/// `N0599` alone has no case: what gives it is mended.
#[test]
fn every_code_has_a_case() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut said = String::new();
    for entry in fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("a case").path();
        if path.extension().is_some_and(|ending| ending == "stderr") {
            said += &fs::read_to_string(path).expect("a case's text");
        }
    }
    let missing = Code::ALL
        .iter()
        .filter(|code| **code != Code::Fault && !said.contains(&format!("[{}]", code.text())));
    let missing: Vec<&str> = missing.map(|code| code.text()).collect();
    assert!(missing.is_empty(), "no case gives {missing:?}");
    assert!(!said.contains("[N0599]"), "a case shows a fault");
}
