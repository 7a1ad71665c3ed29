//! Scratch: one family of writes an array and phase, and no cross-lane read while it is written.
//!
//! A refusal shows two concrete lanes and the slot they meet in, found by running the index of the
//! accesses for each lane.

use std::collections::HashMap;

use super::forms::Owned;
use super::world::{Root, World};
use nupp_core::eval::scalar::apply;
use nupp_core::ir::build::Def;
use nupp_core::ir::entity::{PhaseId, ScratchId, Value};
use nupp_core::ir::kernel::ScratchDecl;
use nupp_core::ir::place::Family;
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::span::SrcSpan;

/// What an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// A slot that belongs to the lane by shape.
    Own(Family),
    /// Some slot.
    Any,
}

/// One access of scratch.
#[derive(Clone, Debug)]
pub(crate) struct SlotUse {
    /// The phase or tree.
    pub phase: PhaseId,
    /// Where the phase stands.
    pub phase_at: SrcSpan,
    /// The array.
    pub array: ScratchId,
    /// Whether it writes.
    pub write: bool,
    /// What it touches.
    pub touch: Touch,
    /// The slot.
    pub index: Value,
    /// What is known there.
    pub facts: Vec<(Value, bool)>,
    /// Where.
    pub at: SrcSpan,
    /// The calls of helpers that led there.
    pub calls: Vec<SrcSpan>,
    /// As written.
    pub text: String,
    /// What to write, where more is known than its form.
    pub better: Option<String>,
    /// The local that the index reads instead of a number of the lane.
    pub hides: Option<(SrcSpan, String)>,
    /// What the phase calls its lane.
    pub lane: String,
}

impl SlotUse {
    fn owned(&self) -> Option<Owned> {
        match self.touch {
            Touch::Own(Family::Strided { .. }) => Some(Owned::Strided),
            Touch::Own(Family::Blocked { stride, .. }) => Some(Owned::Blocked(stride)),
            Touch::Any => None,
        }
    }
}

/// The kernel around the accesses.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    /// Its values.
    pub world: &'a World,
    /// Its arrays.
    pub scratch: &'a [ScratchDecl],
    /// Lanes a group.
    pub size: u32,
}

/// Refuses slots that more than one lane may touch in one phase.
pub(crate) fn check(scene: &Scene<'_>, uses: &[SlotUse]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut phases: Vec<(PhaseId, ScratchId)> = uses.iter().map(|u| (u.phase, u.array)).collect();
    phases.sort_unstable();
    phases.dedup();
    for (phase, array) in phases {
        let own: Vec<&SlotUse> = uses
            .iter()
            .filter(|u| u.phase == phase && u.array == array)
            .collect();
        check_phase(scene, &own, &mut found);
    }
    found
}

fn check_phase(scene: &Scene<'_>, uses: &[&SlotUse], found: &mut Vec<Diagnostic>) {
    let writes: Vec<&SlotUse> = uses.iter().copied().filter(|u| u.write).collect();
    let Some(first) = writes
        .iter()
        .find(|w| w.owned().is_some())
        .or(writes.first())
    else {
        return;
    };
    let family = first.owned();
    for write in &writes {
        if write.owned().is_none() {
            found.push(unowned(scene, write));
        } else if write.owned() != family {
            found.push(two_families(scene, first, write));
        }
    }
    for read in uses.iter().filter(|u| !u.write) {
        if read.owned().is_none() || family.is_some() && read.owned() != family {
            found.push(cross_read(scene, first, read));
        }
    }
}

fn finish(mut mistake: Diagnostic, of: &SlotUse) -> Diagnostic {
    mistake = mistake.note(Some(of.phase_at), "in this phase");
    for call in of.calls.iter().rev() {
        mistake = mistake.note(Some(*call), "in a helper called here");
    }
    mistake
}

