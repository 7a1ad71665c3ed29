//! Interpreters of both representations: the oracle.
