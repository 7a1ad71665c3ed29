//! Prints a region for a block of `W` lanes: a value that differs between lanes is an array, a
//! truth value among them a mask of all ones or zero, and an operation is a loop over the array.
//!
//! Lanes that a condition has put to sleep compute on: operations are total, and loads of theirs
//! give anything. Only stores, the parameters of a loop that lanes leave at different times, and
//! what a choice gives are settled by the mask. What is the same in all lanes stays a scalar.

use super::fun::{Fun, next_params, tuple};
use super::scalar::stop_unless;
use super::{ops, scalar};
use crate::cpu::liveness;
use crate::ir::entity::{Scalar, Value};
use crate::ir::flow::{Inst, Loop, LoopKind, Op, Region};
use crate::ir::kernel::Leaf;
use crate::ir::place::Place;

/// Which lanes are live: all of the block, or those of a mask variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Mask {
    /// All.
    All,
    /// Those where this array is not zero.
    Var(String),
}

/// The instructions of a region under a mask.
pub fn region(fun: &mut Fun<'_>, region: &Region<Leaf>, mask: &Mask) {
    for inst in &region.insts {
        if fun.plan.live.inst(inst) {
            instruction(fun, inst, mask);
        }
    }
}

/// An operand inside a loop over `l`: of an array its lane, of a uniform truth value its mask.
pub fn operand(fun: &Fun<'_>, value: Value) -> String {
    match (fun.is_lane(value), fun.ty(value)) {
        (true, _) => format!("{}[l]", fun.name(value)),
        (false, Scalar::Bool) => format!("rt::mask({})", fun.name(value)),
        (false, _) => fun.name(value),
    }
}

/// A value as a whole array.
pub fn array(fun: &Fun<'_>, value: Value) -> String {
    match (fun.is_lane(value), fun.ty(value)) {
        (true, _) => fun.name(value),
        (false, Scalar::Bool) => format!("[rt::mask({}); W]", fun.name(value)),
        (false, _) => format!("[{}; W]", fun.name(value)),
    }
}

fn zero(ty: Scalar) -> &'static str {
    match ty {
        Scalar::F32 => "0.0_f32",
        Scalar::I32 => "0_i32",
        Scalar::U32 | Scalar::Bool => "0_u32",
    }
}

/// Declares an array and fills it lane by lane.
pub fn fill(fun: &mut Fun<'_>, name: &str, ty: Scalar, expression: &str) {
    fun.out.line(format!("let mut {name} = [{}; W];", zero(ty)));
    each(fun, &format!("{name}[l] = {expression};"));
}

/// A statement for each lane.
pub fn each(fun: &mut Fun<'_>, statement: &str) {
    fun.out.open("for l in 0..W {");
    fun.out.line(statement);
    fun.out.close("}");
}

