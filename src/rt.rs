//! What generated code names: `nupp-rt`, the macro behind the facade's own, and the runtime's types.

pub use nupp_macros::expand;
pub use nupp_rt::*;

#[cfg(feature = "gpu")]
pub use nupp_gpu::{
    BindError, CompileError, Context, DispatchError, Element, RawBinding, RawKernel, RawSlot, Slot,
    SlotMut, StillHeld,
};
#[cfg(feature = "gpu")]
pub use std::vec::Vec;
