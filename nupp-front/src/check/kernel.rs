//! Kernels: the attribute, the parameters, the guards, and which of the two shapes it is.

use super::Checker;
use super::func::{Func, Zone};
use super::items::name;
use crate::diag::Code;
use crate::hir::{self, KernelDef, ParamId, ParamKind, Shape};
use crate::syntax::ast::{self, StmtKind};
use nupp_ir::ir::kernel::Access;

/// A kernel whose head was checked.
pub(super) struct Head<'k> {
    /// The function.
    pub function: &'k ast::Function,
    /// The first written span.
    pub primary: Option<ParamId>,
    /// Statements after the guards.
    pub rest: &'k [ast::Stmt],
}

impl Checker<'_> {
    /// Checks a kernel.
    pub(super) fn kernel(
        &mut self,
        item: &ast::Item,
        function: &ast::Function,
        docs: Vec<String>,
    ) -> Option<KernelDef> {
        let cpu_only = self.cpu_only(function);
        let public = item.public.is_some();
        let params = self.kernel_params(function, public);
        self.refuse_kernel_result(function);
        let mut func = Func::new(Zone::Guards);
        self.bind_params(&mut func, function, &params, true);
        let writes = |p: &hir::Param| matches!(p.kind, ParamKind::Span(_, Access::Write));
        let primary = params.iter().position(writes).map(|i| ParamId(i as u32));
        let (guards, rest) = self.guards(&mut func, &function.body, cpu_only);
        let head = Head {
            function,
            primary,
            rest,
        };
        let (shape, body) = self.shape(&mut func, &head)?;
        Some(KernelDef {
            func: hir::Function {
                name: name(&function.name),
                params: func.params,
                result: None,
                locals: func.locals,
                body,
                docs,
            },
            public,
            cpu_only,
            guards,
            shape,
        })
    }

    /// Whether the kernel is for the CPU only.
    fn cpu_only(&mut self, function: &ast::Function) -> bool {
        let Some(target) = function.aot.as_ref().and_then(|aot| aot.target.as_ref()) else {
            return true;
        };
        match target.value.as_str() {
            "gpu" => false,
            "cpu" => true,
            other => {
                let message = format!("there is no target `{other}`");
                let help = "write `@aot(target = \"gpu\")`, or `@aot` for the CPU alone";
                self.refuse(Code::UnknownTarget, target.at, message, help);
                false
            }
        }
    }

    fn shape(&mut self, func: &mut Func, head: &Head<'_>) -> Option<(Shape, hir::Block)> {
        let calls = |stmt: &&ast::Stmt| self.workgroups_call(func, stmt).is_some();
        if head.rest.iter().any(|stmt| calls(&stmt)) {
            let workgroups = self.workgroups(func, head)?;
            return Some((
                Shape::Workgroups(Box::new(workgroups)),
                hir::Block::default(),
            ));
        }
        let loops = |stmt: &ast::Stmt| matches!(stmt.kind, StmtKind::For { .. });
        if head.rest.iter().any(loops) {
            return self.map(func, head);
        }
        let function = head.function;
        let output = head
            .primary
            .map_or("output", |id| func.params[id.index()].name.text.as_str());
        let message = format!(
            "`{}` is neither a map nor a workgroup kernel",
            function.name.text
        );
        let help = format!(
            "after the guards write one loop, `for index = 1, #{output} do ... end`, or one \
             `gpu.workgroups(groups, size, function(groupIndex, phases) ... end)`"
        );
        self.refuse(Code::KernelShape, function.name.at, message, help);
        // The statements are looked at in any case, as if they were one lane's.
        func.zone = Zone::Map;
        for stmt in head.rest {
            let block = ast::Block {
                stmts: vec![stmt.clone()],
                at: stmt.at,
            };
            self.block(func, &block);
        }
        None
    }

    /// The arguments of `gpu.workgroups(...)`, where a statement is such a call.
    pub(super) fn workgroups_call<'s>(
        &self,
        func: &Func,
        stmt: &'s ast::Stmt,
    ) -> Option<&'s [ast::Expr]> {
        let StmtKind::Call(call) = &stmt.kind else {
            return None;
        };
        let ast::ExprKind::Call(callee, args) = &call.kind else {
            return None;
        };
        self.is_workgroups(func, callee).then_some(args)
    }
}
