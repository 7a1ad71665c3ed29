//! Kernels that verify, kernels that must not, and kernels that nobody wrote.
//!
//! `cursors` holds the ways a computed element can be proved and not proved, `rules` one broken
//! kernel a rule, `hostile` changed encodings.

use super::*;
use crate::ir::samples::more;

mod cursors;
mod generated;
mod hostile;
mod rules;

#[test]
fn every_sample_verifies() {
    for kernel in more::all() {
        let name = kernel.name.clone();
        if let Err(error) = verify(kernel) {
            panic!("{name}: {error}");
        }
    }
}

#[test]
fn footprints_tell_registers_from_shared_arrays() {
    use crate::ir::entity::ScratchId;
    use crate::ir::kernel::TreeKind;
    let sums = |kernel: &Kernel| {
        let sums = footprint(kernel);
        (sums.scratch_bytes, sums.register_bytes, sums.private)
    };
    assert_eq!(sums(&more::blocks()), (0, 0, vec![]));
    assert_eq!(sums(&more::group_sums()), (16, 0, vec![false]));
    // The second array is never scanned through, so its own slots may live in registers; the
    // scan needs an array of its own.
    let alone = more::scan(8, TreeKind::ExclusiveScan);
    assert_eq!(sums(&alone), (64, 4, vec![false, true]));
    let temporary = Some(ScratchId(1));
    let pair = more::scan(8, TreeKind::InclusiveScan { temporary });
    assert_eq!(sums(&pair), (64, 0, vec![false, false]));
}
