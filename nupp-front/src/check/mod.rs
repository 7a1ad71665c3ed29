//! From the syntax tree to the typed tree: names, types, forms.
//!
//! `items` collects what the block declares, so that functions and structs may be used before they
//! are written; then each body is checked with a `Func` as its state. Nothing stops at a mistake:
//! what was reported answers [`Reported`], and names whose declaration was wrong are poisoned, so
//! that one mistake makes one diagnostic. Left true: every expression of the result has its type,
//! every constant is folded, every name is a number, and what is about bounds, ownership and races
//! is left to the proofs.

mod absent;
mod assign;
mod big;
mod call;
mod compare;
mod fold;
mod foreign;
mod func;
mod guards;
mod helpers;
mod hint;
mod index;
mod items;
mod kernel;
mod lengths;
mod library;
mod library_call;
mod literal;
mod logic;
mod loops;
mod map;
mod methods;
mod names;
mod number;
mod ops;
mod params;
mod paths;
mod phases;
mod scratch;
mod stmt;
mod structs;
mod types;
mod value;
mod workgroups;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use crate::diag::{Code, Diagnostic};
use crate::hir::{self, HelperId, Program, Ty};
use crate::span::SrcSpan;
use crate::syntax::ast;
use crate::syntax::source::Source;
use nupp_ir::ir::entity::StructId;

use library::Module;
use literal::ConstValue;

/// Says that a diagnostic was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// A result whose failure is reported already.
type Checked<T> = Result<T, Reported>;

/// What a name at block level stands for.
#[derive(Clone, Debug)]
enum Item {
    /// A module alias.
    Module(Module),
    /// A constant.
    Const(ConstValue),
    /// A struct.
    Struct(StructId),
    /// A helper.
    Helper(HelperId),
    /// A kernel.
    Kernel,
    /// Something whose declaration was refused.
    Poison,
}

/// What a call of a helper needs to know.
#[derive(Clone, Debug)]
struct Signature {
    name: hir::Name,
    params: Vec<hir::Param>,
    result: Option<Ty>,
    /// The declaration was refused: calls are not checked against it.
    broken: bool,
}

/// The state of a block.
struct Checker<'a> {
    source: &'a Source,
    diags: Vec<Diagnostic>,
    items: HashMap<String, (Item, SrcSpan)>,
    /// The names of all functions, known before the functions themselves are.
    functions: HashSet<String>,
    structs: Vec<hir::StructDef>,
    signatures: Vec<Signature>,
    /// Who calls which helper where: the caller, or nothing for a kernel.
    calls: Vec<(Option<HelperId>, HelperId, SrcSpan)>,
    caller: Option<HelperId>,
    /// The local without a type that is being declared, and where its value stands.
    declared: Option<(String, SrcSpan)>,
}

/// Checks a block. Answers the typed tree, or every mistake found.
///
/// # Errors
/// All diagnostics of this stage, in source order.
pub fn check(file: &ast::File, source: &Source) -> Result<Program, Vec<Diagnostic>> {
    let mut checker = Checker {
        source,
        diags: Vec::new(),
        items: HashMap::new(),
        functions: HashSet::new(),
        structs: Vec::new(),
        signatures: Vec::new(),
        calls: Vec::new(),
        caller: None,
        declared: None,
    };
    let functions = checker.collect(file);
    let mut program = Program::default();
    for function in &functions {
        checker.function(function, &mut program);
    }
    checker.refuse_recursion();
    program.structs = checker.structs;
    if checker.diags.is_empty() {
        return Ok(program);
    }
    checker.diags.sort_by_key(|d| (d.at.first, d.at.last));
    Err(checker.diags)
}

impl Checker<'_> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diags.push(diagnostic);
        Reported
    }

    /// Reports a mistake with what to write instead.
    fn refuse(
        &mut self,
        code: Code,
        at: SrcSpan,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Reported {
        self.report(Diagnostic::new(code, at, message).help(help))
    }

    /// The author's tokens as text.
    fn quote(&self, at: SrcSpan) -> String {
        names::quote(self.source, at)
    }

    /// A type's name.
    fn type_name(&self, ty: Ty) -> String {
        match ty {
            Ty::Scalar(ty) => types::scalar_name(ty).to_owned(),
            Ty::Struct(id) => self.structs[id.index()].name.text.clone(),
        }
    }
}
