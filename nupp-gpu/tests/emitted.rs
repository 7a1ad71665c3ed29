//! Emitted modules on a device: the two kernels written by hand in Source IR, as the embedded
//! SPIR-V and as each profile emits them in each form, against plain Rust, by bits.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::context_with;
use common::embedded::{check_groups, check_map, embed};
use nupp_core::artifact::KernelSpec;
use nupp_core::device::profile::{Profile, Route};
use nupp_core::ir::samples;
use nupp_gpu::{CompileError, Context, ContextOptions, ModuleForm};

/// Every way in which a kernel can reach the device, with the profile that it says it has.
fn routes() -> Vec<(Context, Profile)> {
    let mut routes = Vec::new();
    // The device's own, and two that are right on devices which flush as well.
    for profile in [None, Some(Profile::INTEGER), Some(Profile::GUARDED)] {
        for &form in ModuleForm::ALL {
            let options = ContextOptions::new().profile(profile).form(form);
            let Some(context) = context_with(options) else {
                continue;
            };
            let found = || *context.device().arithmetic().expect("a route").profile();
            let profile = profile.unwrap_or_else(found);
            routes.push((context, profile));
        }
    }
    routes
}

#[test]
fn a_map_gives_the_same_bits_on_every_route() {
    let spec = embed(samples::map());
    let mut digests = Vec::new();
    for (context, profile) in routes() {
        let kernel = context.compile_raw(spec).unwrap();
        assert_eq!(kernel.profile(), profile.name);
        let carried = kernel.software_operations().contains(&"f32.fma");
        assert_eq!(carried, profile.fma != Route::Opaque);
        digests.push((kernel.form(), kernel.digest().to_owned()));
        for len in [1, 257, 5000] {
            check_map(&context, &kernel, len);
        }
    }
    // One profile in two languages is two modules. (Two profiles can be one module: here all float
    // arithmetic is in software either way.)
    for (form, digest) in &digests {
        let wgsl = |form: ModuleForm| form == ModuleForm::Wgsl;
        let mut same = digests.iter().filter(|other| other.1 == *digest);
        assert!(same.all(|other| wgsl(other.0) == wgsl(*form)));
    }
}

#[test]
fn groups_give_the_same_bits_on_every_route() {
    let spec = embed(samples::groups());
    for (context, profile) in routes() {
        let kernel = context.compile_raw(spec).unwrap();
        assert_eq!(kernel.profile(), profile.name);
        for len in [0, 255, 256, 256 * 37 + 19] {
            check_groups(&context, &kernel, len);
        }
    }
}

#[test]
fn a_damaged_kernel_is_refused_by_name() {
    let good = embed(samples::map());
    for form in [ModuleForm::Wgsl, ModuleForm::Native] {
        let options = ContextOptions::new().form(form);
        let Some(context) = context_with(options) else {
            return;
        };
        for cut in [0, 7, good.ir.len() / 2, good.ir.len() - 1] {
            let spec = Box::leak(Box::new(KernelSpec {
                ir: &good.ir[..cut],
                ..*good
            }));
            let error = context.compile_raw(spec).unwrap_err();
            assert!(
                matches!(&error, CompileError::Malformed { kernel, .. } if *kernel == good.name),
                "{error}"
            );
        }
        context.compile_raw(good).unwrap();
    }
}
