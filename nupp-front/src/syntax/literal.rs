//! Literals: what kind one is, what a string's escapes mean, what a number stands for.
//!
//! The text is a token's own, so a number may carry a Rust suffix and a string any escape; each
//! refusal says the plain form. A number keeps its exact value: an integer as one, a fraction as
//! decimal text.

use super::ast::{Number, NumberValue};
use super::source::TokenKind;

/// What is wrong with a literal, and what to write.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong {
    pub message: String,
    pub help: String,
}

fn wrong<T>(message: String, help: impl Into<String>) -> Result<T, Wrong> {
    let help = help.into();
    Err(Wrong { message, help })
}

/// The kind of a literal token of Rust.
pub fn kind_of(text: &str) -> TokenKind {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        TokenKind::Number
    } else if text.starts_with(['"', 'r']) {
        TokenKind::Str
    } else {
        TokenKind::RustLiteral
    }
}

/// A string's value.
pub fn unescape(text: &str) -> Result<String, Wrong> {
    if let Some(raw) = text.strip_prefix('r') {
        let raw = raw.trim_matches('#');
        let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
        return Ok(inner.unwrap_or(raw).to_owned());
    }
    let mut chars = text.chars();
    chars.next();
    chars.next_back();
    let mut value = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => value.push('\n'),
            Some('t') => value.push('\t'),
            Some('r') => value.push('\r'),
            Some('0') => value.push('\0'),
            Some(c @ ('\\' | '"' | '\'')) => value.push(c),
            Some('x') => {
                let digits: String = chars.by_ref().take(2).collect();
                value.push(code_point(&digits, &format!("\\x{digits}"))?);
            }
            Some('u') => {
                let digits: String = chars.by_ref().take_while(|&c| c != '}').collect();
                let digits = digits.trim_start_matches('{').replace('_', "");
                value.push(code_point(&digits, &format!("\\u{{{digits}}}"))?);
            }
            Some('\n') => {
                let rest = chars.as_str();
                chars = rest.trim_start().chars();
            }
            other => {
                let escape: String = other.into_iter().collect();
                return wrong(
                    format!("the escape `\\{escape}` is not one of Rust's"),
                    "write `\\n`, `\\t`, `\\r`, `\\0`, `\\\\`, `\\\"`, `\\x41` or `\\u{1f600}`",
                );
            }
        }
    }
    Ok(value)
}

fn code_point(digits: &str, escape: &str) -> Result<char, Wrong> {
    let value = u32::from_str_radix(digits, 16)
        .ok()
        .and_then(char::from_u32);
    match value {
        Some(c) => Ok(c),
        None => wrong(
            format!("the escape `{escape}` names no character"),
            "write the character itself, or `\\u{...}` with its number in hexadecimal",
        ),
    }
}

/// A number's value.
pub fn number(text: &str) -> Result<Number, Wrong> {
    let (radix, digits) = match text.get(..2) {
        Some("0x" | "0X") => (16, &text[2..]),
        Some("0b" | "0B") => (2, &text[2..]),
        Some("0o" | "0O") => (8, &text[2..]),
        _ => return decimal(text),
    };
    let is_digit = |c: char| {
        c == '_'
            || if radix == 16 {
                c.is_ascii_hexdigit()
            } else {
                c.is_ascii_digit()
            }
    };
    let end = digits.find(|c| !is_digit(c)).unwrap_or(digits.len());
    let (body, suffix) = digits.split_at(end);
    let plain = &text[..2 + end];
    refuse_suffix(text, plain, suffix)?;
    let body = body.replace('_', "");
    if body.is_empty() || body.chars().any(|c| !c.is_digit(radix)) {
        return wrong(
            format!("`{text}` is not a number in base {radix}"),
            "write digits of that base after the prefix, for example `0x1f`, `0b101` or `0o17`",
        );
    }
    integer(text, &body, radix)
}

fn integer(text: &str, digits: &str, radix: u32) -> Result<Number, Wrong> {
    match u128::from_str_radix(digits, radix) {
        Ok(value) => Ok(Number {
            text: text.to_owned(),
            value: NumberValue::Int(value),
        }),
        Err(_) => wrong(
            format!("`{text}` is larger than any type can hold"),
            "the largest values are `4294967295` for uint32 and `3.4028235e38` for float",
        ),
    }
}

fn decimal(text: &str) -> Result<Number, Wrong> {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes
            .get(at)
            .is_some_and(|b| b.is_ascii_digit() || *b == b'_')
        {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    let mut float = false;
    if bytes.get(end) == Some(&b'.') {
        float = true;
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let after = digits(end + 1 + sign);
        if text[end + 1 + sign..after].contains(|c: char| c.is_ascii_digit()) {
            float = true;
            end = after;
        }
    }
    let (plain, suffix) = text.split_at(end);
    refuse_suffix(text, plain, suffix)?;
    let clean = plain.replace('_', "");
    if !float {
        return integer(text, &clean, 10);
    }
    Ok(Number {
        text: text.to_owned(),
        value: NumberValue::Float(clean),
    })
}

/// The plain form of a suffixed number, with the point a float suffix stood for.
fn refuse_suffix(text: &str, plain: &str, suffix: &str) -> Result<(), Wrong> {
    if suffix.is_empty() {
        return Ok(());
    }
    let plain = plain.trim_end_matches('_');
    let is_float = matches!(suffix, "f16" | "f32" | "f64" | "f" | "h");
    let plain = if is_float && plain.chars().all(|c| c.is_ascii_digit() || c == '_') {
        format!("{plain}.0")
    } else {
        plain.to_owned()
    };
    if text.starts_with("0x") && suffix.starts_with(['p', 'P']) {
        return wrong(
            format!("`{text}` is a hexadecimal float, which Nupp does not have"),
            "write it in decimal, or its bits with `f32.fromBits(0x3f800000)`",
        );
    }
    wrong(
        format!("the literal `{text}` has the suffix `{suffix}`, and Nupp's literals have none"),
        format!("write `{plain}`: a literal takes the type its context needs"),
    )
}
