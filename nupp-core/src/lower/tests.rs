//! Lowering from source text: accepted kernels pass the verifier and give the bits of a Rust
//! reference in the interpreter, refused ones name a code and a place.
