//! Which module of a kernel runs on this context, and in which language it is handed over.
//!
//! The embedded SPIR-V runs where its profile is the device's, or the one asked for. Otherwise the Source IR is
//! decoded, verified again, lowered for the profile, verified again and printed. Everything a
//! launch needs to know of a module (lanes of a workgroup, what one covers, what is carried in
//! software) is here with it, so that nothing after this asks where the module came from.

use sha2::{Digest, Sha256};

use nupp_core::artifact::KernelSpec;
use nupp_core::device::claims::Checks;
use nupp_core::device::lower_device;
use nupp_core::device::profile::{Profile, Route};
use nupp_core::emit;
use nupp_core::ir::codec;
use nupp_core::verify;

use crate::choice::{Choice, FormReason};
use crate::error::CompileError;
use crate::loops;
use crate::native::{Declared, FloatControls, Native};
use crate::options::{ContextOptions, ModuleForm};

/// A module in the language in which the driver's compiler gets it.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    Spirv(Vec<u32>),
    Wgsl(String),
    /// SPIR-V for the driver itself.
    Native(Vec<u32>),
}

/// In which language a module is handed over, and what it declares there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    Spirv,
    Wgsl,
    Native(Declared),
}

/// The forms that a context may give its modules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forms {
    asked: Option<ModuleForm>,
    first: Form,
    native: Result<Declared, &'static str>,
}

impl Forms {
    /// What these options leave, on a device that takes native modules or says why not.
    pub(crate) fn of(
        options: &ContextOptions,
        native: Result<Native, &'static str>,
    ) -> Result<Self, &'static str> {
        let wanted = options.modes.unwrap_or(FloatControls::ALL);
        let native = native.map(|native| native.declare(wanted));
        let first = match options.form {
            None | Some(ModuleForm::Spirv) => Form::Spirv,
            Some(ModuleForm::Wgsl) => Form::Wgsl,
            Some(ModuleForm::Native) => Form::Native(native?),
        };
        Ok(Self {
            asked: options.form,
            first,
            native,
        })
    }

    /// The only form, where the options ask for one.
    pub(crate) fn asked(self) -> Option<ModuleForm> {
        self.asked
    }

    /// The form that is asked for, or the portable one.
    pub(crate) fn first(self) -> Form {
        self.first
    }

    /// Another that a module may get: a native one, or where the device takes none and the portable form
    /// does not hold on it, WGSL, which reaches the driver's compiler as other text.
    pub(crate) fn second(self, portable_holds: bool) -> Option<Form> {
        match (self.asked, self.native) {
            (None, Ok(declared)) => Some(Form::Native(declared)),
            (None, Err(_)) if !portable_holds => Some(Form::Wgsl),
            (None, Err(_)) | (Some(_), _) => None,
        }
    }

    /// Whether the device takes native modules.
    pub(crate) fn native(self) -> Result<Declared, &'static str> {
        self.native
    }

    /// A form by its name.
    pub(crate) fn by_name(self, form: ModuleForm) -> Result<Form, &'static str> {
        match form {
            ModuleForm::Spirv => Ok(Form::Spirv),
            ModuleForm::Wgsl => Ok(Form::Wgsl),
            ModuleForm::Native => self.native.map(Form::Native),
        }
    }
}

impl Form {
    /// Its name.
    pub(crate) fn kind(self) -> ModuleForm {
        match self {
            Form::Spirv => ModuleForm::Spirv,
            Form::Wgsl => ModuleForm::Wgsl,
            Form::Native(_) => ModuleForm::Native,
        }
    }

    /// The float modes that it declares.
    pub(crate) fn modes(self) -> FloatControls {
        match self {
            Form::Spirv | Form::Wgsl => FloatControls::default(),
            Form::Native(declared) => declared.modes(),
        }
    }
}

/// A module that may run.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) text: Text,
    pub(crate) form: Form,
    pub(crate) profile: &'static str,
    pub(crate) workgroup: u32,
    pub(crate) covers: u32,
    /// Bytes of workgroup memory.
    pub(crate) scratch: u64,
    pub(crate) software: Vec<&'static str>,
    /// What it checks, for which it binds what its lanes claim.
    pub(crate) checks: Checks,
    /// Whether every loop is known to end.
    pub(crate) ends: bool,
    /// Why it has this form.
    pub(crate) reason: FormReason,
    /// What the operations that the kernel asks for rest on.
    pub(crate) routes: Vec<(&'static str, Route)>,
}

