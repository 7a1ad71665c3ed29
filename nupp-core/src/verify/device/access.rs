//! Workgroup memory: no two lanes meet in it without a barrier between, and none of it is read
//! before it is written.
//!
//! The walk carries the accesses since the last barrier on any path. Loops are walked until
//! nothing is added, so that a turn is held against the one before. Sides of a uniform choice are
//! walked apart, sides of a private one after each other, since lanes may be in both. Beside that
//! it carries which slots have certainly been written, by whichever lane: that a barrier stands
//! between the write and another lane's read is the first rule's business.

mod choices;

use super::super::VerifyError;
use super::error;
use super::shape::Shape;
use crate::device::ir::{Builtin, DeviceLeaf, DeviceRegion, Module};
use crate::ir::entity::{Scalar, Scope, Value};
use crate::ir::flow::{Inst, Loop, LoopKind, Op};
use crate::ir::op::ScalarOp;

pub(super) fn check(module: &Module, scopes: &[Scope]) -> Result<(), VerifyError> {
    if module.workgroup.is_empty() {
        return Ok(());
    }
    walk(module, scopes).region(&module.body)
}

/// Which workgroup arrays may be read before they are written; all of them where lanes meet.
pub(super) fn unwritten(module: &Module, scopes: &[Scope]) -> Vec<bool> {
    let mut walk = walk(module, scopes);
    walk.unwritten = Some(vec![false; module.workgroup.len()]);
    match walk.region(&module.body) {
        Ok(()) => walk.unwritten.unwrap_or_default(),
        Err(_) => vec![true; module.workgroup.len()],
    }
}

fn walk<'a>(module: &'a Module, scopes: &'a [Scope]) -> Walk<'a> {
    let lanes = (0, i64::from(module.size) - 1);
    Walk {
        module,
        scopes,
        shapes: module
            .values
            .iter()
            .map(|info| Shape::unknown(info.ty))
            .collect(),
        defs: vec![None; module.values.len()],
        is_local: vec![false; module.values.len()],
        narrowed: Vec::new(),
        lanes,
        certain: true,
        open: Vec::new(),
        written: vec![Vec::new(); module.workgroup.len()],
        pending: Vec::new(),
        turning: Vec::new(),
        unwritten: None,
    }
}

/// One access since the last barrier.
#[derive(Clone, Debug, PartialEq)]
struct Access {
    array: u32,
    write: bool,
    shape: Shape,
    lanes: (i64, i64),
}

struct Walk<'a> {
    module: &'a Module,
    scopes: &'a [Scope],
    shapes: Vec<Shape>,
    defs: Vec<Option<(ScalarOp, Vec<Value>)>>,
    is_local: Vec<bool>,
    /// What conditions around have narrowed, and what it was.
    narrowed: Vec<(Value, Shape)>,
    /// The lanes that may be here.
    lanes: (i64, i64),
    /// All those lanes are here.
    certain: bool,
    open: Vec<Access>,
    /// Per array, the ranges that are certainly written.
    written: Vec<Vec<(i64, i64)>>,
    /// Ranges written once a counted variable has run.
    pending: Vec<(Value, u32, (i64, i64))>,
    /// Counted variables of the loops around that certainly take every turn.
    turning: Vec<Value>,
    /// Where asked for, the arrays that were read before they were written, instead of an error.
    unwritten: Option<Vec<bool>>,
}

