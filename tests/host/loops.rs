//! Programs whose loops turn more often than some drivers let them: the bits of the CPU function where the
//! driver runs them to their ends, and an error told by whoever waits next where it does not. Mesa's
//! llvmpipe is such a driver, in each form of modules and through OpenGL.

use nupp::{Buffer, Context, ContextOptions, DeviceError, ModuleForm, OpenError, SyncError};

mod kernels;

use crate::{context, context_with};
use kernels::{few, many, nested, phased, single, spread, testing, uneven};

const LEN: usize = 70;

/// A context in each form that the device takes, one that submits every workgroup alone, and one that
/// trusts scatters.
fn contexts() -> Vec<Context> {
    let forms = ModuleForm::ALL.iter();
    let forms = forms.filter_map(|form| {
        let options = ContextOptions::new().form(*form);
        match Context::open_with(options.clone()) {
            Err(OpenError::NoNative { .. }) => None,
            _ => context_with(options),
        }
    });
    let others = [
        ContextOptions::new().workgroups_per_submit(1),
        ContextOptions::new().trust_asserted_scatter(),
    ];
    forms
        .chain(others.into_iter().filter_map(context_with))
        .collect()
}

/// Whether the driver is known to leave loops early.
fn leaves_early(context: &Context) -> bool {
    context.device().adapter.contains("llvmpipe")
}

/// Whether waiting for the device says that a loop of this kernel was left early, and nothing else.
fn told(kernel: &str, context: &Context) -> bool {
    let told = match context.synchronize_blocking() {
        Ok(()) => false,
        Err(SyncError::Device(DeviceError::Earlier { cause })) => match *cause {
            DeviceError::Loop { kernel: of } if of == kernel => true,
            other => panic!("{other}"),
        },
        Err(other) => panic!("{other}"),
    };
    assert_eq!(context.synchronize_blocking(), Ok(()), "nothing after it");
    told
}

/// Runs a kernel with turns that are few and turns that are many: the former give the CPU's bits
/// everywhere, the latter too or are told.
fn on_device(
    context: &Context,
    kernel: &str,
    output: &Buffer<u32>,
    dispatch: impl Fn(bool),
    on_cpu: impl Fn(bool) -> Vec<u32>,
) {
    // Many in the middle: what is told speaks of one dispatch, and the next one is right.
    for long in [false, true, false] {
        dispatch(long);
        let told = told(kernel, context);
        assert_eq!(told, long && leaves_early(context), "`{kernel}`, {long}");
        if !told {
            let found = context.download_blocking(output).unwrap();
            assert_eq!(found, on_cpu(long), "`{kernel}`, {long}");
        }
    }
}

fn on_cpu(run: impl FnOnce(&mut [u32])) -> Vec<u32> {
    let mut output = vec![0; LEN];
    run(&mut output);
    output
}

#[test]
fn one_loop_runs_to_its_end_or_is_told() {
    for context in contexts() {
        let output = context.buffer::<u32>(LEN).unwrap();
        let kernel = single::compile(&context).unwrap();
        assert_eq!(kernel.raw().checks_loops(), leaves_early(&context));
        let binding = kernel.bind(&output).unwrap();
        let turns = |long| if long { 65_537 } else { 65_520 };
        on_device(
            &context,
            "single",
            &output,
            |long| binding.dispatch(turns(long)).unwrap(),
            |long| on_cpu(|output| single(output, turns(long)).unwrap()),
        );
    }
}

#[test]
fn nested_loops_count_together() {
    for context in contexts() {
        let output = context.buffer::<u32>(LEN).unwrap();
        let binding = nested::compile(&context).unwrap().bind(&output).unwrap();
        let turns = |long| if long { 256 } else { 250 };
        on_device(
            &context,
            "nested",
            &output,
            |long| binding.dispatch(turns(long), turns(long)).unwrap(),
            |long| on_cpu(|output| nested(output, turns(long), turns(long)).unwrap()),
        );
    }
}