fn unowned(scene: &Scene<'_>, write: &SlotUse) -> Diagnostic {
    let name = &scene.scratch[write.array.index()].name;
    let text = match meeting(scene, write, write) {
        Some((a, b, slot)) => {
            format!("lanes {a} and {b} both write `{name}[{slot}]` in one phase")
        }
        None => match foreign(scene, write) {
            Some((lane, slot)) if write.text == format!("{name}[{slot}]") => format!(
                "lane {lane} writes `{name}[{slot}]`, a slot that lane {} owns",
                slot % scene.size
            ),
            Some((lane, slot)) => format!(
                "lane {lane} writes `{name}[{slot}]` through `{}`, a slot that lane {} owns",
                write.text,
                slot % scene.size
            ),
            None => format!(
                "`{}` is not a slot that the lane owns by its shape",
                write.text
            ),
        },
    };
    let help = format!(
        "write `{name}[{lane}]`, `{name}[{lane} + k * {}]` or `{name}[{lane} * K + j]`; move the data \
         between lanes when it is read, in the next phase",
        scene.size,
        lane = write.lane,
    );
    let mut mistake = Diagnostic::new(Code::ScratchOwner, write.at, text);
    if let Some((at, note)) = &write.hides {
        mistake = mistake
            .note(Some(*at), note.clone())
            .help("give this local another name");
    } else {
        mistake = mistake.help(write.better.clone().unwrap_or(help));
    }
    finish(mistake, write)
}

fn two_families(scene: &Scene<'_>, first: &SlotUse, other: &SlotUse) -> Diagnostic {
    let name = &scene.scratch[first.array.index()].name;
    let text = match meeting(scene, first, other) {
        Some((a, b, slot)) => format!(
            "lanes {a} and {b} both write `{name}[{slot}]` in one phase, as `{}` and as `{}`",
            first.text, other.text
        ),
        None => format!(
            "`{name}` is written as `{}` and as `{}` in one phase",
            first.text, other.text
        ),
    };
    let help = "write each array in one way a phase: split the phase in two, or use two arrays";
    let mistake = Diagnostic::new(Code::ScratchFamilies, other.at, text)
        .note(Some(first.at), format!("written as `{}` here", first.text))
        .help(help);
    finish(mistake, other)
}

fn cross_read(scene: &Scene<'_>, write: &SlotUse, read: &SlotUse) -> Diagnostic {
    let name = &scene.scratch[read.array.index()].name;
    let text = match meeting(scene, write, read) {
        Some((a, b, slot)) => {
            format!("lane {b} reads `{name}[{slot}]`, which lane {a} writes in the same phase")
        }
        None => format!(
            "`{}` is not of a form that is proved to be a slot of the lane that reads it, and this phase \
             writes `{name}`",
            read.text
        ),
    };
    let mut help = format!(
        "end the phase after the write and read `{}` in the next one",
        read.text
    );
    if read.owned().is_none() && meeting(scene, write, read).is_none() {
        let form = match write.owned() {
            Some(Owned::Blocked(stride)) => format!(
                "`{name}[{} * {stride} + j]` with a loop variable `j` from 0 to {}",
                read.lane,
                stride - 1
            ),
            Some(Owned::Strided) | None => format!("`{name}[{}]`", read.lane),
        };
        help = format!("read it as {form}, or {help}");
    }
    let mistake = Diagnostic::new(Code::ScratchCross, read.at, text)
        .note(Some(write.at), format!("`{}` is written here", write.text))
        .help(help);
    finish(mistake, read)
}

/// Two lanes and a slot that `a` touches in the first and `b` in the second.
fn meeting(scene: &Scene<'_>, a: &SlotUse, b: &SlotUse) -> Option<(u32, u32, u32)> {
    let mut touched: HashMap<u32, u32> = HashMap::new();
    for lane in 0..scene.size {
        for slot in slots_of(scene, a, lane) {
            touched.entry(slot).or_insert(lane);
        }
    }
    (0..scene.size).find_map(|lane| {
        let slots = slots_of(scene, b, lane);
        slots.into_iter().find_map(|slot| {
            let other = *touched.get(&slot)?;
            (other != lane).then_some((other, lane, slot))
        })
    })
}

