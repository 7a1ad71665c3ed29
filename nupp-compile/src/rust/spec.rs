//! Prints what the macro embeds: the `SPEC` constant, and the device's half of a kernel's module,
//! which stands in a macro of the facade that is empty without the feature `gpu`.

use super::ops::{ident, scalar_type};
use super::writer::Writer;
use super::{CRATE, item};
use crate::cpu::Plan;
use nupp_core::device::ir::Module;
use nupp_core::ir::entity::Scalar;
use nupp_core::ir::kernel::{
    Access, Body, CmpOp, Elem, Guard, GuardCond, Kernel, LengthCond, LengthSum, ParamRef,
};

/// What `SPEC` says besides the kernel itself.
#[derive(Clone, Debug)]
pub struct Artifact<'a> {
    /// The line of the kernel's name, from 1; 0 where it is not known.
    pub line: usize,
    /// The canonical module, for its numbers.
    pub module: &'a Module,
    /// Its words.
    pub spirv: &'a [u32],
    /// The encoded kernel.
    pub ir: &'a [u8],
    /// Bytes a group of scratch that lanes share.
    pub scratch_bytes: u64,
    /// Bytes a lane of scratch that may live in registers.
    pub register_bytes: u64,
}

/// The text of `SPEC` and of the device's half.
pub fn artifact(kernel: &Kernel, artifact: &Artifact<'_>) -> String {
    let mut out = Writer::default();
    spec(&mut out, kernel, artifact);
    device(&mut out, kernel);
    out.finish()
}

/// The device's half alone, with an empty artifact: what stands for a kernel of a refused block.
pub fn hollow(kernel: &Kernel) -> String {
    let module = Module {
        name: String::new(),
        profile: "",
        buffers: Vec::new(),
        uniforms: nupp_core::artifact::UniformLayout {
            spans: 0,
            uniforms: 0,
        },
        workgroup: Vec::new(),
        private: Vec::new(),
        register_bytes: 0,
        size: 0,
        covers: 0,
        values: Vec::new(),
        functions: Vec::new(),
        body: nupp_core::ir::flow::Region::default(),
        software: Vec::new(),
        barriers: 0,
    };
    let empty = Artifact {
        line: 0,
        module: &module,
        spirv: &[],
        ir: &[],
        scratch_bytes: 0,
        register_bytes: 0,
    };
    artifact(kernel, &empty)
}

fn spec(out: &mut Writer, kernel: &Kernel, artifact: &Artifact<'_>) {
    let plan = Plan::of(kernel);
    let module = artifact.module;
    let name = &kernel.name;
    out.line(format!("/// What is embedded of the kernel `{name}`."));
    out.open("pub const SPEC: rt::KernelSpec = rt::KernelSpec {");
    out.line(format!("name: {name:?},"));
    out.line("file: file!(),");
    out.line(match artifact.line {
        0 => "line: line!(),".to_owned(),
        line => format!("line: {line},"),
    });
    out.line(format!("kind: {},", kind(kernel)));
    out.open("bindings: &[");
    for (span, used) in kernel.spans.iter().zip(&plan.spans) {
        let element = element_name(kernel, span.elem);
        let indexed = matches!(kernel.body, Body::Map { .. }) && (used.own || used.shifted);
        out.open("rt::BindingSpec {");
        out.line(format!("name: {:?},", span.name));
        out.line(format!("element: {element:?},"));
        out.line(format!("words: {},", kernel.elem_words(span.elem)));
        out.line(format!("write: {},", span.access == Access::Write));
        out.line(format!("loop_indexed: {indexed},"));
        out.line(format!("scatter: {},", used.scatter));
        out.close("},");
    }
    out.close("],");
    out.open("uniforms: &[");
    for uniform in &kernel.uniforms {
        let ty = scalar_variant(uniform.ty);
        let name = &uniform.name;
        out.line(format!("rt::UniformSpec {{ name: {name:?}, ty: {ty} }},"));
    }
    out.close("],");
    out.open("guards: &[");
    for guard in &kernel.guards {
        guard_spec(out, guard);
    }
    out.close("],");
    out.line(format!("scratch_bytes: {},", artifact.scratch_bytes));
    out.line(format!("register_bytes: {},", artifact.register_bytes));
    out.line(format!("barriers: {},", module.barriers));
    out.line(format!("ir: {},", bytes(artifact.ir.iter().copied())));
    out.open("module: rt::ModuleSpec {");
    out.line(format!("profile: {:?},", module.profile));
    let words = artifact.spirv.iter().flat_map(|word| word.to_le_bytes());
    out.line(format!("spirv: {},", bytes(words)));
    out.line(format!("workgroup: {},", module.size));
    out.line(format!("covers: {},", module.covers));
    out.line(format!("software: &{:?},", module.software));
    out.close("},");
    out.close("};");
}

