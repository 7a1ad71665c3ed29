//! Contexts that trust the author of a scatter, and kernels that have none: nothing is checked.

use super::*;

#[test]
fn a_context_that_trusts_says_nothing() {
    let values = crate::numbers(LEN);
    let mut placed = vec![0; 305];
    place(&mut placed, &values, &cursors()[0]).unwrap();
    for context in contexts(&ContextOptions::new().trust_asserted_scatter()) {
        let kernel = place::compile(&context).unwrap();
        assert!(!kernel.raw().checks_scatter());
        let (source, output) = (buffer(&context, &values), buffer(&context, &[0; 305]));
        for cursors in cursors().iter().rev() {
            let to = buffer(&context, cursors);
            kernel
                .bind(&output, &source, &to)
                .unwrap()
                .dispatch()
                .unwrap();
            assert_eq!(told("place", &context), None);
        }
        // The last ones were distinct.
        context.upload(&output, &[0; 305]).unwrap();
        let to = buffer(&context, &cursors()[0]);
        kernel
            .bind(&output, &source, &to)
            .unwrap()
            .dispatch()
            .unwrap();
        assert_eq!(context.download_blocking(&output).unwrap(), placed);
    }
}

#[test]
fn only_kernels_that_scatter_change() {
    let options = ContextOptions::new().trust_asserted_scatter();
    let (Some(checked), Some(trusting)) = (context(), context_with(options)) else {
        return;
    };
    let digests = [&checked, &trusting].map(|context| {
        let bump = crate::kernels::bump::compile(context).unwrap();
        assert!(!bump.raw().checks_scatter());
        let place = place::compile(context).unwrap();
        [
            bump.raw().digest().to_owned(),
            place.raw().digest().to_owned(),
        ]
    });
    assert_eq!(digests[0][0], digests[1][0]);
    assert_ne!(digests[0][1], digests[1][1]);
}
