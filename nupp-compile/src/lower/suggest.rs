//! The test that would prove an element, as text to type.
//!
//! An index is a cursor plus a constant, or the bits of an int32: the one needs `c < #s`, the other
//! two tests, since a negative int32 is a large uint32.

use super::state::Lower;
use nupp_core::ir::op::ScalarOp;
use nupp_front::hir::{Expr, ExprKind, LocalId};

/// What an index adds a constant to.
struct Cursor<'e> {
    /// A uint32, or an int32 that is taken as one.
    base: &'e Expr,
    plus: i64,
    /// The base is an int32 that may be negative.
    signed: bool,
}

/// A sum with a constant, and the constant.
fn split(e: &Expr) -> (&Expr, i64) {
    let ExprKind::Op(op, args) = &e.kind else {
        return (e, 0);
    };
    let sign = match op {
        ScalarOp::U32Add | ScalarOp::I32Add => 1,
        ScalarOp::U32Sub | ScalarOp::I32Sub => -1,
        _ => return (e, 0),
    };
    match (&args[0].kind, &args[1].kind) {
        (_, ExprKind::Const(k)) => (&args[0], sign * i64::from(*k)),
        (ExprKind::Const(k), _) if sign == 1 => (&args[1], i64::from(*k)),
        _ => (e, 0),
    }
}

/// Whether a conversion of an int32 is one that the language made by itself, which it does only
/// where the value is never negative.
pub(crate) fn is_implicit(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Op(ScalarOp::U32FromI32 | ScalarOp::I32FromU32, args) => e.at == args[0].at,
        _ => false,
    }
}

impl<'e> Cursor<'e> {
    fn of(index: &'e Expr) -> Cursor<'e> {
        let (sum, plus) = split(index);
        let ExprKind::Op(ScalarOp::U32FromI32, args) = &sum.kind else {
            return Cursor {
                base: sum,
                plus,
                signed: false,
            };
        };
        let (base, more) = split(&args[0]);
        Cursor {
            base,
            plus: plus + more,
            signed: !is_implicit(sum),
        }
    }
}

impl Lower<'_> {
    /// The test that puts an index, counted from one, inside a span.
    pub(super) fn test_text(&self, index: &Expr, span: &str) -> String {
        let names = self.names();
        if let ExprKind::Const(number) = &index.kind {
            return format!("#{span} >= {}", (*number).max(1));
        }
        let Cursor { base, plus, signed } = Cursor::of(index);
        if plus == 0 && matches!(base.kind, ExprKind::Length(_)) {
            return format!("{} >= 1", names.expr(base));
        }
        let compound = matches!(&base.kind, ExprKind::Or(..) | ExprKind::And(..));
        let base = names.expr(base);
        let base = if compound { format!("({base})") } else { base };
        match plus {
            1 if signed => format!("{base} >= 0 and {base} < #{span}"),
            1 => format!("{base} < #{span}"),
            plus if plus <= 0 => format!("{base} >= {} and {base} <= #{span}", 1 - plus),
            plus => {
                let above = plus - 1;
                let low = if signed {
                    format!("{base} >= 0 and ")
                } else {
                    String::new()
                };
                format!("{low}{above} <= #{span} and {base} < #{span} - {above}")
            }
        }
    }

    /// The index to write instead of one that adds to an int32 before it is taken as a uint32: the
    /// sum may wrap where the same sum of uint32 cannot.
    pub(super) fn rewritten(&self, index: &Expr) -> Option<String> {
        let (sum, outer) = split(index);
        let ExprKind::Op(ScalarOp::U32FromI32, args) = &sum.kind else {
            return None;
        };
        let (base, inner) = split(&args[0]);
        let whole = outer + inner;
        (inner > 1 && whole > 1 && !is_implicit(sum))
            .then(|| format!("u32.wrap({}) + {whole}", self.names().expr(base)))
    }

    /// The slot of a block that an index names, where it can be told from the rest of the sum.
    pub(super) fn slot_of_block(&self, index: &Expr) -> Option<String> {
        let mut terms = Vec::new();
        flatten(index, &mut terms);
        terms.retain(|term| !matches!(term.kind, ExprKind::Const(_)));
        let owner = |term: &&&Expr| {
            matches!(
                term.kind,
                ExprKind::Op(ScalarOp::U32Mul | ScalarOp::U32Shl, _)
            )
        };
        let owners = terms.iter().filter(owner).count();
        terms.retain(|term| !owner(&term));
        match terms.as_slice() {
            [slot] if owners == 1 => Some(self.names().expr(slot)),
            _ => None,
        }
    }

    /// A local of an index, declared under the name of another one that a comparison is about.
    pub(super) fn hidden_local(&self, read: &[LocalId], compared: &[LocalId]) -> Option<LocalId> {
        let locals = &self.names().func.locals;
        let name = |id: &LocalId| locals[id.index()].name.text.as_str();
        let hides = |id: &&LocalId| {
            !compared.contains(id) && compared.iter().any(|other| name(other) == name(id))
        };
        read.iter().find(hides).copied()
    }
}

/// The terms of a sum.
fn flatten<'e>(e: &'e Expr, terms: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Op(ScalarOp::U32Add, args) => args.iter().for_each(|arg| flatten(arg, terms)),
        _ => terms.push(e),
    }
}