fn kind(kernel: &Kernel) -> String {
    match &kernel.body {
        Body::Map { primary, .. } => format!("rt::KernelKind::Map {{ primary: {} }}", primary.0),
        Body::Groups(groups) => {
            let rule = groups.rule;
            format!(
                "rt::KernelKind::Groups {{ size: {}, span: {}, divisor: {}, ceil: {} }}",
                groups.size, rule.span.0, rule.divisor, rule.ceil
            )
        }
    }
}

/// The element's name in the kernel language.
fn element_name(kernel: &Kernel, elem: Elem) -> String {
    match elem {
        Elem::Scalar(ty) => language_name(ty).to_owned(),
        Elem::Struct(id) => kernel.structs[id.index()].name.clone(),
    }
}

fn language_name(ty: Scalar) -> &'static str {
    match ty {
        Scalar::F32 => "float",
        Scalar::I32 => "int32",
        Scalar::U32 => "uint32",
        Scalar::Bool => "boolean",
    }
}

fn scalar_variant(ty: Scalar) -> &'static str {
    match ty {
        Scalar::F32 => "rt::Scalar::F32",
        Scalar::I32 => "rt::Scalar::I32",
        Scalar::U32 => "rt::Scalar::U32",
        Scalar::Bool => "rt::Scalar::Bool",
    }
}

fn guard_spec(out: &mut Writer, guard: &Guard) {
    // A guard over scalars stands in kernels of the CPU alone, which have no artifact.
    let GuardCond::Lengths(cond) = &guard.cond else {
        return;
    };
    let mut ops = Vec::new();
    condition(cond, &mut ops);
    let ops: Vec<String> = ops.iter().map(|op| format!("rt::GuardOp::{op}")).collect();
    out.open("rt::GuardSpec {");
    out.line(format!("cond: &[{}],", ops.join(", ")));
    out.line(format!(
        "message: {:?},",
        guard.message.as_deref().unwrap_or("")
    ));
    out.line(format!("text: {:?},", guard.text));
    out.close("},");
}

fn condition(cond: &LengthCond, ops: &mut Vec<String>) {
    match cond {
        LengthCond::Cmp { op, lhs, rhs } => comparison(*op, lhs, rhs, ops),
        LengthCond::And(a, b) => {
            condition(a, ops);
            condition(b, ops);
            ops.push("And".to_owned());
        }
        LengthCond::Or(a, b) => {
            condition(a, ops);
            condition(b, ops);
            ops.push("Or".to_owned());
        }
        LengthCond::Not(inner) => {
            condition(inner, ops);
            ops.push("Not".to_owned());
        }
    }
}

fn comparison(op: CmpOp, lhs: &LengthSum, rhs: &LengthSum, ops: &mut Vec<String>) {
    let (first, second, name, not) = match op {
        CmpOp::Eq => (lhs, rhs, "Eq", false),
        CmpOp::Ne => (lhs, rhs, "Eq", true),
        CmpOp::Lt => (lhs, rhs, "Lt", false),
        CmpOp::Le => (lhs, rhs, "Le", false),
        CmpOp::Gt => (rhs, lhs, "Lt", false),
        CmpOp::Ge => (rhs, lhs, "Le", false),
    };
    sum(first, ops);
    sum(second, ops);
    ops.push(name.to_owned());
    if not {
        ops.push("Not".to_owned());
    }
}

fn sum(sum: &LengthSum, ops: &mut Vec<String>) {
    let mut terms = 0;
    let mut add = |ops: &mut Vec<String>| {
        terms += 1;
        if terms > 1 {
            ops.push("Add".to_owned());
        }
    };
    for (factor, span) in &sum.terms {
        ops.push(format!("Length({})", span.0));
        if *factor != 1 {
            ops.push(format!("Const({factor})"));
            ops.push("Mul".to_owned());
        }
        add(ops);
    }
    if sum.constant != 0 || sum.terms.is_empty() {
        ops.push(format!("Const({})", sum.constant));
        add(ops);
    }
}

/// A byte string.
fn bytes(bytes: impl Iterator<Item = u8>) -> String {
    let mut text = String::from("b\"");
    for byte in bytes {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            0x20..=0x7e => text.push(char::from(byte)),
            _ => {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                text.push_str("\\x");
                text.push(char::from(DIGITS[usize::from(byte >> 4)]));
                text.push(char::from(DIGITS[usize::from(byte & 15)]));
            }
        }
    }
    text.push('"');
    text
}

