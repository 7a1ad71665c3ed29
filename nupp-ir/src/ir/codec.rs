//! Encodes and decodes Source IR as bytes.
//!
//! The bytes are a header of five (`NUPP` and the version), then the kernel's fields in declared
//! order: integers in LEB128, signed ones zigzagged, lists and texts after their lengths, one tag
//! byte before a choice. Equal kernels give equal bytes, and one kernel has one encoding.
//! [`decode`] takes bytes from anywhere: it never panics, nests no deeper than the limit, and asks
//! for no more memory than a fixed multiple of the bytes it was given. What it returns is well
//! formed as a tree and nothing more; only the verifier makes it trusted.

use super::entity::{PhaseId, Scalar, Scope, ScratchId, SpanId, StructId, UniformId, Value};
use super::flow::{Const, Inst, Loop, LoopKind, Op, Region, Termination, ValueInfo};
use super::kernel::{
    Access, Body, CmpOp, Combine, Elem, GroupRule, Groups, Guard, GuardCond, Kernel, Leaf,
    LengthCond, LengthSum, Node, NodeSeq, ParamRef, Phase, Repeat, ScratchDecl, SpanDecl,
    StructDecl, Target, Tree, TreeKind, UniformDecl,
};
use super::op::ScalarOp;
use super::place::{Certificate, Family, Operand, Place};
use crate::limits::MAX_DEPTH;

#[cfg(test)]
mod tests;
mod wire;

pub use wire::DecodeError;
use wire::{Reader, Wire, Writer, wire_enum, wire_index, wire_struct};

/// The first bytes of an encoded kernel; the last of them is the version.
const HEADER: [u8; 5] = *b"NUPP\x01";

/// How deeply encoded trees may nest: regions, conditions and certificates, each of which may hold
/// the others, with room for the front end's deepest.
const NESTING: usize = 2 * MAX_DEPTH;

/// The bytes of a kernel.
pub fn encode(kernel: &Kernel) -> Vec<u8> {
    let mut out = Writer::default();
    out.bytes.extend(HEADER);
    kernel.put(&mut out);
    out.bytes
}

/// The kernel of these bytes.
///
/// # Errors
/// Names the position of the first byte that cannot be part of an encoding.
pub fn decode(bytes: &[u8]) -> Result<Kernel, DecodeError> {
    let mut reader = Reader::new(bytes, NESTING);
    for expected in HEADER {
        if reader.byte()? != expected {
            return Err(reader.error("not an encoded kernel of this version"));
        }
    }
    let kernel = Kernel::get(&mut reader)?;
    if reader.remaining() > 0 {
        return Err(reader.error("bytes after the kernel"));
    }
    Ok(kernel)
}

wire_index!(Value, SpanId, UniformId, ScratchId, StructId, PhaseId);

