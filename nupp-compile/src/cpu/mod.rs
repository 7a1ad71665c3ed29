//! The lane plan of a CPU function: which values are needed at all, and in which of its shapes a
//! kernel's lanes run. `rust` prints from it and decides nothing of its own.

pub mod liveness;
pub mod narrow_lanes;
pub mod plan_lanes;
pub mod whole_lanes;
pub mod work;

pub use liveness::Live;
pub use plan_lanes::{Lanes, Plan, SpanUse};
