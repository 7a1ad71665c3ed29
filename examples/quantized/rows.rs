//! Matrices of floats as small integers: each row has a scale and a zero point, so that an integer q of
//! it means `(q - zero) * scale`.

/// A matrix of integers, row by row, and what those of each row mean.
pub struct Rows {
    /// Integers of a row.
    pub columns: usize,
    /// The distance of two neighbours, a row.
    pub scales: Vec<f32>,
    /// The integer that means 0, a row.
    pub zeros: Vec<i32>,
    /// All integers.
    pub values: Vec<i8>,
}

impl Rows {
    /// Takes a matrix of finite numbers to integers of 2 to 8 bits. The range of a row's integers is that
    /// of its numbers, with 0 in it.
    pub fn quantize(matrix: &[f32], columns: usize, bits: u32) -> Rows {
        let greatest = (1 << (bits - 1)) - 1;
        let least = -greatest - 1;
        let mut rows = Rows {
            columns,
            scales: Vec::new(),
            zeros: Vec::new(),
            values: Vec::new(),
        };
        for row in matrix.chunks(columns) {
            let low = row.iter().copied().fold(0.0, f32::min);
            let high = row.iter().copied().fold(0.0, f32::max);
            let scale = match (high - low) / (greatest - least) as f32 {
                // A row of zeros.
                0.0 => 1.0,
                scale => scale,
            };
            let zero = least - (low / scale).round() as i32;
            let integer = |x: &f32| ((x / scale).round() as i32 + zero).clamp(least, greatest);
            rows.scales.push(scale);
            rows.zeros.push(zero);
            rows.values.extend(row.iter().map(|x| integer(x) as i8));
        }
        rows
    }

    /// The integers, each row filled up with zeros to a multiple of so many.
    pub fn filled(&self, multiple: usize) -> Vec<i8> {
        let rest = self.columns.next_multiple_of(multiple) - self.columns;
        let row = |row: &[i8]| [row, &vec![0; rest]].concat();
        self.values.chunks(self.columns).flat_map(row).collect()
    }
}

/// The next of a stream of numbers from -1 to 1, which a linear congruence in binary64 makes.
pub fn noise(state: &mut f64) -> f32 {
    *state = (*state * 1_103_515_245.0 + 12_345.0) % 2_147_483_648.0;
    (*state / 1_073_741_824.0 - 1.0) as f32
}
