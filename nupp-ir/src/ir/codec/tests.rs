//! Round trips, and bytes that nobody meant well.

use super::*;
use crate::ir::build::Builder;
use crate::ir::samples;

/// Kernels that hold every kind of node, leaf, place and certificate between them; they need not
/// verify.
fn all_forms() -> Vec<Kernel> {
    vec![samples::map(), samples::groups(), odd_map(), odd_groups()]
}

fn odd_map() -> Kernel {
    let mut kernel = samples::map();
    kernel.target = Target::Cpu;
    kernel.structs.push(StructDecl {
        name: "Päir".into(),
        fields: vec![("a".into(), Scalar::F32), ("b".into(), Scalar::I32)],
    });
    kernel.spans[3].elem = Elem::Struct(StructId(0));
    let sum = |factor, constant| LengthSum {
        terms: vec![(factor, SpanId(1)), (!factor, SpanId(0))],
        constant,
    };
    let cmp = |op| {
        Box::new(LengthCond::Cmp {
            op,
            lhs: sum(i64::MIN, i64::MAX),
            rhs: sum(-3, -1),
        })
    };
    let either = LengthCond::Or(cmp(CmpOp::Ne), cmp(CmpOp::Gt));
    let cond = LengthCond::And(Box::new(LengthCond::Not(cmp(CmpOp::Ge))), Box::new(either));
    kernel.guards.push(Guard {
        cond: GuardCond::Lengths(cond),
        message: Some("lengths \"differ\"\n".into()),
        text: String::new(),
    });
    let mut b = Builder::<Leaf>::new();
    let yes = b.bool(true);
    let (_, region) = b.finish(vec![yes]);
    kernel.guards.push(Guard {
        cond: GuardCond::Scalar(region),
        message: None,
        text: "true".into(),
    });
    if let Body::Map { region, .. } = &mut kernel.body {
        region.insts.extend(odd_leaves());
    }
    kernel
}

fn odd_leaves() -> Vec<Inst<Leaf>> {
    let proof = Certificate::All(vec![
        Certificate::Const,
        Certificate::Interval,
        Certificate::Cursor {
            facts: vec![(Value(300), false)],
        },
        Certificate::Guard {
            chain: vec![0, 1, u32::MAX],
        },
        Certificate::Primary,
    ]);
    let slot = Family::Blocked {
        stride: 4,
        j: Operand::Value(Value(1)),
    };
    let span = SpanId(0);
    let places = [
        Place::Block {
            span,
            stride: 3,
            slot: Value(2),
            proof: proof.clone(),
            slot_proof: Certificate::Interval,
        },
        Place::Element {
            span,
            offset: -5,
            proof: proof.clone(),
        },
        Place::GroupSlot {
            span,
            lane: 255,
            proof: proof.clone(),
        },
        Place::Own {
            array: ScratchId(7),
            slot,
        },
    ];
    let store = |place| Leaf::Store {
        place,
        field: 1,
        value: Value(0),
    };
    let scatter = Leaf::Scatter {
        span,
        index: Value(9),
        proof,
        values: vec![Value(1), Value(2)],
    };
    let leaves = places.into_iter().map(store).chain([scatter]);
    let inst = |leaf| Inst {
        results: Vec::new(),
        op: Op::Leaf(leaf),
    };
    leaves.map(inst).collect()
}

fn odd_groups() -> Kernel {
    let mut kernel = samples::groups();
    let Body::Groups(groups) = &mut kernel.body else {
        panic!("the sample has groups")
    };
    let mut b = Builder::<Leaf>::new();
    let (x, y) = (b.external(Scalar::F32), b.external(Scalar::F32));
    let sum = b.scalar(ScalarOp::F32Add, &[x, y]);
    let (_, region) = b.finish(vec![sum]);
    let tree = |kind, combine| {
        Node::Tree(Tree {
            id: PhaseId(9),
            kind,
            array: ScratchId(0),
            combine,
        })
    };
    let temporary = Some(ScratchId(1));
    let then = NodeSeq {
        nodes: vec![
            tree(
                TreeKind::InclusiveScan { temporary },
                Combine::Op(ScalarOp::F32Max),
            ),
            tree(
                TreeKind::ExclusiveScan,
                Combine::Region {
                    params: [x, y],
                    region: region.clone(),
                },
            ),
        ],
        yields: vec![x],
    };
    let select = Node::Select {
        cond: x,
        then: then.clone(),
        els: NodeSeq::default(),
        results: vec![y],
    };
    let class = Termination::Unproved;
    let kinds = [
        LoopKind::Counted {
            var: x,
            lo: y,
            hi: y,
        },
        LoopKind::While {
            cond: region,
            class,
        },
    ];
    for kind in kinds {
        groups.nodes.push(Node::Repeat(Box::new(Repeat {
            kind,
            params: vec![x],
            init: vec![y],
            body: NodeSeq {
                nodes: vec![select.clone()],
                yields: vec![sum, y],
            },
            breaks: true,
            results: vec![x],
        })));
    }
    kernel
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as u32
    }
    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }
}

