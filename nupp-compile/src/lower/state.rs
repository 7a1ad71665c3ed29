//! What is known while one kernel is lowered: its values, the locals of each function being
//! inlined, the facts that dominate, and the mistakes so far.

use std::collections::HashMap;

use super::number::Numbering;
use super::turns::Turns;
use crate::proof::forms::SpanUse;
use crate::proof::show::Names;
use crate::proof::slots::SlotUse;
use crate::proof::world::World;
use nupp_core::ir::entity::{Scalar, ScratchId, SpanId, StructId, UniformId, Value};
use nupp_core::ir::kernel::{
    Guard, Node, ParamRef, ScratchDecl, SpanDecl, StructDecl, UniformDecl,
};
use nupp_core::limits::{MAX_DEPTH, MAX_INSTRUCTIONS, MAX_NESTING};
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::hir::{Expr, Function, KernelDef, LocalId, ParamId, Program, Ty};
use nupp_front::span::SrcSpan;

/// Nested expressions, statements and calls together; each is one level of recursion here.
const MAX_RECURSION: usize = 3 * MAX_DEPTH;

/// Expressions and statements looked at: equal computations share one instruction, so a chain of
/// helpers could otherwise take for ever and stay short.
const MAX_STEPS: usize = 2 * MAX_INSTRUCTIONS;
/// Calls that a message names, from the innermost on.
const MAX_CALL_NOTES: usize = 4;
/// Regions inside regions; the verifier allows a few more.
const MAX_REGIONS: usize = MAX_DEPTH - 8;

/// A scalar is one value, a struct one a field.
pub(super) type Val = Vec<Value>;

/// What each local holds now; after the locals come the slots that early exits need.
pub(super) type Env = Vec<Option<Val>>;

/// A function being lowered: the kernel's own at the bottom, inlined helpers above it.
pub(super) struct Frame<'a> {
    /// Its declaration.
    pub func: &'a Function,
    /// What its locals hold.
    pub env: Env,
    /// Its span parameters.
    pub spans: Vec<Option<SpanId>>,
    /// Its scratch parameters.
    pub arrays: Vec<Option<ScratchId>>,
    /// Loops open in it.
    pub loops: usize,
    /// Where it was called from.
    pub call: Option<SrcSpan>,
}

impl Frame<'_> {
    /// The slot that says whether a `return` was met inside a loop.
    pub(super) fn returned(&self) -> usize {
        self.func.locals.len()
    }
    /// The slot that holds the result.
    pub(super) fn result(&self) -> usize {
        self.func.locals.len() + 1
    }
    /// The slot that says whether the loop at this depth was left.
    pub(super) fn broken(&self, depth: usize) -> usize {
        self.func.locals.len() + 2 + depth
    }
}

/// A condition that dominates what is lowered now.
pub(super) struct Fact<'a> {
    /// The boolean.
    pub value: Value,
    /// What it is known to be.
    pub truth: bool,
    /// The condition as written, where there is one.
    pub cond: Option<&'a Expr>,
    /// The function it stands in.
    pub frame: usize,
    /// What the locals it names held.
    pub locals: Vec<(LocalId, Val)>,
}

/// One kernel being lowered.
pub(super) struct Lower<'a> {
    pub program: &'a Program,
    pub kernel: &'a KernelDef,
    pub world: World,
    pub numbers: Numbering,
    pub frames: Vec<Frame<'a>>,
    pub facts: Vec<Fact<'a>>,
    pub structs: Vec<StructDecl>,
    pub struct_ids: Vec<Option<StructId>>,
    pub spans: Vec<SpanDecl>,
    pub uniforms: Vec<UniformDecl>,
    pub params: Vec<ParamRef>,
    pub guards: Vec<Guard>,
    pub scratch: Vec<ScratchDecl>,
    /// Nodes of the open controller sequences; absent inside a phase and in a map.
    pub nodes: Vec<Vec<Node>>,
    /// Whether instructions become controller nodes.
    pub controller: bool,
    /// The lane number of the open phase.
    pub lane: Option<(Value, LocalId)>,
    /// A map's index.
    pub index_value: Option<Value>,
    /// Kernel parameters that are read where they are used.
    pub uniform_locals: HashMap<LocalId, UniformId>,
    /// Phases and trees so far.
    pub phases: u32,
    /// Where each of them stands.
    pub phase_places: Vec<SrcSpan>,
    pub span_uses: Vec<SpanUse>,
    /// Scatters that control may have passed on the way here, by their position in `span_uses`.
    pub scattered: Vec<usize>,
    /// What turns of loops may repeat.
    pub turns: Turns<'a>,
    pub slot_uses: Vec<SlotUse>,
    pub mistakes: Vec<Diagnostic>,
    /// Where most regions were open, and how many.
    deepest: (usize, SrcSpan),
    depth: usize,
    steps: usize,
    effects: usize,
    stopped: bool,
}

impl<'a> Lower<'a> {
    /// Nothing lowered yet; `decl` fills in the declarations.
    pub(super) fn empty(program: &'a Program, kernel: &'a KernelDef, world: World) -> Self {
        Lower {
            program,
            kernel,
            world,
            numbers: Numbering::default(),
            frames: Vec::new(),
            facts: Vec::new(),
            structs: Vec::new(),
            struct_ids: vec![None; program.structs.len()],
            spans: Vec::new(),
            uniforms: Vec::new(),
            params: Vec::new(),
            guards: Vec::new(),
            scratch: Vec::new(),
            nodes: Vec::new(),
            controller: false,
            lane: None,
            index_value: None,
            uniform_locals: HashMap::new(),
            phases: 0,
            phase_places: Vec::new(),
            span_uses: Vec::new(),
            scattered: Vec::new(),
            turns: Turns::default(),
            slot_uses: Vec::new(),
            mistakes: Vec::new(),
            deepest: (0, kernel.func.name.at),
            depth: 0,
            steps: 0,
            effects: 0,
            stopped: false,
        }
    }

