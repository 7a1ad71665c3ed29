//! What stands before an item: `@aot`, `pub`, and Rust attributes, which are refused.

use super::Parser;
use crate::diag::Code;
use crate::span::SrcSpan;
use crate::syntax::ast::{Aot, Str};
use crate::syntax::literal;
use crate::syntax::source::TokenKind;

impl Parser<'_> {
    pub(super) fn public(&mut self) -> Option<SrcSpan> {
        let public = self.eat_word("pub")?;
        if self.at_open("(") {
            let at = self.here();
            let message = "an item is `pub` or private";
            self.error(
                Code::Attribute,
                at,
                message,
                "write `pub`, and restrict it with a Rust module",
            );
            self.skip_tree();
        }
        Some(public)
    }

    pub(super) fn at_rust_attribute(&self) -> bool {
        self.at_op("#")
            && (self.nth_is(1, TokenKind::Open, "[")
                || (self.nth_is(1, TokenKind::Op, "!") && self.nth_is(2, TokenKind::Open, "[")))
    }

    /// `@aot(target = "gpu")`; anything else is refused and passed over.
    /// `beside` says that an `@aot` stands before it.
    pub(super) fn attribute(&mut self, beside: bool) -> Option<Aot> {
        let start = self.here();
        if self.at_rust_attribute() {
            while !self.at_open("[") {
                self.bump();
            }
            self.skip_tree();
            let at = start.to(self.before());
            let message = "attributes of Rust have no meaning here";
            let help = "take it out, or write it before `nupp!`";
            self.error(Code::Attribute, at, message, help);
            return None;
        }
        self.bump();
        let is_aot = self.at_word("aot");
        let named = self.peek().is_some_and(|t| t.kind == TokenKind::Name) && !self.at_item_word();
        let name = self.peek().filter(|_| named).map(|t| t.text.clone());
        if named {
            self.bump();
        }
        let target = if self.at_open("(") && is_aot {
            self.aot_target()
        } else {
            if self.at_open("(") {
                self.skip_tree();
            }
            None
        };
        let at = start.to(self.before());
        if !is_aot {
            let message = match name {
                Some(name) => format!("there is no attribute `@{name}`"),
                None => "`@` stands before the name of an attribute".to_owned(),
            };
            let beside = beside || self.at_op("@") && self.nth_is(1, TokenKind::Name, "aot");
            let help = if beside {
                "take it out"
            } else {
                "write `@aot(target = \"gpu\")` or `@aot`"
            };
            self.error(Code::Attribute, at, message, help);
            return None;
        }
        if beside {
            let message = "this function has an `@aot` already";
            self.error(Code::Attribute, at, message, "keep one of the two");
        }
        Some(Aot { target, at })
    }

    pub(super) fn at_item_word(&self) -> bool {
        self.at_word("local") || self.at_word("pub") || self.at_word("function")
    }

    pub(super) fn aot_target(&mut self) -> Option<Str> {
        let form = "write `@aot(target = \"gpu\")` or `@aot(target = \"cpu\")`";
        let open = self.bump();
        let shape = self.at_word("target")
            && self.nth_is(1, TokenKind::Op, "=")
            && self.nth(2).is_some_and(|t| t.kind == TokenKind::Str)
            && self.nth(3).is_some_and(|t| t.kind == TokenKind::Close);
        if !shape {
            let end = self.skip_past_close();
            let message = "`@aot` takes `target` and a string, and nothing else";
            self.error(Code::Attribute, open.to(end), message, form);
            return None;
        }
        self.bump();
        self.bump();
        let value = self.peek().map_or("", |t| t.text.as_str());
        let value = literal::unescape(value).unwrap_or_default();
        let at = self.bump();
        self.bump();
        Some(Str { value, at })
    }
}
