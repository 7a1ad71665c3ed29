//! Segments with many calls of one function, which become a loop.

use super::*;

/// Sums of products side by side, as in a tile of a matrix product.
const SUMS: usize = 9;

/// Three turns of adding to nine sums the products of three inputs with three others.
fn turns(body: &Body<'_>, sums: &[Value], [rows, columns]: [[u32; 3]; 2]) -> Vec<Value> {
    let params = body.ctx.borrow_mut().loop_params(sums);
    let (lo, hi) = (body.word(1), body.word(3));
    let var = body.ctx.borrow_mut().counted_var(lo, hi);
    body.ctx.borrow_mut().open();
    let (rows, columns) = (rows.map(|n| body.input(n)), columns.map(|n| body.input(n)));
    let next = params.iter().enumerate().map(|(n, &sum)| {
        let (row, column) = (rows[n / 3], columns[n % 3]);
        body.call(Carried::Fma, &[row, column, sum])
    });
    let next = next.collect();
    let turn = body.ctx.borrow_mut().close(next);
    let kind = LoopKind::Counted { var, lo, hi };
    (body.ctx.borrow_mut()).loop_(kind, params, sums.to_vec(), turn, false)
}

/// Two loops over the same sums; the second has nothing to do with the inputs 0 and 3.
fn tiles() -> (Module, Vec<(FuncId, Carried)>) {
    module(|body| {
        let zeros = vec![body.word(0); SUMS];
        let sums = turns(body, &zeros, [[0, 1, 2], [3, 4, 5]]);
        let sums = turns(body, &sums, [[1, 2, 6], [4, 5, 7]]);
        for (n, value) in (0..).zip(sums) {
            body.output(n, value);
        }
    })
}

fn calls(region: &DeviceRegion) -> usize {
    let each = region.insts.iter().map(|inst| match &inst.op {
        Op::Leaf(DeviceLeaf::Call { .. }) => 1,
        Op::If { then, els, .. } => calls(then) + calls(els),
        Op::Loop(inner) => calls(&inner.body),
        Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => 0,
    });
    each.sum()
}

#[test]
fn many_calls_are_one_in_a_loop() {
    let before = tiles();
    let after = discharged(&before);
    assert_eq!((count(&after, &before.1), calls(&after.body)), (2, 2));
    let lengths: Vec<u32> = after.private.iter().map(|array| array.len).collect();
    assert_eq!(lengths, [SUMS as u32; 3]);
    let poisoned = poisoned(&after, &before.1, |_| true);
    let before = checked(before.0);
    let mut random = Random(5);
    let mut differed = false;
    for _ in 0..40 {
        let hard = random.inputs();
        let wanted = outputs(&before, &hard, exact);
        for arithmetic in [faults::flushing, exact as Arithmetic] {
            assert!(outputs(&after, &hard, arithmetic) == wanted);
        }
        differed |= outputs(&poisoned, &hard, faults::flushing) != wanted;
    }
    assert!(differed, "the calls are never taken");
}

/// A small multiplicand costs its own turns alone, unless it leaves sums that are small as well.
#[test]
fn what_does_not_hold_may_hold_again() {
    let before = tiles();
    let after = discharged(&before);
    let poisoned = poisoned(&after, &before.1, |side| side == 1);
    let before = checked(before.0);
    for (exponent, holds_again) in [(-50, true), (-103, true), (-104, false), (-120, false)] {
        let inputs = first(&[((exponent + 127) as u32) << 23]);
        let wanted = outputs(&before, &inputs, exact);
        assert!(outputs(&after, &inputs, faults::flushing) == wanted);
        let fast = outputs(&poisoned, &inputs, faults::flushing) == wanted;
        assert_eq!(fast, holds_again, "2^{exponent}");
    }
}
