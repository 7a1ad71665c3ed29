//! The wgpu runtime.
