//! A run of the model on a device. Weights, values, cache and tokens stay there from the first dispatch
//! to the last; nothing is awaited in between.

use super::eight_bits::eight_bit_rows;
use super::kernels::{activate, attend, choose, embed, norm};
use super::model::{Columns, Matrix, Model, Place, Run};
use nupp::{Buffer, Context, Slot, View};
use std::error::Error;

/// A matrix among the buffers of all.
struct Part {
    scales: View<f32>,
    zeros: View<i32>,
    words: View<u32>,
}

/// The model and all values of a run, as parts of buffers.
pub struct OnDevice<'a> {
    context: &'a Context,
    model: &'a Model,
    at: Columns,
    tokens: Buffer<u32>,
    gains: Buffer<f32>,
    matrices: [Part; 6],
    cache: View<f32>,
    even: View<f32>,
    odd: View<f32>,
    /// No residual.
    nothing: Buffer<f32>,
    embed: embed::Kernel,
    norm: norm::Kernel,
    product: eight_bit_rows::Kernel,
    attend: attend::Kernel,
    activate: activate::Kernel,
    choose: choose::Kernel,
}

impl<'a> OnDevice<'a> {
    /// Uploads the model and compiles its kernels.
    pub fn new(context: &'a Context, model: &'a Model) -> Result<OnDevice<'a>, Box<dyn Error>> {
        let shape = &model.shape;
        let at = Columns::new(shape);
        let bytes = context.buffer::<i8>(model.bytes.len())?;
        let scales = context.buffer::<f32>(model.scales.len())?;
        let zeros = context.buffer::<i32>(model.zeros.len())?;
        context.upload(&bytes, &model.bytes)?;
        context.upload(&scales, &model.scales)?;
        context.upload(&zeros, &model.zeros)?;
        let part = |matrix: &Matrix| -> Result<Part, Box<dyn Error>> {
            let (origin, len) = (matrix.rows.start as u32, matrix.rows.len() as u32);
            Ok(Part {
                scales: scales.subview(&[origin], &[len])?,
                zeros: zeros.subview(&[origin], &[len])?,
                words: bytes.words_in(matrix.bytes.clone())?,
            })
        };
        let [a, b, c, d, e, f] = &model.matrices;
        let matrices = [part(a)?, part(b)?, part(c)?, part(d)?, part(e)?, part(f)?];
        let gains = context.buffer(model.gains.len())?;
        context.upload(&gains, &model.gains)?;
        let steps = shape.steps() as u32;
        let rows = |len: usize| context.tensor::<f32>(&[steps, len as u32]);
        Ok(OnDevice {
            context,
            model,
            tokens: context.buffer(shape.steps() + 1)?,
            gains,
            matrices,
            cache: rows(3 * shape.width())?,
            even: rows(at.even)?,
            odd: rows(at.odd)?,
            at,
            nothing: context.buffer(0)?,
            embed: embed::compile(context)?,
            norm: norm::compile(context)?,
            product: eight_bit_rows::compile(context)?,
            attend: attend::compile(context)?,
            activate: activate::compile(context)?,
            choose: choose::compile(context)?,
        })
    }

    /// Runs the prompt and chooses the tokens after it; waits once, at the end.
    pub fn run(&self) -> Result<Run, Box<dyn Error>> {
        let mut run = Run::new(&self.model.shape, &self.at);
        self.context.upload(&self.tokens, &run.tokens)?;
        for step in 0..self.model.shape.steps() {
            self.step(step as u32)?;
        }
        self.context.enqueue_download(&self.tokens)?;
        for values in [&self.cache, &self.even, &self.odd] {
            self.context.enqueue_download(values)?;
        }
        self.context.synchronize_blocking()?;
        self.context
            .read_downloaded(&self.tokens, &mut run.tokens)?;
        self.context.read_downloaded(&self.cache, &mut run.cache)?;
        self.context.read_downloaded(&self.even, &mut run.even)?;
        self.context.read_downloaded(&self.odd, &mut run.odd)?;
        Ok(run)
    }

    /// Records what one token goes through.
    fn step(&self, step: u32) -> Result<(), Box<dyn Error>> {
        let shape = &self.model.shape;
        let width = shape.width() as u32;
        let [table, attention, output, up, down, logits] = &self.matrices;
        let token = |step: u32| self.tokens.subview(&[step], &[1]);
        let place = |values: &View<f32>, place: Place| {
            values.subview(&[step, place.at as u32], &[1, place.len as u32])
        };
        let even = |at: Place| place(&self.even, at);
        let odd = |at: Place| place(&self.odd, at);
        let (at, nothing) = (&self.at, &self.nothing);

        let embedded = even(at.embedded)?;
        let (scales, zeros, words) = (&table.scales, &table.zeros, &table.words);
        let (embed, given) = (&self.embed, token(step)?);
        let bound = embed.bind(&embedded, &given, scales, zeros, words)?;
        bound.dispatch()?;

        let first_norm = odd(at.first_norm)?;
        self.normalize(&first_norm, &embedded, 0)?;
        let row = self.cache.subview(&[step, 0], &[1, 3 * width])?;
        self.multiply(attention, &row, &first_norm, nothing)?;
        let so_far = self.cache.subview(&[0, 0], &[step + 1, 3 * width])?;
        let mixed = even(at.mixed)?;
        self.attend.bind(&mixed, &so_far)?.dispatch()?;
        let attended = odd(at.attended)?;
        self.multiply(output, &attended, &mixed, &embedded)?;

        let second_norm = even(at.second_norm)?;
        self.normalize(&second_norm, &attended, 1)?;
        let hidden = odd(at.hidden)?;
        self.multiply(up, &hidden, &second_norm, nothing)?;
        self.activate.bind(&hidden)?.dispatch()?;
        let result = even(at.result)?;
        self.multiply(down, &result, &hidden, &attended)?;

        let third_norm = odd(at.third_norm)?;
        self.normalize(&third_norm, &result, 2)?;
        let scores = even(at.logits)?;
        self.multiply(logits, &scores, &third_norm, nothing)?;
        if step as usize + 1 >= shape.prompt.len() {
            self.choose.bind(&token(step + 1)?, &scores)?.dispatch()?;
        }
        Ok(())
    }

    /// With the gains that are the `nth` of the three vectors.
    fn normalize(
        &self,
        output: &View<f32>,
        input: &View<f32>,
        nth: u32,
    ) -> Result<(), Box<dyn Error>> {
        let width = self.model.shape.width() as u32;
        let gain = self.gains.subview(&[nth * width], &[width])?;
        Ok(self.norm.bind(output, input, &gain)?.dispatch()?)
    }

    fn multiply(
        &self,
        matrix: &Part,
        output: &View<f32>,
        input: &View<f32>,
        residual: impl Into<Slot<f32>>,
    ) -> Result<(), Box<dyn Error>> {
        let (scales, zeros, words) = (&matrix.scales, &matrix.zeros, &matrix.words);
        let product = &self.product;
        let bound = product.bind(output, scales, zeros, words, input, residual)?;
        Ok(bound.dispatch()?)
    }
}
