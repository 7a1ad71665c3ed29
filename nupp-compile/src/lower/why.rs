//! Why an access was refused: which fact was there and why it is not enough.

use super::access::Wanted;
use super::exits::{lengths_of, locals_of};
use super::seq::Index;
use super::state::{Fact, Lower};
use crate::proof::cursor::{Bound, holds};
use crate::proof::explain;
use crate::proof::guards::{contradiction, length_guards, one_sided};
use crate::proof::reason::{Premises, Reasoner, Term};
use crate::proof::world::Rule;
use nupp_core::ir::entity::{Scalar, ScratchId, SpanId, Value};
use nupp_core::ir::kernel::{CmpOp, Elem, Guard, GuardCond, LengthCond, LengthSum};
use nupp_core::ir::op::ScalarOp;
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::hir::{Expr, ExprKind, LocalId};
use nupp_front::span::SrcSpan;

/// A gap this small between a cursor and a length comes from a comparison, not from their types.
const NEAR: i64 = 1 << 16;

impl<'a> Lower<'a> {
    /// What the kernel calls a span: the name that its guards use.
    fn kernel_name(&self, span: SpanId) -> String {
        self.spans[span.index()].name.clone()
    }

    /// What the function being lowered calls a span: in a helper, the name of its parameter.
    pub(super) fn span_name(&self, span: SpanId) -> String {
        let frame = self.frame();
        let param = frame.spans.iter().position(|own| *own == Some(span));
        match param.and_then(|at| frame.func.params.get(at)) {
            Some(param) => param.name.text.clone(),
            None => self.kernel_name(span),
        }
    }

    /// The same of a scratch array.
    pub(super) fn array_name(&self, array: ScratchId) -> String {
        let frame = self.frame();
        let param = frame.arrays.iter().position(|own| *own == Some(array));
        match param.and_then(|at| frame.func.params.get(at)) {
            Some(param) => param.name.text.clone(),
            None => self.scratch[array.index()].name.clone(),
        }
    }

