//! Calls of a segment that do not depend on each other, as one loop over arrays of the lane.
//!
//! An unrolled loop over slots leaves a segment with dozens of operations, and the side that ordinary data
//! do not take would hold as many calls, each with its software operation once a driver's compiler puts
//! calls in. Here the operands are stored, one call is made in a loop, and the results are loaded. The
//! arrays are shared by all segments, since nothing is in them before or after.

use std::collections::HashMap;

use super::Rewrite;
use super::facts::ADDEND;
use super::plan::operands;
use super::segment::{Insts, Names};
use crate::device::ir::{ArrayDecl, DeviceLeaf, DeviceRegion, Module};
use crate::ir::entity::{FuncId, Scalar, Value};
use crate::ir::flow::{Inst, Loop, LoopKind, Op};
use crate::ir::op::ScalarOp;

/// Calls of one function from which on a loop is worth it.
const LEAST: usize = 8;

/// Arrays of the lane that loops of calls use.
#[derive(Clone, Copy)]
pub(super) struct Spill {
    /// How many private arrays there were before.
    first: u32,
    arrays: u32,
    len: u32,
}

impl Spill {
    pub(super) fn beside(arrays: &[ArrayDecl]) -> Spill {
        let first = arrays.len() as u32;
        let (arrays, len) = (0, 0);
        Spill { first, arrays, len }
    }

    /// Declares the arrays in the module, if any is used.
    pub(super) fn declare(self, module: &mut Module) {
        let declared = (0..self.arrays).map(|n| ArrayDecl {
            name: format!("operands{n}"),
            ty: Scalar::U32,
            len: self.len,
        });
        module.private.extend(declared);
    }

    /// The position of the array of an operand; results take the place of first operands.
    fn array(&mut self, operand: usize, calls: usize) -> u32 {
        let operand = operand as u32;
        self.arrays = self.arrays.max(operand + 1);
        self.len = self.len.max(calls as u32);
        self.first + operand
    }
}

/// A segment in the order in which its calls wait for each other.
pub(super) struct Levels<'m> {
    levels: Vec<Level<'m>>,
}

#[derive(Default)]
struct Level<'m> {
    plain: Vec<&'m Inst<DeviceLeaf>>,
    /// Calls of plain values and earlier levels, by function.
    calls: Vec<(FuncId, Vec<&'m Inst<DeviceLeaf>>)>,
}

impl<'m> Levels<'m> {
    pub(super) fn of(members: &'m [Inst<DeviceLeaf>]) -> Levels<'m> {
        let mut times: HashMap<Value, usize> = HashMap::new();
        let mut levels: Vec<Level<'m>> = Vec::new();
        for member in members {
            let ready = operands(member).iter().filter_map(|v| times.get(v)).max();
            let ready = ready.copied().unwrap_or(0);
            if levels.len() <= ready {
                levels.resize_with(ready + 1, Level::default);
            }
            let level = &mut levels[ready];
            let time = match &member.op {
                Op::Leaf(DeviceLeaf::Call { func, .. }) => {
                    match level.calls.iter_mut().find(|(known, _)| known == func) {
                        Some((_, calls)) => calls.push(member),
                        None => level.calls.push((*func, vec![member])),
                    }
                    ready + 1
                }
                Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) | Op::If { .. } | Op::Loop(_) => {
                    level.plain.push(member);
                    ready
                }
            };
            times.extend(member.results.iter().map(|&result| (result, time)));
        }
        Levels { levels }
    }

    /// Whether some calls are worth a loop.
    pub(super) fn roll(&self) -> bool {
        let mut calls = self.levels.iter().flat_map(|level| &level.calls);
        calls.any(|(_, calls)| calls.len() >= LEAST)
    }
}

