//! One workgroup: its lanes, and which of them goes on next.

use super::code::{self, Callees, Code, Step};
use super::memory::{Memory, Who};
use super::{DeviceEvalError, Random};
use crate::device::ir::{Builtin, DeviceLeaf, Module};
use crate::ir::entity::Value;

/// Steps after which a workgroup counts as endless.
const MOST_STEPS: u64 = 1 << 32;

/// A lane that may stop at any step.
struct Lane {
    at: usize,
    values: Vec<u32>,
    /// Turns taken of each loop since it was entered.
    turns: Vec<u32>,
}

/// Where a lane stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// It may go on.
    Leaf,
    Barrier,
    End,
}

/// How lanes take turns between two barriers.
#[derive(Clone, Copy)]
enum Manner {
    /// One after the other, each as far as it goes.
    Whole,
    /// Any lane, a leaf at a time.
    Mixed,
}

pub(super) struct Group<'a> {
    module: &'a Module,
    code: &'a Code,
    callees: &'a Callees,
    words: &'a [u32],
    place: (u32, u32, u32),
    random: Random,
    lanes: Vec<Lane>,
    steps: u64,
}

impl<'a> Group<'a> {
    pub(super) fn new(
        module: &'a Module,
        code: &'a Code,
        callees: &'a Callees,
        words: &'a [u32],
        place: (u32, u32, u32),
        seed: u64,
    ) -> Self {
        let lane = |_| Lane {
            at: 0,
            values: vec![0; module.values.len()],
            turns: vec![0; code.loops],
        };
        let lanes = (0..module.size).map(lane).collect();
        Group {
            module,
            code,
            callees,
            words,
            place,
            random: Random(seed),
            lanes,
            steps: 0,
        }
    }

    pub(super) fn run(mut self, memory: &mut Memory<'_>) -> Result<(), DeviceEvalError> {
        loop {
            let stops = self.interval(memory)?;
            let ended = stops.iter().position(|stop| *stop == Stop::End);
            let waiting = stops.iter().position(|stop| *stop == Stop::Barrier);
            match (ended, waiting) {
                (_, None) => return Ok(()),
                (Some(lane), Some(other)) => return Err(self.divergence(lane, other)),
                (None, Some(_)) => self.meet()?,
            }
            memory.barrier();
        }
    }

    fn divergence(&self, lane: usize, other: usize) -> DeviceEvalError {
        let (lane, other) = (lane as u32, other as u32);
        DeviceEvalError::Divergence {
            lane,
            other,
            group: self.place.2,
        }
    }

    /// All lanes stand at a barrier: it must be the same one, in the same turns.
    fn meet(&mut self) -> Result<(), DeviceEvalError> {
        let first = &self.lanes[0];
        let Step::Barrier(around) = &self.code.steps[first.at] else {
            return Ok(());
        };
        let same = |lane: &Lane| {
            lane.at == first.at && around.iter().all(|&id| lane.turns[id] == first.turns[id])
        };
        if let Some(lane) = self.lanes.iter().position(|lane| !same(lane)) {
            return Err(self.divergence(lane, 0));
        }
        for lane in &mut self.lanes {
            lane.at += 1;
        }
        Ok(())
    }

    /// Runs all lanes to the next barrier or the end.
    fn interval(&mut self, memory: &mut Memory<'_>) -> Result<Vec<Stop>, DeviceEvalError> {
        let mut stops = vec![Stop::Leaf; self.lanes.len()];
        let manner = if self.random.below(2) == 0 {
            Manner::Whole
        } else {
            Manner::Mixed
        };
        let mut going = self.random.order(self.lanes.len() as u32);
        match manner {
            Manner::Whole => {
                for lane in going {
                    while stops[lane as usize] == Stop::Leaf {
                        stops[lane as usize] = self.go(lane, memory)?;
                    }
                }
            }
            Manner::Mixed => {
                while !going.is_empty() {
                    let at = self.random.below(going.len() as u32) as usize;
                    let lane = going[at];
                    let stop = self.go(lane, memory)?;
                    if stop != Stop::Leaf {
                        stops[lane as usize] = stop;
                        going.swap_remove(at);
                    }
                }
            }
        }
        Ok(stops)
    }

    /// Runs one lane past its next leaf, or to a barrier or the end.
    fn go(&mut self, number: u32, memory: &mut Memory<'_>) -> Result<Stop, DeviceEvalError> {
        let lane = &mut self.lanes[number as usize];
        loop {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return Err(DeviceEvalError::Endless {
                    group: self.place.2,
                    steps: self.steps,
                });
            }
            if let Some(next) =
                code::step(&self.code.steps, lane.at, &mut lane.values, self.callees)
            {
                lane.at = next;
                continue;
            }
            match &self.code.steps[lane.at] {
                Step::Enter(id) => lane.turns[*id] = 0,
                Step::Turn(id) => lane.turns[*id] = lane.turns[*id].wrapping_add(1),
                Step::Barrier(_) => return Ok(Stop::Barrier),
                Step::Leaf(result, leaf) => {
                    let who = Who {
                        lane: number,
                        group: self.place.2,
                        size: self.module.size,
                    };
                    let given =
                        access(self.module, self.words, self.place, who, leaf, lane, memory)?;
                    if let Some(result) = result {
                        lane.values[result.index()] = given;
                    }
                    lane.at += 1;
                    return Ok(Stop::Leaf);
                }
                _ => return Ok(Stop::End),
            }
            lane.at += 1;
        }
    }
}

/// Does a leaf and gives its value.
fn access(
    module: &Module,
    words: &[u32],
    place: (u32, u32, u32),
    who: Who,
    leaf: &DeviceLeaf,
    lane: &Lane,
    memory: &mut Memory<'_>,
) -> Result<u32, DeviceEvalError> {
    let of = |value: &Value| lane.values[value.index()];
    match leaf {
        DeviceLeaf::Builtin(Builtin::WorkgroupX) => Ok(place.0),
        DeviceLeaf::Builtin(Builtin::WorkgroupY) => Ok(place.1),
        DeviceLeaf::Builtin(Builtin::LocalIndex) => Ok(who.lane),
        DeviceLeaf::UniformWord(word) => Ok(words.get(*word as usize).copied().unwrap_or(0)),
        DeviceLeaf::BufferLoad { buffer, index } => memory.storage(who, *buffer, of(index), None),
        DeviceLeaf::BufferStore {
            buffer,
            index,
            value,
        } => memory.storage(who, *buffer, of(index), Some(of(value))),
        DeviceLeaf::BufferMax {
            buffer,
            index,
            value,
        } => memory.raise(who, *buffer, of(index), of(value)),
        DeviceLeaf::SharedLoad { array, index } => memory.shared(who, *array, of(index), None),
        DeviceLeaf::SharedStore {
            array,
            index,
            value,
        } => memory.shared(who, *array, of(index), Some(of(value))),
        DeviceLeaf::PrivateLoad { array, index } => {
            memory.private(module, who, *array, of(index), None)
        }
        DeviceLeaf::PrivateStore {
            array,
            index,
            value,
        } => memory.private(module, who, *array, of(index), Some(of(value))),
        // Done by `code::step`.
        DeviceLeaf::Barrier | DeviceLeaf::Call { .. } => Ok(0),
    }
}
