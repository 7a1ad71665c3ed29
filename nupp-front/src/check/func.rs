//! What is known while one function is checked: its locals, its scopes, where in the kernel we are.
//!
//! A local's number is its place in `hir::Function::locals`; later declarations have greater
//! numbers, which is what the rule about `continue` and `until` rests on. Scopes are a stack of
//! names; an inner name, or a later one, hides an earlier one.

use crate::hir::{self, ArrayRef, LocalId, ParamId, ParamKind, ScratchDef, Ty};
use crate::span::SrcSpan;
use nupp_ir::ir::kernel::{Access, Elem};
use nupp_ir::limits::MAX_GROUP_SIZE;

/// What a name in a function stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    /// A local or scalar parameter.
    Local(LocalId),
    /// A span parameter.
    Span(ParamId),
    /// A scratch array.
    Scratch(ArrayRef),
    /// The second parameter of a controller.
    Phases,
    /// Something whose declaration was refused; its uses are not complained about again.
    Poison,
}

/// Where in a function a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone {
    /// The guards of a kernel.
    Guards,
    /// The body of a map's loop.
    Map,
    /// The locals before `gpu.workgroups`.
    Prologue,
    /// Between phases.
    Controller,
    /// In a phase.
    Phase,
    /// In the function of `phases:reduce`.
    Combine,
    /// In a helper.
    Helper,
    /// The value of a block-level constant.
    Constant,
}

/// How many groups a local counts, where it is `u32.div(u32.wrap(#s), n)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupRule {
    pub span: ParamId,
    pub divisor: u32,
    pub ceil: bool,
}

/// What is known of a local besides its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// A counted-loop variable that is never negative: it may stand where uint32 is needed.
    pub counter: bool,
    /// The greatest number a counted-loop variable may be.
    pub most: i32,
    /// What it counts.
    pub rule: Option<GroupRule>,
    /// Declared in this zone.
    pub zone: Zone,
    /// A scalar parameter of a kernel.
    pub uniform: bool,
}

/// A loop that is being checked.
#[derive(Debug, Default)]
pub(super) struct LoopFrame {
    /// The `continue` statements that end a turn of it: their place, and how many locals there
    /// were.
    pub continues: Vec<(SrcSpan, usize)>,
}

/// What the author calls the numbers of a lane, for texts to type.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    /// The index of a map's loop.
    pub index: String,
    /// The second parameter of the controller.
    pub phases: String,
    /// The parameter of the phase that was begun last.
    pub lane: String,
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers {
            index: "index".to_owned(),
            phases: "phases".to_owned(),
            lane: "localIndex".to_owned(),
        }
    }
}

/// The state of one function.
pub(super) struct Func {
    /// The locals so far.
    pub locals: Vec<hir::Local>,
    /// Facts about each.
    pub facts: Vec<Facts>,
    /// The parameters.
    pub params: Vec<hir::Param>,
    /// A helper's result.
    pub result: Option<Ty>,
    /// Where we are.
    pub zone: Zone,
    /// Loops around the statement, innermost last; a phase starts with none.
    pub loops: Vec<LoopFrame>,
    /// A workgroup kernel's scratch.
    pub scratch: Vec<ScratchDef>,
    /// The author's names of what says which lane this is.
    pub numbers: Numbers,
    /// Whether a phase or tree was seen.
    pub has_phase: bool,
    /// The locals of phases that have ended.
    pub ended: Vec<LocalId>,
    /// The constant lanes of a group, once known.
    pub size: u32,
    /// Whether the controller is past its declarations of scratch.
    pub declarations_over: bool,
    scopes: Vec<Vec<(String, Binding)>>,
}

impl Func {
    /// A function without anything in it.
    pub fn new(zone: Zone) -> Self {
        Func {
            locals: Vec::new(),
            facts: Vec::new(),
            params: Vec::new(),
            result: None,
            zone,
            loops: Vec::new(),
            scratch: Vec::new(),
            numbers: Numbers::default(),
            has_phase: false,
            ended: Vec::new(),
            size: MAX_GROUP_SIZE,
            declarations_over: false,
            scopes: vec![Vec::new()],
        }
    }

    /// A local without a name in scope.
    pub fn new_local(&mut self, name: &str, at: SrcSpan, ty: Ty, read_only: bool) -> LocalId {
        self.locals.push(hir::Local {
            name: hir::Name {
                text: name.to_owned(),
                at,
            },
            ty,
            read_only,
        });
        self.facts.push(Facts {
            counter: false,
            most: i32::MAX,
            rule: None,
            zone: self.zone,
            uniform: false,
        });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// A local and its name.
    pub fn declare(&mut self, name: &crate::syntax::ast::Name, ty: Ty, read_only: bool) -> LocalId {
        let id = self.new_local(&name.text, name.at, ty, read_only);
        self.bind(&name.text, Binding::Local(id));
        id
    }

    /// Gives a name a meaning in the innermost scope.
    pub fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name.to_owned(), binding));
        }
    }

    /// Opens a scope.
    pub fn push_scope(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// Closes the innermost scope.
    pub fn pop_scope(&mut self) {
        self.scopes.pop();
    }

    /// What a name stands for.
    pub fn lookup(&self, name: &str) -> Option<Binding> {
        let mut names = self.scopes.iter().rev().flat_map(|s| s.iter().rev());
        names.find(|(n, _)| n == name).map(|(_, binding)| *binding)
    }

    /// Every name in scope.
    pub fn visible(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().flatten().map(|(name, _)| name.as_str())
    }

    /// A local's type.
    pub fn local_ty(&self, id: LocalId) -> Ty {
        self.locals[id.index()].ty
    }

    /// A span's elements and access; the parameter is one.
    pub fn span(&self, id: ParamId) -> (Elem, Access) {
        match self.params[id.index()].kind {
            ParamKind::Span(elem, access) => (elem, access),
            ParamKind::Value(..) | ParamKind::Scratch(_) => {
                unreachable!("a name is bound as a span only where its parameter is one")
            }
        }
    }

    /// A scratch array's elements.
    pub fn array_elem(&self, array: ArrayRef) -> Elem {
        match array {
            ArrayRef::Scratch(index) => self.scratch[index as usize].elem,
            ArrayRef::Param(id) => match self.params[id.index()].kind {
                ParamKind::Scratch(elem) => elem,
                ParamKind::Value(..) | ParamKind::Span(..) => {
                    unreachable!("a name is bound as scratch only where its parameter is one")
                }
            },
        }
    }
}
