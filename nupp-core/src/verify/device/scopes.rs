//! The least scope of each value of a module, by the smallest fixed point.
//!
//! A value is as wide as the widest of its operands and of the control it stands in; a loop that
//! lanes leave at different turns makes its results private to a lane. A read of workgroup or
//! private memory, of a buffer that the module writes, and in an atomic step, is private to a lane.

use crate::device::ir::{Builtin, DeviceLeaf, DeviceRegion, Module};
use crate::ir::entity::{Scope, Value};
use crate::ir::flow::{Inst, Loop, LoopKind, Op};

/// The scopes, indexed by value. Undefined values are of the dispatch.
pub fn scopes(module: &Module) -> Vec<Scope> {
    let mut walk = Walk {
        module,
        scopes: vec![Scope::Dispatch; module.values.len()],
        changed: true,
    };
    while walk.changed {
        walk.changed = false;
        for function in &module.functions {
            // A function is called with anything.
            walk.raise(&function.params, Scope::Lane);
            walk.region(&function.body, Scope::Lane);
        }
        walk.region(&module.body, Scope::Dispatch);
    }
    walk.scopes
}

struct Walk<'a> {
    module: &'a Module,
    scopes: Vec<Scope>,
    changed: bool,
}

impl Walk<'_> {
    fn of(&self, values: &[Value]) -> Scope {
        let scopes = values.iter().filter_map(|v| self.scopes.get(v.index()));
        scopes.copied().max().unwrap_or(Scope::Dispatch)
    }

    fn raise(&mut self, values: &[Value], scope: Scope) {
        for value in values {
            if let Some(known) = self.scopes.get_mut(value.index())
                && *known < scope
            {
                *known = scope;
                self.changed = true;
            }
        }
    }

    fn region(&mut self, region: &DeviceRegion, control: Scope) {
        for inst in &region.insts {
            self.inst(inst, control);
        }
    }

    fn inst(&mut self, inst: &Inst<DeviceLeaf>, control: Scope) {
        match &inst.op {
            // A constant is the same wherever it stands.
            Op::Const(_) => {}
            Op::Scalar(_, args) => self.raise(&inst.results, self.of(args).max(control)),
            Op::Leaf(leaf) => self.raise(&inst.results, self.leaf(leaf).max(control)),
            Op::If { cond, then, els } => {
                let inner = self.of(&[*cond]).max(control);
                self.region(then, inner);
                self.region(els, inner);
                for ((&result, &yes), &no) in inst.results.iter().zip(&then.yields).zip(&els.yields)
                {
                    self.raise(&[result], self.of(&[yes, no]).max(inner));
                }
            }
            Op::Loop(inner) => self.turns(inner, &inst.results, control),
        }
    }

    fn leaf(&self, leaf: &DeviceLeaf) -> Scope {
        match leaf {
            DeviceLeaf::Builtin(Builtin::LocalIndex) => Scope::Lane,
            DeviceLeaf::Builtin(Builtin::WorkgroupX | Builtin::WorkgroupY) => Scope::Group,
            DeviceLeaf::UniformWord(_) => Scope::Dispatch,
            DeviceLeaf::BufferLoad { buffer, index } => {
                match self.module.buffers.get(*buffer as usize) {
                    Some(decl) if !decl.write => self.of(&[*index]),
                    _ => Scope::Lane,
                }
            }
            DeviceLeaf::BufferMax { .. }
            | DeviceLeaf::SharedLoad { .. }
            | DeviceLeaf::PrivateLoad { .. } => Scope::Lane,
            DeviceLeaf::Call { args, .. } => self.of(args),
            DeviceLeaf::BufferStore { .. }
            | DeviceLeaf::SharedStore { .. }
            | DeviceLeaf::PrivateStore { .. }
            | DeviceLeaf::Barrier => Scope::Dispatch,
        }
    }

    fn turns(&mut self, inner: &Loop<DeviceLeaf>, results: &[Value], control: Scope) {
        let next = inner
            .body
            .yields
            .get(usize::from(inner.breaks)..)
            .unwrap_or(&[]);
        for ((&param, &init), &next) in inner.params.iter().zip(&inner.init).zip(next) {
            self.raise(&[param], self.of(&[init, next]).max(control));
        }
        let trip = trip_scope(inner, |values| self.of(values)).max(control);
        match &inner.kind {
            LoopKind::Counted { var, .. } => self.raise(&[*var], trip),
            LoopKind::While { cond, .. } => self.region(cond, trip),
        }
        self.region(&inner.body, trip);
        for (&result, &param) in results.iter().zip(&inner.params) {
            self.raise(&[result], self.of(&[param]).max(trip));
        }
    }
}

/// The scope of what decides how many turns a loop takes.
pub(super) fn trip_scope(inner: &Loop<DeviceLeaf>, of: impl Fn(&[Value]) -> Scope) -> Scope {
    let test = match &inner.kind {
        LoopKind::Counted { lo, hi, .. } => of(&[*lo, *hi]),
        LoopKind::While { cond, .. } => of(&cond.yields),
    };
    match inner.body.yields.first() {
        Some(&goes_on) if inner.breaks => test.max(of(&[goes_on])),
        _ => test,
    }
}
