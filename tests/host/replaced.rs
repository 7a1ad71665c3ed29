//! A bound buffer that is replaced by a larger one when it is full, while what was dispatched on the
//! old one is still in flight.

use nupp::{Buffer, Context};

use crate::context;
use crate::kernels::bump;

/// A growing array on the device.
struct Growing {
    kernel: bump::Kernel,
    values: Buffer<u32>,
    binding: bump::Binding,
}

impl Growing {
    fn new(context: &Context) -> Self {
        let kernel = bump::compile(context).unwrap();
        let values = context.buffer(4).unwrap();
        let binding = kernel.bind(&values).unwrap();
        Self {
            kernel,
            values,
            binding,
        }
    }

    /// Makes room for `len`; the old buffer and its binding are let go of at once.
    fn grow(&mut self, len: usize) {
        let context = self.values.context().clone();
        let old = context.download_blocking(&self.values).unwrap();
        self.values = context.buffer(len).unwrap();
        self.binding = self.kernel.bind(&self.values).unwrap();
        let kept = self.values.subview(&[0], &[old.len() as u32]).unwrap();
        context.upload(&kept, &old).unwrap();
    }
}

#[test]
fn a_larger_buffer_takes_the_place_of_a_bound_one() {
    let Some(context) = context() else { return };
    let mut growing = Growing::new(&context);
    growing.binding.dispatch(1).unwrap();
    growing.grow(6);
    growing.binding.dispatch(2).unwrap();
    growing.grow(1000);
    growing.binding.dispatch(3).unwrap();
    let mut expected = vec![3; 1000];
    expected[..6].fill(5);
    expected[..4].fill(6);
    assert_eq!(
        context.download_blocking(&growing.values).unwrap(),
        expected
    );
}

#[test]
fn what_was_dispatched_on_the_old_buffer_is_done() {
    let Some(context) = context() else { return };
    let mut growing = Growing::new(&context);
    growing.binding.dispatch(1).unwrap();
    let old = growing.values.clone();
    growing.values = context.buffer(100).unwrap();
    growing.binding = growing.kernel.bind(&growing.values).unwrap();
    growing.binding.dispatch(9).unwrap();
    assert_eq!(context.download_blocking(&old).unwrap(), [1; 4]);
    assert_eq!(
        context.download_blocking(&growing.values).unwrap(),
        [9; 100]
    );
}
