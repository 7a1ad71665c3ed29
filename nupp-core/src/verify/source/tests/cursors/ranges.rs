//! What follows from the operations that made a cursor.

use super::*;

#[test]
fn intervals_reach_through_operations() {
    let eight = || vec![guard(CmpOp::Le, (-1, TABLE), &[], -8)];
    let two = |op: ScalarOp, n: u32| {
        move |p: &mut Probe| {
            let n = p.num(n);
            let at = p.op(op, &[p.c, n]);
            p.read(at);
        }
    };
    for (op, good, bad) in [
        (U32And, 7, 8),
        (U32Mod, 8, 9),
        (U32Min, 7, 8),
        (U32Shr, 29, 28),
        (U32Div, 0x2000_0000, 0x1fff_ffff),
    ] {
        accepted(eight(), two(op, good));
        refused(eight(), two(op, bad));
    }
    accepted(eight(), |p| {
        let (mask, one) = (p.num(3), p.num(1));
        let small = p.op(U32And, &[p.c, mask]);
        let twice = p.op(U32Shl, &[small, one]);
        let odd = p.plus(twice, 1);
        p.read(odd);
    });
}

#[test]
fn a_remainder_by_the_length_needs_a_length() {
    let build = |checked: bool| {
        move |p: &mut Probe| {
            let (length, zero) = (p.len(TABLE), p.num(0));
            let around = p.op(U32Mod, &[p.c, length]);
            let some = p.op(U32Lt, &[zero, length]);
            if checked {
                p.when(some, |p| p.read(around));
            } else {
                p.read(around);
            }
        }
    };
    accepted(vec![], build(true));
    refused(vec![], build(false));
}

#[test]
fn signed_cursors_count_when_they_are_not_negative() {
    let mixed = |sign: bool| {
        move |p: &mut Probe| {
            let zero = p.b.i32(0);
            let cursor = p.op(U32FromI32, &[p.i]);
            let negative = p.op(I32Lt, &[p.i, zero]);
            let positive = p.op(BoolNot, &[negative]);
            let small = p.below(cursor);
            // `i < #table` by mathematical value.
            let less = p.op(BoolOr, &[negative, small]);
            let both = if sign {
                p.op(BoolAnd, &[positive, less])
            } else {
                less
            };
            p.when(both, |p| p.read(cursor));
        }
    };
    accepted(vec![], mixed(true));
    refused(vec![], mixed(false));
    accepted(vec![guard(CmpOp::Ge, (1, TABLE), &[], 10)], |p| {
        let (lo, hi) = (p.b.i32(0), p.b.i32(9));
        let low = p.op(I32Le, &[lo, p.i]);
        let high = p.op(I32Le, &[p.i, hi]);
        let both = p.op(BoolAnd, &[low, high]);
        p.when(both, |p| {
            let one = p.b.i32(1);
            let (up, down) = (p.op(I32Add, &[p.i, one]), p.op(I32Sub, &[p.i, one]));
            let back = p.op(I32Sub, &[up, one]);
            let cursor = p.op(U32FromI32, &[back]);
            p.read(cursor);
            let positive = p.op(I32Le, &[lo, down]);
            p.when(positive, |p| {
                let cursor = p.op(U32FromI32, &[down]);
                p.read(cursor);
            });
        });
    });
}
