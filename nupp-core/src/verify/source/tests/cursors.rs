//! Which comparisons prove which elements.
//!
//! Each test builds a map that reads `table` where something is known, and says whether the
//! verifier may accept it.

use crate::ir::build::Builder;
use crate::ir::entity::{Scalar, SpanId, UniformId, Value};
use crate::ir::flow::{LoopKind, Termination};
use crate::ir::kernel::{
    Access, Body, CmpOp, Guard, GuardCond, Kernel, Leaf, LengthCond, LengthSum, ParamRef,
    SourceRegion, Target, UniformDecl,
};
use crate::ir::op::ScalarOp::{self, *};
use crate::ir::place::{Certificate, Place};
use crate::ir::samples::{equal_lengths, float_span, uint_span};
use crate::ir::scope;
use crate::verify::source::verify;

const TABLE: SpanId = SpanId(2);
const OTHER: SpanId = SpanId(3);

/// A map under construction: `c` is any uint32, `i` any int32, `n` a uint32 uniform.
struct Probe {
    b: Builder<Leaf>,
    index: Value,
    c: Value,
    i: Value,
    n: Value,
}

impl Probe {
    fn op(&mut self, op: ScalarOp, args: &[Value]) -> Value {
        self.b.scalar(op, args)
    }
    fn num(&mut self, n: u32) -> Value {
        self.b.u32(n)
    }
    fn len(&mut self, span: SpanId) -> Value {
        self.b.leaf(Leaf::Length(span), Scalar::U32)
    }
    /// `value + n`.
    fn plus(&mut self, value: Value, n: u32) -> Value {
        let n = self.num(n);
        self.op(U32Add, &[value, n])
    }
    /// `value < #table`.
    fn below(&mut self, value: Value) -> Value {
        let length = self.len(TABLE);
        self.op(U32Lt, &[value, length])
    }
    fn load(&mut self, span: SpanId, index: Value) -> Value {
        let place = Place::At {
            span,
            index,
            proof: Certificate::Interval,
        };
        self.b.leaf(Leaf::Load { place, field: 0 }, Scalar::F32)
    }
    fn read(&mut self, index: Value) {
        self.load(TABLE, index);
    }
    fn when(&mut self, cond: Value, then: impl FnOnce(&mut Self)) {
        self.either(cond, then, |_| ());
    }
    fn either(&mut self, cond: Value, then: impl FnOnce(&mut Self), els: impl FnOnce(&mut Self)) {
        self.b.open();
        then(self);
        let then = self.b.close(Vec::new());
        self.b.open();
        els(self);
        let els = self.b.close(Vec::new());
        self.b.if_(cond, then, els);
    }
    /// `if cond then yield then(..) else yield els(..)`.
    fn choose(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Self) -> Value,
        els: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        self.b.open();
        let value = then(self);
        let then = self.b.close(vec![value]);
        self.b.open();
        let value = els(self);
        let els = self.b.close(vec![value]);
        self.b.if_(cond, then, els)[0]
    }
}

fn guard(op: CmpOp, lhs: (i64, SpanId), rhs: &[(i64, SpanId)], constant: i64) -> Guard {
    Guard {
        cond: GuardCond::Lengths(LengthCond::Cmp {
            op,
            lhs: LengthSum {
                terms: vec![lhs],
                constant: 0,
            },
            rhs: LengthSum {
                terms: rhs.to_vec(),
                constant,
            },
        }),
        message: None,
        text: String::new(),
    }
}

