//! Prints a region for a block of `W` lanes as runs (`run`): straight-line operations of all kinds
//! share one loop over the lanes, and a choice whose sides hold no loop is a selection in it.
//!
//! Lanes that a condition has put to sleep compute on: operations are total, and loads of theirs
//! give anything. Only stores, the parameters of a loop that lanes leave at different times, and
//! what a choice gives are settled by the mask. What is the same in all lanes stays a scalar,
//! computed before the run.

use super::fun::Fun;
use super::run::select;
use super::{loops, ops, scalar};
use crate::cpu::liveness;
use nupp_core::ir::entity::{Scalar, SpanId, Value};
use nupp_core::ir::flow::{Inst, Op, Region};
use nupp_core::ir::kernel::Leaf;
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::place::Place;

/// Which lanes are live: all of the block, or those of a mask.
#[derive(Clone, Debug, PartialEq)]
pub enum Mask {
    /// All.
    All,
    /// Those where this name is set.
    Var(String),
}

/// The instructions of a region under a mask; the last run stays open.
pub fn region(fun: &mut Fun<'_>, region: &Region<Leaf>, mask: &Mask) {
    for inst in &region.insts {
        if fun.plan.live.inst(inst) {
            instruction(fun, inst, mask);
        }
    }
}

fn instruction(fun: &mut Fun<'_>, inst: &Inst<Leaf>, mask: &Mask) {
    match &inst.op {
        Op::Const(_) => {}
        Op::Scalar(op, args) => {
            let result = inst.results[0];
            if !fun.is_lane(result) {
                scalar::instruction(fun, inst);
                return;
            }
            let name = fun.name(result);
            if let Some(function) = ops::block_function(*op) {
                fun.keep_block(&name, &function, args);
            } else if fun.wanted(&name) {
                let args: Vec<String> = args.iter().map(|&v| fun.operand(v)).collect();
                let expression = if chooses(*op) {
                    select(op.result(), &args[0], &args[1], &args[2])
                } else {
                    ops::expression(*op, &args, fun.isa)
                };
                fun.keep(&name, op.result(), &expression);
            }
        }
        Op::Leaf(found) => leaf(fun, inst, found, mask),
        Op::If { cond, then, els } => choice(fun, *cond, (then, els), &inst.results, mask),
        Op::Loop(inner) if loops::is_scalar(fun, inner) => scalar::instruction(fun, inst),
        Op::Loop(inner) => loops::turns(fun, inner, mask),
    }
}

fn chooses(op: ScalarOp) -> bool {
    use ScalarOp as O;
    matches!(
        op,
        O::F32Select | O::I32Select | O::U32Select | O::BoolSelect
    )
}

fn leaf(fun: &mut Fun<'_>, inst: &Inst<Leaf>, leaf: &Leaf, mask: &Mask) {
    match leaf {
        Leaf::Uniform(_) | Leaf::Length(_) => {}
        Leaf::Load { place, field } => {
            let result = inst.results[0];
            if fun.is_lane(result) {
                load(fun, result, place, *field);
            } else {
                scalar::instruction(fun, inst);
            }
        }
        Leaf::Store {
            place,
            field,
            value,
        } => store(fun, place, *field, *value, mask),
        // The plan keeps kernels that scatter in the scalar form.
        Leaf::Scatter { .. } => scalar::instruction(fun, inst),
    }
}

/// A load of consecutive elements: an array before the run, of which each lane takes its own.
pub fn take_own(fun: &mut Fun<'_>, result: Value, elements: &str, dot: &str) {
    let (name, ty) = (fun.name(result), fun.ty(result));
    let whole = fun.fresh("w");
    if fun.wanted(&name) {
        fun.out.line(format!("let {whole} = {elements};"));
        fun.keep(&name, ty, &format!("{whole}[l]{dot}"));
    }
}

fn load(fun: &mut Fun<'_>, result: Value, place: &Place, field: u32) {
    let (name, ty) = (fun.name(result), fun.ty(result));
    let dot = |fun: &Fun<'_>, span: SpanId| fun.field(fun.kernel.spans[span.index()].elem, field);
    match place {
        Place::Element {
            span, offset: 0, ..
        } => {
            let dot = dot(fun, *span);
            fun.keep(&name, ty, &format!("k{}[l]{dot}", span.0));
        }
        Place::Element { span, offset, .. } => {
            let dot = dot(fun, *span);
            fun.read_first();
            let window = format!("rt::window::<_, W>(b{}, lane, {offset})", span.0);
            take_own(fun, result, &window, &dot);
        }
        Place::Block { span, slot, .. } => {
            let (dot, slot) = (dot(fun, *span), fun.operand(*slot));
            let text = format!("rt::load(&k{}[l], {slot}){dot}", span.0);
            fun.keep(&name, ty, &text);
        }
        Place::At { span, index, .. } => {
            let dot = dot(fun, *span);
            if let Some(first) = fun.first(*index) {
                let elements = format!("rt::run_from::<_, W>(b{}, {first})", span.0);
                take_own(fun, result, &elements, &dot);
            } else {
                let index = fun.operand(*index);
                fun.keep(&name, ty, &format!("rt::load(b{}, {index}){dot}", span.0));
            }
        }
        Place::GroupBlock { .. }
        | Place::GroupSlot { .. }
        | Place::Own { .. }
        | Place::Slot { .. } => super::memory::load_lanes(fun, result, place, field),
    }
}

