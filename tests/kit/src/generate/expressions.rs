//! Expressions of each type, over every operation and what is in scope.

use super::{Maker, Ty};

impl Maker {
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

    pub(super) fn literal(&mut self, ty: Ty) -> String {
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

    pub(super) fn expr(&mut self, ty: Ty, depth: u32) -> String {
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
    pub(super) fn operand(&mut self, ty: Ty, depth: u32) -> String {
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
            8 => {
                let (left, right) = (f(self), f(self));
                // A constant that divides by zero is refused.
                let zero = right.parse() == Ok(0.0_f32);
                format!("({left} / {})", if zero { "0.75" } else { &right })
            }
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
