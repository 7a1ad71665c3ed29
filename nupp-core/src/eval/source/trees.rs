//! Fixed trees, stage by stage.
//!
//! A stage reads what the stage before left: a reduction's slots below the stride are written and
//! the others read, and a scan alternates between two arrays.

use super::{EvalError, Machine};
use crate::eval::scalar;
use crate::ir::kernel::{Combine, Groups, Tree, TreeKind};

type Step = Result<(), EvalError>;

impl<'a> Machine<'a> {
    pub(super) fn tree(&mut self, tree: &'a Tree, groups: &'a Groups) -> Step {
        let count = groups.scratch[tree.array.index()].count as usize;
        match tree.kind {
            TreeKind::Reduce => self.reduce(tree, count),
            TreeKind::InclusiveScan { temporary } => {
                let other = self.scan(tree, count)?;
                if let Some(temporary) = temporary {
                    self.scratch[temporary.index()] = other;
                }
                Ok(())
            }
            TreeKind::ExclusiveScan => {
                self.scan(tree, count)?;
                let slots = &mut self.scratch[tree.array.index()];
                slots.rotate_right(1);
                let identity = match &tree.combine {
                    Combine::Op(op) => scalar::identity(*op),
                    Combine::Region { .. } => None,
                };
                // The verifier admits only combinations that have one.
                slots[0] = identity.unwrap_or(0);
                Ok(())
            }
        }
    }

    fn combine(&mut self, combine: &'a Combine, a: u32, b: u32) -> Result<u32, EvalError> {
        match combine {
            Combine::Op(op) => Ok(scalar::apply3(*op, a, b, 0)),
            Combine::Region { params, region } => {
                self.set(params[0], a);
                self.set(params[1], b);
                self.region(region)?;
                let value = region.yields[0];
                Ok(super::visible(self.types[value.index()], self.get(value)))
            }
        }
    }

    fn reduce(&mut self, tree: &'a Tree, count: usize) -> Step {
        let array = tree.array.index();
        let mut stride = count / 2;
        while stride > 0 {
            for i in 0..stride {
                let (a, b) = (self.scratch[array][i], self.scratch[array][i + stride]);
                self.scratch[array][i] = self.combine(&tree.combine, a, b)?;
            }
            stride /= 2;
        }
        Ok(())
    }

    /// Scans the array in place and gives what a second array holds afterwards: the stage before
    /// the last where the number of stages is even, the result where it is odd.
    fn scan(&mut self, tree: &'a Tree, count: usize) -> Result<Vec<u32>, EvalError> {
        let array = tree.array.index();
        let mut old = self.scratch[array].clone();
        let mut other = match tree.kind {
            TreeKind::InclusiveScan {
                temporary: Some(temporary),
            } => self.scratch[temporary.index()].clone(),
            TreeKind::InclusiveScan { temporary: None }
            | TreeKind::ExclusiveScan
            | TreeKind::Reduce => old.clone(),
        };
        let mut distance = 1;
        let mut in_other = false;
        while distance < count {
            other[..distance].copy_from_slice(&old[..distance]);
            for i in distance..count {
                other[i] = self.combine(&tree.combine, old[i - distance], old[i])?;
            }
            std::mem::swap(&mut old, &mut other);
            in_other = !in_other;
            distance *= 2;
        }
        if in_other {
            // One copy stage brings the result home.
            other.clone_from(&old);
        }
        self.scratch[array] = old;
        Ok(other)
    }
}
