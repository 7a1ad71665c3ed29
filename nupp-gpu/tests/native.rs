//! Native modules: the driver gets the words that were printed, with the float modes that it claims
//! and nothing else, and gives the bits that every other form gives.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::context_with;
use common::embedded::{check_groups, check_map, embed};
use nupp_core::artifact::KernelSpec;
use nupp_core::device::claims::Checks;
use nupp_core::device::lower_device;
use nupp_core::device::profile::Profile;
use nupp_core::emit::spirv::{self, Options};
use nupp_core::ir::samples;
use nupp_core::verify;
use nupp_gpu::{Context, ContextOptions, FloatControls, ModuleForm};
use sha2::{Digest, Sha256};

fn map() -> &'static KernelSpec {
    embed(samples::map())
}

fn options() -> ContextOptions {
    ContextOptions::new().form(ModuleForm::Native)
}

/// With the profile of [`digest`].
fn conservative() -> ContextOptions {
    options().profile(Some(Profile::CONSERVATIVE))
}

/// Every set of modes.
fn sets() -> impl Iterator<Item = FloatControls> {
    (0..8).map(|set| FloatControls {
        rounding_rte_32: set & 1 != 0,
        signed_zero_inf_nan_preserve_32: set & 2 != 0,
        denorm_preserve_32: set & 4 != 0,
    })
}

/// The digest of the map's module with these modes, and its loop watched or not.
fn digest(modes: FloatControls, loops: bool) -> String {
    let kernel = verify::source::verify(samples::map()).unwrap();
    let checks = Checks {
        scatter: false,
        loops,
    };
    let module = lower_device::lower_checked(&kernel, &Profile::CONSERVATIVE, checks).unwrap();
    let module = verify::device::verify(module).unwrap();
    let options = Options {
        rounding_rte_32: modes.rounding_rte_32,
        signed_zero_inf_nan_preserve_32: modes.signed_zero_inf_nan_preserve_32,
        denorm_preserve_32: modes.denorm_preserve_32,
        ..Options::CANONICAL
    };
    let mut hash = Sha256::new();
    for word in spirv::emit_with(&module, &options) {
        hash.update(word.to_le_bytes());
    }
    let hash = hash.finalize();
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_native_module_declares_what_is_claimed_and_asked_for() {
    for asked in sets() {
        let Some(context) = context_with(conservative().float_controls(asked)) else {
            return;
        };
        let claimed = context.float_controls().unwrap();
        let kernel = context.compile_raw(map()).unwrap();
        assert_eq!(kernel.form(), ModuleForm::Native);
        assert_eq!(kernel.float_controls(), claimed.and(asked));
        let meant = digest(claimed.and(asked), kernel.checks_loops());
        assert_eq!(kernel.digest(), meant);
    }
    let Some(context) = context_with(options()) else {
        return;
    };
    eprintln!("{}: {:?}", context.device(), context.float_controls());
    let kernel = context.compile_raw(map()).unwrap();
    assert_eq!(Some(kernel.float_controls()), context.float_controls());
}

#[test]
fn other_forms_declare_nothing() {
    for form in [ModuleForm::Spirv, ModuleForm::Wgsl] {
        let Some(context) = context_with(ContextOptions::new().form(form)) else {
            return;
        };
        let kernel = context.compile_raw(map()).unwrap();
        assert_eq!(kernel.form(), form);
        assert_eq!(kernel.float_controls(), FloatControls::default());
    }
}

/// The map has uniforms, a gather, a loop and software operations; the trees barriers and scratch.
fn check(context: &Context) {
    let kernel = context.compile_raw(map()).unwrap();
    for len in [1, 257, 5000] {
        check_map(context, &kernel, len);
    }
    let kernel = context.compile_raw(embed(samples::groups())).unwrap();
    for len in [0, 255, 256, 256 * 37 + 19] {
        check_groups(context, &kernel, len);
    }
}

#[test]
fn each_set_of_modes_gives_the_bits() {
    for asked in sets() {
        let Some(context) = context_with(options().float_controls(asked)) else {
            return;
        };
        // What is not claimed is not declared, which is another set.
        if context.float_controls().unwrap().and(asked) == asked {
            check(&context);
        }
    }
}

/// The map of 5,000 elements has 79 workgroups, the trees have 37.
#[test]
fn folded_rows_give_the_bits() {
    for limit in [9, 13, 40] {
        let Some(context) = context_with(options().workgroup_row_limit(limit)) else {
            return;
        };
        check(&context);
    }
}

#[test]
fn a_pipeline_is_found_again_and_given_back() {
    let Some(context) = context_with(options()) else {
        return;
    };
    let spec = map();
    let first = context.compile_raw(spec).unwrap();
    let second = context.compile_raw(spec).unwrap();
    assert_eq!(first.digest(), second.digest());
    check_map(&context, &second, 300);
    first.close().unwrap();
    second.close().unwrap();
    let third = context.compile_raw(spec).unwrap();
    check_map(&context, &third, 300);
}