fn kernel(more: Vec<Guard>, build: impl FnOnce(&mut Probe)) -> Kernel {
    let spans = vec![
        float_span("output", Access::Write),
        uint_span("cursors", Access::Read),
        float_span("table", Access::Read),
        float_span("other", Access::Read),
    ];
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let place = Place::Element {
        span: SpanId(1),
        offset: 0,
        proof: Certificate::Guard { chain: vec![0] },
    };
    let c = b.leaf(Leaf::Load { place, field: 0 }, Scalar::U32);
    let i = b.leaf(Leaf::Uniform(UniformId(0)), Scalar::I32);
    let n = b.leaf(Leaf::Uniform(UniformId(1)), Scalar::U32);
    let mut probe = Probe { b, index, c, i, n };
    build(&mut probe);
    let mut guards = vec![equal_lengths(&spans, SpanId(1), SpanId(0))];
    guards.extend(more);
    let (values, region) = probe.b.finish(Vec::new());
    let uniform = |(name, ty): (&str, Scalar)| UniformDecl {
        name: name.into(),
        ty,
    };
    let mut kernel = Kernel {
        name: "probe".into(),
        target: Target::Gpu,
        structs: Vec::new(),
        params: (0..4)
            .map(|i| ParamRef::Span(SpanId(i)))
            .chain((0..2).map(|i| ParamRef::Uniform(UniformId(i))))
            .collect(),
        spans,
        uniforms: [("i", Scalar::I32), ("n", Scalar::U32)].map(uniform).into(),
        guards,
        values,
        body: Body::Map {
            primary: SpanId(0),
            index,
            region,
        },
    };
    scope::assign(&mut kernel);
    kernel
}

#[track_caller]
fn accepted(guards: Vec<Guard>, build: impl FnOnce(&mut Probe)) {
    if let Err(error) = verify(kernel(guards, build)) {
        panic!("{error}");
    }
}

#[track_caller]
fn refused(guards: Vec<Guard>, build: impl FnOnce(&mut Probe)) {
    let error = verify(kernel(guards, build)).expect_err("nothing proves this");
    assert!(error.rule.ends_with("bounds"), "{error}");
}

#[test]
fn a_cursor_below_the_length_proves_itself_and_nothing_past_it() {
    accepted(vec![], |p| {
        let inside = p.below(p.c);
        p.when(inside, |p| p.read(p.c));
    });
    refused(vec![], |p| {
        let inside = p.below(p.c);
        p.when(inside, |p| {
            let past = p.plus(p.c, 1);
            p.read(past);
        });
    });
    refused(vec![], |p| p.read(p.c));
    refused(vec![], |p| {
        let inside = p.below(p.c);
        p.when(inside, |p| {
            p.load(OTHER, p.c);
        });
    });
}

#[test]
fn a_fact_ends_with_its_region_and_does_not_hold_in_the_other_side() {
    refused(vec![], |p| {
        let inside = p.below(p.c);
        p.when(inside, |_| ());
        p.read(p.c);
    });
    refused(vec![], |p| {
        let inside = p.below(p.c);
        p.either(inside, |_| (), |p| p.read(p.c));
    });
    accepted(vec![], |p| {
        let length = p.len(TABLE);
        let outside = p.op(U32Le, &[length, p.c]);
        p.either(outside, |_| (), |p| p.read(p.c));
    });
}

#[test]
fn a_sum_below_the_length_proves_the_sum_but_not_its_parts() {
    let sum = |k: u32, j: u32| {
        move |p: &mut Probe| {
            let sum = p.plus(p.c, k);
            let inside = p.below(sum);
            p.when(inside, |p| {
                // Built anew, as a front end does that does not look for equal values.
                let read = if j == 0 { p.c } else { p.plus(p.c, j) };
                p.read(read);
            });
        }
    };
    accepted(vec![], sum(1, 1));
    accepted(vec![], sum(9, 9));
    // c may be 0xffffffff, and c + 1 then 0.
    refused(vec![], sum(1, 0));
    refused(vec![], sum(9, 8));
    refused(vec![], sum(9, 10));
}

#[test]
fn a_sum_whose_cursor_cannot_wrap_proves_everything_up_to_it() {
    let small = |j: u32| {
        move |p: &mut Probe| {
            let mask = p.num(1023);
            let c = p.op(U32And, &[p.c, mask]);
            let sum = p.plus(c, 4);
            let inside = p.below(sum);
            p.when(inside, |p| {
                let read = p.plus(c, j);
                p.read(read);
            });
        }
    };
    (0..=4).for_each(|j| accepted(vec![], small(j)));
    refused(vec![], small(5));
}

#[test]
fn a_later_comparison_with_a_constant_makes_an_earlier_sum_exact() {
    let build = |limit: u32| {
        move |p: &mut Probe| {
            let sum = p.plus(p.c, 4);
            let inside = p.below(sum);
            p.when(inside, |p| {
                let limit = p.num(limit);
                let small = p.op(U32Lt, &[p.c, limit]);
                p.when(small, |p| p.read(p.c));
            });
        }
    };
    accepted(vec![], build(100));
    accepted(vec![], build(u32::MAX - 3));
    refused(vec![], build(u32::MAX - 2));
}

