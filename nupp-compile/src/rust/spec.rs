//! Prints what the macro embeds: the `SPEC` constant, and the device's half of a kernel's module,
//! which stands in a macro of the facade that is empty without the feature `gpu`.

use super::embedded::{Binding, Canonical, Embedded, LengthGuard};
use super::ops::{ident, scalar_type};
use super::writer::Writer;
use super::{CRATE, item};
use nupp_core::artifact::{GuardOp, KernelKind};
use nupp_core::ir::entity::Scalar;
use nupp_core::ir::kernel::{Access, Kernel, ParamRef};

/// The text of `SPEC` and of the device's half; `line` is that of the kernel's name, 0 where it is
/// not known.
pub fn artifact(kernel: &Kernel, embedded: &Embedded, line: usize) -> String {
    let mut out = Writer::default();
    spec(&mut out, embedded, line);
    device(&mut out, kernel);
    out.finish()
}

/// The device's half alone, with an empty artifact: what stands for a kernel of a refused block.
pub fn hollow(kernel: &Kernel) -> String {
    artifact(kernel, &Embedded::hollow(kernel), 0)
}

fn spec(out: &mut Writer, embedded: &Embedded, line: usize) {
    let name = &embedded.name;
    out.line(format!("/// What is embedded of the kernel `{name}`."));
    out.open("pub const SPEC: rt::KernelSpec = rt::KernelSpec {");
    out.line(format!("name: {name:?},"));
    out.line("file: file!(),");
    out.line(match line {
        0 => "line: line!(),".to_owned(),
        line => format!("line: {line},"),
    });
    out.line(format!("kind: {},", kind(embedded.kind)));
    out.open("bindings: &[");
    for binding in &embedded.bindings {
        binding_spec(out, binding);
    }
    out.close("],");
    out.open("uniforms: &[");
    for uniform in &embedded.uniforms {
        let ty = scalar_variant(uniform.ty);
        let name = &uniform.name;
        out.line(format!("rt::UniformSpec {{ name: {name:?}, ty: {ty} }},"));
    }
    out.close("],");
    out.open("guards: &[");
    for guard in &embedded.guards {
        guard_spec(out, guard);
    }
    out.close("],");
    out.line(format!("scratch_bytes: {},", embedded.scratch_bytes));
    out.line(format!("register_bytes: {},", embedded.register_bytes));
    out.line(format!("barriers: {},", embedded.barriers));
    out.line(format!("ir: {},", bytes(&embedded.ir)));
    module_spec(out, &embedded.module);
    out.close("};");
}

fn binding_spec(out: &mut Writer, binding: &Binding) {
    out.open("rt::BindingSpec {");
    out.line(format!("name: {:?},", binding.name));
    out.line(format!("element: {:?},", binding.element));
    out.line(format!("words: {},", binding.words));
    out.line(format!("write: {},", binding.write));
    out.line(format!("loop_indexed: {},", binding.loop_indexed));
    out.line(format!("scatter: {},", binding.scatter));
    out.close("},");
}

fn module_spec(out: &mut Writer, module: &Canonical) {
    out.open("module: rt::ModuleSpec {");
    out.line(format!("profile: {:?},", module.profile));
    out.line(format!("spirv: {},", bytes(&module.spirv)));
    out.line(format!("workgroup: {},", module.workgroup));
    out.line(format!("covers: {},", module.covers));
    out.line(format!("software: &{:?},", module.software));
    out.close("},");
}

fn kind(kind: KernelKind) -> String {
    match kind {
        KernelKind::Map { primary } => format!("rt::KernelKind::Map {{ primary: {primary} }}"),
        KernelKind::Groups {
            size,
            span,
            divisor,
            ceil,
        } => format!(
            "rt::KernelKind::Groups {{ size: {size}, span: {span}, divisor: {divisor}, ceil: {ceil} }}"
        ),
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

fn guard_spec(out: &mut Writer, guard: &LengthGuard) {
    let steps: Vec<String> = guard.cond.iter().map(|&step| guard_op(step)).collect();
    out.open("rt::GuardSpec {");
    out.line(format!("cond: &[{}],", steps.join(", ")));
    out.line(format!("message: {:?},", guard.message));
    out.line(format!("text: {:?},", guard.text));
    out.close("},");
}

fn guard_op(step: GuardOp) -> String {
    let name = match step {
        GuardOp::Const(value) => return format!("rt::GuardOp::Const({value})"),
        GuardOp::Length(span) => return format!("rt::GuardOp::Length({span})"),
        GuardOp::Mul => "Mul",
        GuardOp::Add => "Add",
        GuardOp::Eq => "Eq",
        GuardOp::Lt => "Lt",
        GuardOp::Le => "Le",
        GuardOp::And => "And",
        GuardOp::Or => "Or",
        GuardOp::Not => "Not",
    };
    format!("rt::GuardOp::{name}")
}

/// A byte string.
fn bytes(bytes: &[u8]) -> String {
    let mut text = String::from("b\"");
    for &byte in bytes {
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
    out.line("/// What runs: the form, profile and digest of the module, and what its operations rest on.");
    out.line("#[must_use]");
    out.open("pub fn raw(&self) -> &rt::RawKernel {");
    out.line("&self.raw");
    out.close("}");
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
