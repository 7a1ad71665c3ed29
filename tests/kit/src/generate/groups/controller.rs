//! The controller: phases, trees, and the loops and conditions around them.

use super::super::{Maker, Ty};
use super::{Array, Elem, Family};

impl Maker {
    /// Something the group does together, or uniform work.
    pub(super) fn node(&mut self, depth: u32) {
        match self.below(if depth < 2 { 14 } else { 9 }) {
            0..=4 => self.phase(),
            5 | 6 => self.tree(),
            7 => self.assign(),
            8 => self.cursor(),
            9 | 10 => self.choice(depth),
            11 => self.counted_nodes(depth),
            12 => self.while_nodes(depth),
            _ => self.repeat_nodes(depth),
        }
    }

    fn choice(&mut self, depth: u32) {
        let cond = self.expr(Ty::Boolean, 2);
        self.line(&format!("if {cond} then"));
        self.nested(|m| m.node(depth + 1));
        if self.random.once_in(2) {
            self.line("else");
            self.nested(|m| m.node(depth + 1));
        }
        self.line("end");
    }

    fn counted_nodes(&mut self, depth: u32) {
        let turn = self.fresh();
        let ty = match self.below(3) {
            0 => {
                let limit = self.fresh();
                self.line(&format!("local {limit} = u32.min(n, 3)"));
                self.line(&format!("for {turn} = 0, {limit} - 1 do"));
                Ty::Unsigned
            }
            1 => {
                self.line(&format!("for {turn} = 1, i32.min(k, 2) do"));
                Ty::Signed
            }
            _ => {
                let last = self.below(3);
                self.line(&format!("for {turn} = 0, {last} do"));
                Ty::Signed
            }
        };
        self.nested(|m| {
            m.scope.push((turn, ty, true));
            m.turn(depth);
        });
        self.line("end");
    }

    fn while_nodes(&mut self, depth: u32) {
        let (counter, limit) = (self.fresh(), 1 + self.below(3));
        self.line(&format!("local {counter}: uint32 = 0"));
        let cond = self.expr(Ty::Boolean, 1);
        self.line(&format!("while {counter} < {limit} and {cond} do"));
        self.nested(|m| {
            m.line(&format!("{counter} = {counter} + 1"));
            m.scope.push((counter, Ty::Unsigned, false));
            m.turn(depth);
        });
        self.line("end");
    }

    fn repeat_nodes(&mut self, depth: u32) {
        let (counter, done, limit) = (self.fresh(), self.fresh(), 1 + self.below(2));
        self.line(&format!("local {counter}: uint32 = 0"));
        self.line("repeat");
        self.nested(|m| {
            m.line(&format!("{counter} = {counter} + 1"));
            m.line(&format!("local {done} = {counter} >= {limit}"));
            m.scope.push((counter, Ty::Unsigned, false));
            m.turn(depth);
        });
        self.line(&format!("until {done}"));
    }

    /// The inside of a controller's loop.
    fn turn(&mut self, depth: u32) {
        self.node(depth + 1);
        if self.random.once_in(3) {
            let cond = self.expr(Ty::Boolean, 1);
            let exits = ["break", "continue"];
            let exit = exits[self.below(2) as usize];
            self.line(&format!("if {cond} then {exit} end"));
        }
        if self.random.once_in(2) {
            self.node(depth + 1);
        }
    }

    /// Runs `inside` as the body of one phase, which the arrays' `written` describe.
    pub(super) fn in_phase(&mut self, inside: impl FnOnce(&mut Self)) {
        let names = ["lane", "localIndex", "localIndex", "localIndex"];
        let lane = names[self.below(4) as usize];
        self.of().lane = lane.into();
        self.line(&format!("phases:run(function({lane})"));
        let (scope, loops) = (self.scope.clone(), std::mem::take(&mut self.loops));
        for local in &mut self.scope {
            local.2 = false;
        }
        self.scope.push((lane.into(), Ty::Unsigned, false));
        self.indent += 1;
        inside(self);
        self.indent -= 1;
        (self.scope, self.loops) = (scope, loops);
        self.line("end)");
        for array in &mut self.of().arrays {
            array.written = None;
        }
    }

    /// Decides that the next phase writes this array, and how.
    fn choose(&mut self, at: usize) {
        let (size, count) = (self.size(), self.of().arrays[at].count);
        let most = (count / size).min(4);
        let family = if most >= 2 && self.random.once_in(2) {
            Family::Blocked(2 + self.below(most - 1))
        } else if count >= 4 && self.random.once_in(12) {
            Family::Blocked(2 + self.below(2))
        } else {
            Family::Strided
        };
        self.of().arrays[at].written = Some(family);
    }

