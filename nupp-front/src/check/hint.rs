//! The type an expression would have without a context, as far as it shows; reports nothing.
//!
//! Operators ask for it before they check their operands, so that a number beside a typed value
//! takes that value's type.

use super::func::{Binding, Func};
use super::library::{self, Make, Module};
use super::literal::ConstValue;
use super::paths::Path;
use super::types::{BOOL, F32, I32, U32};
use super::{Checker, Item};
use crate::hir::Ty;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, NumberValue, UnaryOp};
use nupp_ir::ir::kernel::Elem;

/// What shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    /// Nothing: checking it will report a mistake.
    Unknown,
    /// A number that takes any numeric type.
    Int,
    /// A number that only float takes.
    Float,
    /// A counted-loop variable that is never negative: int32, and uint32 where that is needed.
    Counter,
    /// This type.
    Known(Ty),
}

impl Hint {
    /// What two operands of one type show together.
    pub fn join(self, other: Hint) -> Hint {
        use Hint::{Counter, Float, Int, Known, Unknown};
        match (self, other) {
            (Counter, Known(U32)) | (Known(U32), Counter) => Known(U32),
            (Known(ty), _) | (_, Known(ty)) => Known(ty),
            (Counter, _) | (_, Counter) => Counter,
            (Unknown, _) | (_, Unknown) => Unknown,
            (Float, _) | (_, Float) => Float,
            (Int, Int) => Int,
        }
    }

    /// The type, where it is known.
    pub fn ty(self) -> Option<Ty> {
        match self {
            Hint::Known(ty) => Some(ty),
            Hint::Counter => Some(I32),
            Hint::Float => Some(F32),
            Hint::Unknown | Hint::Int => None,
        }
    }
}

/// An element's type.
pub(super) fn elem_ty(elem: Elem) -> Ty {
    match elem {
        Elem::Scalar(ty) => Ty::Scalar(ty),
        Elem::Struct(id) => Ty::Struct(id),
    }
}

impl Checker<'_> {
    /// What shows of an expression's type.
    pub(super) fn hint(&self, func: &Func, expr: &Expr) -> Hint {
        match &expr.kind {
            ExprKind::Number(number) => match number.value {
                NumberValue::Int(_) => Hint::Int,
                NumberValue::Float(_) => Hint::Float,
            },
            ExprKind::Bool(_) => Hint::Known(BOOL),
            ExprKind::Name(name) => self.hint_name(func, name),
            ExprKind::Field(base, name) => match self.hint(func, base) {
                Hint::Known(Ty::Struct(id)) => {
                    let fields = &self.structs[id.index()].fields;
                    fields
                        .iter()
                        .find(|(field, _)| field.text == name.text)
                        .map_or(Hint::Unknown, |(_, ty)| Hint::Known(Ty::Scalar(*ty)))
                }
                _ => Hint::Unknown,
            },
            ExprKind::Index(base, _) => match &base.kind {
                ExprKind::Name(name) => match func.lookup(name) {
                    Some(Binding::Span(id)) => Hint::Known(elem_ty(func.span(id).0)),
                    Some(Binding::Scratch(array)) => Hint::Known(elem_ty(func.array_elem(array))),
                    _ => Hint::Unknown,
                },
                _ => Hint::Unknown,
            },
            ExprKind::Call(callee, args) => self.hint_call(func, callee, args),
            ExprKind::Unary(op, _, of) => match op {
                UnaryOp::Not => Hint::Known(BOOL),
                UnaryOp::Len => Hint::Known(U32),
                UnaryOp::Neg | UnaryOp::BitNot => self.hint(func, of),
            },
            ExprKind::Binary(op, _, a, b) => self.hint_binary(func, *op, a, b),
            ExprKind::Str(_) | ExprKind::Method(..) | ExprKind::Function(_) => Hint::Unknown,
        }
    }

    pub(super) fn hint_name(&self, func: &Func, name: &str) -> Hint {
        match func.lookup(name) {
            Some(Binding::Local(id)) if func.facts[id.index()].counter => Hint::Counter,
            Some(Binding::Local(id)) => Hint::Known(func.local_ty(id)),
            Some(_) => Hint::Unknown,
            None => match self.items.get(name) {
                Some((Item::Const(ConstValue::Typed(ty, _)), _)) => Hint::Known(Ty::Scalar(*ty)),
                Some((Item::Const(ConstValue::Exact(literal)), _)) => {
                    if literal.float_only {
                        Hint::Float
                    } else {
                        Hint::Int
                    }
                }
                _ => Hint::Unknown,
            },
        }
    }

    fn hint_call(&self, func: &Func, callee: &Expr, args: &[Expr]) -> Hint {
        let Some(names) = callee.path() else {
            return Hint::Unknown;
        };
        match self.path(Some(func), &names) {
            Some(Path::Member(module, name)) => {
                if let Some(ty) = library::is_conversion(module, &name.text) {
                    return Hint::Known(Ty::Scalar(ty));
                }
                if (module, name.text.as_str()) == (Module::Gpu, "select") {
                    return match args {
                        [_, yes, no] => self.hint(func, yes).join(self.hint(func, no)),
                        _ => Hint::Unknown,
                    };
                }
                library::find(module, &name.text).map_or(Hint::Unknown, |row| {
                    Hint::Known(Ty::Scalar(match row.make {
                        Make::Op(op) => op.result(),
                        Make::Recipe(result, _) => result,
                    }))
                })
            }
            Some(Path::Module) => Hint::Unknown,
            None => match self.items.get(&names[0].text) {
                Some((Item::Struct(id), _)) => Hint::Known(Ty::Struct(*id)),
                Some((Item::Helper(id), _)) => {
                    let result = self.signatures[id.index()].result;
                    result.map_or(Hint::Unknown, Hint::Known)
                }
                _ => Hint::Unknown,
            },
        }
    }

    fn hint_binary(&self, func: &Func, op: BinaryOp, a: &Expr, b: &Expr) -> Hint {
        match op {
            BinaryOp::Or => match &a.kind {
                ExprKind::Binary(BinaryOp::And, _, _, yes) => {
                    self.hint(func, yes).join(self.hint(func, b))
                }
                _ => Hint::Known(BOOL),
            },
            BinaryOp::And
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => Hint::Known(BOOL),
            BinaryOp::Shl | BinaryOp::Shr => self.hint(func, a),
            BinaryOp::Div => match self.hint(func, a).join(self.hint(func, b)) {
                Hint::Int => Hint::Float,
                other => other,
            },
            BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::BitAnd
            | BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul => self.hint(func, a).join(self.hint(func, b)),
        }
    }
}
