//! From a verified kernel to one module for one device profile.
//!
//! `profile` says what a device can be trusted with; `lower_device` turns Source IR into Device
//! IR for it, carrying in software what it cannot; passes rewrite the phase tree before that.

pub mod carried;
pub mod claims;
pub mod cost;
pub mod ir;
pub mod lower_device;
pub mod math;
#[cfg(any(test, feature = "samples"))]
pub mod mutate;
pub mod pass;
pub mod probe;
pub mod profile;
pub mod soft;
pub mod turns;
