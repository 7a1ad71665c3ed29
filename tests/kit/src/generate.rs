//! Makes random kernels as source text: expressions over every operation, ifs, loops with early
//! exits, cursors, index offsets, structs, helpers. Here are maps, in `groups` workgroup kernels.
//!
//! Every map has the signature of [`SIGNATURE`], so that one harness runs them all. What is made
//! is accepted by construction: an access stands under the condition that proves it. The kernels are
//! small, because software drivers take seconds over a long straight-line body.

use crate::random::Random;

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

    fn variable(&mut self, ty: Ty) -> Option<String> {
        let names: Vec<&String> = self
            .scope
            .iter()
            .filter(|v| v.1 == ty)
            .map(|v| &v.0)
            .collect();
        if names.is_empty() {
            None
        } else {
            Some(names[self.random.below(names.len() as u32) as usize].clone())
        }
    }

    fn literal(&mut self, ty: Ty) -> String {
        let floats = [
            "0.0",
            "-0.0",
            "1.0",
            "0.1",
            "-2.5",
            "1e-40",
            "3.0e38",
            "16777217.0",
            "0.333333343",
            "1e-20",
            "-1.0",
        ];
        let words = [
            "0",
            "1",
            "7",
            "31",
            "32",
            "255",
            "65536",
            "2147483648",
            "4294967295",
        ];
        let integers = [
            "0",
            "1",
            "-1",
            "5",
            "-31",
            "2147483647",
            "-2147483648",
            "1000",
        ];
        match ty {
            Ty::Float => self.random.pick(&floats).to_string(),
            Ty::Unsigned => self.random.pick(&words).to_string(),
            Ty::Signed => self.random.pick(&integers).to_string(),
            Ty::Boolean => self.random.pick(&["true", "false"]).to_string(),
        }
    }

    fn expr(&mut self, ty: Ty, depth: u32) -> String {
        if depth == 0 || self.random.once_in(5) {
            if !self.random.once_in(4)
                && let Some(name) = self.variable(ty)
            {
                return name;
            }
            return self.literal(ty);
        }
        match ty {
            Ty::Float => self.float(depth - 1),
            Ty::Unsigned => self.unsigned(depth - 1),
            Ty::Signed => self.signed(depth - 1),
            Ty::Boolean => self.boolean(depth - 1),
        }
    }

    /// An operand whose type needs no context: a variable or a compound, never a bare literal.
    fn operand(&mut self, ty: Ty, depth: u32) -> String {
        match self.variable(ty) {
            Some(name) if depth == 0 || self.random.once_in(2) => name,
            None if depth == 0 || ty == Ty::Boolean => match ty {
                Ty::Float => "f32.abs(0.75)".into(),
                Ty::Unsigned => "u32.wrap(9)".into(),
                Ty::Signed => "i32.wrap(-9)".into(),
                Ty::Boolean => "true".into(),
            },
            _ => match ty {
                Ty::Float => self.float(depth.saturating_sub(1)),
                Ty::Unsigned => self.unsigned(depth.saturating_sub(1)),
                Ty::Signed => self.signed(depth.saturating_sub(1)),
                Ty::Boolean => self.boolean(depth.saturating_sub(1)),
            },
        }
    }

    fn float(&mut self, d: u32) -> String {
        let f = |m: &mut Self| m.expr(Ty::Float, d);
        match self.random.below(24) {
            0..=2 => format!("({} + {})", f(self), f(self)),
            3..=4 => format!("({} - {})", f(self), f(self)),
            5..=7 => format!("({} * {})", f(self), f(self)),
            8 => format!("({} / {})", f(self), f(self)),
            9 => format!("f32.fma({}, {}, {})", f(self), f(self), f(self)),
            10 => format!("f32.sqrt({})", f(self)),
            11 => format!("f32.min({}, {})", f(self), f(self)),
            12 => format!("f32.max({}, {})", f(self), f(self)),
            13 => format!("f32.abs({})", f(self)),
            14 => format!("(-{})", self.operand(Ty::Float, d)),
            15 => {
                let name = self
                    .random
                    .pick(&["floor", "ceil", "trunc", "round"])
                    .to_string();
                format!("f32.{name}({})", f(self))
            }
            16 => format!("f32.copySign({}, {})", f(self), f(self)),
            17 => format!("f32.fromI32({})", self.expr(Ty::Signed, d)),
            18 => format!("f32.fromU32({})", self.expr(Ty::Unsigned, d)),
            19 => format!("f32.fromBits({})", self.expr(Ty::Unsigned, d)),
            20 => format!("f32.fromF16Bits(f32.toF16Bits({}))", f(self)),
            21 => format!("f32.fromBF16Bits(f32.toBF16Bits({}))", f(self)),
            22 if self.helpers => format!("mixed({}, {})", f(self), self.expr(Ty::Unsigned, d)),
            _ => {
                let cond = self.expr(Ty::Boolean, d);
                format!(
                    "gpu.select({cond}, {}, {})",
                    self.operand(Ty::Float, d),
                    f(self)
                )
            }
        }
    }

    fn unsigned(&mut self, d: u32) -> String {
        let u = |m: &mut Self| m.expr(Ty::Unsigned, d);
        match self.random.below(18) {
            0..=1 => {
                let op = self.random.pick(&["+", "-", "*"]).to_string();
                format!("({} {op} {})", self.operand(Ty::Unsigned, d), u(self))
            }
            2..=3 => {
                let op = self.random.pick(&["&", "|", "~"]).to_string();
                format!("({} {op} {})", self.operand(Ty::Unsigned, d), u(self))
            }
            4 => {
                let op = self.random.pick(&["<<", ">>"]).to_string();
                format!(
                    "({} {op} {})",
                    self.operand(Ty::Unsigned, d),
                    self.operand(Ty::Unsigned, d)
                )
            }
            5..=8 => {
                let names = [
                    "div",
                    "mod",
                    "min",
                    "max",
                    "divCeil",
                    "mulHigh",
                    "rotateLeft",
                    "rotateRight",
                ];
                let name = self.random.pick(&names).to_string();
                format!("u32.{name}({}, {})", u(self), u(self))
            }
            9..=10 => {
                let name = self
                    .random
                    .pick(&["popcount", "leadingZeros", "trailingZeros"])
                    .to_string();
                format!("u32.{name}({})", u(self))
            }
            11 => format!("f32.toBits({})", self.expr(Ty::Float, d)),
            12 => format!("u32.saturate({})", self.operand(Ty::Float, d)),
            13 => format!("u32.wrap({})", self.operand(Ty::Float, d)),
            14 => format!("u32.fromI32({})", self.expr(Ty::Signed, d)),
            15 => format!("f32.toF16Bits({})", self.expr(Ty::Float, d)),
            16 => format!("(~{})", self.operand(Ty::Unsigned, d)),
            _ => {
                let cond = self.expr(Ty::Boolean, d);
                format!(
                    "gpu.select({cond}, {}, {})",
                    self.operand(Ty::Unsigned, d),
                    u(self)
                )
            }
        }
    }

    fn signed(&mut self, d: u32) -> String {
        let i = |m: &mut Self| m.expr(Ty::Signed, d);
        match self.random.below(12) {
            0..=2 => {
                let op = self
                    .random
                    .pick(&["+", "-", "*", "&", "|", "~"])
                    .to_string();
                format!("({} {op} {})", self.operand(Ty::Signed, d), i(self))
            }
            3 => {
                let op = self.random.pick(&["<<", ">>"]).to_string();
                format!(
                    "({} {op} {})",
                    self.operand(Ty::Signed, d),
                    self.operand(Ty::Unsigned, d)
                )
            }
            4..=6 => {
                let name = self
                    .random
                    .pick(&["div", "mod", "min", "max", "mulHigh"])
                    .to_string();
                format!("i32.{name}({}, {})", i(self), i(self))
            }
            7 => format!("(-{})", self.operand(Ty::Signed, d)),
            8 => format!("i32.saturate({})", self.operand(Ty::Float, d)),
            9 => format!("i32.wrap({})", self.operand(Ty::Float, d)),
            10 => format!("i32.wrap({})", self.operand(Ty::Unsigned, d)),
            _ => {
                let cond = self.expr(Ty::Boolean, d);
                format!(
                    "gpu.select({cond}, {}, {})",
                    self.operand(Ty::Signed, d),
                    i(self)
                )
            }
        }
    }

    fn boolean(&mut self, d: u32) -> String {
        let compare = ["==", "~=", "<", "<=", ">", ">="];
        match self.random.below(10) {
            0..=3 => {
                let op = self.random.pick(&compare).to_string();
                format!(
                    "({} {op} {})",
                    self.operand(Ty::Float, d),
                    self.expr(Ty::Float, d)
                )
            }
            4..=5 => {
                let op = self.random.pick(&compare).to_string();
                let (left, right) = (self.scalar_integer(), self.scalar_integer());
                format!(
                    "({} {op} {})",
                    self.operand(left, d),
                    self.operand(right, d)
                )
            }
            6 => format!(
                "({} and {})",
                self.expr(Ty::Boolean, d),
                self.expr(Ty::Boolean, d)
            ),
            7 => format!(
                "({} or {})",
                self.expr(Ty::Boolean, d),
                self.expr(Ty::Boolean, d)
            ),
            8 => format!("(not {})", self.expr(Ty::Boolean, d)),
            _ => {
                let name = self.random.pick(&["isNaN", "isInf"]).to_string();
                format!("f32.{name}({})", self.expr(Ty::Float, d))
            }
        }
    }

    fn scalar_integer(&mut self) -> Ty {
        if self.random.once_in(2) {
            Ty::Unsigned
        } else {
            Ty::Signed
        }
    }
}
