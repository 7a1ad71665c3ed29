//! The other kernels written by hand, against the interpreter of Source IR.

use super::*;
use crate::ir::samples::more;

/// Runs a kernel over spans that start at the beginning of their buffers, and compares.
fn same_as_source(
    kernel: &Kernel,
    words: &[u32],
    buffers: &[Vec<u32>],
    count: u32,
    uniforms: &[u32],
) {
    let lengths: Vec<u32> = buffers
        .iter()
        .zip(words)
        .map(|(buffer, words)| buffer.len() as u32 / words)
        .collect();
    let given = agreed(kernel, buffers, &dispatch(count, &lengths, uniforms));
    assert_eq!(
        given,
        source_means(kernel, buffers, uniforms),
        "{}",
        kernel.name
    );
    assert_ne!(given, buffers, "{} does nothing", kernel.name);
}

#[test]
fn maps_agree_with_the_source() {
    let product = [vec![0; 30], words(1, 35), words(2, 42)];
    same_as_source(&more::product(), &[1; 3], &product, 30, &[6, 7]);
    let blocks = [vec![0; 9], vec![0; 2 * 40], words(3, 9)];
    let uniforms = vec![2; more::blocks().uniforms.len()];
    same_as_source(&more::blocks(), &[1, 2, 1], &blocks, 9, &uniforms);
    let cursors: Vec<u32> = (0..300).map(|n| n * 7 % 311).collect();
    let scatter = [vec![0; 300], vec![0; 305], words(4, 300), cursors];
    same_as_source(&more::scatter(), &[1; 4], &scatter, 300, &[]);
}

#[test]
fn groups_agree_with_the_source() {
    let sums = [vec![0; 5], words(5, 18)];
    same_as_source(&more::group_sums(), &[1; 2], &sums, 5, &[]);
    let input: Vec<u32> = (0..64).collect();
    same_as_source(&more::controlled(), &[1; 2], &[vec![0; 64], input], 4, &[]);
}

#[test]
fn scans_agree_with_the_source() {
    let temporary = Some(ScratchId(1));
    for count in [2, 4, 8, 16, 128] {
        for kind in [
            TreeKind::InclusiveScan { temporary },
            TreeKind::InclusiveScan { temporary: None },
            TreeKind::ExclusiveScan,
            TreeKind::Reduce,
        ] {
            let spans = [vec![0; 3 * count as usize], vec![0; 3 * count as usize]];
            same_as_source(&more::scan(count, kind), &[1; 2], &spans, 3, &[]);
        }
    }
}
