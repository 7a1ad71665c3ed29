//! Turns each tree into phases, one a stage, in the order that the language fixes.
//!
//! Takes a kernel whose tree arrays hold a power of two of slots; leaves one without trees and
//! with the same bits. A stage reads slots of other lanes in the array that it writes, which no
//! authored phase may: within a stage of a reduction the slots read across are never written. So
//! the result is for the lowering alone. Scratch that scans need for themselves comes after the
//! authored arrays, one array for all scans of an element type; each slot is written before it is
//! read. `footprint` counts the same arrays from the trees.

use crate::device::lower_device::LowerError;
use crate::eval::scalar;
use crate::ir::build::{Builder, Def};
use crate::ir::entity::{PhaseId, Scalar, ScratchId, Value};
use crate::ir::flow::LoopKind;
use crate::ir::kernel::{
    Body, Combine, Kernel, Leaf, Node, NodeSeq, Phase, ScratchDecl, SourceRegion, Tree, TreeKind,
};
use crate::ir::op::ScalarOp;
use crate::ir::place::{Certificate, Family, Operand, Place};

mod combine;

/// The kernel without trees.
///
/// # Errors
/// `LowerError::NoIdentity` for an exclusive scan by a function of the author's.
pub fn lower_trees(kernel: &Kernel) -> Result<Kernel, LowerError> {
    let mut kernel = kernel.clone();
    let Body::Groups(groups) = &mut kernel.body else {
        return Ok(kernel);
    };
    let mut builder = Builder::new();
    builder.defs = vec![Def::External; kernel.values.len()];
    builder.values = std::mem::take(&mut kernel.values);
    let mut trees = Trees {
        name: &kernel.name,
        size: groups.size,
        builder,
        authored: groups.scratch.len(),
        scratch: std::mem::take(&mut groups.scratch),
    };
    let nodes = trees.nodes(std::mem::take(&mut groups.nodes))?;
    groups.nodes = nodes;
    groups.scratch = trees.scratch;
    kernel.values = trees.builder.values;
    Ok(kernel)
}

struct Trees<'a> {
    name: &'a str,
    size: u32,
    builder: Builder<Leaf>,
    /// How many of the arrays are the author's.
    authored: usize,
    scratch: Vec<ScratchDecl>,
}

/// A slot that the lane handles in a stage.
#[derive(Clone, Copy)]
struct Slot {
    index: Value,
    turn: Operand,
}

/// Whether a slot has another one some way below it.
enum Reaches {
    Never,
    Always,
    /// Where this value is true.
    Where(Value),
}

