//! Runs Source IR, lanes in any order.
