//! Lowers Source IR to Device IR for a profile.
