//! Expressions that give a value: names, fields, numbers; and the type a context needs.
//!
//! [`Checker::value`] is the one way in. With `want` it answers a value of exactly that type; a
//! number takes it, and a counted-loop variable that is never negative turns into uint32.

use super::func::{Binding, Func, Zone};
use super::library::{self, Module};
use super::literal::ConstValue;
use super::names::closest;
use super::paths::Path;
use super::types::{BOOL, F32, I32, U32, constant, local};
use super::{Checked, Checker, Item, Reported, fold};
use crate::diag::{Code, Diagnostic};
use crate::hir::{Expr, ExprKind, LocalId, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast;
use nupp_ir::ir::entity::Scalar;
use nupp_ir::ir::op::ScalarOp;

impl Checker<'_> {
    /// Checks an expression, which must have the type `want` where there is one.
    pub(super) fn value(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
        want: Option<Ty>,
    ) -> Checked<Expr> {
        let mut value = self.any_value(func, expr, want)?;
        value.at = expr.at;
        match want {
            Some(want) => self.expect(func, value, want),
            None => Ok(value),
        }
    }

    fn any_value(&mut self, func: &mut Func, expr: &ast::Expr, want: Option<Ty>) -> Checked<Expr> {
        if let Some(literal) = self.signed_literal(func, expr) {
            let literal = literal?;
            return match want {
                Some(want) => self.typed(&literal, want, expr.at),
                None if literal.float_only => self.typed(&literal, F32, expr.at),
                None => Err(self.ambiguous(expr.at)),
            };
        }
        match &expr.kind {
            ast::ExprKind::Bool(value) => Ok(constant(Scalar::Bool, u32::from(*value), expr.at)),
            ast::ExprKind::Name(name) => self.name(func, name, expr.at),
            ast::ExprKind::Field(base, field) => self.field(func, expr, base, field),
            ast::ExprKind::Index(base, index) => self.load(func, base, index, expr.at),
            ast::ExprKind::Call(callee, args) => self.call(func, expr, callee, args, want),
            ast::ExprKind::Unary(op, at, of) => self.unary(func, expr, (*op, *at), of, want),
            ast::ExprKind::Binary(op, at, a, b) => {
                self.binary(func, expr, (*op, *at), [a, b], want)
            }
            ast::ExprKind::Method(base, name, args) => {
                Err(self.method_as_value(func, base, name, args, expr.at))
            }
            ast::ExprKind::Str(_) => Err(self.refuse(
                Code::StrayString,
                expr.at,
                "strings are only messages of guards",
                "remove it, or write it in a guard: `assert(#a == #b, \"a and b differ in length\")`",
            )),
            ast::ExprKind::Function(_) => Err(self.refuse(
                Code::NotAValue,
                expr.at,
                "a function is no value here",
                "declare a helper in the block: `local function name(x: float): float ... end`",
            )),
            // The parser makes no other number than `signed_literal` reads.
            ast::ExprKind::Number(_) => Err(self.ambiguous(expr.at)),
        }
    }

    /// Reports a number whose type nothing decides.
    pub(super) fn ambiguous(&mut self, at: SrcSpan) -> Reported {
        let text = self.quote(at);
        let bits = text.contains(['~', '&', '|']) || text.contains("<<") || text.contains(">>");
        let digits = text.bytes().all(|c| c.is_ascii_digit());
        let help = match &self.declared {
            Some((name, value)) if *value == at && digits => format!(
                "write `local {name} = {text}.0` for a float, `local {name}: int32 = {text}` or \
                 `local {name}: uint32 = {text}` for an integer"
            ),
            Some((name, value)) if *value == at => {
                let others = if bits { "`int32`" } else { "`int32`, `float`" };
                format!("write a type, `local {name}: uint32 = {text}` (or {others})")
            }
            _ if digits => format!("write `{text}.0`, `i32.wrap({text})` or `u32.wrap({text})`"),
            _ => format!("write `i32.wrap({text})` or `u32.wrap({text})`"),
        };
        let message = format!("nothing here says which type `{text}` has");
        self.refuse(Code::AmbiguousLiteral, at, message, help)
    }

    /// Makes sure of a value's type.
    pub(super) fn expect(&mut self, func: &Func, value: Expr, want: Ty) -> Checked<Expr> {
        if value.ty == want {
            return Ok(value);
        }
        if want == U32 && is_counter(func, &value) {
            return Ok(fold::op(ScalarOp::U32FromI32, vec![value]));
        }
        let (have, need) = (self.type_name(value.ty), self.type_name(want));
        let text = self.quote(value.at);
        let message = format!("`{text}` is `{have}`, and `{need}` is needed here");
        let help = self.conversion(&text, value.ty, want);
        Err(self.refuse(Code::WrongType, value.at, message, help))
    }

    /// What to write to have a value in another type.
    pub(super) fn conversion(&self, text: &str, have: Ty, want: Ty) -> String {
        match (have, want) {
            (I32, F32) => format!("write `f32.fromI32({text})`"),
            (U32, F32) => format!("write `f32.fromU32({text})`"),
            (I32, U32) => format!("write `u32.wrap({text})`, which keeps the bits"),
            (U32, I32) => format!("write `i32.wrap({text})`, which keeps the bits"),
            (F32, U32) => format!(
                "write `u32.saturate({text})`, which truncates and clamps, or `u32.wrap({text})`"
            ),
            (F32, I32) => format!(
                "write `i32.saturate({text})`, which truncates and clamps, or `i32.wrap({text})`"
            ),
            (BOOL, F32) => format!("write `gpu.select({text}, 1.0, 0.0)`"),
            (BOOL, Ty::Scalar(_)) => format!("write `gpu.select({text}, 1, 0)`"),
            (F32, BOOL) => format!("compare it: `{text} ~= 0.0`"),
            (_, BOOL) if !matches!(have, Ty::Struct(_)) => format!("compare it: `{text} ~= 0`"),
            (Ty::Struct(id), _) => match self.structs[id.index()].fields.first() {
                Some((field, _)) => format!("take a field of it: `{text}.{}`", field.text),
                None => "take a field of it".to_owned(),
            },
            (_, Ty::Struct(_)) => {
                format!("build one, field by field: `{}(...)`", self.type_name(want))
            }
            (Ty::Scalar(_), Ty::Scalar(_)) => {
                format!("write a value of type `{}`", self.type_name(want))
            }
        }
    }

    fn name(&mut self, func: &Func, name: &str, at: SrcSpan) -> Checked<Expr> {
        match func.lookup(name) {
            Some(Binding::Local(id)) => return Ok(local(id, func.local_ty(id), at)),
            Some(Binding::Poison) => return Err(Reported),
            Some(Binding::Span(_)) => {
                let message = format!("`{name}` is a span, which is no value");
                let help = format!(
                    "write `{name}[{}]` for an element, `#{name}` for its length",
                    func.numbers.index
                );
                return Err(self.refuse(Code::NotAValue, at, message, help));
            }
            Some(Binding::Scratch(_)) => {
                let message = format!("`{name}` is a scratch array, which is no value");
                let help = format!(
                    "write `{name}[{}]` for a slot, in a phase",
                    func.numbers.lane
                );
                return Err(self.refuse(Code::NotAValue, at, message, help));
            }
            Some(Binding::Phases) => return Err(self.phases_escape(name, at)),
            None => {}
        }
        let what = match self.items.get(name).map(|(item, _)| item.clone()) {
            Some(Item::Const(ConstValue::Typed(ty, bits))) => return Ok(constant(ty, bits, at)),
            Some(Item::Poison) => return Err(Reported),
            // An exact constant was read as a number before.
            Some(Item::Const(ConstValue::Exact(_))) => return Err(self.ambiguous(at)),
            Some(Item::Struct(_)) => ("a struct type", format!("build one: `{name}(...)`")),
            Some(Item::Helper(_)) => ("a helper", format!("call it: `{name}(...)`")),
            Some(Item::Kernel) => ("a kernel", "kernels are called from Rust".to_owned()),
            Some(Item::Module(_)) => (
                "a module",
                format!("name a member of it: `{name}.add(a, b)`"),
            ),
            None => match Module::of_default(name) {
                Some(_) => (
                    "a module",
                    format!("name a member of it: `{name}.add(a, b)`"),
                ),
                None => return Err(self.unknown_name(func, name, at)),
            },
        };
        let message = format!("`{name}` is {}, which is no value", what.0);
        Err(self.refuse(Code::NotAValue, at, message, what.1))
    }

    /// Reports that `phases` is used other than by a method call.
    pub(super) fn phases_escape(&mut self, name: &str, at: SrcSpan) -> Reported {
        self.refuse(
            Code::PhasesEscape,
            at,
            format!("`{name}` cannot be stored, passed or returned"),
            format!(
                "call a method of it in the controller: `{name}:run(function(localIndex) ... end)`"
            ),
        )
    }

    /// Reports a name that means nothing where a value is needed.
    pub(super) fn unknown_name(&mut self, func: &Func, name: &str, at: SrcSpan) -> Reported {
        let help = format!("declare it first: `local {name}: float = ...`");
        self.unknown_name_or(func, name, at, help)
    }

    /// Reports a name that means nothing where a span is needed.
    pub(super) fn unknown_span(&mut self, func: &Func, name: &str, at: SrcSpan) -> Reported {
        let help = format!("declare it as a parameter: `borrows {name}: span.Span<float>`");
        self.unknown_name_or(func, name, at, help)
    }

    /// Reports a name that means nothing; `help` is for one that is close to no other.
    pub(super) fn unknown_name_or(
        &mut self,
        func: &Func,
        name: &str,
        at: SrcSpan,
        help: String,
    ) -> Reported {
        if let Some(reported) = self.refused_by_name(name, at) {
            return reported;
        }
        let between = matches!(func.zone, Zone::Controller | Zone::Prologue | Zone::Combine);
        if between && name == "localIndex" {
            return self.refuse(
                Code::UnknownName,
                at,
                "`localIndex` is known only inside a phase: between phases a group has no lane",
                "move what needs it into `phases:run(function(localIndex) ... end)`",
            );
        }
        let ended = func.ended.iter().rev().copied();
        if let Some(id) = ended
            .into_iter()
            .find(|id| func.locals[id.index()].name.text == name)
        {
            return self.ended_local(func, id, at);
        }
        let items: Vec<String> = self.items.keys().cloned().collect();
        let near = closest(name, func.visible().chain(items.iter().map(String::as_str)));
        let library = library::ROWS.iter().find(|row| row.name == name);
        let special = super::foreign::special_help(None, name);
        let help = match (near, library) {
            _ if special.is_some() => special.unwrap_or_default(),
            (_, Some(row)) => format!("did you mean `{}.{name}`?", row.module.name()),
            (Some(near), None) => format!("did you mean `{near}`?"),
            (None, None) => help,
        };
        self.refuse(
            Code::UnknownName,
            at,
            format!("`{name}` is not known here"),
            help,
        )
    }

    /// Reports a local of a phase that is named after it.
    fn ended_local(&mut self, func: &Func, id: LocalId, at: SrcSpan) -> Reported {
        let local = &func.locals[id.index()];
        let (name, lane) = (&local.name.text, &func.numbers.lane);
        let initial = match local.ty {
            F32 => "0.0".to_owned(),
            I32 => "i32.wrap(0)".to_owned(),
            Ty::Struct(of) => format!("{}(...)", self.structs[of.index()].name.text),
            Ty::Scalar(_) => "u32.wrap(0)".to_owned(),
        };
        let help = format!(
            "keep it in a slot of scratch: declare `local {name} = {}:scratch({initial}, {})` at the \
             controller's top, and write `{name}[{lane}]` there and here",
            func.numbers.phases, func.size
        );
        let message = format!("`{name}` ended with the phase that declared it");
        let mistake = Diagnostic::new(Code::UnknownName, at, message)
            .note(
                Some(local.name.at),
                format!("`{name}` is a local of this phase"),
            )
            .help(help);
        self.report(mistake)
    }

    fn field(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
        base: &ast::Expr,
        field: &ast::Name,
    ) -> Checked<Expr> {
        let member = expr.path().and_then(|names| self.path(Some(func), &names));
        match member {
            Some(Path::Member(module, name)) => {
                if library::names(module).contains(&name.text.as_str()) {
                    let message =
                        format!("`{}` is a function, which is no value", self.quote(expr.at));
                    let help = format!("call it: `{}(...)`", self.quote(expr.at));
                    return Err(self.refuse(Code::NotAValue, expr.at, message, help));
                }
                return Err(self.unknown_member(module, &name));
            }
            Some(Path::Module) => {
                let message = format!("`{}` is a module, which is no value", self.quote(expr.at));
                return Err(self.refuse(
                    Code::NotAValue,
                    expr.at,
                    message,
                    "name a function of it",
                ));
            }
            None => {}
        }
        if let ast::ExprKind::Name(first) = &base.kind
            && first == "math"
            && func.lookup(first).is_none()
            && let Some(help) = super::foreign::special_help(None, &field.text)
        {
            let message = format!("`{}` is not known here", self.quote(expr.at));
            return Err(self.refuse(Code::UnknownName, expr.at, message, help));
        }
        let base = self.value(func, base, None)?;
        let (index, ty) = self.field_of(&base, field)?;
        Ok(Expr {
            ty: Ty::Scalar(ty),
            kind: ExprKind::Field(Box::new(base), index),
            at: expr.at,
        })
    }

    /// A field of a struct value.
    pub(super) fn field_of(&mut self, base: &Expr, field: &ast::Name) -> Checked<(u32, Scalar)> {
        let Ty::Struct(id) = base.ty else {
            let message = format!(
                "`{}` is `{}`, which has no fields",
                self.quote(base.at),
                self.type_name(base.ty)
            );
            return Err(self.refuse(
                Code::UnknownField,
                field.at,
                message,
                "only structs have fields; remove the `.` and what follows it",
            ));
        };
        let def = &self.structs[id.index()];
        let found = def
            .fields
            .iter()
            .position(|(name, _)| name.text == field.text);
        if let Some(index) = found {
            return Ok((index as u32, def.fields[index].1));
        }
        let names: Vec<&str> = def
            .fields
            .iter()
            .map(|(name, _)| name.text.as_str())
            .collect();
        let help = match closest(&field.text, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its fields are `{}`", names.join("`, `")),
        };
        let message = format!("`{}` has no field `{}`", def.name.text, field.text);
        Err(self.refuse(Code::UnknownField, field.at, message, help))
    }
}

/// Whether a value is a counted-loop variable that may stand where uint32 is needed.
pub(super) fn is_counter(func: &Func, value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Local(id) if func.facts[id.index()].counter)
}
