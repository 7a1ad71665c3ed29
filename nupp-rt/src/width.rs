//! The compiled widths of a function body and the choice between them at run time.
//!
//! The `#[target_feature]` functions stand here, so that generated code is safe; a body is
//! inlined into each of them. The choice is made once a process: the widest that the machine has,
//! or what `NUPP_CPU=baseline|avx2|avx512` asks for.

use super::env;
use super::error::KernelError;
use super::isa::{Baseline, Isa};
use std::sync::OnceLock;

/// The body of a CPU function, written once for every width. `W` is the number of lanes that a
/// block holds where the body works in blocks.
pub trait LaneBody {
    /// Does the work.
    ///
    /// # Errors
    /// A scatter that meets itself.
    fn run<I: Isa, const W: usize>(self) -> Result<(), KernelError>;
}

/// A compiled width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// What every machine of the target has.
    Baseline,
    /// AVX2 with FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 with its F, VL, DQ, BW and CD parts.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl std::fmt::Display for Width {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Width::Baseline => "baseline",
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Width::Avx512 => "avx512",
        })
    }
}

/// Lets a test run one function in each width of the machine within one process.
pub mod testing {
    pub use super::Width;
    use super::{FORCED, widest};
    use std::sync::atomic::Ordering;

    /// The widths that this machine has, narrowest first.
    pub fn widths() -> Vec<Width> {
        match widest() {
            Width::Baseline => vec![Width::Baseline],
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => vec![Width::Baseline, Width::Avx2],
            #[cfg(target_arch = "x86_64")]
            Width::Avx512 => vec![Width::Baseline, Width::Avx2, Width::Avx512],
        }
    }

    /// Forces a width that [`widths`] lists, for the whole process, or lifts that.
    pub fn force(width: Option<Width>) {
        let position = width.and_then(|width| widths().iter().position(|w| *w == width));
        FORCED.store(
            position.map_or(0, |position| position as u8 + 1),
            Ordering::SeqCst,
        );
    }
}

/// Runs a body on the calling thread, in the widest form that there is.
///
/// # Errors
/// [`KernelError::Environment`], [`KernelError::Width`], and what the body returns.
#[inline]
pub fn serial<B: LaneBody>(body: B) -> Result<(), KernelError> {
    env::check()?;
    match chosen()? {
        Width::Baseline => body.run::<Baseline, 16>(),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `chosen` gives it only where the machine has every feature that it enables.
        Width::Avx2 => unsafe { run_avx2(body) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Width::Avx512 => unsafe { run_avx512(body) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2")]
fn run_avx2<B: LaneBody>(body: B) -> Result<(), KernelError> {
    body.run::<super::isa::Avx2, 32>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,avx512f,avx512vl,avx512dq,avx512bw,avx512cd")]
fn run_avx512<B: LaneBody>(body: B) -> Result<(), KernelError> {
    body.run::<super::isa::Avx2, 32>()
}

/// What a test forces, as a position in `testing::widths` plus one; 0 where nothing is forced.
static FORCED: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);

fn chosen() -> Result<Width, KernelError> {
    let forced = FORCED.load(std::sync::atomic::Ordering::Relaxed);
    if forced != 0 {
        return Ok(testing::widths()[usize::from(forced) - 1]);
    }
    static CHOICE: OnceLock<Result<Width, String>> = OnceLock::new();
    match CHOICE.get_or_init(|| choose(std::env::var_os("NUPP_CPU"))) {
        Ok(width) => Ok(*width),
        Err(asked) => Err(KernelError::Width {
            asked: asked.clone(),
            available: available(),
        }),
    }
}

fn choose(asked: Option<std::ffi::OsString>) -> Result<Width, String> {
    let Some(asked) = asked.filter(|text| !text.is_empty()) else {
        return Ok(widest());
    };
    let asked = asked.to_string_lossy().into_owned();
    match asked.as_str() {
        "baseline" => Ok(Width::Baseline),
        #[cfg(target_arch = "x86_64")]
        "avx2" if widest() != Width::Baseline => Ok(Width::Avx2),
        #[cfg(target_arch = "x86_64")]
        "avx512" if widest() == Width::Avx512 => Ok(Width::Avx512),
        _ => Err(asked),
    }
}

#[cfg(target_arch = "x86_64")]
fn widest() -> Width {
    use std::is_x86_feature_detected as has;
    let avx2 = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2");
    let avx512 = has!("avx512f")
        && has!("avx512vl")
        && has!("avx512dq")
        && has!("avx512bw")
        && has!("avx512cd");
    match (avx2, avx512) {
        (true, true) => Width::Avx512,
        (true, false) => Width::Avx2,
        (false, _) => Width::Baseline,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn widest() -> Width {
    Width::Baseline
}

fn available() -> &'static str {
    match widest() {
        Width::Baseline => "baseline",
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 => "baseline, avx2",
        #[cfg(target_arch = "x86_64")]
        Width::Avx512 => "baseline, avx2, avx512",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_asked_is_the_widest() {
        assert_eq!(choose(None), Ok(widest()));
        assert_eq!(choose(Some("".into())), Ok(widest()));
    }

    #[test]
    fn what_is_not_there_is_refused_by_its_name() {
        assert_eq!(choose(Some("baseline".into())), Ok(Width::Baseline));
        assert_eq!(choose(Some("sse9".into())), Err("sse9".to_owned()));
        for name in ["avx2", "avx512"] {
            let there = available().split(", ").any(|width| width == name);
            assert_eq!(choose(Some(name.into())).is_ok(), there, "{name}");
        }
    }
}
