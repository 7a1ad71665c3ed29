//! The lane plan of a CPU function.
