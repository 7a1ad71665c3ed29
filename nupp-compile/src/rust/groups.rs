//! Prints a workgroup kernel: groups in ascending order, fresh scratch on the stack, each phase a
//! loop over the lanes of the group, each tree its stages, the controller as ordinary Rust.
//!
//! A phase runs as the plan says, straight or in blocks of lanes. A group's own elements of a
//! written span are a slice that is cut once a group.

use super::fun::{Fun, tuple};
use super::lanes::{self, Mask};
use super::scalar::{self, Turns};
use super::whole::{self, Part};
use super::{map, ops, trees};
use crate::cpu::narrow_lanes::Acting;
use crate::cpu::{Lanes, plan_lanes};
use nupp_core::ir::entity::{ScratchId, Value};
use nupp_core::ir::flow::{LoopKind, Op, Region};
use nupp_core::ir::kernel::{
    Access, Elem, Groups, Leaf, Node, NodeSeq, Phase, Repeat, ScratchDecl, Tree, TreeKind,
};
use nupp_core::ir::place::Place;

/// The statements of `work`.
pub fn body(fun: &mut Fun<'_>, groups: &Groups) {
    map::scatter_tables(fun);
    fun.out.open("for g in 0..count {");
    if fun.live(groups.group) {
        fun.out.line("let group = rt::number(first + g);");
    }
    for (s, (span, used)) in fun.kernel.spans.iter().zip(&fun.plan.spans).enumerate() {
        if span.access == Access::Write && used.stride > 0 {
            let stride = used.stride;
            fun.out
                .line(format!("let e{s} = rt::part(b{s}, g, {stride});"));
        }
    }
    let mut touched = vec![Touch::default(); groups.scratch.len()];
    touch_nodes(fun, &groups.nodes, &mut touched);
    let begun = whole::begun(fun, groups);
    for (s, touch) in touched.iter().enumerate().filter(|(_, touch)| touch.any) {
        if begun.is_none_or(|(_, array)| array.index() != s) {
            let fill = fill(fun, groups, s);
            fun.out.line(declared(touch.written, &fill));
        }
    }
    nodes(fun, groups, &groups.nodes);
    fun.out.close("}");
    fun.out.line("rt::Ok(())");
}

/// A declaration.
fn declared(written: bool, text: &str) -> String {
    let changes = if written { "mut " } else { "" };
    format!("let {changes}{text}")
}

/// Gives each slot of an array what it starts as.
fn fill(fun: &Fun<'_>, groups: &Groups, s: usize) -> String {
    let decl = &groups.scratch[s];
    format!("s{s} = [{}; {}];", initial(fun, decl), decl.count)
}

/// What a slot starts as.
fn initial(fun: &Fun<'_>, decl: &ScratchDecl) -> String {
    match decl.elem {
        Elem::Scalar(_) => decl
            .initial
            .first()
            .map_or_else(String::new, |&c| ops::literal(c)),
        Elem::Struct(id) => {
            let decl_of = &fun.kernel.structs[id.index()];
            let fields: Vec<String> = decl_of
                .fields
                .iter()
                .zip(&decl.initial)
                .map(|((name, _), &c)| format!("{}: {}", ops::ident(name), ops::literal(c)))
                .collect();
            format!(
                "super::{} {{ {} }}",
                ops::ident(&decl_of.name),
                fields.join(", ")
            )
        }
    }
}

/// Whether an array is touched, and written.
#[derive(Clone, Copy, Default)]
pub struct Touch {
    /// At all.
    pub any: bool,
    written: bool,
}

/// Notes what some nodes touch.
pub fn touch_nodes(fun: &Fun<'_>, nodes: &[Node], touched: &mut [Touch]) {
    for node in nodes {
        match node {
            Node::Inst(_) => {}
            Node::Phase(phase) => touch_region(fun, &phase.region, touched),
            Node::Tree(tree) => {
                touched[tree.array.index()] = Touch {
                    any: true,
                    written: true,
                };
                if let TreeKind::InclusiveScan {
                    temporary: Some(other),
                } = tree.kind
                {
                    touched[other.index()] = Touch {
                        any: true,
                        written: true,
                    };
                }
            }
            Node::Repeat(repeat) => touch_nodes(fun, &repeat.body.nodes, touched),
            Node::Select { then, els, .. } => {
                touch_nodes(fun, &then.nodes, touched);
                touch_nodes(fun, &els.nodes, touched);
            }
        }
    }
}

