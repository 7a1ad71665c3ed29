//! Random maps with reads at random places: whatever the engine takes for proved is run, on
//! lengths and cursors that sit near the edges, and has to stay in bounds.
//!
//! Reads that the engine does not take for proved are taken out one by one, so that each kernel
//! that is run holds everything the engine believed.

use super::hostile::Random;
use super::*;
use crate::eval::source::{EvalError, LaneOrder, run_within};
use crate::ir::build::Builder;
use crate::ir::entity::{Scalar, SpanId, Value};
use crate::ir::flow::{Const, LoopKind, Op, Termination};
use crate::ir::kernel::{
    Access, Body, CmpOp, Guard, GuardCond, Leaf, LengthCond, LengthSum, ParamRef, SourceRegion,
    Target,
};
use crate::ir::op::ScalarOp::{self, *};
use crate::ir::place::{Certificate, Place};
use crate::ir::samples::{equal_lengths, uint_span};
use crate::ir::scope;

const U32_OPS: &[ScalarOp] = &[
    U32Add, U32Add, U32Add, U32Sub, U32Sub, U32Mul, U32Div, U32Mod, U32Min, U32Max, U32And, U32Or,
    U32Xor, U32Shl, U32Shr, U32FromI32, U32FromI32, U32Select,
];
const I32_OPS: &[ScalarOp] = &[
    I32Add, I32Add, I32Sub, I32Mul, I32Div, I32Mod, I32Neg, I32Min, I32Max, I32And, I32Shl, I32Shr,
    I32FromU32, I32FromU32, I32Select,
];
const BOOL_OPS: &[ScalarOp] = &[
    U32Lt, U32Lt, U32Lt, U32Le, U32Le, U32Eq, I32Lt, I32Le, I32Eq, BoolAnd, BoolAnd, BoolOr,
    BoolNot, BoolXor, BoolSelect,
];

/// Values that are visible, by type.
#[derive(Clone, Default)]
struct Pool {
    u: Vec<Value>,
    i: Vec<Value>,
    b: Vec<Value>,
}

impl Pool {
    fn of(&mut self, ty: Scalar) -> &mut Vec<Value> {
        match ty {
            Scalar::I32 => &mut self.i,
            Scalar::Bool => &mut self.b,
            Scalar::U32 | Scalar::F32 => &mut self.u,
        }
    }
}

struct Maker<'a> {
    b: Builder<Leaf>,
    random: &'a mut Random,
    spans: u32,
}

