//! Workgroup kernels: the sample, trees of all sizes, families, controllers.

use super::*;

/// Builds a workgroup kernel node by node. Span 0 is `output`, span 1 `input`, both uint32.
pub(super) struct Kit {
    pub b: Builder<Leaf>,
    nodes: Vec<Node>,
    scratch: Vec<ScratchDecl>,
    pub group: Value,
    size: u32,
}

impl Kit {
    pub(super) fn new(size: u32) -> Kit {
        let mut b = Builder::new();
        let group = b.external(Scalar::U32);
        Kit {
            b,
            nodes: Vec::new(),
            scratch: Vec::new(),
            group,
            size,
        }
    }

    pub(super) fn scratch(&mut self, elem: Elem, initial: &[Const], count: u32) -> ScratchId {
        let name = format!("s{}", self.scratch.len());
        self.scratch.push(ScratchDecl {
            name,
            elem,
            initial: initial.to_vec(),
            count,
        });
        ScratchId(self.scratch.len() as u32 - 1)
    }

    pub(super) fn words(&mut self, initial: u32, count: u32) -> ScratchId {
        let c = Const {
            ty: Scalar::U32,
            bits: initial,
        };
        self.scratch(Elem::Scalar(Scalar::U32), &[c], count)
    }

    pub(super) fn phase(&mut self, build: impl FnOnce(&mut Self, Value)) {
        self.controller();
        let local = self.b.external(Scalar::U32);
        self.b.open();
        build(self, local);
        let region = self.b.close(Vec::new());
        self.nodes.push(Node::Phase(Phase {
            id: PhaseId(0),
            local,
            region,
        }));
    }

    /// What was built outside a phase becomes controller instructions.
    pub(super) fn controller(&mut self) {
        let insts = self.b.take_insts();
        self.nodes.extend(insts.into_iter().map(Node::Inst));
    }

    pub(super) fn tree(&mut self, kind: TreeKind, array: ScratchId, combine: Combine) {
        self.controller();
        self.nodes.push(Node::Tree(Tree {
            id: PhaseId(0),
            kind,
            array,
            combine,
        }));
    }

    /// `for 0 .. turns` around what is built.
    pub(super) fn repeat(&mut self, turns: u32, build: impl FnOnce(&mut Self, Value)) {
        let (lo, hi) = (self.b.u32(0), self.b.u32(turns.wrapping_sub(1)));
        self.controller();
        let before = std::mem::take(&mut self.nodes);
        let var = self.b.counted_var(lo, hi);
        build(self, var);
        self.controller();
        let body = std::mem::replace(&mut self.nodes, before);
        self.nodes.push(Node::Repeat(Box::new(Repeat {
            kind: LoopKind::Counted { var, lo, hi },
            params: Vec::new(),
            init: Vec::new(),
            body: NodeSeq {
                nodes: body,
                yields: Vec::new(),
            },
            breaks: false,
            results: Vec::new(),
        })));
    }

    /// `if cond` around what is built.
    pub(super) fn select(&mut self, cond: Value, build: impl FnOnce(&mut Self)) {
        self.controller();
        let before = std::mem::take(&mut self.nodes);
        build(self);
        self.controller();
        let then = NodeSeq {
            nodes: std::mem::replace(&mut self.nodes, before),
            yields: Vec::new(),
        };
        let els = NodeSeq::default();
        self.nodes.push(Node::Select {
            cond,
            then,
            els,
            results: Vec::new(),
        });
    }

    pub(super) fn load(&mut self, place: Place) -> Value {
        self.b.leaf(Leaf::Load { place, field: 0 }, Scalar::U32)
    }

    pub(super) fn store(&mut self, place: Place, value: Value) {
        self.b.effect(Leaf::Store {
            place,
            field: 0,
            value,
        });
    }

    pub(super) fn input(&mut self, base: u32, local: Value) -> Value {
        let stride = self.b.u32(base);
        let first = self.b.scalar(ScalarOp::U32Mul, &[self.group, stride]);
        let index = self.b.scalar(ScalarOp::U32Add, &[first, local]);
        self.load(Place::At {
            span: SpanId(1),
            index,
            proof: Certificate::Primary,
        })
    }

