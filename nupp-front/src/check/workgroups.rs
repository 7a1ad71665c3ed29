//! Workgroup kernels: guards, initialised locals, then one `gpu.workgroups(groups, size,
//! function(groupIndex, phases) ... end)`, last.
//!
//! Group count and size are forms, not values: the count is `u32.div` or `u32.divCeil` of a span's
//! length by a constant, directly or through one local, and the size is a constant.

use super::func::{Binding, Func, GroupRule, Zone};
use super::kernel::Head;
use super::library::Module;
use super::paths::{Path, TypeForm};
use super::types::U32;
use super::{Checker, Reported};
use crate::diag::Code;
use crate::hir::{Block, Workgroups};
use crate::span::SrcSpan;
use crate::syntax::ast::{self, StmtKind, UnaryOp};
use nupp_ir::limits::MAX_GROUP_SIZE;

impl Checker<'_> {
    /// Checks a kernel that calls `gpu.workgroups` among the statements after its guards.
    pub(super) fn workgroups(&mut self, func: &mut Func, head: &Head<'_>) -> Option<Workgroups> {
        let call = head
            .rest
            .iter()
            .position(|stmt| self.workgroups_call(func, stmt).is_some())?;
        func.zone = Zone::Prologue;
        let mut prologue = Block::default();
        for stmt in &head.rest[..call] {
            prologue.stmts.extend(self.prologue_stmt(func, stmt));
        }
        let stmt = &head.rest[call];
        let args = self.workgroups_call(func, stmt).unwrap_or_default();
        let made = self.workgroups_parts(func, stmt.at, args);
        for stmt in &head.rest[call + 1..] {
            self.after_workgroups(func, stmt);
        }
        let mut made = made?;
        made.prologue = prologue;
        Some(made)
    }

    fn prologue_stmt(&mut self, func: &mut Func, stmt: &ast::Stmt) -> Vec<crate::hir::Stmt> {
        let before = self.diags.len();
        let block = ast::Block {
            stmts: vec![stmt.clone()],
            at: stmt.at,
        };
        let made = self.block(func, &block);
        if !matches!(stmt.kind, StmtKind::Local(..)) && self.diags.len() == before {
            self.refuse(
                Code::BesideWorkgroups,
                stmt.at,
                "only guards and initialised locals stand before `gpu.workgroups`",
                "move it into the controller, `function(groupIndex, phases) ... end`",
            );
        }
        made.stmts
    }

    fn after_workgroups(&mut self, func: &Func, stmt: &ast::Stmt) {
        if self.workgroups_call(func, stmt).is_some() {
            self.stray_workgroups(func, stmt.at);
            return;
        }
        self.refuse(
            Code::BesideWorkgroups,
            stmt.at,
            "nothing follows `gpu.workgroups`, since its groups run in no order",
            "move it into the controller, or into a second kernel",
        );
    }

    /// Reports a `gpu.workgroups` that is not the kernel's one.
    pub(super) fn stray_workgroups(&mut self, func: &Func, at: SrcSpan) -> Reported {
        let (code, message, help) = match func.zone {
            Zone::Helper | Zone::Map => (
                Code::WorkgroupsForm,
                "`gpu.workgroups` stands at the top level of a kernel",
                "write it as the kernel's last statement, after its guards and locals",
            ),
            _ => (
                Code::SecondWorkgroups,
                "a kernel calls `gpu.workgroups` once",
                "write a second kernel and dispatch it after this one; buffers stay on the device",
            ),
        };
        self.refuse(code, at, message, help)
    }

    fn workgroups_parts(
        &mut self,
        func: &mut Func,
        at: SrcSpan,
        args: &[ast::Expr],
    ) -> Option<Workgroups> {
        let [groups, size, controller] = args else {
            self.refuse(
                Code::WorkgroupsForm,
                at,
                "`gpu.workgroups` takes the number of groups, their size, and the controller",
                "write `gpu.workgroups(groups, size, function(groupIndex, phases) ... end)`",
            );
            return None;
        };
        let rule = self.groups(func, groups);
        let size = self.group_size(func, size);
        func.size = size.unwrap_or(MAX_GROUP_SIZE);
        let ast::ExprKind::Function(controller) = &controller.kind else {
            let text = self.quote(controller.at);
            self.refuse(
                Code::WorkgroupsForm,
                controller.at,
                format!("`{text}` is no immediate function"),
                "write the controller here: `function(groupIndex, phases) ... end`",
            );
            return None;
        };
        func.zone = Zone::Controller;
        func.push_scope();
        let group = self.controller_params(func, controller, at);
        let before = self.diags.len();
        let body = self.block(func, &controller.body);
        func.pop_scope();
        // A mistake in it may be why no phase was seen.
        if !func.has_phase && group.is_some() && self.diags.len() == before {
            self.refuse(
                Code::NoPhase,
                at,
                "this controller has no phase, so its lanes do nothing",
                "add one: `phases:run(function(localIndex) ... end)`",
            );
        }
        let rule = rule?;
        Some(Workgroups {
            span: rule.span,
            divisor: rule.divisor,
            ceil: rule.ceil,
            size: size?,
            prologue: Block::default(),
            group: group?,
            scratch: std::mem::take(&mut func.scratch),
            body,
            at,
        })
    }

    fn controller_params(
        &mut self,
        func: &mut Func,
        controller: &ast::FunctionLit,
        at: SrcSpan,
    ) -> Option<crate::hir::LocalId> {
        let [group, phases] = controller.params.as_slice() else {
            for param in &controller.params {
                func.bind(&param.name.text, Binding::Poison);
            }
            // What has no name here would be called unknown all over the body.
            func.bind("groupIndex", Binding::Poison);
            func.bind("phases", Binding::Poison);
            self.refuse(
                Code::WorkgroupsForm,
                at,
                format!(
                    "the controller takes the group's number and its phases, and this one takes {}",
                    super::library_call::counted(controller.params.len())
                        .replace("argument", "parameter")
                ),
                "write `function(groupIndex, phases) ... end`",
            );
            return None;
        };
        if group.name.text == phases.name.text {
            let text = &group.name.text;
            func.bind(text, Binding::Poison);
            func.bind("phases", Binding::Poison);
            let message = format!("two parameters are called `{text}`");
            let help = "write `function(groupIndex, phases)`";
            self.refuse(Code::DuplicateName, phases.name.at, message, help);
            return None;
        }
        self.refuse_param_type(group, "uint32", |form| form == TypeForm::Value(U32));
        self.refuse_param_type(phases, "gpu.Phases", |form| form == TypeForm::Phases);
        self.refuse_taken(&group.name);
        let id = func.declare(&group.name, U32, true);
        func.bind(&phases.name.text, Binding::Phases);
        func.numbers.phases.clone_from(&phases.name.text);
        Some(id)
    }

    /// Refuses a written type other than the one a parameter has.
    pub(super) fn refuse_param_type(
        &mut self,
        param: &ast::LocalName,
        name: &str,
        right: impl Fn(TypeForm) -> bool,
    ) {
        let Some(ty) = &param.ty else { return };
        let of = format!("`{}`", param.name.text);
        let Ok(form) = self.type_form(ty, &of) else {
            return;
        };
        if right(form) {
            return;
        }
        let message = format!(
            "`{}` is `{name}`, not `{}`",
            param.name.text,
            self.quote(ty.at)
        );
        let help = format!("write `{}: {name}`, or leave the type out", param.name.text);
        self.refuse(Code::WrongType, ty.at, message, help);
    }

    fn group_size(&mut self, func: &mut Func, size: &ast::Expr) -> Option<u32> {
        let text = self.quote(size.at);
        let help = "write a constant from 1 to 256: `256`, or a `const SIZE = 256`";
        if let Some(literal) = self.exact(func, size) {
            let value = literal.ok()?;
            let whole = value.value.to_int().filter(|_| !value.float_only);
            let inside = whole.and_then(|v| u32::try_from(v).ok());
            return match inside.filter(|v| (1..=MAX_GROUP_SIZE).contains(v)) {
                Some(value) => Some(value),
                None => {
                    let message = format!("a group has 1 to 256 lanes, and this one has `{text}`");
                    let large = inside.is_some_and(|size| size > MAX_GROUP_SIZE);
                    let help = if large {
                        format!(
                            "write `256`, here and wherever else `{text}` stands for the size: in \
                             `groupIndex * {text}`, in the number of groups and in the slots of scratch"
                        )
                    } else {
                        help.to_owned()
                    };
                    self.refuse(Code::GroupSize, size.at, message, help);
                    None
                }
            };
        }
        match self.constant_u32(func, size) {
            Some(Ok(value)) if (1..=MAX_GROUP_SIZE).contains(&value) => Some(value),
            Some(Ok(value)) => {
                let message = format!("a group has 1 to 256 lanes, and this one has {value}");
                self.refuse(Code::GroupSize, size.at, message, help);
                None
            }
            Some(Err(Reported)) => None,
            None => {
                let message = format!("`{text}` is no constant, and a group's size is one");
                self.refuse(Code::GroupSize, size.at, message, help);
                None
            }
        }
    }

    fn groups(&mut self, func: &mut Func, groups: &ast::Expr) -> Option<GroupRule> {
        if let Some(rule) = self.group_rule(func, groups) {
            return Some(rule);
        }
        let before = self.diags.len();
        // A mistake inside it is worth more than the form.
        if self.value(func, groups, Some(U32)).is_ok() && self.diags.len() == before {
            let text = self.quote(groups.at);
            self.refuse(
                Code::GroupCount,
                groups.at,
                format!("the number of groups follows from a span's length, and `{text}` does not show it"),
                "write `u32.div(u32.wrap(#input), 256)`, or `u32.divCeil`, directly or through one \
                 `local`",
            );
        }
        None
    }

    /// The rule that an expression counts groups by; reports nothing.
    pub(super) fn group_rule(&mut self, func: &Func, expr: &ast::Expr) -> Option<GroupRule> {
        match &expr.kind {
            ast::ExprKind::Name(name) => match func.lookup(name) {
                Some(Binding::Local(id)) => func.facts[id.index()].rule,
                _ => None,
            },
            ast::ExprKind::Call(callee, args) => {
                let names = callee.path()?;
                let Some(Path::Member(Module::U32, name)) = self.path(Some(func), &names) else {
                    return None;
                };
                let ceil = match name.text.as_str() {
                    "div" => false,
                    "divCeil" => true,
                    _ => return None,
                };
                let [length, divisor] = args.as_slice() else {
                    return None;
                };
                let span = self.wrapped_span(func, length)?;
                let divisor = self.quiet_u32(func, divisor).filter(|d| *d > 0)?;
                Some(GroupRule {
                    span,
                    divisor,
                    ceil,
                })
            }
            _ => None,
        }
    }

    /// The span of `u32.wrap(#s)` or `#s`.
    fn wrapped_span(&self, func: &Func, expr: &ast::Expr) -> Option<crate::hir::ParamId> {
        match &expr.kind {
            ast::ExprKind::Unary(UnaryOp::Len, _, of) => match &of.kind {
                ast::ExprKind::Name(name) => match func.lookup(name) {
                    Some(Binding::Span(id)) => Some(id),
                    _ => None,
                },
                _ => None,
            },
            ast::ExprKind::Call(callee, args) => {
                let names = callee.path()?;
                match (self.path(Some(func), &names), args.as_slice()) {
                    (Some(Path::Member(Module::U32, name)), [arg]) if name.text == "wrap" => {
                        self.wrapped_span(func, arg)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A constant uint32, without a word about anything else.
    fn quiet_u32(&mut self, func: &Func, expr: &ast::Expr) -> Option<u32> {
        let before = self.diags.len();
        let exact = self.exact(func, expr).and_then(Result::ok);
        self.diags.truncate(before);
        if let Some(literal) = exact.filter(|l| !l.float_only) {
            return literal
                .value
                .to_int()
                .and_then(|value| u32::try_from(value).ok());
        }
        match &expr.kind {
            ast::ExprKind::Name(name) if func.lookup(name).is_none() => {
                match self.items.get(name) {
                    Some((super::Item::Const(super::literal::ConstValue::Typed(ty, bits)), _)) => {
                        (*ty == nupp_ir::ir::entity::Scalar::U32).then_some(*bits)
                    }
                    _ => None,
                }
            }
            ast::ExprKind::Call(callee, args) => {
                let names = callee.path()?;
                match (self.path(Some(func), &names), args.as_slice()) {
                    (Some(Path::Member(Module::U32, name)), [arg]) if name.text == "wrap" => {
                        self.quiet_u32(func, arg)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
