//! What became of broken kernels: how many of each kind of change were refused, how many were
//! harmless, and which were neither.
//!
//! `NUPP_COUNTS` prints the numbers.

use std::collections::BTreeMap;

/// What was found so far.
#[derive(Default)]
pub struct Tally {
    /// Refused and harmless ones of each kind.
    counts: BTreeMap<&'static str, [u32; 2]>,
    /// What was wrong, with the kernel's text.
    faults: Vec<(String, String)>,
}

impl Tally {
    /// Counts a broken kernel: whether it was accepted, or what should not have happened.
    pub fn add(
        &mut self,
        seed: u64,
        kind: &'static str,
        outcome: Result<bool, String>,
        text: &str,
    ) {
        match outcome {
            Ok(accepted) => self.counts.entry(kind).or_default()[usize::from(accepted)] += 1,
            Err(fault) => {
                let fault = format!("seed {seed}, {kind}: {fault}");
                self.faults.push((fault, text.to_owned()));
            }
        }
    }

    /// Fails if anything was wrong, or if nothing was refused.
    pub fn finish(self) {
        if std::env::var_os("NUPP_COUNTS").is_some() {
            for (kind, [refused, harmless]) in &self.counts {
                eprintln!("{kind}: {refused} refused, {harmless} harmless");
            }
        }
        show(&self.faults);
        let refused: u32 = self.counts.values().map(|[refused, _]| refused).sum();
        assert!(refused > 0, "nothing was refused: {:?}", self.counts);
    }
}

/// Fails with all faults and the text of the first, if there are any.
pub fn show(faults: &[(String, String)]) {
    let Some((_, text)) = faults.first() else {
        return;
    };
    let said: Vec<&str> = faults.iter().map(|(fault, _)| fault.as_str()).collect();
    panic!("{text}{} faults:\n{}", said.len(), said.join("\n"));
}
