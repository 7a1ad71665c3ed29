//! Tests of the printers of Device IR.
//!
//! Every sample passes every judge in both languages. What one lane computes is followed through
//! the words themselves, of the SPIR-V printer and of what naga makes of the WGSL, and compared
//! with the meaning of each operation and with loops written in Rust.

use super::{spirv, wgsl};
use crate::device::ir::Module;
use crate::device::lower_device;
use crate::device::profile::Profile;
use crate::eval::scalar::canonical;
use crate::ir::entity::Scalar;
use crate::limits::{DEVICE_NESTING, MAX_NESTING};
use crate::verify;
use expect_test::expect;
use nupp_validators::{assert_spirv, assert_wgsl, wgsl_to_spirv};
use run::Machine;
use samples::{flow, memory};
use spirv::Options;

mod chain;
mod native;
mod run;
mod samples;

/// How the embedded module is printed.
const CANONICAL: Options = Options::CANONICAL;

/// Operands that are special to some operation, as integers or as floats.
const EDGES: &[u32] = &[
    0,
    1,
    2,
    31,
    32,
    33,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0xffff_fffe,
    0x3f80_0000,
    0xc0a0_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7fc0_0000,
    0xff80_0001,
    0x0040_0000,
    0x1234_5678,
    0x9abc_def0,
];

/// Passes a module to all judges, the verifier first.
fn validate(module: &Module) {
    verify::device::check(module).unwrap_or_else(|fault| panic!("{}: {fault}", module.name));
    assert_spirv(&module.name, &spirv::emit_module(module, &CANONICAL));
    assert_wgsl(&module.name, &wgsl::emit_module(module));
}

