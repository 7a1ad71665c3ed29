//! Makes random workgroup kernels as source text: scratch arrays of every element type and of counts
//! that fit the group or do not, phases that write one family and read what other lanes left,
//! trees, controllers, and one form of writing for each span.
//!
//! Every kernel has the signature of [`GROUP_SIGNATURE`]. What is made is accepted by construction:
//! a phase chooses first which arrays it writes, and in which family; it reads those at its own
//! slots only, and all others anywhere.

use super::{Maker, Ty};
use crate::random::Random;

mod controller;
mod elements;
mod slots;

/// The parameters of every generated workgroup kernel.
pub const GROUP_SIGNATURE: &str = "exclusive out: span.WriteSpan<float>, \
    exclusive words: span.WriteSpan<uint32>, exclusive sums: span.WriteSpan<float>, \
    exclusive marks: span.WriteSpan<int32>, borrows a: span.Span<float>, \
    borrows b: span.Span<uint32>, borrows g: span.Span<float>, borrows p: span.Span<Pair>, \
    x: float, n: uint32, k: int32";

/// What an array holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Elem {
    Scalar(Ty),
    Pair,
}

/// The slots of a lane in one phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    Strided,
    Blocked(u32),
}

#[derive(Clone, Debug)]
struct Array {
    name: String,
    elem: Elem,
    count: u32,
    /// How the current phase writes it, if it does.
    written: Option<Family>,
}

/// How the elements of a written span are named, in the whole kernel.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// `groupIndex * stride + localIndex + turn * size + 1`, turns below this number.
    Strided { turns: u32, stride: u32 },
    /// `groupIndex * stride + localIndex * each + j + 1`.
    Blocked { each: u32, stride: u32 },
    /// `groupIndex + 1`, by this lane.
    Lane(u32),
    /// Declared scatter at `groupIndex * size` and a rotation of the lane by this number.
    Scatter(u32),
}

/// What a workgroup kernel has beside a map's parts.
#[derive(Clone, Debug)]
pub(super) struct Group {
    size: u32,
    divisor: u32,
    ceil: bool,
    arrays: Vec<Array>,
    /// `out`, `words`, `sums`, `marks`.
    forms: [Form; 4],
    /// The name of the lane's number in the current phase.
    lane: String,
    scattered: bool,
}

const SIZES: [u32; 8] = [1, 2, 4, 8, 31, 32, 33, 64];

/// The source text of one block: a struct, helpers, and one workgroup kernel `kernel`.
pub fn group_kernel(seed: u64) -> String {
    let mut maker = Maker {
        random: Random::new(seed ^ 0x6772_6f75_7073),
        text: String::new(),
        indent: 0,
        scope: Vec::new(),
        names: 0,
        loops: 0,
        helpers: false,
        budget: 0,
        group: None,
    };
    maker.group_block();
    maker.text
}

impl Maker {
    fn below(&mut self, bound: u32) -> u32 {
        self.random.below(bound)
    }

    /// A workgroup kernel's own parts.
    ///
    /// # Panics
    /// In a map.
    fn of(&mut self) -> &mut Group {
        self.group.as_mut().expect("a workgroup kernel")
    }

    fn size(&mut self) -> u32 {
        self.of().size
    }

    fn lane(&mut self) -> String {
        self.of().lane.clone()
    }

    fn new_group(&mut self) -> Group {
        let size = SIZES[self.below(8) as usize];
        let divisor = match self.below(8) {
            0 => size * 2,
            1 => size + self.below(5),
            2..=4 => size * 4,
            _ => size,
        };
        let turns = 1 + self.below(3);
        let words = if self.random.once_in(2) {
            Form::Strided {
                turns,
                stride: size * turns,
            }
        } else {
            Form::Blocked {
                each: turns + 1,
                stride: size * (turns + 1),
            }
        };
        let lane = match self.below(3) {
            0 => self.below(size),
            1 => size - 1,
            _ => 0,
        };
        let marks = match self.below(4) {
            0 => Form::Scatter(self.below(size)),
            1 => Form::Lane(0),
            2 => Form::Strided {
                turns: 1,
                stride: size + 3,
            },
            _ => Form::Blocked {
                each: 2,
                stride: size * 2 + 1,
            },
        };
        let out = Form::Strided {
            turns: 1,
            stride: size,
        };
        Group {
            size,
            divisor,
            ceil: self.random.once_in(3),
            arrays: Vec::new(),
            forms: [out, words, Form::Lane(lane), marks],
            lane: String::new(),
            scattered: false,
        }
    }

