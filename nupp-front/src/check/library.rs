//! The library as a table: one row a function, its parameters, its result and what it is made of.
//!
//! A function is one operation of `ir::op`, or a recipe of a few; a new one is one row here.
//! `quant` is defined here: `signedI4(word, k)` is the nibble `k mod 8` of the word, sign-extended;
//! `dequantizeI4(word, k, scale, zeroPoint)` is `(signedI4(word, k) - zeroPoint) * scale`, the
//! difference in int32 and the product rounded once; `dequantizeI8` the same for byte `k mod 4`.

use super::fold::op;
use super::func::Func;
use super::types::{constant, is_simple, local, scalar};
use crate::hir::{Expr, ExprKind};
use nupp_ir::ir::entity::Scalar;
use nupp_ir::ir::op::ScalarOp;
use nupp_ir::math::Function;

/// A part of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Module {
    /// `f32`, `nupp.math.f32`.
    F32,
    /// `f32.fast`.
    Fast,
    /// `u32`, `nupp.math.u32`.
    U32,
    /// `i32`, `nupp.math.i32`.
    I32,
    /// `quant`, `nupp.quant`.
    Quant,
    /// `gpu`, `nupp.gpu`.
    Gpu,
    /// `span`, `nupp.mem.span`.
    Span,
    /// `nupp.gpu.layout`, host only.
    Layout,
    /// `nupp.mem.array`, host only.
    Array,
}

impl Module {
    /// The name that needs no alias.
    pub fn name(self) -> &'static str {
        match self {
            Module::F32 => "f32",
            Module::Fast => "f32.fast",
            Module::U32 => "u32",
            Module::I32 => "i32",
            Module::Quant => "quant",
            Module::Gpu => "gpu",
            Module::Span => "span",
            Module::Layout => "nupp.gpu.layout",
            Module::Array => "nupp.mem.array",
        }
    }

    /// The module of a path, as `require` and full paths write it.
    pub fn of_path(path: &str) -> Option<Module> {
        Some(match path {
            "nupp.math.f32" => Module::F32,
            "nupp.math.f32.fast" => Module::Fast,
            "nupp.math.u32" => Module::U32,
            "nupp.math.i32" => Module::I32,
            "nupp.quant" => Module::Quant,
            "nupp.gpu" => Module::Gpu,
            "nupp.mem.span" => Module::Span,
            "nupp.gpu.layout" => Module::Layout,
            "nupp.mem.array" => Module::Array,
            _ => return None,
        })
    }

    /// The module of a name that needs no alias.
    pub fn of_default(name: &str) -> Option<Module> {
        Some(match name {
            "f32" => Module::F32,
            "u32" => Module::U32,
            "i32" => Module::I32,
            "quant" => Module::Quant,
            "gpu" => Module::Gpu,
            "span" => Module::Span,
            _ => return None,
        })
    }
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// This scalar.
    Scalar(Scalar),
    /// An int32 or uint32 as a shift count; it arrives as uint32.
    Count,
}

/// How a call is made of operations.
#[derive(Clone, Copy)]
pub(super) enum Make {
    /// One operation.
    Op(ScalarOp),
    /// A recipe over the checked arguments, and what it gives.
    Recipe(Scalar, fn(&mut Func, Vec<Expr>) -> Expr),
}

/// One function.
pub(super) struct Row {
    /// Where it is.
    pub module: Module,
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub params: &'static [Takes],
    /// What it is made of.
    pub make: Make,
}

const F: Takes = Takes::Scalar(Scalar::F32);
const U: Takes = Takes::Scalar(Scalar::U32);
const I: Takes = Takes::Scalar(Scalar::I32);
const C: Takes = Takes::Count;

macro_rules! rows {
    ($( $module:ident { $( $name:ident ($($param:ident),*) = $make:expr; )* } )*) => {
        /// Every function but `wrap` and `narrow`, which take any number.
        pub(super) const ROWS: &[Row] = &[ $( $( Row {
            module: Module::$module,
            name: stringify!($name),
            params: &[$($param),*],
            make: $make,
        }, )* )* ];
    };
}

use Make::{Op, Recipe};
use ScalarOp as S;

