//! What the tests of the runtime share: a context or a reason for none, and kernels by hand.
//!
//! The kernels follow the interface of every module (`nupp_core::artifact`) but are written in WGSL
//! and turned into SPIR-V here, so that the runtime is tested apart from the compiler.

#![allow(dead_code)]

pub mod embedded;

use nupp_core::artifact::{
    BindingSpec, GuardSpec, KernelKind, KernelSpec, ModuleSpec, UniformLayout, UniformSpec,
};
use nupp_core::ir::codec;
use nupp_core::ir::entity::Scalar;
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::samples;
use nupp_gpu::{Backend, Context, ContextOptions, OpenError};

/// Opens a device, or says that the test was skipped; with `NUPP_REQUIRE_GPU=1` absence fails. Native
/// modules are absent where the device is not reached through Vulkan, whatever is required.
pub fn context_with(options: ContextOptions) -> Option<Context> {
    let through_vulkan = || Context::open().is_ok_and(|it| it.device().backend == Backend::Vulkan);
    match Context::open_with(options) {
        Ok(context) => Some(context),
        Err(error @ OpenError::NoNative { .. }) if !through_vulkan() => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) if std::env::var_os("NUPP_REQUIRE_GPU").is_some_and(|value| value == "1") => {
            panic!("NUPP_REQUIRE_GPU is set: {error}")
        }
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// Opens the default device, or says that the test was skipped.
pub fn context() -> Option<Context> {
    context_with(ContextOptions::default())
}

/// A kernel by hand.
pub struct Sketch {
    pub name: &'static str,
    pub kind: KernelKind,
    pub spans: Vec<BindingSpec>,
    pub uniforms: usize,
    pub guards: Vec<GuardSpec>,
    pub workgroup: u32,
    pub covers: u32,
    /// Statements of the entry point. In sight: `span0`, … (arrays of words), `word(i)` (of the
    /// uniform block), `arg(i)` (authored), `len(i)` and `at(i)` (of a span: its length and where
    /// it begins), `local` and `workgroup`, the linear workgroup number, which is below the number of
    /// workgroups.
    pub body: &'static str,
    /// Declarations outside the entry point.
    pub outside: &'static str,
}

pub const fn span(name: &'static str, element: &'static str, write: bool) -> BindingSpec {
    BindingSpec {
        name,
        element,
        words: 1,
        write,
        loop_indexed: true,
        scatter: false,
    }
}

impl Sketch {
    /// A map over spans of one word, 64 lanes a workgroup.
    pub fn map(name: &'static str, spans: Vec<BindingSpec>, body: &'static str) -> Self {
        Self {
            name,
            kind: KernelKind::Map { primary: 0 },
            spans,
            uniforms: 0,
            guards: Vec::new(),
            workgroup: 64,
            covers: 64,
            body,
            outside: "",
        }
    }

    pub fn uniforms(mut self, uniforms: usize) -> Self {
        self.uniforms = uniforms;
        self
    }

    pub fn guard(mut self, guard: GuardSpec) -> Self {
        self.guards.push(guard);
        self
    }

    pub fn wgsl(&self) -> String {
        let layout = self.layout();
        let spans: String = self
            .spans
            .iter()
            .enumerate()
            .map(|(position, span)| {
                let access = if span.write { "read_write" } else { "read" };
                format!(
                    "@group(0) @binding({position}) var<storage, {access}> span{position}: \
                     array<u32>;\n"
                )
            })
            .collect();
        let entry = match self.kind {
            KernelKind::Map { .. } => format!(
                "let lane = workgroup * {covers}u + local;\n\
                 if workgroup < (word({count}u) + {covers}u - 1u) / {covers}u && lane < word({count}u) {{\n{}\n}}",
                self.body,
                covers = self.covers,
                count = UniformLayout::COUNT,
            ),
            KernelKind::Groups { .. } => self.body.to_owned(),
        };
        format!(
            "{spans}@group(0) @binding({last}) var<uniform> block: array<vec4<u32>, {vectors}>;\n\
             {outside}\n\
             fn word(i: u32) -> u32 {{ return block[i / 4u][i % 4u]; }}\n\
             fn len(i: u32) -> u32 {{ return word({spans_at}u + 2u * i); }}\n\
             fn at(i: u32) -> u32 {{ return word({spans_at}u + 2u * i + 1u); }}\n\
             fn arg(i: u32) -> u32 {{ return word({uniforms_at}u + i); }}\n\
             @compute @workgroup_size({size}) fn main(@builtin(workgroup_id) id: vec3<u32>, \
             @builtin(local_invocation_index) local: u32) {{\n\
             let workgroup = word({base}u) + id.y * word({width}u) + id.x;\n{entry}\n}}\n",
            last = self.spans.len(),
            vectors = layout.words() / 4,
            outside = self.outside,
            spans_at = UniformLayout::SPANS,
            uniforms_at = layout.uniform(0),
            size = self.workgroup,
            base = UniformLayout::GROUP_BASE,
            width = UniformLayout::WIDTH,
        )
    }

    fn layout(&self) -> UniformLayout {
        UniformLayout {
            spans: self.spans.len() as u32,
            uniforms: self.uniforms as u32,
        }
    }

    /// The kernel as a constant that lives as long as the process.
    pub fn embed(self) -> &'static KernelSpec {
        let spirv = spirv(&self.wgsl());
        let uniform = UniformSpec {
            name: "word",
            ty: Scalar::U32,
        };
        Box::leak(Box::new(KernelSpec {
            name: self.name,
            file: file!(),
            line: line!(),
            kind: self.kind,
            bindings: self.spans.leak(),
            uniforms: vec![uniform; self.uniforms].leak(),
            guards: self.guards.leak(),
            scratch_bytes: 0,
            register_bytes: 0,
            barriers: 0,
            // Of a map that computes nothing: these kernels are tested for other things.
            ir: codec::encode(&samples::float_map(ScalarOp::F32Neg)).leak(),
            module: ModuleSpec {
                profile: "conservative",
                spirv: spirv.leak(),
                workgroup: self.workgroup,
                covers: self.covers,
                software: &[],
            },
        }))
    }
}

fn spirv(wgsl: &str) -> Vec<u8> {
    let module = naga::front::wgsl::parse_str(wgsl)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(wgsl)));
    let info = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::empty(),
    )
    .validate(&module)
    .expect("a valid kernel");
    let options = naga::back::spv::Options {
        lang_version: (1, 3),
        ..Default::default()
    };
    naga::back::spv::write_vec(&module, &info, &options, None)
        .expect("a kernel that SPIR-V can say")
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect()
}

/// `output[i] = input[i] * factor + add`, all uint32, under a guard of equal lengths.
pub fn affine() -> &'static KernelSpec {
    use nupp_core::artifact::GuardOp::{Eq, Length};
    Sketch::map(
        "affine",
        vec![
            span("output", "uint32", true),
            span("input", "uint32", false),
        ],
        "span0[lane] = span1[lane] * arg(0u) + arg(1u);",
    )
    .uniforms(2)
    .guard(GuardSpec {
        cond: &[Length(0), Length(1), Eq],
        message: "lengths differ",
        text: "#output == #input",
    })
    .embed()
}

/// `values[i] = values[i] + step`, in place.
pub fn bump() -> &'static KernelSpec {
    Sketch::map(
        "bump",
        vec![span("values", "uint32", true)],
        "span0[lane] = span0[lane] + arg(0u);",
    )
    .uniforms(1)
    .embed()
}
