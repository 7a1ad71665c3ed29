//! Of roots.

/// Of rsqrt.
pub const RSQRT: [(u32, u32); 0] = [];

/// Of cbrt.
pub const CBRT: [(u32, u32); 0] = [];
