//! Slots of scratch: writes in one family, reads at own slots and anywhere.

use super::super::{Maker, Ty};
use super::{Array, Elem, Family};

impl Maker {
    /// A statement that writes an array of the current phase, or an assignment where it writes none.
    pub(in crate::generate) fn slot_write(&mut self) {
        let mut written = self.of().arrays.clone();
        written.retain(|array| array.written.is_some());
        if written.is_empty() {
            return self.assign();
        }
        let at = self.below(written.len() as u32) as usize;
        self.write(&written[at]);
    }

    /// Writes slots of `array` in the family of this phase.
    pub(super) fn write(&mut self, array: &Array) {
        match array.written {
            None => {}
            Some(Family::Strided) => self.write_strided(array),
            Some(Family::Blocked(each)) => {
                let lanes = array.count / each;
                let partial = lanes < self.size();
                if partial {
                    let lane = self.lane();
                    self.line(&format!("if {lane} < {lanes} then"));
                }
                if self.random.once_in(2) {
                    self.turns(each, |m, turn| {
                        let index = m.blocked(each, &turn);
                        m.store(array, &index);
                    });
                } else {
                    let turn = self.below(each).to_string();
                    let index = self.blocked(each, &turn);
                    self.store(array, &index);
                }
                if partial {
                    self.line("end");
                }
            }
        }
    }

    fn write_strided(&mut self, array: &Array) {
        let (size, lane) = (self.size(), self.lane());
        let (turns, rest) = (array.count / size, array.count % size);
        if turns == 0 || rest > 0 && self.random.once_in(2) {
            let index = self.strided(&turns.to_string(), Some(turns * size));
            self.line(&format!("if {lane} < {rest} then"));
            self.nested(|m| m.store(array, &index));
            self.line("end");
        } else if turns > 1 && self.random.once_in(2) {
            self.turns(turns, |m, turn| {
                let index = m.strided(&turn, None);
                m.store(array, &index);
            });
        } else {
            let turn = self.below(turns);
            let index = self.strided(&turn.to_string(), Some(turn * size));
            self.store(array, &index);
        }
    }

    /// A counted loop over `count` turns.
    fn turns(&mut self, count: u32, body: impl FnOnce(&mut Self, String)) {
        let turn = self.fresh();
        self.line(&format!("for {turn} = 0, {} do", count - 1));
        self.nested(|m| {
            let spelled = match m.below(4) {
                0 => format!("u32.fromI32({turn})"),
                1 => format!("u32.wrap({turn})"),
                _ => turn.clone(),
            };
            m.scope.push((turn, Ty::Signed, false));
            body(m, spelled);
        });
        self.line("end");
    }

    /// `localIndex + turn * size` in one of its spellings; `product` is its second part where that
    /// is a constant.
    fn strided(&mut self, turn: &str, product: Option<u32>) -> String {
        let (size, lane) = (self.size(), self.lane());
        if product == Some(0) && !self.random.once_in(4) {
            return lane;
        }
        match (self.below(5), product) {
            (0 | 1, Some(product)) => format!("{lane} + {product}"),
            (2, _) => format!("{turn} * {size} + {lane}"),
            (3, _) => format!("u32.add({lane}, u32.mul({turn}, {size}))"),
            _ => format!("{lane} + {turn} * {size}"),
        }
    }

    fn blocked(&mut self, each: u32, turn: &str) -> String {
        let lane = self.lane();
        match self.below(3) {
            0 => format!("u32.add(u32.mul({lane}, {each}), {turn})"),
            1 => format!("{turn} + {lane} * {each}"),
            _ => format!("{lane} * {each} + {turn}"),
        }
    }

    fn store(&mut self, array: &Array, index: &str) {
        let name = &array.name;
        match array.elem {
            Elem::Scalar(ty) => {
                let value = self.expr(ty, 2);
                if ty == Ty::Float && self.random.once_in(5) {
                    self.line(&format!("put({name}, {index}, {value})"));
                } else if self.random.once_in(5) {
                    self.line(&format!("{name}[{index}] = {name}[{index}] + {value}"));
                } else {
                    self.line(&format!("{name}[{index}] = {value}"));
                }
            }
            Elem::Pair => {
                let (left, right) = (self.expr(Ty::Float, 1), self.expr(Ty::Unsigned, 1));
                match self.below(4) {
                    0 => self.line(&format!("{name}[{index}].left = {left}")),
                    1 => self.line(&format!("{name}[{index}].right = {right}")),
                    _ => self.line(&format!("{name}[{index}] = Pair({left}, {right})")),
                }
            }
        }
    }

