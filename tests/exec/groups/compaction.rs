//! Stable compaction in three kernels: ranks within blocks, offsets of the blocks, declared scatter;
//! and the same with nothing on the host between them.

use crate::harness::{Case, Words, devices, kernel};
use nupp::nupp;
use nupp_testkit::compare::fnv1a;
use nupp_testkit::inputs::Lcg;

#[path = "../../../examples/compaction/kernels.rs"]
mod kernels;

use kernels::{BLOCK, offset, place, rank};

/// The values, which of them to keep, the ranks, block totals, offsets, and what is kept.
struct Stages {
    values: Words,
    keep: Words,
    ranks: Words,
    totals: Words,
    offsets: Words,
    kept: Words,
}

fn stages(len: usize) -> Stages {
    let values: Words = (0..len as u32).map(|i| i * 17 + 3).collect();
    let keep: Words = Lcg::default()
        .take(len)
        .map(|s| u32::from(s % 5.0 == 0.0))
        .collect();
    let mut ranks = Words::new();
    for block in keep.chunks(BLOCK) {
        ranks.extend(block.iter().scan(0, |sum, &one| {
            *sum += one;
            Some(*sum)
        }));
    }
    let totals: Words = ranks
        .chunks(BLOCK)
        .map(|block| block[block.len() - 1])
        .collect();
    let offsets = totals.iter().scan(0, |sum, &total| {
        *sum += total;
        Some(*sum - total)
    });
    let offsets: Words = offsets.collect();
    let pairs = values.iter().zip(&keep);
    let kept = pairs.filter(|(_, one)| **one == 1).map(|(value, _)| *value);
    Stages {
        kept: kept.collect(),
        values,
        keep,
        ranks,
        totals,
        offsets,
    }
}

#[test]
fn case_25_stable_compaction() {
    let all = stages(65_536);
    assert_eq!(all.kept.len(), 12_940);
    assert_eq!(all.kept[..3], [20, 292, 615]);
    assert_eq!(all.kept.last(), Some(&1_113_962));
    assert_eq!(fnv1a(&all.kept), 0xf184_78dd_5508_a4dc);
    Case::new(kernel!(rank: w u32, w u32, r u32))
        .spans([vec![0; 65_536], vec![0; 256], all.keep.clone()])
        .large()
        .gives_all([all.ranks.clone(), all.totals.clone()]);
    Case::new(kernel!(offset: w u32, r u32))
        .spans([vec![0; 256], all.totals])
        .gives(0, all.offsets.clone());
    Case::new(kernel!(place: w u32, r u32, r u32, r u32, r u32))
        .spans([
            vec![0; 12_940],
            all.values,
            all.keep,
            all.ranks,
            all.offsets,
        ])
        .large()
        .gives(0, all.kept);
}

/// A last block that is not full.
#[test]
fn compaction_of_any_length() {
    for len in [1, 255, 257, 1000, 65_521] {
        let all = stages(len);
        let blocks = len.div_ceil(BLOCK);
        let case = Case::new(kernel!(rank: w u32, w u32, r u32));
        let case = case.spans([vec![9; len], vec![9; blocks], all.keep.clone()]);
        let case = if len > 1000 { case.large() } else { case };
        case.gives_all([all.ranks.clone(), all.totals.clone()]);
        Case::new(kernel!(offset: w u32, r u32))
            .spans([vec![9; blocks], all.totals])
            .gives(0, all.offsets.clone());
        // Longer than what is kept: the rest stays.
        let mut expected = all.kept.clone();
        expected.resize(len + 3, 9);
        let case = Case::new(kernel!(place: w u32, r u32, r u32, r u32, r u32));
        let case = case.spans([
            vec![9; len + 3],
            all.values,
            all.keep,
            all.ranks,
            all.offsets,
        ]);
        let case = if len > 1000 { case.large() } else { case };
        case.gives(0, expected);
    }
}

