//! A tree's combination at one pair of slots: the operation, or a copy of the author's region with
//! values of its own, so that each value is still defined once.

use std::collections::HashMap;

use super::Trees;
use crate::ir::entity::Value;
use crate::ir::flow::{Inst, Loop, LoopKind, Op};
use crate::ir::kernel::{Combine, Leaf, SourceRegion};

impl Trees<'_> {
    pub(super) fn combine(&mut self, combine: &Combine, a: Value, b: Value) -> Value {
        match combine {
            Combine::Op(op) => self.builder.scalar(*op, &[a, b]),
            Combine::Region { params, region } => {
                let mut names = HashMap::from([(params[0], a), (params[1], b)]);
                for inst in &region.insts {
                    let inst = self.copied(inst, &mut names);
                    self.builder.push(inst.results, inst.op);
                }
                region.yields.first().map_or(a, |&v| named(&names, v))
            }
        }
    }

    /// The instruction with values of its own.
    fn copied(&mut self, inst: &Inst<Leaf>, names: &mut HashMap<Value, Value>) -> Inst<Leaf> {
        let op = match &inst.op {
            Op::Const(c) => Op::Const(*c),
            Op::Scalar(op, args) => {
                Op::Scalar(*op, args.iter().map(|&v| named(names, v)).collect())
            }
            // A combination is pure: only uniforms and lengths could stand here, without operands.
            Op::Leaf(leaf) => Op::Leaf(leaf.clone()),
            Op::If { cond, then, els } => Op::If {
                cond: named(names, *cond),
                then: self.copied_region(then, names),
                els: self.copied_region(els, names),
            },
            Op::Loop(inner) => Op::Loop(Box::new(self.copied_loop(inner, names))),
        };
        Inst {
            results: self.renamed(&inst.results, names),
            op,
        }
    }

    fn copied_region(
        &mut self,
        region: &SourceRegion,
        names: &mut HashMap<Value, Value>,
    ) -> SourceRegion {
        let insts = region
            .insts
            .iter()
            .map(|inst| self.copied(inst, names))
            .collect();
        SourceRegion {
            insts,
            yields: region.yields.iter().map(|&v| named(names, v)).collect(),
        }
    }

    fn copied_loop(&mut self, inner: &Loop<Leaf>, names: &mut HashMap<Value, Value>) -> Loop<Leaf> {
        let init = inner.init.iter().map(|&v| named(names, v)).collect();
        let params = self.renamed(&inner.params, names);
        let kind = match &inner.kind {
            LoopKind::Counted { var, lo, hi } => {
                let (lo, hi) = (named(names, *lo), named(names, *hi));
                let var = self
                    .renamed(&[*var], names)
                    .first()
                    .copied()
                    .unwrap_or(*var);
                LoopKind::Counted { var, lo, hi }
            }
            LoopKind::While { cond, class } => LoopKind::While {
                cond: self.copied_region(cond, names),
                class: *class,
            },
        };
        let body = self.copied_region(&inner.body, names);
        Loop {
            kind,
            params,
            init,
            body,
            breaks: inner.breaks,
        }
    }

    fn renamed(&mut self, values: &[Value], names: &mut HashMap<Value, Value>) -> Vec<Value> {
        let mut renamed = Vec::with_capacity(values.len());
        for &value in values {
            let fresh = self.builder.external(self.builder.ty(value));
            names.insert(value, fresh);
            renamed.push(fresh);
        }
        renamed
    }
}

fn named(names: &HashMap<Value, Value>, value: Value) -> Value {
    names.get(&value).copied().unwrap_or(value)
}