#[test]
fn a_length_less_a_constant_proves_a_window() {
    let window = |first: bool, k: u32, j: u32| {
        move |p: &mut Probe| {
            let (length, k) = (p.len(TABLE), p.num(k));
            let fits = p.op(U32Le, &[k, length]);
            let rest = p.op(U32Sub, &[length, k]);
            let inside = p.op(U32Lt, &[p.c, rest]);
            let both = if first {
                p.op(BoolAnd, &[fits, inside])
            } else {
                p.op(BoolAnd, &[inside, fits])
            };
            p.when(both, |p| {
                let read = p.plus(p.c, j);
                p.read(read);
            });
        }
    };
    for j in 0..=4 {
        accepted(vec![], window(true, 4, j));
        accepted(vec![], window(false, 4, j));
    }
    refused(vec![], window(true, 4, 5));
    // Without `4 <= #table`, the difference may wrap.
    refused(vec![], |p| {
        let (length, four) = (p.len(TABLE), p.num(4));
        let rest = p.op(U32Sub, &[length, four]);
        let inside = p.op(U32Lt, &[p.c, rest]);
        p.when(inside, |p| p.read(p.c));
    });
}

#[test]
fn a_decremented_cursor_needs_to_be_positive() {
    let build = |positive: bool| {
        move |p: &mut Probe| {
            let (one, length) = (p.num(1), p.len(TABLE));
            let mut cond = p.op(U32Le, &[p.c, length]);
            if positive {
                let some = p.op(U32Le, &[one, p.c]);
                cond = p.op(BoolAnd, &[cond, some]);
            }
            p.when(cond, |p| {
                let before = p.op(U32Sub, &[p.c, one]);
                p.read(before);
            });
        }
    };
    accepted(vec![], build(true));
    refused(vec![], build(false));
}

#[test]
fn negations_and_disjunctions_count() {
    accepted(vec![], |p| {
        let inside = p.below(p.c);
        let outside = p.op(BoolNot, &[inside]);
        let zero = p.num(0);
        let idle = p.op(U32Eq, &[p.n, zero]);
        let skip = p.op(BoolOr, &[idle, outside]);
        p.either(skip, |_| (), |p| p.read(p.c));
    });
    refused(vec![], |p| {
        let inside = p.below(p.c);
        let zero = p.num(0);
        let other = p.op(U32Eq, &[p.n, zero]);
        let either = p.op(BoolOr, &[inside, other]);
        p.when(either, |p| p.read(p.c));
    });
}

#[test]
fn a_short_circuit_condition_counts_as_its_parts() {
    accepted(vec![], |p| {
        let inside = p.below(p.c);
        let both = p.choose(
            inside,
            |p| {
                let x = p.load(TABLE, p.c);
                let zero = p.b.f32(0.0);
                p.op(F32Lt, &[zero, x])
            },
            |p| p.b.bool(false),
        );
        p.when(both, |p| p.read(p.c));
    });
    // A flag that an early exit left true.
    accepted(vec![], |p| {
        let inside = p.below(p.c);
        let live = p.choose(inside, |p| p.b.bool(true), |p| p.b.bool(false));
        p.when(live, |p| p.read(p.c));
    });
    refused(vec![], |p| {
        let inside = p.below(p.c);
        let live = p.choose(inside, |p| p.b.bool(false), |p| p.b.bool(true));
        p.when(live, |p| p.read(p.c));
    });
    refused(vec![], |p| {
        let inside = p.below(p.c);
        let either = p.choose(inside, |p| p.b.bool(true), |p| p.b.bool(true));
        p.when(either, |p| p.read(p.c));
    });
}

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

fn counted(p: &mut Probe, lo: Value, hi: Value, body: impl FnOnce(&mut Probe, Value)) {
    let var = p.b.counted_var(lo, hi);
    p.b.open();
    body(p, var);
    let body = p.b.close(Vec::new());
    let kind = LoopKind::Counted { var, lo, hi };
    p.b.loop_(kind, vec![], vec![], body, false);
}

