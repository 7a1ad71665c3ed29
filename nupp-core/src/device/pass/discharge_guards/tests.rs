//! Discharged bodies on devices that flush, against the same bodies before the pass on one that does not.

use std::cell::RefCell;

use super::facts::{MULTIPLICAND, PARTS, bound};
use super::*;
use crate::artifact::UniformLayout;
use crate::device::ir::{BufferDecl, Builtin};
use crate::device::soft::dsl::Ctx;
use crate::device::soft::tests::EDGES;
use crate::device::soft::{INF, Library, MAG, QNAN, SIGN, Soft};
use crate::eval::device::{Arithmetic, Dispatch, faults, run_by};
use crate::eval::scalar;
use crate::ir::build::Builder;

mod rolled;

/// Lanes, and words of input and output a lane.
const LANES: u32 = 64;
const INPUTS: u32 = 8;
const OUTPUTS: u32 = 16;

fn exact(op: ScalarOp, [a, b, c]: [u32; 3]) -> u32 {
    scalar::apply3(op, a, b, c)
}

struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn below(&mut self, n: usize) -> usize {
        self.word() as usize % n
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// A float about the bounds of the pass and of the formats.
    fn hard(&mut self) -> u32 {
        const EXPONENTS: [u32; 20] = [
            0, 0, 1, 2, 22, 23, 24, 25, 46, 47, 63, 64, 65, 85, 86, 87, 88, 127, 190, 254,
        ];
        if self.below(8) == 0 {
            return self.of(EDGES);
        }
        let word = self.word();
        let fraction = self.of(&[0, 1, 2, 0x0040_0000, 0x007f_ffff, 0x007f_fffe, word]);
        (word & SIGN) | (self.of(&EXPONENTS) << 23) | (fraction & 0x007f_ffff)
    }

    /// A float as most are.
    fn usual(&mut self) -> u32 {
        (self.word() & 0x81ff_ffff) | 0x3e00_0000
    }

    /// Inputs of all lanes: usual ones, and in half of the lanes hard ones among them.
    fn inputs(&mut self) -> Vec<u32> {
        let mut inputs = Vec::new();
        for lane in 0..LANES {
            for _ in 0..INPUTS {
                let hard = lane % 2 == 1 && self.below(3) == 0;
                inputs.push(if hard { self.hard() } else { self.usual() });
            }
        }
        inputs
    }
}

/// A body under construction.
struct Body<'a> {
    ctx: Ctx<'a>,
    lib: Library<'a>,
    q: Value,
    q2: Value,
    base: [Value; 2],
}

