//! Checked scatters: in every schedule nobody races, and who met is whom the interpreter of Source IR
//! names; where a lane scatters several times, whom the definition of `device::claims` names.

use super::kit::Kit;
use super::*;
use crate::device::claims::{Claims, Meeting, RECORD, reader, scattered};
use crate::eval::source::{self, EvalError, LaneOrder};
use crate::ir::samples::more;
use crate::ir::scope;

const SCATTER: Checks = Checks {
    scatter: true,
    loops: false,
};

/// Whom a dispatch of the checked module finds, the same in every schedule, form of the arithmetic and
/// order of the groups; and what it leaves in the buffers where it finds nobody.
fn found(
    kernel: &Kernel,
    buffers: &[Vec<u32>],
    dispatch: &Dispatch<'_>,
    claims: Claims,
) -> (Option<Meeting>, Vec<Vec<u32>>) {
    let mut agreed: Option<(Option<Meeting>, Vec<Vec<u32>>)> = None;
    for profile in Profile::ALL {
        let module =
            lower_claiming(kernel, profile, &Claiming::of(kernel, SCATTER)).expect("it lowers");
        let module = verify(module).expect("what is lowered verifies");
        for seed in 0..6 {
            let mut words = buffers.to_vec();
            words.push(vec![0; claims.words() as usize]);
            let dispatch = Dispatch {
                seed,
                ..dispatch.clone()
            };
            run(&module, &mut words, &dispatch).expect("lanes that meet do not race");
            let meeting = read(
                profile,
                words.pop().expect("the claims"),
                claims.slots as u32,
            );
            let left = if meeting.is_none() { words } else { Vec::new() };
            match &agreed {
                None => agreed = Some((meeting, left)),
                Some(first) => assert_eq!(*first, (meeting, left), "{} {seed}", profile.name),
            }
        }
    }
    agreed.expect("there is a profile")
}

fn read(profile: &Profile, claims: Vec<u32>, slots: u32) -> Option<Meeting> {
    let kernel = reader().expect("it verifies");
    let module = verify(lower(&kernel, profile).expect("it lowers")).expect("it verifies");
    let lengths = [RECORD, claims.len() as u32];
    let mut words = [vec![0xdead_beef; RECORD as usize], claims];
    run(&module, &mut words, &dispatch(RECORD, &lengths, &[slots])).expect("it runs");
    Meeting::of(words[0].as_slice().try_into().expect("five words"))
}

/// The same by the definition, from every element and the lane that scattered to it.
fn defined(scatters: &[(u32, u32)]) -> Option<Meeting> {
    let mut sorted = scatters.to_vec();
    sorted.sort_unstable();
    let later = (0..sorted.len()).filter(|&n| n > 0 && sorted[n].0 == sorted[n - 1].0);
    let (second, slot) = later.map(|n| (sorted[n].1, sorted[n].0)).min()?;
    let first = sorted.iter().find(|(at, _)| *at == slot)?.1;
    Some(Meeting {
        slot,
        first,
        second,
    })
}

