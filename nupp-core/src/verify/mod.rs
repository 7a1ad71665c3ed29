//! Re-checks every claim of both representations.
