//! Reductions of device buffers.
//!
//! A plan binds each level's kernel once, the results of one level being the input of the next. A
//! dispatch of it records them in order, with nothing to wait for in between: dispatches of one
//! context see each other's writes.

use std::fmt;

use super::ReduceError;
use crate::blocks::{Fold, Number, levels};
use crate::rt::{KernelSpec, RawBinding, RawSlot, Slot, SlotMut};
use crate::{Buffer, Context};

/// A reduction of one buffer (two for a dot product), to be run any number of times.
///
/// It holds what it reads, its intermediate buffers and its kernels. A dispatch makes no buffer and
/// compiles nothing.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use nupp::reduce::Plan;
/// let context = nupp::Context::open()?;
/// let values = context.buffer::<f32>(1 << 20)?;
/// let plan = Plan::sum(&context, &values)?;
/// for step in 0..10 {
///     context.upload(&values, &vec![step as f32; 1 << 20])?;
///     println!("{}", plan.run()?);
/// }
/// # Ok(()) }
/// ```
pub struct Plan<T: Number> {
    context: Context,
    levels: Vec<RawBinding>,
    result: Buffer<T>,
}

impl<T: Number> Plan<T> {
    /// Plans a sum.
    ///
    /// # Errors
    /// Where the buffer is another context's, or the device cannot hold or run the plan.
    pub fn sum(context: &Context, values: &Buffer<T>) -> Result<Self, ReduceError> {
        Self::fold(context, &T::sum(), values)
    }

    /// Plans a least value.
    ///
    /// # Errors
    /// As [`Plan::sum`].
    pub fn min(context: &Context, values: &Buffer<T>) -> Result<Self, ReduceError> {
        Self::fold(context, &T::min(), values)
    }

    /// Plans a greatest value.
    ///
    /// # Errors
    /// As [`Plan::sum`].
    pub fn max(context: &Context, values: &Buffer<T>) -> Result<Self, ReduceError> {
        Self::fold(context, &T::max(), values)
    }

    /// Plans a dot product.
    ///
    /// # Errors
    /// As [`Plan::sum`], and where the buffers differ in length.
    pub fn dot(
        context: &Context,
        left: &Buffer<T>,
        right: &Buffer<T>,
    ) -> Result<Self, ReduceError> {
        Self::new(context, T::dot().spec, &[left, right], &T::sum())
    }

    fn fold(context: &Context, fold: &Fold<T>, values: &Buffer<T>) -> Result<Self, ReduceError> {
        Self::new(context, fold.kernel.spec, &[values], fold)
    }

    /// The first level by `first`, every other by `fold`.
    fn new(
        context: &Context,
        first: &'static KernelSpec,
        inputs: &[&Buffer<T>],
        fold: &Fold<T>,
    ) -> Result<Self, ReduceError> {
        let blocks = levels(inputs.first().map_or(0, |input| input.len()));
        let mut result = context.buffer::<T>(blocks[0])?;
        let mut levels = vec![bind(context, first, &result, inputs)?];
        for &blocks in &blocks[1..] {
            let above = context.buffer::<T>(blocks)?;
            levels.push(bind(context, fold.kernel.spec, &above, &[&result])?);
            result = above;
        }
        // No group runs over no elements, and the identity stays.
        context.upload(&result, &[fold.identity])?;
        Ok(Self {
            context: context.clone(),
            levels,
            result,
        })
    }

    /// Records the reduction of what the buffer holds at this place in the order, and returns.
    ///
    /// # Errors
    /// Where the device cannot launch it.
    pub fn dispatch(&self) -> Result<(), ReduceError> {
        for level in &self.levels {
            level.dispatch(&[])?;
        }
        Ok(())
    }

    /// The buffer of one element where a dispatch leaves the value, for other kernels to read.
    pub fn result(&self) -> &Buffer<T> {
        &self.result
    }