#[test]
fn what_is_encoded_decodes_to_the_same() {
    for kernel in all_forms() {
        let bytes = encode(&kernel);
        assert_eq!(decode(&bytes).as_ref(), Ok(&kernel));
        assert_eq!(encode(&kernel), bytes);
    }
}

#[test]
fn the_samples_stay_small() {
    let sizes = [samples::map(), samples::groups()].map(|k| encode(&k).len());
    assert!(sizes.iter().all(|&size| size < 400), "{sizes:?}");
}

#[test]
fn every_operation_has_its_own_code() {
    for (code, &op) in ScalarOp::ALL.iter().enumerate() {
        let mut out = Writer::default();
        op.put(&mut out);
        let mut reader = Reader::new(&out.bytes, 1);
        assert_eq!(ScalarOp::get(&mut reader), Ok(op));
        assert_eq!(u32::get(&mut Reader::new(&out.bytes, 1)), Ok(code as u32));
    }
    let past = ScalarOp::ALL.len() as u8;
    assert!(ScalarOp::get(&mut Reader::new(&[past], 1)).is_err());
}

#[test]
fn every_beginning_of_an_encoding_is_refused() {
    for kernel in all_forms() {
        let bytes = encode(&kernel);
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end]).is_err(), "{end} of {}", bytes.len());
        }
        let mut longer = bytes;
        longer.push(0);
        assert!(decode(&longer).is_err());
    }
}

#[test]
fn random_bytes_are_refused() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..20_000 {
        let length = random.below(200);
        let mut bytes = HEADER.to_vec();
        bytes.extend((0..length).map(|_| (random.next() >> random.below(8)) as u8));
        // A random string that is an encoding is not to be expected in these few.
        assert!(decode(&bytes).is_err());
        assert!(decode(&bytes[5..]).is_err());
    }
}

#[test]
fn what_decodes_from_changed_bytes_encodes_to_those_bytes() {
    let mut random = Random(0x0dd0_1234_5678_9abc);
    let mut decoded = 0;
    for kernel in all_forms() {
        let bytes = encode(&kernel);
        for _ in 0..10_000 {
            let mut changed = bytes.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(changed.len());
                match random.below(4) {
                    0 => changed[at] ^= 1 << random.below(8),
                    1 => changed[at] = random.next() as u8,
                    2 => changed.insert(at, random.next() as u8),
                    _ => drop(changed.remove(at)),
                }
            }
            if let Ok(kernel) = decode(&changed) {
                decoded += 1;
                assert_eq!(encode(&kernel), changed);
            }
        }
    }
    assert!(decoded > 1000, "only {decoded} changed encodings decoded");
}

#[test]
fn endless_nesting_is_refused() {
    let kernel = samples::map();
    let bytes = encode(&kernel);
    // Conditions that start a guard with a million negations.
    let guard = bytes.len() - {
        let mut out = Writer::default();
        kernel.guards.put(&mut out);
        kernel.values.put(&mut out);
        kernel.body.put(&mut out);
        out.bytes.len()
    } + 2;
    let mut deep = bytes[..guard].to_vec();
    deep.extend(std::iter::repeat_n(3, 1_000_000));
    let error = decode(&deep).expect_err("too deep");
    assert_eq!(error.reason, "nested too deeply");
}

#[test]
fn a_list_longer_than_the_bytes_is_refused_before_it_is_read() {
    let mut bytes = HEADER.to_vec();
    bytes.extend([0xff, 0xff, 0xff, 0xff, 0x0f]);
    let error = decode(&bytes).expect_err("too long");
    assert_eq!(error.reason, "a list longer than the bytes left");
}

#[test]
fn a_kernel_as_deep_as_the_limit_survives() {
    let mut b = Builder::<Leaf>::new();
    let yes = b.bool(true);
    for _ in 0..MAX_DEPTH {
        b.open();
    }
    for _ in 0..MAX_DEPTH {
        let then = b.close(Vec::new());
        b.if_(yes, then, Region::default());
    }
    let (values, region) = b.finish(Vec::new());
    let mut kernel = samples::map();
    kernel.values = values;
    kernel.body = Body::Map {
        primary: SpanId(0),
        index: Value(0),
        region,
    };
    assert_eq!(decode(&encode(&kernel)), Ok(kernel));
}
