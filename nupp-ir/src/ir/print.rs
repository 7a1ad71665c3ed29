//! Prints Source IR as text.
//!
//! One instruction a line, entities by number (`v3 b1 u0 s0 p2`), each value with its type and
//! scope where it is defined. The text is for people and for tests that compare it; it is not read
//! back, so it may change. It prints unverified kernels too, whatever their numbers refer to.

use std::fmt::{self, Write};

use super::entity::{Scope, Value};
use super::flow::{Inst, LoopKind, Op, Region, Termination};
use super::kernel::{
    Access, Body, Combine, Groups, GuardCond, Kernel, Leaf, Node, NodeSeq, Repeat, Target, Tree,
    TreeKind,
};

mod leaf;

use leaf::{constant, elem, length_cond, list, print_leaf, scalar};

/// The text of a kernel.
pub fn print(kernel: &Kernel) -> String {
    let mut printer = Printer {
        kernel,
        out: String::new(),
        depth: 0,
    };
    printer.kernel();
    printer.out
}

struct Printer<'a> {
    kernel: &'a Kernel,
    out: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: impl fmt::Display) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        // Writing to a string does not fail.
        let _ = writeln!(self.out, "{text}");
    }

    fn block(&mut self, inside: impl FnOnce(&mut Self)) {
        self.depth += 1;
        inside(self);
        self.depth -= 1;
    }

    fn kernel(&mut self) {
        let kernel = self.kernel;
        let target = match kernel.target {
            Target::Gpu => "gpu",
            Target::Cpu => "cpu",
        };
        self.line(format_args!("kernel {} on {target}", kernel.name));
        self.block(|p| {
            p.tables();
            p.guards();
        });
        match &kernel.body {
            Body::Map {
                primary,
                index,
                region,
            } => {
                let index = self.defined(*index);
                self.line(format_args!("map {index} over {primary}"));
                self.block(|p| p.region(region));
            }
            Body::Groups(groups) => self.groups(groups),
        }
    }

    fn tables(&mut self) {
        let kernel = self.kernel;
        for (i, decl) in kernel.structs.iter().enumerate() {
            let fields = decl
                .fields
                .iter()
                .map(|(name, ty)| format!("{name}: {}", scalar(*ty)));
            let fields: Vec<String> = fields.collect();
            self.line(format_args!(
                "t{i} {} {{ {} }}",
                decl.name,
                fields.join(", ")
            ));
        }
        for (i, decl) in kernel.spans.iter().enumerate() {
            let access = match decl.access {
                Access::Read => "read",
                Access::Write => "write",
            };
            self.line(format_args!(
                "b{i} {access} {}: {}",
                decl.name,
                elem(decl.elem)
            ));
        }
        for (i, decl) in kernel.uniforms.iter().enumerate() {
            self.line(format_args!("u{i} {}: {}", decl.name, scalar(decl.ty)));
        }
    }

    fn guards(&mut self) {
        for (i, guard) in self.kernel.guards.iter().enumerate() {
            let message = guard.message.as_ref();
            let message = message.map_or(String::new(), |m| format!(", {m:?}"));
            match &guard.cond {
                GuardCond::Lengths(cond) => {
                    self.line(format_args!("guard {i}: {}{message}", length_cond(cond)));
                }
                GuardCond::Scalar(region) => {
                    self.line(format_args!("guard {i}{message}:"));
                    self.block(|p| p.region(region));
                }
            }
        }
    }

    fn groups(&mut self, groups: &Groups) {
        let (rule, size) = (groups.rule, groups.size);
        let way = if rule.ceil { "ceil" } else { "floor" };
        let group = self.defined(groups.group);
        self.line(format_args!(
            "groups {group} below {way}(#{} / {}) of {size} lanes",
            rule.span, rule.divisor
        ));
        self.block(|p| {
            for (i, decl) in groups.scratch.iter().enumerate() {
                let initial: Vec<String> = decl.initial.iter().map(|c| constant(*c)).collect();
                p.line(format_args!(
                    "s{i} {}: {} * {} = {}",
                    decl.name,
                    decl.count,
                    elem(decl.elem),
                    initial.join(", ")
                ));
            }
            p.nodes(&groups.nodes);
        });
    }

    /// A value where it is defined.
    fn defined(&self, value: Value) -> String {
        match self.kernel.values.get(value.index()) {
            Some(info) => {
                let scope = match info.scope {
                    Scope::Dispatch => "dispatch",
                    Scope::Group => "group",
                    Scope::Lane => "lane",
                };
                format!("{value}: {} {scope}", scalar(info.ty))
            }
            None => format!("{value}: ?"),
        }
    }

    fn defined_list(&self, values: &[Value]) -> String {
        let list: Vec<String> = values.iter().map(|&v| self.defined(v)).collect();
        list.join(", ")
    }

    /// `results = `, or nothing.
    fn results(&self, values: &[Value]) -> String {
        if values.is_empty() {
            String::new()
        } else {
            format!("{} = ", self.defined_list(values))
        }
    }

    fn region(&mut self, region: &Region<Leaf>) {
        for inst in &region.insts {
            self.instruction(inst);
        }
        self.yields(&region.yields);
    }

    fn yields(&mut self, values: &[Value]) {
        if !values.is_empty() {
            self.line(format_args!("yield {}", list(values)));
        }
    }

    fn instruction(&mut self, inst: &Inst<Leaf>) {
        let results = self.results(&inst.results);
        match &inst.op {
            Op::Const(c) => self.line(format_args!("{results}{}", constant(*c))),
            Op::Scalar(op, args) => {
                self.line(format_args!("{results}{} {}", op.name(), list(args)));
            }
            Op::Leaf(leaf) => self.line(format_args!("{results}{}", print_leaf(leaf))),
            Op::If { cond, then, els } => {
                self.line(format_args!("{results}if {cond}"));
                self.block(|p| p.region(then));
                if !els.insts.is_empty() || !els.yields.is_empty() {
                    self.line("else");
                    self.block(|p| p.region(els));
                }
            }
            Op::Loop(inner) => {
                let head = LoopHead {
                    kind: &inner.kind,
                    params: &inner.params,
                    init: &inner.init,
                    breaks: inner.breaks,
                    results: &inst.results,
                };
                self.loop_head(&head);
                self.block(|p| p.region(&inner.body));
            }
        }
    }

    fn loop_head(&mut self, head: &LoopHead<'_>) {
        let results = self.results(head.results);
        let breaks = if head.breaks { " breaks" } else { "" };
        let params = head.params.iter().zip(head.init);
        let params: Vec<String> = params
            .map(|(&param, init)| format!("{} from {init}", self.defined(param)))
            .collect();
        let params = if params.is_empty() {
            String::new()
        } else {
            format!(" with {}", params.join(", "))
        };
        match head.kind {
            LoopKind::Counted { var, lo, hi } => {
                let var = self.defined(*var);
                self.line(format_args!(
                    "{results}for {var} in {lo} ..= {hi}{params}{breaks}"
                ));
            }
            LoopKind::While { cond, class } => {
                let class = match class {
                    Termination::Variant => "variant",
                    Termination::Unproved => "unproved",
                };
                self.line(format_args!("{results}while {class}{params}{breaks}"));
                self.block(|p| p.region(cond));
                self.line("do");
            }
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Inst(inst) => self.instruction(inst),
                Node::Phase(phase) => {
                    let local = self.defined(phase.local);
                    self.line(format_args!("phase {} lane {local}", phase.id));
                    self.block(|p| p.region(&phase.region));
                }
                Node::Tree(tree) => self.tree(tree),
                Node::Repeat(repeat) => self.repeat(repeat),
                Node::Select {
                    cond,
                    then,
                    els,
                    results,
                } => {
                    let results = self.results(results);
                    self.line(format_args!("{results}select {cond}"));
                    self.block(|p| p.sequence(then));
                    self.line("else");
                    self.block(|p| p.sequence(els));
                }
            }
        }
    }

    fn sequence(&mut self, seq: &NodeSeq) {
        self.nodes(&seq.nodes);
        self.yields(&seq.yields);
    }

    fn repeat(&mut self, repeat: &Repeat) {
        self.loop_head(&LoopHead {
            kind: &repeat.kind,
            params: &repeat.params,
            init: &repeat.init,
            breaks: repeat.breaks,
            results: &repeat.results,
        });
        self.block(|p| p.sequence(&repeat.body));
    }

    fn tree(&mut self, tree: &Tree) {
        let kind = match tree.kind {
            TreeKind::Reduce => "reduce".to_owned(),
            TreeKind::InclusiveScan { temporary: None } => "inclusive scan".to_owned(),
            TreeKind::InclusiveScan {
                temporary: Some(other),
            } => format!("inclusive scan through {other}"),
            TreeKind::ExclusiveScan => "exclusive scan".to_owned(),
        };
        let head = format!("tree {} {kind} {}", tree.id, tree.array);
        match &tree.combine {
            Combine::Op(op) => self.line(format_args!("{head} by {}", op.name())),
            Combine::Region { params, region } => {
                let params = self.defined_list(params);
                self.line(format_args!("{head} by ({params})"));
                self.block(|p| p.region(region));
            }
        }
    }
}

