//! Devices that err in known ways get the profile that is right on them, or none.

use super::operands::CHOICES;
use super::*;
use crate::device::lower_device;
use crate::eval::device::{Arithmetic, Dispatch, faults, run_by};
use crate::verify;

/// What a device with this arithmetic gives for the probe, lowered for a profile.
fn results(probe: &Probe, profile: &Profile, arithmetic: Arithmetic) -> Vec<u32> {
    let of = |stage| run(probe, stage, profile, arithmetic);
    Stage::PARTS.into_iter().flat_map(of).collect()
}

fn run(probe: &Probe, stage: Stage, profile: &Profile, arithmetic: Arithmetic) -> Vec<u32> {
    let module = lower_device::lower(probe.kernel(stage), profile).expect("the probe lowers");
    let module = verify::device::verify(module).expect("the module is sound");
    let [x, y, z] = probe.operands(stage).map(<[u32]>::to_vec);
    let length = x.len() as u32;
    let mut buffers = vec![vec![0; x.len()], x, y, z];
    let dispatch = Dispatch {
        count: length,
        lengths: &[length; 4],
        offsets: &[0; 4],
        uniforms: &UNIFORMS,
        width: 7,
        seed: 5,
    };
    run_by(&module, &mut buffers, &dispatch, arithmetic).expect("the probe runs");
    buffers.swap_remove(0)
}

/// The profile that a device gets, after it was confirmed.
fn chosen(arithmetic: Arithmetic) -> Result<Profile, Evidence> {
    let probe = Probe::new().expect("the probe is sound");
    let verdict = probe.judge(&run(&probe, Stage::Bare, &Profile::DEVICE, arithmetic));
    let given = results(&probe, &verdict.profile, arithmetic);
    probe.confirm(&given).map(|()| verdict.profile)
}

fn probed(profile: Profile) -> Result<Profile, Evidence> {
    Ok(Profile {
        name: "probed",
        ..profile
    })
}

/// The device's conversions of integers are right on every faked device.
const BARE: Profile = Profile::DEVICE;

#[test]
fn a_device_without_fault_is_trusted_with_everything() {
    let exact: Arithmetic = |op, [a, b, c]| scalar::apply3(op, a, b, c);
    assert_eq!(chosen(exact), probed(BARE));
}

#[test]
fn a_device_that_flushes_is_guarded() {
    let profile = Profile {
        add: Route::Guarded,
        mul: Route::Guarded,
        fma: Route::Guarded,
        div: Route::Guarded,
        sqrt: Route::Guarded,
        compare: Route::Software,
        ..BARE
    };
    assert_eq!(chosen(faults::flushing), probed(profile));
}

#[test]
fn a_device_that_does_not_fuse_gets_fma_in_software() {
    let profile = Profile {
        fma: Route::Software,
        ..BARE
    };
    assert_eq!(chosen(faults::unfused), probed(profile));
    let profile = Profile {
        add: Route::Guarded,
        mul: Route::Guarded,
        div: Route::Guarded,
        sqrt: Route::Guarded,
        compare: Route::Software,
        ..profile
    };
    assert_eq!(chosen(faults::flushing_unfused), probed(profile));
}

#[test]
fn a_device_that_divides_badly_refines() {
    let profile = Profile {
        from_int: Route::Opaque,
        ..Profile::FUSED
    };
    assert_eq!(chosen(faults::careless), probed(profile));
}

#[test]
fn a_device_whose_sums_are_wrong_gets_integer_code() {
    let profile = chosen(faults::truncating).expect("integer code is right");
    assert_eq!(
        (profile.add, profile.mul),
        (Route::Software, Route::Software)
    );
}

#[test]
fn a_device_whose_integers_are_wrong_is_refused_with_the_evidence() {
    let probe = Probe::new().expect("the probe is sound");
    let evidence = probe
        .confirm(&results(&probe, &Profile::INTEGER, faults::broken))
        .expect_err("no route is right");
    assert_ne!(evidence.given, evidence.right);
    let text = evidence.to_string();
    assert!(text.starts_with("`x + y` of x = 0x"), "{text}");
}

#[test]
fn every_named_profile_is_confirmed_on_a_device_without_fault() {
    let probe = Probe::new().expect("the probe is sound");
    let exact: Arithmetic = |op, [a, b, c]| scalar::apply3(op, a, b, c);
    for profile in Profile::ALL {
        let given = results(&probe, profile, exact);
        assert_eq!(probe.confirm(&given), Ok(()), "{}", profile.name);
    }
}

/// A result that is one bit off, anywhere, is found.
#[test]
fn a_planted_fault_is_found() {
    let probe = Probe::new().expect("the probe is sound");
    let exact: Arithmetic = |op, [a, b, c]| scalar::apply3(op, a, b, c);
    let right = results(&probe, &Profile::INTEGER, exact);
    for place in (0..right.len()).step_by(37) {
        let mut wrong = right.clone();
        wrong[place] ^= 1;
        assert!(probe.confirm(&wrong).is_err(), "sample {place}");
    }
}

/// What is judged is the operation that it is said to be.
#[test]
fn the_first_tests_are_the_operations() {
    let probe = Probe::new().expect("the probe is sound");
    for (op, test) in OPERATIONS.into_iter().zip(&probe.tests) {
        assert!(
            matches!(&test.tree, Tree::Op(found, _) if *found == op),
            "{}",
            test.formula
        );
    }
}

/// The operands tell fused from unfused sums, near quotients and roots from right ones, and deep choices from
/// forgotten ones.
#[test]
fn the_operands_are_hard() {
    let probe = Probe::new().expect("the probe is sound");
    let differ = |test: usize, other: &dyn Fn([u32; 3]) -> u32| {
        let samples = test * SAMPLES..(test + 1) * SAMPLES;
        let wrong = samples.filter(|&sample| {
            let operands = [0, 1, 2].map(|n: usize| probe.operands[n][sample]);
            probe.tests[test].tree.value(operands, &scalar::apply) != other(operands)
        });
        wrong.count()
    };
    let unfused = differ(3, &|args| faults::unfused(ScalarOp::F32Fma, args));
    let by_reciprocal = differ(4, &|[x, y, _]| {
        let inverse = scalar::apply(ScalarOp::F32Div, &[0x3f80_0000, y]);
        scalar::apply(ScalarOp::F32Mul, &[x, inverse])
    });
    let truncated = differ(5, &|[x, ..]| {
        let root = f64::from(f32::from_bits(x)).sqrt();
        let near = root as f32;
        let above = f64::from(near) > root;
        scalar::canonical(near.to_bits() - u32::from(above))
    });
    // Where the first 80 conditions do not hold, a driver that forgets the next one gives what it chooses.
    let choices = probe.tests.len() - 1;
    let value = |x, y| probe.tests[choices].tree.value([x, y, 0], &scalar::apply);
    let kept = CHOICES - 80..CHOICES;
    let forgotten = differ(choices, &|[x, y, _]| {
        let found = if kept.contains(&x) { x } else { kept.start - 1 };
        value(found, y)
    });
    assert!(forgotten > 100, "{forgotten} tell choices");
    assert!(unfused > 60, "{unfused} tell fused sums");
    assert!(by_reciprocal > 40, "{by_reciprocal} tell quotients");
    assert!(truncated > 40, "{truncated} tell roots");
}
