//! Paths: which module, library function or type `a.b.c` names.
//!
//! A local hides a module, an alias hides a name that needs none; full paths start at `nupp`.

use super::func::Func;
use super::library::{self, Module};
use super::names::closest;
use super::types::scalar_of_name;
use super::{Checked, Checker, Item};
use crate::diag::{Code, Diagnostic};
use crate::hir::Ty;
use crate::span::SrcSpan;
use crate::syntax::ast;
use nupp_ir::ir::kernel::Elem;

/// What a path names.
#[derive(Clone, Debug)]
pub(super) enum Path {
    /// A module and no more.
    Module,
    /// A member of a module; whether there is one of that name was not looked up.
    Member(Module, ast::Name),
}

/// A type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeForm {
    /// A scalar or a struct.
    Value(Ty),
    /// `span.Span<T>`.
    Span(Elem),
    /// `span.WriteSpan<T>`.
    WriteSpan(Elem),
    /// `gpu.Scratch<T>`.
    Scratch(Elem),
    /// `gpu.Phases`.
    Phases,
    /// `nil`.
    Nil,
}

impl Checker<'_> {
    /// What a path that starts at a module names; nothing where it starts at something else.
    pub(super) fn path(&self, func: Option<&Func>, names: &[ast::Name]) -> Option<Path> {
        let first = names.first()?;
        if func.is_some_and(|f| f.lookup(&first.text).is_some()) {
            return None;
        }
        let (mut module, mut used) = match self.items.get(&first.text) {
            Some((Item::Module(module), _)) => (*module, 1),
            Some(_) => return None,
            None => match Module::of_default(&first.text) {
                Some(module) => (module, 1),
                None => full_path(names)?,
            },
        };
        if module == Module::F32 && names.get(used).is_some_and(|n| n.text == "fast") {
            (module, used) = (Module::Fast, used + 1);
        }
        match &names[used..] {
            [] => Some(Path::Module),
            [member, ..] => Some(Path::Member(module, member.clone())),
        }
    }

    /// A written type. `of` says what is declared, for messages.
    pub(super) fn type_form(&mut self, ty: &ast::Type, of: &str) -> Checked<TypeForm> {
        if let [name] = ty.path.as_slice() {
            return self.simple_type(name, ty, of);
        }
        if let Some((Item::Poison, _)) = self.items.get(&ty.path[0].text) {
            return Err(super::Reported);
        }
        let member = match self.path(None, &ty.path) {
            Some(Path::Member(module, name)) => Some((module, name.text)),
            _ => None,
        };
        let make = match member.as_ref().map(|(m, n)| (*m, n.as_str())) {
            Some((Module::Span, "Span")) => TypeForm::Span,
            Some((Module::Span, "WriteSpan")) => TypeForm::WriteSpan,
            Some((Module::Gpu, "Scratch")) => TypeForm::Scratch,
            Some((Module::Gpu, "Phases")) if ty.args.is_empty() => return Ok(TypeForm::Phases),
            _ => return Err(self.unknown_type(ty)),
        };
        let [element] = ty.args.as_slice() else {
            let path = ty.path_text();
            let message = format!("`{path}` takes one element type");
            return Err(self.refuse(
                Code::UnknownType,
                ty.at,
                message,
                format!(
                    "write `{path}<float>`, or `int32`, `uint32` or a struct instead of `float`"
                ),
            ));
        };
        Ok(make(self.element(element, &format!("an element of {of}"))?))
    }

    fn simple_type(&mut self, name: &ast::Name, ty: &ast::Type, of: &str) -> Checked<TypeForm> {
        if !ty.args.is_empty() {
            return Err(match name.text.as_str() {
                "Span" | "WriteSpan" => self.refuse(
                    Code::UnknownType,
                    ty.at,
                    format!("`{}` is a type of the module `span`", name.text),
                    format!("write `span.{}`", self.quote(ty.at)),
                ),
                _ => self.unknown_type(ty),
            });
        }
        if let Some(scalar) = scalar_of_name(&name.text) {
            return Ok(TypeForm::Value(Ty::Scalar(scalar)));
        }
        match self.items.get(&name.text) {
            Some((Item::Struct(id), _)) => return Ok(TypeForm::Value(Ty::Struct(*id))),
            Some((Item::Poison, _)) => return Err(super::Reported),
            _ => {}
        }
        if name.text == "nil" {
            return Ok(TypeForm::Nil);
        }
        if let Some(width) = narrow_type(&name.text) {
            return Err(self.wrong_width(&name.text, width, ty.at, of));
        }
        Err(self.unknown_type(ty))
    }

    /// The element type of a span or scratch array.
    fn element(&mut self, ty: &ast::Type, of: &str) -> Checked<Elem> {
        match self.type_form(ty, of)? {
            TypeForm::Value(Ty::Scalar(nupp_ir::ir::entity::Scalar::Bool)) => Err(self.refuse(
                Code::StorageWidth,
                ty.at,
                format!("{of} has the type `boolean`, which has no width in memory"),
                "hold it as `uint32` and compare: `flags[index] ~= 0`",
            )),
            TypeForm::Value(Ty::Scalar(scalar)) => Ok(Elem::Scalar(scalar)),
            TypeForm::Value(Ty::Struct(id)) => Ok(Elem::Struct(id)),
            TypeForm::Span(_)
            | TypeForm::WriteSpan(_)
            | TypeForm::Scratch(_)
            | TypeForm::Phases
            | TypeForm::Nil => {
                let message = format!("{of} cannot have the type `{}`", self.quote(ty.at));
                Err(self.refuse(
                    Code::UnknownType,
                    ty.at,
                    message,
                    "an element is `float`, `int32`, `uint32` or a struct of them",
                ))
            }
        }
    }

    fn wrong_width(&mut self, name: &str, width: Width, at: SrcSpan, of: &str) -> super::Reported {
        let message = format!("{of} has the type `{name}`, which is not 32 bits wide");
        let help = match width {
            Width::Half => {
                "hold two a word in `uint32` and widen: `f32.fromF16Bits(word & 0xffff)`, \
                 `f32.fromF16Bits(word >> 16)`"
            }
            Width::Brain => {
                "hold two a word in `uint32` and widen: `f32.fromBF16Bits(word & 0xffff)`, \
                 `f32.fromBF16Bits(word >> 16)`"
            }
            Width::SignedByte => {
                "hold four a word in `uint32` and take one out: \
                 `i32.wrap(word << (24 - 8 * k)) >> 24`, which keeps the sign; values that need more \
                 range fit binary16, read by `f32.fromF16Bits`"
            }
            Width::SignedShort => {
                "hold two a word in `uint32` and take one out: \
                 `i32.wrap(word << (16 - 16 * k)) >> 16`, which keeps the sign; a binary16 is widened \
                 by `f32.fromF16Bits(word & 0xffff)`"
            }
            Width::Byte => {
                "hold four a word in `uint32` and take one out: `(word >> 8 * k) & 255`; values \
                 that need more range fit binary16, read by `f32.fromF16Bits`"
            }
            Width::Short => {
                "hold two a word in `uint32` and take one out: `(word >> 16 * k) & 65535`; a \
                 binary16 is widened by `f32.fromF16Bits(word & 0xffff)`"
            }
            Width::Wide => {
                "hold it as two `uint32` words, or narrow it on the host: to 32 bits, or to \
                 binary16, read by `f32.fromF16Bits`"
            }
        };
        self.refuse(Code::StorageWidth, at, message, help)
    }

    fn unknown_type(&mut self, ty: &ast::Type) -> super::Reported {
        let text = ty.path_text();
        let rust = match text.as_str() {
            "f32" | "Float" | "number" => Some("float"),
            "i32" | "int" | "integer" => Some("int32"),
            "u32" | "uint" => Some("uint32"),
            "bool" | "Bool" => Some("boolean"),
            "Span" => Some("span.Span<float>"),
            "WriteSpan" => Some("span.WriteSpan<float>"),
            "Scratch" => Some("gpu.Scratch<float>"),
            _ => None,
        };
        let known = [
            "float",
            "int32",
            "uint32",
            "boolean",
            "span.Span",
            "span.WriteSpan",
            "gpu.Scratch",
        ];
        let structs: Vec<String> = self.structs.iter().map(|s| s.name.text.clone()).collect();
        let near = closest(
            &text,
            known.into_iter().chain(structs.iter().map(String::as_str)),
        );
        let help = match rust.or(near) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "types are `float`, `int32`, `uint32`, `boolean`, the block's structs, \
                     `span.Span<T>`, `span.WriteSpan<T>` and, of a helper, `gpu.Scratch<T>`"
                .to_owned(),
        };
        let message = format!("`{text}` is no type");
        self.refuse(Code::UnknownType, ty.at, message, help)
    }

    /// Reports a member that a module does not have.
    pub(super) fn unknown_member(&mut self, module: Module, name: &ast::Name) -> super::Reported {
        if let Some(reported) = self.refused_by_name(&name.text, name.at) {
            return reported;
        }
        let path = format!("{}.{}", module.name(), name.text);
        let names = library::names(module);
        let near = closest(&name.text, names.iter().copied());
        let special = super::foreign::special_help(Some(module), &name.text);
        let help = match near {
            _ if special.is_some() => special.unwrap_or_default(),
            Some(near) => format!("did you mean `{}.{near}`?", module.name()),
            None => elsewhere(module, &name.text, &names),
        };
        let message = format!("the library has no `{path}`");
        self.report(Diagnostic::new(Code::UnknownFunction, name.at, message).help(help))
    }

    /// Refuses, by name, what other kernel languages have and this one replaces by phases.
    pub(super) fn refused_by_name(&mut self, name: &str, at: SrcSpan) -> Option<super::Reported> {
        let lower = name.to_lowercase().replace('_', "");
        let starts = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
        let (code, what, help) = if lower.contains("barrier") || lower == "syncthreads" {
            (
                Code::Barrier,
                "barriers are not written by hand",
                "end the phase and start the next: `phases:run(function(localIndex) ... end)`; \
                 all lanes meet between two phases",
            )
        } else if starts(&["atomic"]) {
            (
                Code::Atomics,
                "there are no atomic operations, since their order is not fixed",
                "give each lane its own slot of scratch and combine them in a fixed order: \
                 `phases:reduceSum(partials)`",
            )
        } else if starts(&[
            "cooperativematrix",
            "coopmat",
            "cooperative",
            "wmma",
            "simdgroupmatrix",
        ]) {
            (
                Code::CooperativeMatrix,
                "there are no cooperative matrices, since their sums have no fixed order",
                "tile through scratch: `local tile = phases:scratch(0.0, 256)`, load it in one \
                 phase and multiply in the next with `f32.fma`",
            )
        } else if starts(&["subgroup", "simd", "wave", "warp", "shuffle", "ballot"]) {
            (
                Code::Subgroup,
                "there are no subgroup functions, since groups of lanes differ between devices",
                "exchange through scratch: write `shared[localIndex]` in one phase and read \
                 another slot in the next, or use `phases:reduceSum(shared)`",
            )
        } else if starts(&[
            "dynamicscratch",
            "externshared",
            "dynamicshared",
            "sharedmemory",
        ]) {
            (
                Code::DynamicScratch,
                "scratch has a constant size",
                "declare it at the controller's top: `local shared = phases:scratch(0.0, 256)`",
            )
        } else {
            return None;
        };
        Some(self.refuse(code, at, format!("`{name}`: {what}"), help))
    }
}

