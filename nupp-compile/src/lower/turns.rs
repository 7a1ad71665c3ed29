//! Scatters in loops: the turns of a loop are as many chances for one lane to meet itself.
//!
//! A cursor that follows from nothing that changes in a loop is the same element in every turn, so
//! it is refused, unless the turn that scatters is the last or the only one. It is decided where a
//! loop ends, since only then is known what its inner loops hand on and what is written in it.

use std::collections::HashSet;

use super::state::Lower;
use crate::proof::explain;
use nupp_core::ir::build::Def;
use nupp_core::ir::entity::{ScratchId, SpanId, Value};
use nupp_core::ir::flow::LoopKind;
use nupp_core::ir::kernel::Leaf;
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::place::{Family, Operand, Place};
use nupp_core::ir::value_map::ValueMap;
use nupp_front::hir::{Block, Stmt, StmtKind};
use nupp_front::span::SrcSpan;

/// What is known of the loops of a kernel.
#[derive(Default)]
pub(super) struct Turns<'a> {
    /// The loops that are open, outermost first.
    open: Vec<Turn<'a>>,
    /// Scatters that stand in a loop.
    scatters: Vec<Scattered>,
    /// What each load reads.
    loads: ValueMap<(Memory, Vec<Value>)>,
    /// The loop that each parameter and result belongs to, a position in `carried`.
    loops: ValueMap<usize>,
    /// What the parameters of a loop follow from.
    carried: Vec<Vec<Value>>,
    /// Trees so far.
    pub trees: usize,
}

/// An open loop, and how much there was when it began.
struct Turn<'a> {
    body: &'a Block,
    at: SrcSpan,
    frame: usize,
    controller: bool,
    values: usize,
    scatters: usize,
    span_uses: usize,
    slot_uses: usize,
    trees: usize,
}

/// A scatter in a loop.
struct Scattered {
    /// Its position in `span_uses`.
    used: usize,
    element: Value,
    facts: Vec<(Value, bool)>,
    /// The statement that leads to it, in each frame.
    path: Vec<SrcSpan>,
    refused: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Span(SpanId),
    Scratch(ScratchId),
}

/// What a loop hands from turn to turn.
pub(super) struct Carried {
    /// Its parameters, and the variable of a counted one.
    own: Vec<Value>,
    /// What they follow from.
    from: Vec<Value>,
}

impl Carried {
    pub(super) fn new(
        kind: &LoopKind<Leaf>,
        params: &[Value],
        init: &[Value],
        yields: &[Value],
    ) -> Self {
        let mut own = params.to_vec();
        let mut from = [init, yields].concat();
        match kind {
            LoopKind::Counted { var, lo, hi } => {
                own.push(*var);
                from.extend([*lo, *hi]);
            }
            LoopKind::While { cond, .. } => from.extend(&cond.yields),
        }
        Carried { own, from }
    }
}

impl<'a> Lower<'a> {
    /// A loop begins.
    pub(super) fn open_turns(&mut self, stmt: &'a Stmt) {
        let (StmtKind::While(_, body) | StmtKind::Repeat(body, _) | StmtKind::For { body, .. }) =
            &stmt.kind
        else {
            return;
        };
        let turn = Turn {
            body,
            at: stmt.at,
            frame: self.frames.len() - 1,
            controller: self.controller,
            values: self.world.b.values.len(),
            scatters: self.turns.scatters.len(),
            span_uses: self.span_uses.len(),
            slot_uses: self.slot_uses.len(),
            trees: self.turns.trees,
        };
        self.turns.open.push(turn);
    }

    /// A loop ends: refuses the scatters in it that each turn repeats.
    pub(super) fn close_turns(&mut self, carried: Carried, results: &[Value]) {
        let Some(turn) = self.turns.open.pop() else {
            return;
        };
        for at in turn.scatters..self.turns.scatters.len() {
            if self.repeats(&turn, &carried, &self.turns.scatters[at]) {
                self.turns.scatters[at].refused = true;
                let u = &self.span_uses[self.turns.scatters[at].used];
                let mistake = explain::scatter_turns(u, turn.at, turn.controller);
                self.report(mistake);
            }
        }
        let place = self.turns.carried.len();
        let members = carried.own.iter().chain(results);
        self.turns.loops.extend(members.map(|v| (*v, place)));
        self.turns.carried.push(carried.from);
    }

    /// Notes a scatter at an element, used last.
    pub(super) fn note_turn(&mut self, used: usize, element: Value, at: SrcSpan) {
        if self.turns.open.is_empty() {
            return;
        }
        let mut path: Vec<SrcSpan> = self.frames.iter().filter_map(|f| f.call).collect();
        path.push(at);
        let facts = self.known();
        self.turns.scatters.push(Scattered {
            used,
            element,
            facts,
            path,
            refused: false,
        });
    }

    /// Notes what a load reads.
    pub(super) fn note_load(&mut self, value: Value, place: &Place) {
        if self.turns.open.is_empty() {
            return;
        }
        let own = |slot: &Family| match slot {
            Family::Strided { k } => operand(*k),
            Family::Blocked { j, .. } => operand(*j),
        };
        let loaded = match place {
            Place::Element { span, .. } | Place::GroupSlot { span, .. } => {
                (Memory::Span(*span), Vec::new())
            }
            Place::At { span, index, .. } => (Memory::Span(*span), vec![*index]),
            Place::Block { span, slot, .. } => (Memory::Span(*span), vec![*slot]),
            Place::GroupBlock { span, slot, .. } => (Memory::Span(*span), own(slot)),
            Place::Own { array, slot } => (Memory::Scratch(*array), own(slot)),
            Place::Slot { array, index, .. } => (Memory::Scratch(*array), vec![*index]),
        };
        self.turns.loads.insert(value, loaded);
    }

