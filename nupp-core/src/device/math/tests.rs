//! Functions as built for each profile against their meaning, and how large their text is.

use super::*;
use crate::artifact::UniformLayout;
use crate::device::ir::Module;
use crate::device::pass::discharge_guards::tests::slow_sides;
use crate::device::pass::discharge_guards::{Fallback, discharge_guards};
use crate::device::soft::tests::EDGES;
use crate::eval::device::Caller;
use crate::ir::build::Builder;
use crate::ir::entity::Scope;

/// Every profile, and one that trusts a fused multiply-add.
fn profiles() -> Vec<Profile> {
    let fused = Profile {
        name: "fused",
        fma: Route::Opaque,
        ..Profile::CONSERVATIVE
    };
    Profile::ALL.iter().copied().chain([fused]).collect()
}

fn module(profile: &Profile, function: Function) -> (Module, FuncId) {
    let (module, id, _) = module_and_guards(profile, function);
    (module, id)
}

type Guards = Vec<(FuncId, Carried)>;

fn module_and_guards(profile: &Profile, function: Function) -> (Module, FuncId, Guards) {
    let builder = RefCell::new(Builder::new());
    let library = Library::new(&builder);
    let id = id(&library, profile, function);
    let carried = library.carried();
    let functions = library.finish();
    let (values, body) = builder.into_inner().finish(Vec::new());
    let mut module = Module {
        name: "math".into(),
        profile: profile.name,
        buffers: Vec::new(),
        uniforms: UniformLayout {
            spans: 0,
            uniforms: 0,
        },
        workgroup: Vec::new(),
        private: Vec::new(),
        size: 1,
        covers: 1,
        values,
        functions,
        body,
        software: Vec::new(),
        barriers: 0,
        register_bytes: 0,
    };
    discharge_guards(&mut module, &carried, Fallback::of(profile));
    for info in &mut module.values {
        info.scope = Scope::Lane;
    }
    crate::verify::device::check(&module).expect("what is built is well formed");
    (module, id, carried)
}

#[test]
fn device_math_gives_the_values_of_the_function() {
    for profile in profiles() {
        for &function in Function::ALL {
            let (module, id) = module(&profile, function);
            // What is guarded may run where subnormals are flushed.
            let mut caller = match profile.add {
                Route::Guarded => Caller::by(&module, crate::eval::device::faults::flushing),
                Route::Opaque | Route::Refined | Route::Software => Caller::new(&module),
            };
            let mut check = |input: u32| {
                // A second argument near the first, where there is one.
                let second = input.rotate_left(3) ^ input;
                let mut args = vec![input, second, 0, 0];
                args.drain(function.arity()..2);
                let given = caller.call(id, &args);
                let wanted = function.apply([input, second]);
                assert_eq!(
                    given, wanted,
                    "{function:?} of {input:#010x} in {}: {given:#010x}, not {wanted:#010x}",
                    profile.name
                );
            };
            // Where every operation is a call, the interpreter is slow.
            let slow = profile.add == Route::Software;
            let (step, count) = if slow { (9, 40) } else { (1, 400) };
            let exceptions = function.exceptions().iter().map(|&(input, _)| input);
            for input in exceptions.chain(EDGES.iter().copied()).step_by(step) {
                for near in [input.wrapping_sub(1), input, input.wrapping_add(1)] {
                    check(near);
                }
            }
            let mut state = 7_u32;
            for n in 0..count {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // Half of them where the function is neither 0 nor 1 nor infinite.
                let near = (state & 0x83ff_ffff) | 0x3e00_0000 | (state >> 2 & 0x0080_0000);
                check(if n % 2 == 0 { state } else { near });
            }
        }
    }
}

/// Instructions that drivers compile for one call, functions counted where they are called.
fn size(module: &Module, function: usize) -> usize {
    use crate::device::ir::{DeviceLeaf, DeviceRegion};
    use crate::ir::flow::Op;
    fn region(module: &Module, inside: &DeviceRegion) -> usize {
        let each = inside.insts.iter().map(|inst| match &inst.op {
            Op::Const(_) => 0,
            Op::Leaf(DeviceLeaf::Call { func, .. }) => size(module, func.index()),
            Op::Scalar(..) | Op::Leaf(_) => 1,
            Op::If { then, els, .. } => 1 + region(module, then) + region(module, els),
            Op::Loop(inner) => region(module, &inner.body),
        });
        each.sum()
    }
    region(module, &module.functions[function].body)
}

#[test]
fn device_math_stays_small() {
    let fused = *profiles().last().expect("the one that trusts everything");
    for &function in Function::ALL {
        let sizes = [fused, Profile::CONSERVATIVE, Profile::INTEGER].map(|profile| {
            let (module, id) = module(&profile, function);
            size(&module, id.index())
        });
        println!("{function:?}: {sizes:?}");
        let most = [1500, 2400, 30_000];
        assert!(
            sizes.iter().zip(most).all(|(&size, most)| size < most),
            "{function:?}: {sizes:?}"
        );
    }
}

/// The usual arguments of a function pass its guards: what stands behind them is made wrong here.
#[test]
fn usual_arguments_pass_the_guards() {
    for &function in Function::ALL {
        let (mut module, id, carried) = module_and_guards(&Profile::FUSED, function);
        let mut sides = 0;
        for function in &mut module.functions {
            let wrong = function.params[0];
            sides += slow_sides(&mut function.body, &carried, &mut |side| {
                side.yields.fill(wrong);
            });
        }
        let mut caller = Caller::by(&module, crate::eval::device::faults::flushing);
        let (mut wrong, count) = (0, 300);
        let mut state = 7_u32;
        for _ in 0..count {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let near = (state & 0x83ff_ffff) | 0x3e00_0000 | (state >> 2 & 0x0080_0000);
            let near = if function.name().contains("log") || function.arity() == 2 {
                near & MAG
            } else {
                near
            };
            let mut args = vec![near, near ^ 0x55, 0, 0];
            args.drain(function.arity()..2);
            wrong += u32::from(caller.call(id, &args) != function.apply([near, near ^ 0x55]));
        }
        println!("{function:?}: {sides} branches, {wrong} of {count} arguments take one");
        // A power keeps parts of numbers so low that some fail a guard.
        let most = if function.arity() == 2 { 5 } else { 20 };
        assert!(
            sides > 0 && wrong * most < count,
            "{function:?}: {sides}, {wrong}"
        );
    }
}
