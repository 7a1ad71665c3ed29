//! Functions on plain floats: one value, or a block of lanes that the compiler vectorises.
//!
//! How products are carried is the caller's: the runtime has one way for each compiled width.
//! A function is inlined into the caller, so that it is compiled for that width; only the search
//! among the exceptions is not, since it is taken a few times in a million.

use super::double::Double;
use super::machine::Machine;
use super::round::Rounded;
use super::{Definition, Function};
use std::marker::PhantomData;
use std::num::Wrapping;

/// How the two operations are carried that machines may differ in.
pub trait Products {
    /// `a * b + c`, rounded once or twice.
    fn mul_add(a: f32, b: f32, c: f32) -> f32;
    /// The product and its error.
    fn two_prod(a: f32, b: f32) -> Double<f32>;
    /// `c - a * b` rounded once, where the product is near `c`.
    #[inline(always)]
    fn residual(c: f32, a: f32, b: f32) -> f32 {
        let product = Self::two_prod(a, b);
        (c - product.high) - product.low
    }
}

/// Without a fused multiply-add.
#[derive(Clone, Copy, Debug)]
pub struct Separate;

impl Products for Separate {
    #[inline(always)]
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }

    /// Dekker's exact product (Numerische Mathematik 18, 1971) with halves cut off by a mask: the
    /// upper halves have 12 significant bits, so every partial product is exact, and so is every
    /// partial sum in this order.
    #[inline(always)]
    fn two_prod(a: f32, b: f32) -> Double<f32> {
        let high = a * b;
        let (a1, b1) = (upper(a), upper(b));
        let (a2, b2) = (a - a1, b - b1);
        let low = ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2;
        Double { high, low }
    }
}

#[inline(always)]
fn upper(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & UPPER)
}

/// The sign, the exponent and the upper 12 of 24 significant bits of a float.
pub const UPPER: u32 = 0xffff_f000;

/// The machine of plain floats. `SELDOM` says what becomes of what `seldom` asks for.
#[derive(Clone, Copy, Debug)]
pub struct Plain<P, const SELDOM: u8 = BRANCH>(PhantomData<P>);

/// Branches.
pub const BRANCH: u8 = 0;
/// Takes the usual words throughout, so that a block of lanes can be vectorised.
pub const USUAL: u8 = 1;
/// Takes the other words throughout, so that tests can look at them in blocks.
pub const OTHER: u8 = 2;

impl<P: Products + Copy, const SELDOM: u8> Plain<P, SELDOM> {
    /// The machine.
    pub fn new() -> Self {
        Plain(PhantomData)
    }
}

impl<P: Products + Copy, const SELDOM: u8> Default for Plain<P, SELDOM> {
    fn default() -> Self {
        Plain::new()
    }
}

impl<P: Products + Copy, const SELDOM: u8> Machine for Plain<P, SELDOM> {
    type Float = f32;
    type Word = Wrapping<u32>;
    type Truth = bool;

