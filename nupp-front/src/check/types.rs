//! Names of types, as messages print them, and small constructors of typed expressions.
//!
//! Everything here is total and reports nothing. An operation on constants is left to `fold`.

use crate::hir::{Expr, ExprKind, LocalId, Ty};
use crate::span::SrcSpan;
use nupp_ir::ir::entity::Scalar;

/// `float`.
pub(super) const F32: Ty = Ty::Scalar(Scalar::F32);
/// `int32`.
pub(super) const I32: Ty = Ty::Scalar(Scalar::I32);
/// `uint32`.
pub(super) const U32: Ty = Ty::Scalar(Scalar::U32);
/// `boolean`.
pub(super) const BOOL: Ty = Ty::Scalar(Scalar::Bool);

/// A scalar's name in the language.
pub(super) fn scalar_name(ty: Scalar) -> &'static str {
    match ty {
        Scalar::F32 => "float",
        Scalar::I32 => "int32",
        Scalar::U32 => "uint32",
        Scalar::Bool => "boolean",
    }
}

/// The scalar of this name.
pub(super) fn scalar_of_name(name: &str) -> Option<Scalar> {
    match name {
        "float" => Some(Scalar::F32),
        "int32" => Some(Scalar::I32),
        "uint32" => Some(Scalar::U32),
        "boolean" => Some(Scalar::Bool),
        _ => None,
    }
}

/// The library that works on a scalar.
pub(super) fn library_name(ty: Scalar) -> &'static str {
    match ty {
        Scalar::F32 => "f32",
        Scalar::I32 => "i32",
        Scalar::U32 | Scalar::Bool => "u32",
    }
}

/// Whether it is int32 or uint32.
pub(super) fn is_integer(ty: Ty) -> bool {
    matches!(ty, Ty::Scalar(Scalar::I32 | Scalar::U32))
}

/// A constant.
pub(super) fn constant(ty: Scalar, bits: u32, at: SrcSpan) -> Expr {
    Expr {
        ty: Ty::Scalar(ty),
        kind: ExprKind::Const(bits),
        at,
    }
}

/// A local's value.
pub(super) fn local(id: LocalId, ty: Ty, at: SrcSpan) -> Expr {
    Expr {
        ty,
        kind: ExprKind::Local(id),
        at,
    }
}

/// The scalar type of an expression that is known to have one.
pub(super) fn scalar(expr: &Expr) -> Option<Scalar> {
    match expr.ty {
        Ty::Scalar(ty) => Some(ty),
        Ty::Struct(_) => None,
    }
}

/// Whether evaluating it twice costs nothing: a constant, a local, a length, or the same bits of
/// one of them.
pub(super) fn is_simple(expr: &Expr) -> bool {
    use nupp_ir::ir::op::ScalarOp::{I32FromU32, U32FromI32};
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Length(_) => true,
        ExprKind::Op(U32FromI32 | I32FromU32, args) => args.iter().all(is_simple),
        _ => false,
    }
}

/// Whether a helper is called in it, so that its place in the order of evaluation matters.
pub(super) fn has_call(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Length(_) => false,
        ExprKind::Op(_, args) | ExprKind::Struct(_, args) => args.iter().any(has_call),
        ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Let(_, a, b) => {
            has_call(a) || has_call(b)
        }
        ExprKind::Select(a, b, c) => has_call(a) || has_call(b) || has_call(c),
        ExprKind::Load(_, index) | ExprKind::SlotLoad(_, index) => has_call(index),
        ExprKind::Field(of, _) => has_call(of),
        ExprKind::Call(..) => true,
    }
}
