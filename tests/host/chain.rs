//! A chain of ten thousand dispatches, each of which reads what the one before wrote, waited for once;
//! and more groups than a row of a launch holds, downloaded whole.

use crate::kernels::affine;
use crate::{context, numbers};

nupp::nupp! {
    @aot(target = "gpu")
    local function numbered(exclusive output: span.WriteSpan<uint32>): nil
        gpu.workgroups(u32.div(u32.wrap(#output), 2), 2, function(groupIndex, phases)
            phases:run(function(localIndex)
                output[groupIndex * 2 + localIndex + 1] = groupIndex * 2654435761 + localIndex
            end)
        end)
    end
}

#[test]
fn ten_thousand_dispatches_are_waited_for_once() {
    const TURNS: u32 = 5_000;
    let Some(context) = context() else { return };
    let kernel = affine::compile(&context).unwrap();
    let [front, back] = [(); 2].map(|()| context.buffer::<u32>(257).unwrap());
    context.upload(&front, &numbers(257)).unwrap();
    let there = kernel.bind(&back, &front).unwrap();
    let again = kernel.bind(&front, &back).unwrap();
    // None commutes with the next, so that one which is lost, doubled or late is seen.
    for turn in 0..TURNS {
        there.dispatch(5, turn).unwrap();
        again.dispatch(turn | 1, 7).unwrap();
    }
    context.enqueue_download(&front).unwrap();
    context.synchronize_blocking().unwrap();
    let mut values = vec![0; 257];
    context.read_downloaded(&front, &mut values).unwrap();

    let [mut expected, mut between] = [numbers(257), vec![0; 257]];
    for turn in 0..TURNS {
        affine(&mut between, &expected, 5, turn).unwrap();
        affine(&mut expected, &between, turn | 1, 7).unwrap();
    }
    assert_eq!(values, expected);
}

#[test]
fn what_65537_groups_wrote_is_downloaded_whole() {
    let Some(context) = context() else { return };
    let len = 65_537 * 2;
    let mut expected = vec![0; len];
    numbered(&mut expected).unwrap();
    let output = context.buffer::<u32>(len).unwrap();
    let binding = numbered::compile(&context).unwrap().bind(&output).unwrap();
    binding.dispatch().unwrap();
    let values = context.download_blocking(&output).unwrap();
    assert!(values == expected);
    // The reference is not the device's twin in a mistake.
    assert_eq!(
        expected[len - 1],
        65_536_u32.wrapping_mul(2_654_435_761) + 1
    );
}