    /// Reads a slot into a new local, or into one that is there.
    pub(in crate::generate) fn slot_read(&mut self) {
        let count = self.of().arrays.len() as u32;
        let at = self.below(count) as usize;
        let array = self.of().arrays[at].clone();
        match array.written {
            Some(family) => self.read_own(&array, family),
            None => self.read_any(&array),
        }
    }

    /// Reads a slot of whatever lane.
    fn read_any(&mut self, array: &Array) {
        let (size, count, lane) = (self.size(), array.count, self.lane());
        let (field, ty) = self.field(array);
        let name = &array.name;
        let target = self.assignable(ty);
        match (self.below(12), target) {
            (0, Some(target)) => {
                let far = 1 + self.below(size);
                self.line(&format!("if {lane} >= {far} and {lane} < {count} then"));
                self.line(&format!("    {target} = {name}[{lane} - {far}]{field}"));
                self.line("end");
            }
            (1, Some(target)) => {
                let far = 1 + self.below(size);
                self.line(&format!("if {lane} + {far} < {count} then"));
                self.line(&format!("    {target} = {name}[{lane} + {far}]{field}"));
                self.line("end");
            }
            (2 | 3, Some(target)) => {
                let (turn, last) = (self.fresh(), self.below(count.min(4)));
                let index = if self.random.once_in(2) {
                    turn.clone()
                } else {
                    format!("u32.mod({lane} + {turn}, {count})")
                };
                let plus = self.combination(ty);
                self.line(&format!("for {turn} = 0, {last} do"));
                self.line(&format!(
                    "    {target} = {target} {plus} {name}[{index}]{field}"
                ));
                self.line("end");
            }
            _ => {
                let index = self.anywhere(count);
                self.declare(ty, &format!("{name}[{index}]{field}"));
            }
        }
    }

    /// An operator on numbers of this type.
    pub(super) fn combination(&mut self, ty: Ty) -> &'static str {
        let one = self.below(3) as usize;
        if ty == Ty::Float {
            ["+", "-", "*"][one]
        } else {
            ["+", "~", "*"][one]
        }
    }

    fn field(&mut self, array: &Array) -> (&'static str, Ty) {
        match array.elem {
            Elem::Scalar(ty) => ("", ty),
            Elem::Pair if self.random.once_in(2) => (".left", Ty::Float),
            Elem::Pair => (".right", Ty::Unsigned),
        }
    }

    fn read_own(&mut self, array: &Array, family: Family) {
        let (size, lane) = (self.size(), self.lane());
        let (field, ty) = self.field(array);
        let (index, lanes) = match family {
            Family::Strided => {
                let turns = array.count / size;
                let turn = self.below(turns.max(1));
                let index = self.strided(&turn.to_string(), Some(turn * size));
                (index, if turns == 0 { array.count } else { size })
            }
            Family::Blocked(each) => {
                let turn = self.below(each).to_string();
                (self.blocked(each, &turn), array.count / each)
            }
        };
        let slot = format!("{}[{index}]{field}", array.name);
        if lanes >= size {
            self.declare(ty, &slot);
        } else if let Some(target) = self.assignable(ty) {
            self.line(&format!("if {lane} < {lanes} then {target} = {slot} end"));
        }
    }

    /// An index with a static range below `count`.
    fn anywhere(&mut self, count: u32) -> String {
        let (size, lane) = (self.size(), self.lane());
        let c = self.below(count);
        match self.below(10) {
            0 => c.to_string(),
            1 => format!("u32.mod({lane} * {} + {c}, {count})", 1 + self.below(5)),
            2 if count >= size => format!("{} - {lane}", size - 1),
            3 => format!("u32.min({lane} + {c}, {})", count - 1),
            4 if count.is_power_of_two() => format!("({lane} + {c}) & {}", count - 1),
            5 => {
                let by = size.div_ceil(count) + self.below(3);
                format!("u32.div({lane}, {by})")
            }
            6 if count > 1 => {
                let inner = self.operand(Ty::Unsigned, 1);
                format!("u32.mod({inner}, {})", count - 1)
            }
            7 if count >= 2 * size => format!("{lane} * 2 + {}", self.below(2)),
            8 => {
                let bits = u32::BITS - (size - 1).leading_zeros();
                format!("{lane} >> {}", bits.saturating_sub(count.ilog2()))
            }
            _ => format!("u32.mod({lane} + {c}, {count})"),
        }
    }
}