#[test]
fn counted_variables_have_the_range_of_their_bounds() {
    let eight = || vec![guard(CmpOp::Ge, (1, TABLE), &[], 8)];
    let constant = |lo: i32, hi: i32| {
        move |p: &mut Probe| {
            let (lo, hi) = (p.b.i32(lo), p.b.i32(hi));
            counted(p, lo, hi, |p, var| {
                let cursor = p.op(U32FromI32, &[var]);
                p.read(cursor);
            });
        }
    };
    accepted(eight(), constant(0, 7));
    refused(eight(), constant(0, 8));
    refused(eight(), constant(-1, 7));
    // Up to the last element, by a bound that is a length.
    accepted(vec![], |p| {
        let (length, one) = (p.len(TABLE), p.num(1));
        let some = p.op(U32Le, &[one, length]);
        p.when(some, |p| {
            let last = p.op(U32Sub, &[length, one]);
            let zero = p.num(0);
            counted(p, zero, last, |p, var| p.read(var));
        });
    });
    refused(vec![], |p| {
        let (length, zero) = (p.len(TABLE), p.num(0));
        counted(p, zero, length, |p, var| p.read(var));
    });
}

fn growing(p: &mut Probe, limit: Value, body: impl FnOnce(&mut Probe, Value) -> Value) {
    let init = vec![p.num(0)];
    let params = p.b.loop_params(&init);
    p.b.open();
    let go_on = p.op(U32Lt, &[params[0], limit]);
    let cond = p.b.close(vec![go_on]);
    p.b.open();
    let next = body(p, params[0]);
    let body = p.b.close(vec![next]);
    let class = Termination::Variant;
    p.b.loop_(LoopKind::While { cond, class }, params, init, body, false);
}

#[test]
fn a_loop_condition_holds_in_the_body() {
    accepted(vec![], |p| {
        let length = p.len(TABLE);
        growing(p, length, |p, at| {
            p.read(at);
            p.plus(at, 1)
        });
    });
    refused(vec![], |p| {
        let length = p.len(TABLE);
        growing(p, length, |p, at| {
            let next = p.plus(at, 1);
            p.read(next);
            next
        });
    });
}

#[test]
fn a_claim_of_termination_needs_a_parameter_that_grows_or_shrinks() {
    accepted(vec![], |p| {
        let limit = p.n;
        growing(p, limit, |p, at| {
            let odd = p.below(at);
            p.choose(
                odd,
                |p| p.plus(at, 1),
                |p| {
                    let two = p.plus(at, 1);
                    let limit = p.num(1000);
                    let small = p.op(U32Lt, &[two, limit]);
                    p.choose(small, |p| p.plus(two, 1), |_| two)
                },
            )
        });
    });
    for stride in [0, 2] {
        // Two steps may pass the limit and wrap; no step never ends.
        let kernel = kernel(vec![], |p| {
            let limit = p.n;
            growing(p, limit, |p, at| p.plus(at, stride));
        });
        let error = verify(kernel).expect_err("the loop may not end");
        assert_eq!(error.rule, "termination");
    }
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

#[test]
fn equal_expressions_in_sibling_regions_do_not_share_facts() {
    // `c + 1` is exact in the first region only.
    refused(vec![], |p| {
        let limit = p.num(10);
        let small = p.op(U32Lt, &[p.c, limit]);
        p.either(
            small,
            |p| {
                p.plus(p.c, 1);
            },
            |p| {
                let sum = p.plus(p.c, 1);
                let inside = p.below(sum);
                p.when(inside, |p| p.read(p.c));
            },
        );
    });
}

#[test]
fn a_shared_condition_of_many_levels_ends() {
    accepted(vec![], |p| {
        let inside = p.below(p.c);
        let mut all = p.op(BoolAnd, &[inside, inside]);
        for _ in 0..40 {
            all = p.op(BoolAnd, &[all, all]);
        }
        let mut sum = p.c;
        for _ in 0..200 {
            sum = p.op(U32Add, &[sum, sum]);
        }
        p.when(all, |p| p.read(p.c));
        p.when(inside, |p| {
            let region = SourceRegion::default();
            p.b.if_(all, region, SourceRegion::default());
        });
    });
}
