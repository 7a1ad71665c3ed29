//! Each sample against a direct Rust reference, in several orders of lanes.

use super::*;
use crate::ir::entity::ScratchId;
use crate::ir::flow::{LoopKind, Op, Termination};
use crate::ir::kernel::{LengthCond, Target, TreeKind};
use crate::ir::samples::{self, more};
use crate::verify::source::verify;

const ORDERS: [LaneOrder; 4] = [
    LaneOrder::Ascending,
    LaneOrder::Reversed,
    LaneOrder::Shuffled(1),
    LaneOrder::Shuffled(0xfeed),
];

fn verified(kernel: Kernel) -> Verified<Kernel> {
    verify(kernel).expect("the sample verifies")
}

/// Runs in every order, which must agree, and gives the spans.
fn outcome(
    kernel: &Verified<Kernel>,
    spans: &[Vec<u32>],
    uniforms: &[u32],
) -> Result<Vec<Vec<u32>>, EvalError> {
    let mut results = ORDERS.map(|order| {
        let mut spans = spans.to_vec();
        run(kernel, &mut spans, uniforms, order).map(|()| spans)
    });
    let first = results[0].clone();
    for (order, result) in ORDERS.iter().zip(&results) {
        assert_eq!(result, &first, "{order:?}");
    }
    std::mem::replace(&mut results[0], first)
}

fn words(floats: impl IntoIterator<Item = f32>) -> Vec<u32> {
    floats.into_iter().map(f32::to_bits).collect()
}

fn canonical_bits(x: f32) -> u32 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }
}

/// The acceptance cases' generator: both steps rounded in binary64.
struct Lcg(f64);

impl Lcg {
    fn next(&mut self) -> f64 {
        let product = self.0 * 1103515245.0;
        self.0 = (product + 12345.0) % 2147483648.0;
        self.0
    }
}