impl Maker<'_> {
    /// A value, later ones more often.
    fn pick(&mut self, pool: &mut Pool, ty: Scalar) -> Value {
        let list = pool.of(ty);
        let last = list.len() - 1;
        let back = self
            .random
            .below(list.len())
            .min(self.random.below(list.len()));
        list[last - back]
    }

    fn constant(&mut self, pool: &mut Pool) {
        let ty = [Scalar::U32, Scalar::U32, Scalar::I32][self.random.below(3)];
        let n =
            [0, 1, 2, 3, 4, 7, 8, 15, 31, u32::MAX, u32::MAX - 3, 1 << 31][self.random.below(12)];
        let value = self.b.constant(ty, n);
        pool.of(ty).push(value);
    }

    fn operation(&mut self, pool: &mut Pool) {
        let list = [U32_OPS, U32_OPS, I32_OPS, BOOL_OPS, BOOL_OPS][self.random.below(5)];
        let op = list[self.random.below(list.len())];
        let args: Vec<Value> = op.args().iter().map(|&ty| self.pick(pool, ty)).collect();
        let value = self.b.scalar(op, &args);
        pool.of(op.result()).push(value);
    }

    fn read(&mut self, pool: &mut Pool) {
        let index = self.pick(pool, Scalar::U32);
        let span = SpanId(1 + self.random.next() % (self.spans - 1));
        let place = Place::At {
            span,
            index,
            proof: Certificate::Interval,
        };
        let value = self.b.leaf(Leaf::Load { place, field: 0 }, Scalar::U32);
        pool.u.push(value);
    }

    /// A comparison with a length, and reads near what it compares.
    fn guided(&mut self, pool: &mut Pool, depth: usize) {
        let mut inner = pool.clone();
        for _ in 0..self.random.below(3) {
            self.operation(&mut inner);
        }
        let cursor = self.pick(&mut inner, Scalar::U32);
        let steps: Vec<Value> = (1..4).map(|n| self.b.u32(n)).collect();
        let op = [U32Add, U32Add, U32Sub, U32Mul, U32And, U32Mod][self.random.below(6)];
        let moved = self.b.scalar(op, &[cursor, steps[self.random.below(3)]]);
        let length = pool.u[self.random.below(3)];
        let rest = self
            .b
            .scalar(U32Sub, &[length, steps[self.random.below(3)]]);
        let small = [cursor, moved, steps[self.random.below(3)]][self.random.below(3)];
        let large = [length, length, rest][self.random.below(3)];
        let op = [U32Lt, U32Lt, U32Le][self.random.below(3)];
        let cond = self.b.scalar(op, &[small, large]);
        inner.u.extend([cursor, moved, rest]);
        pool.b.push(cond);
        inner.b.push(cond);
        self.b.open();
        for step in steps {
            let near = self
                .b
                .scalar([U32Add, U32Sub][self.random.below(2)], &[cursor, step]);
            inner.u.push(near);
            self.read(&mut inner);
            self.read(&mut inner);
        }
        if depth > 0 {
            self.guided(&mut inner, depth - 1);
        }
        let then = self.b.close(Vec::new());
        self.b.if_(cond, then, SourceRegion::default());
    }

    fn statements(&mut self, pool: &mut Pool, depth: usize) {
        for _ in 0..4 + self.random.below(6) {
            match self.random.below(14) {
                0..=1 => self.constant(pool),
                2..=6 => self.operation(pool),
                7..=8 => self.read(pool),
                9..=10 if depth > 0 => self.choice(pool, depth - 1),
                11 if depth > 0 => self.repeat(pool, depth - 1),
                12.. => self.guided(pool, depth),
                _ => self.operation(pool),
            }
        }
    }

    /// A side of a choice: its statements, and a value of each type handed on.
    fn side(&mut self, pool: &Pool, depth: usize) -> SourceRegion {
        self.b.open();
        let mut inner = pool.clone();
        self.statements(&mut inner, depth);
        let types = [Scalar::U32, Scalar::I32, Scalar::Bool];
        let mut yields = types.map(|ty| self.pick(&mut inner, ty));
        if self.random.below(2) == 0 {
            // The side of a short-circuit condition.
            yields[2] = self.b.bool(self.random.below(2) == 0);
        }
        self.b.close(yields.into())
    }

    fn hand_on(pool: &mut Pool, results: &[Value]) {
        pool.u.push(results[0]);
        pool.i.push(results[1]);
        pool.b.push(results[2]);
    }

    fn choice(&mut self, pool: &mut Pool, depth: usize) {
        let cond = self.pick(pool, Scalar::Bool);
        let (then, els) = (self.side(pool, depth), self.side(pool, depth));
        let results = self.b.if_(cond, then, els);
        Self::hand_on(pool, &results);
    }

    fn repeat(&mut self, pool: &mut Pool, depth: usize) {
        let types = [Scalar::U32, Scalar::I32, Scalar::Bool];
        let init = types.map(|ty| self.pick(pool, ty)).to_vec();
        let counted = self.random.below(2) == 0;
        let ty = types[self.random.below(2)];
        let (lo, hi) = (self.pick(pool, ty), self.pick(pool, ty));
        let params = self.b.loop_params(&init);
        let mut inner = pool.clone();
        Self::hand_on(&mut inner, &params);
        let kind = if counted {
            let var = self.b.counted_var(lo, hi);
            inner.of(ty).push(var);
            LoopKind::Counted { var, lo, hi }
        } else {
            self.b.open();
            self.operation(&mut inner);
            self.operation(&mut inner);
            let go_on = self.pick(&mut inner, Scalar::Bool);
            LoopKind::While {
                cond: self.b.close(vec![go_on]),
                class: Termination::Unproved,
            }
        };
        let breaks = self.random.below(2) == 0;
        let mut body = self.side(&inner, depth);
        if breaks {
            body.yields.insert(0, body.yields[2]);
        }
        let results = self.b.loop_(kind, params, init, body, breaks);
        Self::hand_on(pool, &results);
    }
}

/// A relation of two lengths, or of a length and a small number.
fn random_guard(random: &mut Random) -> Guard {
    let sum = |random: &mut Random| LengthSum {
        terms: (0..random.next() % 2)
            .map(|_| (1 + i64::from(random.next() % 2), SpanId(random.next() % 3)))
            .collect(),
        constant: i64::from(random.next() % 9),
    };
    let ops = [
        CmpOp::Eq,
        CmpOp::Le,
        CmpOp::Lt,
        CmpOp::Ge,
        CmpOp::Gt,
        CmpOp::Ne,
    ];
    let cond = LengthCond::Cmp {
        op: ops[random.below(6)],
        lhs: sum(random),
        rhs: sum(random),
    };
    let cond = match random.below(4) {
        0 => LengthCond::Not(Box::new(cond)),
        _ => cond,
    };
    Guard {
        cond: GuardCond::Lengths(cond),
        message: None,
        text: String::new(),
    }
}

