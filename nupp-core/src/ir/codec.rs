//! Encodes and decodes Source IR as bytes.