    pub(super) fn premises(&self, trusting: bool) -> Premises<'_> {
        Premises {
            facts: self.known(),
            guards: length_guards(&self.guards)
                .into_iter()
                .map(|g| g.1)
                .collect(),
            rule: true,
            trusting,
        }
    }

    /// A computed element that nothing proves.
    pub(super) fn refuse_cursor(&mut self, want: Wanted<'a>, index: Value) {
        let element = self.element_text(want);
        let span = self.span_name(want.span);
        let cursor = self.cursor_text(want.index.authored);
        let test = self.test_text(want.index.authored, &span);
        let better = self.rewritten(want.index.authored);
        let better = better.map(|index| format!("`{span}[{index}]`"));
        if matches!(want.index.authored.kind, ExprKind::Const(0)) {
            let mistake = explain::element_zero(want.at, &element, &span, want.write);
            self.report(mistake);
            return;
        }
        let bound = Bound::Element(index, 0, want.span);
        let mut mistake = if let Some((fact, local)) = self.stale_fact(want) {
            let text = self.fact_text(fact);
            let at = fact.cond.map_or(want.at, |c| c.at);
            let local = self.names().func.locals[local.index()].name.text.clone();
            let fact = (text.as_str(), at);
            explain::stale(want.at, &element, &span, &cursor, &local, fact, want.write)
        } else if let Some(by) = self.gap(index, want.span) {
            explain::past(want.at, &element, &span, &test, by)
        } else if let Some(name) = self.zero_based(want, index) {
            explain::zero(want.at, &element, &span, &name)
        } else if !matches!(want.index.authored.kind, ExprKind::Length(_))
            && holds(&self.world, &self.premises(true), bound)
        {
            let fact = self
                .facts_about(want.span)
                .last()
                .map(|f| self.fact_text(f));
            let help = self.wrap_help(want, &span, &test);
            explain::wraps(want.at, &element, &span, fact.as_deref(), help)
        } else {
            explain::unproved(want.at, &element, &span, &test, want.write)
        };
        if let (Some(better), Code::CursorPast | Code::CursorUnproved | Code::CursorWraps) =
            (better, mistake.code)
        {
            mistake.help = Some(format!("write {better} under `if {test} then ... end`"));
        }
        if matches!(mistake.code, Code::CursorPast | Code::CursorUnproved) {
            for fact in self.facts_about(want.span) {
                let at = fact.cond.map(|c| c.at);
                mistake = mistake.note(at, format!("`{}` holds here", self.fact_text(fact)));
            }
            if let Some(name) = self.hidden(want) {
                let text = format!(
                    "the element's `{}` is this one, not the one that is compared",
                    name.text
                );
                mistake = mistake.note(Some(name.at), text);
            }
        }
        self.report(mistake);
    }

    /// The declaration of a local that the index reads, where a comparison with the span is about
    /// an outer one of the same name.
    fn hidden(&self, want: Wanted<'a>) -> Option<nupp_front::hir::Name> {
        let mut read = Vec::new();
        locals_of(want.index.authored, &mut read);
        let here = self.frames.len() - 1;
        let facts = self.facts_about(want.span);
        let own = facts.iter().filter(|fact| fact.frame == here);
        let compared: Vec<LocalId> = own
            .flat_map(|f| f.locals.iter().map(|(id, _)| *id))
            .collect();
        let id = self.hidden_local(&read, &compared)?;
        Some(self.names().func.locals[id.index()].name.clone())
    }

    /// The index as text, where all that is missing is that it is not 0.
    fn zero_based(&self, want: Wanted<'a>, index: Value) -> Option<String> {
        let sum = |e: &Expr| matches!(&e.kind, ExprKind::Op(ScalarOp::U32Add, _));
        let authored = want.index.authored;
        if sum(authored) || matches!(authored.kind, ExprKind::Length(_)) {
            return None;
        }
        // What is said of an int32 are two tests in any case.
        if matches!(authored.kind, ExprKind::Op(ScalarOp::U32FromI32, _)) {
            return None;
        }
        let (at, cursor) = (Term::Value(want.index.value), Term::Value(index));
        let length = Term::Length(want.span);
        let mut r = Reasoner::new(&self.world, &self.premises(false), &[at, cursor, length]);
        let inside = r.proves(at, length, 0) && r.range_of(want.index.value).0 == 0;
        inside.then(|| self.names().expr(want.index.authored))
    }

    /// The comparison that would bound a sum without wrapping.
    fn wrap_help(&self, want: Wanted<'a>, span: &str, test: &str) -> String {
        let wide = self
            .facts_about(want.span)
            .last()
            .and_then(|f| f.cond.and_then(offset_in));
        match wide {
            Some((base, k)) => {
                let base = self.names().expr(base);
                format!("test `{k} <= #{span} and {base} < #{span} - {k}`")
            }
            None => format!("test `{test}` as well"),
        }
    }

    /// How far past what is proved an element lies, where a comparison comes near it.
    fn gap(&self, index: Value, span: SpanId) -> Option<i64> {
        if self.facts_about(span).is_empty() {
            return None;
        }
        let (term, length) = (Term::Value(index), Term::Length(span));
        let mut r = Reasoner::new(&self.world, &self.premises(false), &[term, length]);
        let gap = r.gap(term, length)?;
        (0..NEAR).contains(&gap).then_some(gap + 1)
    }

    /// The dominating comparisons that name a span's length, outermost first.
    fn facts_about(&self, span: SpanId) -> Vec<&Fact<'a>> {
        let about = |fact: &&Fact<'a>| {
            let mut lengths = Vec::new();
            if let Some(cond) = fact.cond {
                lengths_of(cond, &mut lengths);
            }
            let spans = self.frames.get(fact.frame).map(|f| &f.spans);
            spans.is_some_and(|spans| {
                lengths
                    .iter()
                    .any(|id| spans.get(id.index()).copied().flatten() == Some(span))
            })
        };
        self.facts.iter().filter(about).collect()
    }

    fn fact_text(&self, fact: &Fact<'a>) -> String {
        let text = fact
            .cond
            .map_or_else(String::new, |cond| self.names_of(fact.frame).expr(cond));
        if fact.truth {
            text
        } else {
            format!("not ({text})")
        }
    }

    /// A comparison with the span's length that named a local of the element before the local was
    /// assigned.
    fn stale_fact(&self, want: Wanted<'a>) -> Option<(&Fact<'a>, LocalId)> {
        let mut read = Vec::new();
        locals_of(want.index.authored, &mut read);
        let here = self.frames.len() - 1;
        self.facts_about(want.span)
            .into_iter()
            .rev()
            .find_map(|fact| {
                if fact.frame != here {
                    return None;
                }
                let changed = |(id, then): &&(LocalId, Vec<Value>)| {
                    read.contains(id) && self.get(id.index()).is_some_and(|now| now != then)
                };
                fact.locals.iter().find(changed).map(|(id, _)| (fact, *id))
            })
    }

    /// An element's cursor as text: one less than the element.
    fn cursor_text(&self, e: &Expr) -> String {
        let names = self.names();
        match &e.kind {
            ExprKind::Const(bits) if *bits > 0 => (bits - 1).to_string(),
            ExprKind::Op(ScalarOp::U32Add, args) => match (&args[0].kind, &args[1].kind) {
                (_, ExprKind::Const(1)) => names.expr(&args[0]),
                (ExprKind::Const(1), _) => names.expr(&args[1]),
                (_, ExprKind::Const(k)) if *k > 0 => {
                    format!("{} + {}", names.expr(&args[0]), k - 1)
                }
                _ => format!("{} - 1", names.expr(e)),
            },
            _ => format!("{} - 1", names.expr(e)),
        }
    }

    /// A span that no guard makes as long as the primary.
    pub(super) fn refuse_unequal(&mut self, want: Wanted<'a>, primary: SpanId, offset: i64) {
        let element = self.element_text(want);
        let (span, first) = (self.kernel_name(want.span), self.kernel_name(primary));
        let known = one_sided(&self.world, &self.guards, want.span, primary);
        let guard = known.and_then(|chain| chain.first().copied());
        if let Some(guard) = self.other_relation(want.span, primary) {
            let index = self.map_index();
            let test = match offset {
                0 => format!("{index} <= #{span}"),
                1 => format!("{index} < #{span}"),
                k if k > 1 => format!("{k} <= #{span} and {index} <= #{span} - {k}"),
                k => format!("{index} > {} and {index} <= #{span}", -k),
            };
            let mistake = explain::related(want.at, &element, &span, &first, &guard, &test);
            self.report(mistake);
            return;
        }
        let mistake = match guard {
            Some(at) if offset == 0 => {
                let text = &self.guards[at as usize].text;
                explain::one_sided(want.at, &element, &span, &first, text)
            }
            _ => explain::unequal(want.at, &element, &span, &first),
        };
        self.report(mistake);
    }

    /// The name of a map's index.
    fn map_index(&self) -> String {
        match &self.kernel.shape {
            nupp_front::hir::Shape::Map { index, .. } => {
                self.kernel.func.locals[index.index()].name.text.clone()
            }
            nupp_front::hir::Shape::Workgroups(_) => String::new(),
        }
    }

    /// A guard that relates two spans, where they cannot be equally long beside it.
    fn other_relation(&self, a: SpanId, b: SpanId) -> Option<String> {
        let sum = |span| LengthSum {
            terms: vec![(1, span)],
            constant: 0,
        };
        let equal = Guard {
            cond: GuardCond::Lengths(LengthCond::Cmp {
                op: CmpOp::Eq,
                lhs: sum(a),
                rhs: sum(b),
            }),
            message: None,
            text: String::new(),
        };
        let mut guards = self.guards.clone();
        guards.push(equal);
        let chain = contradiction(&self.world, &guards)?;
        let own = chain
            .into_iter()
            .find(|at| (*at as usize) < self.guards.len())?;
        Some(self.guards[own as usize].text.clone())
    }

    /// An offset of the index that may leave the span.
    pub(super) fn refuse_offset(&mut self, want: Wanted<'a>, offset: i64) {
        let element = self.element_text(want);
        let span = self.kernel_name(want.span);
        let index = self.map_index();
        let mistake = explain::offset(want.at, &element, &span, &index, offset);
        self.report(mistake);
    }

    /// A written span at an element that is not the lane's own.
    pub(super) fn refuse_elsewhere(&mut self, want: Wanted<'a>) {
        let element = self.element_text(want);
        let span = self.span_name(want.span);
        let map = matches!(self.world.rule, Rule::Map { .. });
        let mistake = if want.write {
            explain::elsewhere(want.at, &element, &span, map)
        } else {
            let elem = self.elem_text(self.spans[want.span.index()].elem);
            explain::cross_read(want.at, &element, &self.kernel_name(want.span), &elem)
        };
        self.report(mistake);
    }

    /// An element's type, as an author writes it.
    fn elem_text(&self, elem: Elem) -> String {
        match elem {
            Elem::Scalar(Scalar::F32) => "float".to_owned(),
            Elem::Scalar(Scalar::I32) => "int32".to_owned(),
            Elem::Scalar(Scalar::U32) => "uint32".to_owned(),
            Elem::Scalar(Scalar::Bool) => "boolean".to_owned(),
            Elem::Struct(id) => self.structs[id.index()].name.clone(),
        }
    }

    /// A block of elements that no guard makes room for.
    pub(super) fn refuse_block(&mut self, want: Wanted<'a>, primary: SpanId, stride: u32) {
        let element = self.element_text(want);
        let (span, first) = (self.kernel_name(want.span), self.kernel_name(primary));
        let mistake = explain::block(want.at, &element, &span, &first, stride);
        self.report(mistake);
    }

    /// A slot that may leave its block.
    pub(super) fn refuse_block_slot(&mut self, want: Wanted<'a>, stride: u32) {
        let element = self.element_text(want);
        let span = self.span_name(want.span);
        let slot = self.slot_of_block(want.index.authored);
        let mistake = explain::block_slot(want.at, &element, &span, stride, slot.as_deref());
        self.report(mistake);
    }

    /// A block of a group whose first element may wrap.
    pub(super) fn refuse_group_wrap(&mut self, want: Wanted<'a>, stride: u32) {
        let Rule::Groups { span, divisor, .. } = self.world.rule else {
            return;
        };
        let element = self.element_text(want);
        let name = self.kernel_name(span);
        let mistake = explain::group_wraps(want.at, &element, (&name, divisor), stride);
        self.report(mistake);
    }

    /// A read of a written span outside a phase.
    pub(super) fn refuse_controller_read(&mut self, want: Wanted<'a>) {
        let element = self.element_text(want);
        let text = format!(
            "`{element}` reads a written span between phases, where no lane owns an element"
        );
        let help = "read it in a phase, at the element that its lane writes: \
                    `phases:run(function(localIndex) ... end)`";
        self.report(Diagnostic::new(Code::CrossRead, want.at, text).help(help));
    }

    /// A slot outside its array.
    pub(super) fn refuse_slot(&mut self, array: ScratchId, index: Index<'a>, at: SrcSpan) {
        let element = self.slot_text(array, index.authored);
        let decl = &self.scratch[array.index()];
        let (name, count) = (self.array_name(array), decl.count);
        let term = Term::Value(index.value);
        let mut r = Reasoner::new(&self.world, &self.premises(false), &[term]);
        let (_, highest) = r.range_of(index.value);
        let text = self.names().expr(index.authored);
        let mistake = explain::slot(at, &element, &name, count, highest, &text);
        self.report(mistake);
    }
}

/// `base + k` compared with something, the base and the constant.
fn offset_in(cond: &Expr) -> Option<(&Expr, u32)> {
    match &cond.kind {
        ExprKind::And(a, b) => offset_in(b).or_else(|| offset_in(a)),
        ExprKind::Op(ScalarOp::U32Lt | ScalarOp::U32Le, args) => match &args[0].kind {
            ExprKind::Op(ScalarOp::U32Add, sum) => match (&sum[0].kind, &sum[1].kind) {
                (_, ExprKind::Const(k)) => Some((&sum[0], *k)),
                (ExprKind::Const(k), _) => Some((&sum[1], *k)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
