//! The definition of `docs/reduce.md`, as plain Rust that shares nothing with the library.

use nupp::reduce::Number;

/// An element and the operations that the definition speaks of.
pub trait Value: Number + Copy {
    const ZERO: Self;
    const LOWEST: Self;
    const HIGHEST: Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn least(self, other: Self) -> Self;
    fn greatest(self, other: Self) -> Self;
    fn word(self) -> u32;
}

fn one_nan(x: f32) -> f32 {
    if x.is_nan() {
        f32::from_bits(0x7fc0_0000)
    } else {
        x
    }
}

impl Value for f32 {
    const ZERO: Self = 0.0;
    const LOWEST: Self = f32::NEG_INFINITY;
    const HIGHEST: Self = f32::INFINITY;

    fn add(self, other: Self) -> Self {
        one_nan(self + other)
    }

    fn mul(self, other: Self) -> Self {
        one_nan(self * other)
    }

    fn least(self, other: Self) -> Self {
        if self.is_nan() || other.is_nan() {
            one_nan(f32::NAN)
        } else if self.total_cmp(&other).is_le() {
            self
        } else {
            other
        }
    }

    fn greatest(self, other: Self) -> Self {
        if self.is_nan() || other.is_nan() {
            one_nan(f32::NAN)
        } else if self.total_cmp(&other).is_ge() {
            self
        } else {
            other
        }
    }

    fn word(self) -> u32 {
        one_nan(self).to_bits()
    }
}

macro_rules! integer {
    ($type:ty) => {
        impl Value for $type {
            const ZERO: Self = 0;
            const LOWEST: Self = <$type>::MIN;
            const HIGHEST: Self = <$type>::MAX;

            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            fn least(self, other: Self) -> Self {
                self.min(other)
            }

            fn greatest(self, other: Self) -> Self {
                self.max(other)
            }

            fn word(self) -> u32 {
                self as u32
            }
        }
    };
}

integer!(i32);
integer!(u32);

/// One block: strides 128, 64, … 1 over 256 slots, those past the end being the identity.
fn block<T: Value>(values: &[T], identity: T, combine: fn(T, T) -> T) -> T {
    let mut slots = [identity; 256];
    slots[..values.len()].copy_from_slice(values);
    for stride in [128, 64, 32, 16, 8, 4, 2, 1] {
        for i in 0..stride {
            slots[i] = combine(slots[i], slots[i + stride]);
        }
    }
    slots[0]
}

/// Levels of blocks until one value remains. Values are folded once at the least.
pub fn reduce<T: Value>(values: &[T], identity: T, combine: fn(T, T) -> T) -> T {
    if values.is_empty() {
        return identity;
    }
    let results: Vec<T> = values
        .chunks(256)
        .map(|values| block(values, identity, combine))
        .collect();
    match results[..] {
        [one] => one,
        _ => reduce(&results, identity, combine),
    }
}

/// Products, each rounded, then their sum.
pub fn dot<T: Value>(left: &[T], right: &[T]) -> T {
    let products: Vec<T> = left.iter().zip(right).map(|(&l, &r)| l.mul(r)).collect();
    reduce(&products, T::ZERO, T::add)
}

/// One block: distances 1, 2, … 128 over 256 slots, those past the end being zero.
fn scan_block<T: Value>(values: &[T]) -> [T; 256] {
    let mut slots = [T::ZERO; 256];
    slots[..values.len()].copy_from_slice(values);
    for distance in [1, 2, 4, 8, 16, 32, 64, 128] {
        let old = slots;
        for i in distance..256 {
            slots[i] = old[i - distance].add(old[i]);
        }
    }
    slots
}

/// Both scans.
pub fn scan<T: Value>(values: &[T], exclusive: bool) -> Vec<T> {
    let blocks: Vec<[T; 256]> = values.chunks(256).map(scan_block).collect();
    let totals: Vec<T> = blocks.iter().map(|block| block[255]).collect();
    let offsets = if totals.len() > 1 {
        scan(&totals, false)
    } else {
        Vec::new()
    };
    let local = |i: usize| match (exclusive, i % 256) {
        (false, lane) => blocks[i / 256][lane],
        (true, 0) => T::ZERO,
        (true, lane) => blocks[i / 256][lane - 1],
    };
    (0..values.len())
        .map(|i| match i / 256 {
            0 => local(i),
            block => offsets[block - 1].add(local(i)),
        })
        .collect()
}

/// The words of values.
pub fn words<T: Value>(values: &[T]) -> Vec<u32> {
    values.iter().map(|value| value.word()).collect()
}
