//! Functions on plain floats: one value, or a block of lanes that the compiler vectorises.
//!
//! How products are carried is the caller's: the runtime has one way for each compiled width.
//! Everything is inlined into the caller, so that it is compiled for that width; only the search
//! among the exceptions is not, since it is taken a few times in a million.

use super::Function;
use super::double::Double;
use super::machine::Machine;
use super::round::Rounded;
use std::marker::PhantomData;
use std::num::Wrapping;

/// How the two operations are carried that machines may differ in.
pub trait Products {
    /// `a * b + c`, rounded once or twice.
    fn mul_add(a: f32, b: f32, c: f32) -> f32;
    /// The product and its error.
    fn two_prod(a: f32, b: f32) -> Double<f32>;
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

/// The machine of plain floats.
#[derive(Clone, Copy, Debug)]
pub struct Plain<P>(PhantomData<P>);

impl<P: Products + Copy> Plain<P> {
    /// The machine.
    pub fn new() -> Self {
        Plain(PhantomData)
    }
}

impl<P: Products + Copy> Default for Plain<P> {
    fn default() -> Self {
        Plain::new()
    }
}

impl<P: Products + Copy> Machine for Plain<P> {
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
    fn select(self, condition: bool, yes: f32, no: f32) -> f32 {
        if condition { yes } else { no }
    }
    #[inline(always)]
    fn select_word(self, condition: bool, yes: Wrapping<u32>, no: Wrapping<u32>) -> Wrapping<u32> {
        if condition { yes } else { no }
    }
}

/// The value of a function.
#[inline(always)]
pub fn one<P: Products + Copy>(function: Function, x: f32) -> f32 {
    let Rounded { value, hard } = function.core(Plain::<P>::new(), x);
    if hard {
        looked_up(function, x, value)
    } else {
        value
    }
}

/// The values of a function at a block of lanes.
#[inline(always)]
pub fn block<P: Products + Copy, const W: usize>(function: Function, x: &[f32; W]) -> [f32; W] {
    let mut values = [0.0; W];
    let mut hard = 0_u32;
    for (value, &x) in values.iter_mut().zip(x) {
        let rounded = function.core(Plain::<P>::new(), x);
        *value = rounded.value;
        hard |= u32::from(rounded.hard);
    }
    if hard != 0 {
        look_up(function, x, &mut values);
    }
    values
}

#[cold]
#[inline(never)]
fn look_up(function: Function, x: &[f32], values: &mut [f32]) {
    for (value, &x) in values.iter_mut().zip(x) {
        *value = looked_up(function, x, *value);
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
