//! What a block declares: aliases, constants, structs, helpers and kernels.
//!
//! Structs and functions are known in the whole block; constants and aliases from where they stand
//! on, since a constant is computed from those before it.

use std::collections::HashSet;

use super::func::{Func, Zone};
use super::library::Module;
use super::literal::ConstValue;
use super::names::closest;
use super::paths::TypeForm;
use super::{Checker, Item, Signature, fold};
use crate::diag::{Code, Diagnostic};
use crate::hir::{self, HelperId, Program, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast;
use nupp_ir::ir::entity::StructId;

/// A function whose body is to be checked.
pub(super) struct PendingFunction<'f> {
    /// The item.
    pub item: &'f ast::Item,
    /// The function in it.
    pub function: &'f ast::Function,
    /// Its number, on helpers.
    pub helper: Option<HelperId>,
}

impl Checker<'_> {
    /// Declares every item, and answers the functions.
    pub(super) fn collect<'f>(&mut self, file: &'f ast::File) -> Vec<PendingFunction<'f>> {
        self.functions = function_names(file);
        let mut functions = Vec::new();
        let mut structs = Vec::new();
        for item in &file.items {
            match &item.kind {
                ast::ItemKind::Struct(def) => {
                    let id = StructId(self.structs.len() as u32);
                    self.structs.push(hir::StructDef {
                        name: name(&def.name),
                        public: item.public.is_some(),
                        fields: Vec::new(),
                        docs: item.docs.clone(),
                    });
                    self.declare(&def.name, Item::Struct(id));
                    structs.push((id, def));
                }
                ast::ItemKind::Alias(alias) => self.alias(alias),
                ast::ItemKind::Const(constant) => self.constant(constant),
                ast::ItemKind::Function(_) => {}
            }
        }
        for (id, def) in structs {
            self.fields(id, def);
        }
        for item in &file.items {
            if let ast::ItemKind::Function(function) = &item.kind {
                let helper = self.signature(item, function);
                functions.push(PendingFunction {
                    item,
                    function,
                    helper,
                });
            }
        }
        functions
    }

    /// Checks a function's body into the program.
    pub(super) fn function(&mut self, pending: &PendingFunction<'_>, program: &mut Program) {
        let docs = pending.item.docs.clone();
        match pending.helper {
            Some(id) => program
                .helpers
                .push(self.helper_body(pending.function, docs, id)),
            None => {
                let kernel = self.kernel(pending.item, pending.function, docs);
                program.kernels.extend(kernel);
            }
        }
    }

    /// Gives a block-level name its meaning; a second meaning is refused.
    pub(super) fn declare(&mut self, name: &ast::Name, item: Item) {
        if let Some(diagnostic) = super::names::refuse_taken(name) {
            self.report(diagnostic);
        } else if let (Some(_), false) = (
            Module::of_default(&name.text),
            matches!(item, Item::Module(_) | Item::Poison),
        ) {
            let message = format!("`{}` cannot be a name: it is a module", name.text);
            let help = format!("write `{}_` or another name", name.text);
            self.refuse(Code::TakenName, name.at, message, help);
            return;
        }
        match self.items.get(&name.text) {
            None => {
                self.items.insert(name.text.clone(), (item, name.at));
            }
            Some((_, first)) => {
                let first = *first;
                self.duplicate(name, first);
            }
        }
    }

    /// Reports a second thing of one name.
    pub(super) fn duplicate(&mut self, name: &ast::Name, first: SrcSpan) {
        let message = format!("`{}` is declared twice", name.text);
        self.report(
            Diagnostic::new(Code::DuplicateName, name.at, message)
                .help(format!(
                    "give one of them another name, such as `{}_2`",
                    name.text
                ))
                .note(
                    Some(first),
                    format!("`{}` was declared here first", name.text),
                ),
        );
    }

    fn alias(&mut self, alias: &ast::Alias) {
        let (path, at) = match &alias.target {
            ast::AliasTarget::Require(text) => (text.value.clone(), text.at),
            ast::AliasTarget::Path(names) => {
                let parts: Vec<&str> = names.iter().map(|n| n.text.as_str()).collect();
                let at = names.iter().map(|n| n.at).reduce(SrcSpan::to);
                (parts.join("."), at.unwrap_or(alias.name.at))
            }
        };
        let module = match Module::of_path(&path) {
            Some(module) => Some(module),
            None => match Module::of_default(&path) {
                Some(module) if !matches!(alias.target, ast::AliasTarget::Require(_)) => {
                    Some(module)
                }
                _ => None,
            },
        };
        let Some(module) = module else {
            self.unknown_module(alias, &path, at);
            self.declare(&alias.name, Item::Poison);
            return;
        };
        // An alias may be written again, as long as it means the same.
        if let Some((Item::Module(same), _)) = self.items.get(&alias.name.text)
            && *same == module
        {
            return;
        }
        self.declare(&alias.name, Item::Module(module));
    }

    fn unknown_module(&mut self, alias: &ast::Alias, path: &str, at: SrcSpan) {
        let known = [
            "nupp.mem.span",
            "nupp.gpu",
            "nupp.gpu.layout",
            "nupp.quant",
            "nupp.math.f32",
            "nupp.math.u32",
            "nupp.math.i32",
            "nupp.mem.array",
        ];
        let help = match closest(path, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => match &alias.target {
                ast::AliasTarget::Path(names) if names[0].text != "nupp" => {
                    format!("for a constant write `const {} = {path}`", alias.name.text)
                }
                _ => format!("modules are `{}`", known.join("`, `")),
            },
        };
        let message = format!("there is no module `{path}`");
        self.refuse(Code::UnknownModule, at, message, help);
    }

    fn constant(&mut self, item: &ast::Const) {
        let value = self.const_value(item);
        let made = value.map_or(Item::Poison, Item::Const);
        self.declare(&item.name, made);
    }

    fn const_value(&mut self, item: &ast::Const) -> Option<ConstValue> {
        let mut func = Func::new(Zone::Constant);
        let ty = match &item.ty {
            None => None,
            Some(ty) => Some(self.const_type(&item.name, ty)?),
        };
        if let Some(literal) = self.exact(&func, &item.value) {
            let literal = literal.ok()?;
            let Some(ty) = ty else {
                return Some(ConstValue::Exact(literal));
            };
            let value = self.typed(&literal, ty, item.value.at).ok()?;
            return typed_const(&value);
        }
        let value = self.value(&mut func, &item.value, ty).ok()?;
        let made = typed_const(&value);
        if made.is_none() {
            let text = self.quote(item.value.at);
            self.refuse(
                Code::NotConstant,
                item.value.at,
                format!("`{text}` has no value while compiling"),
                "a constant is made of numbers, constants before it, operators and library \
                 functions, and is never NaN",
            );
        }
        made
    }

    fn const_type(&mut self, name: &ast::Name, ty: &ast::Type) -> Option<Ty> {
        let of = format!("`{}`", name.text);
        match self.type_form(ty, &of).ok()? {
            TypeForm::Value(found @ Ty::Scalar(_)) => Some(found),
            TypeForm::Value(Ty::Struct(_))
            | TypeForm::Span(_)
            | TypeForm::WriteSpan(_)
            | TypeForm::Scratch(_)
            | TypeForm::Phases
            | TypeForm::Nil => {
                let text = self.quote(ty.at);
                self.refuse(
                    Code::NotConstant,
                    ty.at,
                    format!("a constant cannot have the type `{text}`"),
                    "a constant is `float`, `int32`, `uint32` or `boolean`, or has no type",
                );
                None
            }
        }
    }

    /// Declares a function, and answers its number if it is a helper.
    fn signature(&mut self, item: &ast::Item, function: &ast::Function) -> Option<HelperId> {
        if function.aot.is_some() {
            self.declare(&function.name, Item::Kernel);
            return None;
        }
        if let Some(at) = item.public {
            let message = format!(
                "`{}` is a helper, which only the block itself calls",
                function.name.text
            );
            let help = "remove `pub`, or make it a kernel: `@aot(target = \"gpu\")`";
            self.refuse(Code::HelperForm, at, message, help);
        }
        let id = HelperId(self.signatures.len() as u32);
        let before = self.diags.len();
        let params = self.helper_params(function);
        let result = self.helper_result(function);
        self.signatures.push(Signature {
            name: name(&function.name),
            params,
            result,
            broken: self.diags.len() > before,
        });
        self.declare(&function.name, Item::Helper(id));
        Some(id)
    }

    fn helper_result(&mut self, function: &ast::Function) -> Option<Ty> {
        let ty = function.result.as_ref()?;
        let of = format!("the result of `{}`", function.name.text);
        match self.type_form(ty, &of).ok()? {
            TypeForm::Value(found) => Some(found),
            TypeForm::Nil => None,
            TypeForm::Span(_)
            | TypeForm::WriteSpan(_)
            | TypeForm::Scratch(_)
            | TypeForm::Phases => {
                let text = self.quote(ty.at);
                self.refuse(
                    Code::HelperForm,
                    ty.at,
                    format!("`{}` cannot return `{text}`", function.name.text),
                    "return a scalar or a struct, and write to a span that is passed in",
                );
                None
            }
        }
    }
}

/// The names of all functions, which constants come before.
fn function_names(file: &ast::File) -> HashSet<String> {
    let names = file.items.iter().filter_map(|item| match &item.kind {
        ast::ItemKind::Function(function) => Some(function.name.text.clone()),
        ast::ItemKind::Struct(_) | ast::ItemKind::Alias(_) | ast::ItemKind::Const(_) => None,
    });
    names.collect()
}

fn typed_const(value: &hir::Expr) -> Option<ConstValue> {
    match (value.ty, fold::bits(value)) {
        (Ty::Scalar(ty), Some(bits)) => Some(ConstValue::Typed(ty, bits)),
        _ => None,
    }
}

/// A name of the syntax tree.
pub(super) fn name(name: &ast::Name) -> hir::Name {
    hir::Name {
        text: name.text.clone(),
        at: name.at,
    }
}
