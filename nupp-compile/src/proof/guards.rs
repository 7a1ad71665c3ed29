//! Guards as premises: relations of span lengths, in exact integers.
//!
//! A relation of two lengths with one factor is an edge; any other is kept whole and bounds each
//! length through the others. `Block` writes ask for `stride * #primary <= #span` here.

use super::reason::{Linear, Premises, Reasoner, Term};
use super::world::World;
use nupp_core::ir::entity::SpanId;
use nupp_core::ir::kernel::{CmpOp, Guard, GuardCond, LengthCond, LengthSum};

/// The guards over lengths, with their positions.
pub(crate) fn length_guards(guards: &[Guard]) -> Vec<(u32, &LengthCond)> {
    guards
        .iter()
        .enumerate()
        .filter_map(|(at, guard)| match &guard.cond {
            GuardCond::Lengths(cond) => Some((at as u32, cond)),
            GuardCond::Scalar(_) => None,
        })
        .collect()
}

impl Reasoner<'_> {
    /// Takes a guard's truth in.
    pub(super) fn assume_guard(&mut self, cond: &LengthCond, truth: bool) {
        match cond {
            LengthCond::Cmp { op, lhs, rhs } => self.assume_relation(*op, lhs, rhs, truth),
            LengthCond::Not(inner) => self.assume_guard(inner, !truth),
            LengthCond::And(a, b) if truth => {
                self.assume_guard(a, true);
                self.assume_guard(b, true);
            }
            LengthCond::Or(a, b) if !truth => {
                self.assume_guard(a, false);
                self.assume_guard(b, false);
            }
            LengthCond::And(..) | LengthCond::Or(..) => {}
        }
    }

    fn assume_relation(&mut self, op: CmpOp, lhs: &LengthSum, rhs: &LengthSum, truth: bool) {
        let op = if truth { op } else { negated(op) };
        match op {
            CmpOp::Le => self.assume_sum(lhs, rhs, 0),
            CmpOp::Lt => self.assume_sum(lhs, rhs, 1),
            CmpOp::Ge => self.assume_sum(rhs, lhs, 0),
            CmpOp::Gt => self.assume_sum(rhs, lhs, 1),
            CmpOp::Eq => {
                self.assume_sum(lhs, rhs, 0);
                self.assume_sum(rhs, lhs, 0);
            }
            CmpOp::Ne => self.assume_unequal(lhs, rhs),
        }
    }

    fn assume_unequal(&mut self, lhs: &LengthSum, rhs: &LengthSum) {
        let (terms, constant) = self.difference(lhs, rhs, 0);
        match terms.as_slice() {
            [] => self.graph.absurd |= constant == 0,
            &[(1, a), (-1, b)] | &[(-1, b), (1, a)] if constant == 0 => self.mark_unequal(a, b),
            _ => {}
        }
    }

    fn difference(
        &mut self,
        lhs: &LengthSum,
        rhs: &LengthSum,
        more: i64,
    ) -> (Vec<(i64, usize)>, i64) {
        let mut terms: Vec<(i64, usize)> = Vec::new();
        let signed = lhs.terms.iter().map(|t| (t.0, t.1));
        let signed = signed.chain(rhs.terms.iter().map(|t| (t.0.saturating_neg(), t.1)));
        for (factor, span) in signed.collect::<Vec<_>>() {
            let node = self.node(Term::Length(span));
            match terms.iter_mut().find(|t| t.1 == node) {
                Some(t) => t.0 = t.0.saturating_add(factor),
                None => terms.push((factor, node)),
            }
        }
        terms.retain(|t| t.0 != 0);
        let constant = lhs
            .constant
            .saturating_sub(rhs.constant)
            .saturating_add(more);
        (terms, constant)
    }

    /// `lhs + more <= rhs`.
    fn assume_sum(&mut self, lhs: &LengthSum, rhs: &LengthSum, more: i64) {
        let (terms, constant) = self.difference(lhs, rhs, more);
        match terms.as_slice() {
            [] => self.graph.absurd |= constant > 0,
            &[(p, a), (n, b)] | &[(n, b), (p, a)] if p > 0 && n < 0 && p >= n.saturating_neg() => {
                // p * a <= -n * b - constant, and -n / p is at most 1.
                self.graph
                    .edge(a, b, constant.saturating_neg().div_euclid(p));
            }
            _ => {}
        }
        self.linear.push(Linear { terms, constant });
    }

    /// Whether some premise says `factor * #small <= #large`, directly or through equal lengths.
    pub(crate) fn proves_multiple(&mut self, factor: u32, small: SpanId, large: SpanId) -> bool {
        if self.graph.absurd {
            return true;
        }
        let (small, large) = (
            self.node(Term::Length(small)),
            self.node(Term::Length(large)),
        );
        let found: Vec<(i64, usize, usize, i64)> = self
            .linear
            .iter()
            .filter_map(|l| match l.terms.as_slice() {
                &[(p, a), (-1, b)] | &[(-1, b), (p, a)] if p > 0 => Some((p, a, b, l.constant)),
                _ => None,
            })
            .collect();
        found.into_iter().any(|(p, a, b, constant)| {
            p >= i64::from(factor)
                && constant >= 0
                && self.graph.distance(small, a).is_some_and(|d| d <= 0)
                && self.graph.distance(b, large).is_some_and(|d| d <= 0)
        })
    }
}

