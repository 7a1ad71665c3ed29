//! Prints typed expressions as an author would write them, for messages.
//!
//! It prints what a reader needs to find the expression again, not a program: casts that the
//! language makes by itself are left out.

use nupp_core::ir::entity::Scalar;
use nupp_core::ir::op::ScalarOp;
use nupp_front::hir::{Arg, ArrayRef, Expr, ExprKind, Function, KernelDef, LocalId, Program, Ty};
use nupp_front::span::SrcSpan;

/// Names to print with: those of one function.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    /// The block.
    pub program: &'a Program,
    /// The kernel, for its scratch arrays.
    pub kernel: &'a KernelDef,
    /// The function the expression stands in.
    pub func: &'a Function,
}

fn infix(op: ScalarOp) -> Option<(&'static str, u8)> {
    use ScalarOp as O;
    Some(match op {
        O::F32Add | O::U32Add | O::I32Add => ("+", 8),
        O::F32Sub | O::U32Sub | O::I32Sub => ("-", 8),
        O::F32Mul | O::U32Mul | O::I32Mul => ("*", 9),
        O::F32Div => ("/", 9),
        O::F32Eq | O::U32Eq | O::I32Eq => ("==", 3),
        O::F32Lt | O::U32Lt | O::I32Lt => ("<", 3),
        O::F32Le | O::U32Le | O::I32Le => ("<=", 3),
        O::U32Or | O::I32Or => ("|", 4),
        O::U32Xor | O::I32Xor => ("~", 5),
        O::U32And | O::I32And => ("&", 6),
        O::U32Shl | O::I32Shl => ("<<", 7),
        O::U32Shr | O::I32Shr => (">>", 7),
        O::BoolXor => ("~=", 3),
        _ => return None,
    })
}

impl Names<'_> {
    /// The expression as text.
    pub(crate) fn expr(&self, e: &Expr) -> String {
        self.at(e, 0)
    }

    /// A parameter's name.
    pub(crate) fn param(&self, id: nupp_front::hir::ParamId) -> &str {
        self.func
            .params
            .get(id.index())
            .map_or("?", |p| &p.name.text)
    }

    /// A scratch array's name.
    pub(crate) fn array(&self, array: ArrayRef) -> String {
        match array {
            ArrayRef::Param(id) => self.param(id).to_string(),
            ArrayRef::Scratch(at) => match &self.kernel.shape {
                nupp_front::hir::Shape::Workgroups(w) => w
                    .scratch
                    .get(at as usize)
                    .map_or_else(String::new, |s| s.name.text.clone()),
                nupp_front::hir::Shape::Map { .. } => String::new(),
            },
        }
    }

    fn at(&self, e: &Expr, level: u8) -> String {
        let (text, own) = self.text(e);
        if own < level {
            format!("({text})")
        } else {
            text
        }
    }

    fn list(&self, args: &[Expr]) -> String {
        let all: Vec<String> = args.iter().map(|a| self.at(a, 0)).collect();
        all.join(", ")
    }

    fn text(&self, e: &Expr) -> (String, u8) {
        const WHOLE: u8 = 12;
        let binary = |a: &Expr, sign: &str, b: &Expr, level: u8| {
            let text = format!("{} {sign} {}", self.at(a, level), self.at(b, level + 1));
            (text, level)
        };
        match &e.kind {
            ExprKind::Const(bits) => (constant(e.ty, *bits), WHOLE),
            ExprKind::Local(id) => (self.func.locals[id.index()].name.text.clone(), WHOLE),
            ExprKind::Length(id) => (format!("#{}", self.param(*id)), 10),
            ExprKind::And(a, b) | ExprKind::Or(a, b) if checks_sign(a, b) => self.text(b),
            ExprKind::And(a, b) => binary(a, "and", b, 2),
            ExprKind::Or(a, b) => binary(a, "or", b, 1),
            ExprKind::Select(c, x, y) => {
                let text = format!(
                    "{} and {} or {}",
                    self.at(c, 2),
                    self.at(x, 3),
                    self.at(y, 2)
                );
                (text, 1)
            }
            ExprKind::Load(id, index) => {
                (format!("{}[{}]", self.param(*id), self.at(index, 0)), WHOLE)
            }
            ExprKind::SlotLoad(array, index) => (
                format!("{}[{}]", self.array(*array), self.at(index, 0)),
                WHOLE,
            ),
            ExprKind::Field(of, field) => (
                format!("{}.{}", self.at(of, WHOLE), self.field(of.ty, *field)),
                WHOLE,
            ),
            ExprKind::Struct(id, fields) => {
                let name = self.program.structs.get(id.index());
                let name = name.map_or("", |s| s.name.text.as_str());
                (format!("{name}({})", self.list(fields)), WHOLE)
            }
            ExprKind::Call(id, args) => {
                let name = self.program.helpers.get(id.index());
                let name = name.map_or("", |h| h.name.text.as_str());
                let args: Vec<String> = args.iter().map(|a| self.arg(a)).collect();
                (format!("{name}({})", args.join(", ")), WHOLE)
            }
            ExprKind::Let(id, value, body) => self.text(&substituted(body, *id, value)),
            ExprKind::Op(op, args) => self.operation(*op, args, e.at),
        }
    }

    fn operation(&self, op: ScalarOp, args: &[Expr], at: SrcSpan) -> (String, u8) {
        match (op, args) {
            (ScalarOp::U32FromI32, [a]) if at != a.at => {
                (format!("u32.wrap({})", self.at(a, 0)), 12)
            }
            (ScalarOp::I32FromU32, [a]) if at != a.at => {
                (format!("i32.wrap({})", self.at(a, 0)), 12)
            }
            (ScalarOp::U32FromI32 | ScalarOp::I32FromU32, [a]) => self.text(a),
            (ScalarOp::BoolNot, [a]) if equality(a).is_some() => {
                let (a, b) = equality(a).unwrap_or((a, a));
                (format!("{} ~= {}", self.at(a, 3), self.at(b, 4)), 3)
            }
            (ScalarOp::BoolNot, [a]) => (format!("not {}", self.at(a, 10)), 10),
            (ScalarOp::F32Neg | ScalarOp::I32Neg, [a]) => (format!("-{}", self.at(a, 10)), 10),
            (op, [a, b]) if infix(op).is_some() => {
                let (sign, level) = infix(op).unwrap_or(("", 0));
                let text = format!("{} {sign} {}", self.at(a, level), self.at(b, level + 1));
                (text, level)
            }
            (op, args) => (format!("{}({})", op.name(), self.list(args)), 12),
        }
    }

    fn field(&self, ty: Ty, field: u32) -> String {
        match ty {
            Ty::Struct(id) => self
                .program
                .structs
                .get(id.index())
                .and_then(|s| s.fields.get(field as usize))
                .map_or_else(String::new, |f| f.0.text.clone()),
            Ty::Scalar(_) => String::new(),
        }
    }

    fn arg(&self, arg: &Arg) -> String {
        match arg {
            Arg::Value(e) => self.at(e, 0),
            Arg::Span(id) => self.param(*id).to_string(),
            Arg::Array(array) => self.array(*array),
        }
    }
}

