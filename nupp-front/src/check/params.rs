//! Parameters of kernels and helpers.
//!
//! A span says who owns it: `exclusive` goes with `WriteSpan`, `borrows` with `Span`. A kernel's
//! scalars are uniforms and read-only; a helper's are locals of its own.

use super::func::{Binding, Func};
use super::items::name;
use super::paths::TypeForm;
use super::types::BOOL;
use super::{Checked, Checker, Reported};
use crate::diag::{Code, Diagnostic};
use crate::hir::{self, ArrayRef, LocalId, ParamId, ParamKind, Ty};
use crate::syntax::ast::{self, Qualifier};
use nupp_ir::ir::kernel::{Access, Elem};
use nupp_ir::limits::{MAX_SPANS, MAX_UNIFORM_WORDS};

impl Checker<'_> {
    /// The parameters of a helper.
    pub(super) fn helper_params(&mut self, function: &ast::Function) -> Vec<hir::Param> {
        self.params(function, false, false)
    }

    /// The parameters of a kernel.
    pub(super) fn kernel_params(
        &mut self,
        function: &ast::Function,
        public: bool,
    ) -> Vec<hir::Param> {
        let params = self.params(function, true, public);
        let spans = |p: &&hir::Param| matches!(p.kind, ParamKind::Span(..));
        let values = |p: &&hir::Param| matches!(p.kind, ParamKind::Value(..));
        if let Some(param) = params.iter().filter(spans).nth(MAX_SPANS) {
            let message = format!(
                "`{}` is the 17th span, and a kernel takes at most 16",
                param.name.text
            );
            let help = "put values that are used together into one span of structs, or two kernels";
            self.refuse(Code::TooManySpans, param.name.at, message, help);
        }
        if let Some(param) = params.iter().filter(values).nth(MAX_UNIFORM_WORDS) {
            let message = format!(
                "`{}` is the 33rd scalar, and a kernel takes at most 32 (128 bytes)",
                param.name.text
            );
            let help = "pass the rest as a span and read them at a cursor";
            self.refuse(Code::TooManyUniforms, param.name.at, message, help);
        }
        let writes = |p: &hir::Param| matches!(p.kind, ParamKind::Span(_, Access::Write));
        // A parameter that was refused might have been the one.
        let all_known = params.len() == function.params.len();
        if all_known && !params.iter().any(writes) {
            let message = format!("`{}` has no span to write to", function.name.text);
            let help = "give it one, first: `exclusive output: span.WriteSpan<float>`";
            self.refuse(Code::NoWriteSpan, function.name.at, message, help);
        }
        params
    }

    fn params(&mut self, function: &ast::Function, kernel: bool, public: bool) -> Vec<hir::Param> {
        let mut made = Vec::new();
        let mut locals = 0;
        for (i, param) in function.params.iter().enumerate() {
            self.refuse_taken(&param.name);
            let same = |other: &&ast::Param| other.name.text == param.name.text;
            if let Some(first) = function.params[..i].iter().find(same) {
                self.duplicate(&param.name, first.name.at);
            }
            let kind = if kernel {
                self.kernel_param(function, param, public)
            } else {
                self.helper_param(param)
            };
            let Ok(mut kind) = kind else { continue };
            if let ParamKind::Value(_, id) = &mut kind {
                *id = LocalId(locals);
                locals += 1;
            }
            made.push(hir::Param {
                name: name(&param.name),
                kind,
            });
        }
        made
    }

    fn helper_param(&mut self, param: &ast::Param) -> Checked<ParamKind> {
        let of = format!("`{}`", param.name.text);
        match self.type_form(&param.ty, &of)? {
            TypeForm::Value(ty) => {
                self.refuse_qualifier(param)?;
                Ok(ParamKind::Value(ty, LocalId(0)))
            }
            TypeForm::Span(elem) => self.span_param(param, elem, Access::Read),
            TypeForm::WriteSpan(elem) => self.span_param(param, elem, Access::Write),
            TypeForm::Scratch(elem) => {
                self.refuse_qualifier(param)?;
                Ok(ParamKind::Scratch(elem))
            }
            TypeForm::Phases => Err(self.refuse(
                Code::PhasesEscape,
                param.at,
                "`phases` belongs to its controller and cannot be passed",
                "pass scratch arrays and call the helper inside a phase",
            )),
            TypeForm::Nil => Err(self.nil_param(param)),
        }
    }

    fn nil_param(&mut self, param: &ast::Param) -> Reported {
        let message = format!("`{}` cannot be `nil`", param.name.text);
        self.refuse(
            Code::UnknownType,
            param.ty.at,
            message,
            "a parameter is a scalar or a span: `x: float`, `borrows x: span.Span<float>`",
        )
    }

    fn kernel_param(
        &mut self,
        function: &ast::Function,
        param: &ast::Param,
        public: bool,
    ) -> Checked<ParamKind> {
        let text = &param.name.text;
        if param.ty.path_text() == "number" {
            let message = format!("`{text}` is a `number`, which has no width of its own");
            let help = format!("write `{text}: float`, or `int32` or `uint32`");
            return Err(self.refuse(Code::UniformType, param.ty.at, message, help));
        }
        let of = match param.qualifier {
            Some(_) => format!("span `{text}`"),
            None => format!("`{text}`"),
        };
        match self.type_form(&param.ty, &of)? {
            TypeForm::Value(BOOL) => {
                let message = format!("`{text}` is a `boolean`, which a kernel cannot be given");
                let help = format!("write `{text}: uint32` and compare: `if {text} ~= 0 then`");
                Err(self.refuse(Code::UniformType, param.ty.at, message, help))
            }
            TypeForm::Value(ty @ Ty::Scalar(_)) => {
                self.refuse_qualifier(param)?;
                Ok(ParamKind::Value(ty, LocalId(0)))
            }
            TypeForm::Value(ty @ Ty::Struct(_)) => {
                let ty = self.type_name(ty);
                let message = format!("`{text}` is a struct, and a kernel's scalars are numbers");
                let help = format!(
                    "write a parameter a field, or pass a span of one: \
                     `borrows {text}: span.Span<{ty}>`"
                );
                Err(self.refuse(Code::UniformType, param.ty.at, message, help))
            }
            TypeForm::Span(elem) => {
                if public {
                    self.refuse_hidden(elem, param.ty.at, &function.name);
                }
                self.span_param(param, elem, Access::Read)
            }
            TypeForm::WriteSpan(elem) => {
                if public {
                    self.refuse_hidden(elem, param.ty.at, &function.name);
                }
                self.span_param(param, elem, Access::Write)
            }
            TypeForm::Scratch(_) | TypeForm::Phases => Err(self.refuse(
                Code::UniformType,
                param.ty.at,
                format!("`{text}` lives inside a kernel and cannot be given to one"),
                "declare scratch in the controller: `local shared = phases:scratch(0.0, 256)`",
            )),
            TypeForm::Nil => Err(self.nil_param(param)),
        }
    }

    fn span_param(&mut self, param: &ast::Param, elem: Elem, access: Access) -> Checked<ParamKind> {
        let (needs, word) = match access {
            Access::Read => (Qualifier::Borrows, "borrows"),
            Access::Write => (Qualifier::Exclusive, "exclusive"),
        };
        let text = &param.name.text;
        let ty = self.quote(param.ty.at);
        match param.qualifier {
            Some((qualifier, _)) if qualifier == needs => Ok(ParamKind::Span(elem, access)),
            None => {
                let message = format!("`{text}` does not say who owns its elements");
                let help = format!("write `{word} {text}: {ty}`");
                Err(self.refuse(Code::SpanQualifier, param.at, message, help))
            }
            Some((_, at)) => {
                let message = format!("a `{}` is not `{}`", plain_type(&ty), self.quote(at));
                let (other, other_word) = match access {
                    Access::Read => ("WriteSpan", "exclusive"),
                    Access::Write => ("Span", "borrows"),
                };
                let fixed = ty.replace("WriteSpan", "Span").replace("Span", other);
                let help =
                    format!("write `{word} {text}: {ty}`, or `{other_word} {text}: {fixed}`");
                Err(self.refuse(Code::SpanQualifier, param.at, message, help))
            }
        }
    }

    fn refuse_qualifier(&mut self, param: &ast::Param) -> Checked<()> {
        let Some((_, at)) = param.qualifier else {
            return Ok(());
        };
        let (word, ty) = (self.quote(at), self.quote(param.ty.at));
        let message = format!(
            "`{word}` stands before spans only, and `{}` is `{ty}`",
            param.name.text
        );
        let help = format!("write `{}: {ty}`", param.name.text);
        Err(self.refuse(Code::SpanQualifier, param.at, message, help))
    }

    /// Puts parameters into scope; those whose declaration was refused are poisoned.
    pub(super) fn bind_params(
        &mut self,
        func: &mut Func,
        function: &ast::Function,
        params: &[hir::Param],
        kernel: bool,
    ) {
        for param in &function.params {
            if !params.iter().any(|p| p.name.at == param.name.at) {
                func.bind(&param.name.text, Binding::Poison);
            }
        }
        for (i, param) in params.iter().enumerate() {
            let id = ParamId(i as u32);
            let binding = match param.kind {
                ParamKind::Value(ty, _) => {
                    let local = func.new_local(&param.name.text, param.name.at, ty, kernel);
                    func.facts[local.index()].uniform = kernel;
                    Binding::Local(local)
                }
                ParamKind::Span(..) => Binding::Span(id),
                ParamKind::Scratch(_) => Binding::Scratch(ArrayRef::Param(id)),
            };
            func.bind(&param.name.text, binding);
        }
        func.params = params.to_vec();
    }

    /// Refuses a kernel that returns something.
    pub(super) fn refuse_kernel_result(&mut self, function: &ast::Function) {
        let Some(ty) = function.result.as_ref().filter(|ty| !ty.is_nil()) else {
            return;
        };
        let message = format!("`{}` is a kernel and returns nothing", function.name.text);
        self.report(
            Diagnostic::new(Code::KernelResult, ty.at, message)
                .help("write `: nil`, and write results to a span"),
        );
    }
}

/// `span.WriteSpan` of `span.WriteSpan<float>`.
fn plain_type(ty: &str) -> &str {
    ty.split(['<', ' ']).next().unwrap_or(ty)
}
