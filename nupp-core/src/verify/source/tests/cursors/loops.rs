//! What loops say of their variables and parameters.

use super::*;

fn counted(p: &mut Probe, lo: Value, hi: Value, body: impl FnOnce(&mut Probe, Value)) {
    let var = p.b.counted_var(lo, hi);
    p.b.open();
    body(p, var);
    let body = p.b.close(Vec::new());
    let kind = LoopKind::Counted { var, lo, hi };
    p.b.loop_(kind, vec![], vec![], body, false);
}

#[test]
fn counted_variables_have_the_range_of_their_bounds() {
    let eight = || vec![guard(CmpOp::Ge, (1, TABLE), &[], 8)];
    let constant = |lo: i32, hi: i32| {
        move |p: &mut Probe| {
            let (lo, hi) = (p.b.i32(lo), p.b.i32(hi));
            counted(p, lo, hi, |p, var| {
                let cursor = p.op(U32FromI32, &[var]);
                p.read(cursor);
            });
        }
    };
    accepted(eight(), constant(0, 7));
    refused(eight(), constant(0, 8));
    refused(eight(), constant(-1, 7));
    // Up to the last element, by a bound that is a length.
    accepted(vec![], |p| {
        let (length, one) = (p.len(TABLE), p.num(1));
        let some = p.op(U32Le, &[one, length]);
        p.when(some, |p| {
            let last = p.op(U32Sub, &[length, one]);
            let zero = p.num(0);
            counted(p, zero, last, |p, var| p.read(var));
        });
    });
    refused(vec![], |p| {
        let (length, zero) = (p.len(TABLE), p.num(0));
        counted(p, zero, length, |p, var| p.read(var));
    });
}

fn growing(p: &mut Probe, limit: Value, body: impl FnOnce(&mut Probe, Value) -> Value) {
    let init = vec![p.num(0)];
    let params = p.b.loop_params(&init);
    p.b.open();
    let go_on = p.op(U32Lt, &[params[0], limit]);
    let cond = p.b.close(vec![go_on]);
    p.b.open();
    let next = body(p, params[0]);
    let body = p.b.close(vec![next]);
    let class = Termination::Variant;
    p.b.loop_(LoopKind::While { cond, class }, params, init, body, false);
}

#[test]
fn a_loop_condition_holds_in_the_body() {
    accepted(vec![], |p| {
        let length = p.len(TABLE);
        growing(p, length, |p, at| {
            p.read(at);
            p.plus(at, 1)
        });
    });
    refused(vec![], |p| {
        let length = p.len(TABLE);
        growing(p, length, |p, at| {
            let next = p.plus(at, 1);
            p.read(next);
            next
        });
    });
}

#[test]
fn a_claim_of_termination_needs_a_parameter_that_grows_or_shrinks() {
    accepted(vec![], |p| {
        let limit = p.n;
        growing(p, limit, |p, at| {
            let odd = p.below(at);
            p.choose(
                odd,
                |p| p.plus(at, 1),
                |p| {
                    let two = p.plus(at, 1);
                    let limit = p.num(1000);
                    let small = p.op(U32Lt, &[two, limit]);
                    p.choose(small, |p| p.plus(two, 1), |_| two)
                },
            )
        });
    });
    for stride in [0, 2] {
        // Two steps may pass the limit and wrap; no step never ends.
        let kernel = kernel(vec![], |p| {
            let limit = p.n;
            growing(p, limit, |p, at| p.plus(at, stride));
        });
        let error = verify(kernel).expect_err("the loop may not end");
        assert_eq!(error.rule, "termination");
    }
}
