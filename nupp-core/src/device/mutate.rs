//! Breaks a module of Device IR on purpose, for tests that what guards it sees the break.
//!
//! What comes out is well formed and not verified.

use super::ir::{DeviceLeaf, DeviceRegion, Module};
use crate::ir::flow::Op;

/// The module without its `n`-th barrier in text order, or nothing if there are not so many.
pub fn without_barrier(module: &Module, n: u32) -> Option<Module> {
    let mut broken = module.clone();
    if !take(&mut broken.body, &mut n.clone()) {
        return None;
    }
    broken.barriers = broken.barriers.saturating_sub(1);
    Some(broken)
}

/// Takes away the barrier that `n` others stand before; counts `n` down by those it passes.
fn take(region: &mut DeviceRegion, n: &mut u32) -> bool {
    for at in 0..region.insts.len() {
        let found = match &mut region.insts[at].op {
            Op::Leaf(DeviceLeaf::Barrier) => {
                if *n == 0 {
                    region.insts.remove(at);
                    return true;
                }
                *n -= 1;
                false
            }
            Op::If { then, els, .. } => take(then, n) || take(els, n),
            Op::Loop(inner) => take(&mut inner.body, n),
            Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => false,
        };
        if found {
            return true;
        }
    }
    false
}