    /// Each lane copies its slots of an array in and out of `count` elements a group.
    pub(super) fn copy(&mut self, array: ScratchId, count: u32, out: bool) {
        let size = self.size;
        self.phase(|kit, local| {
            for turn in 0..count.div_ceil(size) {
                let past = kit.b.u32(turn * size);
                let slot = kit.b.scalar(ScalarOp::U32Add, &[local, past]);
                let limit = kit.b.u32(count);
                let inside = kit.b.scalar(ScalarOp::U32Lt, &[slot, limit]);
                kit.b.open();
                let family = Family::Strided {
                    k: Operand::Const(turn),
                };
                let own = Place::Own {
                    array,
                    slot: family,
                };
                if out {
                    let value = kit.load(own);
                    let proof = Certificate::Primary;
                    let place = Place::GroupBlock {
                        span: SpanId(0),
                        stride: count,
                        slot: family,
                        proof,
                    };
                    kit.store(place, value);
                } else {
                    let value = kit.input(count, slot);
                    kit.store(own, value);
                }
                let then = kit.b.close(Vec::new());
                kit.b.if_(inside, then, Default::default());
            }
        });
    }

    pub(super) fn kernel(mut self) -> Kernel {
        self.controller();
        let groups = Groups {
            rule: GroupRule {
                span: SpanId(0),
                divisor: 1,
                ceil: false,
            },
            size: self.size,
            scratch: self.scratch,
            group: self.group,
            nodes: self.nodes,
        };
        let spans = vec![
            span("output", Scalar::U32, Access::Write),
            span("input", Scalar::U32, Access::Read),
        ];
        kernel(spans, self.b, Body::Groups(groups))
    }
}

/// Runs three groups of `per_group` elements.
pub(super) fn run_groups(kernel: &Kernel, input: &[u32], per_group: u32) -> Vec<u32> {
    let len = input.len() as u32;
    let buffers = [vec![0; input.len()], input.to_vec()];
    let lengths = [len, len];
    agreed(kernel, &buffers, &dispatch(len / per_group, &lengths, &[])).swap_remove(0)
}

pub(super) fn barriers(kernel: &Kernel) -> u32 {
    lower_unverified(kernel, &Profile::CONSERVATIVE)
        .expect("it lowers")
        .barriers
}

#[test]
fn the_sample_groups_sum_as_a_tree() {
    let kernel = hand::groups();
    let input = words(5, 512);
    let sums = run_groups(&kernel, &input, 256);
    for (group, values) in input.chunks(256).enumerate() {
        let mut tree: Vec<f32> = values.iter().map(|&bits| f32::from_bits(bits)).collect();
        let mut stride = 128;
        while stride > 0 {
            for i in 0..stride {
                tree[i] += tree[i + stride];
            }
            stride /= 2;
        }
        let wanted = scalar::canonical(tree[0].to_bits());
        assert!(
            sums[group * 256..][..256].iter().all(|&sum| sum == wanted),
            "group {group}"
        );
    }
    let buffers = [vec![0; 512], input];
    assert_eq!(sums, source_means(&kernel, &buffers, &[])[0]);
    // Before each of eight stages, and before the sum is read: none after the fill or the end.
    assert_eq!(barriers(&kernel), 9);
}

fn reduction(size: u32, count: u32) -> Kernel {
    let mut kit = Kit::new(size);
    let s = kit.words(9, count);
    kit.copy(s, count, false);
    kit.tree(TreeKind::Reduce, s, Combine::Op(ScalarOp::U32Add));
    kit.copy(s, count, true);
    kit.kernel()
}

#[test]
fn reductions_leave_what_their_stages_leave() {
    for (size, count) in [
        (1, 1),
        (4, 4),
        (256, 256),
        (64, 256),
        (48, 64),
        (96, 32),
        (7, 1),
        (1, 8),
    ] {
        let input = words(3, 3 * count as usize);
        let given = run_groups(&reduction(size, count), &input, count);
        for (given, input) in given
            .chunks(count as usize)
            .zip(input.chunks(count as usize))
        {
            let mut tree = input.to_vec();
            let mut stride = count as usize / 2;
            while stride > 0 {
                for i in 0..stride {
                    tree[i] = tree[i].wrapping_add(tree[i + stride]);
                }
                stride /= 2;
            }
            assert_eq!(given, tree, "{count} slots, {size} lanes");
        }
    }
    // Stages whose strides are whole turns stay in their lanes.
    assert_eq!(barriers(&reduction(64, 256)), 6);
    assert_eq!(barriers(&reduction(1, 8)), 0);
}

