//! Each software operation against the meaning of the scalar operation it carries.

use std::cell::RefCell;

use super::*;
use crate::artifact::UniformLayout;
use crate::device::ir::Module;
use crate::eval::device::Caller;
use crate::eval::scalar;
use crate::ir::build::Builder;
use crate::ir::op::ScalarOp;

/// Bits that special cases, carries and roundings turn on.
pub(crate) const EDGES: &[u32] = &[
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x0000_0002,
    0x0000_0003,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x0c00_0000,
    0x1f80_0000,
    0x2000_0001,
    0x3300_0000,
    0x3300_0001,
    0x3380_0000,
    0x3400_0000,
    0x3780_0000,
    0x3880_0000,
    0x387f_ffff,
    0x3eff_ffff,
    0x3f00_0000,
    0x3f00_0001,
    0x3f7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3fc0_0000,
    0x4000_0000,
    0x4020_0000,
    0x4060_0000,
    0xc020_0000,
    0x4080_0000,
    0x477f_efff,
    0x477f_f000,
    0x4780_0000,
    0x4aff_ffff,
    0x4b00_0000,
    0x4b7f_ffff,
    0x4b80_0000,
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x4f7f_ffff,
    0x4f80_0000,
    0xcf7f_ffff,
    0x5f00_0001,
    0x66ff_ffff,
    0x7e80_0000,
    0x7f00_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7f80_0001,
    0x7fc0_0000,
    0xffc0_0000,
    0xffff_ffff,
];

struct Bench {
    caller: Caller,
    ids: BTreeMap<Soft, FuncId>,
    state: u64,
}

impl Bench {
    fn new() -> Bench {
        let builder = RefCell::new(Builder::new());
        let library = Library::new(&builder);
        let ids = Soft::ALL
            .iter()
            .map(|&soft| (soft, library.id(soft)))
            .collect();
        let functions = library.finish();
        let (values, body) = builder.into_inner().finish(Vec::new());
        let module = Module {
            name: "soft".into(),
            profile: "none",
            buffers: Vec::new(),
            uniforms: UniformLayout {
                spans: 0,
                uniforms: 0,
            },
            workgroup: Vec::new(),
            private: Vec::new(),
            register_bytes: 0,
            size: 1,
            covers: 1,
            values,
            functions,
            body,
            software: Vec::new(),
            barriers: 0,
        };
        let mut module = module;
        for info in &mut module.values {
            info.scope = crate::ir::entity::Scope::Lane;
        }
        crate::verify::device::check(&module).expect("the library is well formed");
        Bench {
            caller: Caller::new(&module),
            ids,
            state: 42,
        }
    }

    fn random(&mut self) -> u32 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let word = (self.state >> 32) as u32;
        // Half of the time near 1, so that operands meet.
        if self.state & (1 << 20) == 0 {
            word
        } else {
            (word & 0x83ff_ffff) | 0x3c00_0000
        }
    }

    fn check(&mut self, soft: Soft, op: ScalarOp, args: &[u32]) {
        let given = self.caller.call(self.ids[&soft], args);
        let wanted = scalar::apply(op, args);
        assert_eq!(
            given,
            wanted,
            "{} of {args:08x?}: {given:08x}, not {wanted:08x}",
            op.name()
        );
    }
}

/// How many random operands, in thousands; more where optimised.
fn thousands(n: u32) -> u32 {
    if cfg!(debug_assertions) {
        n * 1000
    } else {
        n * 50_000
    }
}

fn unary(soft: Soft, op: ScalarOp) {
    let mut bench = Bench::new();
    for &a in EDGES {
        for near in [a.wrapping_sub(1), a, a.wrapping_add(1), !a] {
            bench.check(soft, op, &[near]);
        }
    }
    for _ in 0..thousands(10) {
        let a = bench.random();
        bench.check(soft, op, &[a]);
    }
}

fn binary(soft: Soft, op: ScalarOp) {
    let mut bench = Bench::new();
    for &a in EDGES {
        for &b in EDGES {
            bench.check(soft, op, &[a, b]);
            bench.check(soft, op, &[a, a ^ 1]);
        }
    }
    for _ in 0..thousands(10) {
        let (a, b) = (bench.random(), bench.random());
        bench.check(soft, op, &[a, b]);
    }
}

