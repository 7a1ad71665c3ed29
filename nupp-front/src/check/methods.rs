//! What a user of Rust writes with a point: `x.sqrt()`, `input.len()`. Each is refused with what it is
//! called here.

use super::foreign::{module_of, power_help};
use super::func::{Binding, Func};
use super::hint::Hint;
use super::library::{self, Module};
use super::types::{F32, I32, U32};
use super::{Checker, Reported};
use crate::diag::Code;
use crate::hir::Ty;
use crate::span::SrcSpan;
use crate::syntax::ast::{self, ExprKind};

/// `mul_add` as the library would spell it.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let mut text = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let mut chars = part.chars();
        text.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        text.push_str(chars.as_str());
    }
    text
}

/// The library's name of a method of Rust's numbers.
fn library_method(name: &str) -> String {
    match name {
        "mul_add" => "fma".to_owned(),
        "copysign" => "copySign".to_owned(),
        "is_nan" => "isNaN".to_owned(),
        "is_infinite" => "isInf".to_owned(),
        "count_ones" => "popcount".to_owned(),
        "wrapping_div" => "div".to_owned(),
        "wrapping_rem" => "mod".to_owned(),
        "ln" => "log".to_owned(),
        "powi" | "powf" => "pow".to_owned(),
        _ => camel(name),
    }
}