pub(super) fn scan(size: u32, count: u32, exclusive: bool) -> Kernel {
    let mut kit = Kit::new(size);
    let s = kit.words(9, count);
    kit.copy(s, count, false);
    let kind = match exclusive {
        true => TreeKind::ExclusiveScan,
        false => TreeKind::InclusiveScan { temporary: None },
    };
    kit.tree(kind, s, Combine::Op(ScalarOp::U32Add));
    kit.copy(s, count, true);
    kit.kernel()
}

#[test]
fn scans_add_up() {
    for (size, count) in [
        (2, 2),
        (8, 8),
        (32, 32),
        (4, 4),
        (256, 256),
        (64, 256),
        (48, 64),
        (7, 1),
    ] {
        let input = words(4, 3 * count as usize);
        for exclusive in [false, true] {
            let given = run_groups(&scan(size, count, exclusive), &input, count);
            for (given, input) in given
                .chunks(count as usize)
                .zip(input.chunks(count as usize))
            {
                let mut total = 0u32;
                let sums = input.iter().map(|&word| {
                    let before = total;
                    total = total.wrapping_add(word);
                    if exclusive { before } else { total }
                });
                assert_eq!(
                    given,
                    sums.collect::<Vec<_>>(),
                    "{count} slots, {size} lanes"
                );
            }
        }
    }
}

#[test]
fn a_scan_with_a_named_temporary_leaves_the_stage_before_in_it() {
    let mut kit = Kit::new(4);
    let s = kit.words(0, 4);
    let t = kit.words(0, 4);
    kit.copy(s, 4, false);
    kit.tree(
        TreeKind::InclusiveScan { temporary: Some(t) },
        s,
        Combine::Op(ScalarOp::U32Add),
    );
    kit.copy(t, 4, true);
    // The first stage is the temporary's last write.
    assert_eq!(run_groups(&kit.kernel(), &[1, 2, 3, 4], 4), [1, 3, 5, 7]);
}

#[test]
fn a_combination_of_the_authors_is_inlined() {
    let mut kit = Kit::new(8);
    let s = kit.words(0, 8);
    kit.copy(s, 8, false);
    // a * 3 + b, which order and grouping change.
    let params = [kit.b.external(Scalar::U32), kit.b.external(Scalar::U32)];
    kit.controller();
    kit.b.open();
    let three = kit.b.u32(3);
    let product = kit.b.scalar(ScalarOp::U32Mul, &[params[0], three]);
    let sum = kit.b.scalar(ScalarOp::U32Add, &[product, params[1]]);
    let region = kit.b.close(vec![sum]);
    kit.tree(TreeKind::Reduce, s, Combine::Region { params, region });
    kit.copy(s, 8, true);
    let mut tree = [1u32, 2, 3, 4, 5, 6, 7, 8];
    let input = tree;
    for stride in [4, 2, 1] {
        for i in 0..stride {
            tree[i] = tree[i] * 3 + tree[i + stride];
        }
    }
    assert_eq!(run_groups(&kit.kernel(), &input, 8), tree);
}

/// Each turn every lane writes its slot, then reads its neighbour's: a barrier between the two,
/// and one before the next turn's write.
pub(super) fn rotation() -> Kernel {
    let mut kit = Kit::new(16);
    let s = kit.words(0, 16);
    let sum = kit.words(0, 16);
    kit.repeat(3, |kit, turn| {
        kit.phase(|kit, local| {
            let value = kit.input(16, local);
            let value = kit.b.scalar(ScalarOp::U32Add, &[value, turn]);
            kit.store(own(s), value);
        });
        kit.phase(|kit, local| {
            let (one, mask) = (kit.b.u32(1), kit.b.u32(15));
            let next = kit.b.scalar(ScalarOp::U32Add, &[local, one]);
            let index = kit.b.scalar(ScalarOp::U32And, &[next, mask]);
            let near = kit.load(Place::Slot {
                array: s,
                index,
                proof: Certificate::Interval,
            });
            let before = kit.load(own(sum));
            let after = kit.b.scalar(ScalarOp::U32Add, &[before, near]);
            kit.store(own(sum), after);
        });
    });
    kit.copy(sum, 16, true);
    kit.kernel()
}

