//! Prints what is known of a kernel: its shape, its bindings, what each access rests on, and how a
//! profile carries each of its operations.

use crate::device::ir::Module;
use crate::ir::flow::{Inst, LoopKind, Op, Region};
use crate::ir::kernel::{
    Access, Body, Elem, Groups, Kernel, Leaf, Node, NodeSeq, Repeat, Target, Tree,
};
use crate::ir::op::ScalarOp;
use crate::ir::place::{Certificate, Place};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The report of a kernel and, unless it is for the CPU only, of its module with the number of its
/// SPIR-V words.
pub fn report(kernel: &Kernel, module: Option<(&Module, usize)>) -> String {
    let mut seen = Seen::default();
    seen.body(&kernel.body);
    let mut out = String::new();
    let _ = writeln!(out, "kernel {}", kernel.name);
    shape(&mut out, kernel);
    parameters(&mut out, kernel);
    for guard in &kernel.guards {
        let message = guard.message.as_deref().unwrap_or("");
        let _ = writeln!(out, "  guard      {}  {message}", guard.text);
    }
    for (access, times) in &seen.accesses {
        let _ = writeln!(
            out,
            "  access     {}{}",
            named(kernel, access),
            times_text(*times)
        );
    }
    if seen.scatters > 0 {
        let _ = writeln!(out, "  scatter    distinctness: asserted by the author");
    }
    operations(&mut out, &seen, module.map(|(module, _)| module));
    if let Some((module, words)) = module {
        let of_groups = matches!(kernel.body, Body::Groups(_));
        module_lines(&mut out, (module, words), of_groups);
    }
    out
}

fn times_text(times: u32) -> String {
    if times == 1 {
        String::new()
    } else {
        format!("  ({times} times)")
    }
}

fn shape(out: &mut String, kernel: &Kernel) {
    let place = match kernel.target {
        Target::Gpu => "CPU and GPU",
        Target::Cpu => "CPU only",
    };
    let _ = writeln!(out, "  runs on    {place}");
    match &kernel.body {
        Body::Map { primary, .. } => {
            let primary = &kernel.spans[primary.index()].name;
            let _ = writeln!(out, "  shape      map, one lane an element of `{primary}`");
        }
        Body::Groups(groups) => {
            let span = &kernel.spans[groups.rule.span.index()].name;
            let round = if groups.rule.ceil { "ceil" } else { "floor" };
            let _ = writeln!(
                out,
                "  shape      workgroups of {} lanes, {round}(#{span} / {}) of them",
                groups.size, groups.rule.divisor
            );
            for array in &groups.scratch {
                let elem = elem_text(kernel, array.elem);
                let _ = writeln!(out, "  scratch    {}: {elem} × {}", array.name, array.count);
            }
        }
    }
}

fn parameters(out: &mut String, kernel: &Kernel) {
    for span in &kernel.spans {
        let access = match span.access {
            Access::Read => "borrows",
            Access::Write => "exclusive",
        };
        let _ = writeln!(
            out,
            "  span       {access} {}: {}",
            span.name,
            elem_text(kernel, span.elem)
        );
    }
    for uniform in &kernel.uniforms {
        let ty = elem_text(kernel, Elem::Scalar(uniform.ty));
        let _ = writeln!(out, "  uniform    {}: {ty}", uniform.name);
    }
}

fn elem_text(kernel: &Kernel, elem: Elem) -> String {
    use crate::ir::entity::Scalar;
    match elem {
        Elem::Scalar(Scalar::F32) => "float".into(),
        Elem::Scalar(Scalar::I32) => "int32".into(),
        Elem::Scalar(Scalar::U32) => "uint32".into(),
        Elem::Scalar(Scalar::Bool) => "boolean".into(),
        Elem::Struct(id) => kernel.structs[id.index()].name.clone(),
    }
}

fn operations(out: &mut String, seen: &Seen, module: Option<&Module>) {
    for (op, times) in &seen.ops {
        let name = op.name();
        let rests = match module {
            Some(module) if module.software.contains(&name) => "software, in integers",
            Some(_) if hardware_float(*op) => "the device's instruction, its result opaque",
            Some(_) if name.starts_with("f32.") => "integer code",
            Some(_) => "the device's integers",
            None => "Rust",
        };
        let _ = writeln!(out, "  operation  {name}: {rests}{}", times_text(*times));
    }
}

/// Operations for which a profile may use a float instruction.
fn hardware_float(op: ScalarOp) -> bool {
    use ScalarOp as O;
    matches!(
        op,
        O::F32Add
            | O::F32Sub
            | O::F32Mul
            | O::F32Div
            | O::F32Sqrt
            | O::F32Fma
            | O::F32Eq
            | O::F32Lt
            | O::F32Le
            | O::F32FromI32
            | O::F32FromU32
    )
}

fn module_lines(out: &mut String, (module, words): (&Module, usize), of_groups: bool) {
    let what = match (of_groups, module.covers) {
        (true, 1) => "group",
        (true, _) => "groups",
        (false, 1) => "element",
        (false, _) => "elements",
    };
    let _ = writeln!(out, "  profile    {}", module.profile);
    let _ = writeln!(out, "  module     {words} words of SPIR-V");
    let _ = writeln!(
        out,
        "  workgroup  {} hardware lanes, for {} {what} of the source",
        module.size, module.covers
    );
    let _ = writeln!(out, "  barriers   {}", module.barriers);
    let bytes: u32 = module.workgroup.iter().map(|array| 4 * array.len).sum();
    let _ = writeln!(out, "  memory     {bytes} bytes a workgroup");
    if module.register_bytes > 0 {
        let kept: u32 = module.private.iter().map(|array| 4 * array.len).sum();
        let _ = writeln!(
            out,
            "  registers  {} bytes a lane promoted, {kept} of them as arrays",
            module.register_bytes
        );
    }
}