/// Compiling, binding, dispatching.
fn device(out: &mut Writer, kernel: &Kernel) {
    out.open(format!("{CRATE}::__gpu! {{"));
    handle(
        out,
        "Kernel",
        "The kernel, compiled for a device.",
        "RawKernel",
    );
    handle(out, "Binding", "Buffers bound to the kernel.", "RawBinding");
    compile(out);
    out.open("impl Kernel {");
    bind(out, kernel);
    close(out, "Kernel");
    out.close("}");
    out.open("impl Binding {");
    dispatch(out, kernel);
    close(out, "Binding");
    out.close("}");
    out.close("}");
}

fn handle(out: &mut Writer, name: &str, doc: &str, raw: &str) {
    out.line(format!("/// {doc} Clones are the same one."));
    out.line("#[derive(Clone, Debug)]");
    out.open(format!("pub struct {name} {{"));
    out.line(format!("raw: rt::{raw},"));
    out.close("}");
}

fn errors(out: &mut Writer, when: &str) {
    out.line("///");
    out.line("/// # Errors");
    out.line(format!("/// {when}"));
}

fn compile(out: &mut Writer) {
    out.line("/// Compiles the kernel for the context's device.");
    errors(
        out,
        "Where the device cannot run it, or cannot give its bits.",
    );
    out.open("pub fn compile(context: &rt::Context) -> rt::Result<Kernel, rt::CompileError> {");
    out.line("let raw = context.compile_raw(&SPEC)?;");
    out.line("rt::Ok(Kernel { raw })");
    out.close("}");
    out.line("/// As `compile`, without blocking where the device answers later.");
    errors(out, "As `compile`.");
    out.open(
        "pub async fn compile_async(context: &rt::Context) \
         -> rt::Result<Kernel, rt::CompileError> {",
    );
    out.line("let raw = context.compile_raw_async(&SPEC).await?;");
    out.line("rt::Ok(Kernel { raw })");
    out.close("}");
}

fn bind(out: &mut Writer, kernel: &Kernel) {
    let mut params = vec!["&self".to_owned()];
    let mut slots = Vec::new();
    for span in &kernel.spans {
        let slot = match span.access {
            Access::Read => "Slot",
            Access::Write => "SlotMut",
        };
        let (name, elem) = (ident(&span.name), item::elem_type(kernel, span.elem, true));
        params.push(format!("{name}: impl Into<rt::{slot}<{elem}>>"));
        slots.push(format!("rt::RawSlot::from({name}.into())"));
    }
    out.line("/// Binds buffers to the spans, in declaration order.");
    errors(
        out,
        "Where a guard does not hold, or a buffer does not fit its span.",
    );
    item::permit(out, kernel);
    out.open(format!(
        "pub fn bind({}) -> rt::Result<Binding, rt::BindError> {{",
        params.join(", ")
    ));
    out.line(format!(
        "let raw = self.raw.bind(rt::Vec::from([{}]))?;",
        slots.join(", ")
    ));
    out.line("rt::Ok(Binding { raw })");
    out.close("}");
}

fn dispatch(out: &mut Writer, kernel: &Kernel) {
    let mut params = vec!["&self".to_owned()];
    let mut words = Vec::new();
    for param in &kernel.params {
        let ParamRef::Uniform(id) = param else {
            continue;
        };
        let uniform = &kernel.uniforms[id.index()];
        let name = ident(&uniform.name);
        params.push(format!("{name}: {}", scalar_type(uniform.ty)));
        words.push(match uniform.ty {
            Scalar::F32 => format!("{name}.to_bits()"),
            Scalar::I32 => format!("{name}.cast_unsigned()"),
            Scalar::U32 | Scalar::Bool => name,
        });
    }
    out.line("/// Records one run of the kernel and returns; see `Context::synchronize`.");
    errors(
        out,
        "Where the work is too large, or the device has failed.",
    );
    item::permit(out, kernel);
    out.open(format!(
        "pub fn dispatch({}) -> rt::Result<(), rt::DispatchError> {{",
        params.join(", ")
    ));
    out.line(format!("self.raw.dispatch(&[{}])", words.join(", ")));
    out.close("}");
}

fn close(out: &mut Writer, name: &str) {
    out.line("/// Releases it now rather than when the last clone is dropped.");
    errors(out, "Hands it back where something else still holds it.");
    out.open("pub fn close(self) -> rt::Result<(), rt::StillHeld<Self>> {");
    out.line(format!(
        "self.raw.close().map_err(|held| held.map(|raw| {name} {{ raw }}))"
    ));
    out.close("}");
}
