//! Assigns each value of a kernel its least scope, by the smallest fixed point of the rules that
//! `verify::source` checks.
