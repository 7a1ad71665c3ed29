//! Which form wins, of verdicts that are made up, and that what was chosen runs.

use super::*;
use crate::ContextOptions;
use crate::arithmetic::Arithmetic;
use crate::failures::common;
use nupp_core::device::probe::Evidence;
use nupp_core::ir::samples;

fn refused() -> ProbeError {
    ProbeError::Inexact {
        evidence: Evidence {
            test: "x + y",
            operands: [1, 2, 3],
            given: 4,
            right: 5,
        },
    }
}

fn forms(context: &Context) -> Option<(Forms, Form)> {
    let forms = context.inner.forms;
    Some((forms, forms.second(true)?))
}

/// A context that takes native modules and of which nothing has been asked.
fn context() -> Option<Context> {
    let context = common::context_with(ContextOptions::new())?;
    forms(&context).map(|_| context)
}

fn plant(context: &Context, form: ModuleForm, found: Result<Profile, ProbeError>) {
    let found = found.map(|profile| Arithmetic::made_up(form, profile));
    let cell = &context.inner.arithmetic[form.position()];
    cell.set(found).expect("nothing was asked yet");
}

#[test]
fn the_cheaper_form_wins_and_the_portable_one_where_they_are_equal() {
    let Some(context) = context() else {
        return;
    };
    let (forms, native) = forms(&context).expect("both");
    let census = Census::of(&samples::map());
    let of = |form, profile| Arithmetic::made_up(form, profile);
    let integer = of(ModuleForm::Spirv, Profile::INTEGER);
    let fused = of(ModuleForm::Native, Profile::FUSED);
    let also = of(ModuleForm::Native, Profile::INTEGER);
    let of = |first, second| decide(&census, forms, first, second).map(|(form, ..)| form);
    let second = |found| Some((native, found));
    assert_eq!(of(Ok(&integer), second(Ok(&fused))), Ok(native));
    assert_eq!(of(Ok(&integer), second(Ok(&also))), Ok(Form::Spirv));
    assert_eq!(of(Ok(&fused), second(Ok(&integer))), Ok(Form::Spirv));
    assert_eq!(of(Ok(&integer), second(Err(refused()))), Ok(Form::Spirv));
    assert_eq!(of(Err(refused()), second(Ok(&fused))), Ok(native));
    assert_eq!(of(Ok(&integer), None), Ok(Form::Spirv));
    for second in [None, second(Err(ProbeError::MustAwait))] {
        assert_eq!(of(Err(refused()), second), Err(refused()));
    }
    assert!(could_gain(&census, &Ok(&integer)) && could_gain(&census, &Err(refused())));
    assert!(!could_gain(&census, &Err(ProbeError::MustAwait)));
    let bare = Arithmetic::made_up(ModuleForm::Spirv, Profile::DEVICE);
    assert!(!could_gain(&census, &Ok(&bare)));
}

#[test]
fn a_kernel_runs_in_the_form_that_was_chosen_and_says_why() {
    let spec = common::embedded::embed(samples::groups());
    // Both are right on every device whose sums err by flushing at most; the sum is all there is.
    let profiles = [Profile::INTEGER, Profile::GUARDED];
    for (portable, native) in [(0, 1), (1, 0), (0, 0)] {
        let Some(context) = context() else {
            return;
        };
        plant(&context, ModuleForm::Spirv, Ok(profiles[portable]));
        plant(&context, ModuleForm::Native, Ok(profiles[native]));
        let kernel = context.compile_raw(spec).expect("it compiles");
        let is_native = native > portable;
        assert_eq!(kernel.form() == ModuleForm::Native, is_native);
        let chosen = profiles[portable.max(native)];
        assert_eq!(kernel.profile(), chosen.name);
        let known = |route: &(&'static str, Route)| chosen.routes().contains(route);
        assert!(!kernel.routes().is_empty() && kernel.routes().iter().all(known));
        let FormReason::Cheapest {
            portable: first,
            native: Some(second),
        } = *kernel.form_reason()
        else {
            panic!("{:?}", kernel.form_reason());
        };
        assert_eq!(second < first, is_native);
        common::embedded::check_groups(&context, &kernel, 512);
    }
}

#[test]
fn a_form_whose_probe_is_refused_is_left_alone_and_the_module_says_so() {
    let spec = common::embedded::embed(samples::map());
    for form in [ModuleForm::Native, ModuleForm::Spirv] {
        let Some(context) = context() else {
            return;
        };
        let other = match form {
            ModuleForm::Native => ModuleForm::Spirv,
            ModuleForm::Spirv | ModuleForm::Wgsl => ModuleForm::Native,
        };
        plant(&context, form, Err(refused()));
        plant(&context, other, Ok(Profile::GUARDED));
        let kernel = context.compile_raw(spec).expect("it compiles");
        assert_eq!(kernel.form(), other);
        let reason = kernel.form_reason();
        assert_eq!(*reason, FormReason::OtherRefused(refused()));
        assert!(reason.to_string().contains("`x + y`"), "{reason}");
        assert_eq!(
            context.device().arithmetic().map(Arithmetic::form),
            Ok(other)
        );
        assert_eq!(context.device().arithmetic_in(form), Err(refused()));
        common::embedded::check_map(&context, &kernel, 300);
    }
    let Some(context) = context() else {
        return;
    };
    for form in [ModuleForm::Spirv, ModuleForm::Native] {
        plant(&context, form, Err(refused()));
    }
    let error = context.compile_raw(spec).expect_err("no form is right");
    assert!(matches!(error, CompileError::Arithmetic { cause, .. } if cause == refused()));
    let integer = context
        .compile_raw(common::bump())
        .expect("it has no floats");
    assert_eq!(*integer.form_reason(), FormReason::NoArithmetic);
    assert!(integer.routes().is_empty());
}

/// The second form is not looked at where the first is as good as any.
#[test]
fn nothing_is_probed_in_vain() {
    let Some(context) = context() else {
        return;
    };
    plant(&context, ModuleForm::Spirv, Ok(Profile::DEVICE));
    let spec = common::embedded::embed(samples::groups());
    let kernel = context.compile_raw(spec).expect("it compiles");
    assert_eq!(kernel.form(), ModuleForm::Spirv);
    assert!(matches!(
        kernel.form_reason(),
        FormReason::Cheapest { native: None, .. }
    ));
    let native = &context.inner.arithmetic[ModuleForm::Native.position()];
    assert!(native.get().is_none());
}

/// A device that takes no native modules gets WGSL where SPIR-V does not hold on it.
#[cfg(feature = "gles")]
#[test]
fn where_no_native_module_is_taken_wgsl_stands_in() {
    let options = ContextOptions::new().backend(crate::Backend::Gl);
    let Some(context) = common::context_with(options) else {
        return;
    };
    plant(&context, ModuleForm::Spirv, Err(refused()));
    let spec = common::embedded::embed(samples::map());
    let kernel = context.compile_raw(spec).expect("it compiles");
    assert_eq!(kernel.form(), ModuleForm::Wgsl);
    assert_eq!(*kernel.form_reason(), FormReason::OtherRefused(refused()));
    let found = context.device().arithmetic().map(Arithmetic::form);
    assert_eq!(found, Ok(ModuleForm::Wgsl));
    common::embedded::check_map(&context, &kernel, 300);
}
