//! Calls that give a value: library functions, selections, helpers, struct constructors.

use super::func::{Binding, Func, Zone};
use super::library::{self, Module};
use super::library_call::given;
use super::paths::Path;
use super::{Checked, Checker, Item, Reported};
use crate::diag::{Code, Diagnostic};
use crate::hir::{Expr, ExprKind, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast;
use nupp_ir::ir::entity::StructId;

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
            return self.unknown_member(module, name);
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
            None => {
                let last = &names[names.len() - 1];
                if let Some(help) = self.absent(func, None, &last.text, (expr.at, args)) {
                    let message = format!("`{}` is not known here", name.text);
                    return Err(self.refuse(Code::UnknownName, name.at, message, help));
                }
                Err(self.unknown_call(func, names, args))
            }
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
                self.span_method(func, base, name, args, at)
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
