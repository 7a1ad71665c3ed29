//! Reductions and scans of any length: the CPU's and each device's against a definition written
//! out here on its own, by bits.

mod data;
mod definition;
mod reduce;
mod scan;

use nupp::{Context, ContextOptions, ModuleForm};
use nupp_gpu::Profile;
use std::sync::OnceLock;

/// Each side of every number of levels that is cheap to run, and a long one.
pub const LENGTHS: [usize; 10] = [0, 1, 2, 255, 256, 257, 65_535, 65_536, 65_537, 1_000_003];

/// An open device; the slower ones are spared the longest inputs.
pub struct Opened {
    /// Adapter, form and profile.
    pub name: String,
    /// The device.
    pub context: Context,
    /// No input is longer.
    pub longest: usize,
}

fn asked(profile: Option<Profile>) -> &'static str {
    profile.map_or("found by the probe", |profile| profile.name)
}

/// A context for each form and profile, or none where there is no adapter.
pub fn devices() -> &'static [Opened] {
    static ALL: OnceLock<Vec<Opened>> = OnceLock::new();
    ALL.get_or_init(|| {
        let forms = [
            (ModuleForm::Spirv, None, usize::MAX),
            (ModuleForm::Wgsl, None, 66_000),
            (ModuleForm::Spirv, Some(Profile::INTEGER), 66_000),
        ];
        let opened = forms.into_iter().map(|(form, profile, longest)| {
            let options = ContextOptions::new().form(form).profile(profile);
            let context = Context::open_with(options)?;
            let adapter = &context.device().adapter;
            Ok(Opened {
                name: format!("{adapter}, {form:?}, profile {}", asked(profile)),
                context,
                longest,
            })
        });
        match opened.collect::<Result<_, nupp::OpenError>>() {
            Ok(all) => all,
            Err(fault) if std::env::var_os("NUPP_REQUIRE_GPU").is_some() => {
                panic!("a GPU is required (NUPP_REQUIRE_GPU), but {fault}")
            }
            Err(fault) => {
                eprintln!("skipped on the GPU: {fault}");
                Vec::new()
            }
        }
    })
}
