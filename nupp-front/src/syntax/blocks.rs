//! Finds the `nupp! { ... }` blocks of a Rust file.

use std::ops::Range;

use super::atom::Atom;
use super::lex::{Dialect, lex};
use super::source::{Text, TokenKind};

/// What stands between the brackets of each `nupp! { ... }` of a Rust file.
pub fn nupp_blocks(text: &str) -> Vec<Range<usize>> {
    let whole = Text::new(text.to_owned(), (1, 1));
    let atoms = lex(&whole, 0..text.len(), Dialect::Rust).atoms;
    let mut blocks = Vec::new();
    let mut i = 0;
    while i + 2 < atoms.len() {
        let is_call = atoms[i].text == "nupp" && atoms[i + 1].text == "!";
        if is_call && atoms[i + 2].kind == TokenKind::Open {
            let close = matching_close(&atoms, i + 2);
            let from = end_offset(&whole, &atoms[i + 2]);
            let to = start_offset(&whole, &atoms[close]);
            blocks.extend(from.zip(to).map(|(from, to)| from..to));
            i = close;
        }
        i += 1;
    }
    blocks
}

fn matching_close(atoms: &[Atom], open: usize) -> usize {
    let mut depth = 0usize;
    for (i, atom) in atoms.iter().enumerate().skip(open) {
        match atom.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            TokenKind::Name
            | TokenKind::Number
            | TokenKind::Str
            | TokenKind::RustLiteral
            | TokenKind::Op
            | TokenKind::Doc
            | TokenKind::Skipped => {}
        }
        if depth == 0 {
            return i;
        }
    }
    atoms.len() - 1
}

fn end_offset(text: &Text, atom: &Atom) -> Option<usize> {
    atom.place
        .and_then(|p| text.offset(p.end_line, p.end_column))
}

fn start_offset(text: &Text, atom: &Atom) -> Option<usize> {
    atom.place.and_then(|p| text.offset(p.line, p.column))
}
