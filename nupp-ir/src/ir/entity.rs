//! Names of things inside one kernel: small integers that index its tables.

/// A 32-bit scalar type, or a truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// IEEE 754 binary32.
    F32,
    /// Signed 32-bit integer, two's complement.
    I32,
    /// Unsigned 32-bit integer.
    U32,
    /// `true` or `false`; never in a span, a struct, a uniform or scratch.
    Bool,
}

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// The position of this entity in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

entity!(/// A scalar value, defined once; an index into the kernel's `values`.
    Value, "v");
entity!(/// A span parameter, in declaration order.
    SpanId, "b");
entity!(/// A scalar parameter, in declaration order.
    UniformId, "u");
entity!(/// A scratch array of a workgroup kernel.
    ScratchId, "s");
entity!(/// A struct type the kernel names.
    StructId, "t");
entity!(/// A phase, in source order.
    PhaseId, "p");
entity!(/// A function of a device module.
    FuncId, "f");

/// How widely a value is known to be the same. The least scope is stored with each value and
/// checked by the verifier: an operation has the greatest scope among its operands and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The same for the whole dispatch: constants, uniforms, lengths.
    Dispatch,
    /// The same for each lane of a group.
    Group,
    /// Private to a lane.
    Lane,
}
