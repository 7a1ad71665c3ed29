//! Numbers of the SPIR-V specification that the printer uses, by the names given there.
//!
//! Instructions of scalar operations are in `emit::prim`, beside the operations.
#![allow(
    missing_docs,
    reason = "each is the specification's own name of the number"
)]

pub const MAGIC: u32 = 0x0723_0203;
pub const VERSION_1_3: u32 = 0x0001_0300;

// Instructions.
pub const NAME: u16 = 5;
pub const EXTENSION: u16 = 10;
pub const EXT_INST_IMPORT: u16 = 11;
pub const EXT_INST: u16 = 12;
pub const MEMORY_MODEL: u16 = 14;
pub const ENTRY_POINT: u16 = 15;
pub const EXECUTION_MODE: u16 = 16;
pub const CAPABILITY: u16 = 17;
pub const TYPE_VOID: u16 = 19;
pub const TYPE_BOOL: u16 = 20;
pub const TYPE_INT: u16 = 21;
pub const TYPE_FLOAT: u16 = 22;
pub const TYPE_VECTOR: u16 = 23;
pub const TYPE_ARRAY: u16 = 28;
pub const TYPE_RUNTIME_ARRAY: u16 = 29;
pub const TYPE_STRUCT: u16 = 30;
pub const TYPE_POINTER: u16 = 32;
pub const TYPE_FUNCTION: u16 = 33;
pub const CONSTANT_TRUE: u16 = 41;
pub const CONSTANT_FALSE: u16 = 42;
pub const CONSTANT: u16 = 43;
pub const FUNCTION: u16 = 54;
pub const FUNCTION_PARAMETER: u16 = 55;
pub const FUNCTION_END: u16 = 56;
pub const FUNCTION_CALL: u16 = 57;
pub const VARIABLE: u16 = 59;
pub const LOAD: u16 = 61;
pub const STORE: u16 = 62;
pub const ACCESS_CHAIN: u16 = 65;
pub const DECORATE: u16 = 71;
pub const MEMBER_DECORATE: u16 = 72;
pub const BITCAST: u16 = 124;
pub const I_ADD: u16 = 128;
pub const CONTROL_BARRIER: u16 = 224;
pub const ATOMIC_U_MAX: u16 = 239;
pub const LOOP_MERGE: u16 = 246;
pub const SELECTION_MERGE: u16 = 247;
pub const LABEL: u16 = 248;
pub const BRANCH: u16 = 249;
pub const BRANCH_CONDITIONAL: u16 = 250;
pub const RETURN: u16 = 253;
pub const RETURN_VALUE: u16 = 254;

// Storage classes.
pub const INPUT: u32 = 1;
pub const UNIFORM: u32 = 2;
pub const WORKGROUP: u32 = 4;
pub const FUNCTION_CLASS: u32 = 7;
pub const STORAGE_BUFFER: u32 = 12;

// Decorations.
pub const BLOCK: u32 = 2;
pub const ARRAY_STRIDE: u32 = 6;
pub const BUILT_IN: u32 = 11;
pub const NON_WRITABLE: u32 = 24;
pub const BINDING: u32 = 33;
pub const DESCRIPTOR_SET: u32 = 34;
pub const OFFSET: u32 = 35;
pub const NO_CONTRACTION: u32 = 42;

// Built-in numbers.
pub const WORKGROUP_ID: u32 = 26;
pub const LOCAL_INVOCATION_INDEX: u32 = 29;

// Whole-module choices.
pub const CAPABILITY_SHADER: u32 = 1;
pub const LOGICAL: u32 = 0;
pub const GLSL450: u32 = 1;
pub const GL_COMPUTE: u32 = 5;
pub const LOCAL_SIZE: u32 = 17;

// Float modes of SPV_KHR_float_controls.
pub const CAPABILITY_DENORM_PRESERVE: u32 = 4464;
pub const CAPABILITY_SIGNED_ZERO_INF_NAN_PRESERVE: u32 = 4466;
pub const CAPABILITY_ROUNDING_MODE_RTE: u32 = 4467;
pub const DENORM_PRESERVE: u32 = 4459;
pub const SIGNED_ZERO_INF_NAN_PRESERVE: u32 = 4461;
pub const ROUNDING_MODE_RTE: u32 = 4462;

// Atomic steps, which order no other access.
pub const SCOPE_DEVICE: u32 = 1;
pub const RELAXED: u32 = 0;

// Barriers.
pub const SCOPE_WORKGROUP: u32 = 2;
/// AcquireRelease and WorkgroupMemory.
pub const WORKGROUP_MEMORY_ACQUIRE_RELEASE: u32 = 0x8 | 0x100;
