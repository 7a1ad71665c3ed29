//! Scalar operations, constants and names as Rust text.

use nupp_core::ir::entity::Scalar;
use nupp_core::ir::flow::Const;
use nupp_core::ir::op::ScalarOp;

/// The Rust type of a scalar.
pub fn scalar_type(ty: Scalar) -> &'static str {
    match ty {
        Scalar::F32 => "f32",
        Scalar::I32 => "i32",
        Scalar::U32 => "u32",
        Scalar::Bool => "bool",
    }
}

/// The Rust identifier of an authored name.
pub fn ident(name: &str) -> String {
    const KEYWORDS: &[&str] = &[
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do",
        "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in",
        "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
        "return", "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe",
        "unsized", "use", "virtual", "where", "while", "yield",
    ];
    if KEYWORDS.contains(&name) {
        format!("r#{name}")
    } else {
        name.to_owned()
    }
}

/// A constant, typed. A float is written in decimal only where that is short and plainly exact.
pub fn literal(c: Const) -> String {
    match c.ty {
        Scalar::Bool => (c.bits != 0).to_string(),
        Scalar::U32 => format!("{}_u32", grouped(&c.bits.to_string())),
        Scalar::I32 => {
            let n = c.bits.cast_signed();
            let sign = if n < 0 { "-" } else { "" };
            format!("{sign}{}_i32", grouped(&n.unsigned_abs().to_string()))
        }
        Scalar::F32 => {
            let x = f32::from_bits(c.bits);
            if x.abs() < 1000.0 && (x * 64.0).fract() == 0.0 && x.fract().to_string().len() <= 6 {
                format!("{x:?}_f32")
            } else {
                let hex = format!("{:08x}", c.bits);
                format!("f32::from_bits(0x{}_{})", &hex[..4], &hex[4..])
            }
        }
    }
}

/// Digits in groups of three, from five digits on.
fn grouped(digits: &str) -> String {
    if digits.len() < 5 {
        return digits.to_owned();
    }
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('_');
        }
        out.push(digit);
    }
    out
}

/// Text that may stand before a method's dot.
fn receiver(text: &str) -> String {
    if text.starts_with('-') {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

/// An operation as a Rust expression over the texts of its operands; `isa` is the path of the
/// width's operations. Booleans are `bool` here.
pub fn expression(op: ScalarOp, args: &[String], isa: &str) -> String {
    use ScalarOp as O;
    let arg = |i: usize| args.get(i).map_or("", String::as_str);
    let infix = |symbol: &str| format!("{} {symbol} {}", arg(0), arg(1));
    let prefix = |symbol: &str| format!("{symbol}{}", receiver(arg(0)));
    let method = |name: &str| match args.len() {
        1 => format!("{}.{name}()", receiver(arg(0))),
        _ => format!("{}.{name}({})", receiver(arg(0)), arg(1)),
    };
    let call = |path: &str| format!("{path}({})", args.join(", "));
    let ours = |name: &str| format!("rt::{name}({})", args.join(", "));
    let width = |name: &str| format!("{isa}::{name}({})", args.join(", "));
    match op {
        O::F32Add => infix("+"),
        O::F32Sub => infix("-"),
        O::F32Mul => infix("*"),
        O::F32Div => infix("/"),
        O::F32Sqrt => method("sqrt"),
        O::F32Fma => width("fma"),
        O::F32Min => ours("f32_min"),
        O::F32Max => ours("f32_max"),
        O::F32Neg => prefix("-"),
        O::F32Abs => method("abs"),
        O::F32CopySign => ours("f32_copy_sign"),
        O::F32Floor => width("floor"),
        O::F32Ceil => width("ceil"),
        O::F32Trunc => width("trunc"),
        O::F32Round => width("round"),
        O::Math(_) => {
            let (name, args) = (runtime_name(op), args.join(", "));
            format!("rt::{name}::<{}>({args})", width_type(isa))
        }
        O::F32Eq => ours("f32_eq"),
        O::F32Lt | O::U32Lt | O::I32Lt => infix("<"),
        O::F32Le | O::U32Le | O::I32Le => infix("<="),
        O::F32IsNan => method("is_nan"),
        O::F32IsInf => method("is_infinite"),
        O::F32FromBits => call("f32::from_bits"),
        O::F32ToBits => ours("f32_to_bits"),
        O::F32FromI32 => ours("f32_from_i32"),
        O::F32FromU32 => ours("f32_from_u32"),
        O::F32FromF16 => ours("f32_from_f16"),
        O::F32ToF16 => ours("f32_to_f16"),
        O::F32FromBf16 => ours("f32_from_bf16"),
        O::F32ToBf16 => ours("f32_to_bf16"),
        O::U32WrapF32 => ours("u32_wrap"),
        O::U32SaturateF32 => ours("u32_saturate"),
        O::I32WrapF32 => ours("i32_wrap"),
        O::I32SaturateF32 => ours("i32_saturate"),
        O::U32FromI32 => method("cast_unsigned"),
        O::I32FromU32 => method("cast_signed"),
        O::U32Add | O::I32Add => method("wrapping_add"),
        O::U32Sub | O::I32Sub => method("wrapping_sub"),
        O::U32Mul | O::I32Mul => method("wrapping_mul"),
        O::U32Div => ours("u32_div"),
        O::U32Mod => ours("u32_mod"),
        O::I32Div => ours("i32_div"),
        O::I32Mod => ours("i32_mod"),
        O::I32Neg => method("wrapping_neg"),
        O::U32Min | O::I32Min => method("min"),
        O::U32Max | O::I32Max => method("max"),
        O::U32And | O::I32And | O::BoolAnd => infix("&"),
        O::U32Or | O::I32Or | O::BoolOr => infix("|"),
        O::U32Xor | O::I32Xor | O::BoolXor => infix("^"),
        O::U32Not | O::I32Not | O::BoolNot => prefix("!"),
        O::U32Shl | O::I32Shl => method("wrapping_shl"),
        O::U32Shr | O::I32Shr => method("wrapping_shr"),
        // The standard library takes rotation counts modulo 32.
        O::U32RotateLeft => method("rotate_left"),
        O::U32RotateRight => method("rotate_right"),
        O::U32Popcount => method("count_ones"),
        O::U32LeadingZeros => method("leading_zeros"),
        O::U32TrailingZeros => method("trailing_zeros"),
        O::U32MulHigh => ours("u32_mul_high"),
        O::I32MulHigh => ours("i32_mul_high"),
        O::U32Eq | O::I32Eq => infix("=="),
        O::F32Select | O::U32Select | O::I32Select | O::BoolSelect => {
            format!("if {} {{ {} }} else {{ {} }}", arg(0), arg(1), arg(2))
        }
        O::F32RawBits => method("to_bits"),
    }
}

/// The type of a width, of the path to its operations: `I`, or what `<I as rt::Isa>` names.
pub fn width_type(isa: &str) -> &str {
    let qualified = isa.strip_prefix('<').and_then(|rest| rest.split_once(' '));
    qualified.map_or(isa, |(ty, _)| ty)
}

/// The runtime's function that does an operation on a block of lanes, where it has one: the rare
/// branch of a correctly rounded function is then taken once a block.
pub fn block_function(op: ScalarOp) -> Option<String> {
    matches!(op, ScalarOp::Math(_)).then(|| format!("rt::{}_block", runtime_name(op)))
}

fn runtime_name(op: ScalarOp) -> String {
    op.name().replace('.', "_")
}