nupp! {
    @aot(target = "gpu")
    local function by_one_lane(
        exclusive output: span.WriteSpan<uint32>,
        borrows keep: span.Span<uint32>,
        at: uint32
    ): nil
        gpu.workgroups(u32.div(u32.wrap(#keep), 64), 64, function(groupIndex, phases)
            phases:run(function(localIndex)
                if groupIndex < #output then
                    if localIndex == 0 then output:scatter(groupIndex + 1, at) end
                end
            end)
        end)
    end

    @aot(target = "gpu")
    local function turn_by_turn(
        exclusive output: span.WriteSpan<uint32>,
        borrows keep: span.Span<uint32>,
        turns: int32
    ): nil
        gpu.workgroups(u32.div(u32.wrap(#keep), 64), 64, function(groupIndex, phases)
            for turn = 0, turns do
                phases:run(function(localIndex)
                    local c = groupIndex * 4 + turn
                    if localIndex == turn and c < #output then
                        output:scatter(#output - c, c * 10)
                    end
                end)
            end
        end)
    end
}

#[test]
fn single_lanes_and_turns_scatter() {
    let keep = vec![0; 3 * 64 + 7];
    Case::new(kernel!(by_one_lane: w u32, r u32, u u32))
        .spans([vec![1; 4], keep.clone()])
        .uniforms([9])
        .gives(0, vec![9, 9, 9, 1]);
    Case::new(kernel!(turn_by_turn: w u32, r u32, u i32))
        .spans([vec![1; 11], keep])
        .uniforms([2])
        .gives(0, vec![100, 90, 80, 1, 60, 50, 40, 1, 20, 10, 0]);
}

#[test]
fn a_scatter_that_meets_itself_is_an_error_on_the_cpu() {
    let mut output = [0; 300];
    let (values, keep, ranks) = ([7; 256], [1; 256], [5; 256]);
    let fault = place(&mut output, &values, &keep, &ranks, &[0]).expect_err("one element, twice");
    let nupp::KernelError::Scatter(fault) = fault else {
        panic!("another fault: {fault}");
    };
    assert_eq!(
        (fault.span, fault.slot, fault.first, fault.second),
        ("output", 4, 0, 1)
    );
    assert_eq!(
        fault.to_string(),
        "lane 0 of group 0 and lane 1 of group 0 both scatter to element 5 of `output`"
    );
}

/// Case 27: three dispatches and as many again, one download at the end.
#[test]
fn case_27_dispatches_without_a_stop() {
    let all = stages(65_536);
    for device in devices() {
        let context = &device.context;
        let made = |words: &[u32]| {
            let buffer = context.buffer::<u32>(words.len()).expect("a buffer");
            context.upload(&buffer, words).expect("an upload");
            buffer
        };
        let (values, keep) = (made(&all.values), made(&all.keep));
        let ranks = context.buffer::<u32>(65_536).expect("a buffer");
        let totals = context.buffer::<u32>(256).expect("a buffer");
        let offsets = context.buffer::<u32>(256).expect("a buffer");
        let output = context.buffer::<u32>(12_940).expect("a buffer");
        let first = rank::compile(context).expect("it compiles");
        let second = offset::compile(context).expect("it compiles");
        let third = place::compile(context).expect("it compiles");
        let first = first.bind(&ranks, &totals, &keep).expect("it binds");
        let second = second.bind(&offsets, &totals).expect("it binds");
        let third = third
            .bind(&output, &values, &keep, &ranks, &offsets)
            .expect("it binds");
        for _ in 0..2 {
            first.dispatch().expect("a dispatch");
            second.dispatch().expect("a dispatch");
            third.dispatch().expect("a dispatch");
        }
        let kept = context.download_blocking(&output).expect("a download");
        assert!(kept == all.kept, "{}", device.name);
    }
}

pub fn samples() -> Vec<Case> {
    let all = stages(512);
    vec![
        Case::new(kernel!(rank: w u32, w u32, r u32)).spans([
            vec![0; 512],
            vec![0; 2],
            all.keep.clone(),
        ]),
        Case::new(kernel!(offset: w u32, r u32)).spans([vec![0; 2], all.totals]),
        Case::new(kernel!(place: w u32, r u32, r u32, r u32, r u32)).spans([
            vec![0; all.kept.len()],
            all.values,
            all.keep,
            all.ranks,
            all.offsets,
        ]),
    ]
}