fn instruction(fun: &mut Fun<'_>, inst: &Inst<Leaf>, mask: &Mask) {
    match &inst.op {
        Op::Const(_) => {}
        Op::Scalar(op, args) => {
            if inst.results.iter().any(|&v| fun.is_lane(v)) {
                let args: Vec<String> = args.iter().map(|&v| operand(fun, v)).collect();
                let expression = ops::lane_expression(*op, &args, fun.isa);
                let name = fun.name(inst.results[0]);
                fill(fun, &name, op.result(), &expression);
            } else {
                scalar::instruction(fun, inst);
            }
        }
        Op::Leaf(found) => leaf(fun, inst, found, mask),
        Op::If { cond, then, els } => {
            if fun.is_lane(*cond) {
                divergent_choice(fun, *cond, then, els, &inst.results, mask);
            } else {
                uniform_choice(fun, *cond, then, els, &inst.results, mask);
            }
        }
        Op::Loop(inner) => {
            if leaves_together(fun, inner) {
                uniform_loop(fun, inner, mask);
            } else {
                divergent_loop(fun, inner, mask);
            }
        }
    }
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

fn load(fun: &mut Fun<'_>, result: Value, place: &Place, field: u32) {
    let (name, ty) = (fun.name(result), fun.ty(result));
    let elem = |span: crate::ir::entity::SpanId| fun.kernel.spans[span.index()].elem;
    match place {
        Place::Element {
            span, offset: 0, ..
        } => {
            let dot = fun.field(elem(*span), field);
            if dot.is_empty() {
                fun.out.line(format!("let {name} = k{}[k];", span.0));
            } else {
                fill(fun, &name, ty, &format!("k{}[k][l]{dot}", span.0));
            }
        }
        Place::Element { span, offset, .. } => {
            let dot = fun.field(elem(*span), field);
            let window = format!("rt::window::<_, W>(b{}, lane, {offset})", span.0);
            if dot.is_empty() {
                fun.out.line(format!("let {name} = {window};"));
            } else {
                let whole = fun.fresh("w");
                fun.out.line(format!("let {whole} = {window};"));
                fill(fun, &name, ty, &format!("{whole}[l]{dot}"));
            }
        }
        Place::Block { span, slot, .. } => {
            let dot = fun.field(elem(*span), field);
            let slot = operand(fun, *slot);
            fill(
                fun,
                &name,
                ty,
                &format!("rt::load(&k{}[k][l], {slot}){dot}", span.0),
            );
        }
        Place::At { span, index, .. } if fun.steps(*index) => {
            let dot = fun.field(elem(*span), field);
            let run = format!("rt::run_from::<_, W>(b{}, {}[0])", span.0, fun.name(*index));
            if dot.is_empty() {
                fun.out.line(format!("let {name} = {run};"));
            } else {
                let whole = fun.fresh("w");
                fun.out.line(format!("let {whole} = {run};"));
                fill(fun, &name, ty, &format!("{whole}[l]{dot}"));
            }
        }
        Place::At { span, index, .. } => {
            let dot = fun.field(elem(*span), field);
            let index = operand(fun, *index);
            fill(
                fun,
                &name,
                ty,
                &format!("rt::load(b{}, {index}){dot}", span.0),
            );
        }
        Place::GroupBlock { .. }
        | Place::GroupSlot { .. }
        | Place::Own { .. }
        | Place::Slot { .. } => super::groups::load_lanes(fun, result, place, field),
    }
}

fn store(fun: &mut Fun<'_>, place: &Place, field: u32, value: Value, mask: &Mask) {
    let text = fun.gated(fun.ty(value), &operand(fun, value));
    match place {
        Place::Element { span, .. } => {
            let dot = fun.field(fun.kernel.spans[span.index()].elem, field);
            let target = format!("k{}[k][l]{dot}", span.0);
            put(fun, &target, &text, mask);
        }
        Place::Block { span, slot, .. } => {
            let dot = fun.field(fun.kernel.spans[span.index()].elem, field);
            let slot = operand(fun, *slot);
            fun.out.open("for l in 0..W {");
            let live = match mask {
                Mask::All => String::new(),
                Mask::Var(mask) => format!("{mask}[l] != 0 && "),
            };
            fun.out.open(format!(
                "if {live}let rt::Some(element) = k{}[k][l].get_mut({slot} as usize) {{",
                span.0
            ));
            let star = if dot.is_empty() { "*" } else { "" };
            fun.out.line(format!("{star}element{dot} = {text};"));
            fun.out.close("}");
            fun.out.close("}");
        }
        Place::At { .. } => {}
        Place::GroupBlock { .. }
        | Place::GroupSlot { .. }
        | Place::Own { .. }
        | Place::Slot { .. } => super::groups::store_lanes(fun, place, field, value, mask),
    }
}

/// Puts a value into a target that each lane owns: a blend, which is a store of the old value
/// where the lane is not live.
pub fn put(fun: &mut Fun<'_>, target: &str, text: &str, mask: &Mask) {
    match mask {
        Mask::All => each(fun, &format!("{target} = {text};")),
        Mask::Var(mask) => each(
            fun,
            &format!("{target} = rt::select({mask}[l], {text}, {target});"),
        ),
    }
}

/// The lanes of `mask` where `cond` (a mask array) is, or with `not` is not, set.
fn narrowed(fun: &mut Fun<'_>, mask: &Mask, cond: &str, not: bool) -> String {
    let name = fun.fresh("m");
    let flip = if not { "!" } else { "" };
    let expression = match mask {
        Mask::All => format!("{flip}{cond}[l]"),
        Mask::Var(mask) => format!("{mask}[l] & {flip}{cond}[l]"),
    };
    fill(fun, &name, Scalar::Bool, &expression);
    name
}

/// Whether a region is cheap enough, and harmless, to run for lanes that do not need it.
fn speculates(region: &Region<Leaf>) -> bool {
    const MOST: usize = 24;
    fn cost(region: &Region<Leaf>) -> Option<usize> {
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
    cost(region).is_some_and(|cost| cost <= MOST)
}

fn divergent_choice(
    fun: &mut Fun<'_>,
    cond: Value,
    then: &Region<Leaf>,
    els: &Region<Leaf>,
    results: &[Value],
    mask: &Mask,
) {
    let needed = fun.needed(results);
    let cond = fun.name(cond);
    if speculates(then) && speculates(els) {
        for (side, not) in [(then, false), (els, true)] {
            let masked = liveness::stores(side);
            let inner = if masked {
                Mask::Var(narrowed(fun, mask, &cond, not))
            } else {
                mask.clone()
            };
            region(fun, side, &inner);
        }
        for i in needed {
            let (t, e) = (operand(fun, then.yields[i]), operand(fun, els.yields[i]));
            let (name, ty) = (fun.name(results[i]), fun.ty(results[i]));
            fill(fun, &name, ty, &format!("rt::select({cond}[l], {t}, {e})"));
        }
        return;
    }
    for &i in &needed {
        let (name, ty) = (fun.name(results[i]), fun.ty(results[i]));
        fun.out.line(format!("let mut {name} = [{}; W];", zero(ty)));
    }
    for (side, not) in [(then, false), (els, true)] {
        let acts = side.insts.iter().any(|inst| fun.plan.live.inst(inst));
        if !acts && needed.is_empty() {
            continue;
        }
        let inner = narrowed(fun, mask, &cond, not);
        fun.out.open(format!("if rt::any(&{inner}) {{"));
        region(fun, side, &Mask::Var(inner.clone()));
        for &i in &needed {
            let (name, value) = (fun.name(results[i]), operand(fun, side.yields[i]));
            each(
                fun,
                &format!("{name}[l] = rt::select({inner}[l], {value}, {name}[l]);"),
            );
        }
        fun.out.close("}");
    }
}

fn uniform_choice(
    fun: &mut Fun<'_>,
    cond: Value,
    then: &Region<Leaf>,
    els: &Region<Leaf>,
    results: &[Value],
    mask: &Mask,
) {
    let needed = fun.needed(results);
    let side = |fun: &Fun<'_>, yields: &[Value]| {
        let texts: Vec<String> = needed
            .iter()
            .map(|&i| {
                if fun.is_lane(results[i]) {
                    array(fun, yields[i])
                } else {
                    fun.name(yields[i])
                }
            })
            .collect();
        tuple(&texts)
    };
    let names: Vec<String> = needed.iter().map(|&i| fun.name(results[i])).collect();
    let cond = fun.name(cond);
    if names.is_empty() {
        fun.out.open(format!("if {cond} {{"));
    } else {
        let left = tuple(&names);
        fun.out.open(format!("let {left} = if {cond} {{"));
    }
    region(fun, then, mask);
    if !names.is_empty() {
        let yields = side(fun, &then.yields);
        fun.out.line(yields);
    }
    let acts = els.insts.iter().any(|inst| fun.plan.live.inst(inst));
    if acts || !names.is_empty() {
        fun.out.turn("} else {");
        region(fun, els, mask);
    }
    if names.is_empty() {
        fun.out.close("}");
    } else {
        let yields = side(fun, &els.yields);
        fun.out.line(yields);
        fun.out.close("};");
    }
}

/// Whether all lanes leave a loop in the same turn.
fn leaves_together(fun: &Fun<'_>, inner: &Loop<Leaf>) -> bool {
    let control = match &inner.kind {
        LoopKind::Counted { lo, hi, .. } => vec![*lo, *hi],
        LoopKind::While { cond, .. } => cond.yields.clone(),
    };
    let go_on = inner.body.yields.first().filter(|_| inner.breaks);
    !control.iter().chain(go_on).any(|&v| fun.is_lane(v))
}

fn declare_params(fun: &mut Fun<'_>, inner: &Loop<Leaf>, moving: &[(Value, Value)]) {
    for (&param, &init) in inner.params.iter().zip(&inner.init) {
        if !fun.live(param) {
            continue;
        }
        let first = if fun.is_lane(param) {
            array(fun, init)
        } else {
            fun.name(init)
        };
        let changes = moving.iter().any(|&(p, _)| p == param);
        let changes = if changes { "mut " } else { "" };
        let name = fun.name(param);
        fun.out.line(format!("let {changes}{name} = {first};"));
    }
}

/// Control is a scalar; lanes that sleep take part and are ignored afterwards.
fn uniform_loop(fun: &mut Fun<'_>, inner: &Loop<Leaf>, mask: &Mask) {
    let pairs = next_params(fun, &inner.params, &inner.body.yields, inner.breaks);
    declare_params(fun, inner, &pairs);
    let turn = |fun: &mut Fun<'_>| {
        region(fun, &inner.body, mask);
        let go_on = inner.body.yields.first().filter(|_| inner.breaks);
        if let Some(&go_on) = go_on {
            let go_on = fun.name(go_on);
            fun.out.line(format!("let go_on = {go_on};"));
        }
        let (params, next): (Vec<String>, Vec<String>) = pairs
            .iter()
            .map(|&(param, next)| {
                let value = if fun.is_lane(param) {
                    array(fun, next)
                } else {
                    fun.name(next)
                };
                (fun.name(param), value)
            })
            .unzip();
        if !params.is_empty() {
            fun.out
                .line(format!("{} = {};", tuple(&params), tuple(&next)));
        }
        if go_on.is_some() {
            stop_unless(fun, "go_on");
        }
    };
    match &inner.kind {
        LoopKind::While { cond, .. } => {
            fun.out.open("loop {");
            region(fun, cond, mask);
            if let Some(&again) = cond.yields.first() {
                let again = fun.name(again);
                stop_unless(fun, &again);
            }
            turn(fun);
            fun.out.close("}");
        }
        LoopKind::Counted { var, lo, hi } => scalar::counted(fun, *var, *lo, *hi, turn),
    }
}

