//! Comments in a macro's tokens and in text: what is dropped, what is refused, where.

use proc_macro2::{Span, TokenStream};

use super::{good, show};
use crate::diag::Code;
use crate::syntax::source::{Place, Text};
use crate::syntax::{Source, parse, print};

fn locate(span: Span) -> Option<Place> {
    let (start, end) = (span.start(), span.end());
    Some(Place {
        line: start.line,
        column: start.column + 1,
        end_line: end.line,
        end_column: end.column + 1,
    })
}

/// The block as a macro would get it, lines, columns and text included.
fn in_macro(text: &str) -> Source {
    let stream: TokenStream = text.parse().expect("Rust tokens");
    // A parsed stream counts its lines from wherever the text was filed; so does the text here.
    let first = stream.clone().into_iter().next().expect("a token").span();
    let at = locate(first).expect("a place");
    let offset = text.find(|c: char| !c.is_whitespace()).unwrap_or(0);
    let line = at.line - text[..offset].matches('\n').count();
    let text = Text::new(text.to_owned(), (line, 1));
    Source::from_tokens_at(stream, locate, Some(text))
}

fn found(source: &Source) -> Vec<(Code, String)> {
    let (_, found) = parse(source);
    let text = |d: &crate::diag::Diagnostic| source.text(d.at).unwrap_or("?").to_owned();
    found.iter().map(|d| (d.code, text(d))).collect()
}

const COMMENTED: &str = "
local function f(x: float): float -- doubles it, or so; if x then [really]
    -- return x
    local y = x - -x --x
    --[[ return 1.0
         return 2.0 ]] return y --[==[ a ]==]
end -- f
";

#[test]
fn dash_comments_end_with_their_line() {
    let plain = "local function f(x: float): float local y = x - -x return y end";
    let expected = print::file(&good(plain));
    let source = in_macro(COMMENTED);
    let (file, diagnostics) = parse(&source);
    assert!(diagnostics.is_empty(), "{}", show(&source, &diagnostics));
    assert_eq!(print::file(&file), expected);
    assert_eq!(print::file(&good(COMMENTED)), expected);
}