impl Body<'_> {
    fn scalar(&self, op: ScalarOp, args: &[Value]) -> Value {
        self.ctx.borrow_mut().scalar(op, args)
    }

    fn word(&self, n: u32) -> Value {
        self.ctx.borrow_mut().u32(n)
    }

    fn call(&self, carried: Carried, args: &[Value]) -> Value {
        carried.call(&self.lib, args, self.q, self.q2)
    }

    fn input(&self, n: u32) -> Value {
        let n = self.word(n);
        let index = self.scalar(ScalarOp::U32Add, &[self.base[0], n]);
        let load = DeviceLeaf::BufferLoad { buffer: 1, index };
        self.ctx.borrow_mut().leaf(load, Scalar::U32)
    }

    fn output(&self, n: u32, value: Value) {
        let n = self.word(n);
        let index = self.scalar(ScalarOp::U32Add, &[self.base[1], n]);
        self.ctx.borrow_mut().effect(DeviceLeaf::BufferStore {
            buffer: 0,
            index,
            value,
        });
    }

    fn negative(&self, x: Value) -> Value {
        let bits = self.scalar(ScalarOp::U32Or, &[x, self.q]);
        self.scalar(ScalarOp::U32Xor, &[bits, self.word(SIGN)])
    }

    /// Some instructions; what they make goes into the pool.
    fn random(&self, random: &mut Random, pool: &mut Vec<Value>, depth: u32, count: usize) {
        for _ in 0..count {
            let mut any = || random.of(pool);
            let (a, b, c) = (any(), any(), any());
            let value = match random.below(if depth == 0 { 20 } else { 24 }) {
                0..=5 => self.call(Carried::Add, &[a, b]),
                6..=9 => self.call(Carried::Mul, &[a, b]),
                10..=13 => self.call(Carried::Fma, &[a, b, c]),
                14 => self.call(Carried::RefinedDiv, &[a, b]),
                15 => self.call(Carried::RefinedSqrt, &[a]),
                16 => self.negative(a),
                17 => self.lib.call(Soft::Max, &[a, b]),
                18 => self.input(random.below(INPUTS as usize) as u32),
                19 => {
                    self.word(random.of(&[0, 0x3f80_0000, 0xbfc0_0001, 0x3300_0000, 0x0040_0000]))
                }
                20 | 21 => {
                    self.choice(random, pool, depth);
                    continue;
                }
                _ => {
                    self.turns(random, pool, depth);
                    continue;
                }
            };
            pool.push(value);
        }
    }

    fn side(&self, random: &mut Random, pool: &[Value], depth: u32) -> DeviceRegion {
        let mut pool = pool.to_vec();
        self.ctx.borrow_mut().open();
        let count = random.below(5);
        self.random(random, &mut pool, depth - 1, count);
        let yields = (0..2).map(|_| pool[pool.len() - 1 - random.below(pool.len().min(4))]);
        let yields = yields.collect();
        self.ctx.borrow_mut().close(yields)
    }

    fn choice(&self, random: &mut Random, pool: &mut Vec<Value>, depth: u32) {
        // Of floats: the bits of a NaN are not the same before and behind the pass.
        let cond = self.lib.call(Soft::Lt, &[random.of(pool), random.of(pool)]);
        let (then, els) = (
            self.side(random, pool, depth),
            self.side(random, pool, depth),
        );
        pool.extend(self.ctx.borrow_mut().if_(cond, then, els));
    }

    fn turns(&self, random: &mut Random, pool: &mut Vec<Value>, depth: u32) {
        let init = [random.of(pool), random.of(pool)];
        let params = self.ctx.borrow_mut().loop_params(&init);
        let (lo, hi) = (self.word(1), self.word(3));
        let var = self.ctx.borrow_mut().counted_var(lo, hi);
        let kind = LoopKind::Counted { var, lo, hi };
        let inside = [pool.as_slice(), &params, &params].concat();
        let body = self.side(random, &inside, depth);
        let mut builder = self.ctx.borrow_mut();
        pool.extend(builder.loop_(kind, params, init.to_vec(), body, false));
    }
}

