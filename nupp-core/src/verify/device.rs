//! Checks Device IR.
