//! Prints the accesses of a group's memory: slots of scratch, and the group's own elements of a
//! written span, by one lane or by a block of lanes.
//!
//! `groups` declares the arrays `s0`, … and cuts the slices `e0`, … that these name.

use super::fun::Fun;
use super::lanes::{self, Mask};
use super::scalar;
use crate::cpu::Lanes;
use nupp_core::ir::entity::{Scalar, ScratchId, Value};
use nupp_core::ir::kernel::Elem;
use nupp_core::ir::place::{Family, Operand, Place};

fn group_size(fun: &Fun<'_>) -> u32 {
    match &fun.kernel.body {
        nupp_core::ir::kernel::Body::Groups(groups) => groups.size,
        nupp_core::ir::kernel::Body::Map { .. } => 1,
    }
}

/// A slot of a family as a uint32 expression of the lane number's text.
fn slot(fun: &mut Fun<'_>, family: Family, local: &str, lanes: Lanes) -> String {
    let size = group_size(fun);
    let mut operand = |operand: Operand| match (operand, lanes) {
        (Operand::Const(n), _) => format!("{n}_u32"),
        (Operand::Value(value), Lanes::Blocks) => fun.operand(value),
        (Operand::Value(value), Lanes::Straight) => fun.name(value),
    };
    match family {
        Family::Strided {
            k: Operand::Const(0),
        } => local.to_owned(),
        Family::Strided {
            k: Operand::Const(k),
        } => {
            format!("{local}.wrapping_add({}_u32)", k.wrapping_mul(size))
        }
        Family::Strided { k } => {
            format!("{local}.wrapping_add({}.wrapping_mul({size}))", operand(k))
        }
        Family::Blocked { stride, j } => {
            format!(
                "{local}.wrapping_mul({stride}).wrapping_add({})",
                operand(j)
            )
        }
    }
}

fn scratch_elem(fun: &Fun<'_>, array: ScratchId) -> Elem {
    match &fun.kernel.body {
        nupp_core::ir::kernel::Body::Groups(groups) => groups.scratch[array.index()].elem,
        nupp_core::ir::kernel::Body::Map { .. } => Elem::Scalar(Scalar::U32),
    }
}

/// A slice or array, the index into it and its elements.
struct Target {
    slice: String,
    index: String,
    elem: Elem,
    scratch: bool,
}

/// Where a place is, for the lane whose number has the text `local`.
fn target(fun: &mut Fun<'_>, place: &Place, local: &str, lanes: Lanes) -> Option<Target> {
    let (slice, index, elem) = match place {
        Place::GroupBlock { span, slot: f, .. } => {
            let elem = fun.kernel.spans[span.index()].elem;
            (format!("e{}", span.0), slot(fun, *f, local, lanes), elem)
        }
        Place::GroupSlot { span, .. } => {
            let elem = fun.kernel.spans[span.index()].elem;
            (format!("e{}", span.0), "0_u32".to_owned(), elem)
        }
        Place::Own { array, slot: f } => {
            let elem = scratch_elem(fun, *array);
            (format!("s{}", array.0), slot(fun, *f, local, lanes), elem)
        }
        Place::Slot { array, index, .. } => {
            let index = match lanes {
                Lanes::Blocks => fun.operand(*index),
                Lanes::Straight => fun.name(*index),
            };
            (format!("s{}", array.0), index, scratch_elem(fun, *array))
        }
        Place::Element { .. } | Place::Block { .. } | Place::At { .. } => return None,
    };
    Some(Target {
        scratch: slice.starts_with('s'),
        slice,
        index,
        elem,
    })
}

/// A load of a group's memory as an expression.
pub fn load(fun: &mut Fun<'_>, place: &Place, field: u32) -> String {
    let Some(target) = target(fun, place, "local", Lanes::Straight) else {
        return String::new();
    };
    load_text(fun, &target, field)
}

fn load_text(fun: &Fun<'_>, target: &Target, field: u32) -> String {
    let borrow = if target.scratch { "&" } else { "" };
    let dot = fun.field(target.elem, field);
    format!("rt::load({borrow}{}, {}){dot}", target.slice, target.index)
}

/// A value as it is stored: only in a span its bits are visible.
fn stored(fun: &Fun<'_>, target: &Target, value: Value, text: &str) -> String {
    if target.scratch {
        text.to_owned()
    } else {
        fun.gated(fun.ty(value), text)
    }
}

/// A store to a group's memory.
pub fn store(fun: &mut Fun<'_>, place: &Place, field: u32, value: Value) {
    let Some(target) = target(fun, place, "local", Lanes::Straight) else {
        return;
    };
    let text = stored(fun, &target, value, &fun.name(value));
    let dot = fun.field(target.elem, field);
    scalar::put(fun, &target.slice, &target.index, &dot, &text);
}

