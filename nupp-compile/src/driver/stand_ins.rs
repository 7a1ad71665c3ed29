//! Items that stand for those of a refused block: the same names and types, as far as they can be
//! read off the syntax tree, and bodies that do nothing. The program does not compile anyway; they
//! keep its other parts from being errors as well.

use std::collections::HashSet;

use crate::rust::{self, StructItem};
use nupp_core::ir::build::Builder;
use nupp_core::ir::entity::{Scalar, SpanId, StructId, UniformId};
use nupp_core::ir::flow::Region;
use nupp_core::ir::kernel::{
    Access, Body, Elem, Kernel, ParamRef, SpanDecl, StructDecl, Target, UniformDecl,
};
use nupp_front::syntax::ast::{File, Function, ItemKind, Qualifier, Type};

/// The text of the items.
pub fn items(file: &File) -> String {
    let structs = structs(file);
    let mut text = String::new();
    let mut kernels = HashSet::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Struct(found) => {
                if let Some(decl) = structs.iter().find(|decl| decl.name == found.name.text) {
                    text.push_str(&structure(decl, item.public.is_some()));
                }
            }
            ItemKind::Function(function)
                if function.aot.is_some() && kernels.insert(function.name.text.as_str()) =>
            {
                if let Some(kernel) = kernel(function, &structs) {
                    text.push_str(&rust::stand_in(&kernel, item.public.is_some()));
                }
            }
            ItemKind::Function(_) | ItemKind::Alias(_) | ItemKind::Const(_) => {}
        }
    }
    text
}

/// Structs whose fields can be read, each name once.
fn structs(file: &File) -> Vec<StructDecl> {
    let mut out: Vec<StructDecl> = Vec::new();
    for item in &file.items {
        let ItemKind::Struct(found) = &item.kind else {
            continue;
        };
        let names = found.fields.iter().map(|field| field.name.text.as_str());
        if repeats(names) {
            continue;
        }
        let fields: Option<Vec<(String, Scalar)>> = found
            .fields
            .iter()
            .map(|field| Some((field.name.text.clone(), scalar(&field.ty)?)))
            .collect();
        let known = out.iter().any(|decl| decl.name == found.name.text);
        if let (Some(fields), false) = (fields, known) {
            let name = found.name.text.clone();
            out.push(StructDecl { name, fields });
        }
    }
    out
}

/// Whether a name occurs twice: Rust would complain about it too.
fn repeats<'a>(names: impl Iterator<Item = &'a str>) -> bool {
    let mut seen = HashSet::new();
    !names.into_iter().all(|name| seen.insert(name))
}

fn structure(decl: &StructDecl, public: bool) -> String {
    rust::structure(&StructItem {
        name: &decl.name,
        public,
        docs: &[],
        fields: decl
            .fields
            .iter()
            .map(|(name, ty)| (name.as_str(), *ty))
            .collect(),
    })
}

fn scalar(ty: &Type) -> Option<Scalar> {
    match ty.path_text().as_str() {
        "float" => Some(Scalar::F32),
        "int32" => Some(Scalar::I32),
        "uint32" => Some(Scalar::U32),
        _ => None,
    }
}

/// The element of a span, where it is a scalar or a struct that could be read.
fn elem(ty: &Type, structs: &[StructDecl]) -> Option<Elem> {
    let [arg] = ty.args.as_slice() else {
        return None;
    };
    if let Some(ty) = scalar(arg) {
        return Some(Elem::Scalar(ty));
    }
    let name = arg.path_text();
    let at = structs.iter().position(|decl| decl.name == name)?;
    Some(Elem::Struct(StructId(at as u32)))
}

/// A kernel with these parameters and no body.
fn kernel(function: &Function, structs: &[StructDecl]) -> Option<Kernel> {
    if repeats(function.params.iter().map(|param| param.name.text.as_str())) {
        return None;
    }
    let (mut spans, mut uniforms, mut params) = (Vec::new(), Vec::new(), Vec::new());
    for param in &function.params {
        let name = param.name.text.clone();
        match param.qualifier {
            Some((qualifier, _)) => {
                let access = match qualifier {
                    Qualifier::Exclusive => Access::Write,
                    Qualifier::Borrows => Access::Read,
                };
                params.push(ParamRef::Span(SpanId(spans.len() as u32)));
                let elem = elem(&param.ty, structs)?;
                spans.push(SpanDecl { name, elem, access });
            }
            None => {
                params.push(ParamRef::Uniform(UniformId(uniforms.len() as u32)));
                let ty = scalar(&param.ty)?;
                uniforms.push(UniformDecl { name, ty });
            }
        }
    }
    if spans.is_empty() {
        return None;
    }
    let mut builder = Builder::<nupp_core::ir::kernel::Leaf>::new();
    let index = builder.external(Scalar::U32);
    Some(Kernel {
        name: function.name.text.clone(),
        target: Target::Gpu,
        structs: structs.to_vec(),
        spans,
        uniforms,
        params,
        guards: Vec::new(),
        values: builder.values,
        body: Body::Map {
            primary: SpanId(0),
            index,
            region: Region::default(),
        },
    })
}
