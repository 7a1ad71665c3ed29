//! Prints a kernel's guards: exact comparisons of lengths, or, on the CPU alone, any condition.

use super::fun::Fun;
use super::scalar;
use nupp_core::ir::kernel::{CmpOp, Guard, GuardCond, LengthCond, LengthSum};

/// The check of one guard; it returns the guard's error where it does not hold.
pub fn check(fun: &mut Fun<'_>, guard: &Guard) {
    let holds = match &guard.cond {
        GuardCond::Lengths(cond) => {
            let text = condition(cond, Place::Top);
            fun.out.line(format!("let holds = {text};"));
            "holds".to_owned()
        }
        GuardCond::Scalar(region) => {
            scalar::region(fun, region);
            region
                .yields
                .first()
                .map_or("true".to_owned(), |&v| fun.name(v))
        }
    };
    let kernel = &fun.kernel.name;
    let message = match &guard.message {
        Some(message) => format!("rt::Some({message:?})"),
        None => "rt::None".to_owned(),
    };
    let lengths: Vec<String> = fun
        .kernel
        .spans
        .iter()
        .enumerate()
        .map(|(s, span)| format!("({:?}, n{s})", span.name))
        .collect();
    let lengths = lengths.join(", ");
    let text = &guard.text;
    fun.out.open(format!("if !{holds} {{"));
    fun.out.line(format!(
        "return rt::Err(rt::guard_failed({kernel:?}, {message}, {text:?}, &[{lengths}]));"
    ));
    fun.out.close("}");
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Top,
    Inside,
}

fn condition(cond: &LengthCond, place: Place) -> String {
    let wrap = |text: String| match place {
        Place::Top => text,
        Place::Inside => format!("({text})"),
    };
    let pair = |a: &LengthCond, b: &LengthCond, symbol: &str| {
        let (a, b) = (condition(a, Place::Inside), condition(b, Place::Inside));
        format!("{a} {symbol} {b}")
    };
    match cond {
        LengthCond::Cmp { op, lhs, rhs } => wrap(comparison(*op, lhs, rhs)),
        LengthCond::And(a, b) => wrap(pair(a, b, "&&")),
        LengthCond::Or(a, b) => wrap(pair(a, b, "||")),
        LengthCond::Not(inner) => format!("!{}", condition(inner, Place::Inside)),
    }
}

fn comparison(op: CmpOp, lhs: &LengthSum, rhs: &LengthSum) -> String {
    let symbol = match op {
        CmpOp::Eq => "==",
        CmpOp::Ne => "!=",
        CmpOp::Lt => "<",
        CmpOp::Le => "<=",
        CmpOp::Gt => ">",
        CmpOp::Ge => ">=",
    };
    match (plain(lhs), plain(rhs)) {
        (Some(a), Some(b)) => format!("{a} {symbol} {b}"),
        _ => format!("{} {symbol} {}", sum(lhs), sum(rhs)),
    }
}

/// A single length, which needs no wider integers.
fn plain(sum: &LengthSum) -> Option<String> {
    match (sum.terms.as_slice(), sum.constant) {
        ([(1, span)], 0) => Some(format!("n{}", span.0)),
        _ => None,
    }
}

/// In 128 bits nothing can overflow: 64-bit factors, 32-bit lengths, at most 16 spans.
fn sum(sum: &LengthSum) -> String {
    let mut parts: Vec<String> = sum
        .terms
        .iter()
        .map(|(factor, span)| format!("rt::term({factor}, n{})", span.0))
        .collect();
    if sum.constant != 0 || parts.is_empty() {
        parts.push(format!("rt::term({}, 1)", sum.constant));
    }
    parts.join(" + ")
}
