//! Assigns each value of a kernel its least scope, by the smallest fixed point of the rules that
//! the verifier compares with.
//!
//! Constants, uniforms and lengths are the same for the whole dispatch, a group number for its
//! group; a map's index, a lane number and everything read from scratch or from an element that a
//! lane owns belong to a lane. An operation has the greatest scope of its operands; what an `if`
//! or a loop gives also has that of the decision. Divergent control around a value does not raise
//! its scope: where the value exists, it is the same.
//!
//! A kernel may be unverified, but each value it names must have a row in its table.

use super::entity::{Scope, Value};
use super::flow::{Inst, Loop, LoopKind, Op, Region};
use super::kernel::{
    Access, Body, Combine, GuardCond, Kernel, Leaf, Node, NodeSeq, Repeat, SpanDecl,
};
use super::place::Place;

/// Stores each value's least scope in the kernel.
pub fn assign(kernel: &mut Kernel) {
    let scopes = least(kernel);
    for (info, scope) in kernel.values.iter_mut().zip(scopes) {
        info.scope = scope;
    }
}

/// The least scope of each value, indexed as the kernel's `values`.
pub fn least(kernel: &Kernel) -> Vec<Scope> {
    let mut pass = Pass {
        scopes: vec![Scope::Dispatch; kernel.values.len()],
        spans: &kernel.spans,
        changed: true,
    };
    // Scopes only rise, and there are two rises a value, so this ends.
    while pass.changed {
        pass.changed = false;
        for guard in &kernel.guards {
            if let GuardCond::Scalar(region) = &guard.cond {
                pass.region(region);
            }
        }
        match &kernel.body {
            Body::Map { index, region, .. } => {
                pass.raise(*index, Scope::Lane);
                pass.region(region);
            }
            Body::Groups(groups) => {
                pass.raise(groups.group, Scope::Group);
                pass.nodes(&groups.nodes);
            }
        }
    }
    pass.scopes
}

struct Pass<'a> {
    scopes: Vec<Scope>,
    spans: &'a [SpanDecl],
    changed: bool,
}

impl Pass<'_> {
    fn of(&self, value: Value) -> Scope {
        self.scopes[value.index()]
    }

    fn most(&self, values: &[Value]) -> Scope {
        values
            .iter()
            .map(|&v| self.of(v))
            .max()
            .unwrap_or(Scope::Dispatch)
    }

    fn raise(&mut self, value: Value, scope: Scope) {
        let slot = &mut self.scopes[value.index()];
        if *slot < scope {
            *slot = scope;
            self.changed = true;
        }
    }

    fn raise_all(&mut self, values: &[Value], scope: Scope) {
        for &value in values {
            self.raise(value, scope);
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Inst(inst) => self.inst(inst),
                Node::Phase(phase) => {
                    self.raise(phase.local, Scope::Lane);
                    self.region(&phase.region);
                }
                Node::Tree(tree) => {
                    if let Combine::Region { params, region } = &tree.combine {
                        self.raise_all(params, Scope::Lane);
                        self.region(region);
                    }
                }
                Node::Repeat(repeat) => self.repeat(repeat),
                Node::Select {
                    cond,
                    then,
                    els,
                    results,
                } => self.select(*cond, then, els, results),
            }
        }
    }

    fn select(&mut self, cond: Value, then: &NodeSeq, els: &NodeSeq, results: &[Value]) {
        self.nodes(&then.nodes);
        self.nodes(&els.nodes);
        self.join(cond, &then.yields, &els.yields, results);
    }

    /// Results of a choice.
    fn join(&mut self, cond: Value, then: &[Value], els: &[Value], results: &[Value]) {
        for ((&result, &t), &e) in results.iter().zip(then).zip(els) {
            self.raise(result, self.most(&[cond, t, e]));
        }
    }

    fn region(&mut self, region: &Region<Leaf>) {
        for inst in &region.insts {
            self.inst(inst);
        }
    }

    fn inst(&mut self, inst: &Inst<Leaf>) {
        match &inst.op {
            Op::Const(_) => {}
            Op::Scalar(_, args) => {
                let scope = self.most(args);
                self.raise_all(&inst.results, scope);
            }
            Op::Leaf(leaf) => {
                let scope = self.leaf(leaf);
                self.raise_all(&inst.results, scope);
            }
            Op::If { cond, then, els } => {
                self.region(then);
                self.region(els);
                self.join(*cond, &then.yields, &els.yields, &inst.results);
            }
            Op::Loop(inner) => self.loop_(inner, &inst.results),
        }
    }

    fn leaf(&self, leaf: &Leaf) -> Scope {
        match leaf {
            Leaf::Uniform(_) | Leaf::Length(_) => Scope::Dispatch,
            Leaf::Load { place, .. } => match place {
                Place::At { span, index, .. } => match self.spans[span.index()].access {
                    Access::Read => self.of(*index),
                    Access::Write => Scope::Lane,
                },
                Place::Element { .. }
                | Place::Block { .. }
                | Place::GroupBlock { .. }
                | Place::GroupSlot { .. }
                | Place::Own { .. }
                | Place::Slot { .. } => Scope::Lane,
            },
            // These give no value.
            Leaf::Store { .. } | Leaf::Scatter { .. } => Scope::Dispatch,
        }
    }

    fn loop_(&mut self, inner: &Loop<Leaf>, results: &[Value]) {
        let kind = self.kind(&inner.kind);
        self.region(&inner.body);
        let parts = LoopParts {
            kind,
            params: &inner.params,
            init: &inner.init,
            yields: &inner.body.yields,
            breaks: inner.breaks,
            results,
        };
        self.carry(&parts);
        self.variable(&inner.kind, &parts);
    }

    fn repeat(&mut self, repeat: &Repeat) {
        let kind = self.kind(&repeat.kind);
        self.nodes(&repeat.body.nodes);
        let parts = LoopParts {
            kind,
            params: &repeat.params,
            init: &repeat.init,
            yields: &repeat.body.yields,
            breaks: repeat.breaks,
            results: &repeat.results,
        };
        self.carry(&parts);
        self.variable(&repeat.kind, &parts);
    }

    /// The scope of what the loop counts or tests.
    fn kind(&mut self, kind: &LoopKind<Leaf>) -> Scope {
        match kind {
            LoopKind::Counted { lo, hi, .. } => self.most(&[*lo, *hi]),
            LoopKind::While { cond, .. } => {
                self.region(cond);
                self.most(&cond.yields)
            }
        }
    }

    fn carry(&mut self, parts: &LoopParts<'_>) {
        let control = parts.control(self);
        let next = parts
            .yields
            .get(usize::from(parts.breaks)..)
            .unwrap_or_default();
        for (i, &param) in parts.params.iter().enumerate() {
            let mut scope = control;
            for list in [parts.init, next] {
                if let Some(&value) = list.get(i) {
                    scope = scope.max(self.of(value));
                }
            }
            self.raise(param, scope);
            if let Some(&result) = parts.results.get(i) {
                self.raise(result, scope);
            }
        }
    }

    fn variable(&mut self, kind: &LoopKind<Leaf>, parts: &LoopParts<'_>) {
        if let LoopKind::Counted { var, .. } = kind {
            let control = parts.control(self);
            self.raise(*var, control);
        }
    }
}

