//! The controller of a workgroup kernel: phases and trees as nodes.
//!
//! A phase sees the controller's values and leaves none behind; its lane number exists only in it.

use super::state::Lower;
use crate::proof::world::Root;
use nupp_core::ir::entity::{PhaseId, Scalar, ScratchId, Value};
use nupp_core::ir::flow::{LoopKind, Op};
use nupp_core::ir::kernel::{
    Combine, Elem, Leaf, Node, Phase, SourceInst, SourceRegion, Tree, TreeKind,
};
use nupp_front::hir::{Block, Expr, LocalId, TreeCall};
use nupp_front::span::SrcSpan;

impl<'a> Lower<'a> {
    fn next_phase(&mut self) -> PhaseId {
        let id = PhaseId(self.phases);
        self.phases += 1;
        id
    }

    /// `phases:run`.
    pub(super) fn phase(&mut self, local: LocalId, body: &'a Block, at: SrcSpan) {
        let id = self.next_phase();
        self.phase_places.push(at);
        let lane = self.world.b.external(Scalar::U32);
        self.world.roots.insert(lane, Root::Lane);
        let before = self.frame().env.clone();
        let loops = std::mem::replace(&mut self.frame_mut().loops, 0);
        self.controller = false;
        self.lane = Some((lane, local));
        self.world.b.open();
        self.numbers.open();
        self.set(local.index(), vec![lane]);
        self.seq(&body.stmts, None, false);
        self.numbers.close();
        let region = self.world.b.close(Vec::new());
        self.lane = None;
        self.controller = true;
        self.frame_mut().loops = loops;
        *self.env() = before;
        self.push_node(Node::Phase(Phase {
            id,
            local: lane,
            region,
        }));
    }

    /// A tree over a scratch array.
    pub(super) fn tree(&mut self, kind: &'a TreeCall, array: u32, at: SrcSpan) {
        let id = self.next_phase();
        self.phase_places.push(at);
        self.turns.trees += 1;
        let array = ScratchId(array);
        let (kind, combine) = match kind {
            TreeCall::Reduce(op) => (TreeKind::Reduce, Combine::Op(*op)),
            TreeCall::ReduceWith { a, b, body, result } => (
                TreeKind::Reduce,
                self.combine([*a, *b], array, body, result),
            ),
            TreeCall::InclusiveScan(op, temporary) => {
                let temporary = temporary.map(ScratchId);
                (TreeKind::InclusiveScan { temporary }, Combine::Op(*op))
            }
            TreeCall::ExclusiveScan(op) => (TreeKind::ExclusiveScan, Combine::Op(*op)),
        };
        self.push_node(Node::Tree(Tree {
            id,
            kind,
            array,
            combine,
        }));
    }

    fn combine(
        &mut self,
        names: [LocalId; 2],
        array: ScratchId,
        body: &'a Block,
        result: &'a Expr,
    ) -> Combine {
        let ty = match self.scratch[array.index()].elem {
            Elem::Scalar(ty) => ty,
            Elem::Struct(_) => Scalar::U32,
        };
        let params: [Value; 2] = [self.world.b.external(ty), self.world.b.external(ty)];
        let before = self.frame().env.clone();
        self.controller = false;
        self.world.b.open();
        self.numbers.open();
        for (name, value) in names.into_iter().zip(params) {
            self.set(name.index(), vec![value]);
        }
        self.seq(&body.stmts, None, false);
        let value = self.scalar(result);
        self.numbers.close();
        let mut region = self.world.b.close(vec![value]);
        let mut outside = Vec::new();
        take_outside(&mut region, &mut outside);
        for inst in outside {
            self.world.b.push(inst.results, inst.op);
        }
        self.controller = true;
        *self.env() = before;
        Combine::Region { params, region }
    }
}

/// A combination reads nothing itself, so the uniforms and lengths in it are read before the tree.
fn take_outside(region: &mut SourceRegion, taken: &mut Vec<SourceInst>) {
    let insts = std::mem::take(&mut region.insts);
    for mut inst in insts {
        match &mut inst.op {
            Op::Leaf(Leaf::Uniform(_) | Leaf::Length(_)) => {
                taken.push(inst);
                continue;
            }
            Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => {}
            Op::If { then, els, .. } => {
                take_outside(then, taken);
                take_outside(els, taken);
            }
            Op::Loop(inner) => {
                if let LoopKind::While { cond, .. } = &mut inner.kind {
                    take_outside(cond, taken);
                }
                take_outside(&mut inner.body, taken);
            }
        }
        region.insts.push(inst);
    }
}