rows! {
    F32 {
        add(F, F) = Op(S::F32Add);
        sub(F, F) = Op(S::F32Sub);
        mul(F, F) = Op(S::F32Mul);
        div(F, F) = Op(S::F32Div);
        sqrt(F) = Op(S::F32Sqrt);
        fma(F, F, F) = Op(S::F32Fma);
        min(F, F) = Op(S::F32Min);
        max(F, F) = Op(S::F32Max);
        abs(F) = Op(S::F32Abs);
        copySign(F, F) = Op(S::F32CopySign);
        floor(F) = Op(S::F32Floor);
        ceil(F) = Op(S::F32Ceil);
        trunc(F) = Op(S::F32Trunc);
        round(F) = Op(S::F32Round);
        recip(F) = Recipe(Scalar::F32, recip);
        exp(F) = Op(S::Math(Function::Exp));
        exp2(F) = Op(S::Math(Function::Exp2));
        expm1(F) = Op(S::Math(Function::Expm1));
        log(F) = Op(S::Math(Function::Log));
        log2(F) = Op(S::Math(Function::Log2));
        log10(F) = Op(S::Math(Function::Log10));
        log1p(F) = Op(S::Math(Function::Log1p));
        sin(F) = Op(S::Math(Function::Sin));
        cos(F) = Op(S::Math(Function::Cos));
        tan(F) = Op(S::Math(Function::Tan));
        asin(F) = Op(S::Math(Function::Asin));
        acos(F) = Op(S::Math(Function::Acos));
        atan(F) = Op(S::Math(Function::Atan));
        sinh(F) = Op(S::Math(Function::Sinh));
        cosh(F) = Op(S::Math(Function::Cosh));
        tanh(F) = Op(S::Math(Function::Tanh));
        sigmoid(F) = Op(S::Math(Function::Sigmoid));
        rsqrt(F) = Op(S::Math(Function::Rsqrt));
        cbrt(F) = Op(S::Math(Function::Cbrt));
        hypot(F, F) = Op(S::Math(Function::Hypot));
        pow(F, F) = Op(S::Math(Function::Pow));
        atan2(F, F) = Op(S::Math(Function::Atan2));
        isNaN(F) = Op(S::F32IsNan);
        isInf(F) = Op(S::F32IsInf);
        fromBits(U) = Op(S::F32FromBits);
        toBits(F) = Op(S::F32ToBits);
        fromI32(I) = Op(S::F32FromI32);
        fromU32(U) = Op(S::F32FromU32);
        fromF16Bits(U) = Op(S::F32FromF16);
        toF16Bits(F) = Op(S::F32ToF16);
        fromBF16Bits(U) = Op(S::F32FromBf16);
        toBF16Bits(F) = Op(S::F32ToBf16);
    }
    Fast {
        exp(F) = Op(S::Math(Function::FastExp));
        exp2(F) = Op(S::Math(Function::FastExp2));
        expm1(F) = Op(S::Math(Function::FastExpm1));
        log(F) = Op(S::Math(Function::FastLog));
        log2(F) = Op(S::Math(Function::FastLog2));
        log10(F) = Op(S::Math(Function::FastLog10));
        log1p(F) = Op(S::Math(Function::FastLog1p));
        sin(F) = Op(S::Math(Function::FastSin));
        cos(F) = Op(S::Math(Function::FastCos));
        tan(F) = Op(S::Math(Function::FastTan));
        asin(F) = Op(S::Math(Function::FastAsin));
        acos(F) = Op(S::Math(Function::FastAcos));
        atan(F) = Op(S::Math(Function::FastAtan));
        sinh(F) = Op(S::Math(Function::FastSinh));
        cosh(F) = Op(S::Math(Function::FastCosh));
        tanh(F) = Op(S::Math(Function::FastTanh));
        sigmoid(F) = Op(S::Math(Function::FastSigmoid));
        rsqrt(F) = Op(S::Math(Function::FastRsqrt));
        cbrt(F) = Op(S::Math(Function::FastCbrt));
        hypot(F, F) = Op(S::Math(Function::FastHypot));
        pow(F, F) = Op(S::Math(Function::FastPow));
        atan2(F, F) = Op(S::Math(Function::FastAtan2));
    }
    U32 {
        add(U, U) = Op(S::U32Add);
        sub(U, U) = Op(S::U32Sub);
        mul(U, U) = Op(S::U32Mul);
        div(U, U) = Op(S::U32Div);
        mod(U, U) = Op(S::U32Mod);
        divCeil(U, U) = Recipe(Scalar::U32, div_ceil);
        min(U, U) = Op(S::U32Min);
        max(U, U) = Op(S::U32Max);
        andBits(U, U) = Op(S::U32And);
        orBits(U, U) = Op(S::U32Or);
        xorBits(U, U) = Op(S::U32Xor);
        notBits(U) = Op(S::U32Not);
        shiftLeft(U, C) = Op(S::U32Shl);
        shiftRightLogical(U, C) = Op(S::U32Shr);
        rotateLeft(U, C) = Op(S::U32RotateLeft);
        rotateRight(U, C) = Op(S::U32RotateRight);
        popcount(U) = Op(S::U32Popcount);
        leadingZeros(U) = Op(S::U32LeadingZeros);
        trailingZeros(U) = Op(S::U32TrailingZeros);
        mulHigh(U, U) = Op(S::U32MulHigh);
        fromI32(I) = Op(S::U32FromI32);
        toI32(U) = Op(S::I32FromU32);
        saturate(F) = Op(S::U32SaturateF32);
    }
    I32 {
        add(I, I) = Op(S::I32Add);
        sub(I, I) = Op(S::I32Sub);
        mul(I, I) = Op(S::I32Mul);
        div(I, I) = Op(S::I32Div);
        mod(I, I) = Op(S::I32Mod);
        min(I, I) = Op(S::I32Min);
        max(I, I) = Op(S::I32Max);
        andBits(I, I) = Op(S::I32And);
        orBits(I, I) = Op(S::I32Or);
        xorBits(I, I) = Op(S::I32Xor);
        notBits(I) = Op(S::I32Not);
        shiftLeft(I, C) = Op(S::I32Shl);
        shiftRightArithmetic(I, C) = Op(S::I32Shr);
        shiftRightLogical(I, C) = Recipe(Scalar::I32, |_, args| through_words(S::U32Shr, args));
        rotateLeft(I, C) = Recipe(Scalar::I32, |_, args| through_words(S::U32RotateLeft, args));
        rotateRight(I, C) = Recipe(Scalar::I32, |_, args| through_words(S::U32RotateRight, args));
        popcount(I) = Recipe(Scalar::I32, |_, args| through_words(S::U32Popcount, args));
        leadingZeros(I) = Recipe(Scalar::I32, |_, args| through_words(S::U32LeadingZeros, args));
        trailingZeros(I) = Recipe(Scalar::I32, |_, args| through_words(S::U32TrailingZeros, args));
        mulHigh(I, I) = Op(S::I32MulHigh);
        fromU32(U) = Op(S::I32FromU32);
        toU32(I) = Op(S::U32FromI32);
        saturate(F) = Op(S::I32SaturateF32);
    }
    Quant {
        signedI4(U, U) = Recipe(Scalar::I32, |_, args| signed_part(4, args));
        dequantizeI4(U, U, F, I) = Recipe(Scalar::F32, |_, args| dequantize(4, args));
        dequantizeI8(U, U, F, I) = Recipe(Scalar::F32, |_, args| dequantize(8, args));
    }
}

