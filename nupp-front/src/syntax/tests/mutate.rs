//! Broken input: 100,000 random and mutated token streams, and deep nesting. Nothing panics,
//! nothing hangs, and every diagnostic points into the block.

use std::str::FromStr;
use std::time::{Duration, Instant};

use proc_macro2::{TokenStream, TokenTree};

use super::accepts::SEEDS;
use crate::diag::{Code, Diagnostic};
use crate::syntax::ast::File;
use crate::syntax::{Source, parse, print};
use nupp_ir::limits::MAX_DEPTH;

/// Xorshift: the streams are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

fn inside(source: &Source, found: &[Diagnostic], text: &str) {
    let count = source.tokens().len() as u32;
    let fits = |at: crate::span::SrcSpan| at.first <= at.last && at.last < count;
    for d in found {
        assert!(fits(d.at), "{d:?}\n{text}");
        assert!(
            d.notes.iter().all(|(at, _)| at.is_none_or(fits)),
            "{d:?}\n{text}"
        );
        assert!(!d.message.is_empty() && d.help.is_some(), "{d:?}\n{text}");
    }
}

/// Parses; a tree without a diagnostic must print and parse back. Says whether there was none.
fn survive(source: &Source, text: &str) -> bool {
    let (file, found) = parse(source);
    inside(source, &found, text);
    if found.is_empty() {
        let printed = print::file(&file);
        let again = Source::from_nupp(&printed);
        let (back, found) = parse(&again);
        assert!(found.is_empty(), "{found:?}\n{text}\n{printed}");
        assert_eq!(print::file(&back), printed, "{text}");
    }
    found.is_empty()
}

/// Words and symbols of Nupp, Lua and Rust.
const WORDS: &str = "and break continue do else elseif end false for function goto if in local nil \
    not or repeat return then true until while const struct pub exclusive borrows x y f span gpu \
    require u32 fn let match as self r#type 1 2.5 0xff 1u32 \"s\" 'c' b\"x\" + - * / % ^ # & ~ | \
    << >> == ~= <= >= < > = : :: ; , . .. ... ! != && || += -> => ? @ @aot ++ ** $ ( ) [ ] { }";

fn words() -> Vec<&'static str> {
    WORDS.split_whitespace().collect()
}

/// Every word of the seeds, delimiters and newlines included.
fn seed_words(seed: &str) -> Vec<String> {
    let source = Source::from_nupp(seed);
    let place = |i: usize| source.places()[i].expect("text has places");
    let word = |i: usize| {
        let newline = i > 0 && place(i).line > place(i - 1).line;
        let text = match source.tokens()[i].kind {
            crate::syntax::source::TokenKind::Doc => "/*! d */".to_owned(),
            _ => source.tokens()[i].text.clone(),
        };
        if newline { format!("\n{text}") } else { text }
    };
    (0..source.tokens().len()).map(word).collect()
}

fn mutate(random: &mut Random, seed: &[String], pool: &[&str]) -> String {
    let mut words = seed.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(words.len());
        let other = random.below(words.len());
        match random.below(5) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[at].clone()),
            2 => words.swap(at, other),
            3 => words[at] = pool[random.below(pool.len())].to_owned(),
            _ => {
                let end = (at + random.below(12)).min(words.len());
                words.drain(at..end);
            }
        }
        if words.is_empty() {
            break;
        }
    }
    words.join(" ")
}