/// Help for a member that nothing is close to.
fn elsewhere(module: Module, name: &str, names: &[&str]) -> String {
    let other = library::ROWS
        .iter()
        .find(|row| row.name == name && row.module != module);
    match other {
        Some(row) => format!("there is a `{}.{name}`", row.module.name()),
        None if names.is_empty() => {
            format!("`{}` has no functions for kernels", module.name())
        }
        None => {
            format!("`{}` has `{}`", module.name(), names.join("`, `"))
        }
    }
}

/// The module of a path from `nupp`, and how many names it takes; the longest that is one.
fn full_path(names: &[ast::Name]) -> Option<(Module, usize)> {
    (1..=names.len().min(4)).rev().find_map(|used| {
        let parts: Vec<&str> = names[..used].iter().map(|n| n.text.as_str()).collect();
        Module::of_path(&parts.join(".")).map(|module| (module, used))
    })
}

/// Widths that no element has.
#[derive(Clone, Copy)]
enum Width {
    Byte,
    SignedByte,
    Short,
    SignedShort,
    Half,
    Brain,
    Wide,
}

fn narrow_type(name: &str) -> Option<Width> {
    Some(match name {
        "u8" | "uint8" | "byte" | "char" => Width::Byte,
        "i8" | "int8" => Width::SignedByte,
        "u16" | "uint16" => Width::Short,
        "i16" | "int16" | "short" => Width::SignedShort,
        "f16" | "float16" | "half" => Width::Half,
        "bf16" | "bfloat16" => Width::Brain,
        "u64" | "i64" | "f64" | "int64" | "uint64" | "float64" | "double" | "long" | "usize"
        | "isize" => Width::Wide,
        _ => return None,
    })
}
