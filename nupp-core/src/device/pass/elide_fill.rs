//! Leaves out the fill of workgroup arrays whose every slot is written before it is read.
//!
//! The kernel is lowered without any fill first, and the walk that holds a module to the rule
//! "written before read" says which arrays break it: those alone are filled. So a fill that goes is
//! one that nobody can see, by the very rule that the finished module is checked against, and the
//! barrier that a fill of another family would need goes with it. A private array needs no such
//! proof: its fill is a store like others, and is gone once the array has become values.

use crate::device::ir::Module;
use crate::verify;

/// For each workgroup array of a module that fills none, whether it has to be filled.
pub fn fills_needed(bare: &Module) -> Vec<bool> {
    if bare.workgroup.is_empty() {
        return Vec::new();
    }
    verify::device::unwritten(bare)
}