/// What the interpreter of Source IR leaves, or whom it refuses.
fn meant(kernel: &Kernel, buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, (SpanId, Meeting)> {
    let verified = crate::verify::source::verify(kernel.clone()).expect("the kernel verifies");
    let mut words = buffers.to_vec();
    match source::run(&verified, &mut words, &[], LaneOrder::Ascending) {
        Ok(()) => Ok(words),
        Err(EvalError::Scatter {
            span,
            slot,
            first,
            second,
        }) => {
            let [first, second] = [first, second].map(|lane| lane as u32);
            let meeting = Meeting {
                slot,
                first,
                second,
            };
            Err((span, meeting))
        }
        Err(other) => panic!("{other}"),
    }
}

/// Cursors of so many lanes: distinct, and with meetings of several kinds planted.
fn cursors(lanes: u32) -> Vec<Vec<u32>> {
    let distinct: Vec<u32> = (0..lanes).map(|n| n * 7 % 311).collect();
    let last = lanes as usize - 1;
    let planted = |pairs: &[(usize, usize)]| {
        let mut cursors = distinct.clone();
        for &(to, from) in pairs {
            cursors[to] = cursors[from];
        }
        cursors
    };
    let mut all = vec![
        planted(&[(last, 0)]),
        planted(&[(1, 0)]),
        planted(&[(last - 1, last)]),
        // The pair of the lesser element, and of the lesser first lane, is not the first to meet.
        planted(&[(last, 1), (last - 1, 2), (9, 5), (10, 3)]),
        // Three and four lanes at one element.
        planted(&[(8, 4), (6, 4), (last, 4), (7, 5)]),
        vec![3; lanes as usize],
        (0..lanes).map(|n| (lanes - n) / 2).collect(),
    ];
    all.extend((0..6).map(|seed| {
        words(seed, lanes as usize)
            .iter()
            .map(|w| w % 997)
            .collect()
    }));
    all.push(distinct);
    all
}

#[test]
fn lanes_of_a_map_are_found_as_the_source_names_them() {
    let kernel = more::scatter();
    let mut clean = 0;
    for cursors in cursors(200) {
        let buffers = [vec![0; 200], vec![0; 305], words(4, 200), cursors];
        let claims = Claims {
            slots: 305,
            lanes: 200,
        };
        let dispatch = dispatch(200, &[200, 305, 200, 200], &[]);
        let (meeting, left) = found(&kernel, &buffers, &dispatch, claims);
        match meant(&kernel, &buffers) {
            Ok(words) => {
                assert_eq!((meeting, left), (None, words));
                clean += 1;
            }
            Err((_, meant)) => assert_eq!(meeting, Some(meant)),
        }
    }
    assert!(clean >= 1, "distinct cursors are distinct");
}

/// Scatters `local` to the input's element plus `past`, where that is inside.
fn scatter_input(kit: &mut Kit, local: Value, past: Option<Value>) {
    let mut at = kit.input(4, local);
    if let Some(past) = past {
        at = kit.b.scalar(ScalarOp::U32Add, &[at, past]);
    }
    let length = kit.b.leaf(Leaf::Length(SpanId(0)), Scalar::U32);
    let inside = kit.b.scalar(ScalarOp::U32Lt, &[at, length]);
    kit.b.open();
    kit.b.effect(Leaf::Scatter {
        span: SpanId(0),
        index: at,
        proof: Certificate::Cursor {
            facts: vec![(inside, true)],
        },
        values: vec![local],
    });
    let then = kit.b.close(Vec::new());
    kit.b.if_(inside, then, Default::default());
}

/// One lane for each element of the input, four a group.
fn of_four(kit: Kit) -> Kernel {
    let mut kernel = kit.kernel();
    if let Body::Groups(groups) = &mut kernel.body {
        groups.rule = GroupRule {
            span: SpanId(1),
            divisor: 4,
            ceil: false,
        };
    }
    scope::assign(&mut kernel);
    kernel
}

#[test]
fn lanes_of_groups_are_found_as_the_source_names_them() {
    let mut kit = Kit::new(4);
    kit.phase(|kit, local| scatter_input(kit, local, None));
    let kernel = of_four(kit);
    for cursors in cursors(44) {
        let buffers = [vec![0; 60], cursors];
        let claims = Claims {
            slots: 60,
            lanes: 44,
        };
        // Two groups a row, so that the number of a group is folded.
        let dispatch = Dispatch {
            width: 2,
            ..dispatch(11, &[60, 44], &[])
        };
        let (meeting, left) = found(&kernel, &buffers, &dispatch, claims);
        match meant(&kernel, &buffers) {
            Ok(words) => assert_eq!((meeting, left), (None, words)),
            Err((_, meant)) => assert_eq!(meeting, Some(meant)),
        }
    }
}

/// Three turns of the controller, so that a lane scatters three times and may meet itself.
#[test]
fn lanes_that_scatter_again_are_found_by_number() {
    let mut kit = Kit::new(4);
    kit.repeat(3, |kit, turn| {
        kit.phase(|kit, local| scatter_input(kit, local, Some(turn)));
    });
    let kernel = of_four(kit);
    let spread: Vec<u32> = (0..12).map(|n| n * 3).collect();
    let mut twice = spread.clone();
    twice[5] = u32::MAX;
    let mut beside = spread.clone();
    beside[7] = 4;
    for cursors in [spread, twice, beside, words(9, 12), vec![2; 12]] {
        let scatters = (0..).zip(&cursors);
        let scatters =
            scatters.flat_map(|(lane, at)| (0..3).map(move |n| (at.wrapping_add(n), lane)));
        let scatters: Vec<(u32, u32)> = scatters.filter(|(at, _)| *at < 40).collect();
        let buffers = [vec![0; 40], cursors];
        let claims = Claims {
            slots: 40,
            lanes: 12,
        };
        let (meeting, left) = found(&kernel, &buffers, &dispatch(3, &[40, 12], &[]), claims);
        assert_eq!(meeting, defined(&scatters));
        match meant(&kernel, &buffers) {
            Ok(words) => assert_eq!((meeting, left), (None, words)),
            Err(_) => assert!(meeting.is_some()),
        }
    }
}

/// A map that copies its index, and scatters it into two spans by cursors of their own.
fn into_two() -> Kernel {
    let word = |name, access| span(name, Scalar::U32, access);
    let spans = vec![
        word("copy", Access::Write),
        word("a", Access::Write),
        word("b", Access::Write),
        word("to_a", Access::Read),
        word("to_b", Access::Read),
    ];
    let own = |span, proof| Place::Element {
        span,
        offset: 0,
        proof,
    };
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    b.effect(Leaf::Store {
        place: own(SpanId(0), Certificate::Primary),
        field: 0,
        value: index,
    });
    for (guard, into, cursors) in [(0, SpanId(1), SpanId(3)), (1, SpanId(2), SpanId(4))] {
        let chain = vec![guard];
        let place = own(cursors, Certificate::Guard { chain });
        let at = b.leaf(Leaf::Load { place, field: 0 }, Scalar::U32);
        let length = b.leaf(Leaf::Length(into), Scalar::U32);
        let inside = b.scalar(ScalarOp::U32Lt, &[at, length]);
        b.open();
        b.effect(Leaf::Scatter {
            span: into,
            index: at,
            proof: Certificate::Cursor {
                facts: vec![(inside, true)],
            },
            values: vec![index],
        });
        let then = b.close(Vec::new());
        b.if_(inside, then, Default::default());
    }
    let guards =
        [SpanId(3), SpanId(4)].map(|cursors| hand::equal_lengths(&spans, cursors, SpanId(0)));
    let (values, region) = b.finish(Vec::new());
    let mut kernel = Kernel {
        params: (0..5).map(|n| ParamRef::Span(SpanId(n))).collect(),
        spans,
        guards: guards.into(),
        values,
        body: Body::Map {
            primary: SpanId(0),
            index,
            region,
        },
        ..kernel(Vec::new(), Builder::new(), more::scatter().body)
    };
    scope::assign(&mut kernel);
    kernel
}

#[test]
fn spans_are_apart() {
    let kernel = into_two();
    assert_eq!(scattered(&kernel), [SpanId(1), SpanId(2)]);
    for to_a in cursors(50) {
        for to_b in cursors(50).into_iter().rev().step_by(4) {
            let buffers = [vec![0; 50], vec![0; 310], vec![0; 400], to_a.clone(), to_b];
            let claims = Claims {
                slots: 710,
                lanes: 50,
            };
            let dispatch = dispatch(50, &[50, 310, 400, 50, 50], &[]);
            let (meeting, left) = found(&kernel, &buffers, &dispatch, claims);
            match meant(&kernel, &buffers) {
                Ok(words) => assert_eq!((meeting, left), (None, words)),
                Err((span, meant)) => {
                    let past = if span == SpanId(1) { 0 } else { 310 };
                    let slot = meant.slot + past;
                    assert_eq!(meeting, Some(Meeting { slot, ..meant }));
                }
            }
        }
    }
}

#[test]
fn atomic_buffers_are_kept_apart() {
    let kernel = more::scatter();
    let module = lower_claiming(
        &kernel,
        &Profile::CONSERVATIVE,
        &Claiming::of(&kernel, SCATTER),
    );
    let module = module.expect("it lowers");
    check(&module).expect("it verifies");
    for buffer in [1, 2, 4] {
        let mut broken = module.clone();
        broken.buffers[buffer].atomic ^= true;
        let fault = check(&broken).expect_err("some access is of the other kind");
        assert_eq!(
            fault.rule,
            "an atomic buffer is touched in one step, and no other"
        );
    }
    let mut broken = module;
    broken.buffers[4].write = false;
    let fault = check(&broken).expect_err("it is written");
    assert_eq!(fault.rule, "only a written buffer is written");
}

#[test]
fn without_a_scatter_nothing_changes() {
    for kernel in more::all() {
        let kernel = crate::verify::source::verify(kernel).expect("it verifies");
        let plain = lower(&kernel, &Profile::CONSERVATIVE).expect("it lowers");
        let same = lower_checked(&kernel, &Profile::CONSERVATIVE, SCATTER).expect("it lowers");
        let same = same == plain;
        assert_eq!(same, scattered(&kernel).is_empty(), "{}", kernel.name);
    }
}
