//! Trees and scans over scratch, in their one order.

use super::{Failure, Flow, Frame, State, Words};
use nupp_core::eval::scalar::apply;
use nupp_front::hir::TreeCall;

impl State<'_> {
    /// Trees, stage by stage, as the language defines them.
    pub(super) fn tree(
        &mut self,
        frame: &mut Frame<'_>,
        kind: &TreeCall,
        array: usize,
    ) -> Result<Flow, Failure> {
        let count = self.scratch[array].1.len();
        match kind {
            TreeCall::Reduce(op) => {
                let mut stride = count / 2;
                while stride >= 1 {
                    for i in 0..stride {
                        let words = &mut self.scratch[array].1;
                        words[i] = apply(*op, &[words[i], words[i + stride]]);
                    }
                    stride /= 2;
                }
            }
            TreeCall::ReduceWith { a, b, body, result } => {
                let mut stride = count / 2;
                while stride >= 1 {
                    for i in 0..stride {
                        let words = &self.scratch[array].1;
                        let (left, right) = (words[i], words[i + stride]);
                        frame.locals[a.index()] = vec![left];
                        frame.locals[b.index()] = vec![right];
                        self.block(frame, body)?;
                        self.scratch[array].1[i] = self.expr(frame, result)?[0];
                    }
                    stride /= 2;
                }
            }
            TreeCall::InclusiveScan(op, temporary) => {
                let left = self.scan(array, |a, b| apply(*op, &[a, b]), *temporary);
                if let Some(temporary) = temporary {
                    self.scratch[*temporary as usize].1 = left;
                }
            }
            TreeCall::ExclusiveScan(op) => {
                self.scan(array, |a, b| apply(*op, &[a, b]), None);
                let words = &mut self.scratch[array].1;
                words.rotate_right(1);
                // Of the combinations there are only sums.
                words[0] = 0;
            }
        }
        Ok(Flow::Next)
    }

    /// Stages that go from one array to the other and back, and one that copies where the result
    /// is not home. Gives what the other array holds in the end.
    fn scan(
        &mut self,
        array: usize,
        combine: impl Fn(u32, u32) -> u32,
        temporary: Option<u32>,
    ) -> Words {
        let words = self.scratch[array].1.clone();
        let other = temporary.map_or(array, |t| t as usize);
        let mut both = [words, self.scratch[other].1.clone()];
        let (mut from, mut distance) = (0, 1);
        while distance < both[from].len() {
            let old = both[from].clone();
            for (i, new) in both[1 - from].iter_mut().enumerate() {
                *new = if i < distance {
                    old[i]
                } else {
                    combine(old[i - distance], old[i])
                };
            }
            from = 1 - from;
            distance *= 2;
        }
        if from == 1 {
            both[0] = both[1].clone();
        }
        let [words, other] = both;
        self.scratch[array].1 = words;
        other
    }
}
