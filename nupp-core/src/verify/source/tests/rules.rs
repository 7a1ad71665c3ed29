//! One broken kernel a rule, each made from a sample that verifies.

use super::*;
use crate::ir::entity::{PhaseId, Scalar, Scope, ScratchId, SpanId, StructId, UniformId, Value};
use crate::ir::flow::{Inst, LoopKind, Op, Region};
use crate::ir::kernel::{
    Access, Body, Combine, Elem, Groups, GuardCond, Leaf, Node, ParamRef, Phase, SourceRegion,
    Target, TreeKind,
};
use crate::ir::op::ScalarOp;
use crate::ir::place::{Certificate, Family, Operand, Place};
use crate::ir::samples;
use crate::ir::scope;
use crate::limits::MAX_DEPTH;

mod memory;
mod scratch;
mod shape;

/// The rule that a kernel breaks.
fn rule(kernel: Kernel) -> &'static str {
    match verify(kernel) {
        Ok(kernel) => panic!("it verifies:\n{}", crate::ir::print::print(&kernel)),
        Err(error) => error.rule,
    }
}

/// A change to a kernel, with the scopes assigned anew.
fn changed(mut kernel: Kernel, change: impl FnOnce(&mut Kernel)) -> &'static str {
    change(&mut kernel);
    scope::assign(&mut kernel);
    rule(kernel)
}

/// A change to the first operation that the closure accepts.
fn changed_op(mut kernel: Kernel, mut change: impl FnMut(&mut Op<Leaf>) -> bool) -> &'static str {
    let mut done = false;
    more::each_instruction(&mut kernel, &mut |op| done = done || change(op));
    assert!(done, "there was nothing to change");
    scope::assign(&mut kernel);
    rule(kernel)
}

fn changed_place(kernel: Kernel, mut change: impl FnMut(&mut Place) -> bool) -> &'static str {
    changed_op(kernel, |op| match op {
        Op::Leaf(Leaf::Load { place, .. } | Leaf::Store { place, .. }) => change(place),
        _ => false,
    })
}

fn groups(kernel: &mut Kernel) -> &mut Groups {
    match &mut kernel.body {
        Body::Groups(groups) => groups,
        Body::Map { .. } => panic!("the sample has groups"),
    }
}

fn region(kernel: &mut Kernel) -> &mut SourceRegion {
    match &mut kernel.body {
        Body::Map { region, .. } => region,
        Body::Groups(_) => panic!("the sample is a map"),
    }
}

fn phase(kernel: &mut Kernel, id: u32) -> &mut Phase {
    let mut nodes = groups(kernel).nodes.iter_mut();
    let found = nodes.find_map(|node| match node {
        Node::Phase(phase) if phase.id == PhaseId(id) => Some(phase),
        _ => None,
    });
    found.expect("the sample has this phase")
}
