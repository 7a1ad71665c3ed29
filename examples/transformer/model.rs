//! A small decoder and what a run of it leaves. Its weights are noise, so it says nothing of sense; they
//! are bytes with a scale and a zero point a row, one matrix after the other.
//!
//! A kernel may not read what it writes, and neither `bind` on a device nor Rust's borrows take a
//! part of one allocation as input beside another part as output. So the values of a token lie in two
//! allocations by turns, and a value is never in the one that its kernel reads: `Columns` says where.

use super::kernels::HEAD;
use super::rows::{Rows, noise};
use std::ops::Range;

/// How large a model is, and its text.
pub struct Shape {
    /// Heads of attention; a token is a vector of [`HEAD`] numbers for each.
    pub heads: usize,
    /// Numbers between the two products behind attention.
    pub hidden: usize,
    /// How many tokens there are.
    pub vocabulary: usize,
    /// The tokens that are given.
    pub prompt: Vec<u32>,
    /// How many are chosen after them.
    pub chosen: usize,
}

impl Shape {
    /// Numbers of a token's vector.
    pub fn width(&self) -> usize {
        self.heads * HEAD
    }

    /// Tokens that go through the model. The last that is chosen does not.
    pub fn steps(&self) -> usize {
        self.prompt.len() + self.chosen - 1
    }
}

/// Where a matrix is among all.
pub struct Matrix {
    /// Its scales and zero points.
    pub rows: Range<usize>,
    /// Its bytes.
    pub bytes: Range<usize>,
}

/// The weights.
pub struct Model {
    pub shape: Shape,
    pub bytes: Vec<i8>,
    pub scales: Vec<f32>,
    pub zeros: Vec<i32>,
    /// Three vectors: before attention, behind it, and before the logits.
    pub gains: Vec<f32>,
    /// The embeddings of all tokens; queries, keys and values in one; what follows attention; the two
    /// products behind it; logits.
    pub matrices: [Matrix; 6],
}

impl Model {
    /// The same weights for the same shape, everywhere.
    pub fn new(shape: Shape) -> Model {
        let mut state = 42.0;
        let (mut bytes, mut scales, mut zeros) = (Vec::new(), Vec::new(), Vec::new());
        let mut matrix = |rows: usize, columns: usize| {
            let size = 5.0 / (columns as f32).sqrt();
            let floats: Vec<f32> = (0..rows * columns)
                .map(|_| noise(&mut state) * size)
                .collect();
            let matrix = Rows::quantize(&floats, columns, 8);
            let before = (scales.len(), bytes.len());
            scales.extend(matrix.scales.iter());
            zeros.extend(matrix.zeros.iter());
            bytes.extend(matrix.filled(4));
            Matrix {
                rows: before.0..scales.len(),
                bytes: before.1..bytes.len(),
            }
        };
        let (width, hidden, vocabulary) = (shape.width(), shape.hidden, shape.vocabulary);
        let matrices = [
            matrix(vocabulary, width),
            matrix(3 * width, width),
            matrix(width, width),
            matrix(hidden, width),
            matrix(width, hidden),
            matrix(vocabulary, width),
        ];
        let gains = (0..3 * width).map(|_| 1.0 + 0.25 * noise(&mut state));
        Model {
            gains: gains.collect(),
            shape,
            bytes,
            scales,
            zeros,
            matrices,
        }
    }
}

/// A part of a row.
#[derive(Clone, Copy)]
pub struct Place {
    pub at: usize,
    pub len: usize,
}

impl Place {
    pub fn of(self, row: &[f32]) -> &[f32] {
        &row[self.at..][..self.len]
    }

    pub fn of_mut(self, row: &mut [f32]) -> &mut [f32] {
        &mut row[self.at..][..self.len]
    }
}

/// Where the values of a token lie in its rows of `Run::even` and `Run::odd`, in the order in which they
/// come about within each.
pub struct Columns {
    /// How long a row of `even` is.
    pub even: usize,
    pub embedded: Place,
    pub mixed: Place,
    pub second_norm: Place,
    pub result: Place,
    pub logits: Place,
    /// How long a row of `odd` is.
    pub odd: usize,
    pub first_norm: Place,
    pub attended: Place,
    pub hidden: Place,
    pub third_norm: Place,
}

impl Columns {
    pub fn new(shape: &Shape) -> Columns {
        let width = shape.width();
        let nth = |n: usize| Place {
            at: n * width,
            len: width,
        };
        Columns {
            even: 4 * width + shape.vocabulary,
            embedded: nth(0),
            mixed: nth(1),
            second_norm: nth(2),
            result: nth(3),
            logits: Place {
                at: 4 * width,
                len: shape.vocabulary,
            },
            odd: 3 * width + shape.hidden,
            first_norm: nth(0),
            attended: nth(1),
            third_norm: nth(2),
            hidden: Place {
                at: 3 * width,
                len: shape.hidden,
            },
        }
    }
}

/// All that a run leaves: a row a token, everything in it.
pub struct Run {
    pub tokens: Vec<u32>,
    /// Queries, keys and values.
    pub cache: Vec<f32>,
    pub even: Vec<f32>,
    pub odd: Vec<f32>,
}

impl Run {
    /// The prompt, and zeros.
    pub fn new(shape: &Shape, columns: &Columns) -> Run {
        let steps = shape.steps();
        let mut tokens = shape.prompt.clone();
        tokens.resize(steps + 1, 0);
        Run {
            tokens,
            cache: vec![0.0; steps * 3 * shape.width()],
            even: vec![0.0; steps * columns.even],
            odd: vec![0.0; steps * columns.odd],
        }
    }

    /// All values as bits, by name.
    pub fn parts(&self) -> [(&'static str, Vec<u32>); 4] {
        let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect();
        [
            ("tokens", self.tokens.clone()),
            ("queries, keys, values", bits(&self.cache)),
            ("even values, logits", bits(&self.even)),
            ("odd values", bits(&self.odd)),
        ]
    }
}
