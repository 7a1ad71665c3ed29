//! Functions as built for each profile against their meaning, and how large their text is.

use super::*;
use crate::artifact::UniformLayout;
use crate::device::ir::Module;
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
    let builder = RefCell::new(Builder::new());
    let library = Library::new(&builder);
    let id = id(&library, profile, function);
    let functions = library.finish();
    let (mut values, body) = builder.into_inner().finish(Vec::new());
    for info in &mut values {
        info.scope = Scope::Lane;
    }
    let module = Module {
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
    crate::verify::device::check(&module).expect("what is built is well formed");
    (module, id)
}

#[test]
fn device_math_gives_the_values_of_the_function() {
    for profile in profiles() {
        for &function in Function::ALL {
            let (module, id) = module(&profile, function);
            let mut caller = Caller::new(&module);
            let mut check = |input: u32| {
                let given = caller.call(id, &[input, 0, 0]);
                let wanted = function.apply(input);
                assert_eq!(
                    given, wanted,
                    "{function:?} of {input:#010x} in {}: {given:#010x}, not {wanted:#010x}",
                    profile.name
                );
            };
            let exceptions = function.exceptions().iter().map(|&(input, _)| input);
            for input in exceptions.chain(EDGES.iter().copied()) {
                for near in [input.wrapping_sub(1), input, input.wrapping_add(1)] {
                    check(near);
                }
            }
            let mut state = 7_u32;
            for n in 0..2000 {
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
    let exp = |profile: &Profile| {
        let (module, id) = module(profile, Function::Exp);
        size(&module, id.index())
    };
    let [conservative, integer, fused] = profiles().try_into().expect("three");
    let sizes = [exp(&fused), exp(&conservative), exp(&integer)];
    let most = [500, 800, 11_000];
    assert!(
        sizes.iter().zip(most).all(|(&size, most)| size < most),
        "{sizes:?}"
    );
}