#[test]
fn sums_are_exact() {
    binary(Soft::Add, ScalarOp::F32Add);
}

#[test]
fn products_are_exact() {
    binary(Soft::Mul, ScalarOp::F32Mul);
}

#[test]
fn quotients_are_exact() {
    binary(Soft::Div, ScalarOp::F32Div);
    // Every mantissa class of the divisor that the reciprocal sees, at both ends of it.
    let mut bench = Bench::new();
    for top in (0..1 << 15).step_by(if cfg!(debug_assertions) { 61 } else { 1 }) {
        for low in [0, 1, 0xff] {
            let divisor = 0x3f80_0000 | (top << 8) | low;
            for dividend in [0x3f80_0000, 0x3fff_ffff, divisor, divisor ^ 1] {
                bench.check(Soft::Div, ScalarOp::F32Div, &[dividend, divisor]);
            }
        }
    }
}

#[test]
fn roots_are_exact() {
    unary(Soft::Sqrt, ScalarOp::F32Sqrt);
    let mut bench = Bench::new();
    let step = if cfg!(debug_assertions) { 4099 } else { 1 };
    for a in (0x3f80_0000..0x4080_0000).step_by(step) {
        bench.check(Soft::Sqrt, ScalarOp::F32Sqrt, &[a]);
    }
    // Squares and their neighbours, where the remainder is 0 or as near to it as it gets.
    for n in (1u32..4096).step_by(7) {
        let square = ((n * n) as f32).to_bits();
        for a in [square - 1, square, square + 1] {
            bench.check(Soft::Sqrt, ScalarOp::F32Sqrt, &[a]);
        }
    }
}

#[test]
fn fused_sums_are_exact() {
    let mut bench = Bench::new();
    let few: Vec<u32> = EDGES.iter().copied().step_by(4).collect();
    for &a in &few {
        for &b in EDGES {
            for &c in &few {
                bench.check(Soft::Fma, ScalarOp::F32Fma, &[a, b, c]);
            }
        }
    }
    for _ in 0..thousands(10) {
        let (a, b) = (bench.random(), bench.random());
        // The third operand near the product's size, so that they cancel.
        let product = (f32::from_bits(a) * f32::from_bits(b)).to_bits();
        let scale = (bench.random() % 60) << 23;
        let near = product ^ 0x8000_0000 ^ (bench.random() & 3);
        for c in [
            bench.random(),
            near,
            product.wrapping_sub(scale),
            near.wrapping_add(scale),
        ] {
            bench.check(Soft::Fma, ScalarOp::F32Fma, &[a, b, c]);
        }
    }
}

#[test]
fn comparisons_agree() {
    binary(Soft::Eq, ScalarOp::F32Eq);
    binary(Soft::Lt, ScalarOp::F32Lt);
    binary(Soft::Le, ScalarOp::F32Le);
    binary(Soft::Min, ScalarOp::F32Min);
    binary(Soft::Max, ScalarOp::F32Max);
}

#[test]
fn roundings_agree() {
    unary(Soft::Floor, ScalarOp::F32Floor);
    unary(Soft::Ceil, ScalarOp::F32Ceil);
    unary(Soft::Trunc, ScalarOp::F32Trunc);
    unary(Soft::Round, ScalarOp::F32Round);
}

#[test]
fn conversions_agree() {
    unary(Soft::FromI32, ScalarOp::F32FromI32);
    unary(Soft::FromU32, ScalarOp::F32FromU32);
    unary(Soft::ToF16, ScalarOp::F32ToF16);
    unary(Soft::ToBf16, ScalarOp::F32ToBf16);
    unary(Soft::Wrap, ScalarOp::U32WrapF32);
    unary(Soft::SaturateU32, ScalarOp::U32SaturateF32);
    unary(Soft::SaturateI32, ScalarOp::I32SaturateF32);
    let mut bench = Bench::new();
    for h in 0..=0xffff {
        bench.check(Soft::FromF16, ScalarOp::F32FromF16, &[h]);
    }
}
