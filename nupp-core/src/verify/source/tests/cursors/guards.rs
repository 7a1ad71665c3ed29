//! What guards over lengths add to comparisons.

use super::*;

#[test]
fn guards_carry_a_cursor_from_one_span_to_another() {
    let read_other = |p: &mut Probe| {
        let inside = p.below(p.c);
        p.when(inside, |p| {
            p.load(OTHER, p.c);
        });
    };
    let same = |op| vec![guard(op, (1, TABLE), &[(1, OTHER)], 0)];
    accepted(same(CmpOp::Eq), read_other);
    accepted(same(CmpOp::Le), read_other);
    accepted(same(CmpOp::Lt), read_other);
    refused(same(CmpOp::Ge), read_other);
    refused(same(CmpOp::Ne), read_other);
    accepted(
        vec![guard(CmpOp::Le, (3, TABLE), &[(3, OTHER)], 2)],
        read_other,
    );
    refused(
        vec![guard(CmpOp::Le, (3, TABLE), &[(3, OTHER)], 3)],
        read_other,
    );
    let chain = vec![
        guard(CmpOp::Le, (1, TABLE), &[(1, SpanId(0))], 0),
        guard(CmpOp::Le, (1, SpanId(1)), &[(1, OTHER)], 0),
    ];
    accepted(chain, read_other);
}

#[test]
fn a_constant_element_needs_a_length_that_guards_give() {
    let at_least = |n| vec![guard(CmpOp::Ge, (1, TABLE), &[], n)];
    let read = |at: u32| {
        move |p: &mut Probe| {
            let at = p.num(at);
            p.read(at);
        }
    };
    accepted(at_least(8), read(7));
    refused(at_least(8), read(8));
    refused(vec![], read(0));
    // The primary output has an element, or no lane would run.
    accepted(
        vec![guard(CmpOp::Eq, (1, TABLE), &[(1, SpanId(0))], 0)],
        read(0),
    );
    accepted(vec![], |p| {
        let (length, zero) = (p.len(TABLE), p.num(0));
        let empty = p.op(U32Eq, &[length, zero]);
        p.either(empty, |_| (), |p| p.read(zero));
    });
}

#[test]
fn neighbours_need_room_on_their_side() {
    let read = |offset: i64| {
        move |p: &mut Probe| {
            let place = Place::Element {
                span: SpanId(1),
                offset,
                proof: Certificate::Guard { chain: vec![0] },
            };
            p.b.leaf(Leaf::Load { place, field: 0 }, Scalar::U32);
        }
    };
    accepted(vec![], read(0));
    refused(vec![], read(1));
    refused(vec![], read(-1));
    let first = |p: &mut Probe| {
        let one = p.num(1);
        p.op(U32Lt, &[one, p.index])
    };
    let last = |p: &mut Probe| {
        let length = p.len(SpanId(1));
        p.op(U32Lt, &[p.index, length])
    };
    accepted(vec![], |p| {
        let (a, b) = (first(p), last(p));
        let both = p.op(BoolAnd, &[a, b]);
        p.when(both, |p| {
            read(1)(p);
            read(-1)(p);
        });
    });
    refused(vec![], |p| {
        let a = first(p);
        p.when(a, read(1));
    });
    refused(vec![], |p| {
        let b = last(p);
        p.when(b, read(-1));
    });
    refused(vec![], |p| {
        let (a, b) = (first(p), last(p));
        let both = p.op(BoolAnd, &[a, b]);
        p.when(both, read(2));
    });
}

#[test]
fn an_inequality_of_lengths_is_not_enough_for_the_loop_index() {
    let read = |p: &mut Probe| {
        let place = Place::Element {
            span: TABLE,
            offset: 0,
            proof: Certificate::Guard { chain: vec![1] },
        };
        p.b.leaf(Leaf::Load { place, field: 0 }, Scalar::F32);
    };
    let (own, table) = ((1, SpanId(0)), (1, TABLE));
    refused(vec![guard(CmpOp::Le, own, &[table], 0)], read);
    let both = vec![
        guard(CmpOp::Le, own, &[table], 0),
        guard(CmpOp::Ge, own, &[table], 0),
    ];
    accepted(both, read);
}
