//! Whether two indices of a layout can mean the same element, exactly.
//!
//! Two indices meet if their difference `d`, with `|d[i]| < dimension[i]` and not all 0, has
//! `d[0] * stride[0] + .. + d[3] * stride[3] == 0`. For the two greater dimensions that is a linear
//! congruence, solved at once; the differences of the two smaller ones are tried one by one. Since all
//! dimensions together have at most 2^32 indices, the two smaller have at most 2^16, which gives at
//! most 2^17 pairs of differences, signs included and opposites counted once.
//!
//! May assume a layout that `Layout::new` accepted: every sum below stays under 2^34.

use crate::layout::MAX_RANK;

/// How far a difference goes, both ways, and what a step of it adds.
#[derive(Clone, Copy)]
struct Axis {
    most: i64,
    stride: i64,
}

impl Axis {
    /// The greatest sum of this axis alone.
    fn reach(self) -> i64 {
        self.most * self.stride
    }
}

/// Whether no two indices of this shape mean the same element.
pub(crate) fn is_injective(dimensions: &[u32; MAX_RANK], strides: &[u32; MAX_RANK]) -> bool {
    let mut axes = [Axis { most: 0, stride: 1 }; MAX_RANK];
    for (axis, (dimension, stride)) in axes.iter_mut().zip(dimensions.iter().zip(strides)) {
        // A dimension of 1 has no difference, whatever its stride.
        if *dimension > 1 {
            *axis = Axis {
                most: i64::from(*dimension) - 1,
                stride: i64::from(*stride),
            };
        }
    }
    if axes.iter().any(|axis| axis.stride == 0) {
        return false;
    }
    nested(axes) || !meets(axes)
}

/// Whether each stride is longer than all that the shorter ones reach together, as it is in every part
/// and every transposition of a dense layout. Then no two indices meet; otherwise they may or not.
fn nested(mut axes: [Axis; MAX_RANK]) -> bool {
    axes.sort_unstable_by_key(|axis| axis.stride);
    let mut reached = 0;
    axes.iter().filter(|axis| axis.most > 0).all(|axis| {
        let apart = axis.stride > reached;
        reached += axis.reach();
        apart
    })
}

/// Whether some difference other than 0 sums to 0. No stride is 0.
fn meets(mut axes: [Axis; MAX_RANK]) -> bool {
    axes.sort_unstable_by_key(|axis| axis.most);
    let [first, second, third, fourth] = axes;
    let pair = Pair::new(third, fourth);
    if pair.cancels() {
        return true;
    }
    // A difference and its opposite sum to 0 together, so the first that is not 0 is positive.
    let rest = (1..=second.most).any(|y| pair.gives(y * second.stride));
    rest || (1..=first.most).any(|x| {
        (-second.most..=second.most).any(|y| pair.gives(x * first.stride + y * second.stride))
    })
}

/// The sums of two axes.
struct Pair {
    a: Axis,
    b: Axis,
    /// The greatest common divisor of the strides.
    divisor: i64,
    /// The stride of `b` over the divisor.
    modulus: i64,
    /// What times the stride of `a` over the divisor is 1, modulo `modulus`.
    inverse: i64,
}

impl Pair {
    fn new(a: Axis, b: Axis) -> Self {
        let (divisor, factor) = bezout(a.stride, b.stride);
        let modulus = b.stride / divisor;
        Self {
            a,
            b,
            divisor,
            modulus,
            inverse: factor.rem_euclid(modulus),
        }
    }

    /// Whether differences other than 0 sum to 0. The least that do are the strides over their
    /// divisor, crosswise.
    fn cancels(&self) -> bool {
        self.modulus <= self.a.most && self.a.stride / self.divisor <= self.b.most
    }

    /// Whether some differences sum to `total`.
    fn gives(&self, total: i64) -> bool {
        let room = self.b.reach();
        // What `a` must bring so that `b` can bring the rest.
        let least = div_ceil(total - room, self.a.stride).max(-self.a.most);
        let most = (total + room).div_euclid(self.a.stride).min(self.a.most);
        if least > most || total % self.divisor != 0 {
            return false;
        }
        // Both factors are below 2^32 and not negative, so the product fits 64 bits without sign.
        let quotient = (total / self.divisor).rem_euclid(self.modulus) as u64;
        let first = (quotient * self.inverse as u64 % self.modulus as u64) as i64;
        least + (first - least).rem_euclid(self.modulus) <= most
    }
}

/// `a / b` rounded up, for positive `b`.
fn div_ceil(a: i64, b: i64) -> i64 {
    -(-a).div_euclid(b)
}

/// The greatest common divisor of two positive numbers, and what times `a` is it modulo `b`.
fn bezout(a: i64, b: i64) -> (i64, i64) {
    let (mut old, mut rest) = (a, b);
    let (mut old_factor, mut factor) = (1, 0);
    while rest != 0 {
        let quotient = old / rest;
        (old, rest) = (rest, old - quotient * rest);
        (old_factor, factor) = (factor, old_factor - quotient * factor);
    }
    (old, old_factor)
}
