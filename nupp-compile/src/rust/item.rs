//! Prints the items of one kernel: the function, and its module.

use super::fun::Fun;
use super::ops::{ident, scalar_type};
use super::writer::Writer;
use super::{CRATE, groups, guards, map};
use crate::cpu::{Lanes, Plan, SpanUse, work};
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

struct Print<'a> {
    kernel: &'a Kernel,
    plan: &'a Plan,
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
    fn slice(&self, span: &SpanDecl, inside: bool, life: &str) -> String {
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

    /// Whether the body asks for the number of its first lane or group.
    fn needs_first(&self) -> bool {
        match &self.kernel.body {
            Body::Map { index, .. } => {
                let reads = |(span, used): (&SpanDecl, &SpanUse)| {
                    used.scatter || (span.access == Access::Read && used.own) || used.shifted
                };
                self.plan.live.value(*index)
                    || self.kernel.spans.iter().zip(&self.plan.spans).any(reads)
            }
            Body::Groups(groups) => {
                self.plan.live.value(groups.group)
                    || self.plan.spans.iter().any(|span| span.scatter)
            }
        }
    }

    /// What the body holds besides `first` and `count`.
    fn fields(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        for (s, span) in self.kernel.spans.iter().enumerate() {
            if self.plan.lengths[s] {
                fields.push(Field {
                    name: format!("n{s}"),
                    ty: "u32".to_owned(),
                    inner: "u32".to_owned(),
                    part: None,
                });
            }
            if self.plan.spans[s].any() {
                let used = &self.plan.spans[s];
                let stride = if used.own { 1 } else { used.stride };
                fields.push(Field {
                    name: format!("b{s}"),
                    ty: self.slice(span, true, "'a "),
                    inner: self.slice(span, true, ""),
                    part: (span.access == Access::Write).then_some(stride),
                });
            }
        }
        for (u, uniform) in self.kernel.uniforms.iter().enumerate() {
            if self.plan.uniforms[u] {
                fields.push(Field {
                    name: format!("u{u}"),
                    ty: scalar_type(uniform.ty).to_owned(),
                    inner: scalar_type(uniform.ty).to_owned(),
                    part: None,
                });
            }
        }
        fields
    }

    fn body_type(&self) -> &'static str {
        let slices = self.plan.spans.iter().any(|span| span.any());
        if slices { "Body<'_>" } else { "Body" }
    }

    fn body_struct(&self, out: &mut Writer) {
        let life = self.body_type().replace("'_", "'a");
        out.open(format!("struct {life} {{"));
        if self.needs_first() {
            out.line("first: usize,");
        }
        out.line("count: usize,");
        for field in self.fields() {
            out.line(format!("{}: {},", field.name, field.ty));
        }
        out.close("}");
    }

    fn lane_body(&self, out: &mut Writer) {
        let names = self.names();
        out.line("#[allow(clippy::inline_always)]");
        out.open(format!("impl rt::LaneBody for {} {{", self.body_type()));
        out.line("#[inline(always)]");
        out.open("fn run<I: rt::Isa, const W: usize>(self) -> rt::Result<(), rt::KernelError> {");
        out.line(format!("let Body {{ {names} }} = self;"));
        out.line(format!("work::<I, W>({names})"));
        out.close("}");
        out.close("}");
    }

    fn names(&self) -> String {
        let mut names = Vec::new();
        if self.needs_first() {
            names.push("first".to_owned());
        }
        names.push("count".to_owned());
        names.extend(self.fields().into_iter().map(|field| field.name));
        names.join(", ")
    }

    /// `work`: a function of its own, so that rustc knows that written slices overlap nothing.
    fn work(&self, out: &mut Writer) {
        let generics = "<I: rt::Isa, const W: usize>";
        match &self.kernel.body {
            Body::Map { index, region, .. } if self.plan.lanes == Lanes::Blocks => {
                let rest = self.rest();
                self.inner(
                    out,
                    "#[inline(always)]",
                    &format!("work{generics}"),
                    "I",
                    |fun| {
                        map::blocks(fun, &rest, region);
                    },
                );
                self.inner(
                    out,
                    "",
                    "lane_by_lane",
                    "<rt::Baseline as rt::Isa>",
                    |fun| {
                        map::body(fun, *index, region);
                    },
                );
            }
            Body::Map { index, region, .. } => {
                self.inner(
                    out,
                    "#[inline(always)]",
                    &format!("work{generics}"),
                    "I",
                    |fun| {
                        map::body(fun, *index, region);
                    },
                );
            }
            Body::Groups(found) => {
                self.inner(
                    out,
                    "#[inline(always)]",
                    &format!("work{generics}"),
                    "I",
                    |fun| {
                        groups::body(fun, found);
                    },
                );
            }
        }
    }

    /// The call that runs the lanes from `done` on, one after the other.
    fn rest(&self) -> String {
        let mut arguments = Vec::new();
        if self.needs_first() {
            arguments.push("first + done".to_owned());
        }
        arguments.push("count - done".to_owned());
        for field in self.fields() {
            let name = &field.name;
            arguments.push(match field.part {
                None => name.clone(),
                Some(1) => format!("rt::split({name}, done).1"),
                Some(stride) => format!("rt::split({name}, done * {stride}).1"),
            });
        }
        format!("lane_by_lane({})", arguments.join(", "))
    }

    /// A function over the body's fields.
    fn inner(
        &self,
        out: &mut Writer,
        inline: &str,
        name: &str,
        isa: &'static str,
        print: impl Fn(&mut Fun<'_>),
    ) {
        let mut params = Vec::new();
        if self.needs_first() {
            params.push("first: usize".to_owned());
        }
        params.push("count: usize".to_owned());
        for field in self.fields() {
            params.push(format!("{}: {}", field.name, field.inner));
        }
        // What these name is the nature of printed code: long, numbered, flat.
        out.line("#[allow(clippy::inline_always, clippy::many_single_char_names)]");
        out.line("#[allow(clippy::assign_op_pattern, clippy::let_and_return)]");
        out.line("#[allow(clippy::extra_unused_type_parameters)]");
        out.line("#[allow(clippy::manual_memcpy, clippy::needless_range_loop)]");
        out.line("#[allow(clippy::similar_names)]");
        out.line("#[allow(clippy::too_many_arguments, clippy::too_many_lines)]");
        out.line("#[allow(clippy::unnecessary_wraps)]");
        if !inline.is_empty() {
            out.line(inline);
        }
        out.open(format!(
            "fn {name}({}) -> rt::Result<(), rt::KernelError> {{",
            params.join(", ")
        ));
        let text = Fun::settled(self.kernel, self.plan, isa, print);
        for line in text.lines() {
            out.line(line);
        }
        out.close("}");
    }

    /// How the body is cut in two for threads.
    fn split(&self, out: &mut Writer) {
        let unit = work::of_unit(self.kernel);
        let names = self.names();
        out.open(format!("impl rt::Split for {} {{", self.body_type()));
        out.line(format!("const UNIT: u64 = {unit};"));
        out.open("fn count(&self) -> usize {");
        out.line("self.count");
        out.close("}");
        out.open("fn split(self, at: usize) -> (Self, Self) {");
        out.line(format!("let Body {{ {names} }} = self;"));
        let (mut left, mut right) = (Vec::new(), Vec::new());
        if self.needs_first() {
            left.push("first".to_owned());
            right.push("first: first + at".to_owned());
        }
        left.push("count: at".to_owned());
        right.push("count: count - at".to_owned());
        for field in self.fields() {
            let name = &field.name;
            match field.part {
                Some(stride) => {
                    let at = if stride == 1 {
                        "at".to_owned()
                    } else {
                        format!("at * {stride}")
                    };
                    out.line(format!(
                        "let ({name}, {name}_rest) = rt::split({name}, {at});"
                    ));
                    right.push(format!("{name}: {name}_rest"));
                }
                None => right.push(name.clone()),
            }
            left.push(name.clone());
        }
        out.line(format!(
            "(Body {{ {} }}, Body {{ {} }})",
            left.join(", "),
            right.join(", ")
        ));
        out.close("}");
        out.close("}");
    }
}

/// A field of the body.
struct Field {
    name: String,
    ty: String,
    inner: String,
    /// Elements of a unit of work, for a written span.
    part: Option<u32>,
}
