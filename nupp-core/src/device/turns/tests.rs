//! The bound of turns, and the last loop on the interpreter, whole and with loops that are left early.

use super::*;
use crate::device::claims::{Checks, Claims, LEFT};
use crate::device::lower_device::{lower, lower_checked};
use crate::device::profile::Profile;
use crate::eval::device::{Dispatch, run};
use crate::verify::device;

/// Nested loops of so many turns each, by constants, and a last instruction that is one more loop.
fn nested(bounds: &[u32], last: Option<u32>) -> Option<u64> {
    fn inside(b: &mut Builder<Leaf>, bounds: &[u32], n: Value) -> Value {
        let Some((&first, rest)) = bounds.split_first() else {
            return n;
        };
        let hi = b.u32(first);
        counted(b, hi, n, |b, _, n| inside(b, rest, n))
    }
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    inside(&mut b, bounds, index);
    if let Some(last) = last {
        inside(&mut b, &[last], index);
    }
    most(&around(b, index))
}

#[test]
fn turns_of_all_loops_are_counted_together() {
    assert_eq!(nested(&[], None), Some(0));
    assert_eq!(nested(&[255], None), Some(255));
    assert_eq!(nested(&[255, 256], None), Some(255 * 257));
    assert_eq!(nested(&[255, 256], Some(9)), Some(255 * 257 + 9));
    // A loop of no turn is entered where no lane is.
    assert_eq!(nested(&[0, 0], None), Some(2));
    assert_eq!(nested(&[u32::MAX; 3], None), None, "past 64 bits");
}

#[test]
fn a_bound_that_a_dispatch_gives_is_unknown() {
    assert_eq!(most(&kernel().expect("it verifies")), None);
}

#[test]
fn a_device_is_judged_by_what_its_loops_give() {
    let kernel = kernel().expect("it verifies");
    let module = lower(&kernel, &Profile::CONSERVATIVE).expect("it lowers");
    let module = device::verify(module).expect("it verifies");
    let words = kernel_words(&[UNIFORMS[0], UNIFORMS[1], UNIFORMS[2]], &module);
    assert_eq!(judge(words), Loops::Whole);
    // As a driver leaves them: the first late, the others after a turn.
    let left = kernel_words(&[65_535, 1, 2], &module);
    assert_eq!(judge(left), Loops::Shown);
    let hidden = kernel_words(&[65_535, 300, LAST], &module);
    assert_eq!(judge(hidden), Loops::Hidden);
}

fn kernel_words(uniforms: &[u32], module: &Verified<crate::device::ir::Module>) -> [u32; 2] {
    let mut buffers = [vec![0xdead_beef; RESULTS as usize]];
    run(module, &mut buffers, &dispatch(&[RESULTS], uniforms)).expect("it runs");
    [buffers[0][0], buffers[0][1]]
}

fn dispatch<'a>(lengths: &'a [u32], uniforms: &'a [u32]) -> Dispatch<'a> {
    Dispatch {
        count: RESULTS,
        width: 1,
        offsets: &[],
        lengths,
        uniforms,
        seed: 0,
    }
}

#[test]
fn a_watched_module_notes_nothing_where_loops_are_whole() {
    let kernel = kernel().expect("it verifies");
    let checks = Checks {
        scatter: true,
        loops: true,
    };
    let claims = Claims { slots: 0, lanes: 0 };
    for profile in Profile::ALL {
        let module = lower_checked(&kernel, profile, checks).expect("it lowers");
        assert!(module.buffers[1].atomic);
        let module = device::verify(module).expect("it verifies");
        let mut buffers = [vec![7; 2], vec![0; claims.words() as usize]];
        run(&module, &mut buffers, &dispatch(&[2], &[5, 6, 1])).expect("it runs");
        assert_eq!(buffers[1][LEFT as usize], 0, "{}", profile.name);
    }
}
