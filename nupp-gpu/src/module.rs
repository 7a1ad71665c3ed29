//! Which module of a kernel runs on this context, and in which language it is handed over.
//!
//! The embedded SPIR-V runs where its profile is the one asked for. Everything a launch needs to
//! know of a module (lanes of a workgroup, what one covers, what is carried in software) is here
//! with it, so that nothing after this asks where the module came from.

use sha2::{Digest, Sha256};

use nupp_core::artifact::KernelSpec;

use crate::error::CompileError;
use crate::loops::all_end;
use crate::options::ContextOptions;

/// A module in the language in which the driver's compiler gets it.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    Spirv(Vec<u32>),
}

/// A module that may run.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) text: Text,
    pub(crate) profile: &'static str,
    pub(crate) workgroup: u32,
    pub(crate) covers: u32,
    pub(crate) software: Vec<&'static str>,
    /// Whether every loop is known to end.
    pub(crate) ends: bool,
}

impl Module {
    /// The module of a kernel that these options ask for.
    pub(crate) fn choose(
        spec: &'static KernelSpec,
        _options: &ContextOptions,
    ) -> Result<Self, CompileError> {
        Self::embedded(spec)
    }

    fn embedded(spec: &'static KernelSpec) -> Result<Self, CompileError> {
        let module = &spec.module;
        let (words, rest) = module.spirv.as_chunks::<4>();
        if words.is_empty() || !rest.is_empty() {
            return Err(CompileError::Malformed {
                kernel: spec.name,
                reason: format!("a SPIR-V module of {} bytes", module.spirv.len()),
            });
        }
        Ok(Self {
            text: Text::Spirv(words.iter().map(|word| u32::from_le_bytes(*word)).collect()),
            profile: module.profile,
            workgroup: module.workgroup,
            covers: module.covers,
            software: module.software.to_vec(),
            ends: all_end(spec.ir),
        })
    }

    /// SHA-256 of what runs, in hexadecimal: of SPIR-V the words, little-endian.
    pub(crate) fn digest(&self) -> String {
        let mut hash = Sha256::new();
        match &self.text {
            Text::Spirv(words) => words
                .iter()
                .for_each(|word| hash.update(word.to_le_bytes())),
        }
        hash.finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}
