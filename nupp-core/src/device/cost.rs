//! What the float arithmetic of a kernel costs under a profile.
//!
//! A census counts the operations that a profile decides on, those in loops more often. Its cost under
//! two profiles tells which of two forms of a module is the cheaper one; a kernel whose census is
//! empty is the same in all profiles. The unit is about one instruction on ordinary data: what a guard
//! or a refined sequence adds, and what a software operation takes. Only the order of sums
//! matters, so the figures are rough on purpose.

use super::profile::{Profile, Route};
use crate::ir::flow::{LoopKind, Op, Region};
use crate::ir::kernel::{Body, Combine, Kernel, Leaf, Node, Tree};
use crate::ir::op::ScalarOp;

/// An operation of which a profile says the route, in the order of [`Profile::routes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decided {
    Add,
    Mul,
    Fma,
    Div,
    Sqrt,
    Compare,
    FromInt,
}

/// How often a kernel asks for each operation that a profile decides on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    counts: [u64; 7],
    functions: u64,
}

/// How much more a loop's body counts than what stands before it, down to a depth.
const TURNS: u64 = 16;
const DEEPEST: u32 = 4;

/// Operations of a mathematical function, in the middle: sums, products and fused sums (which are
/// products and sums where there is no fused operation), and comparisons.
const FUNCTION: [(usize, u64); 4] = [
    (Decided::Add as usize, 40),
    (Decided::Mul as usize, 30),
    (Decided::Fma as usize, 15),
    (Decided::Compare as usize, 4),
];

/// A product's error without a fused operation: products and sums.
const DEKKER: u64 = 17;

impl Census {
    /// Counts the operations of a kernel.
    pub fn of(kernel: &Kernel) -> Census {
        let mut census = Census::default();
        match &kernel.body {
            Body::Map { region, .. } => census.region(region, 1),
            Body::Groups(groups) => {
                for node in &groups.nodes {
                    census.node(node, 1);
                }
            }
        }
        census
    }

    /// Whether nothing that the kernel computes depends on the device's float arithmetic, so that it
    /// needs no profile of its own.
    pub fn is_empty(&self) -> bool {
        *self == Census::default()
    }

    /// What the operations cost where they go these ways.
    pub fn cost(&self, profile: &Profile) -> u64 {
        let costs = costs(profile);
        let of = |&(at, count): &(usize, u64)| count * costs[at];
        // Without a fused operation functions are written without it.
        let fma = Decided::Fma as usize;
        let dekker = DEKKER * costs[Decided::Add as usize].max(costs[Decided::Mul as usize]);
        let function = FUNCTION.map(|(at, count)| match at == fma {
            true => count * costs[fma].min(dekker),
            false => of(&(at, count)),
        });
        let plain: u64 = (self.counts.iter().zip(costs))
            .map(|(count, cost)| count * cost)
            .sum();
        plain + self.functions * function.iter().sum::<u64>()
    }

    /// The routes that a profile has for the operations that the kernel asks for, functions
    /// included.
    pub fn routes(&self, profile: &Profile) -> Vec<(&'static str, Route)> {
        let mut asked = self.counts.map(|count| count > 0);
        if self.functions > 0 {
            for (at, _) in FUNCTION {
                asked[at] = true;
            }
        }
        let routes = profile.routes().into_iter().zip(asked);
        routes
            .filter_map(|(route, asked)| asked.then_some(route))
            .collect()
    }

    fn node(&mut self, node: &Node, times: u64) {
        match node {
            Node::Inst(inst) => self.op(&inst.op, times),
            Node::Phase(phase) => self.region(&phase.region, times),
            Node::Tree(Tree { combine, .. }) => match combine {
                Combine::Op(op) => self.scalar(*op, deeper(times)),
                Combine::Region { region, .. } => self.region(region, deeper(times)),
            },
            Node::Repeat(repeat) => {
                self.kind(&repeat.kind, deeper(times));
                for node in &repeat.body.nodes {
                    self.node(node, deeper(times));
                }
            }
            Node::Select { then, els, .. } => {
                for node in then.nodes.iter().chain(&els.nodes) {
                    self.node(node, times);
                }
            }
        }
    }

    fn region(&mut self, region: &Region<Leaf>, times: u64) {
        for inst in &region.insts {
            self.op(&inst.op, times);
        }
    }

