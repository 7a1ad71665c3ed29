//! Inputs on which the order of the operations shows, and the hard values.
//!
//! No sum or product of them is subnormal, so that a device which flushes those has its bits too.

use crate::definition::Value;
use nupp_testkit::random::Random;

/// A named input.
pub struct Data<T> {
    pub name: &'static str,
    pub values: Vec<T>,
}

/// An element with inputs of its own.
pub trait Inputs: Value {
    fn inputs(length: usize) -> Vec<Data<Self>>;
}

/// Signs and exponents from 2^-16 to 2^16, every bit of the fraction.
fn mixed(random: &mut Random) -> f32 {
    let bits = random.bits();
    let exponent = 111 + (bits >> 40) as u32 % 32;
    f32::from_bits((bits as u32 & 0x807f_ffff) | exponent << 23)
}

/// Puts a value at some parts of the way.
fn planted(mut values: Vec<f32>, places: &[f32], plant: f32) -> Vec<f32> {
    for part in places {
        let last = values.len().saturating_sub(1);
        let at = (last as f32 * part) as usize;
        if let Some(value) = values.get_mut(at.min(last)) {
            *value = plant;
        }
    }
    values
}

impl Inputs for f32 {
    fn inputs(length: usize) -> Vec<Data<Self>> {
        let mut random = Random::new(length as u64);
        let values: Vec<f32> = (0..length).map(|_| mixed(&mut random)).collect();
        let cancelling = [1e8, 1.0, -1e8, 1.0, 3.0];
        let data = |name, values| Data { name, values };
        vec![
            data(
                "cancelling",
                (0..length)
                    .map(|_| cancelling[random.below(5) as usize])
                    .collect(),
            ),
            data("negative zeros", vec![-0.0; length]),
            data(
                "both zeros",
                (0..length)
                    .map(|i| if i % 7 == 3 { 0.0 } else { -0.0 })
                    .collect(),
            ),
            data(
                "a NaN of odd bits",
                planted(values.clone(), &[0.7], f32::from_bits(0xffc0_0123)),
            ),
            data(
                "infinity",
                planted(values.clone(), &[0.3, 1.0], f32::INFINITY),
            ),
            data(
                "both infinities",
                planted(
                    planted(values.clone(), &[0.9], f32::NEG_INFINITY),
                    &[0.4],
                    f32::INFINITY,
                ),
            ),
            data("overflow", vec![3e38; length]),
            data("mixed", values),
        ]
    }
}

/// Whole words, and the limits of the type.
fn integers(length: usize) -> Vec<Data<u32>> {
    let mut random = Random::new(!(length as u64));
    let mixed: Vec<u32> = (0..length).map(|_| random.bits() as u32).collect();
    let limits = [0, 1, u32::MAX, 0x7fff_ffff, 0x8000_0000];
    vec![
        Data {
            name: "limits",
            values: (0..length).map(|i| limits[i % 5]).collect(),
        },
        Data {
            name: "one limit",
            values: vec![0x8000_0000; length],
        },
        Data {
            name: "mixed",
            values: mixed,
        },
    ]
}

impl Inputs for u32 {
    fn inputs(length: usize) -> Vec<Data<Self>> {
        integers(length)
    }
}

impl Inputs for i32 {
    fn inputs(length: usize) -> Vec<Data<Self>> {
        let signed = |data: Data<u32>| Data {
            name: data.name,
            values: data.values.iter().map(|&word| word as i32).collect(),
        };
        integers(length).into_iter().map(signed).collect()
    }
}

/// Some of the inputs: all of them where that is quick.
pub fn some<T: Inputs>(length: usize) -> Vec<Data<T>> {
    let mut all = T::inputs(length);
    if length > 66_000 {
        // The last one is the mixed one.
        all.drain(..all.len() - 1);
    }
    all
}
