//! A run of the model by the CPU functions of its kernels.

use super::eight_bits::{eight_bit_rows, words};
use super::kernels::{activate, attend, choose, embed, norm};
use super::model::{Columns, Matrix, Model, Run};
use nupp::KernelError;

/// A matrix as kernels take it on the CPU.
struct Part<'a> {
    scales: &'a [f32],
    zeros: &'a [i32],
    words: &'a [u32],
}

impl Part<'_> {
    fn product(
        &self,
        output: &mut [f32],
        input: &[f32],
        residual: &[f32],
    ) -> Result<(), KernelError> {
        let (scales, zeros, words) = (self.scales, self.zeros, self.words);
        eight_bit_rows(output, scales, zeros, words, input, residual)
    }
}

/// Runs the prompt and chooses the tokens after it, on the calling thread.
pub fn on_cpu(model: &Model) -> Result<Run, KernelError> {
    let shape = &model.shape;
    let (width, at) = (shape.width(), Columns::new(shape));
    let all = words(&model.bytes);
    let part = |matrix: &Matrix| Part {
        scales: &model.scales[matrix.rows.clone()],
        zeros: &model.zeros[matrix.rows.clone()],
        words: &all[matrix.bytes.start / 4..matrix.bytes.end / 4],
    };
    let [table, attention, output, up, down, logits] = model.matrices.each_ref().map(part);
    let gain = |n: usize| &model.gains[n * width..][..width];
    let mut run = Run::new(shape, &at);
    for step in 0..shape.steps() {
        let even = &mut run.even[step * at.even..][..at.even];
        let odd = &mut run.odd[step * at.odd..][..at.odd];
        let (scales, zeros, words) = (table.scales, table.zeros, table.words);
        let token = &run.tokens[step..=step];
        embed(at.embedded.of_mut(even), token, scales, zeros, words)?;

        norm(at.first_norm.of_mut(odd), at.embedded.of(even), gain(0))?;
        let row = &mut run.cache[step * 3 * width..][..3 * width];
        attention.product(row, at.first_norm.of(odd), &[])?;
        attend(at.mixed.of_mut(even), &run.cache[..(step + 1) * 3 * width])?;
        let (mixed, embedded) = (at.mixed.of(even), at.embedded.of(even));
        output.product(at.attended.of_mut(odd), mixed, embedded)?;

        norm(at.second_norm.of_mut(even), at.attended.of(odd), gain(1))?;
        up.product(at.hidden.of_mut(odd), at.second_norm.of(even), &[])?;
        activate(at.hidden.of_mut(odd))?;
        let (hidden, attended) = (at.hidden.of(odd), at.attended.of(odd));
        down.product(at.result.of_mut(even), hidden, attended)?;

        norm(at.third_norm.of_mut(odd), at.result.of(even), gain(2))?;
        logits.product(at.logits.of_mut(even), at.third_norm.of(odd), &[])?;
        if step + 1 >= shape.prompt.len() {
            choose(&mut run.tokens[step + 1..][..1], at.logits.of(even))?;
        }
    }
    Ok(run)
}
