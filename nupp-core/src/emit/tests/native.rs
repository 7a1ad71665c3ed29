//! Modules for drivers that get them as they are: what each option declares, that every judge of such
//! modules accepts it, and that it changes nothing of what a lane computes.

use super::run::{self, Machine};
use super::samples::{self, flow, memory};
use super::{CANONICAL, outputs};
use crate::device::ir::Module;
use crate::device::lower_device;
use crate::device::profile::Profile;
use crate::emit::spirv::{self, Options};
use crate::ir::flow::{LoopKind, Termination};
use crate::ir::op::ScalarOp;
use crate::verify;
use nupp_validators::assert_native_spirv;

const NOTHING: Options = Options {
    no_contraction: false,
    ..CANONICAL
};
const EVERYTHING: Options = Options {
    no_contraction: true,
    rounding_rte_32: true,
    signed_zero_inf_nan_preserve_32: true,
    denorm_preserve_32: true,
    bound_loops: true,
    cut_chains: true,
};

/// Options, and the capability and the execution mode that belong to them.
fn modes() -> [(Options, u32, u32); 3] {
    let rounding = Options {
        rounding_rte_32: true,
        ..CANONICAL
    };
    let special = Options {
        signed_zero_inf_nan_preserve_32: true,
        ..CANONICAL
    };
    let subnormal = Options {
        denorm_preserve_32: true,
        ..CANONICAL
    };
    [
        (rounding, 4467, 4462),
        (special, 4466, 4461),
        (subnormal, 4464, 4459),
    ]
}

/// Nothing, each option alone, and all of them.
fn all_options() -> Vec<Options> {
    let bounded = Options {
        bound_loops: true,
        ..NOTHING
    };
    let mut all = vec![NOTHING, CANONICAL, bounded, EVERYTHING];
    all.extend(modes().map(|(options, ..)| options));
    all
}

/// Modules written by hand, with an input, and what they write for it where one lane says all.
fn by_hand() -> Vec<(Module, Vec<u32>, Vec<u32>)> {
    let bounds: Vec<u32> = (flow::BOUNDS.iter())
        .flat_map(|&(_, lo, hi)| [lo, hi])
        .collect();
    let operands = [0x3fc0_0000, 0x8040_0000, 7];
    let operations = samples::expected_operations(operands);
    vec![
        (
            samples::operations_of_memory(),
            operands.to_vec(),
            operations.clone(),
        ),
        (
            samples::operations_of_constants(operands),
            operands.to_vec(),
            operations,
        ),
        (
            flow::counted(false),
            bounds.clone(),
            flow::expected_counted(),
        ),
        (flow::counted(true), bounds, flow::expected_counted()),
        (flow::flow(), vec![7, 10], flow::expected_flow(7, 10)),
        (memory::functions(), vec![6], vec![42]),
        (memory::private_arrays(), vec![0], vec![56, 56, 56]),
        (memory::barriers(), Vec::new(), Vec::new()),
    ]
}

#[test]
fn modules_by_hand_pass_with_every_option() {
    for (module, input, expected) in by_hand() {
        for options in all_options() {
            let words = spirv::emit_module(&module, &options);
            assert_native_spirv(&format!("{}, {options:?}", module.name), &words);
            if expected.is_empty() {
                continue;
            }
            let got = outputs(&mut Machine::new(&words), &module, &input, expected.len());
            assert_eq!(got, expected, "{}, {options:?}", module.name);
        }
    }
}

#[test]
fn lowered_kernels_pass_with_nothing_and_with_everything() {
    let functions = crate::math::Function::ALL.iter();
    let functions = functions.map(|&function| crate::ir::samples::function_map(function));
    let kernels = [crate::ir::samples::map(), crate::ir::samples::groups()];
    for kernel in kernels.into_iter().chain(functions) {
        for profile in Profile::ALL {
            let kernel = verify::source::verify(kernel.clone()).expect("a right kernel");
            let module = lower_device::lower(&kernel, profile).expect("a module");
            for options in [NOTHING, EVERYTHING] {
                let words = spirv::emit_module(&module, &options);
                assert_native_spirv(&format!("{}, {options:?}", module.name), &words);
            }
        }
    }
}

/// The operands of every instruction with this number.
fn operands(words: &[u32], opcode: u32) -> Vec<Vec<u32>> {
    let list = run::instructions(words).into_iter();
    let list = list.filter(|inst| inst.opcode == opcode);
    list.map(|inst| inst.operands).collect()
}