fn store(fun: &mut Fun<'_>, place: &Place, field: u32, value: Value, mask: &Mask) {
    match place {
        // A blend: the old value is stored again where the lane is not live.
        Place::Element { span, .. } => {
            let dot = fun.field(fun.kernel.spans[span.index()].elem, field);
            let text = fun.operand(value);
            let text = fun.gated(fun.ty(value), &text);
            let target = format!("k{}[l]{dot}", span.0);
            let text = match live(fun, mask) {
                None => text,
                Some(live) => format!("rt::select({live}, {text}, {target})"),
            };
            fun.each(format!("{target} = {text};"));
        }
        Place::Block { span, slot, .. } => {
            let dot = fun.field(fun.kernel.spans[span.index()].elem, field);
            let (slot, text) = (fun.operand(*slot), fun.operand(value));
            let text = fun.gated(fun.ty(value), &text);
            let live = live(fun, mask).map_or_else(String::new, |live| format!("{live} && "));
            let star = if dot.is_empty() { "*" } else { "" };
            fun.each(format!(
                "if {live}let rt::Some(element) = k{}[l].get_mut({slot} as usize) {{",
                span.0
            ));
            fun.each(format!("    {star}element{dot} = {text};"));
            fun.each("}");
        }
        Place::At { .. } => {}
        Place::GroupBlock { .. }
        | Place::GroupSlot { .. }
        | Place::Own { .. }
        | Place::Slot { .. } => super::memory::store_lanes(fun, place, field, value, mask),
    }
}

/// Whether the lane is live, as a text of the open run; nothing where all are.
pub fn live(fun: &mut Fun<'_>, mask: &Mask) -> Option<String> {
    match mask {
        Mask::All => None,
        Mask::Var(name) => Some(fun.of_lane(name, Scalar::Bool)),
    }
}

/// The lanes of `mask` for which `cond` is (with `not`: is not) true, as a new mask.
fn narrowed(fun: &mut Fun<'_>, mask: &Mask, cond: Value, not: bool) -> String {
    let name = fun.fresh("m");
    let flip = if not { "!" } else { "" };
    let cond = fun.operand(cond);
    let expression = match live(fun, mask) {
        None => format!("{flip}{cond}"),
        Some(live) => format!("{live} & {flip}{cond}"),
    };
    fun.keep(&name, Scalar::Bool, &expression);
    name
}

/// The operations of a region; nothing where it holds a loop.
pub fn cost(region: &Region<Leaf>) -> Option<usize> {
    let mut total = 0;
    for inst in &region.insts {
        total += match &inst.op {
            Op::Const(_) => 0,
            Op::Scalar(..) | Op::Leaf(_) => 1,
            Op::If { then, els, .. } => cost(then)? + cost(els)? + 1,
            Op::Loop(_) => return None,
        };
    }
    Some(total)
}

/// Operations that lanes rather compute in vain than leave the run.
const MOST_IN_VAIN: usize = 64;
/// The same where a branch would be right for all lanes at once.
const MOST_IN_VAIN_FOR_ALL: usize = 12;

type Sides<'a> = (&'a Region<Leaf>, &'a Region<Leaf>);

fn choice(fun: &mut Fun<'_>, cond: Value, sides: Sides<'_>, results: &[Value], mask: &Mask) {
    let needed = fun.needed(results);
    let uniform = !fun.is_lane(cond);
    let scalars = needed.iter().any(|&i| !fun.is_lane(results[i]));
    let lanes = needed.iter().any(|&i| fun.is_lane(results[i]));
    let acts = liveness::stores(sides.0) || liveness::stores(sides.1);
    if uniform && !lanes && !acts {
        let (then, els) = sides;
        scalar::choice(fun, cond, then, els, results);
        return;
    }
    let most = if uniform {
        MOST_IN_VAIN_FOR_ALL
    } else {
        MOST_IN_VAIN
    };
    let cheap = |side| cost(side).is_some_and(|cost| cost <= most);
    if !scalars && cheap(sides.0) && cheap(sides.1) {
        selection(fun, cond, sides, results, mask);
    } else if uniform {
        uniform_branch(fun, cond, sides, results, mask);
    } else {
        divergent_branch(fun, cond, sides, results, mask);
    }
}