pub(super) fn own(array: ScratchId) -> Place {
    Place::Own {
        array,
        slot: Family::Strided {
            k: Operand::Const(0),
        },
    }
}

#[test]
fn a_turn_is_kept_from_the_next() {
    let kernel = rotation();
    let input = words(6, 48);
    let given = run_groups(&kernel, &input, 16);
    for (n, &given) in given.iter().enumerate() {
        let near = input[n / 16 * 16 + (n + 1) % 16];
        assert_eq!(given, near.wrapping_mul(3).wrapping_add(3));
    }
    // One before the write, one before the read; the sum is each lane's own.
    assert_eq!(barriers(&kernel), 2);
}

#[test]
fn blocked_slots_belong_to_their_lane() {
    let mut kit = Kit::new(8);
    let s = kit.words(5, 24);
    for out in [false, true] {
        kit.phase(|kit, local| {
            let (lo, hi) = (kit.b.i32(0), kit.b.i32(2));
            let var = kit.b.counted_var(lo, hi);
            kit.b.open();
            let family = Family::Blocked {
                stride: 3,
                j: Operand::Value(var),
            };
            let place = Place::Own {
                array: s,
                slot: family,
            };
            let value = kit.load(place.clone());
            if out {
                let proof = Certificate::Primary;
                let place = Place::GroupBlock {
                    span: SpanId(0),
                    stride: 24,
                    slot: family,
                    proof,
                };
                kit.store(place, value);
            } else {
                let value = kit.b.scalar(ScalarOp::U32Add, &[value, local]);
                kit.store(place, value);
            }
            let body = kit.b.close(Vec::new());
            kit.b.loop_(
                LoopKind::Counted { var, lo, hi },
                vec![],
                vec![],
                body,
                false,
            );
        });
    }
    let kernel = kit.kernel();
    let wanted: Vec<u32> = (0..24).map(|n| 5 + n / 3).collect();
    assert_eq!(run_groups(&kernel, &[0; 24], 24), wanted);
    assert_eq!(
        barriers(&kernel),
        0,
        "no lane meets another, the fill included"
    );
}

#[test]
fn a_conditional_store_leaves_the_initial_value() {
    let mut kit = Kit::new(4);
    let s = kit.words(11, 4);
    kit.phase(|kit, local| {
        let two = kit.b.u32(2);
        let low = kit.b.scalar(ScalarOp::U32Lt, &[local, two]);
        kit.b.open();
        kit.store(own(s), local);
        let then = kit.b.close(Vec::new());
        kit.b.if_(low, then, Default::default());
    });
    kit.phase(|kit, local| {
        let three = kit.b.u32(3);
        let index = kit.b.scalar(ScalarOp::U32Sub, &[three, local]);
        let value = kit.load(Place::Slot {
            array: s,
            index,
            proof: Certificate::Interval,
        });
        let slot = Family::Strided {
            k: Operand::Const(0),
        };
        let proof = Certificate::Primary;
        kit.store(
            Place::GroupBlock {
                span: SpanId(0),
                stride: 4,
                slot,
                proof,
            },
            value,
        );
    });
    assert_eq!(run_groups(&kit.kernel(), &[0; 4], 4), [11, 11, 1, 0]);
}

