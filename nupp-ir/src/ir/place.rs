//! Places: which element an access touches, and why that is in bounds.
//!
//! An address is not a bare integer. Where a proof is needed, the place carries the certificate
//! that the front end found; the verifier checks it, and a pass that cannot carry it on does not
//! apply. All indices here are zero-based (an authored `s[c + 1]` is `At` with value `c`).

use super::entity::{ScratchId, SpanId, Value};

/// What a load or store touches.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Element `index - 1 + offset` of a span in a map; `index` is the map's own.
    Element {
        /// The span.
        span: SpanId,
        /// The authored offset `k` of `s[index + k]`; 0 for writes.
        offset: i64,
        /// Why it is in bounds.
        proof: Certificate,
    },
    /// Element `(index - 1) * stride + slot` of a written span in a map.
    Block {
        /// The span.
        span: SpanId,
        /// Elements each lane owns, at least 1.
        stride: u32,
        /// A uint32 in `0 .. stride`.
        slot: Value,
        /// `Guard` of `stride * #primary <= #span`.
        proof: Certificate,
        /// Why `slot < stride`.
        slot_proof: Certificate,
    },
    /// Element `index` of a read span, anywhere; or of a written span under declared scatter.
    At {
        /// The span.
        span: SpanId,
        /// A uint32, zero-based.
        index: Value,
        /// Why it is in bounds.
        proof: Certificate,
    },
    /// Element `group * stride + slot` of a written span in a workgroup kernel.
    GroupBlock {
        /// The span.
        span: SpanId,
        /// Elements each group owns.
        stride: u32,
        /// The slot the lane owns.
        slot: Family,
        /// Why it is in bounds.
        proof: Certificate,
    },
    /// Element `group` of a written span in a workgroup kernel, by lane `lane` alone.
    GroupSlot {
        /// The span.
        span: SpanId,
        /// The one lane that may be here: a dominating comparison says `local == lane`.
        lane: u32,
        /// Why it is in bounds.
        proof: Certificate,
    },
    /// A slot of scratch that the lane owns.
    Own {
        /// The array.
        array: ScratchId,
        /// The slot.
        slot: Family,
    },
    /// Any slot of scratch.
    Slot {
        /// The array.
        array: ScratchId,
        /// A uint32, zero-based.
        index: Value,
        /// Why it is in bounds.
        proof: Certificate,
    },
}

/// A slot that belongs to one lane, by shape. `local` is the phase's lane number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `local + k * size`.
    Strided {
        /// The turn: a uint32 constant or counted variable.
        k: Operand,
    },
    /// `local * stride + j`, `0 <= j < stride`.
    Blocked {
        /// Slots a lane owns.
        stride: u32,
        /// Which of them: a uint32 constant or counted variable.
        j: Operand,
    },
}

/// A constant or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A constant.
    Const(u32),
    /// A uint32 value; its range comes from the counted loop that defines it.
    Value(Value),
}

/// Why an index is in bounds.
#[derive(Clone, Debug, PartialEq)]
pub enum Certificate {
    /// The index is a constant below a constant count.
    Const,
    /// The index has a static range inside the array: the interval analysis of the verifier
    /// (constants, lane numbers, counted variables, `+ - *`, `div mod min &` and shifts by
    /// constants) shows it.
    Interval,
    /// Dominating comparisons that hold here imply `index < #span`: the listed boolean values are
    /// true (or, where the flag is false, false) wherever the access runs.
    Cursor {
        /// The comparisons and whether each is known true.
        facts: Vec<(Value, bool)>,
    },
    /// The kernel's guards imply that the span is at least as long as the primary output (or, for
    /// `Block`, that `stride * #primary <= #span`); the numbers are positions in the kernel's
    /// `guards`.
    Guard {
        /// Positions in the kernel's `guards`.
        chain: Vec<u32>,
    },
    /// The dispatch length is this very span's length (the primary output), or the group rule
    /// bounds the element.
    Primary,
    /// Several reasons that hold together, such as guards and comparisons of the loop index.
    All(Vec<Certificate>),
}
