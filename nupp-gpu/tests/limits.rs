//! Sizes: what is refused before anything is allocated, and what must work past the usual limits.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use bytemuck::{Pod, Zeroable};
use common::{bump, context};
use nupp_gpu::{BufferError, Element, SlotMut};

/// Three words.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Triple([u32; 3]);

impl Element for Triple {
    const NAME: &'static str = "Triple";
}

#[test]
fn a_tebibyte_is_refused_and_the_context_goes_on() {
    let Some(context) = context() else { return };
    let most = u64::from(u32::MAX);
    let refused = context.buffer::<u32>(1 << 38).unwrap_err();
    assert_eq!(
        refused,
        BufferError::TooLong {
            elements: 1 << 38,
            limit: most
        }
    );
    assert_eq!(
        refused.to_string(),
        "a buffer of 274877906944 elements is asked for, a kernel counts up to 4294967295"
    );
    assert_eq!(
        context.buffer::<u8>(1 << 40).unwrap_err(),
        BufferError::TooLong {
            elements: 1 << 40,
            limit: most
        }
    );
    // Words are counted too.
    let third = most / 3;
    assert_eq!(
        context.buffer::<Triple>(third as usize + 1).unwrap_err(),
        BufferError::TooLong {
            elements: third + 1,
            limit: third
        }
    );
    let values = context.buffer::<u32>(2).unwrap();
    context.upload(&values, &[1, 2]).unwrap();
    assert_eq!(context.download_blocking(&values).unwrap(), [1, 2]);
}

#[test]
fn more_than_the_device_binds_is_refused_with_both_numbers() {
    let Some(context) = context() else { return };
    // 16 GiB less a word: the most that a kernel counts.
    let asked = u64::from(u32::MAX) * 4;
    let offered = match context.buffer::<u32>(u32::MAX as usize) {
        Err(BufferError::TooLarge { bytes, limit }) => {
            assert_eq!(bytes, asked);
            assert!(limit < bytes);
            limit
        }
        // A device that binds so much has it or runs out of it.
        Err(BufferError::Device(_)) | Ok(_) => return,
        Err(other) => panic!("{other}"),
    };
    // The limit is where it is said to be, to the word, for narrow elements too.
    let refused = BufferError::TooLarge {
        bytes: (offered / 4 + 1) * 4,
        limit: offered,
    };
    assert_eq!(
        context.buffer::<u32>(offered as usize / 4 + 1).unwrap_err(),
        refused
    );
    if offered < u64::from(u32::MAX) {
        let bytes = offered as usize / 4 * 4 + 1;
        assert_eq!(context.buffer::<u8>(bytes).unwrap_err(), refused);
    }
}

#[test]
fn past_the_usual_128_mebibytes_a_buffer_is_bound_whole() {
    let Some(context) = context() else { return };
    let len = 129 * 1024 * 1024 / 4;
    let values = match context.buffer::<u32>(len) {
        Ok(values) => values,
        Err(BufferError::TooLarge { bytes, limit }) => {
            assert!(limit < bytes);
            eprintln!("skipped: this adapter binds {limit} bytes");
            return;
        }
        Err(other) => panic!("{other}"),
    };
    let kernel = context.compile_raw(bump()).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&values).into()]).unwrap();
    binding.dispatch(&[5]).unwrap();
    for origin in [0, 32 * 1024 * 1024 - 500, len as u32 - 1000] {
        let part = values.subview(&[origin], &[1000]).unwrap();
        assert_eq!(context.download_blocking(&part).unwrap(), [5; 1000]);
    }
}
