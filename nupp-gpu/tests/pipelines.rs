//! Pipelines kept between runs: written when asked, found again, never trusted when damaged, and
//! without an effect on bits.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::PathBuf;

use common::embedded::{check_groups, check_map, embed};
use common::{context, context_with};
use nupp_core::ir::samples;
use nupp_gpu::{CacheError, Context, ContextOptions, ModuleForm};

/// A folder of this test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("nupp-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn check(context: &Context) {
    check_map(
        context,
        &context.compile_raw(embed(samples::map())).unwrap(),
        1000,
    );
    let kernel = context.compile_raw(embed(samples::groups())).unwrap();
    check_groups(context, &kernel, 256 * 5);
}

#[test]
fn pipelines_are_found_again_and_change_no_bit() {
    for &form in ModuleForm::ALL {
        let folder = folder(&format!("{form:?}"));
        let options = || ContextOptions::new().form(form).pipeline_cache(&folder);
        let Some(context) = context_with(options()) else {
            return;
        };
        check(&context);
        let written = match context.save_pipelines() {
            Ok(written) => written,
            Err(CacheError::Unsupported { device }) => {
                assert_eq!(device, context.device().to_string());
                return;
            }
            Err(error) => panic!("{error}"),
        };
        let files: Vec<_> = fs::read_dir(&folder).unwrap().map(Result::unwrap).collect();
        assert_eq!(files.len(), 1, "nothing unfinished is left");
        let path = files[0].path();
        let file = fs::read(&path).unwrap();
        assert_eq!(file.len() as u64, written);
        check(&context_with(options()).unwrap());
        // Damaged in the middle and cut short: not used, and replaced.
        let mut damaged = file.clone();
        damaged[file.len() / 2] ^= 1;
        for bad in [
            &damaged[..],
            &file[..file.len() / 2],
            b"",
            b"another program's",
        ] {
            fs::write(&path, bad).unwrap();
            let context = context_with(options()).unwrap();
            check(&context);
            context.save_pipelines().unwrap();
            assert!(fs::read(&path).unwrap().starts_with(b"nupp pipelines"));
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn what_cannot_be_kept_is_said() {
    let Some(context) = context() else { return };
    let error = context.save_pipelines().unwrap_err();
    assert_eq!(error, CacheError::NoFolder);
    // A file stands where the folder would be made.
    let taken = folder("taken");
    fs::write(&taken, "in the way").unwrap();
    let options = ContextOptions::new().pipeline_cache(taken.join("inside"));
    let context = context_with(options).unwrap();
    check(&context);
    match context.save_pipelines().unwrap_err() {
        CacheError::Write { path, .. } => assert!(path.starts_with(&taken)),
        error => assert!(matches!(error, CacheError::Unsupported { .. }), "{error}"),
    }
    fs::remove_file(&taken).unwrap();
}
