//! Helpers: calls of them, their bodies, and the refusal of recursion.
//!
//! A helper takes scalars, structs, spans and scratch. Spans and scratch are handed on by name, so
//! an argument for one is a bare name of the caller.

use std::collections::HashSet;

use super::func::{Binding, Func, Zone};
use super::hint::elem_ty;
use super::library::Module;
use super::library_call::{counted, given};
use super::paths::Path;
use super::{Checked, Checker, Reported};
use crate::diag::{Code, Diagnostic};
use crate::hir::{self, Arg, HelperId, ParamKind, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast;
use nupp_ir::ir::kernel::{Access, Elem};

impl Checker<'_> {
    /// The arguments of a helper's call, and its result.
    pub(super) fn helper_call(
        &mut self,
        func: &mut Func,
        id: HelperId,
        name: &ast::Name,
        at: SrcSpan,
        args: &[ast::Expr],
    ) -> Checked<(Vec<Arg>, Option<Ty>)> {
        self.calls.push((self.caller, id, name.at));
        let signature = self.signatures[id.index()].clone();
        if signature.broken {
            return Err(Reported);
        }
        if args.len() != signature.params.len() {
            let params: Vec<&str> = signature
                .params
                .iter()
                .map(|p| p.name.text.as_str())
                .collect();
            let message = format!(
                "`{}` takes {}, and {}",
                name.text,
                counted(params.len()),
                given(args.len())
            );
            let help = format!("write `{}({})`", name.text, params.join(", "));
            return Err(self.report(
                Diagnostic::new(Code::ArgumentCount, at, message)
                    .help(help)
                    .note(
                        Some(signature.name.at),
                        format!("`{}` is declared here", name.text),
                    ),
            ));
        }
        let checked: Vec<_> = args
            .iter()
            .zip(&signature.params)
            .map(|(arg, param)| self.argument(func, arg, param))
            .collect();
        let args = checked.into_iter().collect::<Checked<_>>()?;
        Ok((args, signature.result))
    }

    fn argument(&mut self, func: &mut Func, arg: &ast::Expr, param: &hir::Param) -> Checked<Arg> {
        let (elem, access) = match param.kind {
            ParamKind::Value(ty, _) => return self.value(func, arg, Some(ty)).map(Arg::Value),
            ParamKind::Span(elem, access) => (elem, Some(access)),
            ParamKind::Scratch(elem) => (elem, None),
        };
        let bound = match &arg.kind {
            ast::ExprKind::Name(name) => match func.lookup(name) {
                None => return Err(self.unknown_name(func, name, arg.at)),
                Some(Binding::Poison) => return Err(Reported),
                Some(binding) => Some(binding),
            },
            _ => None,
        };
        let made = match (bound, access) {
            (Some(Binding::Span(id)), Some(access)) => {
                let (have, writes) = func.span(id);
                if have != elem {
                    return Err(self.wrong_elements(arg.at, have, elem, param));
                }
                if access == Access::Write && writes == Access::Read {
                    return Err(self.borrowed_argument(arg.at, param));
                }
                (Arg::Span(id), access == Access::Write)
            }
            (Some(Binding::Scratch(array)), None) => {
                let have = func.array_elem(array);
                if have != elem {
                    return Err(self.wrong_elements(arg.at, have, elem, param));
                }
                (Arg::Array(array), true)
            }
            _ => return Err(self.not_memory(arg.at, access, param)),
        };
        if made.1 && !Self::lanes_touch_memory(func.zone) {
            return Err(self.outside_lanes(arg.at, access.is_none()));
        }
        Ok(made.0)
    }

    fn wrong_elements(
        &mut self,
        at: SrcSpan,
        have: Elem,
        need: Elem,
        param: &hir::Param,
    ) -> Reported {
        let message = format!(
            "`{}` has `{}` elements, and `{}` takes `{}`",
            self.quote(at),
            self.type_name(elem_ty(have)),
            param.name.text,
            self.type_name(elem_ty(need)),
        );
        self.report(
            Diagnostic::new(Code::SpanArgument, at, message)
                .help("pass one of that element type, or write a second helper")
                .note(
                    Some(param.name.at),
                    format!("`{}` is declared here", param.name.text),
                ),
        )
    }

    fn borrowed_argument(&mut self, at: SrcSpan, param: &hir::Param) -> Reported {
        let text = self.quote(at);
        let message = format!(
            "`{}` writes its span, and `{text}` is only read",
            param.name.text
        );
        let help = format!("declare `exclusive {text}: span.WriteSpan<...>` in the caller");
        self.report(
            Diagnostic::new(Code::SpanArgument, at, message)
                .help(help)
                .note(
                    Some(param.name.at),
                    format!("`{}` is declared here", param.name.text),
                ),
        )
    }

    fn not_memory(&mut self, at: SrcSpan, access: Option<Access>, param: &hir::Param) -> Reported {
        let what = if access.is_some() {
            "a span"
        } else {
            "a scratch array"
        };
        let text = self.quote(at);
        let message = format!("`{}` takes {what}, and `{text}` is none", param.name.text);
        let help = if access.is_some() {
            "write the name of a span parameter"
        } else {
            "write the name of an array made by `phases:scratch`"
        };
        self.refuse(Code::SpanArgument, at, message, help)
    }

    fn outside_lanes(&mut self, at: SrcSpan, scratch: bool) -> Reported {
        let text = self.quote(at);
        let (code, message) = if scratch {
            (
                Code::ScratchOutsidePhase,
                format!(
                    "`{text}` is handed out between phases, where a slot would belong to no lane"
                ),
            )
        } else {
            (
                Code::ControllerWrites,
                format!("`{text}` is written between phases, where no lane owns an element"),
            )
        };
        self.refuse(
            code,
            at,
            message,
            "call the helper inside a phase: `phases:run(function(localIndex) ... end)`",
        )
    }

    /// Whether the declaration of the helper being checked was refused.
    pub(super) fn signature_broken(&self) -> bool {
        self.caller
            .is_some_and(|id| self.signatures[id.index()].broken)
    }

    /// Checks a helper's body.
    pub(super) fn helper_body(
        &mut self,
        item: &ast::Function,
        docs: Vec<String>,
        id: HelperId,
    ) -> hir::Function {
        let signature = self.signatures[id.index()].clone();
        if let Some(loops) = self.looks_like_kernel(item) {
            let name = &item.name;
            let message = format!(
                "`{}` {loops} as a kernel does, and nothing makes it one",
                name.text
            );
            let help = "write `@aot(target = \"gpu\")` above it";
            self.refuse(Code::HelperForm, name.at, message, help);
            return hir::Function {
                name: signature.name,
                params: signature.params,
                result: signature.result,
                locals: Vec::new(),
                body: hir::Block::default(),
                docs,
            };
        }
        let mut func = Func::new(Zone::Helper);
        self.bind_params(&mut func, item, &signature.params, false);
        func.result = signature.result;
        self.caller = Some(id);
        func.push_scope();
        let body = self.block(&mut func, &item.body);
        func.pop_scope();
        self.caller = None;
        if let (Some(ty), false) = (signature.result, returns(&item.body) || signature.broken) {
            let name = &item.name;
            let message = format!(
                "`{}` returns `{}`, and a path through it ends without a result",
                name.text,
                self.type_name(ty)
            );
            self.refuse(
                Code::MissingReturn,
                name.at,
                message,
                "end the body, or each branch of its last `if` with an `else`, with `return ...`",
            );
        }
        hir::Function {
            name: signature.name,
            params: func.params,
            result: signature.result,
            locals: func.locals,
            body,
            docs,
        }
    }

    /// What a function without `@aot` does that only a kernel can: a loop over the elements of a
    /// written span, or groups.
    fn looks_like_kernel(&self, function: &ast::Function) -> Option<String> {
        let written = |name: &str| {
            function.params.iter().any(|param| {
                let exclusive = matches!(param.qualifier, Some((ast::Qualifier::Exclusive, _)));
                exclusive && param.name.text == name
            })
        };
        function
            .body
            .stmts
            .iter()
            .find_map(|stmt| match &stmt.kind {
                ast::StmtKind::For { hi, .. } => match &hi.kind {
                    ast::ExprKind::Unary(ast::UnaryOp::Len, _, of) => match &of.kind {
                        ast::ExprKind::Name(name) if written(name) => {
                            Some(format!("loops over `#{name}`"))
                        }
                        _ => None,
                    },
                    _ => None,
                },
                ast::StmtKind::Call(call) => match &call.kind {
                    ast::ExprKind::Call(callee, _) => {
                        let names = callee.path()?;
                        match self.path(None, &names) {
                            Some(Path::Member(Module::Gpu, name)) if name.text == "workgroups" => {
                                Some("starts groups".to_owned())
                            }
                            _ => None,
                        }
                    }
                    _ => None,
                },
                _ => None,
            })
    }

    /// Refuses helpers that reach themselves.
    pub(super) fn refuse_recursion(&mut self) {
        let mut edges: Vec<HashSet<usize>> = vec![HashSet::new(); self.signatures.len()];
        for (caller, callee, _) in &self.calls {
            if let Some(caller) = caller {
                edges[caller.index()].insert(callee.index());
            }
        }
        let calls = self.calls.clone();
        for (caller, callee, at) in calls {
            let Some(caller) = caller else { continue };
            if !reaches(&edges, callee.index(), caller.index()) {
                continue;
            }
            let (from, to) = (
                self.signatures[caller.index()].name.clone(),
                self.signatures[callee.index()].name.clone(),
            );
            let message = if caller == callee {
                format!("`{}` calls itself", to.text)
            } else {
                format!(
                    "`{}` calls `{}`, which leads back to `{0}`",
                    from.text, to.text
                )
            };
            self.report(
                Diagnostic::new(Code::Recursion, at, message)
                    .help("write a loop: `while condition do ... end`")
                    .note(Some(to.at), format!("`{}` is declared here", to.text)),
            );
        }
    }
}

/// Whether `to` can be reached from `from`, by no step or more.
fn reaches(edges: &[HashSet<usize>], from: usize, to: usize) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if seen.insert(at) {
            open.extend(&edges[at]);
        }
    }
    false
}

/// Whether every path through a block ends in `return`.
fn returns(block: &ast::Block) -> bool {
    block.stmts.last().is_some_and(|stmt| match &stmt.kind {
        ast::StmtKind::Return(_) => true,
        ast::StmtKind::If(arms, Some(rest)) => {
            arms.iter().all(|(_, arm)| returns(arm)) && returns(rest)
        }
        ast::StmtKind::Do(inner) => returns(inner),
        _ => false,
    })
}