/// The operands of an equality.
fn equality(e: &Expr) -> Option<(&Expr, &Expr)> {
    use ScalarOp::{F32Eq, I32Eq, U32Eq};
    match &e.kind {
        ExprKind::Op(F32Eq | I32Eq | U32Eq, args) => Some((&args[0], &args[1])),
        _ => None,
    }
}

/// Whether `a` is the question for the sign that `check` puts before a comparison of an int32 with
/// a uint32: its zero stands where the whole comparison does, since nobody wrote it.
fn checks_sign(a: &Expr, b: &Expr) -> bool {
    let ExprKind::Op(ScalarOp::I32Lt | ScalarOp::I32Le, args) = &a.kind else {
        return false;
    };
    args.iter().any(|zero| {
        let unwritten = zero.at.first <= b.at.first && b.at.last <= zero.at.last;
        matches!(zero.kind, ExprKind::Const(0)) && unwritten
    })
}

/// An expression with a local's value in its place.
fn substituted(e: &Expr, id: LocalId, value: &Expr) -> Expr {
    let within = |e: &Expr| substituted(e, id, value);
    let boxed = |e: &Expr| Box::new(within(e));
    let kind = match &e.kind {
        ExprKind::Local(local) if *local == id => return value.clone(),
        ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Length(_) | ExprKind::Call(..) => {
            return e.clone();
        }
        ExprKind::Op(op, args) => ExprKind::Op(*op, args.iter().map(within).collect()),
        ExprKind::Struct(of, args) => ExprKind::Struct(*of, args.iter().map(within).collect()),
        ExprKind::And(a, b) => ExprKind::And(boxed(a), boxed(b)),
        ExprKind::Or(a, b) => ExprKind::Or(boxed(a), boxed(b)),
        ExprKind::Let(other, a, b) => ExprKind::Let(*other, boxed(a), boxed(b)),
        ExprKind::Select(a, b, c) => ExprKind::Select(boxed(a), boxed(b), boxed(c)),
        ExprKind::Load(span, index) => ExprKind::Load(*span, boxed(index)),
        ExprKind::SlotLoad(array, index) => ExprKind::SlotLoad(*array, boxed(index)),
        ExprKind::Field(of, field) => ExprKind::Field(boxed(of), *field),
    };
    Expr { kind, ..e.clone() }
}

fn constant(ty: Ty, bits: u32) -> String {
    match ty {
        Ty::Scalar(Scalar::F32) => format!("{:?}", f32::from_bits(bits)),
        Ty::Scalar(Scalar::I32) => (bits as i32).to_string(),
        Ty::Scalar(Scalar::Bool) => (bits != 0).to_string(),
        Ty::Scalar(Scalar::U32) | Ty::Struct(_) => bits.to_string(),
    }
}
