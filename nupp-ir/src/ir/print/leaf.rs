//! The text of what has no lines of its own: types, constants, leaves, places, certificates and
//! relations of lengths.

use crate::ir::entity::{Scalar, SpanId, Value};
use crate::ir::flow::Const;
use crate::ir::kernel::{CmpOp, Elem, Leaf, LengthCond, LengthSum};
use crate::ir::place::{Certificate, Family, Operand, Place};

pub fn scalar(ty: Scalar) -> &'static str {
    match ty {
        Scalar::F32 => "f32",
        Scalar::I32 => "i32",
        Scalar::U32 => "u32",
        Scalar::Bool => "bool",
    }
}

pub fn elem(elem: Elem) -> String {
    match elem {
        Elem::Scalar(ty) => scalar(ty).into(),
        Elem::Struct(id) => id.to_string(),
    }
}

/// A constant: a float with its bits, since its text alone hides a NaN's.
pub fn constant(c: Const) -> String {
    match c.ty {
        Scalar::F32 => format!("f32 {:?} ({:#010x})", f32::from_bits(c.bits), c.bits),
        Scalar::I32 => format!("i32 {}", c.bits as i32),
        Scalar::U32 => format!("u32 {}", c.bits),
        Scalar::Bool => format!("bool {}", c.bits != 0),
    }
}

pub fn list(values: &[Value]) -> String {
    let list: Vec<String> = values.iter().map(Value::to_string).collect();
    list.join(", ")
}

pub fn print_leaf(leaf: &Leaf) -> String {
    match leaf {
        Leaf::Uniform(id) => id.to_string(),
        Leaf::Length(span) => format!("#{span}"),
        Leaf::Load { place, field } => format!("load {}", access(place, *field)),
        Leaf::Store {
            place,
            field,
            value,
        } => format!("store {value} to {}", access(place, *field)),
        Leaf::Scatter {
            span,
            index,
            proof,
            values,
        } => {
            let proof = certificate(proof);
            format!("scatter {} to {span}[{index}] {proof}", list(values))
        }
    }
}

fn access(place: &Place, field: u32) -> String {
    let (element, proof) = match place {
        Place::Element {
            span,
            offset,
            proof,
        } => {
            let offset = match offset {
                0 => String::new(),
                _ => format!("{offset:+}"),
            };
            (format!("{span}[index{offset}]"), certificate(proof))
        }
        Place::Block {
            span,
            stride,
            slot,
            proof,
            slot_proof,
        } => (
            format!("{span}[index * {stride} + {slot}]"),
            format!("{} {}", certificate(proof), certificate(slot_proof)),
        ),
        Place::At { span, index, proof } => (format!("{span}[{index}]"), certificate(proof)),
        Place::GroupBlock {
            span,
            stride,
            slot,
            proof,
        } => (
            format!("{span}[group * {stride} + {}]", family(*slot)),
            certificate(proof),
        ),
        Place::GroupSlot { span, lane, proof } => {
            (format!("{span}[group, lane {lane}]"), certificate(proof))
        }
        Place::Own { array, slot } => (format!("{array}[{}]", family(*slot)), String::new()),
        Place::Slot {
            array,
            index,
            proof,
        } => (format!("{array}[{index}]"), certificate(proof)),
    };
    let text = format!("{element}.{field} {proof}");
    text.trim_end().to_owned()
}

fn family(family: Family) -> String {
    match family {
        Family::Strided { k } => format!("local + {} * size", operand(k)),
        Family::Blocked { stride, j } => format!("local * {stride} + {}", operand(j)),
    }
}

fn operand(operand: Operand) -> String {
    match operand {
        Operand::Const(n) => n.to_string(),
        Operand::Value(value) => value.to_string(),
    }
}

fn certificate(proof: &Certificate) -> String {
    match proof {
        Certificate::Const => "{const}".into(),
        Certificate::Interval => "{interval}".into(),
        Certificate::Primary => "{primary}".into(),
        Certificate::Cursor { facts } => {
            let fact = |&(value, truth): &(Value, bool)| {
                let not = if truth { "" } else { "not " };
                format!("{not}{value}")
            };
            let facts: Vec<String> = facts.iter().map(fact).collect();
            format!("{{{}}}", facts.join(", "))
        }
        Certificate::Guard { chain } => {
            let chain: Vec<String> = chain.iter().map(|g| format!("guard {g}")).collect();
            format!("{{{}}}", chain.join(", "))
        }
        Certificate::All(list) => {
            let list: Vec<String> = list.iter().map(certificate).collect();
            list.join(" ")
        }
    }
}

pub fn length_cond(cond: &LengthCond) -> String {
    match cond {
        LengthCond::Cmp { op, lhs, rhs } => {
            let op = match op {
                CmpOp::Eq => "==",
                CmpOp::Ne => "~=",
                CmpOp::Lt => "<",
                CmpOp::Le => "<=",
                CmpOp::Gt => ">",
                CmpOp::Ge => ">=",
            };
            format!("{} {op} {}", length_sum(lhs), length_sum(rhs))
        }
        LengthCond::And(a, b) => format!("({} and {})", length_cond(a), length_cond(b)),
        LengthCond::Or(a, b) => format!("({} or {})", length_cond(a), length_cond(b)),
        LengthCond::Not(a) => format!("not ({})", length_cond(a)),
    }
}

fn length_sum(sum: &LengthSum) -> String {
    let term = |&(factor, span): &(i64, SpanId)| match factor {
        1 => format!("#{span}"),
        _ => format!("{factor} * #{span}"),
    };
    let mut parts: Vec<String> = sum.terms.iter().map(term).collect();
    if sum.constant != 0 || parts.is_empty() {
        parts.push(sum.constant.to_string());
    }
    parts.join(" + ")
}
