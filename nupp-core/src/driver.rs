//! Runs the stages.
