//! What both printers of regions share: the kernel, the texts of its values, the output.

use super::ops;
use super::run::{Run, Uses};
use super::writer::Writer;
use crate::cpu::Plan;
use nupp_core::ir::entity::{Scalar, Scope, Value};
use nupp_core::ir::flow::{Inst, LoopKind, Op, Region};
use nupp_core::ir::kernel::{Body, Elem, GuardCond, Kernel, Leaf, Node, NodeSeq};
use nupp_core::ir::op::ScalarOp;

/// The body of a function under construction.
#[derive(Debug)]
pub struct Fun<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    /// Its plan.
    pub plan: &'k Plan,
    /// The path of the width's operations.
    pub isa: &'static str,
    /// The lines so far.
    pub out: Writer,
    /// The text of each value. A constant is its literal, a uniform or a length its parameter,
    /// and what a loop gives is the parameter that the loop leaves behind.
    pub names: Vec<String>,
    /// The runs of blocks of lanes.
    pub run: Run,
    fresh: u32,
    /// Of a value that goes up by one from lane to lane, modulo 2^32: what it is in the first
    /// lane of a block, which begins at `lane` (of a map) or `start` (of a group).
    firsts: Vec<Option<String>>,
    /// Whether the text of a value is a name of its own.
    named: Vec<bool>,
}

impl<'k> Fun<'k> {
    /// Prints a body until its runs know what they use of each other.
    pub fn settled(
        kernel: &'k Kernel,
        plan: &'k Plan,
        isa: &'static str,
        print: impl Fn(&mut Self),
    ) -> String {
        let mut known: Option<Uses> = None;
        loop {
            let mut fun = Fun::new(kernel, plan, isa);
            fun.run = Run::knowing(known.take());
            print(&mut fun);
            let (settled, seen) = (fun.run.settled(), fun.run.seen().clone());
            if settled {
                return fun.out.finish();
            }
            known = Some(seen);
        }
    }

    /// An empty body.
    pub fn new(kernel: &'k Kernel, plan: &'k Plan, isa: &'static str) -> Self {
        let mut fun = Fun {
            kernel,
            plan,
            isa,
            out: Writer::default(),
            names: (0..kernel.values.len()).map(|n| format!("v{n}")).collect(),
            run: Run::default(),
            fresh: 0,
            firsts: vec![None; kernel.values.len()],
            named: vec![true; kernel.values.len()],
        };
        for guard in &kernel.guards {
            if let GuardCond::Scalar(region) = &guard.cond {
                fun.name_region(region);
            }
        }
        match &kernel.body {
            Body::Map { index, region, .. } => {
                fun.names[index.index()] = "index".to_owned();
                fun.firsts[index.index()] = Some("rt::index(lane)".to_owned());
                fun.name_region(region);
            }
            Body::Groups(groups) => {
                fun.names[groups.group.index()] = "group".to_owned();
                fun.name_nodes(&groups.nodes);
            }
        }
        fun
    }

