//! Choices: what each side leaves, and what its condition says of lanes and indices.

use super::Walk;
use crate::device::ir::DeviceRegion;
use crate::ir::entity::{Scope, Value};
use crate::ir::op::ScalarOp;
use crate::verify::VerifyError;
use crate::verify::device::shape::Shape;

impl Walk<'_> {
    pub(super) fn branch(
        &mut self,
        cond: Value,
        then: &DeviceRegion,
        els: &DeviceRegion,
        results: &[Value],
    ) -> Result<(), VerifyError> {
        let private = self.scopes[cond.index()] == Scope::Lane;
        let before = self.open.clone();
        let had = self.written.clone();
        let (yes, yes_written) = self.side(cond, true, then)?;
        let after_then = if private {
            // The other side runs beside this one.
            None
        } else {
            Some(std::mem::replace(&mut self.open, before))
        };
        let kept = std::mem::replace(&mut self.written, had.clone());
        let (no, no_written) = self.side(cond, false, els)?;
        if let Some(open) = after_then {
            for access in open {
                if !self.open.contains(&access) {
                    self.open.push(access);
                }
            }
        }
        let other = std::mem::replace(&mut self.written, had);
        self.join_written(private, (kept, yes_written), (other, no_written));
        for ((result, yes), no) in results.iter().zip(yes).zip(no) {
            self.shapes[result.index()] = yes.join(no);
        }
        Ok(())
    }

    /// What is certain after a choice: of a private one, what the lanes on each side surely wrote;
    /// of a uniform one, what both sides wrote.
    fn join_written(
        &mut self,
        private: bool,
        (then, then_certain): (Vec<Vec<(i64, i64)>>, bool),
        (els, els_certain): (Vec<Vec<(i64, i64)>>, bool),
    ) {
        for array in 0..self.written.len() {
            let (a, b) = (&then[array], &els[array]);
            let mut more: Vec<(i64, i64)> = Vec::new();
            if private {
                more.extend(a.iter().filter(|_| then_certain));
                more.extend(b.iter().filter(|_| els_certain));
            } else {
                for x in a {
                    for y in b {
                        let both = (x.0.max(y.0), x.1.min(y.1));
                        if both.0 <= both.1 {
                            more.push(both);
                        }
                    }
                }
            }
            for range in more {
                self.cover(array as u32, range);
            }
        }
    }

    /// Walks one side of a choice; gives the shapes it yields, and whether all lanes that may be
    /// in it are.
    fn side(
        &mut self,
        cond: Value,
        truth: bool,
        region: &DeviceRegion,
    ) -> Result<(Vec<Shape>, bool), VerifyError> {
        let (mark, lanes, certain) = (self.narrowed.len(), self.lanes, self.certain);
        let waiting = self.pending.len();
        let private = self.scopes[cond.index()] == Scope::Lane;
        self.certain = certain && (!private || self.is_lane_bound(cond));
        self.narrow(cond, truth);
        self.region(region)?;
        let yields = region
            .yields
            .iter()
            .map(|v| self.shapes[v.index()])
            .collect();
        let all_here = self.certain;
        for (value, shape) in self.narrowed.drain(mark..).rev() {
            self.shapes[value.index()] = shape;
        }
        if !all_here || !private {
            // One side of a uniform choice may never be taken.
            self.pending.truncate(waiting);
        }
        self.lanes = lanes;
        self.certain = certain;
        Ok((yields, all_here))
    }

    /// Whether a condition says just that the lane number is below a constant.
    fn is_lane_bound(&self, cond: Value) -> bool {
        match &self.defs[cond.index()] {
            Some((ScalarOp::U32Lt | ScalarOp::U32Le, args)) => {
                let [a, b] = args.as_slice() else {
                    return false;
                };
                let b = self.shapes[b.index()];
                self.is_local[a.index()] && b.is_exact() && b.coef == 0
            }
            _ => false,
        }
    }

    /// Narrows what is known by a condition that holds or does not.
    fn narrow(&mut self, cond: Value, truth: bool) {
        let Some((op, args)) = self.defs[cond.index()].clone() else {
            return;
        };
        match (op, args.as_slice(), truth) {
            (ScalarOp::BoolNot, [a], _) => self.narrow(*a, !truth),
            (ScalarOp::BoolAnd, [a, b], true) | (ScalarOp::BoolOr, [a, b], false) => {
                self.narrow(*a, truth);
                self.narrow(*b, truth);
            }
            (ScalarOp::U32Lt | ScalarOp::I32Lt, [a, b], true) => self.order(*a, *b, 1),
            (ScalarOp::U32Lt | ScalarOp::I32Lt, [a, b], false) => self.order(*b, *a, 0),
            (ScalarOp::U32Le | ScalarOp::I32Le, [a, b], true) => self.order(*a, *b, 0),
            (ScalarOp::U32Le | ScalarOp::I32Le, [a, b], false) => self.order(*b, *a, 1),
            (ScalarOp::U32Eq | ScalarOp::I32Eq, [a, b], true) => {
                self.order(*a, *b, 0);
                self.order(*b, *a, 0);
            }
            _ => {}
        }
    }

    /// `lesser + gap <= greater`.
    fn order(&mut self, lesser: Value, greater: Value, gap: i64) {
        let bound = self.shapes[greater.index()].range.1 - gap;
        let floor = self.shapes[lesser.index()].range.0 + gap;
        for value in [lesser, greater] {
            self.narrowed.push((value, self.shapes[value.index()]));
        }
        let range = &mut self.shapes[lesser.index()].range;
        range.1 = range.1.min(bound);
        let range = &mut self.shapes[greater.index()].range;
        range.0 = range.0.max(floor);
        for value in [lesser, greater] {
            if self.is_local[value.index()] {
                let range = self.shapes[value.index()].range;
                self.lanes = (self.lanes.0.max(range.0), self.lanes.1.min(range.1));
            }
        }
    }
}
