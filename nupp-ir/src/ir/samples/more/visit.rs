//! Changes the instructions of a kernel, for tests that break it.

use crate::ir::flow::{LoopKind, Op};
use crate::ir::kernel::{Body, Combine, Kernel, Leaf, Node, SourceRegion};

/// Applies a change to every instruction of a kernel, in order, inner ones after the one that
/// holds them: how tests break a kernel at one place.
pub fn each_instruction(kernel: &mut Kernel, change: &mut dyn FnMut(&mut Op<Leaf>)) {
    match &mut kernel.body {
        Body::Map { region, .. } => in_region(region, change),
        Body::Groups(groups) => in_nodes(&mut groups.nodes, change),
    }
}

fn in_nodes(nodes: &mut [Node], change: &mut dyn FnMut(&mut Op<Leaf>)) {
    for node in nodes {
        match node {
            Node::Inst(inst) => in_op(&mut inst.op, change),
            Node::Phase(phase) => in_region(&mut phase.region, change),
            Node::Tree(tree) => {
                if let Combine::Region { region, .. } = &mut tree.combine {
                    in_region(region, change);
                }
            }
            Node::Repeat(repeat) => in_nodes(&mut repeat.body.nodes, change),
            Node::Select { then, els, .. } => {
                in_nodes(&mut then.nodes, change);
                in_nodes(&mut els.nodes, change);
            }
        }
    }
}

fn in_region(region: &mut SourceRegion, change: &mut dyn FnMut(&mut Op<Leaf>)) {
    for inst in &mut region.insts {
        in_op(&mut inst.op, change);
    }
}

fn in_op(op: &mut Op<Leaf>, change: &mut dyn FnMut(&mut Op<Leaf>)) {
    change(op);
    match op {
        Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => {}
        Op::If { then, els, .. } => {
            in_region(then, change);
            in_region(els, change);
        }
        Op::Loop(inner) => {
            if let LoopKind::While { cond, .. } = &mut inner.kind {
                in_region(cond, change);
            }
            in_region(&mut inner.body, change);
        }
    }
}
