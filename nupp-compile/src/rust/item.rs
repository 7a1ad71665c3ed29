//! Prints the items of one kernel: the function, and its module, in which lengths and guards are
//! checked before a `Body` (`body`) is made and run.

use super::fun::Fun;
use super::ops::{ident, scalar_type};
use super::writer::Writer;
use super::{CRATE, guards};
use crate::cpu::Plan;
use nupp_core::ir::kernel::{Access, Body, Elem, Kernel, ParamRef, SpanDecl};
use nupp_core::verify::Verified;

/// A kernel to print.
#[derive(Clone, Copy, Debug)]
pub struct KernelItem<'a> {
    /// The kernel.
    pub kernel: &'a Verified<Kernel>,
    /// Whether it is `pub`.
    pub public: bool,
    /// `#[doc]` texts, in order.
    pub docs: &'a [String],
    /// What goes to the end of its module: the artifact and the device's half, as text.
    pub rest: &'a str,
}

/// The text of a kernel's items.
pub fn kernel(item: &KernelItem<'_>) -> String {
    items(item.kernel, item.public, item.docs, item.rest)
}

/// Items of the same names and types that do nothing: what stands for a kernel of a refused
/// block, so that its callers are not errors too. Only the parameters are looked at.
pub fn stand_in(kernel: &Kernel, public: bool) -> String {
    items(kernel, public, &[], &super::spec::hollow(kernel))
}

fn items(kernel: &Kernel, public: bool, authored: &[String], rest: &str) -> String {
    let plan = Plan::of(kernel);
    let print = Print {
        kernel,
        plan: &plan,
    };
    let mut out = Writer::default();
    print.function(&mut out, public, authored);
    print.module(&mut out, public, rest);
    out.finish()
}

/// Prints documentation: the author's, or a sentence of ours.
pub fn docs(out: &mut Writer, docs: &[String], otherwise: &str) {
    if docs.is_empty() {
        out.line(format!("/// {otherwise}"));
    }
    for text in docs {
        out.line(format!("#[doc = {text:?}]"));
    }
}

/// Permits what the author's names and number of parameters ask for.
pub fn permit(out: &mut Writer, kernel: &Kernel) {
    let upper = |name: &str| name.chars().any(char::is_uppercase);
    let spans = kernel.spans.iter().map(|span| span.name.as_str());
    let uniforms = kernel.uniforms.iter().map(|uniform| uniform.name.as_str());
    let mut names = spans.chain(uniforms).chain([kernel.name.as_str()]);
    if names.any(upper) {
        out.line("#[allow(non_snake_case)]");
    }
    if kernel.params.len() > 7 {
        out.line("#[allow(clippy::too_many_arguments)]");
    }
}

/// A kernel, and how its function runs it.
pub(super) struct Print<'a> {
    pub kernel: &'a Kernel,
    pub plan: &'a Plan,
}

/// The Rust type of an element: inside the module a struct is the parent's.
pub fn elem_type(kernel: &Kernel, elem: Elem, inside: bool) -> String {
    match elem {
        Elem::Scalar(ty) => scalar_type(ty).to_owned(),
        Elem::Struct(id) => {
            let name = ident(&kernel.structs[id.index()].name);
            if inside {
                format!("super::{name}")
            } else {
                name
            }
        }
    }
}

