//! What a definition says of its value: bounds and differences, once its result is shown not to wrap.

use super::{I32_MAX, I32_MIN, MAX, Reasoner, Term};
use crate::proof::world::{Root, Rule};
use nupp_core::ir::build::Def;
use nupp_core::ir::entity::{Scalar, Value};
use nupp_core::ir::op::ScalarOp;

impl Reasoner<'_> {
    pub(super) fn define(&mut self, at: usize) {
        let world = self.world;
        let v = match self.terms[at] {
            Term::Value(v) => v,
            Term::Zero | Term::Length(_) => return,
        };
        match world.b.def(v) {
            Def::Const(c) => {
                let n = match c.ty {
                    Scalar::I32 => i64::from(c.bits as i32),
                    Scalar::U32 | Scalar::F32 | Scalar::Bool => i64::from(c.bits),
                };
                self.graph.within(at, n, n);
            }
            Def::Scalar(op, args) => self.define_op(at, *op, args),
            Def::If { cond, then, els } => self.define_choice(at, *cond, *then, *els),
            Def::Counted { lo, hi } => {
                let (lo, hi) = (self.value(*lo), self.value(*hi));
                self.graph.edge(lo, at, 0);
                self.graph.edge(at, hi, 0);
            }
            Def::External | Def::Leaf => self.define_root(at, v),
            Def::LoopParam { .. } | Def::LoopResult { .. } => {}
        }
    }

    fn define_root(&mut self, at: usize, v: Value) {
        match (self.world.roots.get(&v), self.world.rule) {
            (Some(Root::Index), Rule::Map { primary }) => {
                self.graph.at_least(at, 1);
                if self.rule {
                    let length = self.node(Term::Length(primary));
                    self.graph.edge(at, length, 0);
                }
            }
            (Some(Root::Lane), Rule::Groups { size, .. }) => {
                self.graph.within(at, 0, i64::from(size) - 1);
            }
            (Some(Root::Group), Rule::Groups { .. }) if self.rule => self.define_group(at),
            _ => {}
        }
    }

    fn define_choice(&mut self, at: usize, cond: Value, then: Value, els: Value) {
        if self.world.b.ty(then) == Scalar::Bool || self.world.b.ty(then) == Scalar::F32 {
            return;
        }
        let (t, e) = (self.value(then), self.value(els));
        match self.truth(cond) {
            Some(true) => self.graph.equal(at, t),
            Some(false) => self.graph.equal(at, e),
            None => {
                let (a, b) = (self.graph.range[t], self.graph.range[e]);
                self.graph.within(at, a.0.min(b.0), a.1.max(b.1));
            }
        }
    }

    fn define_op(&mut self, at: usize, op: ScalarOp, args: &[Value]) {
        use ScalarOp as O;
        let world = self.world;
        let nodes: Vec<usize> = args
            .iter()
            .filter(|v| world.is_integer(**v))
            .map(|v| self.value(*v))
            .collect();
        match (op, nodes.as_slice()) {
            (O::U32Add | O::I32Add, &[a, b]) => self.define_add(at, a, b),
            (O::U32Sub | O::I32Sub, &[a, b]) => self.define_sub(at, a, b),
            (O::U32Mul, &[a, b]) => self.define_mul(at, a, b, args),
            (O::I32Mul, &[a, b]) => self.define_signed_mul(at, a, b),
            (O::U32Div, &[a, b]) => self.define_div(at, a, b),
            (O::I32Div, &[a, b]) if self.graph.range[a].0 >= 0 && self.graph.range[b].0 >= 1 => {
                self.define_div(at, a, b);
            }
            (O::U32Mod, &[a, b]) => self.define_mod(at, a, b),
            (O::I32Mod, &[a, b]) if self.graph.range[b].0 >= 1 => {
                let most = self.graph.range[b].1 - 1;
                self.graph.within(at, -most, most);
                if self.graph.range[a].0 >= 0 {
                    self.define_mod(at, a, b);
                    self.graph.at_least(at, 0);
                }
            }
            (O::U32Min | O::I32Min, &[a, b]) => {
                self.graph.edge(at, a, 0);
                self.graph.edge(at, b, 0);
                let lo = self.graph.range[a].0.min(self.graph.range[b].0);
                self.graph.at_least(at, lo);
            }
            (O::U32Max | O::I32Max, &[a, b]) => {
                self.graph.edge(a, at, 0);
                self.graph.edge(b, at, 0);
                let hi = self.graph.range[a].1.max(self.graph.range[b].1);
                self.graph.at_most(at, hi);
            }
            (O::U32And, &[a, b]) => {
                self.graph.edge(at, a, 0);
                self.graph.edge(at, b, 0);
            }
            (O::I32And, &[a, b]) => {
                for side in [a, b] {
                    if self.graph.range[side].0 >= 0 {
                        self.graph.at_least(at, 0);
                        self.graph.edge(at, side, 0);
                    }
                }
            }
            (O::U32Or | O::U32Xor, &[a, b]) => {
                let most = self.graph.range[a].1.max(self.graph.range[b].1).max(0) as u64;
                self.graph
                    .at_most(at, (most + 1).next_power_of_two() as i64 - 1);
            }
            (O::U32Shl, &[a, b]) => self.define_shl(at, a, b),
            (O::U32Shr | O::I32Shr, &[a, b]) if self.graph.range[b].0 == self.graph.range[b].1 => {
                let by = self.graph.range[b].0 & 31;
                let (lo, hi) = self.graph.range[a];
                self.graph.within(at, lo >> by, hi >> by);
                if lo >= 0 {
                    self.graph.edge(at, a, 0);
                }
            }
            (O::U32Shr, &[a, _]) => self.graph.edge(at, a, 0),
            (O::U32Popcount | O::U32LeadingZeros | O::U32TrailingZeros, _) => {
                self.graph.within(at, 0, 32);
            }
            (O::U32MulHigh, &[a, b]) => {
                let most = i128::from(self.graph.range[a].1) * i128::from(self.graph.range[b].1);
                self.graph.at_most(at, (most >> 32) as i64);
            }
            (O::U32FromI32, &[a])
                if self.graph.range[a].0 >= 0 || self.graph.range[at].1 <= I32_MAX =>
            {
                self.graph.equal(at, a);
            }
            (O::I32FromU32, &[a])
                if self.graph.range[a].1 <= I32_MAX || self.graph.range[at].0 >= 0 =>
            {
                self.graph.equal(at, a);
            }
            (O::U32Select | O::I32Select, _) => {
                self.define_choice(at, args[0], args[1], args[2]);
            }
            _ => {}
        }
    }

    fn limits(&self, at: usize) -> (i64, i64) {
        match self.terms[at] {
            Term::Value(v) if self.world.b.ty(v) == Scalar::I32 => (I32_MIN, I32_MAX),
            _ => (0, MAX),
        }
    }

    fn define_add(&mut self, at: usize, a: usize, b: usize) {
        let ((alo, ahi), (blo, bhi)) = (self.graph.range[a], self.graph.range[b]);
        let (least, most) = self.limits(at);
        // Two signed numbers that are not negative wrap to one that is.
        let signed = least < 0 && alo.min(blo).min(self.graph.range[at].0) >= 0;
        if !(self.trusting || signed || alo + blo >= least && ahi + bhi <= most) {
            return;
        }
        self.graph
            .within(at, (alo + blo).max(least), (ahi + bhi).min(most));
        self.graph.edge(at, a, bhi);
        self.graph.edge(a, at, -blo);
        self.graph.edge(at, b, ahi);
        self.graph.edge(b, at, -alo);
    }

    fn define_sub(&mut self, at: usize, a: usize, b: usize) {
        let ((alo, ahi), (blo, bhi)) = (self.graph.range[a], self.graph.range[b]);
        let (least, most) = self.limits(at);
        let gap = self.graph.distance(b, a).unwrap_or(MAX);
        let low = (alo - bhi).max(-gap);
        if !(self.trusting || low >= least && ahi - blo <= most) {
            return;
        }
        self.graph.within(at, low.max(least), (ahi - blo).min(most));
        self.graph.edge(at, a, -blo);
        self.graph.edge(a, at, bhi);
    }

    fn define_mul(&mut self, at: usize, a: usize, b: usize, args: &[Value]) {
        let exact = self.define_group_mul(at, a, b, args);
        let ((alo, ahi), (blo, bhi)) = (self.graph.range[a], self.graph.range[b]);
        let most = i128::from(ahi) * i128::from(bhi);
        let part = self.is_quotient_times(args);
        if let Some(whole) = part {
            let whole = self.value(whole);
            self.graph.edge(at, whole, 0);
        }
        // That a comparison bounds the product from above does not say that it did not wrap.
        if most > i128::from(MAX) && part.is_none() && !exact {
            return;
        }
        self.graph.at_least(at, alo.saturating_mul(blo).min(MAX));
        if let Ok(most) = i64::try_from(most) {
            self.graph.at_most(at, most);
        }
        if blo >= 1 {
            self.graph.edge(a, at, 0);
        }
        if alo >= 1 {
            self.graph.edge(b, at, 0);
        }
    }

    /// `(x div c) * c` for one constant `c`: never above `x`, so it cannot wrap.
    fn is_quotient_times(&self, args: &[Value]) -> Option<Value> {
        let by = |v: Value| self.world.b.as_const(v).map(|c| c.bits);
        for (q, c) in [(args[0], args[1]), (args[1], args[0])] {
            if let (Def::Scalar(ScalarOp::U32Div, inner), Some(c)) = (self.world.b.def(q), by(c))
                && by(inner[1]) == Some(c)
            {
                return Some(inner[0]);
            }
        }
        None
    }

    fn define_signed_mul(&mut self, at: usize, a: usize, b: usize) {
        let ((alo, ahi), (blo, bhi)) = (self.graph.range[a], self.graph.range[b]);
        let all = [alo * blo, alo * bhi, ahi * blo, ahi * bhi];
        let lo = all.into_iter().fold(i64::MAX, i64::min);
        let hi = all.into_iter().fold(i64::MIN, i64::max);
        if lo >= I32_MIN && hi <= I32_MAX {
            self.graph.within(at, lo, hi);
        }
    }

    fn define_div(&mut self, at: usize, a: usize, b: usize) {
        let ((alo, ahi), (blo, bhi)) = (self.graph.range[a], self.graph.range[b]);
        self.graph.edge(at, a, 0);
        if blo >= 1 {
            self.graph.within(at, alo / bhi, ahi / blo);
        }
    }

    fn define_mod(&mut self, at: usize, a: usize, b: usize) {
        self.graph.edge(at, a, 0);
        let (blo, bhi) = self.graph.range[b];
        self.graph.at_most(at, (bhi - 1).max(0));
        if blo >= 1 {
            self.graph.edge(at, b, -1);
        }
    }

    fn define_shl(&mut self, at: usize, a: usize, b: usize) {
        let (lo, hi) = self.graph.range[a];
        let by = self.graph.range[b];
        if by.0 == by.1 && hi << (by.0 & 31) <= MAX {
            let by = by.0 & 31;
            self.graph.within(at, lo << by, hi << by);
            self.graph.edge(a, at, 0);
        }
    }
}
