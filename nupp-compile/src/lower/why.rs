//! Why a computed element was refused: which fact was there and why it is not enough.

use super::access::Wanted;
use super::exits::{lengths_of, locals_of};
use super::state::{Fact, Lower};
use crate::proof::cursor::{Bound, holds};
use crate::proof::explain;
use crate::proof::guards::length_guards;
use crate::proof::reason::{Premises, Reasoner, Term};
use nupp_core::ir::entity::{ScratchId, SpanId, Value};
use nupp_core::ir::op::ScalarOp;
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::hir::{Expr, ExprKind, LocalId};

/// A gap this small between a cursor and a length comes from a comparison, not from their types.
const NEAR: i64 = 1 << 16;

impl<'a> Lower<'a> {
    /// What the kernel calls a span: the name that its guards use.
    pub(super) fn kernel_name(&self, span: SpanId) -> String {
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
        } else if let Some(name) = self.zero_based(want, index) {
            explain::zero(want.at, &element, &span, &name)
        } else if !matches!(want.index.authored.kind, ExprKind::Length(_))
            && holds(&self.world, &self.premises(true), bound)
        {
            // Before what is near: the number of groups bounds a cursor nearly, too.
            self.wrapped_sum(want, &span, &test)
        } else if let Some(by) = self.gap(index, want.span) {
            explain::past(want.at, &element, &span, &test, by)
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
            } else {
                self.explain_hiding(&mut mistake, want.index.authored);
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

    /// A comparison of a sum that may have wrapped.
    fn wrapped_sum(&self, want: Wanted<'a>, span: &str, test: &str) -> Diagnostic {
        let fact = self.facts_about(want.span);
        let fact = fact.last().map(|f| self.fact_text(f));
        let help = self.wrap_help(want, span, test);
        let most = if has_signed_sum(want.index.authored) {
            i32::MAX as u32
        } else {
            u32::MAX
        };
        let element = self.element_text(want);
        explain::wraps(want.at, &element, span, fact.as_deref(), (most, help))
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

/// Whether an index adds as int32, which wraps earlier.
fn has_signed_sum(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Op(ScalarOp::I32Add | ScalarOp::I32Sub | ScalarOp::I32Mul, _) => true,
        ExprKind::Op(_, args) => args.iter().any(has_signed_sum),
        _ => false,
    }
}
