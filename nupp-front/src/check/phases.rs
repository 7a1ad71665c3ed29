//! What a controller does with its `phases`: runs and trees; and `output:scatter`.
//!
//! A phase is an immediate function of the lane's number. It sees the controller's locals and may
//! not assign them; no `break`, `continue` or `return` leaves it.

use super::func::{Binding, Func, Zone};
use super::hint::elem_ty;
use super::paths::TypeForm;
use super::types::{F32, I32, U32};
use super::{Checked, Checker, Reported};
use crate::diag::{Code, Diagnostic};
use crate::hir::{ArrayRef, Block, Expr, LocalId, StmtKind, TreeCall, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast;
use nupp_ir::ir::kernel::Access;
use nupp_ir::ir::op::ScalarOp as S;

/// The methods of `phases`.
pub(super) const METHODS: [&str; 8] = [
    "run",
    "scratch",
    "reduceSum",
    "reduceMin",
    "reduceMax",
    "reduce",
    "inclusiveScan",
    "exclusiveScan",
];

impl Checker<'_> {
    /// A method call as a statement.
    pub(super) fn method_stmt(
        &mut self,
        func: &mut Func,
        call: &ast::Expr,
        base: &ast::Expr,
        name: &ast::Name,
        args: &[ast::Expr],
    ) -> Checked<StmtKind> {
        let bound = match &base.kind {
            ast::ExprKind::Name(text) => match func.lookup(text) {
                None if !self.items.contains_key(text) => {
                    return Err(self.unknown_span(func, text, base.at));
                }
                bound => bound,
            },
            _ => None,
        };
        match bound {
            Some(Binding::Poison) => Err(Reported),
            Some(Binding::Phases) => self.phases_method(func, call.at, name, args),
            Some(Binding::Span(span)) if name.text == "scatter" => {
                if func.span(span).1 == Access::Read {
                    let text = self.quote(base.at);
                    let message = format!("`{text}` is borrowed and can only be read");
                    let elem = self.type_name(elem_ty(func.span(span).0));
                    let help = format!("declare it `exclusive {text}: span.WriteSpan<{elem}>`");
                    return Err(self.refuse(Code::ReadSpanWritten, base.at, message, help));
                }
                self.scatter(func, call.at, (span, base.at), args)
            }
            _ => Err(self.method_as_value(func, base, name, args, call.at)),
        }
    }

    fn scatter(
        &mut self,
        func: &mut Func,
        at: SrcSpan,
        (span, base): (crate::hir::ParamId, SrcSpan),
        args: &[ast::Expr],
    ) -> Checked<StmtKind> {
        let text = self.quote(base);
        let [index, value] = args else {
            return Err(self.refuse(
                Code::ScatterForm,
                at,
                "`scatter` takes an element's number and its value",
                format!("write `{text}:scatter(cursor + 1, value)`"),
            ));
        };
        if !Self::lanes_touch_memory(func.zone) {
            return Err(self.refuse(
                Code::ControllerWrites,
                at,
                format!("`{text}` is written between phases, where no lane owns an element"),
                format!(
                    "scatter in a phase: `{}:run(function(localIndex) ... end)`",
                    func.numbers.phases
                ),
            ));
        }
        let ty = elem_ty(func.span(span).0);
        let index = self.value(func, index, Some(U32));
        let value = self.value(func, value, Some(ty));
        Ok(StmtKind::Scatter {
            span,
            index: index?,
            value: value?,
        })
    }

    fn phases_method(
        &mut self,
        func: &mut Func,
        at: SrcSpan,
        name: &ast::Name,
        args: &[ast::Expr],
    ) -> Checked<StmtKind> {
        if let Some(reported) = self.refused_by_name(&name.text, name.at) {
            return Err(reported);
        }
        if !METHODS.contains(&name.text.as_str()) {
            return Err(self.unknown_phases_method(name));
        }
        if name.text == "scratch" {
            let text = self.quote(at);
            return Err(self.scratch_place(func, &text, at));
        }
        func.has_phase = true;
        if func.zone != Zone::Controller {
            return Err(self.refuse(
                Code::PhasePlace,
                at,
                "a phase cannot start inside another: all lanes of the group meet between them",
                "end this phase first, and write the next one in the controller",
            ));
        }
        match name.text.as_str() {
            "run" => self.run(func, at, args),
            "reduce" => self.reduce_with(func, at, args),
            _ => self.tree(func, at, name, args),
        }
    }

    /// Reports a method that `phases` does not have.
    pub(super) fn unknown_phases_method(&mut self, name: &ast::Name) -> Reported {
        let help = match super::names::closest(&name.text, METHODS) {
            Some(near) => format!("did you mean `phases:{near}`?"),
            None => format!("it has `{}`", METHODS.join("`, `")),
        };
        let message = format!("`phases` has no method `{}`", name.text);
        self.refuse(Code::UnknownFunction, name.at, message, help)
    }

    fn run(&mut self, func: &mut Func, at: SrcSpan, args: &[ast::Expr]) -> Checked<StmtKind> {
        let [callback] = args else {
            return Err(self.callback_form(at));
        };
        let ast::ExprKind::Function(phase) = &callback.kind else {
            let text = self.quote(callback.at);
            return Err(self.refuse(
                Code::PhaseCallback,
                callback.at,
                format!("`{text}` is no immediate function, and a phase is one"),
                "write its body here: `phases:run(function(localIndex) ... end)`",
            ));
        };
        let [local] = phase.params.as_slice() else {
            return Err(self.callback_form(at));
        };
        if phase.body.stmts.is_empty() {
            return Err(self.refuse(
                Code::EmptyPhase,
                at,
                "this phase does nothing",
                "give it a statement, or remove it",
            ));
        }
        self.refuse_param_type(local, "uint32", |form| form == TypeForm::Value(U32));
        self.refuse_taken(&local.name);
        // The controller's loops are out of reach.
        let loops = std::mem::take(&mut func.loops);
        func.zone = Zone::Phase;
        func.push_scope();
        let id = func.declare(&local.name, U32, true);
        func.numbers.lane.clone_from(&local.name.text);
        let first = func.locals.len() as u32;
        let body = self.block(func, &phase.body);
        func.ended
            .extend((first..func.locals.len() as u32).map(LocalId));
        func.pop_scope();
        func.zone = Zone::Controller;
        func.loops = loops;
        Ok(StmtKind::Run { local: id, body })
    }

    fn callback_form(&mut self, at: SrcSpan) -> Reported {
        self.refuse(
            Code::PhaseCallback,
            at,
            "`run` takes one function of the lane's number",
            "write `phases:run(function(localIndex) ... end)`",
        )
    }

    /// The array a tree works on.
    fn tree_array(&mut self, func: &mut Func, expr: &ast::Expr) -> Checked<u32> {
        let bound = match &expr.kind {
            ast::ExprKind::Name(name) => match func.lookup(name) {
                None => return Err(self.unknown_name(func, name, expr.at)),
                bound => bound,
            },
            _ => None,
        };
        let text = self.quote(expr.at);
        let index = match bound {
            Some(Binding::Scratch(ArrayRef::Scratch(index))) => index,
            Some(Binding::Poison) => return Err(Reported),
            _ => {
                return Err(self.refuse(
                    Code::TreeArray,
                    expr.at,
                    format!("`{text}` is no scratch array"),
                    "write the name of an array made by `phases:scratch`",
                ));
            }
        };
        let def = func.scratch[index as usize].clone();
        let ty = elem_ty(def.elem);
        if let Ty::Struct(_) = ty {
            let message = format!(
                "`{text}` has `{}` elements, and trees work on numbers",
                self.type_name(ty)
            );
            let diagnostic = Diagnostic::new(Code::TreeArray, expr.at, message)
                .help("make an array for each field")
                .note(Some(def.name.at), format!("`{text}` is declared here"));
            return Err(self.report(diagnostic));
        }
        if !def.count.is_power_of_two() {
            let message = format!(
                "`{text}` has {} slots, and a tree needs a power of two",
                def.count
            );
            let help = format!(
                "declare it with {} slots; the initial value fills the rest",
                def.count.next_power_of_two()
            );
            let diagnostic = Diagnostic::new(Code::TreeArray, expr.at, message)
                .help(help)
                .note(Some(def.name.at), format!("`{text}` is declared here"));
            return Err(self.report(diagnostic));
        }
        Ok(index)
    }

    fn tree(
        &mut self,
        func: &mut Func,
        at: SrcSpan,
        name: &ast::Name,
        args: &[ast::Expr],
    ) -> Checked<StmtKind> {
        let scans = name.text == "inclusiveScan";
        let (array, temporary) = match args {
            [array] => (array, None),
            [array, temporary] if scans => (array, Some(temporary)),
            _ => {
                let message = format!("`{}` takes a scratch array", name.text);
                let help = format!("write `phases:{}(values)`", name.text);
                return Err(self.refuse(Code::ArgumentCount, at, message, help));
            }
        };
        let index = self.tree_array(func, array);
        let second = temporary.map(|t| self.tree_array(func, t)).transpose();
        let (index, second) = (index?, second?);
        if let (Some(second), Some(temporary)) = (second, temporary) {
            self.refuse_temporary(func, index, second, temporary.at)?;
        }
        let ty = elem_ty(func.scratch[index as usize].elem);
        let sum = pick(ty, [S::F32Add, S::I32Add, S::U32Add]);
        let kind = match name.text.as_str() {
            "reduceMin" => TreeCall::Reduce(pick(ty, [S::F32Min, S::I32Min, S::U32Min])),
            "reduceMax" => TreeCall::Reduce(pick(ty, [S::F32Max, S::I32Max, S::U32Max])),
            "inclusiveScan" => TreeCall::InclusiveScan(sum, second),
            "exclusiveScan" => TreeCall::ExclusiveScan(sum),
            _ => TreeCall::Reduce(sum),
        };
        Ok(StmtKind::Tree { kind, array: index })
    }

    fn refuse_temporary(
        &mut self,
        func: &Func,
        values: u32,
        temporary: u32,
        at: SrcSpan,
    ) -> Checked<()> {
        let (a, b) = (
            &func.scratch[values as usize],
            &func.scratch[temporary as usize],
        );
        if values == temporary {
            let message = format!("`{}` is both the array and its temporary", a.name.text);
            return Err(self.refuse(
                Code::TreeSame,
                at,
                message,
                "declare a second array of the same size, or leave the temporary out",
            ));
        }
        if (a.elem, a.count) != (b.elem, b.count) {
            let message = format!(
                "`{}` and `{}` differ in element type or size",
                a.name.text, b.name.text
            );
            return Err(self.refuse(
                Code::TreeArray,
                at,
                message,
                "declare both alike, or leave the temporary out",
            ));
        }
        Ok(())
    }

    /// `phases:reduce(array, function(a, b) ... return ... end)`.
    fn reduce_with(
        &mut self,
        func: &mut Func,
        at: SrcSpan,
        args: &[ast::Expr],
    ) -> Checked<StmtKind> {
        let form = "write `phases:reduce(values, function(a, b) return f32.max(a, b) end)`";
        let [array, callback] = args else {
            let message = "`reduce` takes a scratch array and a function of two values";
            return Err(self.refuse(Code::CombineForm, at, message, form));
        };
        let index = self.tree_array(func, array);
        let ast::ExprKind::Function(combine) = &callback.kind else {
            let text = self.quote(callback.at);
            let message = format!("`{text}` is no immediate function");
            return Err(self.refuse(Code::CombineForm, callback.at, message, form));
        };
        let [a, b] = combine.params.as_slice() else {
            let message = "the function of `reduce` takes two values";
            return Err(self.refuse(Code::CombineForm, callback.at, message, form));
        };
        let index = index?;
        let ty = elem_ty(func.scratch[index as usize].elem);
        let name = self.type_name(ty);
        for param in [a, b] {
            self.refuse_param_type(param, &name, |form| form == TypeForm::Value(ty));
            self.refuse_taken(&param.name);
        }
        let Some((last, before)) = combine.body.stmts.split_last() else {
            let message = "the function of `reduce` returns nothing";
            return Err(self.refuse(Code::CombineForm, callback.at, message, form));
        };
        let ast::StmtKind::Return(Some(result)) = &last.kind else {
            let message = "the function of `reduce` ends without a result";
            return Err(self.refuse(Code::CombineForm, last.at, message, form));
        };
        let statements = ast::Block {
            stmts: before.to_vec(),
            at: combine.body.at,
        };
        let loops = std::mem::take(&mut func.loops);
        func.zone = Zone::Combine;
        func.push_scope();
        let params = [a, b].map(|param| func.declare(&param.name, ty, false));
        let body: Block = self.block(func, &statements);
        let result: Checked<Expr> = self.value(func, result, Some(ty));
        func.pop_scope();
        func.zone = Zone::Controller;
        func.loops = loops;
        Ok(StmtKind::Tree {
            kind: TreeCall::ReduceWith {
                a: params[0],
                b: params[1],
                body,
                result: Box::new(result?),
            },
            array: index,
        })
    }
}

/// The operation of an element type; booleans and structs are in no tree.
fn pick(ty: Ty, [float, int, uint]: [S; 3]) -> S {
    match ty {
        F32 => float,
        I32 => int,
        _ => uint,
    }
}