    fn op(&mut self, op: &Op<Leaf>, times: u64) {
        match op {
            Op::Const(_) | Op::Leaf(_) => {}
            Op::Scalar(op, _) => self.scalar(*op, times),
            Op::If { then, els, .. } => {
                self.region(then, times);
                self.region(els, times);
            }
            Op::Loop(inner) => {
                self.kind(&inner.kind, deeper(times));
                self.region(&inner.body, deeper(times));
            }
        }
    }

    fn kind(&mut self, kind: &LoopKind<Leaf>, times: u64) {
        match kind {
            LoopKind::Counted { .. } => {}
            LoopKind::While { cond, .. } => self.region(cond, times),
        }
    }

    fn scalar(&mut self, op: ScalarOp, times: u64) {
        if let ScalarOp::Math(_) = op {
            self.functions = self.functions.saturating_add(times);
        }
        if let Some((_, decided)) = DECIDED.iter().find(|(known, _)| *known == op) {
            let count = &mut self.counts[*decided as usize];
            *count = count.saturating_add(times);
        }
    }
}

/// The weight of a loop's body.
fn deeper(times: u64) -> u64 {
    (times * TURNS).min(TURNS.pow(DEEPEST))
}

/// The operations that a profile decides on.
const DECIDED: [(ScalarOp, Decided); 11] = [
    (ScalarOp::F32Add, Decided::Add),
    (ScalarOp::F32Sub, Decided::Add),
    (ScalarOp::F32Mul, Decided::Mul),
    (ScalarOp::F32Fma, Decided::Fma),
    (ScalarOp::F32Div, Decided::Div),
    (ScalarOp::F32Sqrt, Decided::Sqrt),
    (ScalarOp::F32Eq, Decided::Compare),
    (ScalarOp::F32Lt, Decided::Compare),
    (ScalarOp::F32Le, Decided::Compare),
    (ScalarOp::F32FromI32, Decided::FromInt),
    (ScalarOp::F32FromU32, Decided::FromInt),
];

/// What each operation costs, in the order of [`Decided`].
fn costs(profile: &Profile) -> [u64; 7] {
    // The device's instruction; behind a guard; refined; in software.
    let table = [
        (profile.add, [2, 6, 6, 45]),
        (profile.mul, [2, 6, 6, 45]),
        (profile.fma, [2, 9, 9, 130]),
        (profile.div, [8, 14, 36, 90]),
        (profile.sqrt, [8, 12, 36, 90]),
        (profile.compare, [1, 1, 1, 9]),
        (profile.from_int, [1, 1, 1, 14]),
    ];
    table.map(|(route, costs)| {
        costs[match route {
            Route::Opaque => 0,
            Route::Guarded => 1,
            Route::Refined => 2,
            Route::Software => 3,
        }]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::samples;

    #[test]
    fn a_kernel_of_copies_has_nothing_to_decide() {
        let map = Census::of(&samples::map());
        assert!(!map.is_empty());
        assert!(map.counts[Decided::Fma as usize] > 0);
        assert_eq!(Census::default().cost(&Profile::INTEGER), 0);
        assert!(Census::default().routes(&Profile::INTEGER).is_empty());
    }

    #[test]
    fn what_is_asked_of_the_device_costs_least() {
        let function = crate::math::Function::ALL[0];
        let kernels = [
            samples::map(),
            samples::groups(),
            samples::function_map(function),
        ];
        for kernel in kernels {
            let census = Census::of(&kernel);
            let cost = |profile| census.cost(profile);
            assert!(cost(&Profile::DEVICE) > 0, "{}", kernel.name);
            for profile in Profile::ALL {
                assert!(cost(&Profile::DEVICE) <= cost(profile), "{}", kernel.name);
                assert!(cost(profile) <= cost(&Profile::INTEGER), "{}", kernel.name);
            }
        }
    }

    #[test]
    fn what_is_not_used_does_not_count() {
        let census = Census::of(&samples::groups());
        let refined = Profile {
            sqrt: Route::Refined,
            div: Route::Software,
            ..Profile::DEVICE
        };
        assert_eq!(census.cost(&refined), census.cost(&Profile::DEVICE));
        let names: Vec<_> = census.routes(&refined).iter().map(|r| r.0).collect();
        assert_eq!(names, ["add"]);
    }

    #[test]
    fn a_loop_outweighs_what_stands_before_it() {
        assert_eq!(deeper(1), 16);
        assert_eq!((0..9).fold(1, |times, _| deeper(times)), 65_536);
    }
}
