//! Broken declarations, definitions, types, regions and scopes.

use super::*;

#[test]
fn declarations() {
    let map = samples::map;
    for change in [
        (|k| k.params.swap(0, 1)) as fn(&mut Kernel),
        |k| k.params.truncate(4),
        |k| k.params.push(ParamRef::Uniform(UniformId(0))),
        |k| k.uniforms[0].ty = Scalar::Bool,
        |k| k.spans[3].elem = Elem::Scalar(Scalar::Bool),
        |k| k.spans[3].elem = Elem::Struct(StructId(0)),
        |k| k.spans[0].access = Access::Read,
        |k| k.guards[0].cond = GuardCond::Scalar(Region::default()),
        |k| {
            while k.spans.len() <= crate::limits::MAX_SPANS {
                k.params.insert(0, ParamRef::Span(SpanId(0)));
                k.spans.push(k.spans[1].clone());
            }
        },
        |k| {
            k.uniforms = vec![k.uniforms[0].clone(); 33];
            k.params.truncate(4);
            k.params
                .extend((0..33).map(|i| ParamRef::Uniform(UniformId(i))));
        },
    ] {
        assert_eq!(changed(map(), change), "declarations");
    }
    let blocks = more::blocks;
    assert_eq!(
        changed(blocks(), |k| k.structs[0].fields.clear()),
        "declarations"
    );
    assert_eq!(
        changed(blocks(), |k| k.structs[0].fields[0].1 = Scalar::Bool),
        "declarations"
    );
    for change in [
        (|g| g.rule.divisor = 0) as fn(&mut Groups),
        |g| g.rule.span = SpanId(2),
        |g| g.scratch[0].count = 0,
        |g| g.scratch[0].initial.clear(),
        |g| g.scratch[0].initial[0].ty = Scalar::U32,
        |g| g.scratch.clear(),
    ] {
        assert_eq!(
            changed(samples::groups(), |k| change(groups(k))),
            "declarations"
        );
    }
    for size in [0, 257] {
        assert_eq!(
            changed(samples::groups(), |k| groups(k).size = size),
            "group size"
        );
    }
}

#[test]
fn guards_name_spans_once() {
    use crate::ir::kernel::LengthCond;
    let sums = |change: fn(&mut Vec<(i64, SpanId)>)| {
        changed(samples::map(), |k| match &mut k.guards[0].cond {
            GuardCond::Lengths(LengthCond::Cmp { lhs, .. }) => change(&mut lhs.terms),
            _ => panic!("the guard is a comparison"),
        })
    };
    assert_eq!(sums(|terms| terms.push(terms[0])), "declarations");
    assert_eq!(sums(|terms| terms[0].1 = SpanId(9)), "declarations");
    let deep = changed(samples::map(), |k| {
        for _ in 0..=MAX_DEPTH {
            if let GuardCond::Lengths(cond) = &mut k.guards[0].cond {
                *cond = LengthCond::Not(Box::new(cond.clone()));
            }
        }
    });
    assert_eq!(deep, "depth");
}

#[test]
fn definitions_come_once_and_before_uses() {
    // Operands: later, from a closed region, from no table.
    for wrong in [19, 6, 1000] {
        let found = changed_op_raw(samples::map(), |op| match op {
            Op::Scalar(ScalarOp::F32Fma, args) => {
                args[2] = Value(wrong);
                true
            }
            _ => false,
        });
        assert_eq!(found, "definitions", "v{wrong}");
    }
    for wrong in [1, 1000] {
        let mut kernel = samples::map();
        region(&mut kernel).insts[1].results[0] = Value(wrong);
        assert_eq!(rule(kernel), "definitions", "v{wrong}");
    }
    let mut kernel = samples::map();
    region(&mut kernel).insts.swap(0, 6);
    assert_eq!(rule(kernel), "definitions");
    // A value of one phase in another.
    let mut kernel = samples::groups();
    phase(&mut kernel, 2).region.insts.remove(1);
    assert_eq!(rule(kernel), "definitions");
}

/// As [`changed_op`], with the scopes as they were: numbers outside of tables have none.
fn changed_op_raw(
    mut kernel: Kernel,
    mut change: impl FnMut(&mut Op<Leaf>) -> bool,
) -> &'static str {
    let mut done = false;
    more::each_instruction(&mut kernel, &mut |op| done = done || change(op));
    assert!(done, "there was nothing to change");
    rule(kernel)
}