    /// Dispatches, and waits on this thread for the value.
    ///
    /// # Errors
    /// Where the device cannot launch it, or fails.
    pub fn run(&self) -> Result<T, ReduceError> {
        self.dispatch()?;
        Ok(self.context.download_blocking(&self.result)?[0])
    }

    /// Dispatches, and waits for the value.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub async fn run_async(&self) -> Result<T, ReduceError> {
        self.dispatch()?;
        Ok(self.context.download(&self.result).await?[0])
    }
}

impl<T: Number> Clone for Plan<T> {
    fn clone(&self) -> Self {
        Self {
            context: self.context.clone(),
            levels: self.levels.clone(),
            result: self.result.clone(),
        }
    }
}

impl<T: Number> fmt::Debug for Plan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("levels", &self.levels.len())
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

fn bind<T: Number>(
    context: &Context,
    spec: &'static KernelSpec,
    blocks: &Buffer<T>,
    inputs: &[&Buffer<T>],
) -> Result<RawBinding, ReduceError> {
    let inputs = inputs.iter().map(|&input| RawSlot::from(Slot::from(input)));
    let slots = std::iter::once(RawSlot::from(SlotMut::from(blocks))).chain(inputs);
    Ok(context.compile_raw(spec)?.bind(slots.collect())?)
}

/// The sum of a buffer, in the order of `docs/reduce.md`; +0.0 or 0 for none. Integers wrap. Waits
/// on this thread.
///
/// # Errors
/// As [`Plan::sum`] and [`Plan::run`].
pub fn sum<T: Number>(context: &Context, values: &Buffer<T>) -> Result<T, ReduceError> {
    Plan::sum(context, values)?.run()
}

/// As [`sum`], where waiting is asynchronous.
///
/// # Errors
/// As [`sum`].
pub async fn sum_async<T: Number>(context: &Context, values: &Buffer<T>) -> Result<T, ReduceError> {
    Plan::sum(context, values)?.run_async().await
}

/// The least value of a buffer; +infinity or the greatest of the type for none. A NaN in it is the
/// result, and −0.0 is below +0.0. Waits on this thread.
///
/// # Errors
/// As [`sum`].
pub fn min<T: Number>(context: &Context, values: &Buffer<T>) -> Result<T, ReduceError> {
    Plan::min(context, values)?.run()
}

/// As [`min`], where waiting is asynchronous.
///
/// # Errors
/// As [`sum`].
pub async fn min_async<T: Number>(context: &Context, values: &Buffer<T>) -> Result<T, ReduceError> {
    Plan::min(context, values)?.run_async().await
}

/// The greatest value of a buffer; −infinity or the least of the type for none. A NaN in it is the
/// result, and +0.0 is above −0.0. Waits on this thread.
///
/// # Errors
/// As [`sum`].
pub fn max<T: Number>(context: &Context, values: &Buffer<T>) -> Result<T, ReduceError> {
    Plan::max(context, values)?.run()
}

/// As [`max`], where waiting is asynchronous.
///
/// # Errors
/// As [`sum`].
pub async fn max_async<T: Number>(context: &Context, values: &Buffer<T>) -> Result<T, ReduceError> {
    Plan::max(context, values)?.run_async().await
}

/// The sum of the products of two buffers, each product rounded first. Waits on this thread.
///
/// # Errors
/// As [`sum`], and where the buffers differ in length.
pub fn dot<T: Number>(
    context: &Context,
    left: &Buffer<T>,
    right: &Buffer<T>,
) -> Result<T, ReduceError> {
    Plan::dot(context, left, right)?.run()
}

/// As [`dot`], where waiting is asynchronous.
///
/// # Errors
/// As [`dot`].
pub async fn dot_async<T: Number>(
    context: &Context,
    left: &Buffer<T>,
    right: &Buffer<T>,
) -> Result<T, ReduceError> {
    Plan::dot(context, left, right)?.run_async().await
}
