use super::*;
use crate::ir::samples;

#[test]
fn the_samples_verify() {
    verify(samples::map()).expect("the map");
    verify(samples::groups()).expect("the groups");
}