/// The module as both routes make it, ready to run.
fn machines(module: &Module) -> [(&'static str, Machine); 2] {
    let text = wgsl::emit_module(module);
    let through_naga = wgsl_to_spirv(&text).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    [
        (
            "spirv",
            Machine::new(&spirv::emit_module(module, &CANONICAL)),
        ),
        ("wgsl", Machine::new(&through_naga)),
    ]
}

/// What one lane writes for an input.
fn outputs(machine: &mut Machine, module: &Module, input: &[u32], len: usize) -> Vec<u32> {
    let uniforms = vec![0; module.uniforms.words() as usize];
    let mut buffers = vec![input.to_vec(), vec![0xaaaa_aaaa; len], uniforms];
    machine.run(&mut buffers);
    buffers.swap_remove(1)
}

fn check(module: &Module, input: &[u32], expected: &[u32]) {
    for (route, mut machine) in machines(module) {
        let got = outputs(&mut machine, module, input, expected.len());
        assert_eq!(got, expected, "{} by {route}", module.name);
    }
}

/// A NaN that arithmetic made may have any payload; what was moved may not.
fn comparable(words: Vec<u32>) -> Vec<u32> {
    let arithmetic = |op: &crate::ir::op::ScalarOp| {
        op.result() == Scalar::F32 && op.args().contains(&Scalar::F32)
    };
    (samples::operations().iter().zip(words))
        .map(|(op, word)| {
            if arithmetic(op) {
                canonical(word)
            } else {
                word
            }
        })
        .collect()
}

fn check_operations(machine: &mut Machine, route: &str, module: &Module, operands: [u32; 3]) {
    let expected = samples::expected_operations(operands);
    let got = comparable(outputs(machine, module, &operands, expected.len()));
    for ((op, got), expected) in samples::operations().iter().zip(got).zip(expected) {
        assert_eq!(
            got,
            expected,
            "{} of {operands:x?} by {route}: {got:#x} for {expected:#x}",
            op.name()
        );
    }
}

#[test]
fn every_operation_means_what_the_table_says() {
    let module = samples::operations_of_memory();
    validate(&module);
    for (route, mut machine) in machines(&module) {
        for (i, &a) in EDGES.iter().enumerate() {
            for (j, &b) in EDGES.iter().enumerate() {
                let c = EDGES[(i * 7 + j * 3) % EDGES.len()];
                check_operations(&mut machine, route, &module, [a, b, c]);
            }
        }
    }
}

#[test]
fn operations_of_constants_are_never_refused() {
    for operands in [
        [0, 0, 0],
        [0xffff_ffff, 0xffff_ffff, 0xffff_ffff],
        [0x8000_0000, 0xffff_ffff, 0x7fff_ffff],
        [0x7fff_ffff, 32, 0x8000_0000],
        [0x7fc0_0001, 0x7f80_0000, 0xff80_0000],
        [0x7f7f_ffff, 0x7f7f_ffff, 1],
        [1, 0x8000_0000, 33],
    ] {
        let module = samples::operations_of_constants(operands);
        validate(&module);
        for (route, mut machine) in machines(&module) {
            check_operations(&mut machine, route, &module, operands);
        }
    }
}

#[test]
fn constant_operands_lose_only_needless_guards() {
    for &a in EDGES {
        for &b in EDGES {
            let module = samples::operations_of_constants([a, b, a]);
            let mut machine = Machine::new(&spirv::emit_module(&module, &CANONICAL));
            check_operations(&mut machine, "spirv", &module, [a, b, a]);
        }
    }
}

#[test]
fn counted_loops_reach_the_ends_of_their_types() {
    let words: Vec<u32> = flow::BOUNDS
        .iter()
        .flat_map(|&(_, lo, hi)| [lo, hi])
        .collect();
    for constant in [false, true] {
        let module = flow::counted(constant);
        validate(&module);
        check(&module, &words, &flow::expected_counted());
    }
}

#[test]
fn loops_and_conditions_nest() {
    let module = flow::flow();
    validate(&module);
    for (turns, limit) in [(0, 0), (1, 5), (7, 10), (12, 1000), (9, 1)] {
        let expected = flow::expected_flow(turns, limit);
        check(&module, &[turns, limit], &expected);
    }
}

#[test]
fn functions_call_each_other() {
    let module = memory::functions();
    validate(&module);
    check(&module, &[6], &[42]);
    check(&module, &[u32::MAX], &[0.5f32.to_bits()]);
}

#[test]
fn private_arrays_hold_what_was_written() {
    let module = memory::private_arrays();
    validate(&module);
    let sum = (0..8).map(|k| k * (7 - k)).sum();
    check(&module, &[0], &[sum, sum, sum]);
}

#[test]
fn barriers_stay_in_uniform_flow() {
    validate(&memory::barriers());
}

#[test]
fn lowered_kernels_pass_every_judge() {
    let functions = crate::math::Function::ALL.iter();
    let functions = functions.copied().map(crate::ir::samples::function_map);
    let kernels = [crate::ir::samples::map(), crate::ir::samples::groups()];
    for kernel in kernels.into_iter().chain(functions) {
        for profile in Profile::ALL {
            let kernel = verify::source::verify(kernel.clone()).expect("a right kernel");
            let module = lower_device::lower(&kernel, profile).expect("a module");
            validate(&module);
        }
    }
}

/// The greatest word stays, and each step gives what was there before it.
#[test]
fn atomic_steps_raise_a_word() {
    let module = memory::raised();
    validate(&module);
    for (route, mut machine) in machines(&module) {
        let uniforms = vec![0; module.uniforms.words() as usize];
        let input = vec![7, 3, 0x8000_0000, 9];
        let mut buffers = [input, vec![0; 4], vec![5, 5, 5], uniforms];
        machine.run(&mut buffers);
        assert_eq!(buffers[1], [5, 7, 7, 0x8000_0000], "{route}");
        assert_eq!(buffers[2], [5, 0x8000_0000, 5], "{route}");
    }
}

#[test]
fn checked_scatters_pass_every_judge() {
    for profile in Profile::ALL {
        let kernel = crate::ir::samples::more::scatter();
        let kernel = verify::source::verify(kernel).expect("a right kernel");
        let checks = crate::device::claims::Checks {
            scatter: true,
            loops: true,
        };
        let module = lower_device::lower_checked(&kernel, profile, checks).expect("a module");
        assert!(wgsl::emit_module(&module).contains("atomicMax(&b4["));
        validate(&module);
        let reader = crate::device::claims::reader().expect("a right kernel");
        validate(&lower_device::lower(&reader, profile).expect("a module"));
    }
}

#[test]
fn printing_is_deterministic() {
    let module = flow::flow();
    assert_eq!(
        spirv::emit_module(&module, &CANONICAL),
        spirv::emit_module(&module, &CANONICAL)
    );
    assert_eq!(wgsl::emit_module(&module), wgsl::emit_module(&module));
}

#[test]
fn nesting_to_the_limit_is_accepted() {
    let depth = MAX_NESTING + DEVICE_NESTING;
    for module in [
        flow::nested_conditions(depth),
        flow::nested_loops(depth / 2),
    ] {
        assert_eq!(module.body.nesting(), depth);
        validate(&module);
    }
}

#[test]
fn words_follow_the_rules_of_the_interface() {
    let words = spirv::emit_module(&samples::operations_of_memory(), &CANONICAL);
    let list = run::instructions(&words);
    let ids = |opcode: u32| list.iter().filter(move |inst| inst.opcode == opcode);
    let capabilities: Vec<u32> = ids(17).map(|inst| inst.operands[0]).collect();
    assert_eq!(capabilities, [1], "Shader alone");
    assert_eq!(words[1], 0x0001_0300, "SPIR-V 1.3");
    assert_eq!(ids(245).count(), 0, "no value joins paths");
    let exact: Vec<u32> = ids(71)
        .filter(|inst| inst.operands[1] == 42)
        .map(|inst| inst.operands[0])
        .collect();
    let arithmetic = list.iter().filter(|inst| match inst.opcode {
        129 | 131 | 133 | 136 => true,
        12 => matches!(inst.operands[3], 31 | 50),
        _ => false,
    });
    let arithmetic: Vec<u32> = arithmetic.map(|inst| inst.operands[1]).collect();
    assert_eq!(arithmetic.len(), 6);
    assert_eq!(
        exact, arithmetic,
        "each float result is decorated NoContraction"
    );
}

/// A driver that finds a uniform word at a constant place may compile for its value.
#[test]
fn no_uniform_word_is_at_a_constant_place() {
    let kernel = verify::source::verify(crate::ir::samples::map()).expect("a right kernel");
    let module = lower_device::lower(&kernel, &Profile::CONSERVATIVE).expect("a module");
    let words = spirv::emit_module(&module, &CANONICAL);
    let list = run::instructions(&words);
    let ids = |opcode: u32| list.iter().filter(move |inst| inst.opcode == opcode);
    let uniform = ids(59).find(|inst| inst.operands[2] == 2);
    let uniform = uniform.expect("the uniform block").operands[1];
    let constants: Vec<u32> = ids(43).map(|inst| inst.operands[1]).collect();
    let mut loads = 0;
    for chain in ids(65).filter(|inst| inst.operands[2] == uniform) {
        assert!(!constants.contains(&chain.operands[4]), "{chain:?}");
        loads += 1;
    }
    let text = wgsl::emit_module(&module);
    let reads = text.matches("words[").count();
    assert!(loads > 0 && reads == loads, "{loads} and {reads}\n{text}");
    assert_eq!(text.matches("u + group.z].").count(), loads);
}

#[test]
fn variables_stand_at_the_start_of_a_function() {
    let list = run::instructions(&spirv::emit_module(&flow::flow(), &CANONICAL));
    let start = list.iter().position(|inst| inst.opcode == 54);
    let body = &list[start.expect("a function")..];
    let last = body.iter().rposition(|inst| inst.opcode == 59);
    let last = last.expect("a variable");
    // The function, its label, and nothing but variables.
    assert!(body[2..=last].iter().all(|inst| inst.opcode == 59));
    assert!(last > 2);
}

#[test]
fn text_reads_as_it_is_meant() {
    let expected = expect![[r#"
        // an_excerpt, for the profile conservative.
        @group(0) @binding(0) var<storage, read> b0: array<u32>;
        @group(0) @binding(1) var<storage, read_write> b1: array<u32>;
        @group(0) @binding(2) var<uniform> words: array<vec4<u32>, 3>;

        @compute @workgroup_size(64)
        fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
          let v0: u32 = 0u;
          let v1: u32 = b0[v0];
          let v2: u32 = 1u;
          let v3: u32 = b0[v2];
          let v4: u32 = 1u;
          var k0: u32 = 0x3f000000u;
          let v5: f32 = bitcast<f32>(k0);
          var p6: f32 = v5;
          if (v4 <= v1) {
            var p7: u32 = v4;
            loop {
              let v7: u32 = p7;
              let v6: f32 = p6;
              let t0 = v3 == 0u;
              let v8: u32 = select(v7 / select(v3, 1u, t0), 0u, t0);
              let v9: f32 = f32(v8);
              let v10: f32 = v6 + v9;
              p6 = v10;
              if (v7 == v1) { break; }
              p7 = v7 + 1u;
            }
          }
          let v11: f32 = p6;
          let v12: bool = v1 < v3;
          var p15: f32;
          if (v12) {
            p15 = v11;
          } else {
            let v13: u32 = 2143289344u;
            let v14: f32 = bitcast<f32>(v13);
            p15 = v14;
          }
          let v15: f32 = p15;
          let v16: u32 = 0u;
          let v17: u32 = bitcast<u32>(v15);
          b1[v16] = v17;
        }
    "#]];
    expected.assert_eq(&wgsl::emit_module(&flow::excerpt()));
}