/// Where the first lane of a block is, if the lanes touch neighbouring elements of one scalar.
fn neighbours(fun: &mut Fun<'_>, place: &Place) -> Option<Target> {
    let uniform = |k: &Operand| match k {
        Operand::Const(_) => true,
        Operand::Value(value) => !fun.is_lane(*value),
    };
    let first = match place {
        Place::GroupBlock { slot, .. } | Place::Own { slot, .. } => match slot {
            Family::Strided { k } if uniform(k) => None,
            Family::Strided { .. } | Family::Blocked { .. } => return None,
        },
        Place::Slot { index, .. } if fun.steps(*index) => fun.first(*index),
        Place::Slot { .. }
        | Place::Element { .. }
        | Place::Block { .. }
        | Place::At { .. }
        | Place::GroupSlot { .. } => return None,
    };
    let mut target = target(fun, place, "start", Lanes::Straight)?;
    match first {
        Some(first) => target.index = first,
        None => fun.read_first(),
    }
    matches!(target.elem, Elem::Scalar(_)).then_some(target)
}

/// A place as each lane of a block computes it in the open run.
fn of_lane(fun: &mut Fun<'_>, place: &Place) -> Option<Target> {
    let owned = matches!(place, Place::Own { .. } | Place::GroupBlock { .. });
    if owned {
        fun.of_lane("local", Scalar::U32);
    }
    target(fun, place, "local", Lanes::Blocks)
}

/// A load of a group's memory by a block of lanes.
pub fn load_lanes(fun: &mut Fun<'_>, result: Value, place: &Place, field: u32) {
    if let Some(slice) = slice_of(place) {
        fun.settle_stores(&slice);
    }
    if let Some(first) = neighbours(fun, place) {
        let borrow = if first.scratch { "&" } else { "" };
        let elements = format!(
            "rt::run_from::<_, W>({borrow}{}, {})",
            first.slice, first.index
        );
        lanes::take_own(fun, result, &elements, "");
    } else if let Some(each) = of_lane(fun, place) {
        let text = load_text(fun, &each, field);
        let (name, ty) = (fun.name(result), fun.ty(result));
        fun.keep(&name, ty, &text);
    }
}

/// A store of a block of lanes to a group's memory. Neighbours are stored after the run.
pub fn store_lanes(fun: &mut Fun<'_>, place: &Place, field: u32, value: Value, mask: &Mask) {
    let Some(slice) = slice_of(place) else {
        return;
    };
    fun.settle_stores(&slice);
    if let Some(first) = neighbours(fun, place) {
        store_run(fun, &first, value, mask);
    } else if let Some(each) = of_lane(fun, place) {
        let text = fun.operand(value);
        let text = stored(fun, &each, value, &text);
        let dot = fun.field(each.elem, field);
        let live = lanes::live(fun, mask);
        let put = scalar::put_text(&each.slice, &each.index, &dot, &text);
        if let Some(live) = &live {
            fun.each(format!("if {live} {{"));
        }
        for line in put {
            fun.each(line);
        }
        if live.is_some() {
            fun.each("}");
        }
    }
    fun.stores_to(&slice);
}

fn slice_of(place: &Place) -> Option<String> {
    match place {
        Place::GroupBlock { span, .. } | Place::GroupSlot { span, .. } => {
            Some(format!("e{}", span.0))
        }
        Place::Own { array, .. } | Place::Slot { array, .. } => Some(format!("s{}", array.0)),
        Place::Element { .. } | Place::Block { .. } | Place::At { .. } => None,
    }
}

fn store_run(fun: &mut Fun<'_>, first: &Target, value: Value, mask: &Mask) {
    // Values of the run are kept under a name of their own: they may be scalars, and are gated
    // where their bits become visible.
    let (name, ty) = (fun.fresh("w"), fun.ty(value));
    let text = fun.operand(value);
    let text = stored(fun, first, value, &text);
    fun.array(&name, ty);
    fun.put(&name, ty, &text);
    let mask = match mask {
        Mask::All => "[u32::MAX; W]".to_owned(),
        Mask::Var(live) => {
            let awake = fun.fresh("w");
            let live = fun.of_lane(live, Scalar::Bool);
            fun.array(&awake, Scalar::Bool);
            fun.put(&awake, Scalar::Bool, &live);
            format!("{awake}s")
        }
    };
    let borrow = if first.scratch { "&mut " } else { "" };
    fun.after(format!(
        "rt::store_run({borrow}{}, {}, &{name}s, &{mask});",
        first.slice, first.index
    ));
}
