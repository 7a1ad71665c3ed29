//! Software operations, written once as Device IR functions.