    /// The first phase brings most arrays to what the spans hold.
    pub(super) fn filling(&mut self) {
        for at in 0..self.of().arrays.len() {
            if !self.random.once_in(5) {
                self.choose(at);
            }
        }
        self.in_phase(|m| {
            m.budget = 2;
            m.loads();
            for array in m.of().arrays.clone() {
                m.write(&array);
            }
            if m.random.once_in(2) {
                m.statement(1);
            }
        });
    }

    /// Locals with what the lane reads from the spans.
    fn loads(&mut self) {
        let (size, lane) = (self.size(), self.lane());
        let float = self.declare(Ty::Float, "0.25");
        let word = self.declare(Ty::Unsigned, "77");
        let cursor = self.fresh();
        let shift = u32::from(self.random.once_in(3));
        self.line(&format!(
            "local {cursor} = groupIndex * {size} + {lane} + {shift}"
        ));
        let guard = ["a", "b"][self.below(2) as usize];
        self.line(&format!("if {cursor} < #{guard} then"));
        self.line(&format!("    {float} = a[{cursor} + 1]"));
        self.line(&format!("    {word} = b[{cursor} + 1]"));
        self.line("end");
        if self.random.once_in(4) {
            self.line(&format!(
                "if {cursor} < #p then {float} = {float} + p[{cursor} + 1].left end"
            ));
        }
    }

    fn phase(&mut self) {
        let count = self.of().arrays.len();
        let chosen = self.below(count as u32) as usize;
        for at in 0..count {
            if at == chosen && !self.random.once_in(6) || self.random.once_in(6) {
                self.choose(at);
            }
        }
        self.in_phase(|m| {
            m.budget = 4;
            let float = m.expr(Ty::Float, 1);
            m.declare(Ty::Float, &float);
            if m.random.once_in(2) {
                let word = m.expr(Ty::Unsigned, 1);
                m.declare(Ty::Unsigned, &word);
            }
            for _ in 0..1 + m.below(2) {
                m.slot_read();
            }
            if m.random.once_in(3) {
                m.statement(0);
            }
            m.slot_write();
            if m.random.once_in(4) {
                m.slot_write();
            }
            if m.random.once_in(6) {
                let span = m.below(4) as usize;
                m.store_span(span);
            }
        });
    }

    fn tree(&mut self) {
        let mut fit = self.of().arrays.clone();
        fit.retain(|a| a.count.is_power_of_two() && a.elem != Elem::Pair);
        if fit.is_empty() {
            return self.phase();
        }
        let array = fit[self.below(fit.len() as u32) as usize].clone();
        let name = &array.name;
        match self.below(8) {
            0 | 1 => self.line(&format!("phases:reduceSum({name})")),
            2 => self.line(&format!("phases:reduceMin({name})")),
            3 => self.line(&format!("phases:reduceMax({name})")),
            4 => self.reduce_with(&array),
            5 => self.line(&format!("phases:exclusiveScan({name})")),
            _ => {
                let like = |other: &&Array| {
                    other.name != *name && (other.elem, other.count) == (array.elem, array.count)
                };
                match fit.iter().find(like) {
                    Some(other) if !self.random.once_in(4) => {
                        self.line(&format!("phases:inclusiveScan({name}, {})", other.name));
                    }
                    _ => self.line(&format!("phases:inclusiveScan({name})")),
                }
            }
        }
    }

    fn reduce_with(&mut self, array: &Array) {
        let Elem::Scalar(ty) = array.elem else {
            return;
        };
        let (u, v) = (self.fresh(), self.fresh());
        self.line(&format!("phases:reduce({}, function({u}, {v})", array.name));
        let scope = self.scope.clone();
        for local in &mut self.scope {
            local.2 = false;
        }
        self.scope.push((u.clone(), ty, true));
        self.scope.push((v.clone(), ty, true));
        self.indent += 1;
        if self.random.once_in(3) {
            let cond = self.expr(Ty::Boolean, 1);
            self.line(&format!("if {cond} then {u}, {v} = {v}, {u} end"));
        }
        let plus = self.combination(ty);
        let other = self.expr(ty, 1);
        self.line(&format!("return {u} {plus} ({v} {plus} {other})"));
        self.indent -= 1;
        self.scope = scope;
        self.line("end)");
    }

    /// What the arrays hold goes to the spans.
    pub(super) fn last_phase(&mut self) {
        self.in_phase(|m| {
            m.budget = 2;
            let (lane, arrays) = (m.lane(), m.of().arrays.clone());
            for array in &arrays {
                let (field, ty) = match array.elem {
                    Elem::Scalar(ty) => ("", ty),
                    Elem::Pair => (".left", Ty::Float),
                };
                let by = m.below(array.count);
                let index = format!("u32.mod({lane} + {by}, {})", array.count);
                m.declare(ty, &format!("{}[{index}]{field}", array.name));
            }
            m.store_span(0);
            let more = 1 + m.below(3) as usize;
            m.store_span(more);
            if m.random.once_in(2) {
                m.store_span(2);
            }
        });
    }
}
