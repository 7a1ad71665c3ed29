//! Atoms: what tokens are glued from.
//!
//! Both ways in, a macro's token trees and text, end in the same flat list of atoms: names,
//! literals, single characters of punctuation that know whether the next one touches them, and
//! delimiters. `glue` joins punctuation to operators and `#[doc = ".."]` to doc tokens. Nothing
//! here recurses, so nesting in the input cannot overflow the stack.

use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree, token_stream};

use super::literal;
use super::source::{Place, Token, TokenKind};
use crate::span::SrcSpan;

/// One atom; a punctuation atom is one character.
#[derive(Clone, Debug)]
pub struct Atom {
    pub kind: TokenKind,
    pub text: String,
    /// Punctuation: the next atom is punctuation too and touches it.
    pub joint: bool,
    pub span: Option<Span>,
    pub place: Option<Place>,
}

/// Tokens with the numbers of their first and last atom.
pub struct Glued {
    pub tokens: Vec<(Token, usize, usize)>,
    /// The token of each atom.
    token_of: Vec<u32>,
}

impl Glued {
    /// A place in atoms as a place in tokens.
    pub fn renumber(&self, at: SrcSpan) -> SrcSpan {
        let token = |atom: u32| self.token_of.get(atom as usize).copied().unwrap_or(0);
        SrcSpan {
            first: token(at.first),
            last: token(at.last),
        }
    }
}

