//! What a user of Rust or of Lua would write for a value: `float(x)`, `x.sqrt()`, `input.len()`,
//! `max(a, b)`, `NaN`. Each is refused with what it is called here, chosen by the types of the
//! operands; no help names a function that this release does not have.

use super::func::{Binding, Func};
use super::hint::Hint;
use super::library::{self, Module, Row};
use super::types::{BOOL, F32, I32, U32, scalar_of_name};
use super::{Checked, Checker, Reported};
use crate::diag::Code;
use crate::hir::Ty;
use crate::span::SrcSpan;
use crate::syntax::ast::{self, BinaryOp, ExprKind};

/// What a name of a number that is no literal stands for.
enum Special {
    NaN,
    Infinity,
    /// Something that can be written out.
    Written(&'static str),
}

fn special(module: Option<Module>, name: &str) -> Option<Special> {
    let written = match (module, name) {
        (Some(Module::F32), "MAX") => "3.4028235e38",
        (Some(Module::F32), "MIN") => "-3.4028235e38",
        (Some(Module::F32), "EPSILON") => "1.1920929e-7",
        (Some(Module::F32), "MIN_POSITIVE") => "1.17549435e-38",
        (Some(Module::U32), "MAX") => "4294967295",
        (Some(Module::U32), "MIN") => "0",
        (Some(Module::I32), "MAX") => "2147483647",
        (Some(Module::I32), "MIN") => "-2147483648",
        (Some(Module::F32) | None, "PI" | "pi") => "3.14159265358979",
        _ => "",
    };
    if !written.is_empty() {
        return Some(Special::Written(written));
    }
    if !matches!(module, Some(Module::F32) | None) {
        return None;
    }
    match name.to_lowercase().as_str() {
        "nan" => Some(Special::NaN),
        "inf" | "infinity" | "neg_infinity" | "huge" => Some(Special::Infinity),
        _ => None,
    }
}

/// Help for `NaN`, `f32.INFINITY`, `f32.MAX` and their kin.
pub(super) fn special_help(module: Option<Module>, name: &str) -> Option<String> {
    Some(match special(module, name)? {
        Special::NaN => {
            "test it with `f32.isNaN(x)`; the value is `f32.fromBits(0x7fc00000)`".to_owned()
        }
        Special::Infinity => {
            "test it with `f32.isInf(x)`; the value is `f32.fromBits(0x7f800000)`".to_owned()
        }
        Special::Written(number) => format!("write `{number}`"),
    })
}

/// The module that a type's functions are in.
fn module_of(ty: Ty) -> Option<Module> {
    match ty {
        F32 => Some(Module::F32),
        I32 => Some(Module::I32),
        U32 => Some(Module::U32),
        Ty::Scalar(_) | Ty::Struct(_) => None,
    }
}

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
    /// `x == NaN` and `x == INFINITY`, whose operands say what to write.
    pub(super) fn refuse_special_comparison(
        &mut self,
        func: &Func,
        expr: &ast::Expr,
        op: BinaryOp,
        [a, b]: [&ast::Expr; 2],
    ) -> Checked<()> {
        for (side, other) in [(a, b), (b, a)] {
            let Some(names) = side.path() else { continue };
            let known = func.lookup(&names[0].text).is_some()
                || names.len() == 1 && self.items.contains_key(&names[0].text);
            let module = match (names.as_slice(), known) {
                (_, true) => continue,
                ([_], false) => None,
                ([first, _], false) => Module::of_default(&first.text),
                _ => continue,
            };
            let last = &names[names.len() - 1].text;
            let (function, what) = match special(module, last) {
                Some(Special::NaN) => ("isNaN", "nothing equals NaN, not even NaN"),
                Some(Special::Infinity) => ("isInf", "infinity has no name"),
                Some(Special::Written(_)) | None => continue,
            };
            let not = if op == BinaryOp::Ne { "not " } else { "" };
            let help = format!("write `{not}f32.{function}({})`", self.quote(other.at));
            let text = self.quote(expr.at);
            let message = format!("`{text}` cannot be asked: {what}");
            return Err(self.refuse(Code::UnknownName, side.at, message, help));
        }
        Ok(())
    }

    /// Help for a call of a type or module as a conversion; nothing where the name is none.
    pub(super) fn conversion_call(
        &mut self,
        func: &mut Func,
        name: &str,
        args: &[ast::Expr],
    ) -> Option<Checked<String>> {
        let to = match name {
            "float" | "f32" | "number" | "tonumber" => F32,
            "int32" | "i32" | "int" | "tointeger" => I32,
            "uint32" | "u32" | "uint" => U32,
            _ => return None,
        };
        let [arg] = args else { return None };
        let text = self.quote(arg.at);
        let ty = match self.hint(func, arg) {
            Hint::Int => return Some(Ok(self.literal_as(&text, to))),
            Hint::Unknown => match self.value(func, arg, None) {
                Ok(value) => value.ty,
                Err(reported) => return Some(Err(reported)),
            },
            hint => hint.ty()?,
        };
        Some(Ok(if ty == to {
            format!(
                "`{text}` is `{}` already: write it alone",
                self.type_name(to)
            )
        } else {
            self.conversion(&text, ty, to)
        }))
    }

    fn literal_as(&self, text: &str, to: Ty) -> String {
        match to {
            F32 if text.bytes().all(|c| c.is_ascii_digit()) => format!("write `{text}.0`"),
            F32 => format!("write `f32.narrow({text})`"),
            I32 => format!("write `i32.wrap({text})`"),
            _ => format!("write `u32.wrap({text})`"),
        }
    }

