//! Scans of device buffers.
//!
//! A plan binds every kernel once. A dispatch of it records the scans of the blocks from the
//! elements up to the last totals, then the additions of offsets from there down again, with
//! nothing to wait for in between: dispatches of one context see each other's writes.

use std::fmt;
use std::marker::PhantomData;

use crate::blocks::{Number, levels};
use crate::rt::{KernelSpec, RawBinding, RawSlot, Slot, SlotMut};
use crate::{BindError, Buffer, BufferError, CompileError, Context, DispatchError};

/// A scan on a device failed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ScanError {
    /// Its buffers could not be made.
    Buffer(BufferError),
    /// The device cannot run its kernels, or cannot give their bits.
    Compile(CompileError),
    /// The buffers do not fit: another context, two lengths, or one buffer for both.
    Bind(BindError),
    /// A dispatch was refused.
    Dispatch(DispatchError),
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScanError::Buffer(error) => error.fmt(f),
            ScanError::Compile(error) => error.fmt(f),
            ScanError::Bind(error) => error.fmt(f),
            ScanError::Dispatch(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ScanError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The text above is theirs, so what is below it comes next.
        match self {
            ScanError::Buffer(error) => error.source(),
            ScanError::Compile(error) => error.source(),
            ScanError::Bind(error) => error.source(),
            ScanError::Dispatch(error) => error.source(),
        }
    }
}

impl From<BufferError> for ScanError {
    fn from(error: BufferError) -> Self {
        ScanError::Buffer(error)
    }
}

impl From<CompileError> for ScanError {
    fn from(error: CompileError) -> Self {
        ScanError::Compile(error)
    }
}

impl From<BindError> for ScanError {
    fn from(error: BindError) -> Self {
        ScanError::Bind(error)
    }
}

impl From<DispatchError> for ScanError {
    fn from(error: DispatchError) -> Self {
        ScanError::Dispatch(error)
    }
}

/// A scan of one buffer into another, to be run any number of times.
///
/// It holds both, its intermediate buffers and its kernels. A dispatch makes no buffer and compiles
/// nothing.
pub struct Plan<T: Number> {
    steps: Vec<RawBinding>,
    element: PhantomData<fn() -> T>,
}

impl<T: Number> Plan<T> {
    /// Plans an inclusive scan of `input` into `output`.
    ///
    /// # Errors
    /// Where the buffers are one, differ in length or are another context's, or the device cannot
    /// hold or run the plan.
    pub fn inclusive(
        context: &Context,
        output: &Buffer<T>,
        input: &Buffer<T>,
    ) -> Result<Self, ScanError> {
        Self::new(context, T::inclusive().spec, output, input)
    }

    /// Plans an exclusive scan of `input` into `output`.
    ///
    /// # Errors
    /// As [`Plan::inclusive`].
    pub fn exclusive(
        context: &Context,
        output: &Buffer<T>,
        input: &Buffer<T>,
    ) -> Result<Self, ScanError> {
        Self::new(context, T::exclusive().spec, output, input)
    }

    fn new(
        context: &Context,
        first: &'static KernelSpec,
        output: &Buffer<T>,
        input: &Buffer<T>,
    ) -> Result<Self, ScanError> {
        let offset = T::offset().spec;
        let (mut spec, mut output, mut input) = (first, output.clone(), input.clone());
        let (mut up, mut down) = (Vec::new(), Vec::new());
        for blocks in levels(input.len()) {
            let totals = context.buffer::<T>(blocks)?;
            up.push(bind(context, spec, &[&output, &totals], &input)?);
            if blocks > 1 {
                let offsets = context.buffer::<T>(blocks)?;
                down.push(bind(context, offset, &[&output], &offsets)?);
                (spec, output, input) = (T::inclusive().spec, offsets, totals);
            }
        }
        up.extend(down.into_iter().rev());
        Ok(Self {
            steps: up,
            element: PhantomData,
        })
    }

    /// Records the scan of what the input holds at this place in the order, and returns.
    ///
    /// # Errors
    /// Where the device cannot launch it.
    pub fn dispatch(&self) -> Result<(), ScanError> {
        for step in &self.steps {
            step.dispatch(&[])?;
        }
        Ok(())
    }
}

impl<T: Number> Clone for Plan<T> {
    fn clone(&self) -> Self {
        Self {
            steps: self.steps.clone(),
            element: PhantomData,
        }
    }
}

impl<T: Number> fmt::Debug for Plan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("steps", &self.steps.len())
            .finish_non_exhaustive()
    }
}

fn bind<T: Number>(
    context: &Context,
    spec: &'static KernelSpec,
    outputs: &[&Buffer<T>],
    input: &Buffer<T>,
) -> Result<RawBinding, ScanError> {
    let outputs = outputs
        .iter()
        .map(|&output| RawSlot::from(SlotMut::from(output)));
    let slots = outputs.chain([RawSlot::from(Slot::from(input))]);
    Ok(context.compile_raw(spec)?.bind(slots.collect())?)
}

/// Records an inclusive scan of `input` into `output`, a buffer of the same length: to each element
/// the sum of the input's elements up to and including its own.
///
/// # Errors
/// As [`Plan::inclusive`] and [`Plan::dispatch`].
pub fn inclusive<T: Number>(
    context: &Context,
    output: &Buffer<T>,
    input: &Buffer<T>,
) -> Result<(), ScanError> {
    Plan::inclusive(context, output, input)?.dispatch()
}

/// Records an exclusive scan of `input` into `output`, a buffer of the same length: to each element
/// the sum of the input's elements before its own.
///
/// # Errors
/// As [`inclusive`].
pub fn exclusive<T: Number>(
    context: &Context,
    output: &Buffer<T>,
    input: &Buffer<T>,
) -> Result<(), ScanError> {
    Plan::exclusive(context, output, input)?.dispatch()
}