/// A module of what `build` builds, and its guarded operations.
fn module(build: impl FnOnce(&Body<'_>)) -> (Module, Vec<(FuncId, Carried)>) {
    let builder = RefCell::new(Builder::new());
    let leaf = |leaf| builder.borrow_mut().leaf(leaf, Scalar::U32);
    let words = [UniformLayout::Q, UniformLayout::Q2].map(|n| leaf(DeviceLeaf::UniformWord(n)));
    let lane = leaf(DeviceLeaf::Builtin(Builtin::LocalIndex));
    let base = [INPUTS, OUTPUTS].map(|n| {
        let n = builder.borrow_mut().u32(n);
        builder.borrow_mut().scalar(ScalarOp::U32Mul, &[lane, n])
    });
    let body = Body {
        ctx: &builder,
        lib: Library::new(&builder),
        q: words[0],
        q2: words[1],
        base,
    };
    build(&body);
    let carried = body.lib.carried();
    let functions = body.lib.finish();
    let (values, body) = builder.into_inner().finish(Vec::new());
    let buffer = |name: &str, write| BufferDecl {
        name: name.into(),
        write,
        words: 1,
        atomic: false,
    };
    let module = Module {
        name: "guards".into(),
        profile: "fused",
        buffers: vec![buffer("output", true), buffer("input", false)],
        uniforms: UniformLayout {
            spans: 2,
            uniforms: 0,
        },
        workgroup: Vec::new(),
        private: Vec::new(),
        register_bytes: 0,
        size: LANES,
        covers: LANES,
        values,
        functions,
        body,
        software: Vec::new(),
        barriers: 0,
    };
    (module, carried)
}

fn discharged((module, carried): &(Module, Vec<(FuncId, Carried)>)) -> Module {
    let mut after = module.clone();
    discharge_guards(&mut after, carried, Fallback::Guarded);
    checked(after)
}

/// The same, as if the body were a function's that falls back so.
fn discharged_in_parts(
    (module, carried): &(Module, Vec<(FuncId, Carried)>),
    fallback: Fallback,
) -> Module {
    let mut after = module.clone();
    let functions = module.functions.clone();
    discharge(
        &mut after.body,
        &mut after.values,
        carried,
        &functions,
        Place::Function {
            software: fallback == Fallback::Software,
        },
    );
    checked(after)
}

fn checked(mut module: Module) -> Module {
    let scopes = crate::verify::device::scopes(&module);
    for (info, scope) in module.values.iter_mut().zip(scopes) {
        info.scope = scope;
    }
    crate::verify::device::check(&module).expect("it is well formed");
    module
}

/// What a module leaves, NaN made canonical.
fn outputs(module: &Module, inputs: &[u32], arithmetic: Arithmetic) -> Vec<u32> {
    let mut buffers = [vec![0; (LANES * OUTPUTS) as usize], inputs.to_vec()];
    let lengths = [LANES * OUTPUTS, LANES * INPUTS];
    let dispatch = Dispatch {
        count: LANES,
        lengths: &lengths,
        offsets: &[0, 0],
        uniforms: &[],
        width: 65_535,
        seed: 1,
    };
    run_by(module, &mut buffers, &dispatch, arithmetic).expect("it runs");
    let canonical = |&bits: &u32| if bits & MAG > INF { QNAN } else { bits };
    buffers[0].iter().map(canonical).collect()
}

/// Changes each region, innermost first.
fn each_region(region: &mut DeviceRegion, change: &mut dyn FnMut(&mut DeviceRegion)) {
    for inst in &mut region.insts {
        match &mut inst.op {
            Op::If { then, els, .. } => {
                each_region(then, change);
                each_region(els, change);
            }
            Op::Loop(inner) => {
                if let LoopKind::While { cond, .. } = &mut inner.kind {
                    each_region(cond, change);
                }
                each_region(&mut inner.body, change);
            }
            Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => {}
        }
    }
    change(region);
}

/// Whether a region calls a guarded operation, in a loop or not.
fn calls_guarded(region: &DeviceRegion, carried: &[(FuncId, Carried)]) -> bool {
    region.insts.iter().any(|inst| match &inst.op {
        Op::Leaf(DeviceLeaf::Call { func, .. }) => carried.iter().any(|(id, _)| id == func),
        Op::Loop(inner) => calls_guarded(&inner.body, carried),
        Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) | Op::If { .. } => false,
    })
}

/// Changes the sides of branches that guarded calls are on; gives how many there are.
pub(crate) fn slow_sides(
    region: &mut DeviceRegion,
    carried: &[(FuncId, Carried)],
    change: &mut dyn FnMut(&mut DeviceRegion),
) -> usize {
    let mut count = 0;
    each_region(region, &mut |region| {
        for inst in &mut region.insts {
            if let Op::If { els, .. } = &mut inst.op
                && calls_guarded(els, carried)
            {
                count += 1;
                change(els);
            }
        }
    });
    count
}

/// How many there are.
fn count(module: &Module, carried: &[(FuncId, Carried)]) -> usize {
    slow_sides(&mut module.body.clone(), carried, &mut |_| {})
}

/// The module with another constant.
fn replaced(module: &Module, from: u32, to: u32) -> Module {
    let mut module = module.clone();
    let mut count = 0;
    each_region(&mut module.body, &mut |region| {
        for inst in &mut region.insts {
            if let Op::Const(c) = &mut inst.op
                && c.bits == from
            {
                c.bits = to;
                count += 1;
            }
        }
    });
    assert!(count > 0, "{from:x} is not there");
    module
}