fn touch_region(fun: &Fun<'_>, region: &Region<Leaf>, touched: &mut [Touch]) {
    for inst in region.insts.iter().filter(|inst| fun.plan.live.inst(inst)) {
        match &inst.op {
            Op::Const(_) | Op::Scalar(..) => {}
            Op::Leaf(Leaf::Load { place, .. }) => {
                if let Some(array) = array_of(place) {
                    touched[array.index()].any = true;
                }
            }
            Op::Leaf(Leaf::Store { place, .. }) => {
                if let Some(array) = array_of(place) {
                    touched[array.index()] = Touch {
                        any: true,
                        written: true,
                    };
                }
            }
            Op::Leaf(Leaf::Uniform(_) | Leaf::Length(_) | Leaf::Scatter { .. }) => {}
            Op::If { then, els, .. } => {
                touch_region(fun, then, touched);
                touch_region(fun, els, touched);
            }
            Op::Loop(inner) => {
                if let LoopKind::While { cond, .. } = &inner.kind {
                    touch_region(fun, cond, touched);
                }
                touch_region(fun, &inner.body, touched);
            }
        }
    }
}

fn array_of(place: &Place) -> Option<ScratchId> {
    match place {
        Place::Own { array, .. } | Place::Slot { array, .. } => Some(*array),
        Place::Element { .. }
        | Place::Block { .. }
        | Place::At { .. }
        | Place::GroupBlock { .. }
        | Place::GroupSlot { .. } => None,
    }
}

fn nodes(fun: &mut Fun<'_>, groups: &Groups, nodes: &[Node]) {
    for (at, node) in nodes.iter().enumerate() {
        if !fun.plan.live.node(node) {
            continue;
        }
        match node {
            Node::Inst(inst) => scalar::instruction(fun, inst),
            Node::Phase(found) => {
                if phase(fun, groups, found, &nodes[at + 1..]) {
                    return;
                }
            }
            Node::Tree(found) => tree(fun, groups, found),
            Node::Repeat(found) => repeat(fun, groups, found),
            Node::Select {
                cond,
                then,
                els,
                results,
            } => select(fun, groups, *cond, (then, els), results),
        }
    }
}

fn tree(fun: &mut Fun<'_>, groups: &Groups, tree: &Tree) {
    trees::tree(fun, tree, &groups.scratch[tree.array.index()]);
}

fn repeat(fun: &mut Fun<'_>, groups: &Groups, repeat: &Repeat) {
    let turns = Turns {
        kind: &repeat.kind,
        params: &repeat.params,
        init: &repeat.init,
        yields: &repeat.body.yields,
        breaks: repeat.breaks,
    };
    scalar::turn_by_turn(fun, turns, &mut |fun| {
        nodes(fun, groups, &repeat.body.nodes)
    });
}

fn select(
    fun: &mut Fun<'_>,
    groups: &Groups,
    cond: Value,
    (then, els): (&NodeSeq, &NodeSeq),
    results: &[Value],
) {
    let needed = fun.needed(results);
    let pick = |fun: &Fun<'_>, values: &[Value]| {
        let picked: Vec<Value> = needed.iter().map(|&i| values[i]).collect();
        tuple(&fun.all(&picked))
    };
    let cond = fun.name(cond);
    if needed.is_empty() {
        fun.out.open(format!("if {cond} {{"));
        nodes(fun, groups, &then.nodes);
        if els.nodes.iter().any(|node| fun.plan.live.node(node)) {
            fun.out.turn("} else {");
            nodes(fun, groups, &els.nodes);
        }
        fun.out.close("}");
        return;
    }
    let left = pick(fun, results);
    fun.out.open(format!("let {left} = if {cond} {{"));
    nodes(fun, groups, &then.nodes);
    let yields = pick(fun, &then.yields);
    fun.out.line(yields);
    fun.out.turn("} else {");
    nodes(fun, groups, &els.nodes);
    let yields = pick(fun, &els.yields);
    fun.out.line(yields);
    fun.out.close("};");
}