/// Both sides in the open run, then a selection of each result.
fn selection(
    fun: &mut Fun<'_>,
    cond: Value,
    (then, els): Sides<'_>,
    results: &[Value],
    mask: &Mask,
) {
    for (side, not) in [(then, false), (els, true)] {
        let inner = if liveness::stores(side) {
            Mask::Var(narrowed(fun, mask, cond, not))
        } else {
            mask.clone()
        };
        region(fun, side, &inner);
    }
    for i in fun.needed(results) {
        let (name, ty) = (fun.name(results[i]), fun.ty(results[i]));
        if fun.wanted(&name) {
            let (t, e) = (fun.operand(then.yields[i]), fun.operand(els.yields[i]));
            let cond = fun.operand(cond);
            fun.keep(&name, ty, &select(ty, &cond, &t, &e));
        }
    }
}

/// Each side only if a lane takes it, in runs of its own.
fn divergent_branch(
    fun: &mut Fun<'_>,
    cond: Value,
    (then, els): Sides<'_>,
    results: &[Value],
    mask: &Mask,
) {
    let needed = fun.needed(results);
    let mut sides = Vec::new();
    for (side, not) in [(then, false), (els, true)] {
        let acts = side.insts.iter().any(|inst| fun.plan.live.inst(inst));
        if acts || !needed.is_empty() {
            let inner = narrowed(fun, mask, cond, not);
            let any = any_flag(fun);
            note_live(fun, &any, &inner);
            sides.push((side, inner, any));
        }
    }
    for &i in &needed {
        let (name, ty) = (fun.name(results[i]), fun.ty(results[i]));
        fun.array(&name, ty);
    }
    fun.flush();
    for (side, inner, any) in sides {
        fun.out.open(format!("if {any} != 0 {{"));
        region(fun, side, &Mask::Var(inner.clone()));
        for &i in &needed {
            let (name, ty) = (fun.name(results[i]), fun.ty(results[i]));
            let (value, live) = (
                fun.operand(side.yields[i]),
                fun.of_lane(&inner, Scalar::Bool),
            );
            let value = match ty {
                Scalar::Bool => format!("rt::mask({value})"),
                Scalar::F32 | Scalar::I32 | Scalar::U32 => value,
            };
            fun.each(format!(
                "{name}s[l] = rt::select({live}, {value}, {name}s[l]);"
            ));
        }
        fun.flush();
        fun.out.close("}");
    }
}

/// A flag outside the open run that says whether a lane of a mask is live.
pub fn any_flag(fun: &mut Fun<'_>) -> String {
    let any = fun.fresh("a");
    fun.out.line(format!("let mut {any} = 0_u32;"));
    any
}

/// Sets the flag where the lane is live.
pub fn note_live(fun: &mut Fun<'_>, any: &str, mask: &str) {
    let live = fun.of_lane(mask, Scalar::Bool);
    fun.each(format!("{any} |= rt::mask({live});"));
}

/// One side, for all lanes of the block.
fn uniform_branch(
    fun: &mut Fun<'_>,
    cond: Value,
    (then, els): Sides<'_>,
    results: &[Value],
    mask: &Mask,
) {
    let needed = fun.needed(results);
    let (lanes, scalars): (Vec<usize>, Vec<usize>) =
        needed.into_iter().partition(|&i| fun.is_lane(results[i]));
    for &i in &lanes {
        let (name, ty) = (fun.name(results[i]), fun.ty(results[i]));
        fun.array(&name, ty);
    }
    fun.flush();
    let names: Vec<String> = scalars.iter().map(|&i| fun.name(results[i])).collect();
    let (left, end) = if names.is_empty() {
        (String::new(), "}")
    } else {
        (format!("let {} = ", super::fun::tuple(&names)), "};")
    };
    let cond = fun.name(cond);
    fun.out.open(format!("{left}if {cond} {{"));
    let side = |fun: &mut Fun<'_>, side: &Region<Leaf>| {
        region(fun, side, mask);
        for &i in &lanes {
            let (name, ty) = (fun.name(results[i]), fun.ty(results[i]));
            let value = fun.operand(side.yields[i]);
            fun.put(&name, ty, &value);
        }
        fun.flush();
        let values: Vec<String> = scalars.iter().map(|&i| fun.name(side.yields[i])).collect();
        if !values.is_empty() {
            fun.out.line(super::fun::tuple(&values));
        }
    };
    side(fun, then);
    let acts = els.insts.iter().any(|inst| fun.plan.live.inst(inst));
    if acts || !lanes.is_empty() || !scalars.is_empty() {
        fun.out.turn("} else {");
        side(fun, els);
    }
    fun.out.close(end);
}