/// A lane that touches a slot of another, by the family `localIndex`.
fn foreign(scene: &Scene<'_>, of: &SlotUse) -> Option<(u32, u32)> {
    let count = scene.scratch[of.array.index()].count;
    (0..scene.size).find_map(|lane| {
        let slots = slots_of(scene, of, lane);
        let mut other = slots
            .into_iter()
            .filter(|s| *s < count && s % scene.size != lane);
        other.next().map(|slot| (lane, slot))
    })
}

/// Turns of one counted variable that are tried.
const MAX_TURNS: i64 = 16;

/// The slots an access may touch in one lane, as far as they follow from the lane number and from
/// counted variables with constant bounds.
fn slots_of(scene: &Scene<'_>, of: &SlotUse, lane: u32) -> Vec<u32> {
    let mut counted = Vec::new();
    collect_counted(scene.world, of.index, &mut counted, 64);
    counted.truncate(2);
    let mut runs: Vec<HashMap<Value, u32>> = vec![HashMap::new()];
    for (var, lo, hi) in counted {
        let last = hi.min(lo + MAX_TURNS - 1);
        runs = runs
            .into_iter()
            .flat_map(|run| {
                (lo..=last).map(move |n| {
                    let mut run = run.clone();
                    run.insert(var, n as u32);
                    run
                })
            })
            .collect();
    }
    let mut slots = Vec::new();
    for run in runs {
        let mut lane_run = LaneRun {
            world: scene.world,
            lane,
            run,
            budget: 4096,
        };
        let possible = of
            .facts
            .iter()
            .all(|(v, truth)| lane_run.value(*v).is_none_or(|bits| (bits != 0) == *truth));
        if possible && let Some(slot) = lane_run.value(of.index) {
            slots.push(slot);
        }
    }
    slots
}

fn collect_counted(world: &World, v: Value, found: &mut Vec<(Value, i64, i64)>, depth: u32) {
    if depth == 0 {
        return;
    }
    if let Def::Counted { lo, hi } = world.b.def(v)
        && let (Some(lo), Some(hi)) = (world.b.as_const(*lo), world.b.as_const(*hi))
    {
        let bounds = (v, i64::from(lo.bits as i32), i64::from(hi.bits as i32));
        if !found.contains(&bounds) {
            found.push(bounds);
        }
        return;
    }
    for operand in world.operands(v) {
        collect_counted(world, operand, found, depth - 1);
    }
}

/// Runs index arithmetic for one lane and one choice of counted variables.
struct LaneRun<'a> {
    world: &'a World,
    lane: u32,
    run: HashMap<Value, u32>,
    budget: u32,
}

impl LaneRun<'_> {
    fn value(&mut self, v: Value) -> Option<u32> {
        if let Some(known) = self.run.get(&v) {
            return Some(*known);
        }
        self.budget = self.budget.checked_sub(1)?;
        let world = self.world;
        let bits = match world.b.def(v) {
            Def::Const(c) => c.bits,
            Def::Scalar(op, args) => {
                let args: Option<Vec<u32>> = args.iter().map(|a| self.value(*a)).collect();
                apply(*op, &args?)
            }
            Def::External if world.roots.get(&v) == Some(&Root::Lane) => self.lane,
            Def::If { cond, then, els } => {
                let side = if self.value(*cond)? != 0 { *then } else { *els };
                self.value(side)?
            }
            Def::External
            | Def::Leaf
            | Def::LoopParam { .. }
            | Def::Counted { .. }
            | Def::LoopResult { .. } => return None,
        };
        self.run.insert(v, bits);
        Some(bits)
    }
}