/// A quarter of the 100,000 streams; the quarters run side by side.
fn quarter(start: u64) {
    let started = Instant::now();
    let mut random = Random(start);
    let pool = words();
    let items = SEEDS
        .iter()
        .flat_map(|seed| parse(&Source::from_nupp(seed)).0.items);
    let one = |item| print::file(&File { items: vec![item] });
    let seeds: Vec<Vec<String>> = items.map(|item| seed_words(&one(item))).collect();
    let mut clean = 0;
    for round in 0..25_000 {
        let text = if round % 4 == 0 {
            let length = random.below(32);
            let words: Vec<&str> = (0..length)
                .map(|_| pool[random.below(pool.len())])
                .collect();
            format!("local function f(x: float) {}", words.join(" "))
        } else {
            let seed = random.below(seeds.len());
            mutate(&mut random, &seeds[seed], &pool)
        };
        clean += usize::from(survive(&Source::from_nupp(&text), &text));
        if round % 16 == 0
            && let Ok(stream) = TokenStream::from_str(&text)
        {
            survive(&Source::from_tokens(stream), &text);
        }
    }
    assert!(
        clean > 1_000,
        "the mutations leave too little standing: {clean}"
    );
    assert!(
        started.elapsed() < Duration::from_secs(120),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn broken_tokens_never_break_the_parser_1() {
    quarter(0x9e37_79b9_7f4a_7c15);
}

#[test]
fn broken_tokens_never_break_the_parser_2() {
    quarter(0xbf58_476d_1ce4_e5b9);
}

#[test]
fn broken_tokens_never_break_the_parser_3() {
    quarter(0x94d0_49bb_1331_11eb);
}

#[test]
fn broken_tokens_never_break_the_parser_4() {
    quarter(0xd1b5_4a32_d192_ed03);
}

#[test]
fn random_text_never_breaks_the_lexer() {
    let mut random = Random(42);
    let pieces = [
        "\"",
        "'",
        "\\",
        "--",
        "--[[",
        "]]",
        "--[=[",
        "/*",
        "*/",
        "//",
        "///",
        "\n",
        "é",
        "r#\"",
        "\"#",
        "b'",
        "1.",
        "1e",
        "0x",
        "_",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        " ",
        "x",
        "`",
        "\u{0}",
        "#[doc = \"d\"]",
        "nupp! {",
    ];
    for _ in 0..20_000 {
        let length = random.below(24);
        let text: String = (0..length)
            .map(|_| pieces[random.below(pieces.len())])
            .collect();
        let source = Source::from_nupp(&text);
        survive(&source, &text);
        for source in Source::blocks_of_rust(&text) {
            survive(&source, &text);
        }
    }
}

#[test]
fn nesting_is_refused_once_and_never_overflows() {
    let n = 5_000;
    let wrap =
        |open: &str, close: &str| format!("const A = {}1{}", open.repeat(n), close.repeat(n));
    let body = |open: &str, close: &str| {
        format!(
            "local function f() {} {} end",
            open.repeat(n),
            close.repeat(n)
        )
    };
    for text in [
        wrap("(", ")"),
        wrap("- ", ""),
        wrap("not ", ""),
        wrap("! ", ""),
        wrap("f(", ")"),
        wrap("a[", "]"),
        wrap("1 + ", ""),
        wrap("", " + 1"),
        wrap("1 + (", ")"),
        wrap("f(function() g(", ") end)"),
        format!("const A = a{}", ".b".repeat(n)),
        format!("const A = a{}", "(1)".repeat(n)),
        format!("const A: {}", "a<".repeat(n)),
        body("if x then ", "end "),
        body("while x do ", "end "),
        body("repeat ", "until x "),
        body("do ", "end "),
        body("if x then else if x then ", "end end "),
        body("local function g() ", "end "),
    ] {
        let source = Source::from_nupp(&text);
        let (file, found) = parse(&source);
        let deep = found.iter().filter(|d| d.code == Code::Nesting).count();
        assert_eq!(deep, 1, "{}", &text[..60]);
        drop(print::file(&file));
    }
    let level = |n: usize| format!("const A = {}1{}", "f(".repeat(n), ")".repeat(n));
    assert!(
        parse(&Source::from_nupp(&level(MAX_DEPTH - 2)))
            .1
            .is_empty()
    );
    assert_eq!(parse(&Source::from_nupp(&level(MAX_DEPTH + 1))).1.len(), 1);
}

#[test]
fn deep_groups_of_a_macro_do_not_recurse() {
    let mut stream = TokenStream::new();
    for _ in 0..2_000 {
        let group = proc_macro2::Group::new(proc_macro2::Delimiter::Parenthesis, stream);
        stream = TokenStream::from(TokenTree::Group(group));
    }
    let source = Source::from_tokens(stream);
    assert_eq!(source.tokens().len(), 4_000);
    inside(&source, &parse(&source).1, "groups");
}
