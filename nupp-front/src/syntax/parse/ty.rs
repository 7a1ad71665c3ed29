//! Types: a path with type arguments, and nothing else.

use super::{Parser, Res};
use crate::diag::Code;
use crate::span::SrcSpan;
use crate::syntax::ast::{Name, Type};
use crate::syntax::source::TokenKind;

const TYPES: &str =
    "write `float`, `int32`, `uint32`, `boolean`, a struct, `span.Span<T>` or `span.WriteSpan<T>`";

pub(super) const REFERENCES: &str = "there are no references, arrays, tuples or function types";

impl Parser<'_> {
    /// A type.
    pub(super) fn ty(&mut self) -> Res<Type> {
        self.deeper(Self::ty_inner)
    }

    fn ty_inner(&mut self) -> Res<Type> {
        let first = self.type_name()?;
        let start = first.at;
        let mut path = vec![first];
        loop {
            if self.at_op("::") {
                self.refuse_colons();
            } else if !self.at_op(".") {
                break;
            }
            self.bump();
            path.push(self.type_name()?);
        }
        let args = if self.at_op("<") {
            self.type_args()?
        } else {
            Vec::new()
        };
        let at = start.to(self.before());
        if self.at_op("?") || (self.at_open("[") && self.nth(1).is_some_and(|t| t.text == "]")) {
            let help = "write `span.Span<T>` for a buffer; a value cannot be absent";
            let here = self.here();
            self.error(
                Code::ForeignConstruct,
                here,
                "there are no optional or array types",
                help,
            );
            self.skip_tree();
        }
        Ok(Type { path, args, at })
    }

    fn type_name(&mut self) -> Res<Name> {
        if let Some(at) = self.eat_word("nil") {
            let text = "nil".to_owned();
            return Ok(Name { text, at });
        }
        let foreign = self.peek().is_some_and(|t| {
            t.kind == TokenKind::Open || matches!(t.text.as_str(), "&" | "&&" | "*" | "function")
        });
        if foreign {
            let at = self.here();
            self.error(Code::ForeignConstruct, at, REFERENCES, TYPES);
            return Err(super::Reported);
        }
        if !self.nth_is_name(0) {
            return Err(self.expected("a type", TYPES));
        }
        self.name("a type")
    }

    /// What to write for a parameter that is declared here as a Rust slice or a reference to a vector.
    pub(super) fn span_of_slice(&self, name: &str) -> Option<String> {
        let text = |n| self.nth(n).map(|t| t.text.as_str());
        let written = text(1) == Some("mut");
        let at = 1 + usize::from(written);
        let slice = text(at) == Some("[") && text(at + 2) == Some("]");
        let vector = text(at) == Some("Vec") && text(at + 1) == Some("<");
        if text(0) != Some("&") || !(slice || vector) {
            return None;
        }
        let element = match text(at + 1 + usize::from(vector))? {
            "f32" | "f64" => "float",
            "i32" => "int32",
            "u32" | "usize" => "uint32",
            other => other,
        };
        Some(if written {
            format!("write `exclusive {name}: span.WriteSpan<{element}>`")
        } else {
            format!("write `borrows {name}: span.Span<{element}>`")
        })
    }

    /// `<float>`.
    fn type_args(&mut self) -> Res<Vec<Type>> {
        self.bump();
        let mut args = vec![self.ty()?];
        while self.eat_op(",").is_some() {
            args.push(self.ty()?);
        }
        if self.half_shift {
            self.half_shift = false;
            self.bump();
        } else if self.at_op(">>") {
            self.half_shift = true;
        } else {
            self.expect_op(">", "`>` after the element type", "close the list with `>`")?;
        }
        Ok(args)
    }

    /// `::` where `.` belongs; the caller consumes it.
    pub(super) fn refuse_colons(&mut self) {
        let at: SrcSpan = self.here();
        let message = "`::` is Rust's; a path has points between its names";
        self.error(
            Code::ForeignConstruct,
            at,
            message,
            "write `.`, for example `nupp.math.f32`",
        );
    }
}
