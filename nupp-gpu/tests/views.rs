//! Views: what they are of a buffer, what kernels and transfers do through them, what is refused.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Sketch, affine, bump, context, span};
use nupp_core::artifact::GuardOp::{Le, Length};
use nupp_core::artifact::{GuardSpec, KernelSpec};
use nupp_gpu::{
    BindError, Buffer, BufferError, Context, Layout, LayoutError, RawSlot, Slot, SlotMut,
    TransferError, View, ViewError,
};

fn write(view: &View<u32>) -> RawSlot {
    SlotMut::from(view).into()
}

fn read(view: &View<u32>) -> RawSlot {
    Slot::from(view).into()
}

fn numbers(len: u32) -> Vec<u32> {
    (0..len).map(|i| i * 17 + 3).collect()
}

/// A buffer of 4 by 8 numbers, and the view of it.
fn matrix(context: &Context) -> (Buffer<u32>, View<u32>) {
    let buffer = context.buffer::<u32>(32).unwrap();
    context.upload(&buffer, &numbers(32)).unwrap();
    let view = buffer.view(&Layout::dense(&[4, 8]).unwrap()).unwrap();
    (buffer, view)
}

/// `output[i] = input[i]` at the loop index.
fn copy() -> &'static KernelSpec {
    Sketch::map(
        "copy",
        vec![
            span("output", "uint32", true),
            span("input", "uint32", false),
        ],
        "span0[at(0u) + lane] = span1[at(1u) + lane];",
    )
    .embed()
}

/// `output[i] = source[c]` for the cursor `c = i / arg(0) * arg(1) + i % arg(0) * arg(2)` where it is
/// inside, and 999 elsewhere: any view of two dimensions.
fn gather() -> &'static KernelSpec {
    let mut sketch = Sketch::map(
        "gather",
        vec![
            span("output", "uint32", true),
            span("source", "uint32", false),
        ],
        "let c = lane / arg(0u) * arg(1u) + lane % arg(0u) * arg(2u);\n\
         span0[at(0u) + lane] = 999u;\n\
         if c < len(1u) { span0[at(0u) + lane] = span1[at(1u) + c]; }",
    )
    .uniforms(3);
    sketch.spans[1].loop_indexed = false;
    sketch.embed()
}

/// Writes at a cursor: every element of the span that it is given, from the first lane.
fn fill() -> &'static KernelSpec {
    let mut sketch = Sketch::map(
        "fill",
        vec![
            span("lanes", "uint32", true),
            span("output", "uint32", true),
        ],
        "if lane == 0u { for (var c = 0u; c < len(1u); c++) { span1[at(1u) + c] = 7u; } }",
    );
    sketch.spans[1].loop_indexed = false;
    sketch.embed()
}

#[test]
fn a_view_says_what_it_is() {
    let Some(context) = context() else { return };
    let (buffer, matrix) = matrix(&context);
    assert_eq!(
        (matrix.dimensions(), matrix.strides()),
        (&[4, 8][..], &[8, 1][..])
    );
    assert!(matrix.is_dense() && matrix.is_injective() && !matrix.is_empty());
    assert_eq!((matrix.len(), matrix.extent()), (32, 32));

    let row = matrix.subview(&[2, 0], &[1, 8]).unwrap();
    assert!(row.is_dense() && row.is_injective());
    assert_eq!(row.layout().unwrap().offset(), 16);
    let turned = matrix.transpose(&[1, 0]).unwrap();
    assert!(turned.is_injective() && !turned.is_dense());
    assert_eq!(turned.strides(), [1, 8]);
    let rows = row.broadcast(&[4, 8]).unwrap();
    assert!(!rows.is_injective() && !rows.is_dense());
    assert_eq!((rows.len(), rows.extent()), (32, 8));
    let left = matrix.subview(&[0, 0], &[4, 4]).unwrap();
    assert!(left.is_injective() && !left.is_dense());
    assert_eq!((left.len(), left.extent()), (16, 28));
    let middle = buffer.subview(&[5], &[3]).unwrap();
    assert_eq!(middle.layout(), Some(&Layout::new(&[3], &[1], 5).unwrap()));
    assert_eq!(row.as_strided(&[2, 2], &[4, 3], 0).unwrap().extent(), 8);
}

