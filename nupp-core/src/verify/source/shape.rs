//! Checks the structure: each value is defined once and before its uses, inside a region that
//! encloses them; operands, results and yields have the right number and types; leaves and places
//! stand only where their kind may; nothing nests too deeply or is too long.
//!
//! Afterwards every number in the body is in its table, so the later checks may index freely.

use super::ensure;
use crate::ir::entity::{PhaseId, Scalar, Value};
use crate::ir::flow::{Const, Loop, LoopKind, Op};
use crate::ir::kernel::{
    Body, Combine, Groups, GuardCond, Kernel, Leaf, Node, NodeSeq, Phase, Repeat, SourceInst,
    SourceRegion, Tree,
};
use crate::ir::op::ScalarOp;
use crate::limits::{MAX_DEPTH, MAX_INSTRUCTIONS};
use crate::verify::VerifyError;

mod leaves;
mod trees;

type Check = Result<(), VerifyError>;

/// Where an instruction stands, which decides what leaves it may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    Guard,
    Map,
    Controller,
    Phase,
    Combine,
}

pub fn check(kernel: &Kernel) -> Check {
    let mut shape = Shape {
        kernel,
        room: Room::Guard,
        groups: None,
        seen: vec![Seen::Never; kernel.values.len()],
        open: Vec::new(),
        depth: 0,
        instructions: 0,
        phases: 0,
    };
    for guard in &kernel.guards {
        if let GuardCond::Scalar(region) = &guard.cond {
            shape.block(|shape| {
                shape.region(region, &[Scalar::Bool])?;
                Ok(())
            })?;
        }
    }
    match &kernel.body {
        Body::Map { index, region, .. } => {
            shape.room = Room::Map;
            shape.define(*index, Scalar::U32)?;
            shape.region(region, &[])
        }
        Body::Groups(groups) => shape.groups(groups),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Never,
    Visible,
    Hidden,
}

struct Shape<'a> {
    kernel: &'a Kernel,
    room: Room,
    groups: Option<&'a Groups>,
    seen: Vec<Seen>,
    open: Vec<Value>,
    depth: usize,
    instructions: usize,
    phases: u32,
}

impl<'a> Shape<'a> {
    fn ty(&self, value: Value) -> Scalar {
        self.kernel.values[value.index()].ty
    }

    fn define(&mut self, value: Value, ty: Scalar) -> Check {
        let seen = self.seen.get(value.index()).copied();
        ensure!(seen.is_some(), "definitions", "{value} is in no table");
        ensure!(
            seen == Some(Seen::Never),
            "definitions",
            "{value} is defined twice"
        );
        ensure!(
            self.ty(value) == ty,
            "types",
            "{value} is {:?} and is defined as {ty:?}",
            self.ty(value)
        );
        self.seen[value.index()] = Seen::Visible;
        self.open.push(value);
        Ok(())
    }

    /// A use of a value, which has to be visible here.
    fn visible(&self, value: Value) -> Result<Scalar, VerifyError> {
        ensure!(
            self.seen.get(value.index()) == Some(&Seen::Visible),
            "definitions",
            "{value} is used where it is not defined"
        );
        Ok(self.ty(value))
    }

    fn expect(&self, value: Value, ty: Scalar) -> Check {
        let found = self.visible(value)?;
        ensure!(
            found == ty,
            "types",
            "{value} is {found:?} where {ty:?} is needed"
        );
        Ok(())
    }

    fn expect_all(&self, values: &[Value], types: &[Scalar], what: &str) -> Check {
        ensure!(
            values.len() == types.len(),
            "arity",
            "{what}: {} values where {} are needed",
            values.len(),
            types.len()
        );
        let mut pairs = values.iter().zip(types);
        pairs.try_for_each(|(&value, &ty)| self.expect(value, ty))
    }

    /// The types of values, each of which is visible.
    fn types(&self, values: &[Value]) -> Result<Vec<Scalar>, VerifyError> {
        values.iter().map(|&value| self.visible(value)).collect()
    }