/// Gives whether it printed the rest as well.
fn phase(fun: &mut Fun<'_>, groups: &Groups, phase: &Phase, rest: &[Node]) -> bool {
    let Some(whole) = whole::of(fun, groups, phase) else {
        let acting = whole::acting(fun, phase);
        lane_loop(fun, groups, phase, acting);
        return false;
    };
    let begun = whole::begun(fun, groups).filter(|(id, _)| *id == phase.id);
    whole::phase(fun, groups, &whole, begun.is_some(), &|fun, part| {
        let array = begun.map(|(_, array)| array.index());
        match (part, array) {
            (Part::Copied, Some(s)) => {
                let mut touched = vec![Touch::default(); groups.scratch.len()];
                touch_nodes(fun, rest, &mut touched);
                let text = declared(touched[s].written, &format!("s{s} = *r0;"));
                fun.out.line(text);
            }
            (Part::Copied, None) => {}
            (Part::General, _) => {
                if let Some(s) = array {
                    let text = declared(true, &fill(fun, groups, s));
                    fun.out.line(text);
                }
                lane_loop(fun, groups, phase, None);
            }
            (Part::Rest, _) => nodes(fun, groups, rest),
        }
    });
    begun.is_some()
}

/// A phase as a loop over the lanes that may act, in blocks where the plan says so.
fn lane_loop(fun: &mut Fun<'_>, groups: &Groups, phase: &Phase, acting: Option<Acting>) {
    let size = groups.size;
    let plan = fun.plan;
    let (from, to) = match acting {
        None => ("0".to_owned(), format!("{size}_u32")),
        Some(Acting::Only(lane)) if lane < size => (format!("{lane}"), format!("{}_u32", lane + 1)),
        Some(Acting::Only(_)) => return,
        Some(Acting::BelowConst(limit)) => ("0".to_owned(), format!("{}_u32", limit.min(size))),
        Some(Acting::Below(limit)) => (
            "0".to_owned(),
            format!("{}.min({size}_u32)", fun.name(limit)),
        ),
    };
    let few = matches!(acting, Some(Acting::Only(_)));
    let blocks = plan_lanes::lanes_of(fun.kernel, &phase.region, &plan.live) == Lanes::Blocks;
    let start = if blocks && !few {
        fun.out.open("let done = if cfg!(debug_assertions) {");
        fun.out.line("0");
        fun.out.turn("} else {");
        if acting.is_none() {
            fun.out.line(format!("let blocks = {size} / W;"));
        } else {
            fun.out.line(format!("let blocks = rt::lanes({to}) / W;"));
        }
        fun.out.open("for k in 0..blocks {");
        fun.run.own_number("local", "rt::number(k * W + l)");
        if fun.wants_first() {
            fun.out.line("let start = rt::number(k * W);");
        }
        lanes::region(fun, &phase.region, &Mask::All);
        fun.flush();
        fun.out.close("}");
        fun.out.line("rt::number(blocks * W)");
        fun.out.close("};");
        "done".to_owned()
    } else {
        from
    };
    fun.out.open(format!("for local in {start}..{to} {{"));
    if !uses_local(fun, phase, &phase.region) {
        fun.out.line("let _ = local;");
    }
    scalar::region(fun, &phase.region);
    fun.out.close("}");
}

/// Whether the printed region names the lane number.
fn uses_local(fun: &Fun<'_>, phase: &Phase, region: &Region<Leaf>) -> bool {
    let own = |place: &Place| matches!(place, Place::Own { .. } | Place::GroupBlock { .. });
    let mut live = region.insts.iter().filter(|inst| fun.plan.live.inst(inst));
    fun.live(phase.local)
        || live.any(|inst| match &inst.op {
            Op::Const(_) | Op::Scalar(..) => false,
            Op::Leaf(Leaf::Load { place, .. } | Leaf::Store { place, .. }) => own(place),
            // It says who wrote.
            Op::Leaf(Leaf::Scatter { .. }) => true,
            Op::Leaf(Leaf::Uniform(_) | Leaf::Length(_)) => false,
            Op::If { then, els, .. } => uses_local(fun, phase, then) || uses_local(fun, phase, els),
            Op::Loop(inner) => {
                let cond = match &inner.kind {
                    LoopKind::While { cond, .. } => uses_local(fun, phase, cond),
                    LoopKind::Counted { .. } => false,
                };
                cond || uses_local(fun, phase, &inner.body)
            }
        })
}
