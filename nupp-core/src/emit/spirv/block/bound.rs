//! The bound of loops that are not known to end.
//!
//! A compiler may assume that loops end, and take one that does not for code that is never reached.
//! A counter of 64 bits that leaves at 0 takes the ground from under it: no machine gets there. It is
//! what wgpu's translator puts around the loops of other modules.

use super::Block;
use crate::emit::expand::Sink;
use crate::emit::prim::Prim;
use crate::emit::walk::Target;
use crate::ir::entity::Scalar;

/// A counter of turns that are left.
pub(super) struct Bound {
    low: u32,
    high: u32,
}

impl Block<'_> {
    /// The counter of a loop that is about to begin.
    pub(super) fn start_bound(&mut self) -> Bound {
        let [low, high] = [(); 2].map(|()| {
            let ty = self.asm.scalar_type(Scalar::U32);
            let id = self.local(ty);
            let most = self.asm.constant_u32(u32::MAX);
            self.store(&id, &most);
            id
        });
        Bound { low, high }
    }

    /// Leaves the innermost loop where no turn is left, and takes one.
    pub(super) fn count_turn(&mut self, bound: &Bound) {
        let low = self.load(&bound.low, Scalar::U32);
        let high = self.load(&bound.high, Scalar::U32);
        let [zero, one, top] = [0, 1, 31].map(|word| self.asm.constant_u32(word));
        let left = self.apply(Prim::UOr, &[low, high]);
        let none = self.apply(Prim::UEq, &[left, zero]);
        self.break_where(&none, true);
        let less = self.apply(Prim::USub, &[low, one]);
        // The topmost bit comes up only where the low word was 0.
        let kept = self.apply(Prim::UNot, &[low]);
        let risen = self.apply(Prim::UAnd, &[less, kept]);
        let borrow = self.apply(Prim::UShr, &[risen, top]);
        let rest = self.apply(Prim::USub, &[high, borrow]);
        self.store(&bound.low, &less);
        self.store(&bound.high, &rest);
    }
}
