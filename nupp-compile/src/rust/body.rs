//! Prints what runs of a kernel: the struct `Body`, which holds what the lanes need, `work` over its
//! fields, and how a body is cut in two for threads.
//!
//! `item` prints what checks lengths and guards and makes a `Body`; `map` and `groups` print the
//! statements of `work`.

use super::fun::Fun;
use super::item::Print;
use super::ops::scalar_type;
use super::writer::Writer;
use super::{groups, map};
use crate::cpu::{Lanes, SpanUse, work};
use nupp_core::ir::kernel::{Access, Body, SpanDecl};

impl Print<'_> {
    /// Whether the body asks for the number of its first lane or group.
    pub(super) fn needs_first(&self) -> bool {
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
    pub(super) fn fields(&self) -> Vec<Field> {
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

    pub(super) fn body_type(&self) -> &'static str {
        let slices = self.plan.spans.iter().any(|span| span.any());
        if slices { "Body<'_>" } else { "Body" }
    }

    pub(super) fn body_struct(&self, out: &mut Writer) {
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

    pub(super) fn lane_body(&self, out: &mut Writer) {
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
    pub(super) fn work(&self, out: &mut Writer) {
        match &self.kernel.body {
            Body::Map { index, region, .. } if self.plan.lanes == Lanes::Blocks => {
                let rest = self.rest();
                self.inner(out, Inner::Work, |fun| map::blocks(fun, &rest, region));
                self.inner(out, Inner::LaneByLane, |fun| map::body(fun, *index, region));
            }
            Body::Map { index, region, .. } => {
                self.inner(out, Inner::Work, |fun| map::body(fun, *index, region));
            }
            Body::Groups(found) => self.inner(out, Inner::Work, |fun| groups::body(fun, found)),
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
    fn inner(&self, out: &mut Writer, which: Inner, print: impl Fn(&mut Fun<'_>)) {
        let (inline, name, isa) = match which {
            Inner::Work => (true, "work<I: rt::Isa, const W: usize>", "I"),
            Inner::LaneByLane => (false, "lane_by_lane", "<rt::Baseline as rt::Isa>"),
        };
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
        if inline {
            out.line("#[inline(always)]");
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
    pub(super) fn split(&self, out: &mut Writer) {
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
pub(super) struct Field {
    pub name: String,
    ty: String,
    inner: String,
    /// Elements of a unit of work, for a written span.
    part: Option<u32>,
}

/// One of the functions over the body's fields.
enum Inner {
    /// All lanes, by a width of vectors.
    Work,
    /// The lanes that are left over, one after the other.
    LaneByLane,
}