    /// Checks something whose definitions are not visible after it.
    fn block(&mut self, inside: impl FnOnce(&mut Self) -> Check) -> Check {
        self.depth += 1;
        ensure!(self.depth <= MAX_DEPTH, "depth", "regions nest too deeply");
        let mark = self.open.len();
        inside(self)?;
        for value in self.open.drain(mark..) {
            self.seen[value.index()] = Seen::Hidden;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Instructions and yields, in the block that is open.
    fn region(&mut self, region: &'a SourceRegion, yields: &[Scalar]) -> Check {
        for inst in &region.insts {
            self.instruction(inst)?;
        }
        self.expect_all(&region.yields, yields, "a region's yields")
    }

    fn count(&mut self) -> Check {
        self.instructions += 1;
        ensure!(
            self.instructions <= MAX_INSTRUCTIONS,
            "length",
            "more than {MAX_INSTRUCTIONS} instructions"
        );
        Ok(())
    }

    fn instruction(&mut self, inst: &'a SourceInst) -> Check {
        self.count()?;
        match &inst.op {
            Op::Const(c) => {
                self.constant(*c)?;
                self.results(&inst.results, &[c.ty])
            }
            Op::Scalar(op, args) => {
                ensure!(
                    *op != ScalarOp::F32RawBits,
                    "types",
                    "{} is for devices",
                    op.name()
                );
                self.expect_all(args, op.args(), op.name())?;
                self.results(&inst.results, &[op.result()])
            }
            Op::Leaf(leaf) => {
                let ty = self.leaf(leaf)?;
                self.results(&inst.results, ty.as_slice())
            }
            Op::If { cond, then, els } => {
                self.expect(*cond, Scalar::Bool)?;
                let types = self.result_types(&inst.results)?;
                self.block(|shape| shape.region(then, &types))?;
                self.block(|shape| shape.region(els, &types))?;
                self.results(&inst.results, &types)
            }
            Op::Loop(inner) => self.loop_(inner, &inst.results),
        }
    }

    fn constant(&self, c: Const) -> Check {
        let whole = c.ty != Scalar::Bool || c.bits <= 1;
        ensure!(whole, "types", "a boolean constant of {}", c.bits);
        Ok(())
    }

    /// The declared types of values that are not defined yet.
    fn result_types(&self, results: &[Value]) -> Result<Vec<Scalar>, VerifyError> {
        let mut types = Vec::with_capacity(results.len());
        for &value in results {
            let info = self.kernel.values.get(value.index());
            match info {
                Some(info) => types.push(info.ty),
                None => ensure!(false, "definitions", "{value} is in no table"),
            }
        }
        Ok(types)
    }

    fn results(&mut self, results: &[Value], types: &[Scalar]) -> Check {
        ensure!(
            results.len() == types.len(),
            "arity",
            "an instruction has {} results where {} are needed",
            results.len(),
            types.len()
        );
        let mut pairs = results.iter().zip(types);
        pairs.try_for_each(|(&value, &ty)| self.define(value, ty))
    }

    fn loop_(&mut self, inner: &'a Loop<Leaf>, results: &[Value]) -> Check {
        let types = self.types(&inner.init)?;
        let yields = loop_yields(&types, inner.breaks);
        self.turn(&inner.kind, &inner.params, &types, |shape| {
            shape.region(&inner.body, &yields)
        })?;
        self.results(results, &types)
    }

    /// A turn of a loop: its variable, parameters and condition, then its body.
    fn turn(
        &mut self,
        kind: &'a LoopKind<Leaf>,
        params: &[Value],
        types: &[Scalar],
        body: impl FnOnce(&mut Self) -> Check,
    ) -> Check {
        match kind {
            LoopKind::Counted { var, lo, hi } => {
                let ty = self.visible(*lo)?;
                let counts = matches!(ty, Scalar::I32 | Scalar::U32);
                ensure!(counts, "types", "a loop counts from {lo}, a {ty:?}");
                self.expect(*hi, ty)?;
                self.block(|shape| {
                    shape.define(*var, ty)?;
                    shape.results(params, types)?;
                    body(shape)
                })
            }
            LoopKind::While { cond, .. } => self.block(|shape| {
                shape.results(params, types)?;
                shape.region(cond, &[Scalar::Bool])?;
                shape.block(body)
            }),
        }
    }

    fn groups(&mut self, groups: &'a Groups) -> Check {
        self.room = Room::Controller;
        self.groups = Some(groups);
        self.define(groups.group, Scalar::U32)?;
        self.nodes(&groups.nodes)?;
        ensure!(self.phases > 0, "phases", "the controller runs no phase");
        Ok(())
    }

    fn nodes(&mut self, nodes: &'a [Node]) -> Check {
        for node in nodes {
            match node {
                Node::Inst(inst) => self.instruction(inst)?,
                Node::Phase(phase) => self.phase(phase)?,
                Node::Tree(tree) => self.tree(tree)?,
                Node::Repeat(repeat) => self.repeat(repeat)?,
                Node::Select {
                    cond,
                    then,
                    els,
                    results,
                } => {
                    self.count()?;
                    self.expect(*cond, Scalar::Bool)?;
                    let types = self.result_types(results)?;
                    self.block(|shape| shape.sequence(then, &types))?;
                    self.block(|shape| shape.sequence(els, &types))?;
                    self.results(results, &types)?;
                }
            }
        }
        Ok(())
    }

    fn sequence(&mut self, seq: &'a NodeSeq, yields: &[Scalar]) -> Check {
        self.nodes(&seq.nodes)?;
        self.expect_all(&seq.yields, yields, "a sequence's yields")
    }

    fn repeat(&mut self, repeat: &'a Repeat) -> Check {
        self.count()?;
        let types = self.types(&repeat.init)?;
        let yields = loop_yields(&types, repeat.breaks);
        self.turn(&repeat.kind, &repeat.params, &types, |shape| {
            shape.sequence(&repeat.body, &yields)
        })?;
        self.results(&repeat.results, &types)
    }

    fn phase_number(&mut self, id: PhaseId) -> Check {
        ensure!(
            id.0 == self.phases,
            "phases",
            "{id} stands where p{} is due",
            self.phases
        );
        self.phases += 1;
        Ok(())
    }

    fn phase(&mut self, phase: &'a Phase) -> Check {
        self.phase_number(phase.id)?;
        self.room = Room::Phase;
        self.block(|shape| {
            shape.define(phase.local, Scalar::U32)?;
            shape.region(&phase.region, &[])
        })?;
        self.room = Room::Controller;
        Ok(())
    }

    fn tree(&mut self, tree: &'a Tree) -> Check {
        self.phase_number(tree.id)?;
        let ty = self.tree_arrays(tree)?;
        match &tree.combine {
            Combine::Op(op) => self.tree_op(tree, *op, ty),
            Combine::Region { params, region } => {
                self.tree_region(tree)?;
                self.room = Room::Combine;
                self.block(|shape| {
                    shape.results(params, &[ty, ty])?;
                    shape.region(region, &[ty])
                })?;
                self.room = Room::Controller;
                Ok(())
            }
        }
    }
}

/// What a loop's body yields.
fn loop_yields(types: &[Scalar], breaks: bool) -> Vec<Scalar> {
    let go_on = breaks.then_some(Scalar::Bool);
    go_on.into_iter().chain(types.iter().copied()).collect()
}
