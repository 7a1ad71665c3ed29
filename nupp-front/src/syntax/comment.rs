//! The rules for comments that Rust's lexer does not know.
//!
//! `--` starts a comment in Lua, but rustc hands its words over as tokens: those up to the end of
//! the line are skipped, and a comment that would swallow half of something is refused. `//` is a
//! comment to Rust and a division to Lua: where what follows an operand reads like a divisor, it
//! is refused rather than silently dropped.

use super::atom::{Atom, is_op, starts_dash_comment};
use super::lex::SlashComment;
use super::source::{Place, Token, TokenKind};
use crate::diag::{Code, Diagnostic};
use crate::span::SrcSpan;

/// Whether the places tell lines apart: all known, and not one and the same for every token.
pub fn lines_reliable(atoms: &[Atom]) -> bool {
    let mut places = atoms.iter().map(|a| a.place);
    let Some(Some(first)) = places.next() else {
        return false;
    };
    let mut moved = false;
    for place in places {
        match place {
            Some(place) if place.line > 0 => moved |= place != first,
            _ => return false,
        }
    }
    moved
}

/// Turns the atoms of `--` comments into skipped ones. Diagnostics come with the numbers of atoms.
pub fn skip_dash_comments(atoms: &mut [Atom]) -> Vec<Diagnostic> {
    let partners = partners(atoms);
    let mut problems = Vec::new();
    let mut i = 0;
    while i < atoms.len() {
        if !starts_dash_comment(atoms, i) {
            i += 1;
            continue;
        }
        let end = long_comment(atoms, &partners, i)
            .unwrap_or_else(|| line_comment(atoms, &partners, i, &mut problems));
        for atom in &mut atoms[i..end] {
            atom.kind = TokenKind::Skipped;
        }
        i = end;
    }
    problems
}

/// For each delimiter the number of the one it belongs to.
fn partners(atoms: &[Atom]) -> Vec<usize> {
    let mut partners = vec![usize::MAX; atoms.len()];
    let mut open = Vec::new();
    for (i, atom) in atoms.iter().enumerate() {
        if atom.kind == TokenKind::Open {
            open.push(i);
        } else if atom.kind == TokenKind::Close
            && let Some(partner) = open.pop()
        {
            partners[partner] = i;
            partners[i] = partner;
        }
    }
    partners
}

/// `--[[ ... ]]`, `--[==[ ... ]==]`: the end of the comment.
fn long_comment(atoms: &[Atom], partners: &[usize], start: usize) -> Option<usize> {
    let touches = |i: usize| {
        let (a, b) = (atoms.get(i)?.place?, atoms.get(i + 1)?.place?);
        (a.end_line == b.line && a.end_column == b.column).then_some(())
    };
    let outer = start + 2;
    touches(start + 1)?;
    if atoms.get(outer)?.text != "[" {
        return None;
    }
    let mut inner = outer + 1;
    while is_op(atoms, inner, "=") {
        inner += 1;
    }
    for i in outer..inner {
        touches(i)?;
    }
    if atoms.get(inner)?.text != "[" {
        return None;
    }
    let (close, level) = (partners[outer], inner - outer - 1);
    let ends = (1..=level).all(|k| is_op(atoms, close - k, "="));
    (ends && partners[inner] + level + 1 == close).then_some(close + 1)
}

/// `-- ...`: the end of the comment, which is the end of its line.
fn line_comment(
    atoms: &[Atom],
    partners: &[usize],
    start: usize,
    problems: &mut Vec<Diagnostic>,
) -> usize {
    let line = |i: usize| atoms[i].place.map(|p| (p.line, p.end_line));
    let this = line(start).map(|(line, _)| line);
    let mut end = start + 2;
    while end < atoms.len() && line(end).map(|(line, _)| line) == this {
        end += 1;
    }
    let taken = (start + 2..end).find(|&i| {
        let partner = partners[i];
        let leaves = matches!(atoms[i].kind, TokenKind::Open | TokenKind::Close)
            && !(start..end).contains(&partner);
        leaves || line(i).map(|(_, last)| last) != this
    });
    if let Some(taken) = taken {
        let at = SrcSpan {
            first: start as u32,
            last: taken as u32,
        };
        let what = match atoms[taken].kind {
            TokenKind::Open | TokenKind::Close => atoms[taken].text.as_str(),
            _ => "a string",
        };
        problems.push(
            Diagnostic::new(
                Code::DashComment,
                at,
                format!("this `--` comment takes code with it: `{what}` has its other end on another line"),
            )
            .help("write the comment with `//`"),
        );
    }
    end
}

