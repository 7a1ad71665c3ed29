//! The probe on the device that is there, in each form in which modules are handed over.

use std::time::Instant;

use nupp_core::artifact::KernelSpec;
use nupp_gpu::{Arithmetic, Context, ContextOptions, Finding, ModuleForm, Profile, Route};

mod common;

fn contexts() -> impl Iterator<Item = (ModuleForm, Context)> {
    ModuleForm::ALL.iter().filter_map(|&form| {
        let context = common::context_with(ContextOptions::new().form(form))?;
        Some((form, context))
    })
}

/// What is written down of a driver must be what the probe finds.
#[test]
fn the_device_is_probed() {
    for (form, context) in contexts() {
        let begun = Instant::now();
        let arithmetic = context
            .device()
            .arithmetic()
            .expect("a route for every operation");
        let cold = begun.elapsed();
        println!(
            "{}, {form:?}: {:.0} ms",
            *context.device(),
            cold.as_secs_f64() * 1e3
        );
        for (op, finding) in arithmetic.findings() {
            println!("  {:16} {}", op.name(), in_words(finding));
        }
        for (operation, route) in arithmetic.routes() {
            println!("  {operation:16} -> {}", route.name());
        }
        println!("  rejected: {:?}", arithmetic.rejected());
        assert_eq!(
            arithmetic.rejected(),
            None,
            "the chosen routes hold together"
        );
        known(&context, arithmetic);
    }
}

fn in_words(finding: &Finding) -> String {
    match finding {
        Finding::Exact => "exact".into(),
        Finding::Flushes(evidence) => format!("flushes: {evidence}"),
        Finding::Wrong(evidence) => format!("wrong: {evidence}"),
    }
}

fn known(context: &Context, arithmetic: &Arithmetic) {
    let profile = arithmetic.profile();
    let adapter = &context.device().adapter;
    if adapter.contains("llvmpipe") {
        assert_eq!((profile.add, profile.mul), (Route::Opaque, Route::Opaque));
        assert_eq!(profile.fma, Route::Software, "it does not fuse");
    }
    if adapter.contains("SwiftShader") {
        assert_eq!((profile.add, profile.mul), (Route::Guarded, Route::Guarded));
        assert_eq!(profile.fma, Route::Software, "it does not fuse");
        assert_eq!(profile.compare, Route::Software, "it flushes");
    }
}

/// The outcome is the context's; a second question costs nothing, whoever asks.
#[test]
fn a_context_is_probed_once() {
    for (_, context) in contexts() {
        let first = std::ptr::from_ref(context.device().arithmetic().expect("a route"));
        let awaited = pollster::block_on(context.device().arithmetic_async());
        assert!(std::ptr::eq(first, awaited.expect("a route")));
    }
}

/// Asked for at once by four threads, and awaited.
#[test]
fn threads_may_ask_together() {
    for (_, context) in contexts() {
        let found: Vec<Profile> = std::thread::scope(|scope| {
            let ask = || *context.device().arithmetic().expect("a route").profile();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .collect()
        });
        assert!(found.iter().all(|profile| *profile == found[0]));
        let fresh = common::context().expect("a device");
        pollster::block_on(fresh.device().arithmetic_async()).expect("a route");
    }
}

/// A kernel without float arithmetic does not wait for the probe, whatever the device.
#[test]
fn integer_kernels_run_embedded() {
    let Some(context) = common::context() else {
        return;
    };
    let spec: &'static KernelSpec = common::bump();
    let kernel = context.compile_raw(spec).expect("it compiles");
    assert_eq!(kernel.profile(), spec.module.profile);
}
