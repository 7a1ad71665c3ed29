//! More groups than one row of a launch holds, on devices as they are and with a lowered limit.

use crate::harness::{Case, devices, in_width, kernel};
use nupp::nupp;
use nupp::rt::testing;
use nupp_gpu::{Context, ContextOptions};

nupp! {
    @aot(target = "gpu")
    local function numbered(exclusive output: span.WriteSpan<uint32>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 1), 1, function(groupIndex, phases)
            phases:run(function(localIndex)
                output[groupIndex + localIndex + 1] = groupIndex * 3 + 1
            end)
        end)
    end

    @aot(target = "gpu")
    local function partial(exclusive output: span.WriteSpan<uint32>): nil
        gpu.workgroups(u32.divCeil(u32.wrap(#output), 256), 256, function(groupIndex, phases)
            phases:run(function(localIndex)
                local cursor = groupIndex * 256 + localIndex
                if cursor < #output then
                    output[groupIndex * 256 + localIndex + 1] = cursor * 2654435761 + 1
                end
            end)
        end)
    end
}

fn groups(len: u32) -> Vec<u32> {
    (0..len).map(|group| group * 3 + 1).collect()
}

fn elements(len: u32) -> Vec<u32> {
    (0..len)
        .map(|i| i.wrapping_mul(2_654_435_761).wrapping_add(1))
        .collect()
}

#[test]
fn case_26_more_groups_than_a_row() {
    for len in [65_535, 65_536, 70_001] {
        Case::new(kernel!(numbered: w u32))
            .spans([vec![0; len as usize]])
            .large()
            .gives(0, groups(len));
    }
}

/// Unoptimised, only the greater length, in one width and on one form of the device.
#[test]
fn case_26_sixteen_million_elements() {
    let (lengths, each): (&[u32], usize) = if cfg!(debug_assertions) {
        (&[16_776_961], 1)
    } else {
        (&[16_776_960, 16_776_961], usize::MAX)
    };
    for &len in lengths {
        let expected = elements(len);
        let runner = kernel!(partial: w u32);
        for width in testing::widths().into_iter().take(each) {
            let mut spans = [vec![0; len as usize]];
            in_width(width, || (runner.cpu)(&mut spans, &[])).expect("it runs");
            assert!(spans[0] == expected, "{len} elements on the CPU in {width}");
        }
        for device in devices().iter().take(each) {
            let mut spans = [vec![0; len as usize]];
            let ran = runner.gpu(&device.context, &mut spans, &[]);
            ran.expect("it runs");
            assert!(spans[0] == expected, "{len} elements on {}", device.name);
        }
    }
}

#[test]
fn case_26_a_lowered_limit() {
    if devices().is_empty() {
        return;
    }
    let options = ContextOptions::new().workgroup_row_limit(7);
    let context = Context::open_with(options).expect("a device opened before");
    for len in [1, 7, 8, 48, 49] {
        let mut spans = [vec![0; len as usize]];
        let ran = kernel!(numbered: w u32).gpu(&context, &mut spans, &[]);
        ran.expect("it runs");
        assert_eq!(spans[0], groups(len));
        let len = len * 256 - 77;
        let mut spans = [vec![0; len as usize]];
        let ran = kernel!(partial: w u32).gpu(&context, &mut spans, &[]);
        ran.expect("it runs");
        assert_eq!(spans[0], elements(len));
    }
    let mut spans = [vec![0; 50]];
    let refused = kernel!(numbered: w u32)
        .gpu(&context, &mut spans, &[])
        .expect_err("50 groups do not fit 7 rows of 7");
    assert!(
        refused.contains("50") && refused.contains("49"),
        "{refused}"
    );
}

pub fn samples() -> Vec<Case> {
    vec![
        Case::new(kernel!(numbered: w u32)).spans([vec![0; 20]]),
        Case::new(kernel!(partial: w u32)).spans([vec![0; 700]]),
    ]
}
