//! Prints phases whose conditions may hold in all lanes of a group (`cpu::whole_lanes`): one question
//! a group, then a plain loop over arrays of the group's size; and beside it the general form.
//!
//! The values that are the same in all lanes are computed before the loop: operations are total.

use super::fun::Fun;
use super::scalar;
use crate::cpu::narrow_lanes::{self, Acting};
use crate::cpu::whole_lanes::{self, Whole};
use nupp_core::ir::entity::{PhaseId, ScratchId, SpanId};
use nupp_core::ir::flow::Op;
use nupp_core::ir::kernel::{Groups, Leaf, Node, Phase, SourceInst};
use nupp_core::ir::place::Place;

/// The phase in that form, if it has it and all its lanes act.
pub fn of<'p>(fun: &Fun<'_>, groups: &Groups, phase: &'p Phase) -> Option<Whole<'p>> {
    if acting(fun, phase).is_some() {
        return None;
    }
    let steps = |value| fun.steps(value);
    whole_lanes::whole(fun.kernel, groups, phase, &fun.plan.live, &steps)
}

/// The lanes that may act, where those are not all.
pub fn acting(fun: &Fun<'_>, phase: &Phase) -> Option<Acting> {
    narrow_lanes::acting(phase, &fun.plan.live, |value| fun.is_lane(value))
}

/// The most nodes after a phase that are printed in both of its branches.
const MOST_TWICE: usize = 8;

/// The first phase of a group, where it copies a slot a lane into an array: the array begins as the
/// copy, and as a filled one where the copy is not whole. All that follows is printed in both
/// branches, so that rustc sees one origin of the array in each; hence only where that is little.
pub fn begun(fun: &Fun<'_>, groups: &Groups) -> Option<(PhaseId, ScratchId)> {
    let at = groups
        .nodes
        .iter()
        .position(|node| !matches!(node, Node::Inst(_)))?;
    let (Node::Phase(phase), rest) = (&groups.nodes[at], &groups.nodes[at + 1..]) else {
        return None;
    };
    let flat = |node: &Node| matches!(node, Node::Inst(_) | Node::Phase(_) | Node::Tree(_));
    if rest.len() > MOST_TWICE || !rest.iter().all(flat) {
        return None;
    }
    let (array, ..) = of(fun, groups, phase)?.copy(groups)?;
    Some((phase.id, array))
}

/// Prints a phase; `general` prints its general form. `begin` prints the array that the phase
/// begins, from what it starts as, and `rest` all that follows where that goes into both branches.
pub fn phase(
    fun: &mut Fun<'_>,
    groups: &Groups,
    whole: &Whole<'_>,
    begins: bool,
    print: &dyn Fn(&mut Fun<'_>, Part),
) {
    let names = fun.names.clone();
    let needs = |inst: &SourceInst| inst.results.iter().any(|v| whole.needed.contains(v));
    let (lane, uniform): (Vec<&SourceInst>, Vec<&SourceInst>) = whole
        .insts
        .iter()
        .partition(|inst| inst.results.is_empty() || inst.results.iter().any(|&v| fun.is_lane(v)));
    if !whole.reads.is_empty() || !whole.below.is_empty() {
        fun.out.line("let start = 0_u32;");
    }
    for inst in uniform.into_iter().filter(|inst| needs(inst)) {
        name_choices(fun, whole);
        scalar::instruction(fun, inst);
    }
    name_choices(fun, whole);
    question(fun, groups, whole);
    if begins {
        print(fun, Part::Copied);
    } else {
        body(fun, groups, whole, &lane);
    }
    fun.names = names;
    if begins {
        print(fun, Part::Rest);
    }
    fun.out.turn("} else {");
    print(fun, Part::General);
    if begins {
        print(fun, Part::Rest);
    }
    fun.out.close("}");
}

/// What the printer of groups adds to a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The array that begins as the copy.
    Copied,
    /// The general form, with the filled array where the phase begins one.
    General,
    /// The nodes after the phase.
    Rest,
}

/// `if let` all that must be known.
fn question(fun: &mut Fun<'_>, groups: &Groups, whole: &Whole<'_>) {
    let size = groups.size;
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (r, (span, index)) in whole.reads.iter().enumerate() {
        let first = fun.first_text(*index);
        left.push(format!("rt::Some(r{r})"));
        right.push(format!("rt::stretch::<_, {size}>(b{}, {first})", span.0));
    }
    for span in &whole.writes {
        left.push(format!("rt::Some(x{})", span.0));
        right.push(format!("e{}.first_chunk_mut::<{size}>()", span.0));
    }
    let mut conditions: Vec<String> = Vec::new();
    for &(value, limit) in &whole.below {
        let (first, limit) = (fun.first_text(value), fun.name(limit));
        conditions.push(format!("rt::all_below({first}, {size}, {limit})"));
    }
    conditions.extend(whole.uniform.iter().map(|&v| fun.name(v)));
    if !conditions.is_empty() {
        left.push("true".to_owned());
        right.push(conditions.join(" & "));
    }
    let tuple = |items: &[String]| super::fun::tuple(items);
    fun.out
        .open(format!("if let {} = {} {{", tuple(&left), tuple(&right)));
}

/// Names each choice by what its side yields, as far as that has a name; the last alias of a chain is
/// named first.
fn name_choices(fun: &mut Fun<'_>, whole: &Whole<'_>) {
    for &(result, value) in &whole.aliases {
        fun.names[result.index()] = fun.name(value);
    }
}

fn body(fun: &mut Fun<'_>, groups: &Groups, whole: &Whole<'_>, lane: &[&SourceInst]) {
    fun.out
        .open(format!("for local in 0..{}_u32 {{", groups.size));
    for inst in lane {
        let stores = inst.results.is_empty();
        if stores || inst.results.iter().any(|v| whole.needed.contains(v)) {
            instruction(fun, whole, inst);
        }
    }
    fun.out.close("}");
}

fn instruction(fun: &mut Fun<'_>, whole: &Whole<'_>, inst: &SourceInst) {
    let at = "local as usize";
    match &inst.op {
        Op::Leaf(Leaf::Load { place, field }) => {
            let (from, span) = match place {
                Place::At { span, index, .. } if fun.is_lane(*index) => {
                    let read = whole.reads.iter().position(|r| *r == (*span, *index));
                    (format!("r{}", read.unwrap_or(0)), *span)
                }
                Place::GroupBlock { span, .. } => (format!("x{}", span.0), *span),
                Place::Element { .. }
                | Place::Block { .. }
                | Place::At { .. }
                | Place::GroupSlot { .. }
                | Place::Own { .. }
                | Place::Slot { .. } => return scalar::instruction(fun, inst),
            };
            let (name, dot) = (fun.name(inst.results[0]), dot(fun, span, *field));
            fun.out.line(format!("let {name} = {from}[{at}]{dot};"));
        }
        Op::Leaf(Leaf::Store {
            place: Place::GroupBlock { span, .. },
            field,
            value,
        }) => {
            let text = fun.gated(fun.ty(*value), &fun.name(*value));
            let dot = dot(fun, *span, *field);
            fun.out.line(format!("x{}[{at}]{dot} = {text};", span.0));
        }
        Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) | Op::If { .. } | Op::Loop(_) => {
            scalar::instruction(fun, inst);
        }
    }
}

fn dot(fun: &Fun<'_>, span: SpanId, field: u32) -> String {
    fun.field(fun.kernel.spans[span.index()].elem, field)
}
