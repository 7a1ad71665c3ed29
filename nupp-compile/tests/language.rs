//! `docs/language.md` shows kernels that the compiler takes.
//!
//! Each block marked `lua` is accepted; one marked with a code as well gives that code and no other.

use nupp_compile::driver;
use nupp_front::diag::render;
use nupp_front::syntax::Source;

const PAGE: &str = include_str!("../../docs/language.md");

/// The blocks of the page: the code that each gives, if any, and its text.
fn blocks() -> Vec<(Option<&'static str>, String)> {
    let mut found = Vec::new();
    let mut open = None;
    for line in PAGE.lines() {
        if line == "```" {
            found.extend(open.take());
        } else if let Some(mark) = line.strip_prefix("```") {
            let code = mark.strip_prefix("lua").expect("every block is a kernel");
            open = Some((Some(code.trim()).filter(|c| !c.is_empty()), String::new()));
        } else if let Some((_, text)) = &mut open {
            text.push_str(line);
            text.push('\n');
        }
    }
    found
}

#[test]
fn kernels_are_what_the_page_says() {
    let blocks = blocks();
    assert!(blocks.len() >= 7);
    let mut failures = String::new();
    for (wanted, kernel) in blocks {
        let text = format!("nupp! {{\n{kernel}}}\n");
        let found = Source::blocks_of_rust(&text);
        assert_eq!(found.len(), 1, "{text}");
        let refused = driver::compile(&found[0]).err().unwrap_or_default();
        let right = match wanted {
            None => refused.is_empty(),
            Some(code) => !refused.is_empty() && refused.iter().all(|d| d.code.text() == code),
        };
        if !right {
            let shown: String = refused
                .iter()
                .map(|d| render::render(d, &found[0], "page"))
                .collect();
            failures += &format!("wanted {wanted:?} of:\n{kernel}\n{shown}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
