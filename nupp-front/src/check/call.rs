//! Calls that give a value: library functions, selections, helpers, struct constructors.

use super::func::{Binding, Func, Zone};
use super::hint::Hint;
use super::library::{self, Make, Module, Row, Takes};
use super::paths::Path;
use super::types::{BOOL, F32, I32, U32};
use super::{Checked, Checker, Item, Reported, fold};
use crate::diag::{Code, Diagnostic};
use crate::hir::{Expr, ExprKind, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast;
use nupp_ir::ir::entity::{Scalar, StructId};
use nupp_ir::ir::op::ScalarOp as S;

impl Checker<'_> {
    /// A call whose value is needed.
    pub(super) fn call(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
        callee: &ast::Expr,
        args: &[ast::Expr],
        want: Option<Ty>,
    ) -> Checked<Expr> {
        if let ast::ExprKind::Field(base, name) = &callee.kind
            && self.is_method_base(func, base)
        {
            return Err(self.method_call(func, base, name, args, expr.at));
        }
        let Some(names) = callee.path() else {
            let text = self.quote(callee.at);
            return Err(self.refuse(
                Code::NotCallable,
                callee.at,
                format!("`{text}` cannot be called"),
                "call a helper of the block or a library function by its name",
            ));
        };
        match self.path(Some(func), &names) {
            Some(Path::Member(module, name)) => {
                if let Some(last) = names.last().filter(|last| last.at != name.at) {
                    return Err(self.beyond_member(module, &name, last));
                }
                return self.library_call(func, expr, (module, &name), args, want);
            }
            Some(Path::Module) => {
                let text = self.quote(callee.at);
                let message = format!("`{text}` is a module and cannot be called");
                let help = match self.conversion_call(func, &text, args) {
                    Some(help) => help?,
                    None => format!("call a function of it: `{text}.add(a, b)`"),
                };
                return Err(self.refuse(Code::NotCallable, callee.at, message, help));
            }
            None => {}
        }
        self.call_by_name(func, expr, &names, args)
    }

    /// Reports `u32.add.x`: a name after a function's.
    fn beyond_member(&mut self, module: Module, name: &ast::Name, last: &ast::Name) -> Reported {
        if !library::names(module).contains(&name.text.as_str()) {
            return self.unknown_member(module, name, &[]);
        }
        let path = format!("{}.{}", module.name(), name.text);
        self.refuse(
            Code::UnknownFunction,
            last.at,
            format!("`{path}` is a function and has no `{}`", last.text),
            format!("call it: `{path}(...)`"),
        )
    }

    fn call_by_name(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
        names: &[ast::Name],
        args: &[ast::Expr],
    ) -> Checked<Expr> {
        let name = &names[0];
        let bound = func.lookup(&name.text);
        let poisoned = matches!(self.items.get(&name.text), Some((Item::Poison, _)));
        if matches!(bound, Some(Binding::Poison)) || bound.is_none() && poisoned {
            return Err(Reported);
        }
        if bound.is_some() || names.len() > 1 && self.items.contains_key(&name.text) {
            return Err(self.not_callable(names, expr.at));
        }
        match self.items.get(&name.text).map(|(item, _)| item.clone()) {
            Some(Item::Helper(id)) => {
                let (args, result) = self.helper_call(func, id, name, expr.at, args)?;
                let Some(ty) = result else {
                    let message = format!(
                        "`{}` returns nothing, and a value is needed here",
                        name.text
                    );
                    let help = format!(
                        "call it as a statement of its own: `{}`",
                        self.quote(expr.at)
                    );
                    return Err(self.refuse(Code::MissingResult, expr.at, message, help));
                };
                Ok(Expr {
                    ty,
                    kind: ExprKind::Call(id, args),
                    at: expr.at,
                })
            }
            Some(Item::Struct(id)) => self.build_struct(func, id, expr.at, args),
            Some(Item::Kernel) => Err(self.refuse(
                Code::NotCallable,
                name.at,
                format!(
                    "`{}` is a kernel, which is called from Rust only",
                    name.text
                ),
                "move what both need into a helper: `local function name(x: float): float ... end`",
            )),
            Some(Item::Poison) => Err(Reported),
            Some(Item::Const(_) | Item::Module(_)) => Err(self.not_callable(names, expr.at)),
            None => Err(self.unknown_call(func, names, args)),
        }
    }

    fn not_callable(&mut self, names: &[ast::Name], at: SrcSpan) -> Reported {
        let text: Vec<&str> = names.iter().map(|n| n.text.as_str()).collect();
        self.refuse(
            Code::NotCallable,
            at,
            format!("`{}` is no function", text.join(".")),
            "call a helper of the block or a library function by its name",
        )
    }

    fn unknown_call(
        &mut self,
        func: &mut Func,
        names: &[ast::Name],
        args: &[ast::Expr],
    ) -> Reported {
        let name = &names[0];
        let last = &names[names.len() - 1];
        if names.len() == 1
            && let Some(reported) = self.type_called(func, name, args)
        {
            return reported;
        }
        let row = self.meant_row(func, &last.text, args);
        if row.is_none() && library::LATER.contains(&last.text.as_str()) {
            return self.not_yet(&format!("f32.{}", last.text), last.at, args);
        }
        match name.text.as_str() {
            "assert" | "error" => self.late_guard(&name.text, name.at),
            "require" => self.refuse(
                Code::StrayRequire,
                name.at,
                "`require` stands only at the top of the block",
                "write `local span = require(\"nupp.mem.span\")` before the functions",
            ),
            text if func.zone == Zone::Constant && self.functions.contains(text) => self.refuse(
                Code::NotConstant,
                name.at,
                format!("`{text}` is a function, and constants are computed without any"),
                format!("write the value, or call `{text}` where it is used"),
            ),
            text if names.len() > 1 => {
                let help = match row {
                    Some(row) => format!("did you mean `{}.{}`?", row.module.name(), last.text),
                    None => "the library is in `f32`, `u32`, `i32` and `quant`: `f32.sqrt(x)`"
                        .to_owned(),
                };
                self.unknown_name_or(func, text, name.at, help)
            }
            text if let Some(row) = row => {
                let message = format!("`{text}` is not known here");
                let help = format!("did you mean `{}.{text}`?", row.module.name());
                self.refuse(Code::UnknownName, name.at, message, help)
            }
            text => {
                let help = format!(
                    "declare it in the block: `local function {text}(x: float): float ... end`"
                );
                self.unknown_name_or(func, text, name.at, help)
            }
        }
    }

    /// Reports an `assert` or `error` that is no guard.
    pub(super) fn late_guard(&mut self, name: &str, at: SrcSpan) -> Reported {
        self.refuse(
            Code::LateGuard,
            at,
            format!("`{name}` makes a guard, and guards stand first in a kernel"),
            "move it to the kernel's first lines, or store a value that says what went wrong",
        )
    }

    fn library_call(
        &mut self,
        func: &mut Func,
        expr: &ast::Expr,
        (module, name): (Module, &ast::Name),
        args: &[ast::Expr],
        want: Option<Ty>,
    ) -> Checked<Expr> {
        if let Some(to) = library::is_conversion(module, &name.text) {
            self.count_args(module, name, args, &["x"], expr.at)?;
            return self.convert(func, &args[0], to, expr.at);
        }
        if module == Module::Gpu && name.text == "select" {
            self.count_args(module, name, args, &["condition", "yes", "no"], expr.at)?;
            return self.select(func, expr, [&args[0], &args[1], &args[2]], want);
        }
        if module == Module::Gpu && name.text == "workgroups" {
            return Err(self.refuse(
                Code::WorkgroupsForm,
                expr.at,
                "`gpu.workgroups` is the last statement of a kernel and gives no value",
                "write it as a statement of its own, after the guards and locals",
            ));
        }
        let Some(row) = library::find(module, &name.text) else {
            return Err(self.unknown_member(module, name, args));
        };
        self.row_call(func, row, name, args, expr.at)
    }

    fn row_call(
        &mut self,
        func: &mut Func,
        row: &Row,
        name: &ast::Name,
        args: &[ast::Expr],
        at: SrcSpan,
    ) -> Checked<Expr> {
        let names: Vec<&str> = ["a", "b", "c", "d"][..row.params.len()].to_vec();
        self.count_args(row.module, name, args, &names, at)?;
        let mut values = Vec::new();
        let mut failed = false;
        for (arg, takes) in args.iter().zip(row.params) {
            let value = match takes {
                Takes::Scalar(ty) => self.value(func, arg, Some(Ty::Scalar(*ty))),
                Takes::Count => self.count(func, arg),
            };
            match value {
                Ok(value) => values.push(value),
                Err(Reported) => failed = true,
            }
        }
        if failed {
            return Err(Reported);
        }
        Ok(match row.make {
            Make::Op(op) => fold::op(op, values),
            Make::Recipe(_, make) => make(func, values),
        })
    }

    fn count_args(
        &mut self,
        module: Module,
        name: &ast::Name,
        args: &[ast::Expr],
        params: &[&str],
        at: SrcSpan,
    ) -> Checked<()> {
        if args.len() == params.len() {
            return Ok(());
        }
        let path = format!("{}.{}", module.name(), name.text);
        let message = format!(
            "`{path}` takes {}, and {}",
            counted(params.len()),
            given(args.len())
        );
        let help = format!("write `{path}({})`", params.join(", "));
        Err(self.refuse(Code::ArgumentCount, at, message, help))
    }

    /// `f32.narrow`, `u32.wrap`, `i32.wrap`.
    fn convert(
        &mut self,
        func: &mut Func,
        arg: &ast::Expr,
        to: Scalar,
        at: SrcSpan,
    ) -> Checked<Expr> {
        if let Some(literal) = self.exact(func, arg) {
            let literal = literal?;
            return match to {
                Scalar::F32 => self.typed(&literal, F32, at),
                Scalar::I32 | Scalar::U32 | Scalar::Bool => {
                    Ok(super::types::constant(to, literal.value.wrap32(), at))
                }
            };
        }
        let want = (self.hint(func, arg) == Hint::Int).then_some(Ty::Scalar(to));
        let value = self.value(func, arg, want)?;
        let op = match (value.ty, to) {
            (F32, Scalar::F32) | (U32, Scalar::U32) | (I32, Scalar::I32) => return Ok(value),
            (I32, Scalar::F32) => S::F32FromI32,
            (U32, Scalar::F32) => S::F32FromU32,
            (I32, Scalar::U32) => S::U32FromI32,
            (F32, Scalar::U32) => S::U32WrapF32,
            (U32, Scalar::I32) => S::I32FromU32,
            (F32, Scalar::I32) => S::I32WrapF32,
            (BOOL | Ty::Struct(_) | Ty::Scalar(_), _) => {
                return self.expect(func, value, Ty::Scalar(to));
            }
        };
        Ok(fold::op(op, vec![value]))
    }

    fn build_struct(
        &mut self,
        func: &mut Func,
        id: StructId,
        at: SrcSpan,
        args: &[ast::Expr],
    ) -> Checked<Expr> {
        let def = self.structs[id.index()].clone();
        if args.len() != def.fields.len() {
            let name = &def.name.text;
            let fields: Vec<&str> = def.fields.iter().map(|(n, _)| n.text.as_str()).collect();
            let message = format!(
                "`{name}` has {}, and {}",
                if fields.len() == 1 {
                    "one field".to_owned()
                } else {
                    format!("{} fields", fields.len())
                },
                given(args.len())
            );
            let help = format!("write `{name}({})`, in field order", fields.join(", "));
            return Err(self.report(
                Diagnostic::new(Code::ArgumentCount, at, message)
                    .help(help)
                    .note(Some(def.name.at), format!("`{name}` is declared here")),
            ));
        }
        let values: Vec<_> = args
            .iter()
            .zip(&def.fields)
            .map(|(arg, (_, ty))| self.value(func, arg, Some(Ty::Scalar(*ty))))
            .collect();
        Ok(Expr {
            ty: Ty::Struct(id),
            kind: ExprKind::Struct(id, values.into_iter().collect::<Checked<_>>()?),
            at,
        })
    }

    /// Reports a method call where a value is needed.
    pub(super) fn method_as_value(
        &mut self,
        func: &mut Func,
        base: &ast::Expr,
        name: &ast::Name,
        args: &[ast::Expr],
        at: SrcSpan,
    ) -> Reported {
        if let Some(reported) = self.refused_by_name(&name.text, name.at) {
            return reported;
        }
        let bound = match &base.kind {
            ast::ExprKind::Name(text) => func.lookup(text),
            _ => None,
        };
        match bound {
            Some(Binding::Phases) if name.text == "scratch" => {
                let text = self.quote(at);
                self.scratch_place(func, &text, at)
            }
            Some(Binding::Phases) if !super::phases::METHODS.contains(&name.text.as_str()) => {
                self.unknown_phases_method(name)
            }
            Some(Binding::Span(_)) if name.text != "scatter" => {
                self.span_method(base, name, args, at)
            }
            Some(Binding::Phases | Binding::Span(_)) => self.refuse(
                Code::StatementForm,
                at,
                format!("`{}` gives no value", name.text),
                "write it as a statement of its own",
            ),
            Some(Binding::Poison) => Reported,
            Some(Binding::Local(_) | Binding::Scratch(_)) | None => {
                self.method_call(func, base, name, args, at)
            }
        }
    }

    /// Whether a call in this zone may hand out memory: only lanes touch it.
    pub(super) fn lanes_touch_memory(zone: Zone) -> bool {
        match zone {
            Zone::Map | Zone::Phase | Zone::Helper => true,
            Zone::Guards | Zone::Prologue | Zone::Controller | Zone::Combine | Zone::Constant => {
                false
            }
        }
    }
}

/// `one argument`, `3 arguments`.
pub(super) fn counted(count: usize) -> String {
    match count {
        0 => "no argument".to_owned(),
        1 => "one argument".to_owned(),
        _ => format!("{count} arguments"),
    }
}

/// `one is given`, `3 are given`.
pub(super) fn given(count: usize) -> String {
    match count {
        0 => "none is given".to_owned(),
        1 => "one is given".to_owned(),
        _ => format!("{count} are given"),
    }
}