fn random_map(random: &mut Random) -> Kernel {
    let mut spans = vec![uint_span("output", Access::Write)];
    spans.extend(["a", "b", "cursors"].map(|name| uint_span(name, Access::Read)));
    let guards = (0..random.below(4)).map(|_| random_guard(random)).collect();
    let mut b = Builder::new();
    let index = b.external(Scalar::U32);
    let mut pool = Pool::default();
    let mut maker = Maker {
        b,
        random,
        spans: 3,
    };
    for span in 0..3 {
        let length = maker.b.leaf(Leaf::Length(SpanId(span)), Scalar::U32);
        pool.u.push(length);
    }
    pool.u.push(index);
    let place = Place::Element {
        span: SpanId(3),
        offset: 0,
        proof: Certificate::Guard { chain: vec![0] },
    };
    let cursor = maker.b.leaf(Leaf::Load { place, field: 0 }, Scalar::U32);
    let one = maker.b.u32(1);
    let offset = maker.b.scalar(U32Sub, &[index, one]);
    let signed = maker.b.scalar(I32FromU32, &[cursor]);
    let small = maker.b.i32(3);
    let inside = maker.b.scalar(U32Lt, &[cursor, pool.u[1]]);
    pool.u.extend([one, offset, cursor]);
    pool.i.extend([small, signed]);
    pool.b.push(inside);
    maker.statements(&mut pool, 2);
    let value = maker.pick(&mut pool, Scalar::U32);
    let place = Place::Element {
        span: SpanId(0),
        offset: 0,
        proof: Certificate::Primary,
    };
    maker.b.effect(Leaf::Store {
        place,
        field: 0,
        value,
    });
    let (values, region) = maker.b.finish(Vec::new());
    let mut all: Vec<Guard> = vec![equal_lengths(&spans, SpanId(3), SpanId(0))];
    all.extend::<Vec<Guard>>(guards);
    let mut kernel = Kernel {
        name: "random".into(),
        target: Target::Gpu,
        structs: Vec::new(),
        params: (0..4).map(|i| ParamRef::Span(SpanId(i))).collect(),
        spans,
        uniforms: Vec::new(),
        guards: all,
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

/// Takes out the reads that are not proved, and counts those that are.
fn proved(mut kernel: Kernel) -> (crate::verify::Verified<Kernel>, usize) {
    loop {
        let error = match verify(kernel.clone()) {
            Ok(verified) => break (verified, reads(&mut kernel)),
            Err(error) => error,
        };
        assert_eq!(error.rule, "cursor bounds", "{error}");
        more::each_instruction(&mut kernel, &mut |op| {
            if let Op::Leaf(Leaf::Load {
                place: Place::At { span, index, .. },
                ..
            }) = op
                && error.detail == format!("{span} at {index}")
            {
                *op = Op::Const(Const {
                    ty: Scalar::U32,
                    bits: 5,
                });
            }
        });
        scope::assign(&mut kernel);
    }
}

fn reads(kernel: &mut Kernel) -> usize {
    let mut reads = 0;
    more::each_instruction(kernel, &mut |op| {
        if let Op::Leaf(Leaf::Load {
            place: Place::At { .. },
            ..
        }) = op
        {
            reads += 1;
        }
    });
    reads
}

/// Kernels that are made; the larger of them are not looked at, for the time they take.
const ROUNDS: usize = 250;
/// The most values of a kernel that is looked at.
const VALUES: usize = 150;

#[test]
fn what_is_taken_for_proved_stays_in_bounds() {
    let mut random = Random(0x1357_9bdf_0246_8ace);
    let (mut kept, mut ran) = (0, 0);
    for _ in 0..ROUNDS {
        let kernel = random_map(&mut random);
        if kernel.values.len() > VALUES {
            continue;
        }
        let (kernel, reads) = proved(kernel);
        kept += reads;
        for _ in 0..6 {
            let count = random.below(12);
            let length = |random: &mut Random| match random.below(3) {
                0 => count,
                _ => random.below(12),
            };
            let mut spans = [count, length(&mut random), length(&mut random), count]
                .map(|n| (0..n).map(|_| random.word()).collect::<Vec<u32>>());
            match run_within(&kernel, &mut spans, &[], LaneOrder::Ascending, 5_000) {
                Err(error @ EvalError::OutOfBounds { .. }) => {
                    panic!("{error} in\n{}", crate::ir::print::print(&kernel))
                }
                Ok(()) => ran += 1,
                Err(_) => {}
            }
        }
    }
    assert!(kept > ROUNDS / 2, "only {kept} reads were proved");
    assert!(ran > ROUNDS / 2, "only {ran} runs were to the end");
}