/// Each lane leaves in its own turn; the loop ends when none is left.
fn divergent_loop(fun: &mut Fun<'_>, inner: &Loop<Leaf>, mask: &Mask) {
    let pairs = next_params(fun, &inner.params, &inner.body.yields, inner.breaks);
    declare_params(fun, inner, &pairs);
    let live = fun.fresh("m");
    let start = match mask {
        Mask::All => "[u32::MAX; W]".to_owned(),
        Mask::Var(mask) => mask.clone(),
    };
    fun.out.line(format!("let mut {live} = {start};"));
    let counter = match &inner.kind {
        LoopKind::Counted { var, lo, hi } => {
            // The variable itself is the counter.
            let (name, first) = (fun.name(*var), array(fun, *lo));
            fun.out.line(format!("let mut {name} = {first};"));
            let (lo, hi) = (operand(fun, *lo), operand(fun, *hi));
            each(fun, &format!("{live}[l] &= rt::mask({lo} <= {hi});"));
            Some((name, hi))
        }
        LoopKind::While { .. } => None,
    };
    fun.out.open("loop {");
    if let LoopKind::While { cond, .. } = &inner.kind {
        region(fun, cond, &Mask::Var(live.clone()));
        if let Some(&again) = cond.yields.first() {
            let again = operand(fun, again);
            each(fun, &format!("{live}[l] &= {again};"));
        }
    }
    stop_unless(fun, &format!("rt::any(&{live})"));
    region(fun, &inner.body, &Mask::Var(live.clone()));
    settle(fun, inner, &pairs, &live);
    if let Some((name, hi)) = counter {
        each(fun, &format!("{live}[l] &= rt::mask({name}[l] < {hi});"));
        each(fun, &format!("{name}[l] = {name}[l].wrapping_add(1);"));
    }
    fun.out.close("}");
}