wire_enum!(Scalar { 0 F32, 1 I32, 2 U32, 3 Bool });
wire_enum!(Scope { 0 Dispatch, 1 Group, 2 Lane });
wire_enum!(Target { 0 Gpu, 1 Cpu });
wire_enum!(Access { 0 Read, 1 Write });
wire_enum!(CmpOp { 0 Eq, 1 Ne, 2 Lt, 3 Le, 4 Gt, 5 Ge });
wire_enum!(Termination { 0 Variant, 1 Unproved });
wire_enum!(ParamRef { 0 Span(id), 1 Uniform(id) });
wire_enum!(Elem { 0 Scalar(ty), 1 Struct(id) });
wire_enum!(Operand { 0 Const(n), 1 Value(value) });
wire_enum!(Family { 0 Strided { k }, 1 Blocked { stride, j } });
wire_enum!(TreeKind { 0 Reduce, 1 InclusiveScan { temporary }, 2 ExclusiveScan });
wire_enum!(Body { 0 Map { primary, index, region }, 1 Groups(groups) });
wire_enum!(GuardCond { 0 Lengths(cond), 1 Scalar(region) });
wire_enum!(LengthCond nested { 0 Cmp { op, lhs, rhs }, 1 And(a, b), 2 Or(a, b), 3 Not(a) });
wire_enum!(Certificate nested {
    0 Const, 1 Interval, 2 Cursor { facts }, 3 Guard { chain }, 4 Primary, 5 All(list)
});
wire_enum!(Place {
    0 Element { span, offset, proof },
    1 Block { span, stride, slot, proof, slot_proof },
    2 At { span, index, proof },
    3 GroupBlock { span, stride, slot, proof },
    4 GroupSlot { span, lane, proof },
    5 Own { array, slot },
    6 Slot { array, index, proof }
});
wire_enum!(Leaf {
    0 Uniform(id),
    1 Length(span),
    2 Load { place, field },
    3 Store { place, field, value },
    4 Scatter { span, index, proof, values }
});
wire_enum!(LoopKind<Leaf> { 0 Counted { var, lo, hi }, 1 While { cond, class } });
wire_enum!(Op<Leaf> nested {
    0 Const(c), 1 Scalar(op, args), 2 Leaf(leaf), 3 If { cond, then, els }, 4 Loop(inner)
});
wire_enum!(Combine { 0 Op(op), 1 Region { params, region } });
wire_enum!(Node nested {
    0 Inst(inst), 1 Phase(phase), 2 Tree(tree), 3 Repeat(repeat),
    4 Select { cond, then, els, results }
});

wire_struct!(Const { ty, bits });
wire_struct!(Region<Leaf> { insts, yields });
wire_struct!(Inst<Leaf> { results, op });
wire_struct!(Loop<Leaf> { kind, params, init, body, breaks });
wire_struct!(StructDecl { name, fields });
wire_struct!(SpanDecl { name, elem, access });
wire_struct!(UniformDecl { name, ty });
wire_struct!(LengthSum { terms, constant });
wire_struct!(Guard {
    cond,
    message,
    text
});
wire_struct!(GroupRule {
    span,
    divisor,
    ceil
});
wire_struct!(ScratchDecl {
    name,
    elem,
    initial,
    count
});
wire_struct!(NodeSeq { nodes, yields });
wire_struct!(Repeat {
    kind,
    params,
    init,
    body,
    breaks,
    results
});
wire_struct!(Phase { id, local, region });
wire_struct!(Tree {
    id,
    kind,
    array,
    combine
});
wire_struct!(Groups {
    rule,
    size,
    scratch,
    group,
    nodes
});
wire_struct!(Kernel {
    name,
    target,
    structs,
    spans,
    uniforms,
    params,
    guards,
    values,
    body
});

/// A type and a scope in one byte.
impl Wire for ValueInfo {
    fn put(&self, out: &mut Writer) {
        let scope = match self.scope {
            Scope::Dispatch => 0,
            Scope::Group => 1,
            Scope::Lane => 2,
        };
        let ty = match self.ty {
            Scalar::F32 => 0,
            Scalar::I32 => 1,
            Scalar::U32 => 2,
            Scalar::Bool => 3,
        };
        out.bytes.push(scope * 4 + ty);
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let byte = from.byte()?;
        let scope = match byte / 4 {
            0 => Scope::Dispatch,
            1 => Scope::Group,
            2 => Scope::Lane,
            _ => return Err(from.error("no such scope")),
        };
        let ty = match byte % 4 {
            0 => Scalar::F32,
            1 => Scalar::I32,
            2 => Scalar::U32,
            _ => Scalar::Bool,
        };
        Ok(ValueInfo { ty, scope })
    }
}

/// Its position in the table.
impl Wire for ScalarOp {
    fn put(&self, out: &mut Writer) {
        let position = ScalarOp::ALL.iter().position(|op| op == self);
        out.unsigned(position.expect("the table has every operation") as u64);
    }
    fn get(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let code = u32::get(from)? as usize;
        let op = ScalarOp::ALL.get(code).copied();
        op.ok_or_else(|| from.error("no such operation"))
    }
}
