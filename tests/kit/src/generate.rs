//! Makes random kernels as source text: expressions over every operation, ifs, loops with early
//! exits, cursors, index offsets, structs, helpers. Here are maps and their statements, in
//! `expressions` what is computed, in `groups` workgroup kernels.
//!
//! Every map has the signature of [`SIGNATURE`], so that one harness runs them all. What is made
//! is accepted by construction: an access stands under the condition that proves it. The kernels are
//! small, because software drivers take seconds over a long straight-line body.

use crate::random::Random;

mod expressions;
mod groups;
mod mutants;

pub use groups::{GROUP_SIGNATURE, group_kernel};
pub use mutants::mutant;

/// The parameters of every generated kernel.
pub const SIGNATURE: &str = "exclusive out: span.WriteSpan<float>, exclusive words: span.WriteSpan<uint32>, \
    borrows a: span.Span<float>, borrows b: span.Span<uint32>, borrows g: span.Span<float>, \
    borrows p: span.Span<Pair>, x: float, n: uint32, k: int32";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    Float,
    Unsigned,
    Signed,
    Boolean,
}

impl Ty {
    fn name(self) -> &'static str {
        match self {
            Ty::Float => "float",
            Ty::Unsigned => "uint32",
            Ty::Signed => "int32",
            Ty::Boolean => "boolean",
        }
    }
}

struct Maker {
    random: Random,
    text: String,
    indent: usize,
    /// Locals in scope: name, type, whether an assignment may touch it.
    scope: Vec<(String, Ty, bool)>,
    names: u32,
    loops: u32,
    helpers: bool,
    budget: i32,
    /// A workgroup kernel's arrays and forms; a map has none.
    group: Option<groups::Group>,
}

/// The source text of one block: a struct, helpers, and one kernel `kernel`.
pub fn map_kernel(seed: u64) -> String {
    let mut maker = Maker {
        random: Random::new(seed),
        text: String::new(),
        indent: 0,
        scope: Vec::new(),
        names: 0,
        loops: 0,
        helpers: false,
        budget: 0,
        group: None,
    };
    maker.block();
    maker.text
}

