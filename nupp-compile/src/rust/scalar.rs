//! Prints a region as ordinary Rust for one lane: `if` is `if`, a loop is a loop.

use super::fun::{Fun, next_params, tuple};
use super::ops;
use nupp_core::ir::entity::Value;
use nupp_core::ir::flow::{Inst, Loop, LoopKind, Op, Region};
use nupp_core::ir::kernel::{Body, Leaf};
use nupp_core::ir::place::Place;

/// The instructions of a region; what it yields is printed by the caller.
pub fn region(fun: &mut Fun<'_>, region: &Region<Leaf>) {
    for inst in &region.insts {
        if fun.plan.live.inst(inst) {
            instruction(fun, inst);
        }
    }
}

/// One needed instruction.
pub fn instruction(fun: &mut Fun<'_>, inst: &Inst<Leaf>) {
    match &inst.op {
        Op::Const(_) => {}
        Op::Scalar(op, args) => {
            let value = ops::expression(*op, &fun.all(args), fun.isa);
            define(fun, &inst.results, &value);
        }
        Op::Leaf(found) => leaf(fun, found, &inst.results),
        Op::If { cond, then, els } => choice(fun, *cond, then, els, &inst.results),
        Op::Loop(inner) => loop_(fun, inner),
    }
}

fn define(fun: &mut Fun<'_>, results: &[Value], value: &str) {
    let names = fun.all(results);
    fun.out.line(format!("let {} = {value};", tuple(&names)));
}

fn leaf(fun: &mut Fun<'_>, leaf: &Leaf, results: &[Value]) {
    match leaf {
        Leaf::Uniform(_) | Leaf::Length(_) => {}
        Leaf::Load { place, field } => {
            let value = load(fun, place, *field);
            define(fun, results, &value);
        }
        Leaf::Store {
            place,
            field,
            value,
        } => store(fun, place, *field, *value),
        Leaf::Scatter {
            span,
            index,
            values,
            ..
        } => {
            let (s, index) = (span.0, fun.name(*index));
            // The lane's number over the whole dispatch.
            let lane = match &fun.kernel.body {
                Body::Map { .. } => "first + i".to_owned(),
                Body::Groups(groups) => {
                    format!("rt::lane_of(first + g, {}, local)", groups.size)
                }
            };
            fun.out.line(format!("o{s}.take({index}, {lane})?;"));
            let elem = fun.kernel.spans[span.index()].elem;
            for (field, &value) in values.iter().enumerate() {
                let dot = fun.field(elem, field as u32);
                let text = fun.gated(fun.ty(value), &fun.name(value));
                put(fun, &format!("b{s}"), &index, &dot, &text);
            }
        }
    }
}

/// A load as an expression.
pub fn load(fun: &mut Fun<'_>, place: &Place, field: u32) -> String {
    let kernel = fun.kernel;
    let elem = |span: nupp_core::ir::entity::SpanId| kernel.spans[span.index()].elem;
    match place {
        Place::Element {
            span, offset: 0, ..
        } => format!("e{}[i]{}", span.0, fun.field(elem(*span), field)),
        Place::Element { span, offset, .. } => format!(
            "rt::at_offset(b{}, first + i, {offset}){}",
            span.0,
            fun.field(elem(*span), field)
        ),
        Place::Block { span, slot, .. } => format!(
            "rt::load(&e{}[i], {}){}",
            span.0,
            fun.name(*slot),
            fun.field(elem(*span), field)
        ),
        Place::At { span, index, .. } => format!(
            "rt::load(b{}, {}){}",
            span.0,
            fun.name(*index),
            fun.field(elem(*span), field)
        ),
        Place::GroupBlock { .. }
        | Place::GroupSlot { .. }
        | Place::Own { .. }
        | Place::Slot { .. } => super::memory::load(fun, place, field),
    }
}

