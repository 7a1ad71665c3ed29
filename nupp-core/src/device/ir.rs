//! Device IR: what one hardware lane executes.
//!
//! The flow types are those of Source IR; the leaves are explicit memory accesses by word,
//! barriers, built-in numbers and calls. Places and certificates are gone: what may be proved of
//! barriers and conflicts is re-checked by `verify::device` and watched by `eval::device`.

use crate::artifact::UniformLayout;
use crate::ir::entity::{FuncId, Scalar, Value};
use crate::ir::flow::{Region, ValueInfo};
use crate::ir::op::ScalarOp;

/// A region of Device IR.
pub type DeviceRegion = Region<DeviceLeaf>;

/// A whole module: one entry point and the functions it calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The kernel's name.
    pub name: String,
    /// The profile it was lowered for.
    pub profile: &'static str,
    /// Storage buffers in binding order.
    pub buffers: Vec<BufferDecl>,
    /// The uniform block, bound after the buffers.
    pub uniforms: UniformLayout,
    /// Workgroup arrays.
    pub workgroup: Vec<ArrayDecl>,
    /// Private arrays of the entry point.
    pub private: Vec<ArrayDecl>,
    /// Scratch that lives in the lane, in bytes a lane: as private arrays, or as values by now.
    pub register_bytes: u32,
    /// Hardware lanes of a workgroup.
    pub size: u32,
    /// Source elements (map) or source groups one workgroup covers.
    pub covers: u32,
    /// Types and scopes of all values, the functions' included.
    pub values: Vec<ValueInfo>,
    /// Functions; one calls only those before it.
    pub functions: Vec<Function>,
    /// The entry point's body; yields nothing.
    pub body: DeviceRegion,
    /// Operations that this module carries in software, by name, in table order.
    pub software: Vec<&'static str>,
    /// How many barriers the body's text holds.
    pub barriers: u32,
}

/// A storage buffer of words.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferDecl {
    /// The span's name.
    pub name: String,
    /// Whether the module writes it.
    pub write: bool,
    /// Words an element.
    pub words: u32,
    /// Whether its words are touched by `BufferMax` alone, which touches no other buffer.
    pub atomic: bool,
}

/// An array in workgroup or private memory.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayDecl {
    /// A name for printing.
    pub name: String,
    /// Type of its elements: `F32`, `I32` or `U32`.
    pub ty: Scalar,
    /// Elements.
    pub len: u32,
}

/// A function: no memory, no barrier; its region yields its results.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name, for printing.
    pub name: String,
    /// Parameters.
    pub params: Vec<Value>,
    /// Type of its one result.
    pub result: Scalar,
    /// Its body; yields one value.
    pub body: DeviceRegion,
}

/// The built-in numbers of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// `workgroup_id.x`, uint32.
    WorkgroupX,
    /// `workgroup_id.y`, uint32.
    WorkgroupY,
    /// `local_invocation_index`, uint32.
    LocalIndex,
}

/// What touches memory, other lanes or the launch.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceLeaf {
    /// A built-in number.
    Builtin(Builtin),
    /// A word of the uniform block, uint32, by constant position.
    UniformWord(u32),
    /// A word of a storage buffer, uint32. The buffer is its position, the index in words.
    BufferLoad {
        /// Position in `buffers`.
        buffer: u32,
        /// Word index, uint32.
        index: Value,
    },
    /// Writes a word of a storage buffer.
    BufferStore {
        /// Position in `buffers`.
        buffer: u32,
        /// Word index, uint32.
        index: Value,
        /// A uint32.
        value: Value,
    },
    /// Raises a word of an atomic buffer to a value that is greater, in one step among all lanes of the
    /// dispatch. Gives the uint32 that was there before. It orders nothing else in memory.
    BufferMax {
        /// Position in `buffers`.
        buffer: u32,
        /// Word index, uint32.
        index: Value,
        /// A uint32.
        value: Value,
    },
    /// Reads an element of a workgroup array.
    SharedLoad {
        /// Position in `workgroup`.
        array: u32,
        /// Element, uint32.
        index: Value,
    },
    /// Writes an element of a workgroup array.
    SharedStore {
        /// Position in `workgroup`.
        array: u32,
        /// Element, uint32.
        index: Value,
        /// Of the array's type.
        value: Value,
    },
    /// Reads an element of a private array.
    PrivateLoad {
        /// Position in `private`.
        array: u32,
        /// Element, uint32.
        index: Value,
    },
    /// Writes an element of a private array.
    PrivateStore {
        /// Position in `private`.
        array: u32,
        /// Element, uint32.
        index: Value,
        /// Of the array's type.
        value: Value,
    },
    /// Workgroup execution and memory barrier.
    Barrier,
    /// A call of a function of the module.
    Call {
        /// Which.
        func: FuncId,
        /// Its arguments.
        args: Vec<Value>,
    },
}

