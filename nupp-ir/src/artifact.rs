//! What the macro embeds for a kernel, and the binary interface every emitted module follows.
//!
//! A `KernelSpec` is a constant in the user's program: everything the runtime needs to check
//! bindings and launch, the encoded Source IR, and the canonical SPIR-V module.
//!
//! Interface of a module: bind group 0; bindings `0 .. spans` are the spans in declaration order,
//! storage buffers of 32-bit words (`read` for borrowed spans, `read_write` for written ones, an
//! element being its struct's fields one word each); binding `spans` is the uniform block, bound
//! with a dynamic offset, laid out by [`UniformLayout`]. The entry point is [`ENTRY_POINT`]. A module whose
//! scatters are checked has a buffer of what its lanes claim between the two.

use crate::ir::entity::Scalar;

/// The entry point of every module.
pub const ENTRY_POINT: &str = "main";

/// Word positions in the uniform block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniformLayout {
    /// How many spans the kernel has.
    pub spans: u32,
    /// How many authored uniform words it has.
    pub uniforms: u32,
}

impl UniformLayout {
    /// Lanes (map) or groups (workgroups) of the whole dispatch.
    pub const COUNT: u32 = 0;
    /// Zero at run time, unknown to the compiler.
    pub const Q: u32 = 1;
    /// Zero at run time, unknown to the compiler, another word than `Q`.
    pub const Q2: u32 = 2;
    /// The first workgroup of this launch, when one dispatch is split into several launches.
    pub const GROUP_BASE: u32 = 3;
    /// Workgroups in a row (the x count of the launch): the linear workgroup number is
    /// `base + y * width + x`.
    pub const WIDTH: u32 = 4;
    /// The first of the words that belong to spans.
    pub const SPANS: u32 = 5;

    /// The word that holds a span's length in elements.
    pub fn length(self, span: u32) -> u32 {
        Self::SPANS + 2 * span
    }
    /// The word that holds the offset of a span's first element from its binding, in elements.
    pub fn offset(self, span: u32) -> u32 {
        Self::SPANS + 2 * span + 1
    }
    /// The word that holds an authored uniform.
    pub fn uniform(self, uniform: u32) -> u32 {
        Self::SPANS + 2 * self.spans + uniform
    }
    /// Words in the block, rounded up to a multiple of 4.
    pub fn words(self) -> u32 {
        (Self::SPANS + 2 * self.spans + self.uniforms).next_multiple_of(4)
    }
}

/// The facts of one kernel, as embedded.
#[derive(Clone, Copy, Debug)]
pub struct KernelSpec {
    /// The authored name.
    pub name: &'static str,
    /// The Rust source file.
    pub file: &'static str,
    /// The line of the kernel's name in it, from 1.
    pub line: u32,
    /// The kernel's shape.
    pub kind: KernelKind,
    /// Spans in declaration order.
    pub bindings: &'static [BindingSpec],
    /// Authored uniforms in declaration order.
    pub uniforms: &'static [UniformSpec],
    /// Guards in source order.
    pub guards: &'static [GuardSpec],
    /// Workgroup memory, in bytes a group.
    pub scratch_bytes: u32,
    /// Scratch promoted to registers, in bytes a lane.
    pub register_bytes: u32,
    /// Barriers of the canonical module's text.
    pub barriers: u32,
    /// The encoded Source IR (`crate::ir::codec`).
    pub ir: &'static [u8],
    /// The canonical module.
    pub module: ModuleSpec,
}

/// The shape of a kernel and what decides its launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelKind {
    /// One lane an element of the primary output.
    Map {
        /// Position of the primary output among the bindings.
        primary: u32,
    },
    /// Groups of lanes.
    Groups {
        /// Lanes a group.
        size: u32,
        /// Position of the span whose length gives the group count.
        span: u32,
        /// The divisor of that length.
        divisor: u32,
        /// Whether the quotient is rounded up.
        ceil: bool,
    },
}

/// One span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingSpec {
    /// The authored name.
    pub name: &'static str,
    /// The element type as the author wrote it.
    pub element: &'static str,
    /// 32-bit words an element.
    pub words: u32,
    /// Whether the kernel writes it.
    pub write: bool,
    /// Whether it is read or written at the loop index, so that its length must be the dispatch
    /// length and its layout dense.
    pub loop_indexed: bool,
    /// Whether the kernel scatters into it.
    pub scatter: bool,
}

/// One authored uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniformSpec {
    /// The authored name.
    pub name: &'static str,
    /// Its type.
    pub ty: Scalar,
}

/// One guard over span lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardSpec {
    /// The condition in postfix order.
    pub cond: &'static [GuardOp],
    /// The authored message, or the empty string.
    pub message: &'static str,
    /// The condition as written.
    pub text: &'static str,
}

/// One step of a guard's condition on a stack of exact integers (truth is 1 or 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardOp {
    /// Pushes a constant.
    Const(i64),
    /// Pushes the length of the span in this position.
    Length(u32),
    /// Multiplies the two on top.
    Mul,
    /// Adds the two on top.
    Add,
    /// `a == b` of the two on top.
    Eq,
    /// `a < b`.
    Lt,
    /// `a <= b`.
    Le,
    /// Both.
    And,
    /// Either.
    Or,
    /// Not the one on top.
    Not,
}

/// Evaluates a guard over the lengths of all spans, exactly.
///
/// Returns `false` for a malformed condition, which the macro never embeds.
pub fn guard_holds(cond: &[GuardOp], lengths: &[u32]) -> bool {
    fn step(stack: &mut Vec<i128>, op: &GuardOp, lengths: &[u32]) -> Option<()> {
        let value = match *op {
            GuardOp::Const(value) => i128::from(value),
            GuardOp::Length(span) => i128::from(*lengths.get(span as usize)?),
            GuardOp::Not => i128::from(stack.pop()? == 0),
            _ => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                match *op {
                    GuardOp::Mul => a.checked_mul(b)?,
                    GuardOp::Add => a.checked_add(b)?,
                    GuardOp::Eq => i128::from(a == b),
                    GuardOp::Lt => i128::from(a < b),
                    GuardOp::Le => i128::from(a <= b),
                    GuardOp::And => i128::from(a != 0 && b != 0),
                    _ => i128::from(a != 0 || b != 0),
                }
            }
        };
        stack.push(value);
        Some(())
    }
    let mut stack = Vec::new();
    cond.iter()
        .try_for_each(|op| step(&mut stack, op, lengths))
        .is_some()
        && stack == [1]
}

/// A compiled module.
#[derive(Clone, Copy, Debug)]
pub struct ModuleSpec {
    /// The profile it was emitted for (`crate::device::profile`).
    pub profile: &'static str,
    /// SPIR-V words, little-endian.
    pub spirv: &'static [u8],
    /// Hardware lanes of a workgroup.
    pub workgroup: u32,
    /// Source elements (map) or source groups one workgroup covers.
    pub covers: u32,
    /// Operations carried in software, by name.
    pub software: &'static [&'static str],
}
