//! An operation of one number on all 2^32 inputs.
//!
//! The inputs stay on the device: each block is the one before it plus a constant. A mathematical function's
//! results are hashed and compared with the hash of the right ones; where there is no hash or another
//! comes, and for every other operation, each result is compared with the operation's meaning.

use nupp_core::ir::op::ScalarOp;
use nupp_gpu::{RawBinding, Slot, SlotMut};
use nupp_ir::math::hash;
use nupp_testkit::operations;

use crate::run::{Route, Row, on_all, said};

/// Inputs of one block, which a device with little memory has room for several times over.
const BLOCK: usize = 1 << 24;

impl Route {
    /// All inputs of an operation of one number. Only the results are looked at, not their squares.
    pub fn all_inputs(&self, op: ScalarOp) -> Result<Row, String> {
        let right = match op {
            ScalarOp::Math(function) => hash::right(function),
            _ => None,
        };
        if right.is_some() && right == Some(self.hash(op)?) {
            return Ok(Row {
                tried: 1 << 32,
                ..Row::default()
            });
        }
        let mut row = Row::default();
        self.blocks(op, |first, given| {
            row.add(compare(op, first, given));
        })?;
        Ok(row)
    }

    fn hash(&self, op: ScalarOp) -> Result<u64, String> {
        let mut parts = Vec::new();
        self.blocks(op, |_, given| {
            let mut hashes = vec![0; given.len() / hash::PART];
            on_all(&mut hashes, |first, hashes| {
                for (hash, words) in hashes.iter_mut().zip(given.chunks(hash::PART).skip(first)) {
                    *hash = hash::part(words.iter().copied());
                }
            });
            parts.extend(hashes);
        })?;
        Ok(hash::whole(parts))
    }

    /// Hands over the results of block after block; the device works on the next one meanwhile.
    fn blocks(&self, op: ScalarOp, mut take: impl FnMut(u32, &[u32])) -> Result<(), String> {
        let buffer = || self.context.buffer::<u32>(BLOCK).map_err(said);
        let upload = |buffer, words: &[u32]| self.context.upload(buffer, words).map_err(said);
        let (inputs, outputs) = ([buffer()?, buffer()?], [buffer()?, buffer()?]);
        let (used, step, none) = (buffer()?, buffer()?, buffer()?);
        upload(&inputs[0], &(0..BLOCK as u32).collect::<Vec<_>>())?;
        upload(&step, &vec![BLOCK as u32; BLOCK])?;
        let (kernel, add) = (self.kernel(op)?, self.kernel(ScalarOp::U32Add)?);
        let bind = |turn: usize| -> Result<[RawBinding; 2], String> {
            let operation = kernel.bind(vec![
                SlotMut::from(&outputs[turn]).into(),
                SlotMut::from(&used).into(),
                Slot::from(&inputs[turn]).into(),
                Slot::from(&none).into(),
                Slot::from(&none).into(),
            ]);
            let next = add.bind(vec![
                SlotMut::from(&inputs[1 - turn]).into(),
                SlotMut::from(&used).into(),
                Slot::from(&inputs[turn]).into(),
                Slot::from(&step).into(),
                Slot::from(&none).into(),
            ]);
            Ok([operation.map_err(said)?, next.map_err(said)?])
        };
        let bindings = [bind(0)?, bind(1)?];
        let start = |turn: usize| -> Result<(), String> {
            for binding in &bindings[turn] {
                binding.dispatch(&[]).map_err(said)?;
            }
            let queued = self.context.enqueue_download(&outputs[turn]);
            queued.map_err(said)?;
            self.context.flush().map_err(said)
        };
        let mut words = vec![0; BLOCK];
        let blocks = (1_usize << 32) / BLOCK;
        start(0)?;
        for block in 0..blocks {
            self.context.synchronize_blocking().map_err(said)?;
            let read = self
                .context
                .read_downloaded(&outputs[block % 2], &mut words);
            read.map_err(said)?;
            if block + 1 < blocks {
                start((block + 1) % 2)?;
            }
            take((block * BLOCK) as u32, &words);
        }
        Ok(())
    }
}

/// The results of an operation at its inputs from the first on against its meaning, on all processors.
fn compare(op: ScalarOp, first: u32, given: &[u32]) -> Row {
    let mut rows = vec![Row::default(); given.len() / hash::PART];
    on_all(&mut rows, |part, rows| {
        for (n, row) in (part..).zip(rows) {
            let from = n * hash::PART;
            *row = compare_part(op, first + from as u32, &given[from..from + hash::PART]);
        }
    });
    let mut whole = Row::default();
    for row in rows {
        whole.add(row);
    }
    whole
}

fn compare_part(op: ScalarOp, first: u32, given: &[u32]) -> Row {
    let mut row = Row {
        tried: given.len() as u64,
        ..Row::default()
    };
    for (input, &given) in (first..=u32::MAX).zip(given) {
        let right = operations::value(op, [input, 0, 0]).0;
        if given != right {
            row.wrong += 1;
            row.example.get_or_insert_with(|| {
                format!("({input:#010x}) gave {given:#010x}, not {right:#010x}")
            });
        }
    }
    row
}
