//! Instructions, `if` and loops: one to one, with floats as bits.

use super::{LowerError, Lowering, Rep};
use crate::device::ir::{DeviceLeaf, DeviceRegion};
use crate::device::soft::{INF, MAG, QNAN};
use crate::ir::entity::{Scalar, Value};
use crate::ir::flow::{Const, Loop, LoopKind, Op, Region};
use crate::ir::kernel::{Leaf, SourceInst, SourceRegion};

impl Lowering<'_> {
    pub(super) fn insts(&mut self, insts: &[SourceInst]) -> Result<(), LowerError> {
        insts.iter().try_for_each(|inst| self.inst(inst))
    }

    pub(super) fn inst(&mut self, inst: &SourceInst) -> Result<(), LowerError> {
        let results = match &inst.op {
            Op::Const(c) => vec![self.source_constant(*c)],
            Op::Scalar(op, args) => vec![self.scalar(*op, args)?],
            Op::Leaf(leaf) => self.leaf(leaf)?.into_iter().collect(),
            Op::If { cond, then, els } => self.branch(*cond, then, els)?,
            Op::Loop(inner) => self.source_loop(inner)?,
        };
        for (&value, rep) in inst.results.iter().zip(results) {
            self.define(value, rep);
        }
        Ok(())
    }

    fn source_constant(&mut self, c: Const) -> Rep {
        let ty = if c.ty == Scalar::F32 {
            Scalar::U32
        } else {
            c.ty
        };
        let canonical = c.ty == Scalar::F32 && (c.bits & MAG <= INF || c.bits == QNAN);
        let v = self.constant(ty, c.bits);
        Rep {
            v,
            ty: c.ty,
            raw: false,
            canonical,
            constant: Some(c.bits),
        }
    }

    /// Lowers a region; its yields are what `hand_on` makes of them.
    fn region(
        &mut self,
        region: &SourceRegion,
        hand_on: impl FnOnce(&mut Self, &[Rep]) -> Vec<Value>,
    ) -> Result<(DeviceRegion, Vec<Rep>), LowerError> {
        let mark = self.mark_hidden();
        self.ctx.borrow_mut().open();
        self.insts(&region.insts)?;
        let reps = self.all(&region.yields)?;
        let yields = hand_on(self, &reps);
        self.forget_hidden(mark);
        Ok((self.ctx.borrow_mut().close(yields), reps))
    }

    pub(super) fn all(&self, values: &[Value]) -> Result<Vec<Rep>, LowerError> {
        values.iter().map(|&value| self.rep(value)).collect()
    }

    fn branch(
        &mut self,
        cond: Value,
        then: &SourceRegion,
        els: &SourceRegion,
    ) -> Result<Vec<Rep>, LowerError> {
        let cond = self.rep(cond)?;
        let (then, yes) = self.region(then, |_, reps| values(reps))?;
        let (els, no) = self.region(els, |this, reps| this.other_yields(&yes, reps))?;
        Ok(self.join(cond, then, els, &yes, &no))
    }

    /// What the second side of a choice hands on: never a constant where the first hands on one.
    pub(super) fn other_yields(&mut self, yes: &[Rep], no: &[Rep]) -> Vec<Value> {
        let pairs = yes.iter().zip(no);
        pairs
            .map(|(yes, no)| match (yes.constant, no.constant) {
                (Some(_), Some(_)) => self.hide_constant(*no),
                _ => no.v,
            })
            .collect()
    }

    /// The results of an `if` of two closed sides.
    pub(super) fn join(
        &mut self,
        cond: Rep,
        then: DeviceRegion,
        els: DeviceRegion,
        yes: &[Rep],
        no: &[Rep],
    ) -> Vec<Rep> {
        let results = self.ctx.borrow_mut().if_(cond.v, then, els);
        let mut reps = Vec::with_capacity(results.len());
        for ((v, yes), no) in results.into_iter().zip(yes).zip(no) {
            let plain = self.plain(v, yes.ty);
            reps.push(Rep {
                canonical: yes.canonical && no.canonical,
                ..plain
            });
        }
        reps
    }

    fn source_loop(&mut self, inner: &Loop<Leaf>) -> Result<Vec<Rep>, LowerError> {
        self.any_loop(
            &inner.kind,
            &inner.params,
            &inner.init,
            inner.breaks,
            |this| Ok(this.region(&inner.body, |_, reps| values(reps))?.0),
        )
    }

    /// A loop whose body is built by `turn`, for loops of instructions and of phases alike.
    pub(super) fn any_loop(
        &mut self,
        kind: &LoopKind<Leaf>,
        params: &[Value],
        init: &[Value],
        breaks: bool,
        turn: impl FnOnce(&mut Self) -> Result<DeviceRegion, LowerError>,
    ) -> Result<Vec<Rep>, LowerError> {
        let init = self.all(init)?;
        let first = values(&init);
        let device_params = self.ctx.borrow_mut().loop_params(&first);
        for ((&param, &v), start) in params.iter().zip(&device_params).zip(&init) {
            let rep = self.plain(v, start.ty);
            self.define(param, rep);
        }
        // What the condition hides, the body sees; both are out of sight after the loop.
        let mark = self.mark_hidden();
        let kind = self.loop_kind(kind)?;
        let body = turn(self)?;
        self.forget_hidden(mark);
        let results = self
            .ctx
            .borrow_mut()
            .loop_(kind, device_params, first, body, breaks);
        let pairs = results.into_iter().zip(&init);
        Ok(pairs.map(|(v, start)| self.plain(v, start.ty)).collect())
    }

    fn loop_kind(&mut self, kind: &LoopKind<Leaf>) -> Result<LoopKind<DeviceLeaf>, LowerError> {
        match kind {
            LoopKind::Counted { var, lo, hi } => {
                let (lo, hi) = (self.rep(*lo)?, self.rep(*hi)?);
                let device_var = self.ctx.borrow_mut().counted_var(lo.v, hi.v);
                let rep = self.plain(device_var, lo.ty);
                self.define(*var, rep);
                Ok(LoopKind::Counted {
                    var: device_var,
                    lo: lo.v,
                    hi: hi.v,
                })
            }
            LoopKind::While { cond, class } => {
                self.ctx.borrow_mut().open();
                self.insts(&cond.insts)?;
                let yields = values(&self.all(&cond.yields)?);
                let cond: Region<DeviceLeaf> = self.ctx.borrow_mut().close(yields);
                Ok(LoopKind::While {
                    cond,
                    class: *class,
                })
            }
        }
    }
}

/// The values themselves.
pub(super) fn values(reps: &[Rep]) -> Vec<Value> {
    reps.iter().map(|rep| rep.v).collect()
}