fn store(fun: &mut Fun<'_>, place: &Place, field: u32, value: Value) {
    let text = fun.gated(fun.ty(value), &fun.name(value));
    match place {
        Place::Element { span, .. } => {
            let dot = fun.field(fun.kernel.spans[span.index()].elem, field);
            fun.out.line(format!("e{}[i]{dot} = {text};", span.0));
        }
        Place::Block { span, slot, .. } => {
            let dot = fun.field(fun.kernel.spans[span.index()].elem, field);
            let slot = fun.name(*slot);
            put(fun, &format!("e{}[i]", span.0), &slot, &dot, &text);
        }
        // A written span is reached by a computed index only through a scatter.
        Place::At { span, index, .. } => {
            let dot = fun.field(fun.kernel.spans[span.index()].elem, field);
            let index = fun.name(*index);
            put(fun, &format!("b{}", span.0), &index, &dot, &text);
        }
        Place::GroupBlock { .. }
        | Place::GroupSlot { .. }
        | Place::Own { .. }
        | Place::Slot { .. } => super::memory::store(fun, place, field, value),
    }
}

/// Puts a text into an element of a slice, or of an array (`slice` then has a bracket or starts
/// with `s`).
pub fn put(fun: &mut Fun<'_>, slice: &str, index: &str, dot: &str, text: &str) {
    for line in put_text(slice, index, dot, text) {
        fun.out.line(line);
    }
}

/// The lines of [`put`].
pub fn put_text(slice: &str, index: &str, dot: &str, text: &str) -> Vec<String> {
    if dot.is_empty() {
        let array = slice.contains('[') || slice.starts_with('s');
        let borrow = if array { "&mut " } else { "" };
        vec![format!("rt::store({borrow}{slice}, {index}, {text});")]
    } else {
        vec![
            format!("if let rt::Some(element) = {slice}.get_mut({index} as usize) {{"),
            format!("    element{dot} = {text};"),
            "}".to_owned(),
        ]
    }
}

/// A choice that is one branch.
pub fn choice(
    fun: &mut Fun<'_>,
    cond: Value,
    then: &Region<Leaf>,
    els: &Region<Leaf>,
    results: &[Value],
) {
    let needed = fun.needed(results);
    let pick = |fun: &Fun<'_>, values: &[Value]| {
        let picked: Vec<Value> = needed.iter().map(|&i| values[i]).collect();
        tuple(&fun.all(&picked))
    };
    let acts = |fun: &Fun<'_>, r: &Region<Leaf>| r.insts.iter().any(|i| fun.plan.live.inst(i));
    let cond = fun.name(cond);
    if needed.is_empty() {
        match (acts(fun, then), acts(fun, els)) {
            (true, false) => fun.out.open(format!("if {cond} {{")),
            (false, _) => {
                fun.out.open(format!("if !{cond} {{"));
                region(fun, els);
                fun.out.close("}");
                return;
            }
            (true, true) => fun.out.open(format!("if {cond} {{")),
        }
        region(fun, then);
        if acts(fun, els) {
            fun.out.turn("} else {");
            region(fun, els);
        }
        fun.out.close("}");
        return;
    }
    let left = pick(fun, results);
    fun.out.open(format!("let {left} = if {cond} {{"));
    region(fun, then);
    let yields = pick(fun, &then.yields);
    fun.out.line(yields);
    fun.out.turn("} else {");
    region(fun, els);
    let yields = pick(fun, &els.yields);
    fun.out.line(yields);
    fun.out.close("};");
}

/// Declares the parameters of a loop with their first values.
pub fn declare_params(fun: &mut Fun<'_>, params: &[Value], init: &[Value], moving: &[Value]) {
    for (&param, &init) in params.iter().zip(init) {
        if fun.live(param) {
            let changes = if moving.contains(&param) { "mut " } else { "" };
            let (name, first) = (fun.name(param), fun.name(init));
            fun.out.line(format!("let {changes}{name} = {first};"));
        }
    }
}

