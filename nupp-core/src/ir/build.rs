//! Builders for kernels written by hand and by the front end.