#[test]
fn random_bodies_are_exact_on_devices_that_flush() {
    let mut random = Random(1);
    let programs = if cfg!(debug_assertions) { 60 } else { 5000 };
    let (mut segments, mut rolled) = (0, 0);
    for program in 0..programs {
        let before = module(|body| {
            let mut pool: Vec<Value> = (0..INPUTS).map(|n| body.input(n)).collect();
            if program % 8 < 2 {
                // Rows of one operation, which become loops.
                for carried in [Carried::Fma, random.of(&[Carried::Add, Carried::Mul])] {
                    let known = pool.clone();
                    for _ in 0..6 + random.below(8) {
                        let operands = [0; 3].map(|_| random.of(&known));
                        let arity = if carried == Carried::Fma { 3 } else { 2 };
                        pool.push(body.call(carried, &operands[..arity]));
                    }
                }
            }
            let count = 4 + random.below(20);
            body.random(&mut random, &mut pool, 3, count);
            for (n, &value) in (0..OUTPUTS).zip(pool.iter().rev()) {
                body.output(n, value);
            }
        });
        let after = if program % 2 == 0 {
            discharged(&before)
        } else if program % 4 == 1 {
            discharged_in_parts(&before, Fallback::Guarded)
        } else {
            discharged_in_parts(&before, Fallback::Software)
        };
        segments += count(&after, &before.1);
        rolled += usize::from(!after.private.is_empty());
        let before = checked(before.0);
        for _ in 0..2 {
            let inputs = random.inputs();
            let wanted = outputs(&before, &inputs, exact);
            for arithmetic in [faults::flushing, exact as Arithmetic] {
                let given = outputs(&after, &inputs, arithmetic);
                let at = given.iter().zip(&wanted).position(|(a, b)| a != b);
                if let Some(n) = at {
                    let (given, wanted) = (given[n], wanted[n]);
                    panic!("program {program}, word {n}: {given:x}, not {wanted:x}");
                }
            }
        }
    }
    assert!(segments > programs, "{segments} segments");
    assert!(
        20 * rolled > programs,
        "{rolled} of {programs} with a loop of calls"
    );
}

/// A sum of products in a loop, as in a matrix product: `input 0 * 1 + 2 * 3 + ...`, three times.
fn chain() -> (Module, Vec<(FuncId, Carried)>) {
    module(|body| {
        let zero = body.word(0);
        let params = body.ctx.borrow_mut().loop_params(&[zero, zero]);
        let (lo, hi) = (body.word(1), body.word(3));
        let var = body.ctx.borrow_mut().counted_var(lo, hi);
        body.ctx.borrow_mut().open();
        let (mut sum, mut other) = (params[0], params[1]);
        for n in 0..4 {
            let (a, b) = (body.input(2 * n), body.input(2 * n + 1));
            sum = body.call(Carried::Fma, &[a, b, sum]);
            other = body.call(Carried::Fma, &[b, body.negative(a), other]);
        }
        let turn = body.ctx.borrow_mut().close(vec![sum, other]);
        let kind = LoopKind::Counted { var, lo, hi };
        let results = (body.ctx.borrow_mut()).loop_(kind, params, vec![zero, zero], turn, false);
        let total = body.call(Carried::Add, &[results[0], results[1]]);
        for (n, value) in (0..).zip([results[0], results[1], total]) {
            body.output(n, value);
        }
    })
}

/// The module whose calls give something else, on the sides that `which` says by their number.
fn poisoned(
    module: &Module,
    carried: &[(FuncId, Carried)],
    which: impl Fn(usize) -> bool,
) -> Module {
    let mut module = module.clone();
    let wrong = fresh(&mut module.values, Scalar::U32);
    let c = crate::ir::flow::Const {
        ty: Scalar::U32,
        bits: 0x1234_5678,
    };
    module.body.insts.insert(
        0,
        Inst {
            results: vec![wrong],
            op: Op::Const(c),
        },
    );
    let values = &module.values;
    let mut number = 0;
    slow_sides(&mut module.body, carried, &mut |side| {
        let words = side.yields.iter_mut();
        let words = words.filter(|value| values[value.index()].ty == Scalar::U32);
        if which(number) {
            words.for_each(|value| *value = wrong);
        }
        number += 1;
    });
    checked(module)
}

