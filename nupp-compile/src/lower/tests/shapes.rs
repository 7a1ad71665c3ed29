//! What the lowered form looks like where it should stay tight: no flag without an early exit, one
//! read of a value, no statement twice.

use super::{lowered, map};
use nupp_core::ir::flow::{LoopKind, Op, Termination};
use nupp_core::ir::kernel::{Body, Leaf, SourceInst, SourceRegion};

fn region(body: &str) -> SourceRegion {
    match lowered(&map(body)).body {
        Body::Map { region, .. } => region,
        Body::Groups(_) => panic!("a map"),
    }
}

fn count(region: &SourceRegion, wanted: &dyn Fn(&SourceInst) -> bool) -> usize {
    let inner = |inst: &SourceInst| match &inst.op {
        Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => 0,
        Op::If { then, els, .. } => count(then, wanted) + count(els, wanted),
        Op::Loop(l) => {
            let test = match &l.kind {
                LoopKind::While { cond, .. } => count(cond, wanted),
                LoopKind::Counted { .. } => 0,
            };
            test + count(&l.body, wanted)
        }
    };
    let own = |inst: &SourceInst| usize::from(wanted(inst)) + inner(inst);
    region.insts.iter().map(own).sum()
}

fn loads(region: &SourceRegion) -> usize {
    count(region, &|i| matches!(i.op, Op::Leaf(Leaf::Load { .. })))
}

fn stores(region: &SourceRegion) -> usize {
    count(region, &|i| matches!(i.op, Op::Leaf(Leaf::Store { .. })))
}

#[test]
fn a_value_is_read_once() {
    let body = "output[index] = input[index] * input[index] + input[index]";
    assert_eq!(loads(&region(body)), 1);
}

#[test]
fn a_loop_without_exits_has_no_flag() {
    let body = "local sum = 0.0 for i = 1, 4 do if low > 1 then sum = sum + 1.0 else \
                sum = sum + 2.0 end end output[index] = sum";
    let region = region(body);
    let flagged = |i: &SourceInst| matches!(&i.op, Op::Loop(l) if l.breaks || l.params.len() != 1);
    assert_eq!(count(&region, &flagged), 0);
    let loops = |i: &SourceInst| matches!(&i.op, Op::Loop(_));
    assert_eq!(count(&region, &loops), 1);
}

#[test]
fn the_rest_of_a_block_stands_once() {
    let body = "if low > 1 then if high > 1 then continue end output[index] = 2.0 end \
                output[index] = input[index]";
    let region = region(body);
    assert_eq!((stores(&region), loads(&region)), (2, 1));
}

#[test]
fn a_counting_while_is_known_to_end() {
    let of = |body: &str| {
        let variant = |i: &SourceInst| match &i.op {
            Op::Loop(l) => matches!(
                l.kind,
                LoopKind::While {
                    class: Termination::Variant,
                    ..
                }
            ),
            _ => false,
        };
        count(&region(body), &variant)
    };
    let counting = "local c: uint32 = 0 while c < limit do c = c + 1 end output[index] = 1.0";
    assert_eq!(of(counting), 1);
    let some = "local c: uint32 = 0 while c < limit do if low > 2 then c = c + 1 continue end \
                c = c + 1 end output[index] = 1.0";
    assert_eq!(of(some), 1);
    let stuck = "local c: uint32 = 0 while c < limit do if low > 2 then c = c + 1 end end \
                 output[index] = 1.0";
    assert_eq!(of(stuck), 0);
    let wrapping = "local c: uint32 = 0 while c <= limit do c = c + 2 end output[index] = 1.0";
    assert_eq!(of(wrapping), 0);
}

#[test]
fn what_cannot_run_needs_no_proof_and_passes_the_verifier() {
    let text = map(
        "output[index] = 0.0 while limit < 2 and false do output[index] = input[limit + 1] end \
         if limit > 7 and limit < 3 then output[index] = input[limit + 1] end",
    );
    nupp_core::verify::source::verify(lowered(&text)).expect("verifies");
}

#[test]
fn a_loop_in_what_cannot_run_claims_no_end() {
    let text = map(
        "output[index] = 0.0 local t: uint32 = 0 while t < 2 and (false or false) do t = t + 1 \
         local c: uint32 = limit while c < #input and input[c + 1] > 0.25 do c = c + 1 end end",
    );
    nupp_core::verify::source::verify(lowered(&text)).expect("verifies");
}
