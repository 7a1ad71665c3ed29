//! Prints a workgroup kernel: groups in ascending order, fresh scratch on the stack, each phase a
//! loop over the lanes of the group, each tree its stages, the controller as ordinary Rust.

use super::fun::Fun;
use super::lanes::Mask;
use crate::ir::entity::Value;
use crate::ir::place::Place;

/// A load of a group's memory as an expression.
pub fn load(_fun: &Fun<'_>, _place: &Place, _field: u32) -> String {
    String::new()
}

/// A store to a group's memory.
pub fn store(_fun: &mut Fun<'_>, _place: &Place, _field: u32, _value: Value) {}

/// A load of a group's memory by a block of lanes.
pub fn load_lanes(_fun: &mut Fun<'_>, _result: Value, _place: &Place, _field: u32) {}

/// A store of a block of lanes to a group's memory.
pub fn store_lanes(_fun: &mut Fun<'_>, _place: &Place, _field: u32, _text: &str, _mask: &Mask) {}

/// The statements of `work`.
pub fn body(_fun: &mut Fun<'_>, _groups: &crate::ir::kernel::Groups) {}
