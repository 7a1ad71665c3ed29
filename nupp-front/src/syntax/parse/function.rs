//! Functions: name, parameters, result, body.

use super::ty::REFERENCES;
use super::{Parser, Reported, Res};
use crate::diag::Code;
use crate::span::SrcSpan;
use crate::syntax::ast::{Aot, Block, Function, Param, Qualifier, Type};
use crate::syntax::print;

impl Parser<'_> {
    /// A function after its keyword.
    pub(super) fn function_rest(&mut self, opener: usize, aot: Option<&Aot>) -> Res<Function> {
        let what = if aot.is_some() {
            "the name of the kernel"
        } else {
            "the name of the function"
        };
        let name = self.named(what)?;
        while self.at_op(".") || self.at_op(":") || self.at_op("::") {
            let at = self.here();
            let message = "a function's name is one word";
            self.error(
                Code::FunctionForm,
                at,
                message,
                "write `local function name(...)`",
            );
            self.bump();
            self.name("a name")?;
        }
        self.refuse_generics();
        if !self.at_open("(") {
            self.expected(
                "`(` and the parameters",
                "write `local function f(x: float): float ... end`",
            );
            return Err(Reported);
        }
        let params = self.params();
        let result = self.result_type().unwrap_or(None);
        let braces = self.at_open("{");
        if braces {
            let at = self.here();
            let message = "a function's body is not in braces";
            self.error(
                Code::ForeignConstruct,
                at,
                message,
                "write the statements, then `end`",
            );
            self.skip_tree();
            return Err(Reported);
        }
        let mut body = self.deeper(|p| Ok(p.block(opener)))?;
        self.refuse_stray_ends(opener, &mut body);
        self.end(opener);
        Ok(Function {
            aot: None,
            name,
            params,
            result,
            body,
        })
    }

    /// `else`, `elseif`, `until` and closing brackets that no open block has.
    pub(super) fn refuse_stray_ends(&mut self, opener: usize, body: &mut Block) {
        loop {
            let stray = self.at_word("else") || self.at_word("elseif") || self.at_word("until");
            if !stray || self.stopped {
                return;
            }
            let word = self.peek().map_or("", |t| t.text.as_str());
            let at = self.bump();
            let message = format!("this `{word}` belongs to no open block");
            self.error(
                Code::Syntax,
                at,
                message,
                "an `end` before it may be one too many",
            );
            if matches!(word, "elseif" | "until") {
                let _ = self.expr();
                self.eat_word("then");
            }
            let more = self.block(opener);
            body.stmts.extend(more.stmts);
        }
    }

    /// `<T>` after a function's name.
    pub(super) fn refuse_generics(&mut self) {
        if !self.at_op("<") {
            return;
        }
        let start = self.bump();
        while self.peek().is_some() && !self.at_op(">") && !self.at_open("(") && !self.at_close() {
            self.bump();
        }
        self.eat_op(">");
        let at = start.to(self.before());
        let message = "a function has no type parameters";
        self.error(
            Code::FunctionForm,
            at,
            message,
            "write one function for each type",
        );
    }

    /// `: T` after the parameters.
    pub(super) fn result_type(&mut self) -> Res<Option<Type>> {
        if self.at_op("->") {
            let at = self.here();
            let message = "a result type stands after `:`, not after `->`";
            self.error(Code::ForeignConstruct, at, message, "write `: float`");
        } else if !self.at_op(":") {
            return Ok(None);
        }
        self.bump();
        if self.at_open("(") {
            let at = self.here();
            self.skip_tree();
            let message = "a function returns one value or nothing";
            let help = "return a struct, or write `: nil` for nothing";
            self.error(Code::ValueCount, at, message, help);
            return Ok(None);
        }
        self.ty().map(Some)
    }

    pub(super) fn params(&mut self) -> Vec<Param> {
        self.bump();
        let mut params = Vec::new();
        while self.peek().is_some() && !self.at_close() {
            match self.param() {
                Ok(param) => params.push(param),
                Err(Reported) => self.skip_to_comma(),
            }
            if self.eat_op(",").is_none() {
                break;
            }
        }
        self.close(
            "`,` or `)` after a parameter",
            "write a comma between parameters",
        );
        params
    }

    pub(super) fn param(&mut self) -> Res<Param> {
        if self.at_op("...") {
            let at = self.here();
            let message = "a function has no variadic parameters";
            return Err(self.error(Code::FunctionForm, at, message, "name each parameter"));
        }
        let start = self.here();
        let qualifier = self.qualifier();
        let name = self.named("a parameter's name")?;
        if !self.at_op(":") {
            let message = format!("the parameter `{}` has no type", name.text);
            let help = format!("write `{}: float`, or another type", name.text);
            return Err(self.error(Code::Syntax, name.at, message, &help));
        }
        self.bump();
        let late = (self.at_word("exclusive") || self.at_word("borrows")) && self.nth_is_name(1);
        let late = late.then(|| self.qualifier()).flatten();
        if let Some(help) = self.span_of_slice(&name.text) {
            let at = self.here();
            return Err(self.error(Code::ForeignConstruct, at, REFERENCES, &help));
        }
        let ty = self.ty()?;
        if let Some((_, at)) = late {
            let tokens = self.source.tokens();
            let word = tokens
                .get(at.first as usize)
                .map_or("", |t| t.text.as_str());
            let message = format!("`{word}` stands before the name of the parameter");
            let help = format!("write `{word} {}: {}`", name.text, print::ty(&ty));
            self.error(Code::SpanQualifier, at, message, &help);
        }
        let qualifier = qualifier.or(late);
        if self.at_op("=") {
            let at = self.here();
            self.error(
                Code::ForeignConstruct,
                at,
                "a parameter has no default value",
                "take it out",
            );
            self.bump();
            self.expr()?;
        }
        let at = start.to(ty.at);
        Ok(Param {
            qualifier,
            name,
            ty,
            at,
        })
    }

    pub(super) fn qualifier(&mut self) -> Option<(Qualifier, SrcSpan)> {
        if !self.nth_is_name(0) || !self.nth_is_name(1) {
            return None;
        }
        let word = self.peek().map_or("", |t| t.text.as_str());
        let at = self.bump();
        match word {
            "exclusive" => Some((Qualifier::Exclusive, at)),
            "borrows" => Some((Qualifier::Borrows, at)),
            _ => {
                let message = format!("`{word}` says nothing about a parameter");
                let help = "write `exclusive` before a span that is written, `borrows` before one that is read";
                self.error(Code::Syntax, at, message, help);
                None
            }
        }
    }
}