/// What a kernel's body was seen to hold.
#[derive(Default)]
struct Seen {
    ops: BTreeMap<ScalarOp, u32>,
    /// Each access as text over the kernel's entities.
    accesses: BTreeMap<(String, u32), u32>,
    scatters: u32,
}

impl Seen {
    fn body(&mut self, body: &Body) {
        match body {
            Body::Map { region, .. } => self.region(region),
            Body::Groups(Groups { nodes, .. }) => nodes.iter().for_each(|node| self.node(node)),
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Inst(inst) => self.inst(inst),
            Node::Phase(phase) => self.region(&phase.region),
            Node::Tree(tree) => self.tree(tree),
            Node::Repeat(repeat) => self.repeat(repeat),
            Node::Select { then, els, .. } => {
                self.seq(then);
                self.seq(els);
            }
        }
    }

    fn tree(&mut self, tree: &Tree) {
        match &tree.combine {
            crate::ir::kernel::Combine::Op(op) => *self.ops.entry(*op).or_default() += 1,
            crate::ir::kernel::Combine::Region { region, .. } => self.region(region),
        }
    }

    fn repeat(&mut self, repeat: &Repeat) {
        if let LoopKind::While { cond, .. } = &repeat.kind {
            self.region(cond);
        }
        self.seq(&repeat.body);
    }

    fn seq(&mut self, seq: &NodeSeq) {
        seq.nodes.iter().for_each(|node| self.node(node));
    }

    fn region(&mut self, region: &Region<Leaf>) {
        region.insts.iter().for_each(|inst| self.inst(inst));
    }

    fn inst(&mut self, inst: &Inst<Leaf>) {
        match &inst.op {
            Op::Const(_) => {}
            Op::Scalar(op, _) => *self.ops.entry(*op).or_default() += 1,
            Op::Leaf(leaf) => self.leaf(leaf),
            Op::If { then, els, .. } => {
                self.region(then);
                self.region(els);
            }
            Op::Loop(whole) => {
                if let LoopKind::While { cond, .. } = &whole.kind {
                    self.region(cond);
                }
                self.region(&whole.body);
            }
        }
    }

    fn leaf(&mut self, leaf: &Leaf) {
        match leaf {
            Leaf::Uniform(_) | Leaf::Length(_) => {}
            Leaf::Load { place, .. } => self.access("read", place),
            Leaf::Store { place, .. } => self.access("write", place),
            Leaf::Scatter { span, proof, .. } => {
                self.scatters += 1;
                self.access_of(span.0, format!("write at a cursor, {}", reason(proof)));
            }
        }
    }

    fn access(&mut self, verb: &str, place: &Place) {
        match place {
            Place::Element {
                span,
                offset: 0,
                proof,
            } => {
                self.access_of(span.0, format!("{verb} at the index, {}", reason(proof)));
            }
            Place::Element {
                span,
                offset,
                proof,
            } => {
                self.access_of(
                    span.0,
                    format!("{verb} at the index {offset:+}, {}", reason(proof)),
                );
            }
            Place::Block {
                span,
                stride,
                proof,
                ..
            } => {
                self.access_of(
                    span.0,
                    format!("{verb} in a block of {stride}, {}", reason(proof)),
                );
            }
            Place::At { span, proof, .. } => {
                self.access_of(span.0, format!("{verb} at a cursor, {}", reason(proof)));
            }
            Place::GroupBlock {
                span,
                stride,
                proof,
                ..
            } => {
                self.access_of(
                    span.0,
                    format!("{verb} at group × {stride} + slot, {}", reason(proof)),
                );
            }
            Place::GroupSlot { span, lane, proof } => {
                self.access_of(
                    span.0,
                    format!("{verb} at the group by lane {lane}, {}", reason(proof)),
                );
            }
            Place::Own { .. } | Place::Slot { .. } => {}
        }
    }

    fn access_of(&mut self, span: u32, text: String) {
        *self.accesses.entry((text, span)).or_default() += 1;
    }
}

fn named(kernel: &Kernel, (text, span): &(String, u32)) -> String {
    format!("{}: {text}", kernel.spans[*span as usize].name)
}

/// Why an access is in bounds, in words.
fn reason(proof: &Certificate) -> String {
    match proof {
        Certificate::Const => "a constant below the length".into(),
        Certificate::Interval => "its range is inside".into(),
        Certificate::Cursor { facts } if facts.len() == 1 => "proved by a comparison".into(),
        Certificate::Cursor { facts } => format!("proved by {} comparisons", facts.len()),
        Certificate::Guard { chain } => {
            let numbers: Vec<String> = chain
                .iter()
                .map(|position| (position + 1).to_string())
                .collect();
            format!("proved by guard {}", numbers.join(", "))
        }
        Certificate::Primary => "bounded by the dispatch".into(),
        Certificate::All(parts) => parts.iter().map(reason).collect::<Vec<_>>().join(" and "),
    }
}
