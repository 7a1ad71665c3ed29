//! Workgroup kernels: one source group a workgroup.
//!
//! The controller becomes the device's control flow, in which every barrier stands uniformly. An
//! array's slots are filled with its initial value by lanes that own them where all accesses agree
//! on an owner, so that no barrier follows; a struct's fields are an array each.

use super::barriers::{self, Accesses, Reach};
use super::flow::values;
use super::{LowerError, Lowering};
use crate::artifact::UniformLayout;
use crate::device::ir::{ArrayDecl, Builtin, DeviceLeaf, DeviceRegion};
use crate::ir::entity::{Scalar, ScratchId, Value};
use crate::ir::flow::{Const, LoopKind};
use crate::ir::kernel::{Groups, Node, NodeSeq, Phase, Repeat, ScratchDecl};

impl Lowering<'_> {
    pub(super) fn group_kernel(&mut self, groups: &Groups) -> Result<(), LowerError> {
        groups.scratch.iter().for_each(|decl| self.declare(decl));
        let count = self.word(UniformLayout::COUNT);
        let group = self.workgroup_number();
        let local = self.builtin(Builtin::LocalIndex);
        let inside = group.lt(self.u(count));
        self.index = Some(group.v);
        self.local = Some(local.v);
        self.ctx.borrow_mut().open();
        let rep = self.plain(group.v, Scalar::U32);
        self.define(groups.group, rep);
        let mut open = self.fill(groups, local.v);
        self.nodes(&groups.nodes, &mut open)?;
        let then = self.ctx.borrow_mut().close(Vec::new());
        self.ctx
            .borrow_mut()
            .if_(inside.v, then, DeviceRegion::default());
        Ok(())
    }

    fn declare(&mut self, decl: &ScratchDecl) {
        self.scratch_base.push(self.workgroup.len() as u32);
        let fields = self.kernel.elem_fields(decl.elem);
        let many = fields.len() > 1;
        for (n, ty) in fields.into_iter().enumerate() {
            let name = if many {
                format!("{}_{n}", decl.name)
            } else {
                decl.name.clone()
            };
            let ty = if ty == Scalar::I32 {
                Scalar::I32
            } else {
                Scalar::U32
            };
            self.workgroup.push(ArrayDecl {
                name,
                ty,
                len: decl.count,
            });
        }
    }

    /// Fills every authored array and says what that did.
    fn fill(&mut self, groups: &Groups, local: Value) -> Accesses {
        let all = barriers::all(&groups.nodes);
        let mut filled = Accesses::default();
        for (n, decl) in groups.scratch.iter().enumerate() {
            if decl.initial.is_empty() {
                continue;
            }
            let array = ScratchId(n as u32);
            let reach = fill_reach(groups.size, decl, &all, array);
            filled.write(array, reach);
            match reach {
                Reach::Blocked(stride) => {
                    let base = self.u(local);
                    let base = self.scaled(base, stride).v;
                    self.fill_turns(array, decl, base, stride, 1);
                }
                Reach::Strided | Reach::Any => self.fill_strided(array, decl, local, groups.size),
            }
        }
        filled
    }

    fn fill_strided(&mut self, array: ScratchId, decl: &ScratchDecl, local: Value, size: u32) {
        let (turns, rest) = (decl.count / size, decl.count % size);
        self.fill_turns(array, decl, local, turns, size);
        if rest > 0 {
            let (limit, past) = (self.uint(rest), self.uint(turns * size));
            let inside = self.u(local).lt(self.u(limit));
            self.ctx.borrow_mut().open();
            let slot = if turns == 0 {
                local
            } else {
                (self.u(local) + self.u(past)).v
            };
            self.fill_slot(array, &decl.initial, slot);
            let then = self.ctx.borrow_mut().close(Vec::new());
            self.ctx
                .borrow_mut()
                .if_(inside.v, then, DeviceRegion::default());
        }
    }

    /// Fills `base + k * step` for each k below `turns`.
    fn fill_turns(
        &mut self,
        array: ScratchId,
        decl: &ScratchDecl,
        base: Value,
        turns: u32,
        step: u32,
    ) {
        if turns == 1 {
            self.fill_slot(array, &decl.initial, base);
        } else if turns > 1 {
            let (lo, hi) = (self.uint(0), self.uint(turns - 1));
            let k = self.ctx.borrow_mut().counted_var(lo, hi);
            self.ctx.borrow_mut().open();
            let skipped = self.scaled(self.u(k), step);
            self.fill_slot(array, &decl.initial, (self.u(base) + skipped).v);
            let mut builder = self.ctx.borrow_mut();
            let body = builder.close(Vec::new());
            let kind = LoopKind::Counted { var: k, lo, hi };
            builder.loop_(kind, Vec::new(), Vec::new(), body, false);
        }
    }

    fn fill_slot(&mut self, array: ScratchId, initial: &[Const], index: Value) {
        for (field, c) in initial.iter().enumerate() {
            let ty = if c.ty == Scalar::I32 {
                Scalar::I32
            } else {
                Scalar::U32
            };
            let value = self.constant(ty, c.bits);
            let array = self.array(array, field as u32);
            self.ctx.borrow_mut().effect(DeviceLeaf::SharedStore {
                array,
                index,
                value,
            });
        }
    }

    fn nodes(&mut self, nodes: &[Node], open: &mut Accesses) -> Result<(), LowerError> {
        for node in nodes {
            match node {
                Node::Inst(inst) => self.inst(inst)?,
                Node::Phase(phase) => self.phase(phase, open)?,
                // Phases by now.
                Node::Tree(_) => {}
                Node::Repeat(repeat) => self.repeat(repeat, open)?,
                Node::Select {
                    cond,
                    then,
                    els,
                    results,
                } => {
                    self.choice(*cond, then, els, results, open)?;
                }
            }
        }
        Ok(())
    }

    fn phase(&mut self, phase: &Phase, open: &mut Accesses) -> Result<(), LowerError> {
        if open.enter(&barriers::accesses(&phase.region)) {
            self.barriers += 1;
            self.ctx.borrow_mut().effect(DeviceLeaf::Barrier);
        }
        if let Some(local) = self.local {
            let rep = self.plain(local, Scalar::U32);
            self.define(phase.local, rep);
        }
        self.insts(&phase.region.insts)
    }

    fn repeat(&mut self, repeat: &Repeat, open: &mut Accesses) -> Result<(), LowerError> {
        let mut inside = barriers::at_head(&repeat.body.nodes, open);
        let results = self.any_loop(
            &repeat.kind,
            &repeat.params,
            &repeat.init,
            repeat.breaks,
            |this| {
                this.ctx.borrow_mut().open();
                this.nodes(&repeat.body.nodes, &mut inside)?;
                let yields = values(&this.all(&repeat.body.yields)?);
                Ok(this.ctx.borrow_mut().close(yields))
            },
        )?;
        open.join(&inside);
        for (&value, rep) in repeat.results.iter().zip(results) {
            self.define(value, rep);
        }
        Ok(())
    }

    fn choice(
        &mut self,
        cond: Value,
        then: &NodeSeq,
        els: &NodeSeq,
        results: &[Value],
        open: &mut Accesses,
    ) -> Result<(), LowerError> {
        let cond = self.rep(cond)?;
        let mut other = open.clone();
        let mark = self.mark_hidden();
        self.ctx.borrow_mut().open();
        self.nodes(&then.nodes, open)?;
        let yes = self.all(&then.yields)?;
        let then = self.ctx.borrow_mut().close(values(&yes));
        self.forget_hidden(mark);
        self.ctx.borrow_mut().open();
        self.nodes(&els.nodes, &mut other)?;
        let no = self.all(&els.yields)?;
        let yields = self.other_yields(&yes, &no);
        let els = self.ctx.borrow_mut().close(yields);
        self.forget_hidden(mark);
        open.join(&other);
        let reps = self.join(cond, then, els, &yes, &no);
        for (&value, rep) in results.iter().zip(reps) {
            self.define(value, rep);
        }
        Ok(())
    }
}

/// By which lanes an array is filled: its owners, where it is only ever touched by them.
fn fill_reach(size: u32, decl: &ScratchDecl, all: &Accesses, array: ScratchId) -> Reach {
    let reaches = all.reaches(array);
    match reaches.first() {
        Some(&Reach::Blocked(stride)) if reaches.len() == 1 && stride * size == decl.count => {
            Reach::Blocked(stride)
        }
        _ => Reach::Strided,
    }
}
