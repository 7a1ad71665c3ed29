//! Storage, workgroup and private words, and who has touched them.

use super::DeviceEvalError;
use crate::device::ir::Module;

/// Who touched a word since the last barrier, or in the whole dispatch.
#[derive(Clone, Copy, Debug, Default)]
struct Touched {
    writer: Option<u32>,
    reader: Option<u32>,
    /// A second reader, other than the first.
    other: Option<u32>,
}

impl Touched {
    /// Notes an access; gives a lane that it meets.
    fn note(&mut self, lane: u32, write: bool) -> Option<u32> {
        let differs = |who: Option<u32>| who.filter(|&who| who != lane);
        let met = if write {
            differs(self.writer)
                .or(differs(self.reader))
                .or(differs(self.other))
        } else {
            differs(self.writer)
        };
        if write {
            self.writer = Some(lane);
        } else if self.reader.is_none() {
            self.reader = Some(lane);
        } else if self.reader != Some(lane) {
            self.other = Some(lane);
        }
        met
    }
}

/// A workgroup array.
struct Array {
    name: String,
    words: Vec<Option<u32>>,
    touched: Vec<Touched>,
}

/// All memory that a workgroup sees.
pub(super) struct Memory<'a> {
    buffers: &'a mut [Vec<u32>],
    names: Vec<String>,
    /// Of written buffers only; accesses in one step never meet.
    touched: Vec<Vec<Touched>>,
    workgroup: Vec<Array>,
    /// A lane's arrays one after the other.
    private: Vec<Vec<Option<u32>>>,
}

/// Who accesses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Who {
    pub lane: u32,
    pub group: u32,
    /// Lanes a workgroup.
    pub size: u32,
}

impl<'a> Memory<'a> {
    pub(super) fn new(module: &Module, buffers: &'a mut [Vec<u32>]) -> Self {
        let pairs = module.buffers.iter().zip(buffers.iter());
        let touched = pairs.map(|(decl, words)| {
            if decl.write && !decl.atomic {
                vec![Touched::default(); words.len()]
            } else {
                Vec::new()
            }
        });
        let touched = touched.collect();
        Memory {
            names: module
                .buffers
                .iter()
                .map(|decl| decl.name.clone())
                .collect(),
            buffers,
            touched,
            workgroup: Vec::new(),
            private: Vec::new(),
        }
    }

    /// Workgroup and private memory without contents.
    pub(super) fn start_group(&mut self, module: &Module) {
        let array = |decl: &crate::device::ir::ArrayDecl| Array {
            name: decl.name.clone(),
            words: vec![None; decl.len as usize],
            touched: vec![Touched::default(); decl.len as usize],
        };
        self.workgroup = module.workgroup.iter().map(array).collect();
        let arrays = module
            .private
            .iter()
            .map(|decl| vec![None; decl.len as usize]);
        let lane: Vec<Vec<Option<u32>>> = arrays.collect();
        self.private = (0..module.size).flat_map(|_| lane.clone()).collect();
    }

    /// What was touched is settled.
    pub(super) fn barrier(&mut self) {
        for array in &mut self.workgroup {
            array.touched.fill(Touched::default());
        }
    }

    /// A word of a storage buffer, or its new contents.
    pub(super) fn storage(
        &mut self,
        who: Who,
        buffer: u32,
        index: u32,
        write: Option<u32>,
    ) -> Result<u32, DeviceEvalError> {
        let words = &mut self.buffers[buffer as usize];
        let name = &self.names[buffer as usize];
        let len = words.len();
        let Some(word) = words.get_mut(index as usize) else {
            return Err(bounds(name, len, index, who));
        };
        if let Some(touched) = self.touched[buffer as usize].get_mut(index as usize) {
            let lane = who.group * who.size + who.lane;
            if let Some(first) = touched.note(lane, write.is_some()) {
                return Err(race(name, index, first, lane, who));
            }
        }
        *word = write.unwrap_or(*word);
        Ok(*word)
    }

    /// Raises a word of a storage buffer and gives what it was.
    pub(super) fn raise(
        &mut self,
        who: Who,
        buffer: u32,
        index: u32,
        value: u32,
    ) -> Result<u32, DeviceEvalError> {
        let words = &mut self.buffers[buffer as usize];
        let len = words.len();
        let Some(word) = words.get_mut(index as usize) else {
            return Err(bounds(&self.names[buffer as usize], len, index, who));
        };
        let before = *word;
        *word = before.max(value);
        Ok(before)
    }

    /// An element of a workgroup array, or its new contents.
    pub(super) fn shared(
        &mut self,
        who: Who,
        array: u32,
        index: u32,
        write: Option<u32>,
    ) -> Result<u32, DeviceEvalError> {
        let array = &mut self.workgroup[array as usize];
        let len = array.words.len();
        let Some(word) = array.words.get_mut(index as usize) else {
            return Err(bounds(&array.name, len, index, who));
        };
        if let Some(first) = array.touched[index as usize].note(who.lane, write.is_some()) {
            return Err(race(&array.name, index, first, who.lane, who));
        }
        settle(word, write).ok_or_else(|| unwritten(&array.name, index, who))
    }

    /// An element of a private array, or its new contents.
    pub(super) fn private(
        &mut self,
        module: &Module,
        who: Who,
        array: u32,
        index: u32,
        write: Option<u32>,
    ) -> Result<u32, DeviceEvalError> {
        let name = &module.private[array as usize].name;
        let words = &mut self.private[who.lane as usize * module.private.len() + array as usize];
        let len = words.len();
        let Some(word) = words.get_mut(index as usize) else {
            return Err(bounds(name, len, index, who));
        };
        settle(word, write).ok_or_else(|| unwritten(name, index, who))
    }
}

/// Writes, or reads what was written.
fn settle(word: &mut Option<u32>, write: Option<u32>) -> Option<u32> {
    if write.is_some() {
        *word = write;
    }
    *word
}

fn bounds(name: &str, len: usize, index: u32, who: Who) -> DeviceEvalError {
    DeviceEvalError::Bounds {
        memory: name.to_owned(),
        len,
        index,
        lane: who.lane,
        group: who.group,
    }
}

fn race(name: &str, index: u32, first: u32, second: u32, who: Who) -> DeviceEvalError {
    DeviceEvalError::Race {
        memory: name.to_owned(),
        index,
        first,
        second,
        group: who.group,
    }
}

fn unwritten(name: &str, index: u32, who: Who) -> DeviceEvalError {
    DeviceEvalError::Unwritten {
        memory: name.to_owned(),
        index,
        group: who.group,
    }
}