impl Print<'_> {
    pub(super) fn slice(&self, span: &SpanDecl, inside: bool, life: &str) -> String {
        let elem = elem_type(self.kernel, span.elem, inside);
        match span.access {
            Access::Read => format!("&{life}[{elem}]"),
            Access::Write => format!("&{life}mut [{elem}]"),
        }
    }

    /// The parameters in declaration order, each by what `name` makes of it.
    fn params(
        &self,
        span: impl Fn(usize, &SpanDecl) -> String,
        uniform: impl Fn(usize) -> String,
    ) -> String {
        let texts: Vec<String> = self
            .kernel
            .params
            .iter()
            .map(|param| match param {
                ParamRef::Span(id) => span(id.index(), &self.kernel.spans[id.index()]),
                ParamRef::Uniform(id) => uniform(id.index()),
            })
            .collect();
        texts.join(", ")
    }

    /// The parameters as the author named them, with their types.
    fn signature(&self, inside: bool) -> String {
        self.params(
            |_, span| format!("{}: {}", ident(&span.name), self.slice(span, inside, "")),
            |u| {
                let uniform = &self.kernel.uniforms[u];
                format!("{}: {}", ident(&uniform.name), scalar_type(uniform.ty))
            },
        )
    }

    /// The parameters as arguments.
    fn arguments(&self) -> String {
        self.params(
            |_, span| ident(&span.name),
            |u| ident(&self.kernel.uniforms[u].name),
        )
    }

    fn function(&self, out: &mut Writer, public: bool, authored: &[String]) {
        let name = &self.kernel.name;
        docs(out, authored, &format!("The kernel `{name}`, on the CPU."));
        self.errors(out);
        permit(out, self.kernel);
        let visible = if public { "pub " } else { "" };
        out.open(format!(
            "{visible}fn {}({}) -> {CRATE}::rt::Result<(), {CRATE}::KernelError> {{",
            ident(name),
            self.signature(false)
        ));
        out.line(format!("{}::cpu({})", ident(name), self.arguments()));
        out.close("}");
    }

    fn errors(&self, out: &mut Writer) {
        out.line("///");
        out.line("/// # Errors");
        out.line("/// Where a guard does not hold, a slice is too long, or this thread's");
        out.line("/// floating-point environment has been changed.");
    }

    fn module(&self, out: &mut Writer, public: bool, rest: &str) {
        let name = &self.kernel.name;
        let visible = if public { "pub " } else { "" };
        out.line(format!("/// The forms of the kernel `{name}`."));
        if name.chars().any(char::is_uppercase) {
            out.line("#[allow(non_snake_case)]");
        }
        out.open(format!("{visible}mod {} {{", ident(name)));
        out.line(format!("use {CRATE}::rt;"));
        out.line("");
        self.entry(out, "pub(super) ", "cpu", "serial");
        if self.plan.disjoint {
            out.open(format!("{CRATE}::__rayon! {{"));
            out.line("/// The same bits, with parts of the work on the threads of rayon's pool.");
            self.errors(out);
            self.entry(out, "pub ", "cpu_parallel", "parallel");
            self.split(out);
            out.close("}");
        }
        self.prepare(out);
        self.body_struct(out);
        self.lane_body(out);
        self.work(out);
        for line in rest.lines() {
            out.line(line);
        }
        out.close("}");
    }

    fn entry(&self, out: &mut Writer, visible: &str, name: &str, run: &str) {
        permit(out, self.kernel);
        out.open(format!(
            "{visible}fn {name}({}) -> rt::Result<(), rt::KernelError> {{",
            self.signature(true)
        ));
        out.line(format!("rt::{run}(self::body({})?)", self.arguments()));
        out.close("}");
    }

    /// `body(..)`: checks lengths and guards.
    fn prepare(&self, out: &mut Writer) {
        permit(out, self.kernel);
        let (generics, life) = if self.body_type() == "Body" {
            ("", "")
        } else {
            ("<'a>", "'a ")
        };
        let params = self.params(
            |s, span| format!("b{s}: {}", self.slice(span, true, life)),
            |u| {
                let used = self.plan.uniforms[u] || self.guards_use_uniforms();
                let dash = if used { "" } else { "_" };
                format!("{dash}u{u}: {}", scalar_type(self.kernel.uniforms[u].ty))
            },
        );
        let fields = self.fields();
        out.open(format!(
            "fn body{generics}({params}) -> rt::Result<{}, rt::KernelError> {{",
            self.body_type().replace("'_", "'a")
        ));
        let mut fun = Fun::new(self.kernel, self.plan, "<rt::Baseline as rt::Isa>");
        for (s, span) in self.kernel.spans.iter().enumerate() {
            let name = &span.name;
            fun.out
                .line(format!("let n{s} = rt::length({name:?}, b{s}.len())?;"));
        }
        for guard in &self.kernel.guards {
            guards::check(&mut fun, guard);
        }
        let count = match &self.kernel.body {
            Body::Map { primary, .. } => format!("n{} as usize", primary.0),
            Body::Groups(groups) => {
                let rule = groups.rule;
                let round = if rule.ceil {
                    "rt::groups_ceil"
                } else {
                    "rt::groups_floor"
                };
                format!(
                    "{round}(n{}, {}, {})?",
                    rule.span.0, rule.divisor, groups.size
                )
            }
        };
        fun.out.line(format!("let count = {count};"));
        let names: Vec<String> = fields.into_iter().map(|field| field.name).collect();
        let first = if self.needs_first() { "first: 0, " } else { "" };
        fun.out.line(format!(
            "rt::Ok(Body {{ {first}count, {} }})",
            names.join(", ")
        ));
        for line in fun.out.finish().lines() {
            out.line(line);
        }
        out.close("}");
    }

    fn guards_use_uniforms(&self) -> bool {
        self.kernel
            .guards
            .iter()
            .any(|guard| matches!(guard.cond, nupp_core::ir::kernel::GuardCond::Scalar(_)))
    }
}
