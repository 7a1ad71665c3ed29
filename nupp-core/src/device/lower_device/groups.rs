//! Workgroup kernels: one source group a workgroup.
//!
//! The controller becomes the device's control flow, in which every barrier stands uniformly.

use super::barriers::{self, Accesses, Known};
use super::flow::values;
use super::{LowerError, Lowering};
use crate::artifact::UniformLayout;
use crate::device::ir::{Builtin, DeviceLeaf, DeviceRegion};
use crate::ir::entity::{Scalar, Value};
use crate::ir::kernel::{Groups, Node, NodeSeq, Phase, Repeat};

impl Lowering<'_> {
    pub(super) fn group_kernel(&mut self, groups: &Groups) -> Result<(), LowerError> {
        let count = self.word(UniformLayout::COUNT);
        let group = self.workgroup_number();
        let local = self.builtin(Builtin::LocalIndex);
        let inside = group.lt(self.u(count));
        self.index = Some(group.v);
        self.local = Some(local.v);
        self.known = Known::of(groups);
        self.ctx.borrow_mut().open();
        let rep = self.plain(group.v, Scalar::U32);
        self.define(groups.group, rep);
        let mut open = self.scratch_arrays(groups, local.v);
        self.nodes(&groups.nodes, &mut open)?;
        let then = self.ctx.borrow_mut().close(Vec::new());
        self.ctx
            .borrow_mut()
            .if_(inside.v, then, DeviceRegion::default());
        Ok(())
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
        if open.enter(&barriers::accesses(phase, &self.known)) {
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
        let mut inside = barriers::at_head(&repeat.body.nodes, &self.known, open);
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
