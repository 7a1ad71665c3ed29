//! Trees and scans of all sizes: what they leave, and with how many barriers.

use super::kit::{Kit, barriers, run_groups};
use super::*;

#[test]
fn the_sample_groups_sum_as_a_tree() {
    let kernel = hand::groups();
    let input = words(5, 512);
    let sums = run_groups(&kernel, &input, 256);
    for (group, values) in input.chunks(256).enumerate() {
        let mut tree: Vec<f32> = values.iter().map(|&bits| f32::from_bits(bits)).collect();
        let mut stride = 128;
        while stride > 0 {
            for i in 0..stride {
                tree[i] += tree[i + stride];
            }
            stride /= 2;
        }
        let wanted = scalar::canonical(tree[0].to_bits());
        assert!(
            sums[group * 256..][..256].iter().all(|&sum| sum == wanted),
            "group {group}"
        );
    }
    let buffers = [vec![0; 512], input];
    assert_eq!(sums, source_means(&kernel, &buffers, &[])[0]);
    // Before each of eight stages, and before the sum is read: none after the fill or the end.
    assert_eq!(barriers(&kernel), 9);
}

fn reduction(size: u32, count: u32) -> Kernel {
    let mut kit = Kit::new(size);
    let s = kit.words(9, count);
    kit.copy(s, count, false);
    kit.tree(TreeKind::Reduce, s, Combine::Op(ScalarOp::U32Add));
    kit.copy(s, count, true);
    kit.kernel()
}

#[test]
fn reductions_leave_what_their_stages_leave() {
    for (size, count) in [
        (1, 1),
        (4, 4),
        (256, 256),
        (64, 256),
        (48, 64),
        (96, 32),
        (7, 1),
        (1, 8),
    ] {
        let input = words(3, 3 * count as usize);
        let given = run_groups(&reduction(size, count), &input, count);
        for (given, input) in given
            .chunks(count as usize)
            .zip(input.chunks(count as usize))
        {
            let mut tree = input.to_vec();
            let mut stride = count as usize / 2;
            while stride > 0 {
                for i in 0..stride {
                    tree[i] = tree[i].wrapping_add(tree[i + stride]);
                }
                stride /= 2;
            }
            assert_eq!(given, tree, "{count} slots, {size} lanes");
        }
    }
    // Stages whose strides are whole turns stay in their lanes.
    assert_eq!(barriers(&reduction(64, 256)), 6);
    assert_eq!(barriers(&reduction(1, 8)), 0);
}

pub(super) fn scan(size: u32, count: u32, exclusive: bool) -> Kernel {
    let mut kit = Kit::new(size);
    let s = kit.words(9, count);
    kit.copy(s, count, false);
    let kind = match exclusive {
        true => TreeKind::ExclusiveScan,
        false => TreeKind::InclusiveScan { temporary: None },
    };
    kit.tree(kind, s, Combine::Op(ScalarOp::U32Add));
    kit.copy(s, count, true);
    kit.kernel()
}

#[test]
fn scans_add_up() {
    for (size, count) in [
        (2, 2),
        (8, 8),
        (32, 32),
        (4, 4),
        (256, 256),
        (64, 256),
        (48, 64),
        (7, 1),
    ] {
        let input = words(4, 3 * count as usize);
        for exclusive in [false, true] {
            let given = run_groups(&scan(size, count, exclusive), &input, count);
            for (given, input) in given
                .chunks(count as usize)
                .zip(input.chunks(count as usize))
            {
                let mut total = 0u32;
                let sums = input.iter().map(|&word| {
                    let before = total;
                    total = total.wrapping_add(word);
                    if exclusive { before } else { total }
                });
                assert_eq!(
                    given,
                    sums.collect::<Vec<_>>(),
                    "{count} slots, {size} lanes"
                );
            }
        }
    }
}

#[test]
fn a_scan_with_a_named_temporary_leaves_the_stage_before_in_it() {
    let mut kit = Kit::new(4);
    let s = kit.words(0, 4);
    let t = kit.words(0, 4);
    kit.copy(s, 4, false);
    kit.tree(
        TreeKind::InclusiveScan { temporary: Some(t) },
        s,
        Combine::Op(ScalarOp::U32Add),
    );
    kit.copy(t, 4, true);
    // The first stage is the temporary's last write.
    assert_eq!(run_groups(&kit.kernel(), &[1, 2, 3, 4], 4), [1, 3, 5, 7]);
}

#[test]
fn a_combination_of_the_authors_is_inlined() {
    let mut kit = Kit::new(8);
    let s = kit.words(0, 8);
    kit.copy(s, 8, false);
    // a * 3 + b, which order and grouping change.
    let params = [kit.b.external(Scalar::U32), kit.b.external(Scalar::U32)];
    kit.controller();
    kit.b.open();
    let three = kit.b.u32(3);
    let product = kit.b.scalar(ScalarOp::U32Mul, &[params[0], three]);
    let sum = kit.b.scalar(ScalarOp::U32Add, &[product, params[1]]);
    let region = kit.b.close(vec![sum]);
    kit.tree(TreeKind::Reduce, s, Combine::Region { params, region });
    kit.copy(s, 8, true);
    let mut tree = [1u32, 2, 3, 4, 5, 6, 7, 8];
    let input = tree;
    for stride in [4, 2, 1] {
        for i in 0..stride {
            tree[i] = tree[i] * 3 + tree[i + stride];
        }
    }
    assert_eq!(run_groups(&kit.kernel(), &input, 8), tree);
}

#[test]
fn an_exclusive_scan_needs_an_identity() {
    let mut kit = Kit::new(4);
    let s = kit.words(0, 4);
    kit.tree(TreeKind::ExclusiveScan, s, Combine::Op(ScalarOp::U32Sub));
    let error = lower_unverified(&kit.kernel(), &Profile::CONSERVATIVE);
    assert_eq!(
        error,
        Err(LowerError::NoIdentity {
            kernel: "test".into()
        })
    );
}