/// Gives the parameters their next values, all at once.
pub fn advance(fun: &mut Fun<'_>, pairs: &[(Value, Value)]) {
    if pairs.is_empty() {
        return;
    }
    let (params, next): (Vec<Value>, Vec<Value>) = pairs.iter().copied().unzip();
    let (params, next) = (tuple(&fun.all(&params)), tuple(&fun.all(&next)));
    fun.out.line(format!("{params} = {next};"));
}

/// The parts of a loop, of lanes or of a controller.
#[derive(Clone, Copy, Debug)]
pub struct Turns<'a> {
    /// How it goes on.
    pub kind: &'a LoopKind<Leaf>,
    /// Its parameters.
    pub params: &'a [Value],
    /// What they start as.
    pub init: &'a [Value],
    /// What a turn yields.
    pub yields: &'a [Value],
    /// Whether it yields a boolean first.
    pub breaks: bool,
}

fn loop_(fun: &mut Fun<'_>, inner: &Loop<Leaf>) {
    let turns = Turns {
        kind: &inner.kind,
        params: &inner.params,
        init: &inner.init,
        yields: &inner.body.yields,
        breaks: inner.breaks,
    };
    turn_by_turn(fun, turns, &mut |fun| region(fun, &inner.body));
}

/// A loop whose body is printed by `body`.
pub fn turn_by_turn(fun: &mut Fun<'_>, turns: Turns<'_>, body: &mut dyn FnMut(&mut Fun<'_>)) {
    let pairs = next_params(fun, turns.params, turns.yields, turns.breaks);
    let moving: Vec<Value> = pairs.iter().map(|&(param, _)| param).collect();
    declare_params(fun, turns.params, turns.init, &moving);
    let go_on = turns.yields.first().filter(|_| turns.breaks);
    let go_on = go_on.map(|&v| fun.name(v));
    let mut turn = |fun: &mut Fun<'_>| {
        body(fun);
        // The decision is taken before the parameters move on, since it may be one of them.
        if let Some(go_on) = &go_on {
            fun.out.line(format!("let go_on = {go_on};"));
        }
        advance(fun, &pairs);
        if go_on.is_some() {
            stop_unless(fun, "go_on");
        }
    };
    match turns.kind {
        LoopKind::While { cond, .. } => {
            fun.out.open("loop {");
            region(fun, cond);
            if let Some(&again) = cond.yields.first() {
                let again = fun.name(again);
                stop_unless(fun, &again);
            }
            turn(fun);
            fun.out.close("}");
        }
        LoopKind::Counted { var, lo, hi } => counted(fun, *var, *lo, *hi, turn),
    }
}

/// Leaves the loop where a condition is false.
pub fn stop_unless(fun: &mut Fun<'_>, go_on: &str) {
    fun.out.open(format!("if !{go_on} {{"));
    fun.out.line("break;");
    fun.out.close("}");
}

/// `lo ..= hi`, by a loop that tests at its end: it is right at the greatest value, and the
/// optimiser knows its trip count.
pub fn counted(
    fun: &mut Fun<'_>,
    var: Value,
    lo: Value,
    hi: Value,
    turn: impl FnOnce(&mut Fun<'_>),
) {
    let counter = fun.fresh("c");
    let (lo, hi) = (fun.name(lo), fun.name(hi));
    fun.out.open(format!("if {lo} <= {hi} {{"));
    fun.out.line(format!("let mut {counter} = {lo};"));
    fun.out.open("loop {");
    if fun.live(var) {
        let name = fun.name(var);
        fun.out.line(format!("let {name} = {counter};"));
    }
    turn(fun);
    fun.out.open(format!("if {counter} == {hi} {{"));
    fun.out.line("break;");
    fun.out.close("}");
    fun.out
        .line(format!("{counter} = {counter}.wrapping_add(1);"));
    fun.out.close("}");
    fun.out.close("}");
}