/// All atoms of a stream, groups opened up; invisible groups leave no trace.
pub fn flatten(stream: TokenStream) -> Vec<Atom> {
    let mut atoms = Vec::new();
    let mut open: Vec<(token_stream::IntoIter, Option<(&'static str, Span)>)> =
        vec![(stream.into_iter(), None)];
    while let Some((trees, close)) = open.last_mut() {
        let Some(tree) = trees.next() else {
            if let Some((text, span)) = *close {
                atoms.push(atom(TokenKind::Close, text.to_owned(), span));
            }
            open.pop();
            continue;
        };
        match tree {
            TokenTree::Ident(name) => {
                atoms.push(atom(TokenKind::Name, name.to_string(), name.span()));
            }
            TokenTree::Punct(punct) => {
                let mut op = atom(TokenKind::Op, punct.as_char().to_string(), punct.span());
                op.joint = punct.spacing() == Spacing::Joint;
                atoms.push(op);
            }
            TokenTree::Literal(lit) => push_literal(&mut atoms, lit.to_string(), lit.span()),
            TokenTree::Group(group) => {
                let delims = delimiters(&group);
                if let Some((text, _)) = delims {
                    let span = group.span_open();
                    atoms.push(atom(TokenKind::Open, text.to_owned(), span));
                }
                let close = delims.map(|(_, text)| (text, group.span_close()));
                open.push((group.stream().into_iter(), close));
            }
        }
    }
    atoms
}

fn atom(kind: TokenKind, text: String, span: Span) -> Atom {
    Atom {
        kind,
        text,
        joint: false,
        span: Some(span),
        place: None,
    }
}

/// A macro that builds tokens can make a negative literal, which no text can.
fn push_literal(atoms: &mut Vec<Atom>, text: String, span: Span) {
    let text = match text.strip_prefix('-') {
        Some(rest) => {
            atoms.push(atom(TokenKind::Op, "-".to_owned(), span));
            rest.to_owned()
        }
        None => text,
    };
    atoms.push(atom(literal::kind_of(&text), text, span));
}

fn delimiters(group: &Group) -> Option<(&'static str, &'static str)> {
    match group.delimiter() {
        Delimiter::Parenthesis => Some(("(", ")")),
        Delimiter::Bracket => Some(("[", "]")),
        Delimiter::Brace => Some(("{", "}")),
        Delimiter::None => None,
    }
}

/// Whether atom `i` and the next are `--`.
pub fn starts_dash_comment(atoms: &[Atom], i: usize) -> bool {
    is_op(atoms, i, "-") && atoms[i].joint && is_op(atoms, i + 1, "-")
}

/// Whether a `--` stands anywhere.
pub fn has_dash_comment(atoms: &[Atom]) -> bool {
    (0..atoms.len()).any(|i| starts_dash_comment(atoms, i))
}

/// Whether two minus signs follow one another, touching or not.
pub fn has_two_minus_signs(atoms: &[Atom]) -> bool {
    (0..atoms.len()).any(|i| is_op(atoms, i, "-") && is_op(atoms, i + 1, "-"))
}

/// Marks minus signs that touch as joint: in the body of a `macro_rules!` macro, rustc forgets
/// that they do.
pub fn join_minus_signs(atoms: &mut [Atom]) {
    for i in 0..atoms.len() {
        if !is_op(atoms, i, "-") || !is_op(atoms, i + 1, "-") {
            continue;
        }
        if let (Some(a), Some(b)) = (atoms[i].place, atoms[i + 1].place) {
            let touch = (a.end_line, a.end_column) == (b.line, b.column);
            atoms[i].joint |= touch && a != b;
        }
    }
}

/// Whether atom `i` is this character of punctuation.
pub fn is_op(atoms: &[Atom], i: usize, text: &str) -> bool {
    is(atoms, i, TokenKind::Op, text)
}

fn is(atoms: &[Atom], i: usize, kind: TokenKind, text: &str) -> bool {
    atoms
        .get(i)
        .is_some_and(|a| a.kind == kind && a.text == text)
}

/// Operators of more than one character, foreign ones included: they are refused by name. The
/// longest comes first.
const JOINED: [&str; 28] = [
    "...", "<<=", ">>=", "..=", "==", "~=", "<=", ">=", "<<", ">>", "..", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "^=", "&=", "|=", "->", "=>", "::", "--", "++", "**",
];

/// Joins atoms to tokens; the atoms lose their text.
pub fn glue(atoms: &mut [Atom]) -> Glued {
    let mut tokens = Vec::with_capacity(atoms.len());
    let mut token_of = vec![0; atoms.len()];
    let mut i = 0;
    while i < atoms.len() {
        let joined = match atoms[i].kind {
            TokenKind::Op => doc_attribute(atoms, i).or_else(|| operator(atoms, i)),
            _ => None,
        };
        let (token, length) = joined.unwrap_or_else(|| {
            let kind = atoms[i].kind;
            let text = std::mem::take(&mut atoms[i].text);
            (Token { kind, text }, 1)
        });
        token_of[i..i + length].fill(tokens.len() as u32);
        tokens.push((token, i, i + length - 1));
        i += length;
    }
    Glued { tokens, token_of }
}

fn operator(atoms: &[Atom], i: usize) -> Option<(Token, usize)> {
    if !atoms[i].joint {
        return None;
    }
    let mut ahead = String::new();
    for atom in atoms[i..].iter().take(3) {
        if atom.kind != TokenKind::Op {
            break;
        }
        ahead.push_str(&atom.text);
        if !atom.joint {
            break;
        }
    }
    let text = JOINED.iter().find(|text| ahead.starts_with(**text))?;
    let token = Token {
        kind: TokenKind::Op,
        text: (*text).to_owned(),
    };
    Some((token, text.len()))
}

/// `#[doc = ".."]` and `#![doc = ".."]`, which is how doc comments arrive in a macro.
fn doc_attribute(atoms: &[Atom], start: usize) -> Option<(Token, usize)> {
    if !is_op(atoms, start, "#") {
        return None;
    }
    let bang = usize::from(is_op(atoms, start + 1, "!"));
    let i = start + 1 + bang;
    let shape = is(atoms, i, TokenKind::Open, "[")
        && is(atoms, i + 1, TokenKind::Name, "doc")
        && is_op(atoms, i + 2, "=")
        && is(atoms, i + 4, TokenKind::Close, "]");
    let text = atoms.get(i + 3).filter(|a| a.kind == TokenKind::Str)?;
    if !shape {
        return None;
    }
    let token = Token {
        kind: TokenKind::Doc,
        text: literal::unescape(&text.text).ok()?,
    };
    Some((token, i + 5 - start))
}