    #[inline(always)]
    fn float(self, x: f32) -> f32 {
        x
    }
    #[inline(always)]
    fn word(self, n: u32) -> Wrapping<u32> {
        Wrapping(n)
    }
    #[inline(always)]
    fn bits(self, x: f32) -> Wrapping<u32> {
        Wrapping(x.to_bits())
    }
    #[inline(always)]
    fn from_bits(self, bits: Wrapping<u32>) -> f32 {
        f32::from_bits(bits.0)
    }
    #[inline(always)]
    fn mul_add(self, a: f32, b: f32, c: f32) -> f32 {
        P::mul_add(a, b, c)
    }
    #[inline(always)]
    fn two_prod(self, a: f32, b: f32) -> Double<f32> {
        P::two_prod(a, b)
    }
    #[inline(always)]
    fn residual(self, c: f32, a: f32, b: f32) -> f32 {
        P::residual(c, a, b)
    }
    #[inline(always)]
    fn div(self, a: f32, b: f32) -> f32 {
        a / b
    }
    #[inline(always)]
    fn shift_left(self, word: Wrapping<u32>, count: u32) -> Wrapping<u32> {
        Wrapping(word.0.wrapping_shl(count))
    }
    #[inline(always)]
    fn shift_right(self, word: Wrapping<u32>, count: u32) -> Wrapping<u32> {
        Wrapping(word.0.wrapping_shr(count))
    }
    #[inline(always)]
    fn shift_right_signed(self, word: Wrapping<u32>, count: u32) -> Wrapping<u32> {
        Wrapping(word.0.cast_signed().wrapping_shr(count).cast_unsigned())
    }
    #[inline(always)]
    fn shift_left_by(self, word: Wrapping<u32>, count: Wrapping<u32>) -> Wrapping<u32> {
        Wrapping(word.0.wrapping_shl(count.0))
    }
    #[inline(always)]
    fn shift_right_by(self, word: Wrapping<u32>, count: Wrapping<u32>) -> Wrapping<u32> {
        Wrapping(word.0.wrapping_shr(count.0))
    }
    #[inline(always)]
    fn mul_high(self, a: Wrapping<u32>, b: Wrapping<u32>) -> Wrapping<u32> {
        Wrapping(((u64::from(a.0) * u64::from(b.0)) >> 32) as u32)
    }
    #[inline(always)]
    fn less(self, a: f32, b: f32) -> bool {
        a < b
    }
    #[inline(always)]
    fn is_nan(self, x: f32) -> bool {
        x.is_nan()
    }
    #[inline(always)]
    fn same(self, a: Wrapping<u32>, b: Wrapping<u32>) -> bool {
        a == b
    }
    #[inline(always)]
    fn less_signed(self, a: Wrapping<u32>, b: Wrapping<u32>) -> bool {
        a.0.cast_signed() < b.0.cast_signed()
    }
    #[inline(always)]
    fn less_word(self, a: Wrapping<u32>, b: Wrapping<u32>) -> bool {
        a < b
    }
    #[inline(always)]
    fn select(self, condition: bool, yes: f32, no: f32) -> f32 {
        if condition { yes } else { no }
    }
    #[inline(always)]
    fn select_word(self, condition: bool, yes: Wrapping<u32>, no: Wrapping<u32>) -> Wrapping<u32> {
        if condition { yes } else { no }
    }
    #[inline(always)]
    fn seldom<const N: usize>(
        self,
        condition: bool,
        usual: [Wrapping<u32>; N],
        other: impl FnOnce() -> [Wrapping<u32>; N],
    ) -> [Wrapping<u32>; N] {
        if SELDOM == OTHER || SELDOM == BRANCH && condition {
            other()
        } else {
            usual
        }
    }
}

/// The value of a function; one of one argument looks at the first.
#[inline(always)]
pub fn one<P: Products + Copy, D: Definition>(args: [f32; 2]) -> f32 {
    settled(D::FUNCTION, args, D::core(Plain::<P>::new(), args))
}

/// The same of any function, not compiled for one.
pub fn value(function: Function, args: [f32; 2]) -> f32 {
    settled(
        function,
        args,
        function.core(Plain::<Separate>::new(), args),
    )
}

/// A value that is looked up where it is hard.
#[inline(always)]
pub fn settled<P: Products + Copy, const SELDOM: u8>(
    function: Function,
    args: [f32; 2],
    rounded: Rounded<Plain<P, SELDOM>>,
) -> f32 {
    if rounded.hard {
        looked_up(function, args[0], rounded.value)
    } else {
        rounded.value
    }
}

/// The values of a function at a block of lanes.
#[inline(always)]
pub fn block<P: Products + Copy, D: Definition, const W: usize>(args: [&[f32; W]; 2]) -> [f32; W] {
    let mut values = [0.0; W];
    let mut hard = 0_u32;
    for ((lane, &x), &y) in values.iter_mut().zip(args[0]).zip(args[1]) {
        let rounded = D::core(Plain::<P, USUAL>::new(), [x, y]);
        *lane = rounded.value;
        hard |= u32::from(rounded.hard);
    }
    if hard != 0 {
        each(D::FUNCTION, args.map(<[f32; W]>::as_slice), &mut values);
    }
    values
}

/// A block with a hard lane, one lane after another: a few in a million. The value is the same
/// for either way of carrying products, so it is not compiled again for each width.
#[cold]
#[inline(never)]
fn each(function: Function, [x, y]: [&[f32]; 2], values: &mut [f32]) {
    for ((lane, &x), &y) in values.iter_mut().zip(x).zip(y) {
        *lane = value(function, [x, y]);
    }
}

/// The value among the exceptions, or the one that is given.
#[cold]
#[inline(never)]
fn looked_up(function: Function, x: f32, value: f32) -> f32 {
    let exceptions = function.exceptions();
    match exceptions.binary_search_by_key(&x.to_bits(), |&(input, _)| input) {
        Ok(at) => f32::from_bits(exceptions[at].1),
        Err(_) => value,
    }
}