/// Functions that take any number and convert it: `f32.narrow`, `u32.wrap`, `i32.wrap`.
pub(super) fn is_conversion(module: Module, name: &str) -> Option<Scalar> {
    match (module, name) {
        (Module::F32, "narrow") => Some(Scalar::F32),
        (Module::U32, "wrap") => Some(Scalar::U32),
        (Module::I32, "wrap") => Some(Scalar::I32),
        _ => None,
    }
}

/// Functions of `gpu`, for spelling help.
pub(super) const GPU: &[&str] = &["workgroups", "select"];

/// The row of a function.
pub(super) fn find(module: Module, name: &str) -> Option<&'static Row> {
    ROWS.iter()
        .find(|row| row.module == module && row.name == name)
}

/// Every name of a module, for spelling help.
pub(super) fn names(module: Module) -> Vec<&'static str> {
    let mut names: Vec<_> = ROWS
        .iter()
        .filter(|row| row.module == module)
        .map(|row| row.name)
        .collect();
    match module {
        Module::F32 => names.push("narrow"),
        Module::U32 | Module::I32 => names.push("wrap"),
        Module::Gpu => names.extend(GPU),
        Module::Fast | Module::Quant | Module::Span | Module::Layout | Module::Array => {}
    }
    names
}

/// Takes the arguments apart; the table's arity was checked by the caller.
fn take<const N: usize>(args: Vec<Expr>) -> [Expr; N] {
    args.try_into()
        .expect("a library call has as many arguments as its row")
}

/// `1 / x`.
fn recip(_: &mut Func, args: Vec<Expr>) -> Expr {
    let [x] = take(args);
    let one = constant(Scalar::F32, 1.0f32.to_bits(), x.at);
    op(S::F32Div, vec![one, x])
}

/// `a / b` rounded up; 0 where b is 0.
fn div_ceil(func: &mut Func, args: Vec<Expr>) -> Expr {
    let [a, b] = take(args);
    named(func, a, |func, a| {
        named(func, b, |_, b| {
            let at = a.at.to(b.at);
            let whole = op(S::U32Div, vec![a.clone(), b.clone()]);
            let rest = op(S::U32Mod, vec![a, b]);
            let none = op(S::U32Eq, vec![rest, constant(Scalar::U32, 0, at)]);
            let more = super::fold::select(
                none,
                constant(Scalar::U32, 0, at),
                constant(Scalar::U32, 1, at),
            );
            op(S::U32Add, vec![whole, more])
        })
    })
}

