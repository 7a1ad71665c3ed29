//! Searches for certificates and explains their absence.
