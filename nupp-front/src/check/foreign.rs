//! What a user of Rust or of Lua would write for a value: `float(x)`, `max(a, b)`, `NaN`. Each is refused with what it is called here, chosen by the types of the
//! operands; no help names a function that this release does not have.

use super::func::Func;
use super::hint::Hint;
use super::library::{self, Module, Row};
use super::types::{BOOL, F32, I32, U32, scalar_of_name};
use super::{Checked, Checker, Reported};
use crate::diag::Code;
use crate::hir::Ty;
use crate::syntax::ast::{self, BinaryOp, ExprKind};
use crate::syntax::print;

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
pub(super) fn module_of(ty: Ty) -> Option<Module> {
    match ty {
        F32 => Some(Module::F32),
        I32 => Some(Module::I32),
        U32 => Some(Module::U32),
        Ty::Scalar(_) | Ty::Struct(_) => None,
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
            let (named, negative) = match &side.kind {
                ExprKind::Unary(ast::UnaryOp::Neg, _, of) => (&**of, true),
                _ => (side, false),
            };
            let Some(names) = named.path() else { continue };
            let known = func.lookup(&names[0].text).is_some()
                || names.len() == 1 && self.items.contains_key(&names[0].text);
            let module = match (names.as_slice(), known) {
                (_, true) => continue,
                ([_], false) => None,
                ([first, _], false) => Module::of_default(&first.text),
                _ => continue,
            };
            let last = &names[names.len() - 1].text;
            let negative = negative != last.to_lowercase().starts_with("neg");
            let text = self.quote(other.at);
            let (test, what) = match special(module, last) {
                Some(Special::NaN) => {
                    let not = if op == BinaryOp::Ne { "not " } else { "" };
                    let test = format!("{not}f32.isNaN({text})");
                    (test, "nothing equals NaN, not even NaN")
                }
                Some(Special::Infinity) => {
                    let test = infinite(&text, op, negative, std::ptr::eq(side, a));
                    (test, "infinity has no name")
                }
                Some(Special::Written(_)) | None => continue,
            };
            let test = match op {
                BinaryOp::Eq => print::in_place(self.source.tokens(), expr.at, test),
                _ => test,
            };
            let help = format!("write `{test}`");
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
        if let ("bool" | "boolean" | "tobool", [arg]) = (name, args) {
            let text = self.quote(arg.at);
            let zero = match self.hint(func, arg) {
                Hint::Known(F32) => "0.0",
                _ => "0",
            };
            return Some(Ok(format!("write `{text} ~= {zero}`")));
        }
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
            format!("`{}` is no function of the language", name.text)
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

/// A comparison of a float with an infinity, which stands on the left or on the right.
fn infinite(text: &str, op: BinaryOp, negative: bool, left: bool) -> String {
    let side = if negative { "<" } else { ">" };
    let bits = if negative { "0xff800000" } else { "0x7f800000" };
    let value = format!("f32.fromBits({bits})");
    match op {
        BinaryOp::Eq => format!("f32.isInf({text}) and {text} {side} 0.0"),
        BinaryOp::Ne => format!("not (f32.isInf({text}) and {text} {side} 0.0)"),
        _ if left => format!("{value} {} {text}", op.text()),
        _ => format!("{text} {} {value}", op.text()),
    }
}

/// A power as products, where its exponent is written and small.
pub(super) fn power_help(base: &str, power: &str) -> Option<String> {
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
