//! Functions that other languages have and this library does not, each with the expression that is
//! written for it, of the caller's own operands.

use super::func::Func;
use super::hint::Hint;
use super::library::Module;
use super::types::{F32, I32, U32};
use super::{Checker, foreign};
use crate::span::SrcSpan;
use crate::syntax::ast::{self, ExprKind};
use crate::syntax::print;

/// The functions of floats that are written with an operator, not as another call.
const OPERATORS: [&str; 14] = [
    "mod",
    "fmod",
    "rem",
    "modulo",
    "remeuclid",
    "floormod",
    "fract",
    "frac",
    "degrees",
    "todegrees",
    "radians",
    "toradians",
    "isfinite",
    "ldexp",
];

/// The arguments of a call as text.
struct Args {
    /// As they stand.
    whole: Vec<String>,
    /// With parentheses where they hold an operator.
    part: Vec<String>,
}

impl Checker<'_> {
    /// Help for a call of a function that the library lacks; nothing where it is unknown elsewhere
    /// too. `module` is none for a bare name.
    pub(super) fn absent(
        &self,
        func: &Func,
        module: Option<Module>,
        name: &str,
        call: (SrcSpan, &[ast::Expr]),
    ) -> Option<String> {
        let (at, given) = call;
        let args = self.texts(given);
        let hints = given.iter().map(|arg| self.hint(func, arg));
        let module = match module {
            Some(Module::Fast) => Module::F32,
            Some(module) => module,
            None => hints
                .reduce(Hint::join)
                .and_then(Hint::ty)
                .and_then(foreign::module_of)
                .unwrap_or(Module::F32),
        };
        let name = name.to_lowercase().replace('_', "");
        let power = given.get(1).map(|power| self.hint(func, power));
        let text = match module {
            Module::F32 => float(&name, &args, power)?,
            Module::U32 | Module::I32 => integer(&name, module.name(), &args)?,
            _ => return None,
        };
        if let Some(several) = text.strip_prefix('!') {
            return Some(several.to_owned());
        }
        let text = if OPERATORS.contains(&name.as_str()) && module == Module::F32 {
            print::in_place(self.source.tokens(), at, text)
        } else {
            text
        };
        Some(format!("write `{text}`"))
    }

    fn texts(&self, args: &[ast::Expr]) -> Args {
        let whole: Vec<String> = args.iter().map(|arg| self.quote(arg.at)).collect();
        let part = args.iter().zip(&whole).map(|(arg, text)| match arg.kind {
            ExprKind::Binary(..) | ExprKind::Unary(..) if !text.starts_with('(') => {
                format!("({text})")
            }
            _ => text.clone(),
        });
        Args {
            part: part.collect(),
            whole,
        }
    }
}

/// What is written for a function of floats. A text that starts with `!` is a whole help.
fn float(name: &str, args: &Args, power: Option<Hint>) -> Option<String> {
    let whole: Vec<&str> = args.whole.iter().map(String::as_str).collect();
    let part: Vec<&str> = args.part.iter().map(String::as_str).collect();
    Some(match (name, whole.as_slice(), part.as_slice()) {
        ("mod" | "fmod" | "rem" | "modulo", _, [x, y]) => {
            format!("{x} - {y} * f32.trunc({x} / {y})")
        }
        ("remeuclid" | "floormod", _, [x, y]) => format!("{x} - {y} * f32.floor({x} / {y})"),
        ("clamp", [x, low, high], _) => format!("f32.min(f32.max({x}, {low}), {high})"),
        ("saturate" | "clamp01", [x], _) => format!("f32.min(f32.max({x}, 0.0), 1.0)"),
        ("fract" | "frac", [whole], [x]) => format!("{x} - f32.floor({whole})"),
        ("lerp" | "mix", [a, b, t], [first, ..]) => format!("f32.fma({t}, {b} - {first}, {a})"),
        ("sign", [x], _) => {
            format!("gpu.select({x} > 0.0, 1.0, gpu.select({x} < 0.0, -1.0, 0.0))")
        }
        ("signum", [x], _) => format!("f32.copySign(1.0, {x})"),
        ("inversesqrt" | "invsqrt" | "recipsqrt", [x], _) => format!("f32.rsqrt({x})"),
        ("rcp" | "reciprocal" | "inverse", [x], _) => format!("f32.recip({x})"),
        ("rint" | "nearbyint" | "roundeven" | "roundtieseven", [x], _) => format!("f32.round({x})"),
        ("step", [edge, x], _) => format!("gpu.select({x} < {edge}, 0.0, 1.0)"),
        ("smoothstep", _, [low, high, x]) => format!(
            "!write `local t = f32.min(f32.max(({x} - {low}) / ({high} - {low}), 0.0), 1.0)` before it and \
             `(t * t * (3.0 - 2.0 * t))` here"
        ),
        ("degrees" | "todegrees", _, [x]) => format!("{x} * 57.29577951308232"),
        ("radians" | "toradians", _, [x]) => format!("{x} * 0.017453292519943295"),
        _ => return rare(name, args, power),
    })
}

/// The same of functions that few languages have.
fn rare(name: &str, args: &Args, power: Option<Hint>) -> Option<String> {
    let whole: Vec<&str> = args.whole.iter().map(String::as_str).collect();
    let part: Vec<&str> = args.part.iter().map(String::as_str).collect();
    Some(match (name, whole.as_slice(), part.as_slice()) {
        ("mad" | "muladd", [a, b, c], _) => format!("f32.fma({a}, {b}, {c})"),
        ("exp10", [x], _) => format!("f32.pow(10.0, {x})"),
        ("isfinite", [x], _) => format!("not (f32.isNaN({x}) or f32.isInf({x}))"),
        ("ldexp", [_, n], [x, _]) => {
            let n = match power.and_then(Hint::ty) {
                Some(I32) => format!("f32.fromI32({n})"),
                Some(U32) => format!("f32.fromU32({n})"),
                _ => (*n).to_owned(),
            };
            format!("{x} * f32.exp2({n})")
        }
        ("frexp", [x], _) => format!(
            "!of a normal number the fraction is \
             `f32.fromBits(f32.toBits({x}) & 0x807fffff | 0x3f000000)` and the exponent \
             `i32.wrap(f32.toBits({x}) >> 23 & 255) - 126`"
        ),
        ("modf", [whole], [x]) => {
            format!("!the whole part is `f32.trunc({whole})`, the rest `{x} - f32.trunc({whole})`")
        }
        ("sincos", [x], _) => format!("!write `f32.sin({x})` and `f32.cos({x})`"),
        ("powi", [x, n], _)
            if power.and_then(Hint::ty) == Some(F32) || power == Some(Hint::Int) =>
        {
            format!("f32.pow({x}, {n})")
        }
        ("powi", [x, n], _) if power.and_then(Hint::ty) == Some(I32) => {
            format!("f32.pow({x}, f32.fromI32({n}))")
        }
        _ => return None,
    })
}

/// What is written for a function of integers.
fn integer(name: &str, module: &str, args: &Args) -> Option<String> {
    let whole: Vec<&str> = args.whole.iter().map(String::as_str).collect();
    Some(match (name, whole.as_slice()) {
        ("clamp", [x, low, high]) => format!("{module}.min({module}.max({x}, {low}), {high})"),
        ("rem" | "fmod" | "modulo", [x, y]) => format!("{module}.mod({x}, {y})"),
        ("abs", [x]) if module == "i32" => format!("i32.max({x}, 0 - {})", args.part[0]),
        ("sign" | "signum", [x]) if module == "i32" => format!("i32.min(i32.max({x}, -1), 1)"),
        _ => return None,
    })
}