impl Module {
    /// The module of a kernel that was chosen: the embedded one where it is that and nothing is to be
    /// checked.
    pub(crate) fn of(
        spec: &'static KernelSpec,
        choice: Choice,
        checks: Checks,
    ) -> Result<Self, CompileError> {
        let (profile, form) = (&choice.profile, choice.form);
        let module = if checks.any() {
            Self::emit_checked(spec, profile, form, checks)?
        } else if profile.name == spec.module.profile && form == Form::Spirv {
            Self::embedded(spec)?
        } else {
            Self::emit(spec, profile, form)?
        };
        Ok(Self {
            reason: choice.reason,
            routes: choice.routes,
            ..module
        })
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
            form: Form::Spirv,
            text: Text::Spirv(words.iter().map(|word| u32::from_le_bytes(*word)).collect()),
            profile: module.profile,
            workgroup: module.workgroup,
            covers: module.covers,
            scratch: u64::from(spec.scratch_bytes) * u64::from(module.covers),
            software: module.software.to_vec(),
            checks: Checks::default(),
            ends: codec::decode(spec.ir).is_ok_and(|kernel| loops::kernel_ends(&kernel)),
            reason: FormReason::Asked,
            routes: Vec::new(),
        })
    }

    /// Emits a module from the representation that is embedded.
    pub(crate) fn emit(
        spec: &'static KernelSpec,
        profile: &Profile,
        form: Form,
    ) -> Result<Self, CompileError> {
        Self::emit_checked(spec, profile, form, Checks::default())
    }

    fn emit_checked(
        spec: &'static KernelSpec,
        profile: &Profile,
        form: Form,
        checks: Checks,
    ) -> Result<Self, CompileError> {
        let malformed = |reason: String| CompileError::Malformed {
            kernel: spec.name,
            reason,
        };
        let kernel = codec::decode(spec.ir).map_err(|error| malformed(error.to_string()))?;
        let kernel =
            verify::source::verify(kernel).map_err(|error| malformed(error.to_string()))?;
        let module = lower_device::lower_checked(&kernel, profile, checks)
            .map_err(|error| malformed(error.to_string()))?;
        let module =
            verify::device::verify(module).map_err(|error| malformed(error.to_string()))?;
        let ends = loops::module_ends(&module);
        let text = match form {
            Form::Spirv => Text::Spirv(emit::spirv::emit(&module)),
            Form::Wgsl => Text::Wgsl(emit::wgsl::emit(&module)),
            Form::Native(declared) => {
                let options = declared.options(!ends);
                Text::Native(emit::spirv::emit_with(&module, &options))
            }
        };
        Ok(Self {
            form,
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
            checks,
            ends,
            reason: FormReason::Asked,
            routes: Vec::new(),
        })
    }

    /// SHA-256 of what runs, in hexadecimal: of SPIR-V the words, little-endian, of WGSL the text.
    pub(crate) fn digest(&self) -> String {
        let mut hash = Sha256::new();
        match &self.text {
            Text::Spirv(words) | Text::Native(words) => words
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_native_form_needs_a_device_that_takes_it() {
        let options = |form| ContextOptions::new().form(form);
        let refused = Err("too old");
        let forms = Forms::of(&options(ModuleForm::Native), refused);
        assert_eq!(forms.map(Forms::first), Err("too old"));
        for form in [ModuleForm::Spirv, ModuleForm::Wgsl] {
            let forms = Forms::of(&options(form), refused).expect("a portable form");
            assert_eq!(forms.first().kind(), form);
            assert_eq!(forms.asked(), Some(form));
            assert_eq!([true, false].map(|holds| forms.second(holds)), [None; 2]);
        }
        let open = Forms::of(&ContextOptions::new(), refused).expect("the portable form");
        assert_eq!((open.first(), open.second(true)), (Form::Spirv, None));
        assert_eq!(open.second(false), Some(Form::Wgsl), "another text");
        assert_eq!(open.by_name(ModuleForm::Native), Err("too old"));
        assert_eq!(open.by_name(ModuleForm::Wgsl), Ok(Form::Wgsl));
    }
}