/// Gives `body` an expression that it may use more than once, naming the value where that saves
/// evaluating it again.
pub(super) fn named(
    func: &mut Func,
    value: Expr,
    body: impl FnOnce(&mut Func, Expr) -> Expr,
) -> Expr {
    if is_simple(&value) {
        return body(func, value);
    }
    let (ty, at) = (value.ty, value.at);
    let id = func.new_local("value", at, ty, true);
    let inner = body(func, local(id, ty, at));
    Expr {
        ty: inner.ty,
        at: inner.at,
        kind: ExprKind::Let(id, Box::new(value), Box::new(inner)),
    }
}

/// An operation on words, between int32 and int32; a count is a word already.
fn through_words(on_words: ScalarOp, args: Vec<Expr>) -> Expr {
    let args = args
        .into_iter()
        .map(|arg| match scalar(&arg) {
            Some(Scalar::I32) => op(S::U32FromI32, vec![arg]),
            _ => arg,
        })
        .collect();
    op(S::I32FromU32, vec![op(on_words, args)])
}

/// The part `k` of `bits` bits of a word, sign-extended.
fn signed_part(bits: u32, args: Vec<Expr>) -> Expr {
    let [word, k] = take(args);
    let at = word.at.to(k.at);
    let number = |value| constant(Scalar::U32, value, at);
    // Moves the part to the top of the word, so that the arithmetic shift extends its sign.
    let k = op(S::U32And, vec![k, number(32 / bits - 1)]);
    let below = op(S::U32Mul, vec![k, number(bits)]);
    let above = op(S::U32Sub, vec![number(32 - bits), below]);
    let top = op(S::U32Shl, vec![word, above]);
    op(
        S::I32Shr,
        vec![op(S::I32FromU32, vec![top]), number(32 - bits)],
    )
}

/// `(part - zeroPoint) * scale`.
fn dequantize(bits: u32, args: Vec<Expr>) -> Expr {
    let [word, k, scale, zero] = take(args);
    let part = signed_part(bits, vec![word, k]);
    let moved = op(S::I32Sub, vec![part, zero]);
    op(S::F32Mul, vec![op(S::F32FromI32, vec![moved]), scale])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_operations_take_what_their_rows_say() {
        for row in ROWS {
            let Make::Op(op) = row.make else { continue };
            let params: Vec<_> = row
                .params
                .iter()
                .map(|takes| match takes {
                    Takes::Scalar(ty) => *ty,
                    Takes::Count => Scalar::U32,
                })
                .collect();
            assert_eq!(params, op.args(), "{}.{}", row.module.name(), row.name);
        }
    }

    /// The signature of a row as the documentation writes it.
    fn signature(row: &Row) -> String {
        let scalar = super::super::types::scalar_name;
        let params = row.params.iter().map(|takes| match takes {
            Takes::Scalar(ty) => scalar(*ty),
            Takes::Count => "count",
        });
        let params: Vec<&str> = params.collect();
        let result = match row.make {
            Make::Op(op) => op.result(),
            Make::Recipe(result, _) => result,
        };
        let (module, params) = (row.module.name(), params.join(", "));
        format!("{module}.{}({params}): {}", row.name, scalar(result))
    }

    #[test]
    fn the_documentation_lists_every_function_and_no_other() {
        let page = include_str!("../../../docs/language.md");
        let (_, section) = page.split_once("\n## Library\n").expect("the section");
        let section = section.split("\n## ").next().unwrap_or("");
        let listed: Vec<&str> = section
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
            .collect();
        let mut known: Vec<String> = ROWS.iter().map(signature).collect();
        known.push("f32.narrow(number): float".to_owned());
        known.push("u32.wrap(number): uint32".to_owned());
        known.push("i32.wrap(number): int32".to_owned());
        known.push("gpu.select(boolean, T, T): T".to_owned());
        let mut listed: Vec<String> = listed.into_iter().map(str::to_owned).collect();
        listed.sort();
        known.sort();
        assert_eq!(listed, known);
    }

    #[test]
    fn no_function_is_listed_twice() {
        for (i, row) in ROWS.iter().enumerate() {
            let same = |other: &Row| (other.module, other.name) == (row.module, row.name);
            assert!(!ROWS[..i].iter().any(same), "{}", row.name);
        }
    }
}