#[test]
fn a_choice_of_the_controller_keeps_its_barriers_uniform() {
    let mut kit = Kit::new(8);
    let s = kit.words(1, 8);
    let one = kit.b.u32(1);
    let odd = kit.b.scalar(ScalarOp::U32And, &[kit.group, one]);
    let is_odd = kit.b.scalar(ScalarOp::U32Eq, &[odd, one]);
    kit.select(is_odd, |kit| {
        kit.copy(s, 8, false);
        kit.tree(TreeKind::Reduce, s, Combine::Op(ScalarOp::U32Add));
    });
    kit.phase(|kit, _| {
        let index = kit.b.u32(0);
        let value = kit.load(Place::Slot {
            array: s,
            index,
            proof: Certificate::Const,
        });
        let slot = Family::Strided {
            k: Operand::Const(0),
        };
        let proof = Certificate::Primary;
        kit.store(
            Place::GroupBlock {
                span: SpanId(0),
                stride: 8,
                slot,
                proof,
            },
            value,
        );
    });
    let given = run_groups(&kit.kernel(), &[2; 24], 8);
    assert_eq!(given[..8], [1; 8]);
    assert_eq!(given[8..16], [16; 8]);
    assert_eq!(given[16..], [1; 8]);
}

#[test]
fn without_scratch_there_is_no_barrier() {
    let mut kit = Kit::new(4);
    for _ in 0..2 {
        kit.phase(|kit, local| {
            let value = kit.input(4, local);
            let slot = Family::Strided {
                k: Operand::Const(0),
            };
            let proof = Certificate::Primary;
            kit.store(
                Place::GroupBlock {
                    span: SpanId(0),
                    stride: 4,
                    slot,
                    proof,
                },
                value,
            );
        });
    }
    let kernel = kit.kernel();
    assert_eq!(barriers(&kernel), 0);
    assert_eq!(run_groups(&kernel, &[4, 3, 2, 1], 4), [4, 3, 2, 1]);
}

#[test]
fn each_field_of_a_struct_has_its_array() {
    let mut kit = Kit::new(4);
    let initial = [
        Const {
            ty: Scalar::F32,
            bits: 0x3f80_0000,
        },
        Const {
            ty: Scalar::I32,
            bits: 7,
        },
    ];
    let pairs = kit.scratch(Elem::Struct(StructId(0)), &initial, 4);
    kit.phase(|kit, local| {
        let signed = kit.b.scalar(ScalarOp::I32FromU32, &[local]);
        kit.b.effect(Leaf::Store {
            place: own(pairs),
            field: 1,
            value: signed,
        });
    });
    kit.phase(|kit, local| {
        let three = kit.b.u32(3);
        let index = kit.b.scalar(ScalarOp::U32Sub, &[three, local]);
        let place = Place::Slot {
            array: pairs,
            index,
            proof: Certificate::Interval,
        };
        let float = kit.b.leaf(
            Leaf::Load {
                place: place.clone(),
                field: 0,
            },
            Scalar::F32,
        );
        let int = kit.b.leaf(Leaf::Load { place, field: 1 }, Scalar::I32);
        let int = kit.b.scalar(ScalarOp::F32FromI32, &[int]);
        let sum = kit.b.scalar(ScalarOp::F32Add, &[float, int]);
        let bits = kit.b.scalar(ScalarOp::F32ToBits, &[sum]);
        let slot = Family::Strided {
            k: Operand::Const(0),
        };
        let proof = Certificate::Primary;
        kit.store(
            Place::GroupBlock {
                span: SpanId(0),
                stride: 4,
                slot,
                proof,
            },
            bits,
        );
    });
    let mut kernel = kit.kernel();
    kernel.structs = vec![StructDecl {
        name: "Pair".into(),
        fields: vec![("a".into(), Scalar::F32), ("b".into(), Scalar::I32)],
    }];
    let wanted = [4.0f32, 3.0, 2.0, 1.0].map(f32::to_bits);
    assert_eq!(run_groups(&kernel, &[0; 4], 4), wanted);
}

#[test]
fn an_exclusive_scan_needs_an_identity() {
    let mut kit = Kit::new(4);
    let s = kit.words(0, 4);
    kit.tree(TreeKind::ExclusiveScan, s, Combine::Op(ScalarOp::U32Sub));
    let error = lower_unverified(&kit.kernel(), &Profile::CONSERVATIVE);
    assert_eq!(
        error,
        Err(LowerError::NoIdentity {
            kernel: "test".into()
        })
    );
}