#[test]
fn a_view_stays_in_its_buffer() {
    let Some(context) = context() else { return };
    let (buffer, matrix) = matrix(&context);
    let long = Layout::new(&[2], &[16], 16).unwrap();
    let refused = buffer.view(&long).unwrap_err();
    assert_eq!(
        refused,
        ViewError::Escapes {
            end: 33,
            elements: 32
        }
    );
    assert_eq!(
        refused.to_string(),
        "the layout ends at element 33, the buffer has 32"
    );
    buffer.view(&Layout::new(&[2], &[16], 15).unwrap()).unwrap();
    assert!(matches!(
        buffer.subview(&[30], &[3]),
        Err(ViewError::Layout(LayoutError::Outside {
            origin: 30,
            length: 3,
            dimension: 32,
            ..
        }))
    ));
    // Elements of the buffer that the view has not are out of its reach too.
    let row = matrix.subview(&[1, 0], &[1, 8]).unwrap();
    assert_eq!(
        row.as_strided(&[9], &[1], 0).unwrap_err(),
        ViewError::Layout(LayoutError::Escapes { end: 9, extent: 8 })
    );
}

#[test]
fn a_tensor_is_a_zeroed_buffer_with_a_shape() {
    let Some(context) = context() else { return };
    let tensor = context.tensor::<f32>(&[2, 3, 4]).unwrap();
    assert_eq!((tensor.strides(), tensor.len()), (&[12, 4, 1][..], 24));
    assert_eq!(context.download_blocking(&tensor).unwrap(), [0.0; 24]);
    assert_eq!(
        context.tensor::<f32>(&[2, 0]).unwrap_err(),
        BufferError::Shape(LayoutError::ZeroDimension { axis: 1 })
    );
    assert_eq!(
        context.tensor::<f32>(&[1; 5]).unwrap_err(),
        BufferError::Shape(LayoutError::Rank { given: 5 })
    );
    assert!(matches!(
        context.tensor::<f32>(&[1 << 16, 1 << 15, 2]),
        Err(BufferError::Shape(LayoutError::CountOverflow {
            count: 0x1_0000_0000
        }))
    ));
    // The memory is the tensor's: no other handle is needed.
    let row = tensor.subview(&[1, 2, 0], &[1, 1, 4]).unwrap();
    drop(tensor);
    context.upload(&row, &[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(
        context.download_blocking(&row).unwrap(),
        [1.0, 2.0, 3.0, 4.0]
    );
}

#[test]
fn transfers_move_a_dense_part_and_nothing_else() {
    let Some(context) = context() else { return };
    let (buffer, matrix) = matrix(&context);
    let row = matrix.subview(&[2, 0], &[1, 8]).unwrap();
    context.upload(&row, &[1; 8]).unwrap();
    let mut expected = numbers(32);
    expected[16..24].fill(1);
    assert_eq!(context.download_blocking(&buffer).unwrap(), expected);
    let last = matrix.subview(&[3, 0], &[1, 8]).unwrap();
    assert_eq!(context.download_blocking(&last).unwrap(), expected[24..]);
    assert_eq!(
        pollster::block_on(context.download(&last)).unwrap(),
        expected[24..]
    );
    assert_eq!(
        context.upload(&row, &[0; 32]),
        Err(TransferError::Length {
            buffer: 8,
            slice: 32
        })
    );

    let turned = matrix.transpose(&[1, 0]).unwrap();
    let refused = context.upload(&turned, &[0; 32]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the elements of the view {8, 4} with strides {1, 8} do not follow one another"
    );
    assert_eq!(context.download_blocking(&turned).unwrap_err(), refused);
    assert_eq!(context.enqueue_download(&turned).unwrap_err(), refused);
    assert_eq!(
        context.read_downloaded(&turned, &mut [0; 32]).unwrap_err(),
        refused
    );
    assert_eq!(context.download_blocking(&buffer).unwrap(), expected);
}

#[test]
fn one_download_of_an_allocation_is_pending_through_whatever_view() {
    let Some(context) = context() else { return };
    let (buffer, matrix) = matrix(&context);
    let [first, second] = [0, 1].map(|row| matrix.subview(&[row, 0], &[1, 8]).unwrap());
    context.enqueue_download(&second).unwrap();
    for refused in [
        context.enqueue_download(&first),
        context.enqueue_download(&second),
        context.enqueue_download(&buffer),
    ] {
        assert_eq!(refused, Err(TransferError::Pending));
    }
    context.synchronize_blocking().unwrap();
    // Another part of the same length is not what was asked for.
    let mut out = [9; 8];
    let refused = context.read_downloaded(&first, &mut out).unwrap_err();
    assert_eq!(
        refused,
        TransferError::OtherPart {
            pending: 32..64,
            asked: 0..32
        }
    );
    assert_eq!(
        refused.to_string(),
        "the download that is pending is of bytes 32 to 64 of the buffer, not of 0 to 32"
    );
    assert!(matches!(
        context.read_downloaded(&buffer, &mut [0; 32]),
        Err(TransferError::OtherPart { .. })
    ));
    assert_eq!(out, [9; 8]);
    // An equal view is the same part.
    let again = matrix.subview(&[1, 0], &[1, 8]).unwrap();
    context.read_downloaded(&again, &mut out).unwrap();
    assert_eq!(out[..], numbers(16)[8..]);
    assert_eq!(
        context.read_downloaded(&second, &mut out),
        Err(TransferError::NotQueued)
    );
    context.enqueue_download(&first).unwrap();
}

#[test]
fn a_kernel_begins_where_its_views_do() {
    let Some(context) = context() else { return };
    let (_, source) = matrix(&context);
    let (target, rows) = matrix(&context);
    let kernel = context.compile_raw(copy()).unwrap();
    let from = source.subview(&[3, 0], &[1, 8]).unwrap();
    let to = rows.subview(&[1, 0], &[1, 8]).unwrap();
    kernel
        .bind(vec![write(&to), read(&from)])
        .unwrap()
        .dispatch(&[])
        .unwrap();
    let mut expected = numbers(32);
    expected.copy_within(24..32, 8);
    assert_eq!(context.download_blocking(&target).unwrap(), expected);
}

#[test]
fn strides_are_the_kernels_business_and_the_extent_is_its_bound() {
    let Some(context) = context() else { return };
    let (_, matrix) = matrix(&context);
    let kernel = context.compile_raw(gather()).unwrap();
    let block = matrix.subview(&[1, 2], &[3, 4]).unwrap();
    for view in [
        block.clone(),
        block.transpose(&[1, 0]).unwrap(),
        matrix
            .subview(&[2, 1], &[1, 6])
            .unwrap()
            .broadcast(&[5, 6])
            .unwrap(),
    ] {
        let output = context.buffer::<u32>(view.len()).unwrap();
        let binding = kernel
            .bind(vec![SlotMut::from(&output).into(), read(&view)])
            .unwrap();
        binding
            .dispatch(&[view.dimensions()[1], view.strides()[0], view.strides()[1]])
            .unwrap();
        let layout = view.layout().unwrap();
        let expected: Vec<u32> = (0..view.len() as u32)
            .map(|i| {
                let [row, column] = [i / view.dimensions()[1], i % view.dimensions()[1]];
                let at = row * layout.strides()[0] + column * layout.strides()[1];
                numbers(32)[(layout.offset() + at) as usize]
            })
            .collect();
        assert_eq!(
            context.download_blocking(&output).unwrap(),
            expected,
            "{view:?}"
        );
    }
    // One step past the extent is outside, although the buffer goes on there.
    let row = matrix.subview(&[0, 0], &[1, 8]).unwrap();
    let output = context.buffer::<u32>(9).unwrap();
    let binding = kernel
        .bind(vec![SlotMut::from(&output).into(), read(&row)])
        .unwrap();
    binding.dispatch(&[9, 0, 1]).unwrap();
    let mut expected = numbers(8);
    expected.push(999);
    assert_eq!(context.download_blocking(&output).unwrap(), expected);
}

#[test]
fn guards_and_lengths_speak_of_the_extent() {
    let Some(context) = context() else { return };
    let (_, matrix) = matrix(&context);
    let mut sketch = Sketch::map(
        "pick",
        vec![
            span("output", "uint32", true),
            span("input", "uint32", false),
        ],
        "span0[at(0u) + lane] = span1[at(1u)];",
    )
    .guard(GuardSpec {
        cond: &[Length(1), Length(0), Le],
        message: "",
        text: "#input <= #output",
    });
    sketch.spans[1].loop_indexed = false;
    let kernel = context.compile_raw(sketch.embed()).unwrap();
    // 16 elements that span 28.
    let left = matrix.subview(&[0, 0], &[4, 4]).unwrap();
    let output = context.buffer::<u32>(27).unwrap();
    let slots = |output| vec![SlotMut::from(output).into(), read(&left)];
    assert_eq!(
        kernel.bind(slots(&output)).unwrap_err().to_string(),
        "kernel `pick`: the guard `#input <= #output` does not hold (#input is 28, #output is 27)"
    );
    kernel
        .bind(slots(&context.buffer::<u32>(28).unwrap()))
        .unwrap();

    let kernel = context.compile_raw(copy()).unwrap();
    let row = matrix.subview(&[0, 0], &[1, 8]).unwrap();
    let output = context.buffer::<u32>(32).unwrap();
    assert_eq!(
        kernel
            .bind(vec![SlotMut::from(&output).into(), read(&row)])
            .unwrap_err(),
        BindError::Length {
            kernel: "copy",
            span: "input",
            needed: 32,
            given: 8
        }
    );
}

#[test]
fn the_loop_index_needs_dense_views() {
    let Some(context) = context() else { return };
    let (_, matrix) = matrix(&context);
    let output = context.buffer::<u32>(32).unwrap();
    let kernel = context.compile_raw(copy()).unwrap();
    let turned = matrix.transpose(&[1, 0]).unwrap();
    let refused = kernel
        .bind(vec![SlotMut::from(&output).into(), read(&turned)])
        .unwrap_err();
    assert_eq!(
        refused,
        BindError::NotDense {
            kernel: "copy",
            span: "input",
            dimensions: vec![8, 4],
            strides: vec![1, 8],
        }
    );
    assert_eq!(
        refused.to_string(),
        "`input` of kernel `copy` is used at the loop index, and the elements of the view {8, 4} with \
         strides {1, 8} do not follow one another"
    );
    let input = context.buffer::<u32>(32).unwrap();
    assert!(matches!(
        kernel.bind(vec![write(&turned), Slot::from(&input).into()]),
        Err(BindError::NotDense { span: "output", .. })
    ));
}

#[test]
fn what_is_written_is_written_once_and_whole() {
    let Some(context) = context() else { return };
    let (_, matrix) = matrix(&context);
    let lanes = context.buffer::<u32>(1).unwrap();
    let kernel = context.compile_raw(fill()).unwrap();
    let bind = |view: &View<u32>| kernel.bind(vec![SlotMut::from(&lanes).into(), write(view)]);

    let row = matrix.subview(&[2, 0], &[1, 8]).unwrap();
    let refused = bind(&row.broadcast(&[4, 8]).unwrap()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`output` of kernel `fill` is written, and two indices of the view {4, 8} with strides {0, 1} \
         mean the same element"
    );
    // Windows of 3 that overlap, without a stride of 0.
    let windows = row.as_strided(&[6, 3], &[1, 1], 0).unwrap();
    assert!(matches!(
        bind(&windows),
        Err(BindError::Overlap { span: "output", .. })
    ));
    let left = matrix.subview(&[0, 0], &[4, 4]).unwrap();
    let refused = bind(&left).unwrap_err();
    assert!(matches!(
        refused,
        BindError::Gaps {
            elements: 16,
            extent: 28,
            ..
        }
    ));
    assert_eq!(
        refused.to_string(),
        "`output` of kernel `fill` is written, and the view {4, 4} with strides {8, 1} has only 16 of \
         the 28 elements from its first to its last"
    );
    // In another order, and complete: the two rows in the middle.
    let turned = matrix
        .subview(&[1, 0], &[2, 8])
        .unwrap()
        .transpose(&[1, 0])
        .unwrap();
    bind(&turned).unwrap().dispatch(&[]).unwrap();
    let mut expected = numbers(32);
    expected[8..24].fill(7);
    assert_eq!(context.download_blocking(&matrix).unwrap(), expected);
}

#[test]
fn no_allocation_is_shared_with_a_written_slot() {
    let Some(context) = context() else { return };
    let (buffer, matrix) = matrix(&context);
    let [first, second] = [0, 1].map(|row| matrix.subview(&[row, 0], &[1, 8]).unwrap());
    let shared = |kernel, first, second| BindError::Shared {
        kernel,
        first,
        second,
    };
    let affine = context.compile_raw(affine()).unwrap();
    for slots in [
        vec![write(&first), read(&first)],
        // Disjoint, and the same allocation.
        vec![write(&first), read(&second)],
        vec![SlotMut::from(&buffer).into(), read(&matrix)],
        vec![write(&matrix), Slot::from(&buffer).into()],
    ] {
        assert_eq!(
            affine.bind(slots).unwrap_err(),
            shared("affine", "output", "input")
        );
    }
    // Whichever of the two is written.
    let sketch = Sketch::map(
        "into",
        vec![
            span("input", "uint32", false),
            span("output", "uint32", true),
        ],
        "span1[at(1u) + lane] = span0[at(0u) + lane];",
    );
    let into = context.compile_raw(sketch.embed()).unwrap();
    assert_eq!(
        into.bind(vec![read(&first), write(&second)]).unwrap_err(),
        shared("into", "input", "output")
    );
    let fill = context.compile_raw(fill()).unwrap();
    assert_eq!(
        fill.bind(vec![write(&first), write(&second)]).unwrap_err(),
        shared("fill", "lanes", "output")
    );
    // Two that only read may share.
    let sketch = Sketch::map(
        "sum",
        vec![
            span("output", "uint32", true),
            span("left", "uint32", false),
            span("right", "uint32", false),
        ],
        "span0[at(0u) + lane] = span1[at(1u) + lane] + span2[at(2u) + lane];",
    );
    let kernel = context.compile_raw(sketch.embed()).unwrap();
    let output = context.buffer::<u32>(8).unwrap();
    let slots = vec![SlotMut::from(&output).into(), read(&first), read(&second)];
    kernel.bind(slots).unwrap().dispatch(&[]).unwrap();
    let all = numbers(16);
    let expected: Vec<u32> = all[..8].iter().zip(&all[8..]).map(|(a, b)| a + b).collect();
    assert_eq!(context.download_blocking(&output).unwrap(), expected);
}

#[test]
fn a_view_of_another_context_is_refused() {
    let (Some(context), Some(other)) = (context(), context()) else {
        return;
    };
    let kernel = context.compile_raw(bump()).unwrap();
    let view = other.tensor::<u32>(&[4]).unwrap();
    assert_eq!(
        kernel.bind(vec![write(&view)]).unwrap_err(),
        BindError::OtherContext {
            kernel: "bump",
            span: "values"
        }
    );
    assert_eq!(
        context.upload(&view, &[0; 4]),
        Err(TransferError::OtherContext)
    );
    assert_eq!(
        context.download_blocking(&view),
        Err(TransferError::OtherContext)
    );
}

#[test]
fn closing_a_view_ends_the_view() {
    let Some(context) = context() else { return };
    let (buffer, matrix) = matrix(&context);
    let row = matrix.subview(&[0, 0], &[1, 8]).unwrap();
    matrix.close().unwrap();
    // The row was derived from it and needs it no more; the buffer is still held.
    let refused = buffer.close().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "something else still holds this buffer; it was not closed"
    );
    let buffer = refused.into_inner();

    let kernel = context.compile_raw(bump()).unwrap();
    let sketch = kernel.bind(vec![write(&row)]).unwrap();
    let refused = row.close().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "something else still holds this view; it was not closed"
    );
    let row = refused.into_inner();
    let twin = row.clone();
    sketch.close().unwrap();
    let row = row.close().unwrap_err().into_inner();
    twin.close().unwrap_err();
    assert_eq!(context.download_blocking(&row).unwrap(), numbers(8));
    row.close().unwrap();
    buffer.close().unwrap();
}
