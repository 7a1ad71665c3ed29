//! Maps: the sample, every scalar operation alone and as an operand, rows and offsets.

use super::*;
use crate::device::profile::Route;

fn element(span: u32) -> Place {
    Place::Element {
        span: SpanId(span),
        offset: 0,
        proof: Certificate::Primary,
    }
}

#[test]
fn the_sample_map_means_what_it_says() {
    let kernel = hand::map();
    let count = 300usize;
    let input = words(1, count);
    let table = words(2, 50);
    let cursors: Vec<u32> = (0..count as u32).map(|n| n % 61).collect();
    let scale = 1.37f32;
    let buffers = [
        vec![0xdead_beef; count],
        input.clone(),
        cursors.clone(),
        table.clone(),
    ];
    let lengths = [count as u32, count as u32, count as u32, 50];
    let given = agreed(
        &kernel,
        &buffers,
        &dispatch(count as u32, &lengths, &[scale.to_bits()]),
    );
    for n in 0..count {
        let x = f32::from_bits(input[n]);
        let t = table
            .get(cursors[n] as usize)
            .map_or(0.0, |&bits| f32::from_bits(bits));
        let mut y = x.mul_add(scale, t);
        for _ in 0..cursors[n] & 7 {
            y = y.mul_add(scale, x);
        }
        assert_eq!(given[0][n], scalar::canonical(y.to_bits()), "element {n}");
    }
    assert_eq!(given, source_means(&kernel, &buffers, &[scale.to_bits()]));
}

#[test]
fn rows_of_a_launch_cover_the_count_and_no_more() {
    let kernel = hand::map();
    let count = 256 * 7 + 3;
    let buffers = [
        vec![7; count + 5],
        vec![0; count],
        vec![0; count],
        vec![0x4000_0000],
    ];
    let lengths = [count as u32, count as u32, count as u32, 1];
    let base = dispatch(count as u32, &lengths, &[0]);
    let given = agreed(&kernel, &buffers, &Dispatch { width: 3, ..base });
    assert!(given[0][..count].iter().all(|&word| word == 0x4000_0000));
    assert_eq!(given[0][count..], [7; 5]);
}

#[test]
fn a_span_starts_at_its_offset() {
    let kernel = hand::map();
    let buffers = [
        vec![7; 8],
        vec![0; 8],
        vec![0, 9, 0, 0, 0, 0, 0, 0],
        vec![0, 0, 0x4000_0000],
    ];
    let lengths = [4, 4, 4, 1];
    let base = dispatch(4, &lengths, &[0]);
    let given = agreed(
        &kernel,
        &buffers,
        &Dispatch {
            offsets: &[3, 0, 1, 2],
            ..base
        },
    );
    let two = 0x4000_0000;
    assert_eq!(given[0], [7, 7, 7, 0, two, two, two, 7]);
}

#[test]
fn an_empty_dispatch_touches_nothing() {
    let kernel = hand::map();
    let buffers = [vec![7; 2], vec![], vec![], vec![]];
    let given = agreed(&kernel, &buffers, &dispatch(0, &[0, 0, 0, 0], &[0]));
    assert_eq!(given[0], [7, 7]);
}

/// `output[i] = op(a[i], b[i], c[i])`, and for a float operation `used[i] = r * r`: its result as
/// an operand.
fn one_operation(op: ScalarOp) -> Kernel {
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let args: Vec<Value> = (0..)
        .zip(op.args())
        .map(|(n, &ty)| load(&mut b, n, ty))
        .collect();
    let result = b.scalar(op, &args);
    let (word, used) = match op.result() {
        Scalar::Bool => {
            let (one, zero) = (b.u32(1), b.u32(0));
            (b.scalar(ScalarOp::U32Select, &[result, one, zero]), None)
        }
        Scalar::F32 => (result, Some(b.scalar(ScalarOp::F32Mul, &[result, result]))),
        Scalar::I32 | Scalar::U32 => (result, None),
    };
    b.effect(Leaf::Store {
        place: element(0),
        field: 0,
        value: word,
    });
    if let Some(value) = used {
        b.effect(Leaf::Store {
            place: element(4),
            field: 0,
            value,
        });
    }
    let result_ty = if op.result() == Scalar::Bool {
        Scalar::U32
    } else {
        op.result()
    };
    let arg_ty = |n: usize| match op.args().get(n) {
        None | Some(Scalar::Bool) => Scalar::U32,
        Some(&ty) => ty,
    };
    let spans = vec![
        span("output", result_ty, Access::Write),
        span("a", arg_ty(0), Access::Read),
        span("b", arg_ty(1), Access::Read),
        span("c", arg_ty(2), Access::Read),
        span("used", Scalar::F32, Access::Write),
    ];
    let region = std::mem::take(&mut b).into_region(&mut b);
    let body = Body::Map {
        primary: SpanId(0),
        index,
        region,
    };
    kernel(spans, b, body)
}

/// Takes what a builder holds as a region and leaves its tables.
trait IntoRegion {
    fn into_region(self, rest: &mut Self) -> crate::ir::kernel::SourceRegion;
}
impl IntoRegion for Builder<Leaf> {
    fn into_region(mut self, rest: &mut Self) -> crate::ir::kernel::SourceRegion {
        let insts = self.take_insts();
        *rest = self;
        crate::ir::kernel::SourceRegion {
            insts,
            yields: Vec::new(),
        }
    }
}