impl Rewrite<'_, '_> {
    /// Appends a segment with its calls, many of one function in a loop; gives what holds where every
    /// result is a multiple of the least normal number.
    pub(super) fn rolled(
        &mut self,
        segment: &Levels<'_>,
        spill: &mut Spill,
        (names, insts): (&mut Names, &mut Insts),
    ) -> Value {
        let mut all = None;
        for level in &segment.levels {
            for member in &level.plain {
                self.copy(member, names, insts);
            }
            for (func, calls) in &level.calls {
                if calls.len() >= LEAST {
                    let holds = self.turn_by_turn(*func, calls, spill, (names, insts));
                    all = Some(self.both(all, holds, insts));
                    continue;
                }
                for call in calls {
                    self.copy(call, names, insts);
                    for result in names.all(&call.results) {
                        let holds = self.looked_at((result, ADDEND), insts);
                        all = Some(self.both(all, holds, insts));
                    }
                }
            }
        }
        self.truth(all, insts)
    }

    /// Calls of one function as a loop.
    fn turn_by_turn(
        &mut self,
        func: FuncId,
        calls: &[&Inst<DeviceLeaf>],
        spill: &mut Spill,
        (names, insts): (&mut Names, &mut Insts),
    ) -> Value {
        let (mut count, mut zeros) = (0, Vec::new());
        let mut places = Vec::with_capacity(calls.len());
        for (turn, call) in calls.iter().enumerate() {
            let index = self.constant(Scalar::U32, turn as u32, insts);
            places.push(index);
            let Some((_, operands)) = self.facts.guarded(call) else {
                continue;
            };
            count = operands.len();
            if let Op::Leaf(DeviceLeaf::Call { args, .. }) = &call.op {
                zeros = args[count..].to_vec();
            }
            for (n, &operand) in operands.iter().enumerate() {
                let array = spill.array(n, calls.len());
                let value = names.of(operand);
                insts.push(effect(DeviceLeaf::PrivateStore {
                    array,
                    index,
                    value,
                }));
            }
        }
        let (Some(&lo), Some(&hi)) = (places.first(), places.last()) else {
            return self.truth(None, insts);
        };
        let var = self.fresh(Scalar::U32);
        let (before, sound) = (self.truth(None, insts), self.fresh(Scalar::Bool));
        let mut turn = Insts::new();
        let mut args: Vec<Value> = (0..count)
            .map(|n| self.loaded((spill.array(n, calls.len()), var), &mut turn))
            .collect();
        args.append(&mut zeros);
        let value = self.fresh(Scalar::U32);
        turn.push(Inst {
            results: vec![value],
            op: Op::Leaf(DeviceLeaf::Call { func, args }),
        });
        let array = spill.array(0, calls.len());
        turn.push(effect(DeviceLeaf::PrivateStore {
            array,
            index: var,
            value,
        }));
        let holds = self.looked_at((value, ADDEND), &mut turn);
        let next = self.scalar(ScalarOp::BoolAnd, vec![sound, holds], &mut turn);
        let body = DeviceRegion {
            insts: turn,
            yields: vec![next],
        };
        let all = self.fresh(Scalar::Bool);
        insts.push(Inst {
            results: vec![all],
            op: Op::Loop(Box::new(Loop {
                kind: LoopKind::Counted { var, lo, hi },
                params: vec![sound],
                init: vec![before],
                body,
                breaks: false,
            })),
        });
        for (call, index) in calls.iter().zip(places) {
            let result = self.loaded((array, index), insts);
            names.extend(call.results.iter().map(|&known| (known, result)));
        }
        all
    }

    fn loaded(&mut self, (array, index): (u32, Value), insts: &mut Insts) -> Value {
        let value = self.fresh(Scalar::U32);
        insts.push(Inst {
            results: vec![value],
            op: Op::Leaf(DeviceLeaf::PrivateLoad { array, index }),
        });
        value
    }
}

fn effect(leaf: DeviceLeaf) -> Inst<DeviceLeaf> {
    Inst {
        results: Vec::new(),
        op: Op::Leaf(leaf),
    }
}
