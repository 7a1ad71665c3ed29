//! Which comparisons prove which elements.
//!
//! Each test builds a map that reads `table` where something is known, and says whether the
//! verifier may accept it. Here are conditions; guards, loops and ranges have a file each.

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

mod guards;
mod loops;
mod ranges;

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
