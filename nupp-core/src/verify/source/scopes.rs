//! Checks that each value has its least scope, and that the controller has none of a lane.
//!
//! The structure is checked before, so that every number is in its table. The scopes themselves
//! are the smallest fixed point of `ir::scope`.

use super::ensure;
use crate::ir::entity::{Scope, Value};
use crate::ir::flow::{LoopKind, Op};
use crate::ir::kernel::{Body, Kernel, Node, SourceInst, SourceRegion};
use crate::ir::scope;
use crate::verify::VerifyError;

pub fn check(kernel: &Kernel) -> Result<(), VerifyError> {
    for (i, least) in scope::least(kernel).into_iter().enumerate() {
        let stored = kernel.values[i].scope;
        ensure!(
            stored == least,
            "scopes",
            "v{i} says {stored:?} and is {least:?}"
        );
    }
    match &kernel.body {
        Body::Map { .. } => Ok(()),
        Body::Groups(groups) => nodes(kernel, &groups.nodes),
    }
}

/// A controller decides for all lanes of a group, so nothing in it may belong to one lane.
fn uniform(kernel: &Kernel, values: &[Value]) -> Result<(), VerifyError> {
    for &value in values {
        ensure!(
            kernel.values[value.index()].scope < Scope::Lane,
            "uniform controller",
            "{value} belongs to a lane"
        );
    }
    Ok(())
}

fn nodes(kernel: &Kernel, list: &[Node]) -> Result<(), VerifyError> {
    for node in list {
        match node {
            Node::Inst(inst) => instruction(kernel, inst)?,
            Node::Phase(_) | Node::Tree(_) => {}
            Node::Repeat(repeat) => {
                kind(kernel, &repeat.kind)?;
                uniform(kernel, &repeat.params)?;
                uniform(kernel, &repeat.body.yields)?;
                nodes(kernel, &repeat.body.nodes)?;
            }
            Node::Select {
                cond,
                then,
                els,
                results,
            } => {
                uniform(kernel, &[*cond])?;
                uniform(kernel, results)?;
                nodes(kernel, &then.nodes)?;
                nodes(kernel, &els.nodes)?;
            }
        }
    }
    Ok(())
}

fn kind(kernel: &Kernel, kind: &LoopKind<crate::ir::kernel::Leaf>) -> Result<(), VerifyError> {
    match kind {
        LoopKind::Counted { lo, hi, .. } => uniform(kernel, &[*lo, *hi]),
        LoopKind::While { cond, .. } => {
            region(kernel, cond)?;
            uniform(kernel, &cond.yields)
        }
    }
}

fn region(kernel: &Kernel, region: &SourceRegion) -> Result<(), VerifyError> {
    let mut insts = region.insts.iter();
    insts.try_for_each(|inst| instruction(kernel, inst))
}

fn instruction(kernel: &Kernel, inst: &SourceInst) -> Result<(), VerifyError> {
    uniform(kernel, &inst.results)?;
    match &inst.op {
        Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => Ok(()),
        Op::If { then, els, .. } => {
            region(kernel, then)?;
            region(kernel, els)
        }
        Op::Loop(inner) => {
            kind(kernel, &inner.kind)?;
            region(kernel, &inner.body)
        }
    }
}
