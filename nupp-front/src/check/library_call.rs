//! Calls of library functions: their arguments by number and type, and the operation they are.

use super::func::Func;
use super::hint::Hint;
use super::library::{self, Make, Module, Row, Takes};
use super::types::{BOOL, F32, I32, U32};
use super::{Checked, Checker, Reported, fold};
use crate::diag::Code;
use crate::hir::{Expr, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast;
use nupp_ir::ir::entity::Scalar;
use nupp_ir::ir::op::ScalarOp as S;

impl Checker<'_> {
    pub(super) fn library_call(
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
            if let Some(help) = self.absent(func, Some(module), &name.text, (expr.at, args)) {
                let message = format!("the library has no `{}.{}`", module.name(), name.text);
                return Err(self.refuse(Code::UnknownFunction, name.at, message, help));
            }
            return Err(self.unknown_member(module, name));
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