/// Moves the parameters of the live lanes on, all at once, and puts those to sleep that break.
fn settle(fun: &mut Fun<'_>, inner: &Loop<Leaf>, pairs: &[(Value, Value)], live: &str) {
    let go_on = inner.body.yields.first().filter(|_| inner.breaks).copied();
    let moving: Vec<Value> = pairs.iter().map(|&(param, _)| param).collect();
    // A next value that is itself a moving parameter is read before it moves.
    let mut next: Vec<String> = Vec::new();
    for &(_, value) in pairs {
        if moving.contains(&value) {
            let (copy, name) = (fun.fresh("w"), fun.name(value));
            fun.out.line(format!("let {copy} = {name};"));
            next.push(format!("{copy}[l]"));
        } else {
            next.push(operand(fun, value));
        }
    }
    let go_on = go_on.map(|value| {
        if moving.contains(&value) {
            let (copy, name) = (fun.fresh("w"), fun.name(value));
            fun.out.line(format!("let {copy} = {name};"));
            format!("{copy}[l]")
        } else {
            operand(fun, value)
        }
    });
    for (&(param, _), next) in pairs.iter().zip(next) {
        let name = fun.name(param);
        each(
            fun,
            &format!("{name}[l] = rt::select({live}[l], {next}, {name}[l]);"),
        );
    }
    if let Some(go_on) = go_on {
        each(fun, &format!("{live}[l] &= {go_on};"));
    }
}
