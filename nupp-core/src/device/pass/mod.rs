//! Rewrites between the verified kernel and its module, one file each.
//!
//! Those that take and give Source IR run before the lowering, those on Device IR after it. Each
//! is a pure function; `lower_device` lists them in order.

pub mod discharge_guards;
pub mod drop_unused;
pub mod elide_fill;
mod entry;
pub mod lower_trees;
pub mod promote_private;
pub mod share_values;
pub mod unroll_slots;
