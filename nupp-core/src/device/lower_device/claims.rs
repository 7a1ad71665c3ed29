//! What a checked module claims (`device::claims`), and whether its loops were left early.
//!
//! Scatters: plain stores, or, in a checked module, a store by whoever claims the element first and a
//! note of who came later. Where the claims of a span begin follows from the lengths of the scattered
//! spans before it, so a checked module needs no word of the uniform block that another lacks. What the
//! words mean is said in `device::claims`.

use super::{LowerError, Lowering, Rep};
use crate::artifact::UniformLayout;
use crate::device::claims::{Checks, LEFT, MET, SLOTS, scattered};
use crate::device::ir::{BufferDecl, DeviceLeaf, DeviceRegion};
use crate::device::soft::dsl::U;
use crate::device::turns::{LAST, LAST_GIVES, step};
use crate::ir::entity::{Scalar, SpanId, Value};
use crate::ir::flow::LoopKind;
use crate::ir::kernel::Kernel;

/// What a module checks.
#[derive(Clone, Debug, Default)]
pub(super) struct Claiming {
    /// The spans into which scatters are checked.
    pub(super) spans: Vec<SpanId>,
    /// Whether loops are.
    pub(super) loops: bool,
}

impl Claiming {
    pub(super) fn of(kernel: &Kernel, checks: Checks) -> Self {
        let spans = match checks.scatter {
            true => scattered(kernel),
            false => Vec::new(),
        };
        let loops = checks.loops;
        Self { spans, loops }
    }

    /// Whether the module has a buffer of claims.
    pub(super) fn any(&self) -> bool {
        self.loops || !self.spans.is_empty()
    }
}

/// The buffer of the claims.
pub(super) fn buffer() -> BufferDecl {
    BufferDecl {
        name: "claims".into(),
        write: true,
        words: 1,
        atomic: true,
    }
}

impl<'a> Lowering<'a> {
    /// Writes the fields of an element, checked where the module is.
    pub(super) fn scatter(
        &mut self,
        span: SpanId,
        index: Value,
        values: &[Value],
    ) -> Result<(), LowerError> {
        let element = self.rep(index)?.v;
        let fields: Vec<Rep> = self.all(values)?;
        if !self.claimed.contains(&span) {
            self.scatter_fields(span, element, &fields);
            return Ok(());
        }
        let before: Vec<SpanId> = self.claimed.iter().copied().filter(|s| *s < span).collect();
        let slot = self.lengths(&before, element);
        let word = self.past_head(slot);
        let lane = !self.lane_number();
        let owner = self.raise(word, lane);
        let zero = self.uint(0);
        let free = owner.eq(self.u(zero));
        let mark = self.mark_hidden();
        self.ctx.borrow_mut().open();
        self.scatter_fields(span, element, &fields);
        self.forget_hidden(mark);
        let then = self.ctx.borrow_mut().close(Vec::new());
        self.ctx.borrow_mut().open();
        let later = owner.min(lane);
        let met = self.uint(MET);
        self.raise(self.u(met), later);
        let all = self.claimed.clone();
        let note = self.lengths(&all, (!later).v);
        let note = self.past_head(note);
        self.raise(note, !slot);
        let els = self.ctx.borrow_mut().close(Vec::new());
        self.ctx.borrow_mut().if_(free.v, then, els);
        Ok(())
    }

    fn scatter_fields(&mut self, span: SpanId, element: Value, fields: &[Rep]) {
        for (field, rep) in (0..).zip(fields) {
            let word = self.span_word(span, self.u(element), field);
            self.buffer_store(span, word, *rep);
        }
    }

    /// A number past the elements of these spans.
    fn lengths(&mut self, spans: &[SpanId], past: Value) -> U<'a> {
        let mut sum = self.u(past);
        for span in spans {
            let length = self.word(self.layout.length(span.0));
            sum = self.u(length) + sum;
        }
        sum
    }

    fn past_head(&mut self, n: U<'a>) -> U<'a> {
        let head = self.uint(SLOTS);
        n + self.u(head)
    }

    /// Where all lanes have done their work: a loop of a few turns, and a note where it does not take
    /// them (`device::turns`). How many they are is unknown to the compiler.
    pub(super) fn watch_loops(&mut self) {
        let (q, q2) = (self.word(UniformLayout::Q), self.word(UniformLayout::Q2));
        let (one, last) = (self.uint(1), self.uint(LAST));
        let last = (self.u(last) ^ self.u(q)).v;
        let init = vec![q2];
        let params = self.ctx.borrow_mut().loop_params(&init);
        let var = self.ctx.borrow_mut().counted_var(one, last);
        self.ctx.borrow_mut().open();
        let next = step(&mut self.ctx.borrow_mut(), params[0]);
        let body = self.ctx.borrow_mut().close(vec![next]);
        let kind = LoopKind::Counted {
            var,
            lo: one,
            hi: last,
        };
        let given = self.ctx.borrow_mut().loop_(kind, params, init, body, false);
        let (meant, left) = (self.uint(LAST_GIVES), self.uint(LEFT));
        let early = self.u(given[0]).ne(self.u(meant));
        self.ctx.borrow_mut().open();
        self.raise(self.u(left), self.u(one));
        let then = self.ctx.borrow_mut().close(Vec::new());
        self.ctx
            .borrow_mut()
            .if_(early.v, then, DeviceRegion::default());
    }

    /// The lane's number in the whole dispatch.
    fn lane_number(&mut self) -> U<'a> {
        let own = self.own_index();
        let first = self.scaled(own, self.lanes());
        match self.local {
            Some(local) => first + self.u(local),
            None => first,
        }
    }

    /// Raises a word of the claims and gives what it was.
    fn raise(&self, index: U<'a>, value: U<'a>) -> U<'a> {
        let leaf = DeviceLeaf::BufferMax {
            buffer: self.kernel.spans.len() as u32,
            index: index.v,
            value: value.v,
        };
        self.u(self.ctx.borrow_mut().leaf(leaf, Scalar::U32))
    }
}