#[test]
fn types() {
    let fma = |change: fn(&mut Vec<Value>)| {
        changed_op_raw(samples::map(), |op| match op {
            Op::Scalar(ScalarOp::F32Fma, args) => {
                change(args);
                true
            }
            _ => false,
        })
    };
    assert_eq!(fma(|args| args[0] = Value(2)), "types");
    assert_eq!(fma(|args| args.truncate(2)), "arity");
    let mut kernel = samples::map();
    kernel.values[9].ty = Scalar::U32;
    assert_eq!(rule(kernel), "types");
    let raw = changed_op(samples::map(), |op| match op {
        Op::Scalar(op @ ScalarOp::U32And, args) => {
            *op = ScalarOp::F32RawBits;
            args.truncate(1);
            true
        }
        _ => false,
    });
    assert_eq!(raw, "types");
    let field = changed_op(samples::map(), |op| match op {
        Op::Leaf(Leaf::Store { field, .. }) => {
            *field = 1;
            true
        }
        _ => false,
    });
    assert_eq!(field, "types");
    let truth = changed_op(more::scatter(), |op| match op {
        Op::If { cond, .. } => {
            *cond = Value(1);
            true
        }
        _ => false,
    });
    assert_eq!(truth, "types");
    let bounds = changed_op(more::product(), |op| match op {
        Op::Loop(inner) => match &mut inner.kind {
            LoopKind::Counted { hi, .. } => {
                *hi = Value(2);
                true
            }
            LoopKind::While { .. } => false,
        },
        _ => false,
    });
    assert_eq!(bounds, "types");
    let mut kernel = more::scatter();
    kernel.values.push(kernel.values[0]);
    let last = Value(kernel.values.len() as u32 - 1);
    kernel.values[last.index()].ty = Scalar::Bool;
    let c = crate::ir::flow::Const {
        ty: Scalar::Bool,
        bits: 2,
    };
    region(&mut kernel).insts.push(Inst {
        results: vec![last],
        op: Op::Const(c),
    });
    scope::assign(&mut kernel);
    assert_eq!(rule(kernel), "types");
}

#[test]
fn arity_of_regions_and_loops() {
    let yields = changed_op(samples::map(), |op| match op {
        Op::If { then, .. } => {
            then.yields.clear();
            true
        }
        _ => false,
    });
    assert_eq!(yields, "arity");
    let breaks = changed_op(samples::map(), |op| match op {
        Op::Loop(inner) => {
            inner.breaks = true;
            true
        }
        _ => false,
    });
    assert_eq!(breaks, "arity");
    let mut kernel = samples::map();
    region(&mut kernel).yields.push(Value(1));
    assert_eq!(rule(kernel), "arity");
    let mut kernel = samples::groups();
    let yielded = phase(&mut kernel, 0).local;
    phase(&mut kernel, 0).region.yields.push(yielded);
    assert_eq!(rule(kernel), "arity");
    let fields = changed_op(more::scatter(), |op| match op {
        Op::Leaf(Leaf::Scatter { values, .. }) => {
            values.push(values[0]);
            true
        }
        _ => false,
    });
    assert_eq!(fields, "arity");
}

#[test]
fn depth_and_length() {
    let mut kernel = more::scatter();
    for _ in 0..=MAX_DEPTH {
        let insts = &mut region(&mut kernel).insts;
        let then = Region {
            insts: vec![insts.pop().expect("the scatter's condition")],
            yields: Vec::new(),
        };
        insts.push(Inst {
            results: Vec::new(),
            op: Op::If {
                cond: Value(4),
                then,
                els: Region::default(),
            },
        });
    }
    assert_eq!(rule(kernel), "depth");
    let mut kernel = more::scatter();
    let empty = Inst {
        results: Vec::new(),
        op: Op::If {
            cond: Value(4),
            then: Region::default(),
            els: Region::default(),
        },
    };
    let many = vec![empty; crate::limits::MAX_INSTRUCTIONS];
    region(&mut kernel).insts.extend(many);
    assert_eq!(rule(kernel), "length");
}

#[test]
fn scopes_are_least_and_controllers_uniform() {
    for (value, scope) in [(1, Scope::Dispatch), (3, Scope::Lane), (10, Scope::Group)] {
        let mut kernel = samples::map();
        kernel.values[value].scope = scope;
        assert_eq!(rule(kernel), "scopes", "v{value}");
    }
}

#[test]
fn a_controller_decides_nothing_by_a_value_of_a_lane() {
    // The structure alone keeps such a value out, so its check is left out here.
    let mut kernel = samples::groups();
    kernel.values.push(kernel.values[0]);
    let value = Value(kernel.values.len() as u32 - 1);
    let place = Place::GroupSlot {
        span: SpanId(0),
        lane: 0,
        proof: Certificate::Primary,
    };
    groups(&mut kernel).nodes.push(Node::Inst(Inst {
        results: vec![value],
        op: Op::Leaf(Leaf::Load { place, field: 0 }),
    }));
    scope::assign(&mut kernel);
    let error = scopes::check(&kernel).expect_err("the value is a lane's");
    assert_eq!(error.rule, "uniform controller");
    assert_eq!(rule(kernel), "rooms");
}

#[test]
fn a_combination_touches_nothing_outside() {
    let mut kernel = more::controlled();
    let changed = groups(&mut kernel).nodes.iter_mut().any(|node| match node {
        Node::Repeat(repeat) => repeat.body.nodes.iter_mut().any(|node| match node {
            Node::Select { els, .. } => match &mut els.nodes[0] {
                Node::Tree(tree) => match &mut tree.combine {
                    Combine::Region { region, .. } => {
                        region.insts[0].op = Op::Leaf(Leaf::Length(SpanId(0)));
                        true
                    }
                    Combine::Op(_) => false,
                },
                _ => false,
            },
            _ => false,
        }),
        _ => false,
    });
    assert!(changed, "there was nothing to change");
    assert_eq!(rule(kernel), "rooms");
}

#[test]
fn cpu_kernels_may_guard_uniforms_and_gpu_kernels_may_not() {
    let mut kernel = samples::map();
    kernel.target = Target::Cpu;
    verify(kernel).expect("a map may run on the CPU alone");
    let guard = changed(samples::map(), |k| {
        k.target = Target::Cpu;
        k.guards[0].cond = GuardCond::Scalar(Region::default());
    });
    assert_eq!(guard, "arity");
}