fn negated(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Le => CmpOp::Gt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Ge => CmpOp::Lt,
    }
}

/// The guards that say together what `holds` asks for: none can be left out. `None` where all of
/// them together do not.
pub(crate) fn needed_guards(
    guards: &[Guard],
    holds: impl Fn(&[&LengthCond]) -> bool,
) -> Option<Vec<u32>> {
    let mut kept = length_guards(guards);
    let conds = |of: &[(u32, &'_ LengthCond)]| -> bool {
        let only: Vec<&LengthCond> = of.iter().map(|g| g.1).collect();
        holds(&only)
    };
    if !conds(&kept) {
        return None;
    }
    let mut at = 0;
    while at < kept.len() {
        let mut fewer = kept.clone();
        fewer.remove(at);
        if conds(&fewer) {
            kept = fewer;
        } else {
            at += 1;
        }
    }
    Some(kept.into_iter().map(|g| g.0).collect())
}

/// The guards that make two spans equally long.
pub(crate) fn equal_lengths(
    world: &World,
    guards: &[Guard],
    a: SpanId,
    b: SpanId,
) -> Option<Vec<u32>> {
    needed_guards(guards, |only| {
        let mut r = over_lengths(world, only, &[a, b]);
        r.proves(Term::Length(a), Term::Length(b), 0)
            && r.proves(Term::Length(b), Term::Length(a), 0)
    })
}

/// The guards that say `factor * #small <= #large`.
pub(crate) fn multiple(
    world: &World,
    guards: &[Guard],
    factor: u32,
    small: SpanId,
    large: SpanId,
) -> Option<Vec<u32>> {
    needed_guards(guards, |only| {
        over_lengths(world, only, &[small, large]).proves_multiple(factor, small, large)
    })
}

/// Which of two spans is shown to be no longer than the other, if only one way is shown.
pub(crate) fn one_sided(world: &World, guards: &[Guard], a: SpanId, b: SpanId) -> Option<Vec<u32>> {
    let way = |x, y| {
        needed_guards(guards, |only| {
            over_lengths(world, only, &[a, b]).proves(Term::Length(x), Term::Length(y), 0)
        })
    };
    way(a, b).or_else(|| way(b, a)).filter(|c| !c.is_empty())
}

/// The guards that cannot hold together, if there are such.
pub(crate) fn contradiction(world: &World, guards: &[Guard]) -> Option<Vec<u32>> {
    needed_guards(guards, |only| over_lengths(world, only, &[]).absurd())
}

fn over_lengths<'a>(world: &'a World, guards: &[&LengthCond], spans: &[SpanId]) -> Reasoner<'a> {
    let about: Vec<Term> = spans.iter().map(|s| Term::Length(*s)).collect();
    let premises = Premises {
        guards: guards.to_vec(),
        ..Premises::default()
    };
    Reasoner::new(world, &premises, &about)
}