impl Walk<'_> {
    fn region(&mut self, region: &DeviceRegion) -> Result<(), VerifyError> {
        region.insts.iter().try_for_each(|inst| self.inst(inst))
    }

    fn inst(&mut self, inst: &Inst<DeviceLeaf>) -> Result<(), VerifyError> {
        match &inst.op {
            Op::Const(c) => {
                let n = match c.ty {
                    Scalar::I32 => i64::from(c.bits as i32),
                    Scalar::F32 | Scalar::U32 | Scalar::Bool => i64::from(c.bits),
                };
                self.set(&inst.results, Shape::exact(n));
            }
            Op::Scalar(op, args) => {
                let shapes: Vec<Shape> = args.iter().map(|v| self.shapes[v.index()]).collect();
                let shape = match (op, shapes.as_slice()) {
                    (ScalarOp::U32Select | ScalarOp::I32Select, [_, a, b]) => a.join(*b),
                    _ => Shape::apply(*op, &shapes),
                };
                self.set(&inst.results, shape);
                for result in &inst.results {
                    self.defs[result.index()] = Some((*op, args.clone()));
                }
            }
            Op::Leaf(leaf) => self.leaf(leaf, &inst.results)?,
            Op::If { cond, then, els } => self.branch(*cond, then, els, &inst.results)?,
            Op::Loop(inner) => self.turns(inner)?,
        }
        Ok(())
    }

    fn set(&mut self, results: &[Value], shape: Shape) {
        for result in results {
            self.shapes[result.index()] = shape;
        }
    }

    fn leaf(&mut self, leaf: &DeviceLeaf, results: &[Value]) -> Result<(), VerifyError> {
        match leaf {
            DeviceLeaf::Builtin(Builtin::LocalIndex) => {
                self.set(results, Shape::local(self.module.size));
                for result in results {
                    self.is_local[result.index()] = true;
                    // Another name of a number that may be narrowed already.
                    let range = &mut self.shapes[result.index()].range;
                    *range = (range.0.max(self.lanes.0), range.1.min(self.lanes.1));
                }
                Ok(())
            }
            DeviceLeaf::Barrier => {
                self.open.clear();
                Ok(())
            }
            DeviceLeaf::SharedLoad { array, index } => self.load(*array, *index),
            DeviceLeaf::SharedStore { array, index, .. } => self.store(*array, *index),
            DeviceLeaf::Builtin(_)
            | DeviceLeaf::UniformWord(_)
            | DeviceLeaf::BufferLoad { .. }
            | DeviceLeaf::BufferStore { .. }
            | DeviceLeaf::BufferMax { .. }
            | DeviceLeaf::PrivateLoad { .. }
            | DeviceLeaf::PrivateStore { .. }
            | DeviceLeaf::Call { .. } => Ok(()),
        }
    }

    fn load(&mut self, array: u32, index: Value) -> Result<(), VerifyError> {
        let shape = self.shapes[index.index()];
        let decl = &self.module.workgroup[array as usize];
        let wanted = (
            shape.range.0.max(0),
            shape.range.1.min(i64::from(decl.len) - 1),
        );
        let certain = &self.written[array as usize];
        if !certain
            .iter()
            .any(|have| have.0 <= wanted.0 && wanted.1 <= have.1)
        {
            let detail = format!("{} at {} ..= {}", decl.name, wanted.0, wanted.1);
            match &mut self.unwritten {
                Some(arrays) => arrays[array as usize] = true,
                None => return error("workgroup memory is written before it is read", detail),
            }
        }
        self.access(array, false, shape)
    }

    fn store(&mut self, array: u32, index: Value) -> Result<(), VerifyError> {
        let shape = self.shapes[index.index()];
        self.access(array, true, shape)?;
        if self.certain
            && let Some(range) = shape.covers(self.lanes)
        {
            match shape.var {
                None => self.cover(array, range),
                Some(var) if self.turning.contains(&var) => self.pending.push((var, array, range)),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Takes a written range in, joined with those it touches.
    fn cover(&mut self, array: u32, mut range: (i64, i64)) {
        let ranges = &mut self.written[array as usize];
        ranges.retain(|have| {
            let apart = have.1 + 1 < range.0 || range.1 + 1 < have.0;
            if !apart {
                range = (range.0.min(have.0), range.1.max(have.1));
            }
            apart
        });
        ranges.push(range);
    }

    fn access(&mut self, array: u32, write: bool, shape: Shape) -> Result<(), VerifyError> {
        let new = Access {
            array,
            write,
            shape,
            lanes: self.lanes,
        };
        if !self.open.contains(&new) {
            self.open.push(new.clone());
        }
        let meets = self.open.iter().find(|old| self.meet(old, &new));
        let Some(old) = meets else { return Ok(()) };
        let verb = |write| if write { "writes" } else { "reads" };
        let name = &self.module.workgroup[array as usize].name;
        let (one, other) = (old.shape.range, new.shape.range);
        let detail = format!(
            "a lane {} {name} at {} ..= {}, another {} it at {} ..= {}",
            verb(old.write),
            one.0,
            one.1,
            verb(new.write),
            other.0,
            other.1,
        );
        error("no two lanes meet without a barrier", detail)
    }

    fn meet(&self, old: &Access, new: &Access) -> bool {
        let one_lane = old.lanes == new.lanes && old.lanes.0 == old.lanes.1;
        old.array == new.array
            && (old.write || new.write)
            && !one_lane
            && !old.shape.parts_lanes(&new.shape, self.module.size)
    }

    fn turns(&mut self, inner: &Loop<DeviceLeaf>) -> Result<(), VerifyError> {
        // At least one turn, and all of them, where the bounds are known and nothing breaks off.
        let mut runs = false;
        let mut counted = None;
        if let LoopKind::Counted { var, lo, hi } = &inner.kind {
            let (lo, hi) = (self.shapes[lo.index()], self.shapes[hi.index()]);
            runs = lo.range.1 <= hi.range.0;
            self.shapes[var.index()] = Shape::counted(*var, lo, hi);
            if runs && !inner.breaks {
                counted = Some(*var);
            }
        }
        let entry = self.open.clone();
        let had = self.written.clone();
        let waiting = self.pending.len();
        self.turning.extend(counted);
        loop {
            let head = self.open.clone();
            self.written.clone_from(&had);
            if let LoopKind::While { cond, .. } = &inner.kind {
                self.region(cond)?;
            }
            self.region(&inner.body)?;
            // The next turn starts with what this one leaves, or with what came before the loop.
            let left = std::mem::replace(&mut self.open, head);
            let before = self.open.len();
            for access in left {
                if !self.open.contains(&access) {
                    self.open.push(access);
                }
            }
            if self.open.len() == before {
                break;
            }
        }
        if !runs {
            // There may have been no turn.
            self.written = had;
            self.pending.truncate(waiting);
        }
        if counted.is_some() {
            self.turning.pop();
        }
        self.settle(counted);
        // No turn at all leaves what came before.
        for access in entry {
            if !self.open.contains(&access) {
                self.open.push(access);
            }
        }
        Ok(())
    }

    /// Takes in what a counted variable that has run has written.
    fn settle(&mut self, counted: Option<Value>) {
        let Some(counted) = counted else { return };
        for (var, array, range) in std::mem::take(&mut self.pending) {
            if var == counted {
                self.cover(array, range);
            } else {
                self.pending.push((var, array, range));
            }
        }
    }
}
