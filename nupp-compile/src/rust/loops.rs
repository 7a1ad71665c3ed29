//! Prints the loops of a block of lanes. Their parameters are arrays of the block; where a turn
//! holds no loop, its test, its work and the step to the next turn share one run.

use super::fun::{Fun, next_params, tuple};
use super::lanes::{Mask, any_flag, cost, live, note_live, region};
use super::run::select;
use super::scalar::{self, stop_unless};
use crate::cpu::liveness;
use nupp_core::ir::entity::{Scalar, Value};
use nupp_core::ir::flow::{Loop, LoopKind};
use nupp_core::ir::kernel::Leaf;

/// A loop, of lanes that leave together or each in its own turn.
pub fn turns(fun: &mut Fun<'_>, inner: &Loop<Leaf>, mask: &Mask) {
    if leave_together(fun, inner) {
        uniform(fun, inner, mask);
    } else {
        divergent(fun, inner, mask);
    }
}

/// Whether a loop is the same for all lanes and acts on none.
pub fn is_scalar(fun: &Fun<'_>, inner: &Loop<Leaf>) -> bool {
    let mut params = inner.params.iter();
    leave_together(fun, inner)
        && !liveness::stores(&inner.body)
        && !params.any(|&param| fun.live(param) && fun.is_lane(param))
}

/// Whether all lanes leave a loop in the same turn.
fn leave_together(fun: &Fun<'_>, inner: &Loop<Leaf>) -> bool {
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
        let (name, ty) = (fun.name(param), fun.ty(param));
        if fun.is_lane(param) {
            fun.array(&name, ty);
            let first = fun.operand(init);
            fun.put(&name, ty, &first);
        } else {
            let changes = moving.iter().any(|&(p, _)| p == param);
            let changes = if changes { "mut " } else { "" };
            let first = fun.name(init);
            fun.out.line(format!("let {changes}{name} = {first};"));
        }
    }
}

/// Control is a scalar; lanes that sleep take part and are ignored afterwards.
fn uniform(fun: &mut Fun<'_>, inner: &Loop<Leaf>, mask: &Mask) {
    let pairs = next_params(fun, &inner.params, &inner.body.yields, inner.breaks);
    declare_params(fun, inner, &pairs);
    fun.flush();
    let (lanes, scalars): (Vec<_>, Vec<_>) = pairs
        .into_iter()
        .partition(|&(param, _)| fun.is_lane(param));
    let turn = |fun: &mut Fun<'_>| {
        region(fun, &inner.body, mask);
        let next: Vec<String> = lanes.iter().map(|&(_, next)| fun.operand(next)).collect();
        for (&(param, _), next) in lanes.iter().zip(next) {
            let (name, ty) = (fun.name(param), fun.ty(param));
            fun.put(&name, ty, &next);
        }
        fun.flush();
        let go_on = inner.body.yields.first().filter(|_| inner.breaks);
        if let Some(&go_on) = go_on {
            let go_on = fun.name(go_on);
            fun.out.line(format!("let go_on = {go_on};"));
        }
        if !scalars.is_empty() {
            let (params, next): (Vec<Value>, Vec<Value>) = scalars.iter().copied().unzip();
            let (params, next) = (tuple(&fun.all(&params)), tuple(&fun.all(&next)));
            fun.out.line(format!("{params} = {next};"));
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

/// Puts the lanes to sleep for which a text of the open run is false.
fn narrow(fun: &mut Fun<'_>, mask: &str, text: &str) {
    let name = fun.of_lane(mask, Scalar::Bool);
    fun.each(format!("let {name} = {name} & {text};"));
    fun.put(mask, Scalar::Bool, &name);
}

/// Each lane leaves in its own turn; the loop ends when none is left.
fn divergent(fun: &mut Fun<'_>, inner: &Loop<Leaf>, mask: &Mask) {
    let pairs = next_params(fun, &inner.params, &inner.body.yields, inner.breaks);
    declare_params(fun, inner, &pairs);
    let awake = fun.fresh("m");
    fun.array(&awake, Scalar::Bool);
    let start = live(fun, mask);
    match &inner.kind {
        LoopKind::Counted { var, lo, hi } => {
            // The variable itself is the counter.
            let (name, ty) = (fun.name(*var), fun.ty(*var));
            fun.array(&name, ty);
            let (lo, hi) = (fun.operand(*lo), fun.operand(*hi));
            fun.put(&name, ty, &lo);
            let some = format!("({lo} <= {hi})");
            let text = start.map_or_else(
                || format!("{lo} <= {hi}"),
                |start| format!("{start} & {some}"),
            );
            fun.put(&awake, Scalar::Bool, &text);
        }
        LoopKind::While { .. } => {
            let text = start.unwrap_or_else(|| "true".to_owned());
            fun.put(&awake, Scalar::Bool, &text);
        }
    }
    fun.flush();
    fun.out.open("loop {");
    let any = any_flag(fun);
    turn(fun, inner, (&pairs, &awake, &any));
    fun.out.close("}");
}

/// One turn. Without an inner loop it is one run, which notes at its end whether a lane goes on;
/// the last turn of a `while` is then one in which nobody is awake.
fn turn(fun: &mut Fun<'_>, inner: &Loop<Leaf>, parts: (&[(Value, Value)], &str, &str)) {
    let (pairs, awake, any) = parts;
    let mask = Mask::Var(awake.to_owned());
    let mut whole = cost(&inner.body).is_some();
    if let LoopKind::While { cond, .. } = &inner.kind {
        whole &= cost(cond).is_some();
        region(fun, cond, &mask);
        if let Some(&again) = cond.yields.first() {
            let again = fun.operand(again);
            narrow(fun, awake, &again);
        }
    }
    if !whole {
        note_live(fun, any, awake);
        fun.flush();
        stop_unless_any(fun, any);
    }
    region(fun, &inner.body, &mask);
    advance(fun, inner, pairs, awake);
    if let LoopKind::Counted { var, hi, .. } = &inner.kind {
        let (name, ty) = (fun.name(*var), fun.ty(*var));
        let (var, hi) = (fun.of_lane(&name, ty), fun.operand(*hi));
        narrow(fun, awake, &format!("({var} < {hi})"));
        fun.put(&name, ty, &format!("{var}.wrapping_add(1)"));
    }
    if whole {
        note_live(fun, any, awake);
    }
    fun.flush();
    if whole {
        stop_unless_any(fun, any);
    }
}

fn stop_unless_any(fun: &mut Fun<'_>, any: &str) {
    fun.out.open(format!("if {any} == 0 {{"));
    fun.out.line("break;");
    fun.out.close("}");
}

/// Moves the parameters of the lanes that are awake on, all at once, and puts those to sleep that
/// break.
fn advance(fun: &mut Fun<'_>, inner: &Loop<Leaf>, pairs: &[(Value, Value)], awake: &str) {
    let go_on = inner.body.yields.first().filter(|_| inner.breaks).copied();
    // These texts are locals of the run, so none changes when an array does.
    let go_on = go_on.map(|value| fun.operand(value));
    let live = fun.of_lane(awake, Scalar::Bool);
    let mut moved = Vec::new();
    for &(param, next) in pairs {
        let (next, old) = (fun.operand(next), fun.operand(param));
        moved.push((param, select(fun.ty(param), &live, &next, &old)));
    }
    for (param, text) in moved {
        let (name, ty) = (fun.name(param), fun.ty(param));
        fun.put(&name, ty, &text);
    }
    if let Some(go_on) = go_on {
        narrow(fun, awake, &go_on);
    }
}
