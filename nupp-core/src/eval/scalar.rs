//! The meaning of each scalar operation, by bits.