    fn name_nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Inst(inst) => self.name_inst(inst),
                Node::Phase(phase) => {
                    self.names[phase.local.index()] = "local".to_owned();
                    self.firsts[phase.local.index()] = Some("start".to_owned());
                    self.name_region(&phase.region);
                }
                Node::Tree(tree) => {
                    if let nupp_core::ir::kernel::Combine::Region { region, .. } = &tree.combine {
                        self.name_region(region);
                    }
                }
                Node::Repeat(repeat) => {
                    self.name_kind(&repeat.kind);
                    self.name_seq(&repeat.body);
                    self.alias(&repeat.results, &repeat.params);
                }
                Node::Select { then, els, .. } => {
                    self.name_seq(then);
                    self.name_seq(els);
                }
            }
        }
    }

    fn name_seq(&mut self, seq: &NodeSeq) {
        self.name_nodes(&seq.nodes);
    }

    fn name_region(&mut self, region: &Region<Leaf>) {
        for inst in &region.insts {
            self.name_inst(inst);
        }
    }

    fn name_kind(&mut self, kind: &LoopKind<Leaf>) {
        if let LoopKind::While { cond, .. } = kind {
            self.name_region(cond);
        }
    }

    fn name_inst(&mut self, inst: &Inst<Leaf>) {
        match &inst.op {
            Op::Const(c) => self.name_all(&inst.results, &ops::literal(*c)),
            Op::Leaf(Leaf::Uniform(id)) => self.name_all(&inst.results, &format!("u{}", id.0)),
            Op::Leaf(Leaf::Length(id)) => self.name_all(&inst.results, &format!("n{}", id.0)),
            Op::Scalar(op, args) => self.name_step(*op, args, &inst.results),
            Op::Leaf(_) => {}
            Op::If { then, els, .. } => {
                self.name_region(then);
                self.name_region(els);
            }
            Op::Loop(inner) => {
                self.name_kind(&inner.kind);
                self.name_region(&inner.body);
                self.alias(&inst.results, &inner.params);
            }
        }
    }

    /// Notes values that go up by one from lane to lane.
    fn name_step(&mut self, op: ScalarOp, args: &[Value], results: &[Value]) {
        let first = |v: &Value| self.firsts[v.index()].clone();
        let same = |v: &Value| (!self.is_lane(*v)).then(|| self.name(*v));
        let first = match (op, args) {
            (ScalarOp::U32Add | ScalarOp::I32Add, [a, b]) => match (first(a), first(b)) {
                (Some(first), _) => same(b).map(|by| format!("{first}.wrapping_add({by})")),
                (_, Some(first)) => same(a).map(|by| format!("{first}.wrapping_add({by})")),
                (None, None) => None,
            },
            (ScalarOp::U32Sub | ScalarOp::I32Sub, [a, b]) => first(a)
                .zip(same(b))
                .map(|(first, by)| format!("{first}.wrapping_sub({by})")),
            (ScalarOp::U32FromI32, [a]) => first(a).map(|first| format!("{first}.cast_unsigned()")),
            (ScalarOp::I32FromU32, [a]) => first(a).map(|first| format!("{first}.cast_signed()")),
            _ => None,
        };
        for result in results {
            self.firsts[result.index()].clone_from(&first);
        }
    }

    /// What a value that goes up by one from lane to lane is in the first lane of the block.
    pub fn first(&mut self, value: Value) -> Option<String> {
        let first = self.firsts[value.index()].clone()?;
        self.read_first();
        Some(first)
    }

    /// The same as a text, in code that begins at `start` itself.
    pub fn first_text(&self, value: Value) -> String {
        let found = self.firsts[value.index()].clone();
        found.unwrap_or_else(|| self.name(value))
    }

    /// Whether a value goes up by one from lane to lane, modulo 2^32.
    pub fn steps(&self, value: Value) -> bool {
        self.firsts[value.index()].is_some()
    }

    /// Whether the text of a value is a name rather than a literal.
    pub fn is_name(&self, value: Value) -> bool {
        self.named[value.index()]
    }

    fn name_all(&mut self, values: &[Value], text: &str) {
        for value in values {
            self.names[value.index()] = text.to_owned();
            self.named[value.index()] = false;
        }
    }

    fn alias(&mut self, results: &[Value], params: &[Value]) {
        for (result, param) in results.iter().zip(params) {
            self.names[result.index()] = self.names[param.index()].clone();
        }
    }

    /// The text of a value.
    pub fn name(&self, value: Value) -> String {
        self.names[value.index()].clone()
    }

    /// The texts of some values.
    pub fn all(&self, values: &[Value]) -> Vec<String> {
        values.iter().map(|&v| self.name(v)).collect()
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Scalar {
        self.kernel.values[value.index()].ty
    }

    /// Whether a value may differ between the lanes of a block.
    pub fn is_lane(&self, value: Value) -> bool {
        self.kernel.values[value.index()].scope == Scope::Lane
    }

    /// Whether a value is needed.
    pub fn live(&self, value: Value) -> bool {
        self.plan.live.value(value)
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    /// `.field` of an element, or nothing for a scalar.
    pub fn field(&self, elem: Elem, field: u32) -> String {
        match elem {
            Elem::Scalar(_) => String::new(),
            Elem::Struct(id) => {
                let decl = &self.kernel.structs[id.index()];
                format!(".{}", ops::ident(&decl.fields[field as usize].0))
            }
        }
    }

    /// The needed positions among some results, with each side's value.
    pub fn needed(&self, results: &[Value]) -> Vec<usize> {
        let positions = 0..results.len();
        positions.filter(|&i| self.live(results[i])).collect()
    }

    /// What a stored value looks like: NaN bits are settled where they become visible.
    pub fn gated(&self, ty: Scalar, text: &str) -> String {
        match ty {
            Scalar::F32 => format!("rt::gate({text})"),
            Scalar::I32 | Scalar::U32 | Scalar::Bool => text.to_owned(),
        }
    }
}

/// `a`, or `(a, b)`.
pub fn tuple(items: &[String]) -> String {
    match items {
        [one] => one.clone(),
        _ => format!("({})", items.join(", ")),
    }
}

/// What the next turn of a loop starts with: pairs of a parameter and its next value, where they
/// differ.
pub fn next_params(
    fun: &Fun<'_>,
    params: &[Value],
    yields: &[Value],
    breaks: bool,
) -> Vec<(Value, Value)> {
    let next = yields.get(usize::from(breaks)..).unwrap_or_default();
    let pairs = params.iter().copied().zip(next.iter().copied());
    pairs
        .filter(|&(param, next)| fun.live(param) && param != next)
        .collect()
}
