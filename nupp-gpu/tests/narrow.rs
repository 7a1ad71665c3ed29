//! Narrow and struct elements: exact transfers, words for kernels, refused parts of words.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::fmt::Debug;
use std::ops::Bound;

use bytemuck::{Pod, Zeroable};
use common::{Sketch, bump, context, span};
use nupp_core::artifact::KernelSpec;
use nupp_gpu::{BindError, Context, Element, RawSlot, Slot, SlotMut, TransferError, ViewError};

/// Three words.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
struct Sample {
    place: [f32; 2],
    kind: u32,
}

impl Element for Sample {
    const NAME: &'static str = "Sample";
}

/// `output[i]` is byte `i` of the words.
fn unpack() -> &'static KernelSpec {
    let mut sketch = Sketch::map(
        "unpack",
        vec![
            span("output", "uint32", true),
            span("words", "uint32", false),
        ],
        "let c = lane / 4u;\n\
         span0[at(0u) + lane] = 999u;\n\
         if c < len(1u) {\n\
             span0[at(0u) + lane] = (span1[at(1u) + c] >> (lane % 4u * 8u)) & 255u;\n\
         }",
    );
    sketch.spans[1].loop_indexed = false;
    sketch.embed()
}

/// The words of some bytes, 0 past the last.
fn packed(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks(4)
        .map(|chunk| {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            u32::from_le_bytes(word)
        })
        .collect()
}

/// Values of every pattern that fits, by bits, in buffers of many lengths.
fn exact<T: Element + Debug>(context: &Context, make: impl Fn(u32) -> T) {
    for len in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 257, 65_536] {
        let buffer = context.buffer::<T>(len).unwrap();
        let bytes = |values: &[T]| bytemuck::cast_slice::<T, u8>(values).to_vec();
        let fresh = context.download_blocking(&buffer).unwrap();
        assert_eq!(bytes(&fresh), vec![0; len * size_of::<T>()]);

        let values: Vec<T> = (0..len as u32).map(&make).collect();
        context.upload(&buffer, &values).unwrap();
        let got = context.download_blocking(&buffer).unwrap();
        assert_eq!(bytes(&got), bytes(&values), "{} {len}", T::NAME);

        let mut out = vec![T::zeroed(); len];
        context.enqueue_download(&buffer).unwrap();
        context.synchronize_blocking().unwrap();
        context.read_downloaded(&buffer, &mut out).unwrap();
        assert_eq!(bytes(&out), bytes(&values), "{} {len}", T::NAME);

        let words = buffer.words().unwrap();
        assert_eq!(words.is_empty(), len == 0);
        let got = context.download_blocking(&words).unwrap();
        assert_eq!(got, packed(&bytes(&values)), "{} {len}", T::NAME);
    }
}

#[test]
fn every_narrow_element_moves_exactly() {
    let Some(context) = context() else { return };
    exact(&context, |i| i as u8);
    exact(&context, |i| i as i8);
    exact(&context, |i| i as u16);
    exact(&context, |i| i as i16);
    exact(&context, |i| Sample {
        place: [f32::from_bits(i.wrapping_mul(0x9e37_79b9)), i as f32],
        kind: !i,
    });
}

#[cfg(feature = "half")]
#[test]
fn every_pattern_of_16_bit_floats_moves_exactly() {
    let Some(context) = context() else { return };
    exact(&context, |i| half::f16::from_bits(i as u16));
    exact(&context, |i| half::bf16::from_bits(i as u16));
}

#[test]
fn kernels_read_bytes_through_words() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(unpack()).unwrap();
    for len in [1, 3, 4, 7, 300] {
        let buffer = context.buffer::<u8>(len).unwrap();
        let values: Vec<u8> = (0..len as u32).map(|i| (i * 37 + 200) as u8).collect();
        context.upload(&buffer, &values).unwrap();
        let words = buffer.words().unwrap();
        let whole = len.next_multiple_of(4);
        let output = context.buffer::<u32>(whole + 1).unwrap();
        let slots = vec![SlotMut::from(&output).into(), Slot::from(&words).into()];
        kernel.bind(slots).unwrap().dispatch(&[]).unwrap();
        let mut expected: Vec<u32> = values.iter().copied().map(u32::from).collect();
        expected.resize(whole, 0);
        // The words end where the buffer does.
        expected.push(999);
        assert_eq!(context.download_blocking(&output).unwrap(), expected);
    }
}

#[test]
fn a_part_of_the_words_is_a_part_of_the_buffer() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    let buffer = context.buffer::<u16>(7).unwrap();
    context.upload(&buffer, &[1, 2, 3, 4, 5, 6, 7]).unwrap();
    let middle = buffer.words_in(2..4).unwrap();
    assert_eq!((middle.len(), middle.layout().unwrap().offset()), (1, 1));
    let end = buffer.words_in(4..).unwrap();
    assert_eq!(context.download_blocking(&end).unwrap(), [0x0006_0005, 7]);
    context.upload(&middle, &[0x0101_0202]).unwrap();
    assert_eq!(
        context.download_blocking(&buffer).unwrap(),
        [1, 2, 0x202, 0x101, 5, 6, 7]
    );
    // A kernel may write what is left of the last word; uploading clears it again.
    let binding = kernel
        .bind(vec![SlotMut::from(&buffer.words().unwrap()).into()])
        .unwrap();
    binding.dispatch(&[0x0001_0000]).unwrap();
    assert_eq!(
        context.download_blocking(&end).unwrap(),
        [0x0007_0005, 0x0001_0007]
    );
    let last = buffer.subview(&[4], &[3]).unwrap();
    context.upload(&last, &[8, 9, 10]).unwrap();
    assert_eq!(context.download_blocking(&end).unwrap(), [0x0009_0008, 10]);
    assert_eq!(
        context.download_blocking(&buffer).unwrap(),
        [1, 3, 0x202, 0x102, 8, 9, 10]
    );
}