/// `//` comments right after an operand whose text reads like a divisor.
pub fn slash_divisions(
    tokens: &[Token],
    places: &[Option<Place>],
    comments: &[SlashComment],
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut next = 0;
    for comment in comments {
        let stands =
            |p: &Option<Place>| p.is_some_and(|p| (p.end_line, p.end_column) == comment.after);
        let Some(k) = places[next..].iter().position(stands) else {
            continue;
        };
        next += k;
        let token = &tokens[next];
        if !ends_operand(token) || !reads_like_divisor(&comment.text, &tokens[..next]) {
            continue;
        }
        let left = operand_text(tokens, next);
        let left = left.as_str();
        let at = SrcSpan {
            first: next as u32,
            last: next as u32,
        };
        let text = &comment.text;
        let float = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_digit()) && text.contains('.')
                || text.starts_with("f32.")
        };
        let is_float = float(left) || float(&comment.text);
        let division = if is_float {
            format!("{left} / {}", comment.text)
        } else {
            format!("u32.div({left}, {})", comment.text)
        };
        found.push(
            Diagnostic::new(
                Code::SlashDivision,
                at,
                format!("`// {text}` after this operand is a comment, not a division"),
            )
            .help(format!(
                "write `{division}`, or start the comment with a word"
            )),
        );
    }
    found
}

/// The operand that ends at a token: a number, or names, points and groups in a row.
fn operand_text(tokens: &[Token], last: usize) -> String {
    let (mut first, mut depth) = (last, 0usize);
    for at in (0..=last).rev() {
        let token = &tokens[at];
        let joins = match token.kind {
            TokenKind::Close => {
                depth += 1;
                true
            }
            TokenKind::Open => {
                depth = depth.saturating_sub(1);
                true
            }
            TokenKind::Name => {
                depth > 0
                    || !super::parse::is_keyword(&token.text) && !tokens_touch(tokens, at, first)
            }
            TokenKind::Number => depth > 0 || at == last,
            _ => depth > 0 || token.text == ".",
        };
        if !joins {
            break;
        }
        first = at;
    }
    tokens[first..=last]
        .iter()
        .filter(|token| token.kind != TokenKind::Skipped)
        .map(|token| match token.text.as_str() {
            "," => ", ".to_owned(),
            "+" | "-" | "*" | "/" => format!(" {} ", token.text),
            text => text.to_owned(),
        })
        .collect()
}

/// Whether a name is followed by another name, so that it is no part of the same operand.
fn tokens_touch(tokens: &[Token], at: usize, first: usize) -> bool {
    at < first && matches!(tokens[at + 1].kind, TokenKind::Name | TokenKind::Number)
}

fn ends_operand(token: &Token) -> bool {
    match token.kind {
        TokenKind::Name => !super::parse::is_keyword(&token.text),
        TokenKind::Number => true,
        TokenKind::Close => token.text != "}",
        TokenKind::Str
        | TokenKind::RustLiteral
        | TokenKind::Op
        | TokenKind::Open
        | TokenKind::Doc
        | TokenKind::Skipped => false,
    }
}

/// A number, a name declared before, or a call, and nothing else.
fn reads_like_divisor(text: &str, before: &[Token]) -> bool {
    let is_name = text.chars().all(is_word) && !text.starts_with(|c: char| c.is_ascii_digit());
    is_expression(text) && (!is_name || declared(text, before))
}

/// A number, a name or a call, and nothing else.
pub fn is_expression(text: &str) -> bool {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return text.chars().all(is_word);
    }
    let end = text.find(|c: char| !is_word(c));
    let (head, rest) = text.split_at(end.unwrap_or(text.len()));
    let names_well = !head.is_empty() && head.split('.').all(|part| !part.is_empty());
    names_well && (rest.is_empty() || is_one_group(rest))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// Whether the text is one pair of parentheses and what is between them.
fn is_one_group(text: &str) -> bool {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at > 0 && at + 1 == text.len();
        }
    }
    false
}

/// Whether a local, parameter, constant or loop variable of this name stands before.
fn declared(name: &str, before: &[Token]) -> bool {
    (0..before.len()).any(|i| {
        let text = |i: usize| before.get(i).map_or("", |t| t.text.as_str());
        let previous = if i == 0 { "" } else { text(i - 1) };
        before[i].kind == TokenKind::Name
            && text(i) == name
            && (matches!(
                previous,
                "local" | "const" | "for" | "exclusive" | "borrows"
            ) || text(i + 1) == ":"
                || (matches!(previous, "(" | ",") && in_parameters(before, i)))
    })
}

/// Whether the parenthesis around token `i` follows `function`.
fn in_parameters(tokens: &[Token], i: usize) -> bool {
    let open = tokens[..i].iter().rposition(|t| t.kind == TokenKind::Open);
    open.is_some_and(|at| at > 0 && tokens[at - 1].text == "function")
}