/// The first line of a loop of either level.
struct LoopHead<'a> {
    kind: &'a LoopKind<Leaf>,
    params: &'a [Value],
    init: &'a [Value],
    breaks: bool,
    results: &'a [Value],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::samples::{self, more};

    const MAP: &str = "\
kernel sample_map on gpu
  b0 write output: f32
  b1 read input: f32
  b2 read cursors: u32
  b3 read table: f32
  u0 scale: f32
  guard 0: #b1 == #b0
  guard 1: #b2 == #b0
map v0: u32 lane over b0
  v1: f32 lane = load b1[index].0 {guard 0}
  v2: u32 lane = load b2[index].0 {guard 1}
  v3: f32 dispatch = u0
  v4: u32 dispatch = #b3
  v5: bool lane = u32.lt v2, v4
  v8: f32 lane = if v5
    v6: f32 lane = load b3[v2].0 {v5}
    yield v6
  else
    v7: f32 dispatch = f32 0.0 (0x00000000)
    yield v7
  v9: f32 lane = f32.fma v1, v3, v8
  v10: u32 dispatch = u32 7
  v11: u32 lane = u32.and v2, v10
  v12: u32 dispatch = u32 0
  v19: f32 lane, v20: u32 lane = while variant with v13: f32 lane from v9, v14: u32 lane from v12
    v15: bool lane = u32.lt v14, v11
    yield v15
  do
    v16: f32 lane = f32.fma v13, v3, v1
    v17: u32 dispatch = u32 1
    v18: u32 lane = u32.add v14, v17
    yield v16, v18
  store v19 to b0[index].0 {primary}