#[test]
fn three_of_eight_bytes_are_refused() {
    let Some(context) = context() else { return };
    // All three of three are whole.
    let three = context.buffer::<u8>(3).unwrap();
    context.upload(&three, &[1, 2, 3]).unwrap();
    assert_eq!(context.download_blocking(&three).unwrap(), [1, 2, 3]);
    let words = three.words().unwrap();
    assert_eq!(words.len(), 1);
    let kernel = context.compile_raw(bump()).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&words).into()]).unwrap();
    binding.dispatch(&[0x0003_0201]).unwrap();
    assert_eq!(context.download_blocking(&three).unwrap(), [2, 4, 6]);

    let eight = context.buffer::<u8>(8).unwrap();
    assert_eq!(
        context.upload(&eight, &[1, 2, 3]),
        Err(TransferError::Length {
            buffer: 8,
            slice: 3
        })
    );
    let part = |begin, end| ViewError::PartWord { begin, end, all: 8 };
    let refused = eight.words_in(..3).unwrap_err();
    assert_eq!(refused, part(0, 3));
    assert_eq!(
        refused.to_string(),
        "bytes 0 to 3 of a buffer of 8 are not whole words: they must begin on a multiple of 4, and \
         end on one or where the buffer ends"
    );
    assert_eq!(eight.words_in(2..).unwrap_err(), part(2, 8));
    assert_eq!(eight.words_in(2..6).unwrap_err(), part(2, 6));
    assert_eq!(eight.words_in(4..=7).unwrap().len(), 1);
    assert!(eight.words_in(3..3).unwrap().is_empty());
    let after = eight.words_in((Bound::Excluded(3), Bound::Unbounded));
    assert_eq!(after.unwrap().layout().unwrap().offset(), 1);
    let outside = |begin, end| ViewError::Range {
        begin,
        end,
        elements: 8,
    };
    assert_eq!(eight.words_in(4..12).unwrap_err(), outside(4, 12));
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = eight.words_in(8..4).unwrap_err();
    assert_eq!(reversed, outside(8, 4));
    assert_eq!(
        reversed.to_string(),
        "elements 8 to 4 are asked for, the buffer has 8"
    );
    assert_eq!(
        eight.words_in(usize::MAX..).unwrap_err(),
        outside(u64::MAX, 8)
    );

    // The same of views: their bytes must be words.
    for (origin, len) in [(0, 3), (2, 6), (2, 4), (5, 1)] {
        let view = eight.subview(&[origin], &[len]).unwrap();
        let (begin, end) = (u64::from(origin), u64::from(origin + len));
        let refused = TransferError::PartWord { begin, end, all: 8 };
        assert_eq!(
            context.upload(&view, &vec![0; len as usize]),
            Err(refused.clone())
        );
        assert_eq!(context.enqueue_download(&view), Err(refused.clone()));
        assert_eq!(context.download_blocking(&view), Err(refused));
        assert_eq!(view.words().unwrap_err(), part(begin, end));
    }
    let turned = eight.words().unwrap();
    assert_eq!(turned.words().unwrap().len(), 2);
    let matrix = context.tensor::<i8>(&[4, 4]).unwrap();
    assert_eq!(matrix.words().unwrap().dimensions(), [4]);
    assert!(matches!(
        matrix.transpose(&[1, 0]).unwrap().words(),
        Err(ViewError::NotDense { .. })
    ));
    assert_eq!(
        eight.words_in(4..4).unwrap().transpose(&[0]).unwrap_err(),
        ViewError::Empty
    );
}

#[test]
fn a_span_holds_whole_words() {
    let Some(context) = context() else { return };
    let kernel = context.compile_raw(bump()).unwrap();
    let bytes = context.buffer::<u8>(4).unwrap();
    let samples = context.buffer::<Sample>(4).unwrap();
    let slots: [(RawSlot, &str); 2] = [
        (SlotMut::from(&bytes).into(), "uint8"),
        (SlotMut::from(&samples).into(), "Sample"),
    ];
    for (slot, given) in slots {
        assert_eq!(
            kernel.bind(vec![slot]).unwrap_err(),
            BindError::Element {
                kernel: "bump",
                span: "values",
                needed: "uint32",
                given
            }
        );
    }
    // The words of structs are their fields.
    context
        .upload(
            &samples,
            &[Sample {
                place: [1.0, 2.0],
                kind: 3,
            }; 4],
        )
        .unwrap();
    let part = samples.words_in(1..3).unwrap();
    let one = [1.0f32.to_bits(), 2.0f32.to_bits(), 3];
    assert_eq!(
        context.download_blocking(&part).unwrap(),
        [one, one].concat()
    );
    kernel
        .bind(vec![SlotMut::from(&samples.words().unwrap()).into()])
        .unwrap()
        .dispatch(&[1])
        .unwrap();
    assert_eq!(context.download_blocking(&samples).unwrap()[3].kind, 4);
}
