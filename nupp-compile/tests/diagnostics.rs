//! `docs/diagnostics.md` says what the compiler does.
//!
//! Each code has an entry under its own title; each wrong kernel of the page gives that code and no
//! other; each right kernel is accepted. Only `N0599` has no kernel: what gives it is mended.

use nupp_compile::driver;
use nupp_front::diag::{Code, render};
use nupp_front::syntax::Source;

const PAGE: &str = include_str!("../../docs/diagnostics.md");

/// One entry of the page.
struct Entry<'a> {
    heading: &'a str,
    kernels: Vec<(&'a str, String)>,
}

fn entries() -> Vec<Entry<'static>> {
    let mut found: Vec<Entry<'static>> = Vec::new();
    let mut open = false;
    for line in PAGE.lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            let kernels = Vec::new();
            found.push(Entry { heading, kernels });
        } else if let (false, Some(kind)) = (open, line.strip_prefix("```")) {
            let entry = found.last_mut().expect("a kernel stands under a heading");
            entry.kernels.push((kind, String::new()));
            open = true;
        } else if line == "```" {
            open = false;
        } else if open {
            let entry = found.last_mut().expect("a kernel is open");
            let (_, text) = entry.kernels.last_mut().expect("a kernel is open");
            text.push_str(line);
            text.push('\n');
        }
    }
    found
}

/// The codes that a kernel gives, and the messages for whoever reads a failure.
fn compiled(kernel: &str) -> (Vec<Code>, String) {
    let text = format!("nupp! {{\n{kernel}}}\n");
    let blocks = Source::blocks_of_rust(&text);
    assert_eq!(blocks.len(), 1, "{text}");
    match driver::compile(&blocks[0]) {
        Ok(_) => (Vec::new(), "accepted".to_owned()),
        Err(found) => {
            let shown = found.iter().map(|d| render::render(d, &blocks[0], "page"));
            let shown = shown.collect();
            (found.iter().map(|d| d.code).collect(), shown)
        }
    }
}

#[test]
fn every_code_has_an_entry_under_its_title() {
    let entries = entries();
    let have: Vec<&str> = entries.iter().map(|entry| entry.heading).collect();
    let titles = Code::ALL
        .iter()
        .map(|c| format!("{}: {}", c.text(), c.title()));
    assert_eq!(have, titles.collect::<Vec<_>>());
}

#[test]
fn wrong_kernels_are_refused_and_right_ones_accepted() {
    let mut failures = String::new();
    for (entry, code) in entries().iter().zip(Code::ALL) {
        let kinds: Vec<&str> = entry.kernels.iter().map(|(kind, _)| *kind).collect();
        if *code == Code::Fault {
            assert!(kinds.is_empty(), "no kernel gives {}", code.text());
            continue;
        }
        assert_eq!(kinds, ["nupp wrong", "nupp right"], "{}", entry.heading);
        let (codes, shown) = compiled(&entry.kernels[0].1);
        if codes.is_empty() || codes.iter().any(|found| found != code) {
            failures += &format!("the wrong kernel of {}: {shown}\n", entry.heading);
        }
        let (codes, shown) = compiled(&entry.kernels[1].1);
        if !codes.is_empty() {
            failures += &format!("the right kernel of {}: {shown}\n", entry.heading);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