    pub(super) fn frame(&self) -> &Frame<'a> {
        self.frames.last().expect("the kernel's own frame stays")
    }

    pub(super) fn frame_mut(&mut self) -> &mut Frame<'a> {
        self.frames
            .last_mut()
            .expect("the kernel's own frame stays")
    }

    pub(super) fn env(&mut self) -> &mut Env {
        &mut self.frame_mut().env
    }

    /// Sets a local or an exit's slot.
    pub(super) fn set(&mut self, slot: usize, val: Val) {
        let env = self.env();
        if env.len() <= slot {
            env.resize(slot + 1, None);
        }
        env[slot] = Some(val);
    }

    /// What a slot holds, if anything.
    pub(super) fn get(&self, slot: usize) -> Option<&Val> {
        self.frame().env.get(slot).and_then(Option::as_ref)
    }

    /// Names to print an expression of the current function with.
    pub(super) fn names(&self) -> Names<'a> {
        self.names_of(self.frames.len() - 1)
    }

    /// Names to print an expression of some frame's function with.
    pub(super) fn names_of(&self, frame: usize) -> Names<'a> {
        Names {
            program: self.program,
            kernel: self.kernel,
            func: self.frames.get(frame).map_or(&self.kernel.func, |f| f.func),
        }
    }

    /// The span behind a parameter of the current function.
    pub(super) fn span(&self, id: ParamId) -> SpanId {
        self.frame()
            .spans
            .get(id.index())
            .copied()
            .flatten()
            .expect("check resolves span parameters")
    }

    /// The scalars of a type.
    pub(super) fn fields(&self, ty: Ty) -> Vec<Scalar> {
        match ty {
            Ty::Scalar(ty) => vec![ty],
            Ty::Struct(id) => self.program.structs[id.index()]
                .fields
                .iter()
                .map(|f| f.1)
                .collect(),
        }
    }

    /// Whether lowering goes on: after a limit was passed it only unwinds.
    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }

    /// One level of recursion deeper, unless that would be too deep or the kernel too long.
    pub(super) fn enter(&mut self, at: SrcSpan) -> bool {
        if self.stopped {
            return false;
        }
        self.depth += 1;
        self.steps += 1;
        let open = self.numbers.depth();
        if open > self.deepest.0 {
            self.deepest = (open, at);
        }
        let name = &self.kernel.func.name.text;
        if self.depth > MAX_RECURSION || open > MAX_REGIONS {
            self.too_deep(at);
            self.stopped = true;
        } else if self.world.b.values.len() + self.effects > MAX_INSTRUCTIONS
            || self.steps > MAX_STEPS
        {
            let text = format!(
                "`{name}` has more than {MAX_INSTRUCTIONS} instructions once its helpers are inlined"
            );
            let help = "call helpers in a loop instead of repeating them, or split the kernel";
            // Where the limit was passed is by chance; what the kernel calls is what grew.
            let at = self.frames.get(1).and_then(|f| f.call).unwrap_or(at);
            self.mistakes
                .push(Diagnostic::new(Code::TooLong, at, text).help(help));
            self.stopped = true;
        }
        !self.stopped
    }

    /// Refuses a body whose regions nest more deeply than a device's compiler reads them.
    pub(super) fn check_nesting(&mut self, levels: usize) {
        if levels > MAX_NESTING && !self.stopped {
            self.too_deep(self.deepest.1);
        }
    }

    fn too_deep(&mut self, at: SrcSpan) {
        let name = &self.kernel.func.name.text;
        let text = format!(
            "`{name}` nests more than {MAX_NESTING} blocks here once its helpers are inlined and its early \
             exits are conditions"
        );
        let help = "move an inner part before the blocks around it, or join conditions with `and`";
        self.report(Diagnostic::new(Code::TooDeep, at, text).help(help));
    }

    /// Back from one level of recursion.
    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Counts an instruction that defines no value.
    pub(super) fn count_effect(&mut self) {
        self.effects += 1;
    }

    /// Adds a mistake; one inside an inlined helper also names the calls that led there.
    pub(super) fn report(&mut self, mut mistake: Diagnostic) {
        if self.stopped {
            return;
        }
        let calls: Vec<(SrcSpan, String)> = self
            .frames
            .iter()
            .rev()
            .filter_map(|f| f.call.map(|at| (at, f.func.name.text.clone())))
            .take(MAX_CALL_NOTES)
            .collect();
        for (at, name) in calls {
            mistake = mistake.note(Some(at), format!("in `{name}`, called here"));
        }
        if !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
    }

    /// Runs `inside` while `value` is known to be `truth`.
    pub(super) fn given<T>(
        &mut self,
        value: Value,
        truth: bool,
        cond: Option<&'a Expr>,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let mut ids = Vec::new();
        if let Some(cond) = cond {
            super::exits::locals_of(cond, &mut ids);
        }
        let locals = ids
            .into_iter()
            .filter_map(|id| self.get(id.index()).map(|val| (id, val.clone())))
            .collect();
        self.facts.push(Fact {
            value,
            truth,
            cond,
            frame: self.frames.len() - 1,
            locals,
        });
        let result = inside(self);
        self.facts.pop();
        result
    }

    /// The facts without their texts.
    pub(super) fn known(&self) -> Vec<(Value, bool)> {
        self.facts.iter().map(|f| (f.value, f.truth)).collect()
    }
}
