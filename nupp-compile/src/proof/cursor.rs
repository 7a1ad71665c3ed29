//! A computed element: dominating comparisons, guards and the group rule bound it.
//!
//! The search asks with every premise and then leaves out what is not needed, so that a certificate
//! names only what it rests on.

use super::guards::length_guards;
use super::reason::{Premises, Reasoner, Term};
use super::world::World;
use nupp_core::ir::entity::{SpanId, Value};
use nupp_core::ir::kernel::{Guard, LengthCond};
use nupp_core::ir::place::Certificate;

/// Something that is below a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// `value + offset` is an element of the span: not below 0 and below the length.
    Element(Value, i64, SpanId),
    /// The value is below a constant.
    Below(Value, u32),
}

/// What a proof may start from.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// The kernel's values.
    pub world: &'a World,
    /// Dominating facts, outermost first.
    pub facts: &'a [(Value, bool)],
    /// The kernel's guards.
    pub guards: &'a [Guard],
}

/// The premises a proof needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needed {
    /// Facts.
    pub facts: Vec<(Value, bool)>,
    /// Positions of guards.
    pub guards: Vec<u32>,
    /// The dispatch rule.
    pub rule: bool,
}

impl Needed {
    /// As a certificate.
    pub(crate) fn certificate(self, world: &World, bound: Bound) -> Certificate {
        let mut parts = Vec::new();
        if self.rule {
            parts.push(Certificate::Primary);
        }
        if !self.guards.is_empty() {
            parts.push(Certificate::Guard { chain: self.guards });
        }
        if !self.facts.is_empty() {
            parts.push(Certificate::Cursor { facts: self.facts });
        }
        if parts.len() > 1 {
            return Certificate::All(parts);
        }
        let constant = match bound {
            Bound::Below(v, _) => world.b.as_const(v).is_some(),
            Bound::Element(..) => false,
        };
        let bare = if constant {
            Certificate::Const
        } else {
            Certificate::Interval
        };
        parts.pop().unwrap_or(bare)
    }
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The bound follows from these premises.
    Proved(Needed),
    /// The facts contradict each other, so nothing runs here.
    Unreachable,
    /// Nothing shows the bound.
    Missing,
}

/// Whether a bound follows from these premises.
pub(crate) fn holds(world: &World, premises: &Premises<'_>, bound: Bound) -> bool {
    match bound {
        Bound::Element(v, offset, span) => {
            let (term, length) = (Term::Value(v), Term::Length(span));
            let mut r = Reasoner::new(world, premises, &[term, length]);
            r.proves(term, length, -1 - offset)
                && (offset >= 0 || r.proves(Term::Zero, term, offset))
        }
        Bound::Below(v, count) => {
            let term = Term::Value(v);
            let mut r = Reasoner::new(world, premises, &[term]);
            r.proves(term, Term::Zero, i64::from(count) - 1)
        }
    }
}

/// Finds the premises that prove a bound.
pub(crate) fn search(known: Known<'_>, bound: Bound) -> Outcome {
    let mut guards = length_guards(known.guards);
    let mut facts = known.facts.to_vec();
    let mut rule = true;
    let ask = |rule: bool, guards: &[(u32, &LengthCond)], facts: &[(Value, bool)]| {
        let premises = Premises {
            facts: facts.to_vec(),
            guards: guards.iter().map(|g| g.1).collect(),
            rule,
            trusting: false,
        };
        holds(known.world, &premises, bound)
    };
    if !ask(rule, &guards, &facts) {
        return Outcome::Missing;
    }
    if ask(false, &[], &[]) {
        return Outcome::Proved(Needed::default());
    }
    if contradict(known, bound) {
        return Outcome::Unreachable;
    }
    rule = !ask(false, &guards, &facts);
    if ask(rule, &[], &facts) {
        guards.clear();
    }
    shrink(&mut guards, |fewer| ask(rule, fewer, &facts));
    if ask(rule, &guards, &[]) {
        facts.clear();
    }
    shrink(&mut facts, |fewer| ask(rule, &guards, fewer));
    Outcome::Proved(Needed {
        facts,
        guards: guards.into_iter().map(|g| g.0).collect(),
        rule,
    })
}

/// Whether the premises, and what is asked about, cannot all be.
fn contradict(known: Known<'_>, bound: Bound) -> bool {
    let premises = Premises {
        facts: known.facts.to_vec(),
        guards: length_guards(known.guards)
            .into_iter()
            .map(|g| g.1)
            .collect(),
        rule: true,
        trusting: false,
    };
    let about = match bound {
        Bound::Element(v, _, span) => vec![Term::Value(v), Term::Length(span)],
        Bound::Below(v, _) => vec![Term::Value(v)],
    };
    Reasoner::new(known.world, &premises, &about).absurd()
}

/// Leaves out, from the first on, whatever `enough` can do without: a run of items at once, as long
/// as may be, since what is enough without some of them is enough with more.
fn shrink<T: Clone>(items: &mut Vec<T>, enough: impl Fn(&[T]) -> bool) {
    let mut at = 0;
    while at < items.len() {
        let without = |run: usize| {
            let mut fewer = items[..at].to_vec();
            fewer.extend_from_slice(&items[at + run..]);
            fewer
        };
        // The first `spare` of the rest may go; no more than `limit` may.
        let (mut spare, mut limit) = (0, items.len() - at);
        while spare < limit {
            let run = (spare + limit).div_ceil(2);
            if enough(&without(run)) {
                spare = run;
            } else {
                limit = run - 1;
            }
        }
        *items = without(spare);
        at += 1;
    }
}