#[test]
fn a_dash_comment_that_takes_code_is_refused() {
    for (body, text) in [
        ("x = f(1.0 -- one )", "-- one )"),
        ("x = 1.0 -- f(\n)", "-- f("),
        ("x = 1.0 -- \"a\nb\"", "-- \"a\nb\""),
        ("x = 1.0 --[ a\n] ", "--["),
    ] {
        let source = in_macro(&format!("local function f(x: float)\n{body}\nend"));
        let found = found(&source);
        let expected = vec![(Code::DashComment, text.to_owned())];
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn without_lines_there_are_no_diagnostics() {
    fn nowhere(_: Span) -> Option<Place> {
        None
    }
    fn one_line(_: Span) -> Option<Place> {
        Some(Place {
            line: 1,
            column: 1,
            end_line: 1,
            end_column: 1,
        })
    }
    for locate in [nowhere, one_line] {
        let stream = || COMMENTED.parse().expect("Rust tokens");
        let source = Source::from_tokens_at(stream(), locate, None);
        assert!(source.lines_unreliable());
        let (file, found) = parse(&source);
        assert_eq!((file.items.len(), found.len()), (1, 0));
    }
    let stream = "local y = 1".parse().expect("Rust tokens");
    let source = Source::from_tokens_at(stream, one_line, None);
    assert!(!source.lines_unreliable());
    assert_eq!(parse(&source).1.len(), 1);
}

#[test]
fn a_slash_comment_that_reads_like_a_divisor_is_refused() {
    let kernel = |line: &str| format!("local function f(n: uint32, b: uint32)\n{line}\nend");
    for (line, token) in [
        ("local a = n // 2", "n"),
        ("local a = n // b", "n"),
        ("local a = f(n) // u32.div(b, (2))", ")"),
        ("local a = 7 //2", "7"),
        ("n[1] = b // a_thing\nlocal a_thing = n // a_thing", "n"),
    ] {
        for source in [in_macro(&kernel(line)), Source::from_nupp(&kernel(line))] {
            let expected = vec![(Code::SlashDivision, token.to_owned())];
            assert_eq!(found(&source), expected, "{line}");
        }
    }
    for line in [
        "local a = n // the count",
        "local a = n // half",
        "local a = n // 2 of them",
        "local a = n + // b\n1",
        "local a = n\n// b",
        "local a = n /* b */",
        "while n > b do // n\nend",
        "local a = n // f(1) and f(2)",
    ] {
        for source in [in_macro(&kernel(line)), Source::from_nupp(&kernel(line))] {
            assert_eq!(found(&source), [], "{line}");
        }
    }
}

#[test]
fn rust_blocks_are_found_and_keep_their_places() {
    let text = "fn main() { let c = '{'; let s: &'static str = \"nupp! { no }\"; }\n\
                /* nupp! { no } */\n\
                nupp! {\n    /// Doc.\n    const A = 1 -- one\n}\n\
                mod m { nupp::nupp!(const B = 'x'); }\n";
    let blocks = Source::blocks_of_rust(text);
    assert_eq!(blocks.len(), 2);
    let (file, found) = parse(&blocks[0]);
    assert!(found.is_empty(), "{}", show(&blocks[0], &found));
    assert_eq!(file.items[0].docs, [" Doc."]);
    let place = blocks[0].place(file.items[0].at).expect("a place");
    assert_eq!((place.line, place.column), (5, 5));
    assert_eq!(blocks[0].line_text(5), Some("    const A = 1 -- one"));
    let (_, found) = parse(&blocks[1]);
    assert_eq!(
        show(&blocks[1], &found)
            .split(' ')
            .take(3)
            .collect::<Vec<_>>(),
        ["7:31", "N0107", "`'x'`:"]
    );
}

#[test]
fn single_quoted_strings_and_lua_comments_of_a_file_keep_offsets() {
    let source =
        Source::from_nupp("--[[ a ]] local gpu = require('nupp.gpu') -- don't\nconst A = 1");
    let (file, found) = parse(&source);
    assert!(found.is_empty(), "{}", show(&source, &found));
    assert_eq!(
        print::file(&file),
        "local gpu = require(\"nupp.gpu\")\nconst A = 1\n"
    );
    let place = source.place(file.items[0].at).expect("a place");
    assert_eq!((place.column, place.end_column), (11, 42));
}

#[test]
fn both_lexers_see_the_same_tokens() {
    let text = r##"a == b ~= c <= d >= e << f >> g .. h ... i != j && k || l += m -> n :: o =- p =~ q
        1 1.0 1. 1e5 1.5e-3 0xff 0b1 0o7 1_000u32 1.0f32 1..2 a.1 1.max "s\"t" r"raw" r#"a"b"#
        { [ ( ) ] } @aot # x #[doc = "d"] #![doc = "e"] /// f
        /** g */ 'a' '\n' b"x" x$y ~ - +/* no */* a++ r#type élan"##;
    let ours = Source::blocks_of_rust(&format!("nupp! {{{text}}}"));
    let theirs = in_macro(text);
    assert_eq!(ours[0].tokens(), theirs.tokens());
}

#[test]
fn minus_signs_that_touch_are_a_comment_even_where_rustc_forgets_it() {
    use proc_macro2::{Punct, Spacing, TokenTree};
    let stream: TokenStream = "const A = 1 --x\nconst B = 2 - -x".parse().expect("tokens");
    let alone = stream.into_iter().map(|tree| match tree {
        TokenTree::Punct(old) => {
            let mut new = Punct::new(old.as_char(), Spacing::Alone);
            new.set_span(old.span());
            TokenTree::Punct(new)
        }
        other => other,
    });
    let source = Source::from_tokens_at(alone.collect(), locate, None);
    let (file, found) = parse(&source);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(print::file(&file), "const A = 1\nconst B = 2 - -x\n");
}

/// What a Rust file's one block gives: code, text at the place.
fn in_rust(body: &str) -> Vec<(String, String)> {
    let text = format!("nupp! {{\nlocal function f(x: float)\n{body}\nend\n}}\n");
    let blocks = Source::blocks_of_rust(&text);
    assert_eq!(blocks.len(), 1, "{text}");
    let found = parse(&blocks[0]).1;
    let place = |d: &crate::diag::Diagnostic| {
        let text = blocks[0].text(d.at).unwrap_or("?").to_owned();
        (d.code.text().to_owned(), text)
    };
    found.iter().map(place).collect()
}

#[test]
fn what_rustc_does_not_lex_is_refused_in_a_rust_file_too() {
    let one = |code: &str, text: &str| vec![(code.to_owned(), text.to_owned())];
    assert_eq!(in_rust("x = 1.0 -- don't"), one("N0103", "don'"));
    assert_eq!(in_rust("x = 1.0 -- the lanes' sum"), one("N0103", "lanes'"));
    assert_eq!(in_rust("x = 1.0 -- 'two words'"), one("N0103", "words'"));
    assert_eq!(in_rust("x = 1.0 -- the 'value'"), one("N0103", "'value'"));
    assert_eq!(in_rust("if x < y and#t > 1 then end"), one("N0101", "and#"));
    assert_eq!(
        in_rust("local g = require\"nupp.gpu\"")[0].1,
        "require\"nupp.gpu\""
    );
    assert_eq!(in_rust("x = 1.0 // don't"), []);
    assert_eq!(in_rust("x = 1.0 -- in the 90's, 'a' or so"), []);
    let nupp = Source::from_nupp("local function f(x: float) x = 1.0 -- don't\nend");
    assert!(parse(&nupp).1.is_empty());
}
