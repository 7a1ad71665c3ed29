//! Whether every loop of a kernel is known to end.
//!
//! A driver may assume that loops end and draw conclusions about the code around one that does
//! not. Loops that count, or have a proved variant, end; for the others the bound that wgpu adds
//! stays. The answer is read off the representation that a module was made from.

use nupp_core::device::ir::Module;
use nupp_core::ir::flow::{LoopKind, Op, Region, Termination};
use nupp_core::ir::kernel::{Body, Combine, Kernel, Node, Tree};

/// Whether all loops of a module end, those of its functions included.
pub(crate) fn module_ends(module: &Module) -> bool {
    let functions = module.functions.iter().map(|function| &function.body);
    functions
        .chain(std::iter::once(&module.body))
        .all(region_ends)
}

/// Whether all loops of a kernel end; software operations are ours and do.
pub(crate) fn kernel_ends(kernel: &Kernel) -> bool {
    match &kernel.body {
        Body::Map { region, .. } => region_ends(region),
        Body::Groups(groups) => groups.nodes.iter().all(node_ends),
    }
}

fn node_ends(node: &Node) -> bool {
    match node {
        Node::Inst(inst) => op_ends(&inst.op),
        Node::Phase(phase) => region_ends(&phase.region),
        Node::Tree(Tree { combine, .. }) => match combine {
            Combine::Op(_) => true,
            Combine::Region { region, .. } => region_ends(region),
        },
        Node::Repeat(repeat) => kind_ends(&repeat.kind) && repeat.body.nodes.iter().all(node_ends),
        Node::Select { then, els, .. } => then.nodes.iter().chain(&els.nodes).all(node_ends),
    }
}

fn region_ends<L>(region: &Region<L>) -> bool {
    region.insts.iter().all(|inst| op_ends(&inst.op))
}

fn op_ends<L>(op: &Op<L>) -> bool {
    match op {
        Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => true,
        Op::If { then, els, .. } => region_ends(then) && region_ends(els),
        Op::Loop(inner) => kind_ends(&inner.kind) && region_ends(&inner.body),
    }
}

fn kind_ends<L>(kind: &LoopKind<L>) -> bool {
    match kind {
        LoopKind::Counted { .. } => true,
        LoopKind::While { cond, class } => match class {
            Termination::Variant => region_ends(cond),
            Termination::Unproved => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nupp_core::ir::entity::Value;
    use nupp_core::ir::flow::{Inst, Loop};
    use nupp_core::ir::kernel::Leaf;

    fn looping(kind: LoopKind<Leaf>) -> Region<Leaf> {
        Region {
            insts: vec![Inst {
                results: Vec::new(),
                op: Op::Loop(Box::new(Loop {
                    kind,
                    params: Vec::new(),
                    init: Vec::new(),
                    body: Region::default(),
                    breaks: false,
                })),
            }],
            yields: Vec::new(),
        }
    }

    fn testing(cond: Region<Leaf>, class: Termination) -> LoopKind<Leaf> {
        LoopKind::While { cond, class }
    }

    #[test]
    fn only_loops_that_count_or_have_a_variant_end() {
        let [var, lo, hi] = [Value(0), Value(1), Value(2)];
        let counted = looping(LoopKind::Counted { var, lo, hi });
        assert!(region_ends(&counted));
        assert!(region_ends(&looping(testing(
            counted.clone(),
            Termination::Variant
        ))));
        let endless = looping(testing(Region::default(), Termination::Unproved));
        assert!(!region_ends(&endless));
        // Also when it hides in a condition, or on one side of a branch.
        assert!(!region_ends(&looping(testing(
            endless.clone(),
            Termination::Variant
        ))));
        let branch = Op::If {
            cond: Value(0),
            then: counted,
            els: endless,
        };
        assert!(!op_ends(&branch));
    }
}