/// What the two kinds of loops share.
struct LoopParts<'a> {
    kind: Scope,
    params: &'a [Value],
    init: &'a [Value],
    yields: &'a [Value],
    breaks: bool,
    results: &'a [Value],
}

impl LoopParts<'_> {
    /// The scope of the decision to go on.
    fn control(&self, pass: &Pass<'_>) -> Scope {
        match self.yields.first() {
            Some(&go_on) if self.breaks => self.kind.max(pass.of(go_on)),
            _ => self.kind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::entity::Scalar;
    use crate::ir::samples;

    fn scopes_of(kernel: &Kernel, ty: Scalar) -> Vec<Scope> {
        let of_type = kernel.values.iter().filter(|info| info.ty == ty);
        of_type.map(|info| info.scope).collect()
    }

    #[test]
    fn a_group_kernel_has_one_value_of_group_scope_beside_the_group_number() {
        let kernel = samples::groups();
        use Scope::{Dispatch, Group, Lane};
        // group, 256, base, lane, cursor, lane, slot 0.
        let want = [Group, Dispatch, Group, Lane, Lane, Lane, Dispatch];
        assert_eq!(scopes_of(&kernel, Scalar::U32), want);
        assert_eq!(scopes_of(&kernel, Scalar::F32), [Lane, Lane]);
    }

    #[test]
    fn a_divergent_condition_reaches_the_parameters_but_not_constants_inside() {
        let kernel = samples::map();
        use Scope::{Dispatch, Lane};
        let want = [
            // index, c, #table, 7, c & 7, 0, counter, 1, next, result.
            Lane, Lane, Dispatch, Dispatch, Lane, Dispatch, Lane, Dispatch, Lane, Lane,
        ];
        assert_eq!(scopes_of(&kernel, Scalar::U32), want);
    }

    #[test]
    fn assigning_twice_changes_nothing_and_wrong_scopes_are_mended() {
        for sample in [samples::map(), samples::groups()] {
            for start in [Scope::Dispatch, Scope::Lane] {
                let mut kernel = sample.clone();
                kernel.values.iter_mut().for_each(|v| v.scope = start);
                assign(&mut kernel);
                assert_eq!(kernel, sample);
            }
        }
    }
}