    /// Reports a call of a type, as Lua and Rust have conversions.
    pub(super) fn type_called(
        &mut self,
        func: &mut Func,
        name: &ast::Name,
        args: &[ast::Expr],
    ) -> Option<Reported> {
        let help = match self.conversion_call(func, &name.text, args) {
            Some(Ok(help)) => help,
            Some(Err(reported)) => return Some(reported),
            None => match scalar_of_name(&name.text) {
                Some(_) => "conversions are `f32.fromU32(x)`, `f32.fromI32(x)`, `u32.wrap(x)`, \
                            `i32.wrap(x)`, `u32.saturate(x)` and `i32.saturate(x)`"
                    .to_owned(),
                None => return None,
            },
        };
        let message = if scalar_of_name(&name.text).is_some() {
            format!("`{}` is a type and cannot be called", name.text)
        } else {
            format!("`{}` converts nothing here", name.text)
        };
        Some(self.refuse(Code::NotCallable, name.at, message, help))
    }

    /// The row of the library that a bare call of this name means, by its arguments.
    pub(super) fn meant_row(
        &self,
        func: &Func,
        name: &str,
        args: &[ast::Expr],
    ) -> Option<&'static Row> {
        let hints = args.iter().map(|arg| self.hint(func, arg));
        let ty = hints.reduce(Hint::join).and_then(Hint::ty);
        let own = ty.and_then(module_of).and_then(|m| library::find(m, name));
        own.or_else(|| library::ROWS.iter().find(|row| row.name == name))
    }

    /// Reports a function that the language has and this release does not.
    pub(super) fn not_yet(&mut self, path: &str, at: SrcSpan, args: &[ast::Expr]) -> Reported {
        let help = match args {
            [base, power] if path.ends_with("pow") => {
                let (base, power) = (self.quote(base.at), self.quote(power.at));
                power_help(&base, &power)
            }
            _ => None,
        };
        let help = help.unwrap_or_else(|| {
            "compute it from `+ - * /`, `f32.sqrt` and `f32.fma`, or pass a table of values as a \
             span"
                .to_owned()
        });
        let message = format!("`{path}` is not available yet");
        self.refuse(Code::NotYetAvailable, at, message, help)
    }

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
                return self.span_method(base, name, args, at);
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
        if module == Some(Module::F32) && library::LATER.contains(&found.as_str()) {
            let both: Vec<ast::Expr> = [base].into_iter().chain(args).cloned().collect();
            return self.not_yet(&format!("f32.{found}"), name.at, &both);
        }
        let help = self
            .value_method(ty, &text, &name.text, args)
            .unwrap_or_else(
                || match module.and_then(|module| library::find(module, &found)) {
                    Some(row) => {
                        let mut all = vec![text.clone()];
                        all.extend(list);
                        format!("write `{}.{found}({})`", row.module.name(), all.join(", "))
                    }
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
        let help = match (name.text.as_str(), arg) {
            ("len" | "size" | "length", _) => format!("write `#{text}`"),
            ("is_empty", _) => format!("write `#{text} == 0`"),
            ("get" | "get_unchecked" | "at" | "nth", Some(arg)) => format!("write `{text}[{arg}]`"),
            ("push" | "push_back" | "append", Some(arg)) => {
                format!("a span does not grow: write `{text}[index] = {arg}`")
            }
            ("first", _) => format!("write `{text}[1]`"),
            ("last", _) => format!("write `{text}[#{text}]`"),
            ("scatter", _) => format!("a method is called with a colon: `{text}:scatter(...)`"),
            _ => format!("write `{text}[index]` for an element, `#{text}` for the length"),
        };
        let message = format!("a span has no method `{}`", name.text);
        self.refuse(Code::UnknownFunction, at, message, help)
    }

    /// Reports `a < b < c`.
    pub(super) fn refuse_chain(
        &mut self,
        func: &Func,
        expr: &ast::Expr,
        op: BinaryOp,
        [a, b]: [&ast::Expr; 2],
    ) -> Checked<()> {
        let ExprKind::Binary(first, _, _, middle) = &a.kind else {
            return Ok(());
        };
        let orders = |op: BinaryOp| {
            matches!(
                op,
                BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
            )
        };
        let equals = |op: BinaryOp| matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let last = self.hint(func, b);
        let equal = equals(*first) || equals(op);
        let chains = (orders(*first) || equals(*first))
            && (orders(op) || equals(op))
            && last != Hint::Known(BOOL)
            && !(equal && last == Hint::Unknown);
        if !chains {
            return Ok(());
        }
        let (left, middle, right) = (self.quote(a.at), self.quote(middle.at), self.quote(b.at));
        let text = self.quote(expr.at);
        Err(self.refuse(
            Code::MixedTypes,
            expr.at,
            format!(
                "comparisons do not chain: `{text}` compares the boolean `{left}` with a number"
            ),
            format!("write `{left} and {middle} {} {right}`", op.text()),
        ))
    }
}

/// A power as products, where its exponent is written and small.
fn power_help(base: &str, power: &str) -> Option<String> {
    let simple = base
        .chars()
        .all(|c| c.is_alphanumeric() || "_.[]".contains(c));
    let base = if simple || base.starts_with('(') {
        base.to_owned()
    } else {
        format!("({base})")
    };
    match power {
        "2" | "2.0" => Some(format!("write `{base} * {base}`")),
        "3" | "3.0" => Some(format!("write `{base} * {base} * {base}`")),
        "0.5" => Some(format!("write `f32.sqrt({base})`")),
        _ => None,
    }
}
