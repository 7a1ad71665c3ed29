//! Prints a block as Rust items, for the macro.
//!
//! Items are printed as text and parsed by the host, which is quicker than building tokens one by
//! one. Afterwards the facade's path is put in, and the author's names get their own places, so
//! that an editor finds a kernel where it is written. A refused block gives one `compile_error!` a
//! mistake, and items of the same names and types, so that one mistake does not breed twenty.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

use super::{Compiled, CompiledKernel, compile_file, stand_ins};
use crate::rust::{self, CRATE, KernelItem, StructItem};
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::hir::{KernelDef, Name, StructDef};
use nupp_front::span::SrcSpan;
use nupp_front::syntax::{self, Source};

/// The items of a block. `krate` is the path of the facade.
pub fn expand(source: &Source, krate: &TokenStream) -> TokenStream {
    let (file, mistakes) = syntax::parse(source);
    if source.lines_unreliable() {
        // An editor that reports one line for every token: what a `--` comment covers cannot be
        // known, so nothing is said and only names and types are given.
        return place(&stand_ins::items(&file), krate, &HashMap::new());
    }
    match compile_file(source, &file, mistakes) {
        Ok(compiled) => items(source, &compiled, krate),
        Err(mistakes) => {
            let mut out: TokenStream = mistakes.iter().flat_map(|m| error(source, m)).collect();
            out.extend(place(&stand_ins::items(&file), krate, &HashMap::new()));
            out
        }
    }
}

fn items(source: &Source, compiled: &Compiled, krate: &TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    for item in &compiled.program.structs {
        let names = places(source, [&item.name].into_iter().chain(field_names(item)));
        out.extend(place(&structure(item), krate, &names));
    }
    for (kernel, def) in compiled.kernels.iter().zip(&compiled.program.kernels) {
        let params = def.func.params.iter().map(|param| &param.name);
        let names = places(source, [&def.func.name].into_iter().chain(params));
        let line = line(source, def.func.name.at);
        out.extend(place(&kernel_text(kernel, def, line), krate, &names));
    }
    out
}

fn field_names(item: &StructDef) -> impl Iterator<Item = &Name> {
    item.fields.iter().map(|(name, _)| name)
}

/// The text of a struct.
pub fn structure(item: &StructDef) -> String {
    rust::structure(&StructItem {
        name: &item.name.text,
        public: item.public,
        docs: &item.docs,
        fields: item
            .fields
            .iter()
            .map(|(name, ty)| (name.text.as_str(), *ty))
            .collect(),
    })
}

/// The text of a kernel's items; `line` is 0 where it is not known.
pub fn kernel_text(compiled: &CompiledKernel, def: &KernelDef, line: usize) -> String {
    let kernel = &compiled.kernel;
    let embedded = compiled.embedded();
    let rest = embedded.map(|embedded| rust::artifact(kernel, &embedded, line));
    rust::kernel(&KernelItem {
        kernel,
        public: def.public,
        docs: &def.func.docs,
        rest: &rest.unwrap_or_default(),
    })
}

/// The items of a block as the text of a Rust file that knows the facade as `nupp`: its structs, and
/// the kernels whose names are wanted.
pub fn print_rust(source: &Source, compiled: &Compiled, wanted: impl Fn(&str) -> bool) -> String {
    let mut text: String = compiled.program.structs.iter().map(structure).collect();
    for (kernel, def) in compiled.kernels.iter().zip(&compiled.program.kernels) {
        if wanted(&def.func.name.text) {
            text.push_str(&kernel_text(kernel, def, line(source, def.func.name.at)));
        }
    }
    text.replace(CRATE, "::nupp")
}

/// The line of some tokens in their file, from 1; 0 where it is not known.
fn line(source: &Source, at: SrcSpan) -> usize {
    if proc_macro::is_available() {
        source.spans(at).0.unwrap().line()
    } else {
        source.place(at).map_or(0, |place| place.line)
    }
}

fn places<'a>(source: &Source, names: impl Iterator<Item = &'a Name>) -> HashMap<String, Span> {
    names
        .map(|name| (name.text.clone(), source.spans(name.at).0))
        .collect()
}

/// Parses text, puts the facade's path in and gives the author's names their places.
fn place(text: &str, krate: &TokenStream, names: &HashMap<String, Span>) -> TokenStream {
    match text.parse::<TokenStream>() {
        Ok(tokens) => walk(tokens, krate, names),
        Err(_) => message_at(
            (Span::call_site(), Span::call_site()),
            "this is a fault of Nupp: it printed Rust that does not parse; please report it",
        ),
    }
}

fn walk(tokens: TokenStream, krate: &TokenStream, names: &HashMap<String, Span>) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(mut ident) => {
                if ident == CRATE {
                    // Text that is parsed alone has `::` before the facade's name nowhere.
                    out.extend(krate.clone());
                    continue;
                }
                if let Some(span) = names.get(ident.to_string().trim_start_matches("r#")) {
                    ident.set_span(span.resolved_at(ident.span()));
                }
                out.push(TokenTree::Ident(ident));
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), walk(group.stream(), krate, names));
                inner.set_span(group.span());
                out.push(TokenTree::Group(inner));
            }
            token @ (TokenTree::Punct(_) | TokenTree::Literal(_)) => out.push(token),
        }
    }
    out.into_iter().collect()
}

/// A diagnostic as a `compile_error!` over its tokens.
fn error(source: &Source, diagnostic: &Diagnostic) -> TokenStream {
    let mut text = format!("{} [{}]", diagnostic.message, diagnostic.code.text());
    let line_of = |at: SrcSpan| source.place(at).map(|place| place.line);
    for (at, note) in &diagnostic.notes {
        match at.and_then(line_of) {
            Some(line) => text.push_str(&format!("\nnote: {note} (line {line})")),
            None => text.push_str(&format!("\nnote: {note}")),
        }
    }
    if let Some(help) = &diagnostic.help {
        text.push_str(&format!("\nhelp: {help}"));
    }
    if diagnostic.code == Code::Fault {
        text.push_str("\nhelp: the kernel may be reworded meanwhile");
    }
    message_at(source.spans(diagnostic.at), &text)
}

/// `::core::compile_error! { "text" }`, its first token at the first span and its braces at the
/// last: stable rustc underlines from one to the other.
fn message_at((first, last): (Span, Span), text: &str) -> TokenStream {
    let first = first.resolved_at(Span::call_site());
    let last = last.resolved_at(Span::call_site());
    let punct = |c: char, spacing: Spacing| {
        let mut punct = Punct::new(c, spacing);
        punct.set_span(first);
        TokenTree::Punct(punct)
    };
    let mut literal = Literal::string(text);
    literal.set_span(last);
    let mut braces = Group::new(Delimiter::Brace, TokenTree::Literal(literal).into());
    braces.set_span(last);
    [
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        TokenTree::Ident(Ident::new("core", first)),
        punct(':', Spacing::Joint),
        punct(':', Spacing::Alone),
        TokenTree::Ident(Ident::new("compile_error", first)),
        punct('!', Spacing::Alone),
        TokenTree::Group(braces),
    ]
    .into_iter()
    .collect()
}
