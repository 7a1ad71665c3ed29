use super::*;
use crate::ir::samples::more;

#[test]
fn every_sample_verifies() {
    for kernel in more::all() {
        let name = kernel.name.clone();
        if let Err(error) = verify(kernel) {
            panic!("{name}: {error}");
        }
    }
}