#[test]
fn a_chain_in_a_loop_is_one_segment_that_usual_data_pass() {
    let before = chain();
    let after = discharged(&before);
    assert_eq!(count(&after, &before.1), 1);
    let poisoned = poisoned(&after, &before.1, |_| true);
    let before = checked(before.0);
    let mut random = Random(3);
    let usual: Vec<u32> = (0..LANES * INPUTS)
        .map(|n| if n % 7 == 3 { 0 } else { random.usual() })
        .collect();
    let wanted = outputs(&before, &usual, exact);
    assert!(outputs(&poisoned, &usual, faults::flushing) == wanted);
    let mut differed = false;
    for _ in 0..40 {
        let hard = random.inputs();
        let wanted = outputs(&before, &hard, exact);
        assert!(outputs(&after, &hard, faults::flushing) == wanted);
        differed |= outputs(&poisoned, &hard, faults::flushing) != wanted;
    }
    assert!(differed, "the calls are never taken");
}

/// Inputs with the first ones of every lane given.
fn first(words: &[u32]) -> Vec<u32> {
    let mut inputs = vec![0x3f80_0000; (LANES * INPUTS) as usize];
    for lane in inputs.chunks_mut(INPUTS as usize) {
        lane[..words.len()].copy_from_slice(words);
    }
    inputs
}

/// The error of a product whose last place is 2^-128, and the least difference of two floats.
#[test]
fn a_bound_that_is_too_low_is_seen() {
    let product = module(|body| {
        let (a, b) = (body.input(0), body.input(1));
        let high = body.call(Carried::Mul, &[a, b]);
        let low = body.call(Carried::Fma, &[a, b, body.negative(high)]);
        body.output(0, high);
        body.output(1, low);
    });
    let sum = module(|body| {
        let (a, b) = (body.input(0), body.input(1));
        let difference = body.call(Carried::Add, &[a, body.negative(b)]);
        let again = body.call(Carried::Add, &[difference, a]);
        body.output(0, difference);
        body.output(1, again);
    });
    let float = |exponent: i32, fraction: u32| (((exponent + 127) as u32) << 23) | fraction;
    for (before, least) in [(product, MULTIPLICAND), (sum, ADDEND)] {
        let after = discharged(&before);
        assert_eq!(count(&after, &before.1), 1);
        let low = replaced(&after, bound(least), bound(least - 1));
        let whole = checked(before.0);
        for exponent in [least, least - 1] {
            let other = if least == ADDEND { 0 } else { 1 };
            let inputs = first(&[float(exponent, 1), float(exponent, other)]);
            let wanted = outputs(&whole, &inputs, exact);
            assert!(outputs(&after, &inputs, faults::flushing) == wanted);
            let seen = outputs(&low, &inputs, faults::flushing) != wanted;
            assert_eq!(seen, exponent < least, "2^{exponent}");
        }
    }
}

/// What a fused sum leaves of a product, given what it rounds to.
#[test]
fn a_bound_of_a_part_that_is_too_low_is_seen() {
    let before = module(|body| {
        let (a, b, c) = (body.input(0), body.input(1), body.input(2));
        body.output(0, body.call(Carried::Mul, &[a, a]));
        let rest = body.call(Carried::Fma, &[a, b, c]);
        let square = body.call(Carried::Mul, &[a, a]);
        body.output(1, body.call(Carried::Add, &[rest, square]));
        body.output(2, rest);
    });
    let after = discharged_in_parts(&before, Fallback::Guarded);
    let whole = checked(before.0);
    let float = |exponent: i32, fraction: u32| (((exponent + 127) as u32) << 23) | fraction;
    for part in 0..2 {
        let low = replaced(&after, bound(PARTS[part]), bound(PARTS[part] - 1));
        for below in 0..2 {
            let mut exponents = PARTS;
            exponents[part] -= below;
            let [a, b] = exponents;
            let rounded = float(a + b, 2) | SIGN;
            let inputs = first(&[float(a, 1), float(b, 1), rounded]);
            let wanted = outputs(&whole, &inputs, exact);
            assert!(outputs(&after, &inputs, faults::flushing) == wanted);
            let seen = outputs(&low, &inputs, faults::flushing) != wanted;
            assert_eq!(seen, below == 1, "{exponents:?}");
        }
    }
}
