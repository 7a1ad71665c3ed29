//! Dispatches that are split into ranges of workgroups: the same bits, and no submit of more workgroups
//! than the option allows.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Sketch, embedded, span};
use nupp_core::artifact::{KernelKind, KernelSpec};
use nupp_core::ir::samples;
use nupp_gpu::{Context, ContextOptions, SlotMut};

/// Rows as short as these, and splits around and across them.
const ROWS: [u32; 3] = [3, 7, u32::MAX];
const SPLITS: [u32; 6] = [0, 1, 2, 5, 8, 100];

fn split(row: u32, most: impl Into<Option<u32>>) -> Option<Context> {
    let options = ContextOptions::new()
        .workgroup_row_limit(row)
        .workgroups_per_submit(most);
    common::context_with(options)
}

/// What each group adds to its own element: another number in each, so that a group which is run
/// twice, left out, or takes itself for another is seen.
fn count_up() -> &'static KernelSpec {
    let mut sketch = Sketch::map(
        "count_up",
        vec![span("values", "uint32", true)],
        "if workgroup < word(0u) { span0[workgroup] = span0[workgroup] + workgroup * 5u + 1u; }",
    );
    sketch.kind = KernelKind::Groups {
        size: 1,
        span: 0,
        divisor: 1,
        ceil: false,
    };
    sketch.spans[0].loop_indexed = false;
    sketch.workgroup = 1;
    sketch.covers = 1;
    sketch.embed()
}

#[test]
fn every_group_of_a_split_dispatch_runs_once() {
    let spec = count_up();
    for row in ROWS {
        for most in SPLITS {
            let Some(context) = split(row, most) else {
                return;
            };
            let kernel = context.compile_raw(spec).unwrap();
            for len in [1, 2, 5, 8, 9, 48, 49].map(|len: u32| len.min(row.saturating_mul(row))) {
                let values = context.buffer::<u32>(len as usize).unwrap();
                let slots = vec![SlotMut::from(&values).into()];
                let binding = kernel.bind(slots).unwrap();
                context.synchronize_blocking().unwrap();
                let before = context.submissions();
                binding.dispatch(&[]).unwrap();
                context.synchronize_blocking().unwrap();
                let took = context.submissions() - before;
                let least = u64::from(len.div_ceil(most.max(1)));
                assert!(
                    took >= least,
                    "{len} groups, {most} at once: {took} submits"
                );
                let there = context.download_blocking(&values).unwrap();
                let expected: Vec<u32> = (0..len).map(|group| group * 5 + 1).collect();
                assert_eq!(there, expected, "rows of {row}, {most} at once");
            }
        }
    }
}

#[test]
fn compiled_kernels_give_the_same_bits_in_parts() {
    let [map, groups] = [samples::map(), samples::groups()].map(embedded::embed);
    // A probe of the arithmetic has 32 workgroups, which rows of five cannot hold.
    for (row, most) in [(6, 1), (6, 4), (6, 8), (u32::MAX, 3)] {
        let Some(context) = split(row, most) else {
            return;
        };
        let kernel = context.compile_raw(map).unwrap();
        for len in [1, 256, 257, 256 * 8 + 100, 256 * 9] {
            embedded::check_map(&context, &kernel, len);
        }
        let kernel = context.compile_raw(groups).unwrap();
        for len in [255, 256, 256 * 8 + 19, 256 * 9] {
            embedded::check_groups(&context, &kernel, len);
        }
    }
}

#[test]
fn a_batch_is_no_longer_than_a_submit_may_be() {
    let Some(context) = split(u32::MAX, 10) else {
        return;
    };
    let kernel = context.compile_raw(common::bump()).unwrap();
    // Four workgroups each: two dispatches a submit.
    let values = context.buffer::<u32>(250).unwrap();
    let slots = vec![SlotMut::from(&values).into()];
    let binding = kernel.bind(slots).unwrap();
    context.synchronize_blocking().unwrap();
    let before = context.submissions();
    for _ in 0..20 {
        binding.dispatch(&[3]).unwrap();
    }
    context.synchronize_blocking().unwrap();
    assert_eq!(context.submissions() - before, 10);
    let there = context.download_blocking(&values).unwrap();
    assert_eq!(there, [60; 250]);
}
