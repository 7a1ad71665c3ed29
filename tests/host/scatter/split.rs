//! Dispatches that scatter in a loop and are submitted in parts: lanes that meet across parts are found
//! as within one, and what did not meet has the bits of the CPU function.

use super::kernels::{rounds, turns};
use super::*;

/// Lanes of a dispatch of several workgroups, whatever the width, and a prime above.
const LANES: usize = 1200;
const PRIME: u32 = 1201;
/// Room for all three turns of a lane.
const ROOM: usize = 3 * PRIME as usize;

/// Runs a kernel over lanes that meet and lanes that do not, on contexts that submit so many workgroups at
/// once, and holds what `device` leaves to what `host` does.
fn held<const N: usize>(
    name: &str,
    host: impl Fn(&[u32], u32) -> (Result<(), KernelError>, [Vec<u32>; N]),
    device: impl Fn(&Context, &[u32], u32) -> (Option<ScatterError>, [Vec<u32>; N], u32),
) {
    for most in [u32::MAX, 1, 2, 5] {
        let options = ContextOptions::new().workgroups_per_submit(most);
        let Some(context) = context_with(options.workgroup_row_limit(7)) else {
            return;
        };
        let mut met = 0;
        // In a row of its own each turn, all in one, and onto the neighbours.
        for (cursors, step) in cursors_of(LANES, PRIME)
            .iter()
            .flat_map(|cursors| [PRIME, 0, 7].map(|step| (cursors, step)))
        {
            let before = context.submissions();
            let (told, left, workgroups) = device(&context, cursors, step);
            let took = context.submissions() - before;
            assert!(workgroups > 3, "{name}: one part is no split");
            assert!(took >= u64::from(workgroups.div_ceil(most)), "{took}");
            let (outcome, expected) = host(cursors, step);
            let meant = meant(outcome);
            assert_eq!(told, meant, "{name}, {most} at once, steps of {step}");
            met += u32::from(meant.is_some());
            // Spans in which lanes met hold what one of them wrote.
            let whole = if meant.is_some() { N - 1 } else { N };
            assert_eq!(left[..whole], expected[..whole], "{name}, {most} at once");
        }
        assert!((1..21).contains(&met), "{met}");
    }
}

#[test]
fn a_split_map_finds_the_same_lanes_and_gives_the_same_bits() {
    held(
        "turns",
        |cursors, step| {
            let (mut copy, mut output) = (vec![0; LANES], vec![0; ROOM]);
            let outcome = turns(&mut copy, &mut output, cursors, step);
            (outcome, [(1..=LANES as u32).collect(), output])
        },
        |context, cursors, step| {
            let kernel = turns::compile(context).unwrap();
            let to = buffer(context, cursors);
            let (copy, output) = (buffer(context, &[0; LANES]), buffer(context, &[0; ROOM]));
            let binding = kernel.bind(&copy, &output, &to).unwrap();
            context.synchronize_blocking().unwrap();
            binding.dispatch(step).unwrap();
            let told = told("turns", context);
            let left = [&copy, &output].map(|span| context.download_blocking(span).unwrap());
            let covers = kernel.raw().covers();
            (told, left, (LANES as u32).div_ceil(covers))
        },
    );
}

#[test]
fn split_groups_find_the_same_lanes_and_give_the_same_bits() {
    held(
        "rounds",
        |cursors, step| {
            let mut output = vec![0; ROOM];
            let outcome = rounds(&mut output, cursors, step);
            (outcome, [output])
        },
        |context, cursors, step| {
            let kernel = rounds::compile(context).unwrap();
            let (to, output) = (buffer(context, cursors), buffer(context, &[0; ROOM]));
            let binding = kernel.bind(&output, &to).unwrap();
            context.synchronize_blocking().unwrap();
            binding.dispatch(step).unwrap();
            let told = told("rounds", context);
            let left = [context.download_blocking(&output).unwrap()];
            let groups = (LANES as u32).div_ceil(64);
            (told, left, groups.div_ceil(kernel.raw().covers()))
        },
    );
}