impl Maker {
    fn line(&mut self, text: &str) {
        self.text.push_str(&"    ".repeat(self.indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn block(&mut self) {
        self.line("pub local struct Pair");
        self.line("    left: float");
        self.line("    right: uint32");
        self.line("end");
        self.helper();
        self.helpers = true;
        self.line("@aot(target = \"gpu\")");
        self.line(&format!("pub local function kernel({SIGNATURE}): nil"));
        self.indent += 1;
        self.line("assert(#out == #words and #words == #a, \"a\")");
        self.line("assert(#b >= #out, \"b is shorter\")");
        self.line("assert(#b <= #out, \"b is longer\")");
        self.line("assert(#p == #b)");
        self.line("for index = 1, #out do");
        self.indent += 1;
        self.scope = vec![
            ("x".into(), Ty::Float, false),
            ("n".into(), Ty::Unsigned, false),
            ("k".into(), Ty::Signed, false),
            ("index".into(), Ty::Unsigned, false),
        ];
        self.budget = 14;
        self.locals();
        if self.random.once_in(4) {
            let cond = self.expr(Ty::Boolean, 2);
            self.line(&format!("if {cond} then out[index] = -0.0 continue end"));
        }
        let statements = 2 + self.random.below(4);
        for _ in 0..statements {
            self.statement(0);
        }
        let float = self.expr(Ty::Float, 3);
        self.line(&format!("out[index] = {float}"));
        let word = self.expr(Ty::Unsigned, 3);
        self.line(&format!("words[index] = {word}"));
        self.indent -= 1;
        self.line("end");
        self.indent -= 1;
        self.line("end");
    }

    fn helper(&mut self) {
        self.line("local function mixed(u: float, v: uint32): float");
        self.indent += 1;
        self.scope = vec![
            ("u".into(), Ty::Float, true),
            ("v".into(), Ty::Unsigned, true),
        ];
        self.budget = 3;
        if self.random.once_in(2) {
            let (cond, early) = (self.expr(Ty::Boolean, 2), self.expr(Ty::Float, 1));
            self.line(&format!("if {cond} then return {early} end"));
        }
        if self.random.once_in(2) {
            self.line("for turn = 1, 3 do");
            let (cond, early, next) = (
                self.expr(Ty::Boolean, 1),
                self.expr(Ty::Float, 1),
                self.expr(Ty::Float, 1),
            );
            self.line(&format!("    if {cond} then return {early} end"));
            self.line(&format!("    u = {next}"));
            self.line("end");
        }
        let result = self.expr(Ty::Float, 2);
        self.line(&format!("return {result}"));
        self.indent -= 1;
        self.line("end");
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("t{}", self.names)
    }

    fn declare(&mut self, ty: Ty, init: &str) -> String {
        let name = self.fresh();
        self.line(&format!("local {name}: {} = {init}", ty.name()));
        self.scope.push((name.clone(), ty, true));
        name
    }

    fn locals(&mut self) {
        self.declare(Ty::Float, "a[index]");
        self.declare(Ty::Unsigned, "b[index]");
        if self.random.once_in(2) {
            let name = self.fresh();
            self.line(&format!("local {name} = p[index]"));
            self.scope.push((format!("{name}.left"), Ty::Float, true));
            self.scope
                .push((format!("{name}.right"), Ty::Unsigned, true));
        }
        let init = self.expr(Ty::Signed, 1);
        self.declare(Ty::Signed, &init);
    }

    fn assignable(&mut self, ty: Ty) -> Option<String> {
        let names: Vec<&String> = self
            .scope
            .iter()
            .filter(|v| v.1 == ty && v.2)
            .map(|v| &v.0)
            .collect();
        if names.is_empty() {
            None
        } else {
            Some(names[self.random.below(names.len() as u32) as usize].clone())
        }
    }

    fn scalar(&mut self) -> Ty {
        [Ty::Float, Ty::Float, Ty::Unsigned, Ty::Signed][self.random.below(4) as usize]
    }

    /// Runs `inside` one level deeper and forgets the locals that it declared.
    fn nested(&mut self, inside: impl FnOnce(&mut Self)) {
        let scope = self.scope.len();
        self.indent += 1;
        inside(self);
        self.indent -= 1;
        self.scope.truncate(scope);
    }

    fn assign(&mut self) {
        let ty = self.scalar();
        let Some(first) = self.assignable(ty) else {
            return;
        };
        if self.random.once_in(5) {
            let other = self.scalar();
            if let Some(second) = self.assignable(other).filter(|second| *second != first) {
                let (e, f) = (self.expr(ty, 1), self.expr(other, 1));
                self.line(&format!("{first}, {second} = {e}, {f}"));
                return;
            }
        }
        let e = self.expr(ty, 2);
        self.line(&format!("{first} = {e}"));
    }

    fn statement(&mut self, depth: u32) {
        self.budget -= 1;
        if self.budget < 0 || depth > 2 {
            return self.assign();
        }
        match self.random.below(10) {
            0 => {
                let ty = self.scalar();
                let init = self.expr(ty, 2);
                self.declare(ty, &init);
            }
            1 | 2 => self.branch(depth),
            3 => self.counted(depth),
            4 => self.while_loop(depth),
            5 => self.repeat_loop(depth),
            6 => self.cursor(),
            7 if self.group.is_some() => self.slot_read(),
            7 => self.offsets(),
            8 if self.group.is_some() => self.slot_write(),
            _ => self.assign(),
        }
    }

    fn branch(&mut self, depth: u32) {
        let cond = self.expr(Ty::Boolean, 2);
        self.line(&format!("if {cond} then"));
        self.nested(|m| m.statement(depth + 1));
        if self.random.once_in(3) {
            let other = self.expr(Ty::Boolean, 1);
            self.line(&format!("elseif {other} then"));
            self.nested(|m| m.statement(depth + 1));
        }
        if self.random.once_in(2) {
            self.line("else");
            self.nested(|m| {
                m.statement(depth + 1);
                if m.loops > 0 && m.random.once_in(2) {
                    let exit = if m.random.once_in(2) {
                        "break"
                    } else {
                        "continue"
                    };
                    m.line(exit);
                }
            });
        }
        self.line("end");
    }

    fn counted(&mut self, depth: u32) {
        let name = self.fresh();
        let low = self.random.below(4) as i32 - 2;
        let high = if self.random.once_in(2) {
            (low + self.random.below(4) as i32 - 1).to_string()
        } else {
            "i32.min(k, 3)".to_string()
        };
        self.line(&format!("for {name} = {low}, {high} do"));
        self.loops += 1;
        self.nested(|m| {
            m.scope.push((name, Ty::Signed, true));
            m.statement(depth + 1);
            m.statement(depth + 1);
        });
        self.loops -= 1;
        self.line("end");
    }

    fn while_loop(&mut self, depth: u32) {
        let counter = self.fresh();
        self.line(&format!("local {counter}: uint32 = 0"));
        let cond = self.expr(Ty::Boolean, 1);
        let limit = 1 + self.random.below(5);
        self.line(&format!("while {counter} < {limit} and {cond} do"));
        self.loops += 1;
        self.nested(|m| {
            m.line(&format!("{counter} = {counter} + 1"));
            m.scope.push((counter.clone(), Ty::Unsigned, false));
            m.statement(depth + 1);
            m.statement(depth + 1);
        });
        self.loops -= 1;
        self.line("end");
    }

    fn repeat_loop(&mut self, depth: u32) {
        let counter = self.fresh();
        let done = self.fresh();
        let limit = 1 + self.random.below(4);
        self.line(&format!("local {counter}: uint32 = 0"));
        self.line("repeat");
        self.loops += 1;
        self.nested(|m| {
            m.line(&format!("{counter} = {counter} + 1"));
            m.line(&format!("local {done} = {counter} >= {limit}"));
            m.scope.push((done.clone(), Ty::Boolean, false));
            m.statement(depth + 1);
            m.statement(depth + 1);
        });
        self.loops -= 1;
        self.line(&format!("until {done}"));
    }

    fn cursor(&mut self) {
        let Some(target) = self.assignable(Ty::Float) else {
            return;
        };
        let start = self.expr(Ty::Unsigned, 1);
        let cursor = self.fresh();
        self.line(&format!("local {cursor}: uint32 = u32.mod({start}, 9)"));
        match self.random.below(4) {
            0 => {
                self.line(&format!(
                    "if {cursor} < #g then {target} = g[{cursor} + 1] else {target} = 0.5 end"
                ));
            }
            1 => {
                self.line(&format!(
                    "while {cursor} < #g and g[{cursor} + 1] > 0.25 do"
                ));
                self.line(&format!("    {target} = {target} + g[{cursor} + 1]"));
                self.line(&format!("    {cursor} = {cursor} + 1"));
                self.line("end");
            }
            2 => {
                self.line(&format!("if 2 <= #g and {cursor} < #g - 2 then"));
                self.line(&format!(
                    "    {target} = g[{cursor} + 1] - g[{cursor} + 3] * g[{cursor} + 2]"
                ));
                self.line("end");
            }
            _ => {
                self.line("for turn = 0, 3 do");
                self.line(&format!(
                    "    if {cursor} + 1 >= #g or {cursor} == 4294967295 then break end"
                ));
                self.line(&format!(
                    "    {target} = f32.max({target}, g[{cursor} + 2])"
                ));
                self.line(&format!("    {cursor} = {cursor} + 2"));
                self.line("end");
            }
        }
    }

    fn offsets(&mut self) {
        let Some(target) = self.assignable(Ty::Float) else {
            return;
        };
        match self.random.below(3) {
            0 => {
                self.line("if index > 1 and index < #a then");
                self.line(&format!(
                    "    {target} = a[index - 1] + a[index] * 2.0 + a[index + 1]"
                ));
                self.line("end");
            }
            1 => {
                self.line("if index > 3 then");
                self.line(&format!("    {target} = a[index - 3] - {target}"));
                self.line("end");
            }
            _ => {
                self.line("if index < #out then");
                self.line(&format!("    {target} = p[index + 1].left"));
                self.line("end");
            }
        }
    }
}