impl Trees<'_> {
    fn nodes(&mut self, nodes: Vec<Node>) -> Result<Vec<Node>, LowerError> {
        let mut lowered = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Node::Inst(_) | Node::Phase(_) => lowered.push(node),
                Node::Tree(tree) => lowered.extend(self.tree(&tree)?),
                Node::Repeat(mut repeat) => {
                    repeat.body.nodes = self.nodes(std::mem::take(&mut repeat.body.nodes))?;
                    lowered.push(Node::Repeat(repeat));
                }
                Node::Select {
                    cond,
                    then,
                    els,
                    results,
                } => lowered.push(Node::Select {
                    cond,
                    then: NodeSeq {
                        nodes: self.nodes(then.nodes)?,
                        ..then
                    },
                    els: NodeSeq {
                        nodes: self.nodes(els.nodes)?,
                        ..els
                    },
                    results,
                }),
            }
        }
        Ok(lowered)
    }

    fn tree(&mut self, tree: &Tree) -> Result<Vec<Node>, LowerError> {
        let count = self.scratch[tree.array.index()].count;
        match tree.kind {
            TreeKind::Reduce => Ok(self.reduce(tree, count)),
            TreeKind::InclusiveScan { temporary } => {
                let other = temporary.unwrap_or_else(|| self.temporary(tree.array));
                let (mut stages, last) = self.scan(tree, count, other);
                if last != tree.array {
                    stages.push(self.copy(tree.id, count, last, tree.array));
                }
                Ok(stages)
            }
            TreeKind::ExclusiveScan => {
                let ty = self.elem(tree.array);
                let identity = match &tree.combine {
                    Combine::Op(op) => scalar::identity(*op),
                    Combine::Region { .. } => None,
                };
                let no_identity = || LowerError::NoIdentity {
                    kernel: self.name.to_owned(),
                };
                let identity = identity.ok_or_else(no_identity)?;
                let other = self.temporary(tree.array);
                let (mut stages, last) = self.scan(tree, count, other);
                let moved = if last == tree.array {
                    other
                } else {
                    tree.array
                };
                stages.push(self.move_up(tree.id, count, last, moved, (ty, identity)));
                if moved != tree.array {
                    stages.push(self.copy(tree.id, count, moved, tree.array));
                }
                Ok(stages)
            }
        }
    }

    /// The array of the compiler's own for scans of arrays like this one, as long as the longest.
    fn temporary(&mut self, like: ScratchId) -> ScratchId {
        let (elem, count) = (
            self.scratch[like.index()].elem,
            self.scratch[like.index()].count,
        );
        let own = self.scratch[self.authored..].iter();
        if let Some(n) = own.clone().position(|decl| decl.elem == elem) {
            let n = self.authored + n;
            self.scratch[n].count = self.scratch[n].count.max(count);
            return ScratchId(n as u32);
        }
        let id = ScratchId(self.scratch.len() as u32);
        let mut decl = self.scratch[like.index()].clone();
        decl.name = format!("{}_scan", decl.name);
        // No initial value: it is not filled.
        decl.initial.clear();
        self.scratch.push(decl);
        id
    }

    /// The scalar type of a tree's array.
    fn elem(&self, array: ScratchId) -> Scalar {
        match self.scratch[array.index()].elem {
            crate::ir::kernel::Elem::Scalar(ty) => ty,
            // Refused by the verifier.
            crate::ir::kernel::Elem::Struct(_) => Scalar::U32,
        }
    }

    fn reduce(&mut self, tree: &Tree, count: u32) -> Vec<Node> {
        let mut stages = Vec::new();
        let mut stride = count / 2;
        while stride > 0 {
            stages.push(self.stage(tree.id, stride, &mut |this, slot| {
                let own = this.load(tree.array, this.own(tree.array, slot.turn));
                let above = this.above(tree.array, slot, stride);
                let other = this.load(tree.array, above);
                let value = this.combine(&tree.combine, own, other);
                this.store(this.own(tree.array, slot.turn), value);
            }));
            stride /= 2;
        }
        stages
    }

    /// The slot `distance` above: the lane's own where whole turns apart.
    fn above(&mut self, array: ScratchId, slot: Slot, distance: u32) -> Place {
        self.apart(array, slot, distance, ScalarOp::U32Add)
    }

    /// The slot `distance` below, which exists where this is done.
    fn below(&mut self, array: ScratchId, slot: Slot, distance: u32) -> Place {
        self.apart(array, slot, distance, ScalarOp::U32Sub)
    }

    fn apart(&mut self, array: ScratchId, slot: Slot, distance: u32, op: ScalarOp) -> Place {
        if !distance.is_multiple_of(self.size) {
            let distance = self.builder.u32(distance);
            let index = self.builder.scalar(op, &[slot.index, distance]);
            let proof = Certificate::Interval;
            return Place::Slot {
                array,
                index,
                proof,
            };
        }
        let turns = distance / self.size;
        let turn = match slot.turn {
            Operand::Const(k) if op == ScalarOp::U32Add => Operand::Const(k + turns),
            Operand::Const(k) => Operand::Const(k.saturating_sub(turns)),
            Operand::Value(k) => {
                let turns = self.builder.u32(turns);
                Operand::Value(self.builder.scalar(op, &[k, turns]))
            }
        };
        self.own(array, turn)
    }

    /// The stages of an inclusive scan, and which of the two arrays holds the result.
    fn scan(&mut self, tree: &Tree, count: u32, other: ScratchId) -> (Vec<Node>, ScratchId) {
        let (mut from, mut to) = (tree.array, other);
        let mut stages = Vec::new();
        let mut distance = 1;
        while distance < count {
            stages.push(self.stage(tree.id, count, &mut |this, slot| {
                let own = this.load(from, this.own(from, slot.turn));
                let combined = |this: &mut Self| {
                    let below = this.below(from, slot, distance);
                    let before = this.load(from, below);
                    this.combine(&tree.combine, before, own)
                };
                let value = match this.reaches(slot, distance) {
                    Reaches::Never => own,
                    Reaches::Always => combined(this),
                    Reaches::Where(cond) => this.choose(cond, own, combined),
                };
                this.store(this.own(to, slot.turn), value);
            }));
            std::mem::swap(&mut from, &mut to);
            distance *= 2;
        }
        (stages, from)
    }

    /// Whether the slot has one `distance` below it. Of whole turns the turn alone decides, which
    /// lets the verifier see that it does not go below 0.
    fn reaches(&mut self, slot: Slot, distance: u32) -> Reaches {
        let (least, number) = match slot.turn {
            _ if !distance.is_multiple_of(self.size) => (distance, slot.index),
            Operand::Const(k) if k < distance / self.size => return Reaches::Never,
            Operand::Const(_) => return Reaches::Always,
            Operand::Value(k) => (distance / self.size, k),
        };
        let least = self.builder.u32(least);
        let cond = self.builder.scalar(ScalarOp::U32Le, &[least, number]);
        Reaches::Where(cond)
    }

    fn copy(&mut self, id: PhaseId, count: u32, from: ScratchId, to: ScratchId) -> Node {
        self.stage(id, count, &mut |this, slot| {
            let value = this.load(from, this.own(from, slot.turn));
            this.store(this.own(to, slot.turn), value);
        })
    }

    /// Each slot takes the value of the one below, slot 0 the identity.
    fn move_up(
        &mut self,
        id: PhaseId,
        count: u32,
        from: ScratchId,
        to: ScratchId,
        identity: (Scalar, u32),
    ) -> Node {
        self.stage(id, count, &mut |this, slot| {
            let start = this.builder.constant(identity.0, identity.1);
            let moved = |this: &mut Self| {
                let below = this.below(from, slot, 1);
                this.load(from, below)
            };
            let value = match this.reaches(slot, 1) {
                Reaches::Never => start,
                Reaches::Always => moved(this),
                Reaches::Where(cond) => this.choose(cond, start, moved),
            };
            this.store(this.own(to, slot.turn), value);
        })
    }

    /// `then` where `cond`, else `els`.
    fn choose(&mut self, cond: Value, els: Value, then: impl FnOnce(&mut Self) -> Value) -> Value {
        self.builder.open();
        let value = then(self);
        let then = self.builder.close(vec![value]);
        self.builder.open();
        let els = self.builder.close(vec![els]);
        let results = self.builder.if_(cond, then, els);
        results.first().copied().unwrap_or(value)
    }

    fn own(&self, array: ScratchId, k: Operand) -> Place {
        Place::Own {
            array,
            slot: Family::Strided { k },
        }
    }

    fn load(&mut self, array: ScratchId, place: Place) -> Value {
        let ty = self.elem(array);
        self.builder.leaf(Leaf::Load { place, field: 0 }, ty)
    }

    fn store(&mut self, place: Place, value: Value) {
        self.builder.effect(Leaf::Store {
            place,
            field: 0,
            value,
        });
    }

    /// A phase that handles the slots `0 .. count`, lane i those that are i modulo the size.
    fn stage(&mut self, id: PhaseId, count: u32, each: &mut dyn FnMut(&mut Self, Slot)) -> Node {
        let local = self.builder.external(Scalar::U32);
        self.builder.open();
        let (turns, rest) = (count / self.size, count % self.size);
        if turns == 1 {
            each(
                self,
                Slot {
                    index: local,
                    turn: Operand::Const(0),
                },
            );
        } else if turns > 1 {
            self.turns(local, turns, each);
        }
        if rest > 0 {
            let limit = self.builder.u32(rest);
            let inside = self.builder.scalar(ScalarOp::U32Lt, &[local, limit]);
            self.builder.open();
            let index = if turns == 0 {
                local
            } else {
                let past = self.builder.u32(turns * self.size);
                self.builder.scalar(ScalarOp::U32Add, &[local, past])
            };
            each(
                self,
                Slot {
                    index,
                    turn: Operand::Const(turns),
                },
            );
            let then = self.builder.close(Vec::new());
            self.builder.if_(inside, then, SourceRegion::default());
        }
        let region = self.builder.close(Vec::new());
        Node::Phase(Phase { id, local, region })
    }

    fn turns(&mut self, local: Value, turns: u32, each: &mut dyn FnMut(&mut Self, Slot)) {
        let (lo, hi) = (self.builder.u32(0), self.builder.u32(turns - 1));
        let k = self.builder.counted_var(lo, hi);
        self.builder.open();
        let size = self.builder.u32(self.size);
        let skipped = self.builder.scalar(ScalarOp::U32Mul, &[k, size]);
        let index = self.builder.scalar(ScalarOp::U32Add, &[local, skipped]);
        each(
            self,
            Slot {
                index,
                turn: Operand::Value(k),
            },
        );
        let body = self.builder.close(Vec::new());
        let kind = LoopKind::Counted { var: k, lo, hi };
        self.builder
            .loop_(kind, Vec::new(), Vec::new(), body, false);
    }
}