/// The instructions of all functions.
fn code(words: &[u32]) -> Vec<(u32, Vec<u32>)> {
    let list = run::instructions(words).into_iter();
    let list = list.skip_while(|inst| inst.opcode != 54);
    list.map(|inst| (inst.opcode, inst.operands)).collect()
}

#[test]
fn a_mode_is_declared_where_it_is_asked_for_and_nowhere_else() {
    let module = samples::operations_of_memory();
    let canonical = spirv::emit_module(&module, &CANONICAL);
    assert_eq!(operands(&canonical, 10).len(), 0, "no extension");
    assert_eq!(operands(&canonical, 17), [[1]], "Shader alone");
    assert_eq!(operands(&canonical, 16).len(), 1, "the workgroup's size");
    for (options, capability, mode) in modes() {
        let words = spirv::emit_module(&module, &options);
        assert_eq!(operands(&words, 17), [[1], [capability]]);
        let modes = operands(&words, 16);
        assert_eq!(modes.len(), 2);
        assert_eq!(modes[1][1..], [mode, 32]);
        let extensions = operands(&words, 10);
        let name: Vec<u8> = (extensions[0].iter())
            .flat_map(|word| word.to_le_bytes())
            .collect();
        assert_eq!(extensions.len(), 1);
        assert_eq!(name, b"SPV_KHR_float_controls\0\0");
        assert_eq!(code(&words), code(&canonical));
    }
    let words = spirv::emit_module(&module, &EVERYTHING);
    assert_eq!(operands(&words, 17).len(), 4);
    assert_eq!(operands(&words, 16).len(), 4);
    assert_eq!(operands(&words, 10).len(), 1);
}

#[test]
fn decorations_are_dropped_where_contraction_is_wanted() {
    let module = samples::operations_of_memory();
    let exact = |options: &Options| {
        let decorations = operands(&spirv::emit_module(&module, options), 71);
        let exact = decorations.iter().filter(|operands| operands[1] == 42);
        exact.count()
    };
    assert_eq!(exact(&CANONICAL), 6);
    assert_eq!(exact(&EVERYTHING), 6);
    assert_eq!(exact(&NOTHING), 0);
    let words = spirv::emit_module(&module, &NOTHING);
    assert_eq!(code(&words), code(&spirv::emit_module(&module, &CANONICAL)));
}

/// Counts to a word of the input by ones, in a loop that nothing says the end of.
fn unproved() -> Module {
    let mut b = samples::Build::new();
    let limit = samples::input(&mut b, 0);
    let (zero, one) = (b.u32(0), b.u32(1));
    let params = b.loop_params(&[zero]);
    b.open();
    let more = b.scalar(ScalarOp::U32Lt, &[params[0], limit]);
    let cond = b.close(vec![more]);
    b.open();
    let next = b.scalar(ScalarOp::U32Add, &[params[0], one]);
    let body = b.close(vec![next]);
    let class = Termination::Unproved;
    let kind = LoopKind::While { cond, class };
    let turns = b.loop_(kind, params, vec![zero], body, false)[0];
    samples::output(&mut b, 0, turns);
    samples::module("unproved", b.finish(Vec::new()))
}

/// The id of a uint32 constant.
fn constant(words: &[u32], value: u32) -> u32 {
    let mut constants = operands(words, 43).into_iter();
    let constant = constants.find(|operands| operands[2] == value);
    constant.expect("a constant of this value")[1]
}

/// Where the start of the counter is stored: the low word's store, then the high word's.
fn starts(words: &[u32]) -> Vec<usize> {
    let most = constant(words, u32::MAX);
    let mut at = 5;
    let mut starts = Vec::new();
    while at < words.len() {
        if words[at] & 0xffff == 62 && words[at + 2] == most {
            starts.push(at + 2);
        }
        at += (words[at] >> 16) as usize;
    }
    starts
}

#[test]
fn a_bounded_loop_leaves_when_its_turns_are_spent() {
    let module = unproved();
    let bounded = Options {
        bound_loops: true,
        ..CANONICAL
    };
    let mut words = spirv::emit_module(&module, &bounded);
    assert_native_spirv("unproved", &words);
    let run = |words: &[u32]| outputs(&mut Machine::new(words), &module, &[1000], 1);
    assert_eq!(run(&words), [1000]);
    let [low, high] = starts(&words)[..] else {
        panic!("a counter has two words")
    };
    // 2^64 turns are not to be waited for; 31 are.
    for (turns, expected) in [(31, 31), (1, 1), (0, 0)] {
        words[low] = constant(&words, turns);
        words[high] = constant(&words, 0);
        assert_eq!(run(&words), [expected]);
    }
    assert!(starts(&words).is_empty());
}
