//! Makes workgroup kernels node by node, and runs them as a device does.

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

pub(super) fn own(array: ScratchId) -> Place {
    Place::Own {
        array,
        slot: Family::Strided {
            k: Operand::Const(0),
        },
    }
}