impl Checker<'_> {
    /// Whether `base.name(...)` is a call of a method: `base` is a value or a span.
    pub(super) fn is_method_base(&self, func: &Func, base: &ast::Expr) -> bool {
        let Some(names) = base.path() else {
            return true;
        };
        func.lookup(&names[0].text).is_some()
            || matches!(
                self.items.get(&names[0].text),
                Some((super::Item::Const(_), _))
            )
    }

    /// Reports `x.sqrt()`, `input.len()` and what else Rust writes with a point.
    pub(super) fn method_call(
        &mut self,
        func: &mut Func,
        base: &ast::Expr,
        name: &ast::Name,
        args: &[ast::Expr],
        at: SrcSpan,
    ) -> Reported {
        let bound = match &base.kind {
            ExprKind::Name(text) => func.lookup(text),
            _ => None,
        };
        match bound {
            Some(Binding::Poison) => return Reported,
            Some(Binding::Span(_) | Binding::Scratch(_)) => {
                return self.span_method(func, base, name, args, at);
            }
            Some(Binding::Phases) => {
                let help = format!(
                    "methods are called with a colon: `{}:{}(...)`",
                    self.quote(base.at),
                    name.text
                );
                let message = format!("`{}` is no field", name.text);
                return self.refuse(Code::NotCallable, at, message, help);
            }
            Some(Binding::Local(_)) | None => {}
        }
        let ty = match self.hint(func, base) {
            Hint::Unknown => match self.value(func, base, None) {
                Ok(value) => value.ty,
                Err(reported) => return reported,
            },
            Hint::Int => U32,
            hint => hint.ty().unwrap_or(U32),
        };
        let text = self.quote(base.at);
        let list: Vec<String> = args.iter().map(|arg| self.quote(arg.at)).collect();
        let found = library_method(&name.text);
        let module = module_of(ty);
        let given: Vec<ast::Expr> = std::iter::once(base).chain(args).cloned().collect();
        let absent = self.absent(func, module, &name.text, (at, &given));
        let help = self
            .value_method(ty, &text, &name.text, args)
            .unwrap_or_else(
                || match module.and_then(|module| library::find(module, &found)) {
                    Some(row) => {
                        let mut all = vec![text.clone()];
                        all.extend(list);
                        format!("write `{}.{found}({})`", row.module.name(), all.join(", "))
                    }
                    None if absent.is_some() => absent.unwrap_or_default(),
                    None => format!(
                        "functions of the library take the value as an argument: `{}`",
                        match module {
                            Some(Module::F32) => format!("f32.sqrt({text})"),
                            Some(module) => format!("{}.max({text}, 1)", module.name()),
                            None => "f32.sqrt(x)".to_owned(),
                        }
                    ),
                },
            );
        let message = format!("values have no methods, and so no `{}`", name.text);
        self.refuse(Code::NotCallable, at, message, help)
    }

    /// What Rust's methods of numbers are that are no function of the library.
    fn value_method(&self, ty: Ty, text: &str, name: &str, args: &[ast::Expr]) -> Option<String> {
        let operand = |arg: &ast::Expr| {
            let text = self.quote(arg.at);
            match arg.kind {
                ExprKind::Binary(..) if !text.starts_with('(') => format!("({text})"),
                _ => text,
            }
        };
        let library = match module_of(ty)? {
            module @ (Module::F32 | Module::I32 | Module::U32) => module.name(),
            _ => return None,
        };
        Some(match (name, args) {
            ("wrapping_add", [b]) => format!("write `{text} + {}`: it wraps", operand(b)),
            ("wrapping_sub", [b]) => format!("write `{text} - {}`: it wraps", operand(b)),
            ("wrapping_mul", [b]) => format!("write `{text} * {}`: it wraps", operand(b)),
            ("wrapping_neg", []) if ty == U32 => format!("write `0 - {text}`: it wraps"),
            ("wrapping_neg", []) => format!("write `-{text}`: it wraps"),
            ("wrapping_shl" | "shl", [b]) => format!("write `{text} << {}`", operand(b)),
            ("wrapping_shr" | "shr", [b]) => format!("write `{text} >> {}`", operand(b)),
            ("neg", []) if ty == U32 => format!("write `0 - {text}`: it wraps"),
            ("neg", []) => format!("write `-{text}`"),
            ("add", [b]) => format!("write `{text} + {}`", operand(b)),
            ("sub", [b]) => format!("write `{text} - {}`", operand(b)),
            ("mul", [b]) => format!("write `{text} * {}`", operand(b)),
            ("pow" | "wrapping_pow", [n]) if ty != F32 => {
                let n = self.quote(n.at);
                power_help(text, &n).unwrap_or_else(|| {
                    format!("multiply in a loop: `for i = 1, {n} do power = power * {text} end`")
                })
            }
            ("pow" | "powi" | "powf", [n]) if ty == F32 => power_help(text, &self.quote(n.at))?,
            ("abs" | "wrapping_abs", []) if ty == I32 => {
                format!("write `gpu.select({text} < 0, -{text}, {text})`")
            }
            ("abs_diff", [b]) if ty == U32 => {
                let b = operand(b);
                format!("write `u32.max({text}, {b}) - u32.min({text}, {b})`")
            }
            ("rem_euclid" | "rem", [b]) if ty == U32 => {
                format!("write `u32.mod({text}, {})`", self.quote(b.at))
            }
            ("rem_euclid" | "rem", [b]) if ty == I32 => format!(
                "write `i32.mod({text}, {})`, which has the sign of `{text}`",
                self.quote(b.at)
            ),
            ("clamp", [low, high]) => format!(
                "write `{library}.min({library}.max({text}, {}), {})`",
                self.quote(low.at),
                self.quote(high.at)
            ),
            ("is_finite", []) if ty == F32 => {
                format!("write `not (f32.isNaN({text}) or f32.isInf({text}))`")
            }
            ("clone" | "into" | "to_owned", []) => format!("write `{text}`"),
            _ => return None,
        })
    }

    /// Reports `input.len()` and its kin.
    pub(super) fn span_method(
        &mut self,
        func: &Func,
        base: &ast::Expr,
        name: &ast::Name,
        args: &[ast::Expr],
        at: SrcSpan,
    ) -> Reported {
        if let Some(reported) = self.refused_by_name(&name.text, name.at) {
            return reported;
        }
        let text = self.quote(base.at);
        let arg = args.first().map(|arg| self.quote(arg.at));
        let index = &func.numbers.index;
        let help = match (name.text.as_str(), arg) {
            ("len" | "size" | "length", _) => format!("write `#{text}`"),
            ("is_empty", _) => format!("write `#{text} == 0`"),
            ("get" | "get_unchecked" | "at" | "nth", Some(arg)) => format!("write `{text}[{arg}]`"),
            ("push" | "push_back" | "append", Some(arg)) => {
                format!("a span does not grow: write `{text}[{index}] = {arg}`")
            }
            ("first", _) => format!("write `{text}[1]` under `if #{text} >= 1 then ... end`"),
            ("last", _) => format!("write `{text}[#{text}]` under `if #{text} >= 1 then ... end`"),
            ("scatter", _) => format!("a method is called with a colon: `{text}:scatter(...)`"),
            _ => format!("write `{text}[{index}]` for an element, `#{text}` for the length"),
        };
        let message = format!("a span has no method `{}`", name.text);
        self.refuse(Code::UnknownFunction, at, message, help)
    }
}
