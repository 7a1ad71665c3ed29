//! Generated workgroup kernels: the direct evaluator of the typed tree against the GPU and, through
//! the macro and rustc, against every executor.
//!
//! rustc takes far longer over a kernel than all else, so most kernels run on the GPU alone:
//! `NUPP_GENERATED_GROUPS` says how many. Some of the same seeds go through the macro as well, in
//! a crate that is written, built and run like that of the maps: `NUPP_GENERATED_GROUPS_MACRO`.
//! `NUPP_GENERATED_SEED` says where both start. (Both interpreters run the same kernels in the test kit,
//! where the race detector watches.)

use super::generated::{crates, device, number};
use nupp_front::hir::Program;
use nupp_testkit::generate::group_kernel;
use nupp_testkit::grouped;

#[test]
fn generated_groups_agree_on_the_device() {
    let kind = device::Kind {
        name: "workgroup kernels",
        text: group_kernel,
        lengths: |program: &Program| {
            let lengths = grouped::lengths(program);
            vec![lengths[5], lengths[4], lengths[2]]
        },
        run: grouped::run,
    };
    kind.agree(number("NUPP_GENERATED_GROUPS", 500));
}

#[test]
fn generated_groups_agree_through_the_macro() {
    let count = number("NUPP_GENERATED_GROUPS_MACRO", 60);
    let start = number("NUPP_GENERATED_SEED", 0);
    let groups = crates::Crate {
        name: "nupp-generated-groups",
        run: "groups.rs",
        kernels: 30,
        text: group_kernel,
        parameters: &[
            "w f32", "w u32", "w f32", "w i32", "r f32", "r u32", "r f32", "r Pair", "u f32",
            "u u32", "u i32",
        ],
    };
    groups.agree(start..start + count);
}