impl DeviceLeaf {
    /// The values it takes, in the order of its fields.
    pub fn operands(&self) -> Vec<Value> {
        match self {
            DeviceLeaf::Builtin(_) | DeviceLeaf::UniformWord(_) | DeviceLeaf::Barrier => Vec::new(),
            DeviceLeaf::BufferLoad { index, .. }
            | DeviceLeaf::SharedLoad { index, .. }
            | DeviceLeaf::PrivateLoad { index, .. } => vec![*index],
            DeviceLeaf::BufferStore { index, value, .. }
            | DeviceLeaf::BufferMax { index, value, .. }
            | DeviceLeaf::SharedStore { index, value, .. }
            | DeviceLeaf::PrivateStore { index, value, .. } => vec![*index, *value],
            DeviceLeaf::Call { args, .. } => args.clone(),
        }
    }

    /// The values it takes, to be changed, in the order of its fields.
    pub fn operands_mut(&mut self) -> Vec<&mut Value> {
        match self {
            DeviceLeaf::Builtin(_) | DeviceLeaf::UniformWord(_) | DeviceLeaf::Barrier => Vec::new(),
            DeviceLeaf::BufferLoad { index, .. }
            | DeviceLeaf::SharedLoad { index, .. }
            | DeviceLeaf::PrivateLoad { index, .. } => vec![index],
            DeviceLeaf::BufferStore { index, value, .. }
            | DeviceLeaf::BufferMax { index, value, .. }
            | DeviceLeaf::SharedStore { index, value, .. }
            | DeviceLeaf::PrivateStore { index, value, .. } => vec![index, value],
            DeviceLeaf::Call { args, .. } => args.iter_mut().collect(),
        }
    }
}

/// Whether Device IR may hold an operation, so that the printers render it.
///
/// Of the float operations these are the arithmetic, comparisons and conversions that a device may
/// be trusted with, and the two that look at bits; `lower_device` carries every other one in
/// integer operations, since no driver gets all of their special cases right.
pub fn printable(op: ScalarOp) -> bool {
    match op {
        ScalarOp::F32Add
        | ScalarOp::F32Sub
        | ScalarOp::F32Mul
        | ScalarOp::F32Div
        | ScalarOp::F32Sqrt
        | ScalarOp::F32Fma
        | ScalarOp::F32Eq
        | ScalarOp::F32Lt
        | ScalarOp::F32Le
        | ScalarOp::F32FromBits
        | ScalarOp::F32FromI32
        | ScalarOp::F32FromU32
        | ScalarOp::U32FromI32
        | ScalarOp::I32FromU32
        | ScalarOp::U32Add
        | ScalarOp::U32Sub
        | ScalarOp::U32Mul
        | ScalarOp::U32Div
        | ScalarOp::U32Mod
        | ScalarOp::U32Min
        | ScalarOp::U32Max
        | ScalarOp::U32And
        | ScalarOp::U32Or
        | ScalarOp::U32Xor
        | ScalarOp::U32Not
        | ScalarOp::U32Shl
        | ScalarOp::U32Shr
        | ScalarOp::U32RotateLeft
        | ScalarOp::U32RotateRight
        | ScalarOp::U32Popcount
        | ScalarOp::U32LeadingZeros
        | ScalarOp::U32TrailingZeros
        | ScalarOp::U32MulHigh
        | ScalarOp::U32Eq
        | ScalarOp::U32Lt
        | ScalarOp::U32Le
        | ScalarOp::I32Add
        | ScalarOp::I32Sub
        | ScalarOp::I32Mul
        | ScalarOp::I32Div
        | ScalarOp::I32Mod
        | ScalarOp::I32Neg
        | ScalarOp::I32Min
        | ScalarOp::I32Max
        | ScalarOp::I32And
        | ScalarOp::I32Or
        | ScalarOp::I32Xor
        | ScalarOp::I32Not
        | ScalarOp::I32Shl
        | ScalarOp::I32Shr
        | ScalarOp::I32MulHigh
        | ScalarOp::I32Eq
        | ScalarOp::I32Lt
        | ScalarOp::I32Le
        | ScalarOp::BoolAnd
        | ScalarOp::BoolOr
        | ScalarOp::BoolXor
        | ScalarOp::BoolNot
        | ScalarOp::U32Select
        | ScalarOp::I32Select
        | ScalarOp::BoolSelect
        | ScalarOp::F32RawBits => true,
        ScalarOp::F32Min
        | ScalarOp::F32Max
        | ScalarOp::F32Neg
        | ScalarOp::F32Abs
        | ScalarOp::F32CopySign
        | ScalarOp::F32Floor
        | ScalarOp::F32Ceil
        | ScalarOp::F32Trunc
        | ScalarOp::F32Round
        | ScalarOp::Math(_)
        | ScalarOp::F32IsNan
        | ScalarOp::F32IsInf
        | ScalarOp::F32ToBits
        | ScalarOp::F32FromF16
        | ScalarOp::F32ToF16
        | ScalarOp::F32FromBf16
        | ScalarOp::F32ToBf16
        | ScalarOp::U32WrapF32
        | ScalarOp::U32SaturateF32
        | ScalarOp::I32WrapF32
        | ScalarOp::I32SaturateF32
        | ScalarOp::F32Select => false,
    }
}
