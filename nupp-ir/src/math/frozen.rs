//! A machine whose every operation gives one result.
//!
//! A function that is correctly rounded may use `mul_add` as the machine has it, once or twice
//! rounded, since its exceptions cover both. One that is not is what its sequence of operations
//! gives, so that sequence must mean one thing: it runs on this machine, which rounds `mul_add` twice
//! and leaves the rest to the machine inside. `two_prod` and `residual` are exact on every machine for
//! operands that keep the product's error above the least subnormal; a frozen function sees to that,
//! or to it that such an error cannot show.

use super::double::Double;
use super::machine::Machine;

/// Rounds `mul_add` twice, which is cheap on every device.
#[derive(Clone, Copy, Debug)]
pub struct Twice<M>(pub M);

macro_rules! delegated {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $result:ty;)*) => { $(
        #[inline(always)]
        fn $name(self, $($arg: $ty),*) -> $result {
            self.0.$name($($arg),*)
        }
    )* };
}

impl<M: Machine> Machine for Twice<M> {
    type Float = M::Float;
    type Word = M::Word;
    type Truth = M::Truth;

    #[inline(always)]
    fn mul_add(self, a: M::Float, b: M::Float, c: M::Float) -> M::Float {
        a * b + c
    }

    delegated! {
        float(x: f32) -> M::Float;
        word(n: u32) -> M::Word;
        bits(x: M::Float) -> M::Word;
        from_bits(bits: M::Word) -> M::Float;
        two_prod(a: M::Float, b: M::Float) -> Double<M::Float>;
        residual(c: M::Float, a: M::Float, b: M::Float) -> M::Float;
        div(a: M::Float, b: M::Float) -> M::Float;
        shift_left(word: M::Word, count: u32) -> M::Word;
        shift_right(word: M::Word, count: u32) -> M::Word;
        shift_right_signed(word: M::Word, count: u32) -> M::Word;
        shift_left_by(word: M::Word, count: M::Word) -> M::Word;
        shift_right_by(word: M::Word, count: M::Word) -> M::Word;
        mul_high(a: M::Word, b: M::Word) -> M::Word;
        less(a: M::Float, b: M::Float) -> M::Truth;
        is_nan(x: M::Float) -> M::Truth;
        same(a: M::Word, b: M::Word) -> M::Truth;
        less_signed(a: M::Word, b: M::Word) -> M::Truth;
        less_word(a: M::Word, b: M::Word) -> M::Truth;
        select(condition: M::Truth, yes: M::Float, no: M::Float) -> M::Float;
        select_word(condition: M::Truth, yes: M::Word, no: M::Word) -> M::Word;
    }

    #[inline(always)]
    fn seldom<const N: usize>(
        self,
        condition: M::Truth,
        usual: [M::Word; N],
        other: impl FnOnce() -> [M::Word; N],
    ) -> [M::Word; N] {
        self.0.seldom(condition, usual, other)
    }
}