    fn repeats(&self, turn: &Turn<'a>, carried: &Carried, scatter: &Scattered) -> bool {
        let site = scatter.path.get(turn.frame).copied();
        !scatter.refused
            && !self.changes(turn, &carried.own, scatter.element)
            && !self.in_one_turn(turn, &carried.own, &scatter.facts)
            && !site.is_some_and(|site| is_last(turn.body, site))
    }

    /// Whether a value may differ from turn to turn.
    fn changes(&self, turn: &Turn<'a>, own: &[Value], of: Value) -> bool {
        let (mut open, mut seen) = (vec![of], HashSet::new());
        while let Some(value) = open.pop() {
            if own.contains(&value) {
                return true;
            }
            if value.index() < turn.values || !seen.insert(value) {
                continue;
            }
            match self.world.b.def(value) {
                Def::External | Def::Const(_) => {}
                Def::Scalar(_, args) => open.extend(args),
                Def::If { cond, then, els } => open.extend([*cond, *then, *els]),
                Def::Counted { lo, hi } => open.extend([*lo, *hi]),
                Def::LoopParam { .. } | Def::LoopResult { .. } => {
                    match self.turns.loops.get(&value) {
                        Some(place) => open.extend(&self.turns.carried[*place]),
                        None => return true,
                    }
                }
                // A uniform and a length are no loads, and the same in every turn.
                Def::Leaf => {
                    if let Some((memory, index)) = self.turns.loads.get(&value) {
                        if self.written_since(turn, *memory) {
                            return true;
                        }
                        open.extend(index);
                    }
                }
            }
        }
        false
    }

    fn written_since(&self, turn: &Turn<'a>, memory: Memory) -> bool {
        match memory {
            Memory::Span(span) => self.span_uses[turn.span_uses..]
                .iter()
                .any(|u| u.write && u.span == span),
            Memory::Scratch(array) => {
                self.turns.trees > turn.trees
                    || self.slot_uses[turn.slot_uses..]
                        .iter()
                        .any(|u| u.write && u.array == array)
            }
        }
    }

    /// Whether the facts say which turn it is: what changes equals what does not.
    fn in_one_turn(&self, turn: &Turn<'a>, own: &[Value], facts: &[(Value, bool)]) -> bool {
        let mut open = facts.to_vec();
        while let Some((value, truth)) = open.pop() {
            match self.world.b.def(value) {
                Def::Scalar(ScalarOp::BoolAnd, args) if truth => {
                    open.extend([(args[0], true), (args[1], true)]);
                }
                Def::Scalar(ScalarOp::U32Eq | ScalarOp::I32Eq, args) if truth => {
                    for (a, b) in [(args[0], args[1]), (args[1], args[0])] {
                        let counter =
                            matches!(self.world.b.def(self.uncast(a)), Def::Counted { .. });
                        if counter && own.contains(&self.uncast(a)) && !self.changes(turn, own, b) {
                            return true;
                        }
                    }
                }
                _ => {}
            }
        }
        false
    }

    fn uncast(&self, value: Value) -> Value {
        match self.world.b.def(value) {
            Def::Scalar(ScalarOp::U32FromI32 | ScalarOp::I32FromU32, args) => args[0],
            _ => value,
        }
    }
}

fn operand(of: Operand) -> Vec<Value> {
    match of {
        Operand::Value(value) => vec![value],
        Operand::Const(_) => Vec::new(),
    }
}

/// Whether the loop certainly ends with the turn that comes to a statement.
fn is_last(body: &Block, site: SrcSpan) -> bool {
    let mut found = false;
    ends(&body.stmts, (false, true), site, &mut found);
    found
}

/// Whether control that enters these statements certainly leaves the loop; `after` says it of what
/// follows them, `broken` of a `break` in them. What holds after the statement at `site` goes to
/// `found`.
fn ends(stmts: &[Stmt], (after, broken): (bool, bool), site: SrcSpan, found: &mut bool) -> bool {
    let mut end = after;
    for stmt in stmts.iter().rev() {
        if stmt.at == site && matches!(stmt.kind, StmtKind::Scatter { .. } | StmtKind::Call(..)) {
            *found = end;
        }
        end = match &stmt.kind {
            StmtKind::Break => broken,
            StmtKind::Return(_) => true,
            StmtKind::Continue => false,
            StmtKind::Do(body) | StmtKind::Run { body, .. } => {
                ends(&body.stmts, (end, broken), site, found)
            }
            StmtKind::If(arms, els) => {
                let mut all = ends(&els.stmts, (end, broken), site, found);
                for (_, arm) in arms {
                    all &= ends(&arm.stmts, (end, broken), site, found);
                }
                all
            }
            StmtKind::While(_, body) | StmtKind::Repeat(body, _) | StmtKind::For { body, .. } => {
                // An inner loop may take another turn, and then ends like what follows it.
                ends(&body.stmts, (false, end), site, found);
                end
            }
            StmtKind::Let(..)
            | StmtKind::Assign(_)
            | StmtKind::Call(..)
            | StmtKind::Scatter { .. }
            | StmtKind::Tree { .. } => end,
        };
    }
    end
}
