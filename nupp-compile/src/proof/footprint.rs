//! Scratch that does not fit: which arrays there are, and a size that does.
//!
//! The sums are the verifier's, and a size is named only where its sum was asked for.

use nupp_core::ir::kernel::{Body, Kernel, ScratchDecl};
use nupp_core::limits::{MAX_REGISTER_BYTES, MAX_SCRATCH_BYTES};
use nupp_core::verify::source::footprint;
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::span::SrcSpan;

/// Refuses scratch arrays that do not fit, by the sums that the artifact states.
pub(crate) fn check(kernel: &Kernel, at: SrcSpan) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut refuse = |what: &str, used: fn(&Kernel) -> u64, limit: u32| {
        let bytes = used(kernel);
        if bytes > u64::from(limit) {
            let text = format!("the scratch arrays {what} take {bytes} bytes; {limit} are allowed");
            let help = smaller(kernel, |tried| used(tried) <= u64::from(limit));
            found.push(Diagnostic::new(Code::ScratchLimit, at, text).help(help));
        }
    };
    let shared = |kernel: &Kernel| footprint(kernel).scratch_bytes;
    refuse("that lanes share", shared, MAX_SCRATCH_BYTES);
    let own = |kernel: &Kernel| footprint(kernel).register_bytes;
    refuse("of one lane's own slots", own, MAX_REGISTER_BYTES);
    found
}

/// Which arrays there are, and a size that fits: of the largest that can shrink enough by itself, or
/// of all together.
fn smaller(kernel: &Kernel, fits: impl Fn(&Kernel) -> bool) -> String {
    let Body::Groups(groups) = &kernel.body else {
        return String::new();
    };
    let bytes =
        |decl: &ScratchDecl| 4 * u64::from(kernel.elem_words(decl.elem)) * u64::from(decl.count);
    let sizes: Vec<String> = groups
        .scratch
        .iter()
        .map(|decl| format!("`{}` {}", decl.name, bytes(decl)))
        .collect();
    let with = |shrink: &dyn Fn(usize, u32) -> u32| {
        let mut tried = kernel.clone();
        if let Body::Groups(groups) = &mut tried.body {
            for (at, decl) in groups.scratch.iter_mut().enumerate() {
                decl.count = shrink(at, decl.count);
            }
        }
        fits(&tried)
    };
    let mut order: Vec<usize> = (0..groups.scratch.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(bytes(&groups.scratch[*at])));
    let halves = |count: u32| std::iter::successors(Some(count / 2), |n| (*n > 1).then_some(n / 2));
    let one = order.iter().find_map(|&at| {
        let decl = &groups.scratch[at];
        let found =
            halves(decl.count).find(|n| with(&|i, count| if i == at { *n } else { count }))?;
        (found > 0).then(|| format!("`{}` with {found} slots would fit", decl.name))
    });
    let parts = (1..12).map(|k| 1u32 << k);
    let all = || {
        let mut parts = parts.clone();
        let found = parts.find(|by| with(&|_, count| count / by))?;
        Some(format!("each with 1/{found} of its slots would fit"))
    };
    let help = one.or_else(all);
    let help = help.unwrap_or_else(|| "use one array again in later phases".to_owned());
    format!("they take, in bytes: {}; {help}", sizes.join(", "))
}
