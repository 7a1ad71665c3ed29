//! A steady dispatch allocates nothing: what is left are the lists of wgpu's recording, which grow a few
//! times in a batch.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::{bump, context};
use nupp_gpu::SlotMut;

/// The system's allocator, which counts what each thread asks for.
struct Counting;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no counter any more, and is not the one that is looked at.
    let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_steady_dispatch_allocates_nothing() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    let buffer = context.buffer::<u32>(64).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    let dispatches = |count: u32| {
        let before = ASKED.get();
        (0..count).for_each(|_| binding.dispatch(&[1]).unwrap());
        ASKED.get() - before
    };
    dispatches(100);
    // The rest of a batch, which has room for 1,024.
    let asked = dispatches(900);
    assert!(asked < 30, "{asked} allocations in 900 dispatches");
    assert_eq!(context.download_blocking(&buffer).unwrap(), [1000; 64]);
}
