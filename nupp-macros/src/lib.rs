//! Shell of the procedural macro; everything it does lives in `nupp-core`.
