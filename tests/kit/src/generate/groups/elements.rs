//! Elements of written spans, each span in the one form that the kernel has for it.

use super::super::{Maker, Ty};
use super::Form;

const SPANS: [(&str, Ty); 4] = [
    ("out", Ty::Float),
    ("words", Ty::Unsigned),
    ("sums", Ty::Float),
    ("marks", Ty::Signed),
];

impl Maker {
    /// Writes an element of the span in this position.
    pub(super) fn store_span(&mut self, at: usize) {
        let (size, lane) = (self.size(), self.lane());
        let form = self.of().forms[at];
        match form {
            Form::Strided { turns, stride } => {
                let slot = match self.below(turns) {
                    0 => lane,
                    turn => format!("{lane} + {}", turn * size),
                };
                self.element(at, stride, &slot);
            }
            Form::Blocked { each, stride } => {
                let turn = self.below(each);
                self.element(at, stride, &format!("{lane} * {each} + {turn}"));
            }
            Form::Lane(only) => self.by_one_lane(at, only),
            Form::Scatter(by) => self.scatter(at, by),
        }
    }

    fn by_one_lane(&mut self, at: usize, only: u32) {
        let ((name, ty), lane) = (SPANS[at], self.lane());
        let value = self.expr(ty, 2);
        let cond = if self.random.once_in(2) {
            format!("{lane} == {only} and groupIndex < #{name}")
        } else {
            format!("groupIndex < #{name} and {lane} == {only}")
        };
        self.line(&format!("if {cond} then"));
        self.line(&format!("    {name}[groupIndex + 1] = {value}"));
        self.line("end");
    }

    /// One scatter a kernel, whose cursors are distinct: a rotation of the lanes of each group.
    fn scatter(&mut self, at: usize, by: u32) {
        if self.in_loop() || std::mem::replace(&mut self.of().scattered, true) {
            return;
        }
        let ((name, ty), size, lane) = (SPANS[at], self.size(), self.lane());
        let (value, cursor) = (self.expr(ty, 2), self.fresh());
        self.line(&format!(
            "local {cursor} = groupIndex * {size} + u32.mod({lane} + {by}, {size})"
        ));
        self.line(&format!("if {cursor} < #{name} then"));
        self.line(&format!("    {name}:scatter({cursor} + 1, {value})"));
        self.line("end");
    }

    /// Whether the controller may come here twice.
    fn in_loop(&self) -> bool {
        self.indent > 3
    }

    fn element(&mut self, at: usize, stride: u32, slot: &str) {
        let (name, ty) = SPANS[at];
        let value = self.expr(ty, 2);
        let group = self.of();
        let ruled = at == 0 && !group.ceil && stride <= group.divisor;
        let first = if stride == 1 && self.random.once_in(2) {
            "groupIndex".to_string()
        } else {
            format!("groupIndex * {stride}")
        };
        if ruled && !self.random.once_in(3) {
            self.line(&format!("{name}[{first} + {slot} + 1] = {value}"));
            return;
        }
        let cursor = self.fresh();
        self.line(&format!("local {cursor} = {first} + {slot}"));
        let value = if self.random.once_in(4) {
            let plus = self.combination(ty);
            format!("{name}[{cursor} + 1] {plus} {value}")
        } else {
            value
        };
        self.line(&format!("if {cursor} < #{name} then"));
        self.line(&format!("    {name}[{cursor} + 1] = {value}"));
        self.line("end");
    }
}