";

    #[test]
    fn a_map_prints_line_by_line() {
        assert_eq!(print(&samples::map()), MAP);
    }

    #[test]
    fn groups_print_their_rule_scratch_phases_and_tree() {
        let text = print(&samples::groups());
        for line in [
            "groups v0: u32 group below floor(#b0 / 256) of 256 lanes\n",
            "  s0 s: 256 * f32 = f32 0.0 (0x00000000)\n",
            "  phase p0 lane v3: u32 lane\n",
            "    v5: f32 lane = load b1[v4].0 {primary} {guard 0}\n",
            "    store v5 to s0[local + 0 * size].0\n",
            "  tree p1 reduce s0 by f32.add\n",
            "    store v8 to b0[group * 256 + local + 0 * size].0 {primary}\n",
        ] {
            assert!(text.contains(line), "{line}in\n{text}");
        }
    }

    #[test]
    fn different_samples_print_differently_and_end_their_last_line() {
        let texts: Vec<String> = more::all().iter().map(print).collect();
        for (i, text) in texts.iter().enumerate() {
            assert!(text.ends_with('\n'));
            assert!(text.lines().all(|line| line == line.trim_end()));
            assert!(!texts[..i].contains(text));
        }
    }

    #[test]
    fn a_value_of_no_table_still_prints() {
        let mut kernel = samples::map();
        kernel.values.clear();
        assert!(print(&kernel).contains("map v0: ? over b0"));
    }
}
