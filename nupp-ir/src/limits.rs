//! The numbers the language and the artifact promise, each in one place.

/// The most spans one kernel may take.
pub const MAX_SPANS: usize = 16;
/// The most 32-bit words of authored uniforms one kernel may take (128 bytes).
pub const MAX_UNIFORM_WORDS: usize = 32;
/// The largest group, in lanes.
pub const MAX_GROUP_SIZE: u32 = 256;
/// Workgroup memory of arrays that lanes share, in bytes a group.
pub const MAX_SCRATCH_BYTES: u32 = 16 * 1024;
/// Memory of arrays that may live in registers, in bytes a lane.
pub const MAX_REGISTER_BYTES: u32 = 1024;
/// Instructions one kernel may have after its helpers are inlined; past it the kernel is refused,
/// so that a chain of helpers that each call another twice cannot make the compiler run for ever.
pub const MAX_INSTRUCTIONS: usize = 1 << 16;
/// How deeply expressions, statements and regions may nest, so that no input overflows the stack.
pub const MAX_DEPTH: usize = 128;
/// How deeply the regions of one kernel may nest once early exits are conditions, by
/// `Region::nesting`: WGSL allows 127 levels and an `if` may take two, and readers of modules recur
/// on a thread's stack.
pub const MAX_NESTING: usize = 40;
/// How much deeper a lowering to a device may nest them.
pub const DEVICE_NESTING: usize = 8;
/// Lanes of one workgroup of a map kernel.
pub const MAP_WORKGROUP: u32 = 256;
/// Instructions that loops unrolled over a lane's own slots may come to in one module, called
/// functions counted in full: drivers take minutes over straight code of tens of thousands.
pub const MAX_UNROLLED: usize = 4096;