    fn group_block(&mut self) {
        self.line("pub local struct Pair");
        self.line("    left: float");
        self.line("    right: uint32");
        self.line("end");
        self.helper();
        self.helpers = true;
        self.line("local function put(s: gpu.Scratch<float>, slot: uint32, value: float)");
        self.line("    s[slot] = value");
        self.line("end");
        self.group = Some(self.new_group());
        self.line("@aot(target = \"gpu\")");
        self.line(&format!(
            "pub local function kernel({GROUP_SIGNATURE}): nil"
        ));
        self.indent += 1;
        self.line("assert(#out == #a and #a == #b, \"a\")");
        self.relations();
        self.scope = vec![
            ("x".into(), Ty::Float, false),
            ("n".into(), Ty::Unsigned, false),
            ("k".into(), Ty::Signed, false),
        ];
        if self.random.once_in(2) {
            let init = self.expr(Ty::Float, 1);
            self.declare(Ty::Float, &init);
        }
        // Groups run in no order, so a controller assigns nothing of before it.
        for local in &mut self.scope {
            local.2 = false;
        }
        let Group {
            size,
            divisor,
            ceil,
            ..
        } = *self.of();
        let name = if ceil { "divCeil" } else { "div" };
        let mut rule = format!("u32.{name}(u32.wrap(#a), {divisor})");
        if self.random.once_in(2) {
            self.line(&format!("local groups = {rule}"));
            rule = "groups".into();
        }
        self.line(&format!(
            "gpu.workgroups({rule}, {size}, function(groupIndex, phases)"
        ));
        self.nested(Self::controller);
        self.line("end)");
        self.indent -= 1;
        self.line("end");
    }

    /// Where a group writes more elements than the divisor, only a relation of lengths keeps their
    /// numbers within uint32, and with them the groups apart.
    fn relations(&mut self) {
        let Group {
            divisor,
            ref mut ceil,
            forms,
            ..
        } = *self.of();
        let spans = ["out", "words", "sums", "marks"];
        let mut lines = Vec::new();
        for (name, form) in spans.into_iter().zip(forms) {
            let (Form::Strided { stride, .. } | Form::Blocked { stride, .. }) = form else {
                continue;
            };
            if stride > divisor {
                *ceil = false;
                let times = stride.div_ceil(divisor);
                lines.push(format!("assert({times} * #a <= #{name})"));
            }
        }
        for line in lines {
            self.line(&line);
        }
    }

    fn controller(&mut self) {
        self.scope.push(("groupIndex".into(), Ty::Unsigned, false));
        for number in 0..1 + self.below(3) {
            self.scratch(number);
        }
        for _ in 0..self.below(3) {
            let ty = self.scalar();
            let init = self.expr(ty, 1);
            self.declare(ty, &init);
        }
        self.filling();
        for _ in 0..1 + self.below(3) {
            self.node(0);
        }
        self.last_phase();
    }

    fn scratch(&mut self, number: u32) {
        let size = self.size();
        let elem = match self.below(7) {
            0..=2 => Elem::Scalar(Ty::Float),
            3 => Elem::Scalar(Ty::Signed),
            4 | 5 => Elem::Scalar(Ty::Unsigned),
            _ => Elem::Pair,
        };
        let count = match self.below(8) {
            0..=2 => size,
            3 | 4 => size * (2 + self.below(3)),
            5 => 1 + self.below(2 * size + 3),
            6 => size.next_power_of_two() * 2,
            _ => size.next_power_of_two(),
        };
        let initial = match elem {
            Elem::Scalar(ty @ (Ty::Float | Ty::Boolean)) => self.literal(ty),
            Elem::Scalar(ty) => {
                let module = if ty == Ty::Signed { "i32" } else { "u32" };
                format!("{module}.wrap({})", self.literal(ty))
            }
            Elem::Pair => format!("Pair({}, 9)", self.literal(Ty::Float)),
        };
        let name = format!("s{number}");
        self.line(&format!(
            "local {name} = phases:scratch({initial}, {count})"
        ));
        self.of().arrays.push(Array {
            name,
            elem,
            count,
            written: None,
        });
    }
}