#[test]
fn a_loop_that_tests_runs_to_its_end_or_is_told() {
    for context in contexts() {
        let output = context.buffer::<u32>(LEN).unwrap();
        let binding = testing::compile(&context).unwrap().bind(&output).unwrap();
        let turns = |long| if long { 100_000 } else { 60_000 };
        on_device(
            &context,
            "testing",
            &output,
            |long| binding.dispatch(turns(long)).unwrap(),
            |long| on_cpu(|output| testing(output, turns(long)).unwrap()),
        );
    }
}

#[test]
fn a_loop_of_phases_runs_to_its_end_or_is_told() {
    let values = crate::numbers(LEN);
    for context in contexts() {
        let output = context.buffer::<u32>(LEN).unwrap();
        let source = context.buffer::<u32>(LEN).unwrap();
        context.upload(&source, &values).unwrap();
        let kernel = phased::compile(&context).unwrap();
        let binding = kernel.bind(&output, &source).unwrap();
        let turns = |long| if long { 65_600 } else { 300 };
        on_device(
            &context,
            "phased",
            &output,
            |long| binding.dispatch(turns(long)).unwrap(),
            |long| on_cpu(|output| phased(output, &values, turns(long)).unwrap()),
        );
    }
}

/// Some lanes of a group leave its loop of phases early and others do not.
#[test]
fn lanes_that_no_longer_meet_are_told() {
    for context in contexts() {
        let output = context.buffer::<u32>(LEN).unwrap();
        let binding = uneven::compile(&context).unwrap().bind(&output).unwrap();
        let turns = |long| if long { 70_000 } else { 9 };
        on_device(
            &context,
            "uneven",
            &output,
            |long| binding.dispatch(turns(long)).unwrap(),
            |long| on_cpu(|output| uneven(output, turns(long)).unwrap()),
        );
    }
}

#[test]
fn a_scatter_and_a_loop_are_checked_together() {
    for context in contexts() {
        let copy = context.buffer::<u32>(LEN).unwrap();
        let output = context.buffer::<u32>(LEN).unwrap();
        let binding = spread::compile(&context).unwrap();
        let binding = binding.bind(&copy, &output).unwrap();
        let turns = |long| if long { 70_000 } else { 9 };
        let run = |turns| on_cpu(|output| spread(&mut [0; LEN], output, turns).unwrap());
        on_device(
            &context,
            "spread",
            &output,
            |long| binding.dispatch(turns(long)).unwrap(),
            |long| run(turns(long)),
        );
    }
}

#[test]
fn constant_bounds_say_whether_a_kernel_is_watched() {
    let Some(context) = context() else {
        return;
    };
    let output = context.buffer::<u32>(LEN).unwrap();
    let kernel = few::compile(&context).unwrap();
    assert!(!kernel.raw().checks_loops(), "10,100 turns");
    kernel.bind(&output).unwrap().dispatch().unwrap();
    let found = context.download_blocking(&output).unwrap();
    assert_eq!(found, on_cpu(|output| few(output).unwrap()));
    let kernel = many::compile(&context).unwrap();
    assert_eq!(kernel.raw().checks_loops(), leaves_early(&context));
    kernel.bind(&output).unwrap().dispatch().unwrap();
    if told("many", &context) {
        assert!(leaves_early(&context));
    } else {
        assert!(!leaves_early(&context));
        let found = context.download_blocking(&output).unwrap();
        assert_eq!(found, on_cpu(|output| many(output).unwrap()));
    }
}

/// A download that comes after the dispatch waits for what is said of it.
#[test]
fn a_download_tells_it_in_a_sentence() {
    let Some(context) = context() else {
        return;
    };
    let output = context.buffer::<u32>(LEN).unwrap();
    let binding = single::compile(&context).unwrap().bind(&output).unwrap();
    binding.dispatch(70_000).unwrap();
    let meant = on_cpu(|output| single(output, 70_000).unwrap());
    match context.download_blocking(&output) {
        Ok(found) => {
            assert!(!leaves_early(&context));
            assert_eq!(found, meant);
        }
        Err(error) => {
            assert!(leaves_early(&context), "{error}");
            let end = "kernel `single`: its loops take more turns than this driver runs (it left one \
                       early); split the work over several dispatches, or run it on another device";
            assert!(error.to_string().ends_with(end), "{error}");
        }
    }
}
