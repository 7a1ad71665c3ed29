//! Which module of a kernel runs on this context, and in which language it is handed over.
//!
//! The embedded SPIR-V runs where its profile is the one asked for. Otherwise the Source IR is
//! decoded, verified again, lowered for the profile, verified again and printed. Everything a
//! launch needs to know of a module (lanes of a workgroup, what one covers, what is carried in
//! software) is here with it, so that nothing after this asks where the module came from.

use sha2::{Digest, Sha256};

use nupp_core::artifact::KernelSpec;
use nupp_core::device::lower_device;
use nupp_core::device::profile::Profile;
use nupp_core::emit;
use nupp_core::ir::codec;
use nupp_core::verify;

use crate::error::CompileError;
use crate::loops;
use crate::options::{ContextOptions, ModuleForm};

/// A module in the language in which the driver's compiler gets it.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    Spirv(Vec<u32>),
    Wgsl(String),
}

/// A module that may run.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) text: Text,
    pub(crate) profile: &'static str,
    pub(crate) workgroup: u32,
    pub(crate) covers: u32,
    /// Bytes of workgroup memory.
    pub(crate) scratch: u64,
    pub(crate) software: Vec<&'static str>,
    /// Whether every loop is known to end.
    pub(crate) ends: bool,
}

impl Module {
    /// The module of a kernel that these options ask for.
    pub(crate) fn choose(
        spec: &'static KernelSpec,
        options: &ContextOptions,
    ) -> Result<Self, CompileError> {
        let embedded = spec.module.profile;
        let wanted = options.profile.filter(|profile| profile.name != embedded);
        match (wanted, options.form) {
            (None, ModuleForm::Spirv) => Self::embedded(spec),
            (None, ModuleForm::Wgsl) => {
                let known = Profile::ALL.iter().find(|known| known.name == embedded);
                // A profile that this build does not know asked for no more than this one does.
                Self::emit(
                    spec,
                    known.unwrap_or(&Profile::CONSERVATIVE),
                    ModuleForm::Wgsl,
                )
            }
            (Some(profile), form) => Self::emit(spec, &profile, form),
        }
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
            scratch: u64::from(spec.scratch_bytes) * u64::from(module.covers),
            software: module.software.to_vec(),
            ends: codec::decode(spec.ir).is_ok_and(|kernel| loops::kernel_ends(&kernel)),
        })
    }

    fn emit(
        spec: &'static KernelSpec,
        profile: &Profile,
        form: ModuleForm,
    ) -> Result<Self, CompileError> {
        let malformed = |reason: String| CompileError::Malformed {
            kernel: spec.name,
            reason,
        };
        let kernel = codec::decode(spec.ir).map_err(|error| malformed(error.to_string()))?;
        let kernel =
            verify::source::verify(kernel).map_err(|error| malformed(error.to_string()))?;
        let module =
            lower_device::lower(&kernel, profile).map_err(|error| malformed(error.to_string()))?;
        let module =
            verify::device::verify(module).map_err(|error| malformed(error.to_string()))?;
        let text = match form {
            ModuleForm::Spirv => Text::Spirv(emit::spirv::emit(&module)),
            ModuleForm::Wgsl => Text::Wgsl(emit::wgsl::emit(&module)),
        };
        Ok(Self {
            text,
            profile: module.profile,
            workgroup: module.size,
            covers: module.covers,
            scratch: module
                .workgroup
                .iter()
                .map(|array| u64::from(array.len) * 4)
                .sum(),
            software: module.software.clone(),
            ends: loops::module_ends(&module),
        })
    }

    /// SHA-256 of what runs, in hexadecimal: of SPIR-V the words, little-endian, of WGSL the text.
    pub(crate) fn digest(&self) -> String {
        let mut hash = Sha256::new();
        match &self.text {
            Text::Spirv(words) => words
                .iter()
                .for_each(|word| hash.update(word.to_le_bytes())),
            Text::Wgsl(text) => hash.update(text),
        }
        hash.finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}
