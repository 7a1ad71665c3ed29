//! Checks Source IR.
