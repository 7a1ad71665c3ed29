//! What the group rule says of the group number and its multiples.
//!
//! Groups times the divisor are at most the length of the rule's span, or less than a divisor above
//! it, and a guard may relate a multiple of that length to a multiple of another one. Both together
//! bound `group * c`.

use super::reason::{MAX, Premises, Reasoner, Term};
use super::world::{Root, Rule, World};
use nupp_core::ir::entity::Value;

/// Whether no lane's `group * stride + slot` exceeds uint32, for slots below the stride: only then do
/// different groups have different elements. `base` is `group * stride`.
pub(crate) fn groups_apart(
    world: &World,
    premises: &Premises<'_>,
    (group, base): (Value, Value),
    stride: u32,
) -> bool {
    let stride = i64::from(stride);
    let fits = |most: i64, times: i64| {
        i128::from(most) * i128::from(times) + i128::from(stride) - 1 <= i128::from(MAX)
    };
    let mut r = Reasoner::new(world, premises, &[Term::Value(group), Term::Value(base)]);
    let (_, most) = r.range_of(group);
    if r.absurd() || fits(most, stride) {
        return true;
    }
    let at = r.node(Term::Value(base));
    r.bound_multiple(at, stride) && fits(r.graph.range[at].1, 1)
}

impl Reasoner<'_> {
    /// The group number.
    pub(super) fn define_group(&mut self, at: usize) {
        if let Rule::Groups { divisor, .. } = self.world.rule {
            self.graph.at_most(at, MAX / i64::from(divisor));
            let _ = self.bound_multiple(at, 1);
        }
    }

    /// `group * c` for a constant `c`. Answers whether the product is known not to wrap.
    pub(super) fn define_group_mul(
        &mut self,
        at: usize,
        a: usize,
        b: usize,
        args: &[Value],
    ) -> bool {
        let is_group = |v: Value| self.world.roots.get(&v) == Some(&Root::Group);
        let (least, most) = match (is_group(args[0]), is_group(args[1])) {
            (true, false) => self.graph.range[b],
            (false, true) => self.graph.range[a],
            _ => return false,
        };
        least == most && least >= 1 && self.rule && self.bound_multiple(at, least)
    }

    /// `at` is `c * group`, or less where that wraps: bounds it by lengths. Answers whether one of
    /// the bounds shows that it does not wrap.
    fn bound_multiple(&mut self, at: usize, c: i64) -> bool {
        let Rule::Groups {
            span,
            divisor,
            ceil,
            ..
        } = self.world.rule
        else {
            return false;
        };
        if c <= i64::from(divisor) {
            // Groups times the divisor are at most 2^32.
            self.graph.at_most(at, MAX + 1 - c);
        }
        let (c, divisor) = (i128::from(c), i128::from(divisor));
        // Down: divisor * group + divisor <= #span. Up: divisor * group + 1 <= #span.
        let past = if ceil { 1 } else { divisor };
        let length = self.node(Term::Length(span));
        let mut bounds = Vec::new();
        if c <= divisor {
            // Of a part of the divisor only a part is past the product.
            bounds.push((length, if ceil { -1 } else { -c }));
        }
        for (p, x, n, y, constant) in self.relations() {
            // p * #x + constant <= n * #y, and #span <= #x + apart, so
            // n * c * group <= p * divisor * group <= n * #y - constant - p * (past - apart).
            let Some(apart) = self.graph.distance(length, x) else {
                continue;
            };
            if n * c <= p * divisor {
                let room = -constant - p * (past - i128::from(apart));
                bounds.push((y, room.div_euclid(n)));
            }
        }
        let mut exact = c <= divisor;
        for (node, room) in bounds {
            if let Ok(room) = i64::try_from(room) {
                exact |= room <= 0;
                self.graph.edge(at, node, room);
            }
        }
        exact
    }

    /// Premises `p * x + constant <= n * y` of two lengths, as `(p, x, n, y, constant)`.
    fn relations(&self) -> Vec<(i128, usize, i128, usize, i128)> {
        let two = |l: &super::reason::Linear| match l.terms.as_slice() {
            &[(p, x), (n, y)] | &[(n, y), (p, x)] if p > 0 && n < 0 => {
                Some((i128::from(p), x, -i128::from(n), y, i128::from(l.constant)))
            }
            _ => None,
        };
        self.linear.iter().filter_map(two).collect()
    }
}