fn fnv(words: &[u32]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn the_map_sample_agrees_with_plain_rust() {
    let kernel = verified(samples::map());
    let count = 257usize;
    let mut input: Vec<f32> = (0..count).map(|i| i as f32 * 0.37 - 20.0).collect();
    input[3] = f32::from_bits(0xffc1_2345);
    input[4] = f32::from_bits(1);
    let cursors: Vec<u32> = (0..count as u32).map(|i| i * 17 + 3).collect();
    let table: Vec<f32> = (0..1000).map(|i| 1.0 / (i as f32 + 1.0)).collect();
    let scale = 1.01f32;
    let spans = [
        vec![0; count],
        words(input.iter().copied()),
        cursors.clone(),
        words(table.iter().copied()),
    ];
    let spans = outcome(&kernel, &spans, &[scale.to_bits()]).expect("it runs");
    let want = input.iter().zip(&cursors).map(|(&x, &c)| {
        let t = table.get(c as usize).copied().unwrap_or(0.0);
        let first = x.mul_add(scale, t);
        canonical_bits((0..c & 7).fold(first, |y, _| y.mul_add(scale, x)))
    });
    assert_eq!(spans[0], want.collect::<Vec<_>>());
}

#[test]
fn the_group_sample_sums_by_strides_and_leaves_the_rest() {
    let kernel = verified(samples::groups());
    let mut input: Vec<f32> = (0..600).map(|i| 1.0 / (i as f32 + 1.0)).collect();
    input[..4].copy_from_slice(&[1e8, 1.0, -1e8, 1.0]);
    let spans = [vec![7; 600], words(input.iter().copied())];
    let spans = outcome(&kernel, &spans, &[]).expect("it runs");
    for group in 0..2 {
        let mut s = input[group * 256..][..256].to_vec();
        for stride in [128, 64, 32, 16, 8, 4, 2, 1] {
            for i in 0..stride {
                s[i] += s[i + stride];
            }
        }
        let got = &spans[0][group * 256..][..256];
        assert!(got.iter().all(|&w| w == s[0].to_bits()), "group {group}");
    }
    // Elements past the last whole group are not visited.
    assert!(spans[0][512..].iter().all(|&w| w == 7));
}

#[test]
fn a_product_of_64_has_the_published_bits() {
    let kernel = verified(more::product());
    let mut lcg = Lcg(42.0);
    let mut matrix = || words((0..4096).map(|_| (lcg.next() / 1073741824.0 - 1.0) as f32));
    let (a, b) = (matrix(), matrix());
    let mut spans = [vec![0; 4096], a, b];
    run(&kernel, &mut spans, &[64, 64], LaneOrder::Shuffled(3)).expect("it runs");
    assert_eq!(spans[0][0], 0xc032_3129);
    assert_eq!(fnv(&spans[0]), 0xa4de_a7ef_12cf_a26e);
}

#[test]
fn a_product_without_an_inner_dimension_is_zero() {
    let kernel = verified(more::product());
    let spans = [vec![9; 6], Vec::new(), Vec::new()];
    let spans = outcome(&kernel, &spans, &[3, 0]).expect("it runs");
    assert_eq!(spans[0], [0; 6]);
}

#[test]
fn blocks_write_structs_field_by_field_until_they_stop() {
    let kernel = verified(more::blocks());
    let spans = [vec![50; 3], vec![99; 26], vec![5, 6, 7]];
    let spans = outcome(&kernel, &spans, &[2]).expect("it runs");
    assert_eq!(spans[0], [50, 5, 6]);
    for lane in 0..3u32 {
        for j in 0..4u32 {
            let at = (lane * 4 + j) as usize * 2;
            let want = if j <= 2 {
                [(j as f32).to_bits(), lane + 1]
            } else {
                [99, 99]
            };
            assert_eq!(spans[1][at..at + 2], want, "lane {lane} slot {j}");
        }
    }
    assert_eq!(spans[1][24..], [99, 99]);
}

#[test]
fn a_scatter_moves_elements_and_refuses_to_meet() {
    let kernel = verified(more::scatter());
    let input = words([1.5, f32::from_bits(0xffff_0001), 3.5]);
    let nan = 0x7fc0_0000;
    let start = [vec![0; 3], vec![0; 4], input, vec![3, 0, 9]];
    let spans = outcome(&kernel, &start, &[]).expect("it runs");
    assert_eq!(spans[1], [nan, 0, 0, 1.5f32.to_bits()]);
    assert_eq!(spans[0], [1.5f32.to_bits(), nan, 3.5f32.to_bits()]);
    let mut spans = start;
    spans[3] = vec![2, 9, 2];
    let error = run(&kernel, &mut spans, &[], LaneOrder::Ascending);
    let (span, slot) = (SpanId(1), 2);
    assert_eq!(
        error,
        Err(EvalError::Scatter {
            span,
            slot,
            first: 0,
            second: 2
        })
    );
}

#[test]
fn group_sums_fill_the_partial_group_with_zeros() {
    let kernel = verified(more::group_sums());
    let input = words([1e8, 1.0, -1e8, 1.0, 5.0, 6.0]);
    let spans = outcome(&kernel, &[vec![1; 3], input], &[]).expect("it runs");
    assert_eq!(spans[0], [2f32.to_bits(), 11f32.to_bits(), 1]);
}

#[test]
fn scans_sum_and_leave_the_second_array_as_the_stages_do() {
    let sums = |n: u32| (1..=n).scan(0, |sum, x| Some(std::mem::replace(sum, *sum + x) + x));
    let temporary = Some(ScratchId(1));
    for count in [2, 4, 8, 16, 32, 256] {
        let kernel = verified(more::scan(count, TreeKind::InclusiveScan { temporary }));
        let zeros = vec![0; count as usize];
        let spans = outcome(&kernel, &[zeros.clone(), zeros.clone()], &[]).expect("it runs");
        let want: Vec<u32> = sums(count).collect();
        assert_eq!(spans[0], want, "{count}");
        // Before the last of an even number of stages, each slot sums half as many.
        let stages = count.ilog2();
        let reach = if stages % 2 == 1 { count } else { count / 2 };
        let partial = |i: u32| {
            (i.saturating_sub(reach - 1)..=i)
                .map(|x| x + 1)
                .sum::<u32>()
        };
        let want: Vec<u32> = (0..count).map(partial).collect();
        assert_eq!(spans[1], want, "{count}");

        let kernel = verified(more::scan(count, TreeKind::ExclusiveScan));
        let spans = outcome(&kernel, &[zeros.clone(), zeros], &[]).expect("it runs");
        let want: Vec<u32> = [0].into_iter().chain(sums(count - 1)).collect();
        assert_eq!(spans[0], want, "{count}");
        assert!(spans[1].iter().all(|&w| w == 0));
    }
}

#[test]
fn a_scan_of_one_slot_has_no_stage() {
    let temporary = Some(ScratchId(1));
    let kernel = verified(more::scan(1, TreeKind::InclusiveScan { temporary }));
    let spans = outcome(&kernel, &[vec![9; 2], vec![9; 2]], &[]).expect("it runs");
    assert_eq!(spans, [vec![1, 1], vec![0, 0]]);
}

#[test]
fn a_controller_loops_and_chooses_for_its_group() {
    let kernel = verified(more::controlled());
    let input: Vec<u32> = (0..37).map(|i| i + 1).collect();
    let spans = outcome(&kernel, &[vec![8; 37], input.clone()], &[]).expect("it runs");
    let mut want = vec![8; 37];
    for group in 0..2usize {
        let mut s = [0u32; 16];
        for turn in 0..=(input[group] & 3) {
            if turn == 1 {
                (0..16).for_each(|i| s[i] = s[i].wrapping_add(i as u32 / 2));
            } else {
                for stride in [8, 4, 2, 1] {
                    for i in 0..stride {
                        s[i] = s[i].wrapping_mul(3).wrapping_add(s[i + stride]);
                    }
                }
            }
        }
        for lane in 0..8 {
            want[group * 16 + lane * 2] = s[(lane + 1) & 15];
        }
    }
    assert_eq!(spans[0], want);
}

#[test]
fn the_first_guard_that_fails_is_named_and_nothing_is_written() {
    let kernel = verified(more::blocks());
    let mut spans = [vec![1; 3], vec![2; 22], vec![3; 4]];
    let before = spans.clone();
    let error = run(&kernel, &mut spans, &[0], LaneOrder::Ascending);
    let text = "the long span is too short".into();
    assert_eq!(error, Err(EvalError::Guard { position: 0, text }));
    assert_eq!(spans, before);
    spans[1].push(0);
    spans[1].push(0);
    let error = run(&kernel, &mut spans, &[0], LaneOrder::Ascending);
    let text = "#input == #counts".into();
    assert_eq!(error, Err(EvalError::Guard { position: 1, text }));
}

#[test]
fn a_guard_over_uniforms_decides_on_the_cpu() {
    let mut b = crate::ir::build::Builder::new();
    let mut kernel = more::scatter();
    b.values = kernel.values.clone();
    b.defs = vec![crate::ir::build::Def::External; b.values.len()];
    let limit = b.leaf(
        crate::ir::kernel::Leaf::Uniform(crate::ir::entity::UniformId(0)),
        Scalar::U32,
    );
    let three = b.u32(3);
    let fits = b.scalar(crate::ir::op::ScalarOp::U32Le, &[limit, three]);
    let (values, region) = b.finish(vec![fits]);
    kernel.values = values;
    kernel.target = Target::Cpu;
    kernel.uniforms.push(crate::ir::kernel::UniformDecl {
        name: "limit".into(),
        ty: Scalar::U32,
    });
    let uniform = crate::ir::entity::UniformId(0);
    kernel
        .params
        .push(crate::ir::kernel::ParamRef::Uniform(uniform));
    kernel.guards.push(crate::ir::kernel::Guard {
        cond: GuardCond::Scalar(region),
        message: None,
        text: "limit <= 3".into(),
    });
    crate::ir::scope::assign(&mut kernel);
    let kernel = verified(kernel);
    let spans = [vec![0; 1], vec![0; 1], vec![0; 1], vec![0; 1]];
    assert!(outcome(&kernel, &spans, &[3]).is_ok());
    let error = outcome(&kernel, &spans, &[4]);
    let text = "limit <= 3".into();
    assert_eq!(error, Err(EvalError::Guard { position: 2, text }));
}

#[test]
fn exact_guards_do_not_wrap() {
    use crate::ir::kernel::{CmpOp, LengthSum};
    let sum = |factor, constant| LengthSum {
        terms: vec![(factor, SpanId(0))],
        constant,
    };
    let cond = |op, lhs, rhs| LengthCond::Cmp { op, lhs, rhs };
    let lengths = [u32::MAX];
    let large = 1 << 32;
    let more = cond(CmpOp::Gt, sum(large, 0), sum(1, 0));
    assert!(guards::holds(&more, &lengths));
    let not = LengthCond::Not(Box::new(more.clone()));
    assert!(!guards::holds(&not, &lengths));
    let either = LengthCond::Or(Box::new(not.clone()), Box::new(more.clone()));
    assert!(guards::holds(&either, &lengths));
    let both = LengthCond::And(Box::new(more), Box::new(not));
    assert!(!guards::holds(&both, &lengths));
    let negative = cond(CmpOp::Lt, sum(-1, 0), sum(0, 0));
    assert!(guards::holds(&negative, &lengths));
    let minimum = cond(CmpOp::Ne, sum(i64::MIN, i64::MIN), sum(i64::MAX, i64::MAX));
    assert!(guards::holds(&minimum, &lengths));
    assert!(guards::holds(
        &cond(CmpOp::Eq, sum(2, 5), sum(2, 5)),
        &lengths
    ));
    assert!(guards::holds(
        &cond(CmpOp::Ge, sum(1, 1), sum(1, 1)),
        &lengths
    ));
    assert!(!guards::holds(
        &cond(CmpOp::Le, sum(1, 1), sum(1, 0)),
        &lengths
    ));
}

#[test]
fn an_endless_loop_ends_with_the_budget() {
    let mut kernel = samples::map();
    more::each_instruction(&mut kernel, &mut |op| {
        if let Op::Loop(inner) = op {
            // The counter is handed on unchanged, so the condition stays as it is.
            inner.body.yields[1] = inner.params[1];
            if let LoopKind::While { class, .. } = &mut inner.kind {
                *class = Termination::Unproved;
            }
        }
    });
    let kernel = verified(kernel);
    let mut spans = [vec![0; 1], vec![0; 1], vec![1; 1], vec![0; 1]];
    let budget = 10_000;
    let error = run_within(&kernel, &mut spans, &[0], LaneOrder::Ascending, budget);
    assert_eq!(error, Err(EvalError::Budget { budget }));
}

#[test]
fn counts_that_do_not_fit_are_refused() {
    let kernel = verified(more::blocks());
    let good = [vec![1; 3], vec![2; 24], vec![3; 3]];
    let count = |what, given, needed| {
        Err(EvalError::Count {
            what,
            given,
            needed,
        })
    };
    assert_eq!(outcome(&kernel, &good[..2], &[0]), count("spans", 2, 3));
    assert_eq!(outcome(&kernel, &good, &[]), count("uniforms", 0, 1));
    let mut odd = good;
    odd[1].push(0);
    let (span, words) = (SpanId(1), 25);
    let error = Err(EvalError::Length { span, words });
    assert_eq!(outcome(&kernel, &odd, &[0]), error);
}

#[test]
fn an_access_past_the_end_is_an_error_and_no_panic() {
    // Only a kernel whose claims nobody checked can be wrong in this way.
    let mut kernel = samples::groups();
    more::each_instruction(&mut kernel, &mut |op| {
        if let Op::Leaf(crate::ir::kernel::Leaf::Store {
            place: crate::ir::place::Place::GroupBlock { stride, .. },
            ..
        }) = op
        {
            *stride = 400;
        }
    });
    let kernel = Verified::unchecked(kernel);
    let mut spans = [vec![0; 512], vec![0; 512]];
    let error = run(&kernel, &mut spans, &[], LaneOrder::Ascending);
    let (what, index, count) = ("b0".into(), 512, 512);
    assert_eq!(error, Err(EvalError::OutOfBounds { what, index, count }));
}

#[test]
fn counted_loops_reach_the_ends_of_their_types() {
    let turns = |lo: i32, hi: i32| {
        let mut kernel = more::blocks();
        let mut bounds = [lo as u32, hi as u32].into_iter();
        more::each_instruction(&mut kernel, &mut |op| {
            if let Op::Const(c) = op
                && c.ty == Scalar::I32
            {
                c.bits = bounds.next().expect("two int32 constants");
            }
        });
        // The slot is now anything; a length of zero keeps every lane away from it.
        let kernel = Verified::unchecked(kernel);
        let mut spans = [vec![0; 1], vec![0; 8], vec![0; 1]];
        run(&kernel, &mut spans, &[u32::MAX], LaneOrder::Ascending).map(|()| spans[1][1])
    };
    assert_eq!(turns(0, 3), Ok(1));
    assert_eq!(turns(3, 2), Ok(0));
    let past = |index| {
        Err(EvalError::OutOfBounds {
            what: "b1".into(),
            index,
            count: 4,
        })
    };
    assert_eq!(turns(i32::MAX, i32::MAX), past(i128::from(i32::MAX)));
    assert_eq!(turns(i32::MIN, i32::MIN), past(1 << 31));
    assert_eq!(turns(2, i32::MAX), past(4));
}