fn load(b: &mut Builder<Leaf>, n: u32, ty: Scalar) -> Value {
    let word = if ty == Scalar::Bool { Scalar::U32 } else { ty };
    let value = b.leaf(
        Leaf::Load {
            place: element(n + 1),
            field: 0,
        },
        word,
    );
    if ty != Scalar::Bool {
        return value;
    }
    let (one, zero) = (b.u32(1), b.u32(0));
    let low = b.scalar(ScalarOp::U32And, &[value, one]);
    let is_zero = b.scalar(ScalarOp::U32Eq, &[low, zero]);
    b.scalar(ScalarOp::BoolNot, &[is_zero])
}

/// All tuples of edges that an operation takes, thinned out for three.
fn operands(op: ScalarOp) -> [Vec<u32>; 3] {
    let edges: Vec<u32> = EDGES
        .iter()
        .copied()
        .chain([31, 32, 33, 0x1234_5678])
        .collect();
    let few: Vec<u32> = edges.iter().copied().step_by(3).collect();
    let fewer: Vec<u32> = edges.iter().copied().step_by(5).collect();
    let (first, second, third): (&[u32], &[u32], &[u32]) = match op.args().len() {
        1 => (&edges, &[0], &[0]),
        2 => (&few, &few, &[0]),
        _ => (&fewer, &fewer, &fewer),
    };
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    for &a in first {
        for &b in second {
            for &c in third {
                all[0].push(a);
                all[1].push(b);
                all[2].push(c);
            }
        }
    }
    all
}

#[test]
fn every_operation_is_carried_exactly() {
    for &op in ScalarOp::ALL {
        // Of Device IR alone.
        if op == ScalarOp::F32RawBits {
            continue;
        }
        let [a, b, c] = operands(op);
        let count = a.len();
        let blank = vec![0x5555_5555; count];
        let buffers = [blank.clone(), a.clone(), b.clone(), c.clone(), blank];
        let lengths = [count as u32; 5];
        let given = agreed(
            &one_operation(op),
            &buffers,
            &dispatch(count as u32, &lengths, &[]),
        );
        for n in 0..count {
            let mut args = [a[n], b[n], c[n]];
            for (arg, ty) in args.iter_mut().zip(op.args()) {
                if *ty == Scalar::Bool {
                    *arg &= 1;
                }
            }
            let mut wanted = scalar::apply(op, &args);
            if op.result() == Scalar::F32 {
                wanted = scalar::canonical(wanted);
                let used = scalar::apply(ScalarOp::F32Mul, &[wanted, wanted]);
                assert_eq!(given[4][n], used, "{} of {args:08x?}, squared", op.name());
            }
            assert_eq!(given[0][n], wanted, "{} of {args:08x?}", op.name());
        }
    }
}

#[test]
fn software_is_what_the_profile_does_not_trust() {
    let named = |profile: &Profile| {
        lower_unverified(&hand::map(), profile)
            .map(|module| module.software)
            .expect("lowers")
    };
    assert_eq!(named(&Profile::CONSERVATIVE), ["f32.fma"]);
    let trusting = Profile {
        fma: Route::Opaque,
        ..Profile::CONSERVATIVE
    };
    assert_eq!(named(&trusting), [""; 0]);
}

/// Counts operations in the body.
fn count(module: &Module, op: ScalarOp) -> usize {
    fn within(region: &crate::device::ir::DeviceRegion, op: ScalarOp) -> usize {
        use crate::ir::flow::Op;
        let each = region.insts.iter().map(|inst| match &inst.op {
            Op::Scalar(found, _) => usize::from(*found == op),
            Op::If { then, els, .. } => within(then, op) + within(els, op),
            Op::Loop(inner) => within(&inner.body, op),
            Op::Const(_) | Op::Leaf(_) => 0,
        });
        each.sum()
    }
    within(&module.body, op)
}

#[test]
fn only_results_that_are_consumed_are_hidden() {
    // A product of two loaded words, of which the second is hidden, and its square: hidden by both.
    let module = lower_unverified(&one_operation(ScalarOp::F32Mul), &Profile::CONSERVATIVE);
    let module = module.expect("it lowers");
    assert_eq!(count(&module, ScalarOp::U32Xor), 3);
    // `x - x` of one loaded word: hidden once, by `q2`.
    let mut b = Builder::<Leaf>::new();
    let index = b.external(Scalar::U32);
    let x = b.leaf(
        Leaf::Load {
            place: element(1),
            field: 0,
        },
        Scalar::F32,
    );
    let again = b.leaf(
        Leaf::Load {
            place: element(1),
            field: 0,
        },
        Scalar::F32,
    );
    let value = b.scalar(ScalarOp::F32Sub, &[x, again]);
    b.effect(Leaf::Store {
        place: element(0),
        field: 0,
        value,
    });
    let region = std::mem::take(&mut b).into_region(&mut b);
    let spans = vec![
        span("output", Scalar::F32, Access::Write),
        span("x", Scalar::F32, Access::Read),
    ];
    let kernel = kernel(
        spans,
        b,
        Body::Map {
            primary: SpanId(0),
            index,
            region,
        },
    );
    let module = lower_unverified(&kernel, &Profile::CONSERVATIVE).expect("it lowers");
    assert_eq!(
        count(&module, ScalarOp::U32Xor),
        1,
        "two reads of one word are the same"
    );
}

#[test]
fn a_kernel_for_the_cpu_has_no_module() {
    let cpu = Kernel {
        target: Target::Cpu,
        ..hand::map()
    };
    let error = lower_unverified(&cpu, &Profile::CONSERVATIVE);
    assert_eq!(
        error,
        Err(LowerError::CpuOnly {
            kernel: "sample_map".into()
        })
    );
}
