//! Statements in order, without early exits.
//!
//! What follows an `if` that may be left early goes into the one side that falls through. Where
//! several sides do, a flag says whether control came out, and the rest runs under it, once. So
//! nothing is duplicated, and no flag exists where no path rejoins.

use super::branch::{Live, Side};
use super::exits::{falls, may_exit, stmt_may_exit};
use super::state::{Lower, Val};

use nupp_core::ir::entity::Value;
use nupp_front::hir::{ArrayRef, Block, Expr, LocalId, ParamId, Stmt, StmtKind, Target};

use nupp_front::span::SrcSpan;

/// Statements that follow, up to the end of the enclosing body.
#[derive(Clone, Copy)]
pub(super) struct Rest<'a, 'r> {
    stmts: &'a [Stmt],
    next: Option<&'r Rest<'a, 'r>>,
}

impl Rest<'_, '_> {
    /// Whether nothing follows.
    pub(super) fn is_empty(&self) -> bool {
        self.stmts.is_empty() && self.next.is_none_or(Rest::is_empty)
    }
}

/// What comes after the first arm of an `if`.
#[derive(Clone, Copy)]
enum Else<'a> {
    Arms(&'a [(Expr, Block)], &'a Block),
    Block(&'a Block),
}

impl<'a> Else<'a> {
    fn after(arms: &'a [(Expr, Block)], els: &'a Block) -> Self {
        match arms {
            [] | [_] => Else::Block(els),
            [_, more @ ..] => Else::Arms(more, els),
        }
    }

    fn falls(self) -> bool {
        match self {
            Else::Arms(arms, els) => arms.iter().any(|a| falls(&a.1)) || falls(els),
            Else::Block(els) => falls(els),
        }
    }
}

/// An element's number and the text it comes from.
#[derive(Clone, Copy)]
pub(super) struct Index<'a> {
    pub value: Value,
    pub authored: &'a Expr,
}

/// What an assignment stores to, its element evaluated.
enum Place<'a> {
    Local(LocalId),
    Field(LocalId, u32),
    Span(ParamId, Index<'a>, u32),
    Slot(ArrayRef, Index<'a>, u32),
}

impl<'a> Lower<'a> {
    /// Lowers statements and then `rest`. Says whether control comes out at the end: by a value
    /// only where that is `wanted`.
    pub(super) fn seq(
        &mut self,
        stmts: &'a [Stmt],
        rest: Option<&Rest<'a, '_>>,
        wanted: bool,
    ) -> Live {
        self.in_pieces(stmts, rest, wanted)
            .unwrap_or_else(|| self.straight(stmts, rest, wanted))
    }

    /// As `seq`, in one piece.
    pub(super) fn straight(
        &mut self,
        stmts: &'a [Stmt],
        rest: Option<&Rest<'a, '_>>,
        wanted: bool,
    ) -> Live {
        let (mut stmts, mut rest) = (stmts, rest);
        loop {
            let Some((stmt, tail)) = stmts.split_first() else {
                match rest {
                    None => return Live::Always,
                    Some(more) => (stmts, rest) = (more.stmts, more.next),
                }
                continue;
            };
            if !self.enter(stmt.at) {
                self.leave();
                return Live::Always;
            }
            let after = Rest {
                stmts: tail,
                next: rest,
            };
            let done = self.stmt(stmt, &after, wanted);
            self.leave();
            match done {
                Some(live) => return live,
                None => stmts = tail,
            }
        }
    }

    /// One statement. `Some` where it took the rest with it.
    fn stmt(&mut self, stmt: &'a Stmt, after: &Rest<'a, '_>, wanted: bool) -> Option<Live> {
        match &stmt.kind {
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => {
                self.exit(&stmt.kind);
                return Some(Live::Never);
            }
            StmtKind::Do(block) => return self.do_block(block, after, wanted),
            StmtKind::If(arms, els) => {
                if stmt_may_exit(stmt) {
                    return Some(self.exiting_if(arms, els, after, wanted));
                }
                self.plain_if(arms, els);
            }
            StmtKind::While(..) | StmtKind::Repeat(..) | StmtKind::For { .. } => {
                if let Some(returned) = self.repeat(stmt) {
                    return Some(self.after_return(returned, after, wanted));
                }
            }
            StmtKind::Let(id, e) => {
                let val = self.expr(e);
                self.set(id.index(), val);
            }
            StmtKind::Assign(pairs) => self.assign(pairs, stmt.at),
            StmtKind::Call(id, args) => {
                self.call(*id, args, stmt.at);
            }
            StmtKind::Scatter { span, index, value } => {
                self.scatter(*span, index, value, stmt.at);
            }
            StmtKind::Run { local, body } => self.phase(*local, body, stmt.at),
            StmtKind::Tree { kind, array } => self.tree(kind, *array, stmt.at),
        }
        None
    }

    fn exit(&mut self, kind: &'a StmtKind) {
        let frame = self.frame();
        let (depth, returned, result) = (frame.loops, frame.returned(), frame.result());
        if let StmtKind::Return(Some(e)) = kind {
            let val = self.expr(e);
            self.set(result, val);
        }
        if depth == 0 || matches!(kind, StmtKind::Continue) {
            return;
        }
        let left = self.boolean(true);
        let slot = self.frame().broken(depth - 1);
        self.set(slot, vec![left]);
        if matches!(kind, StmtKind::Return(_)) {
            self.set(returned, vec![left]);
        }
    }

    fn do_block(&mut self, block: &'a Block, after: &Rest<'a, '_>, wanted: bool) -> Option<Live> {
        if may_exit(block) {
            return Some(self.seq(&block.stmts, Some(after), wanted));
        }
        self.seq(&block.stmts, None, false);
        None
    }

    fn plain_if(&mut self, arms: &'a [(Expr, Block)], els: &'a Block) {
        let Some((cond, first)) = arms.first() else {
            self.seq(&els.stmts, None, false);
            return;
        };
        let value = self.scalar(cond);
        let then = self.branch(value, true, cond, |this| {
            this.seq(&first.stmts, None, false)
        });
        let other = self.branch(value, false, cond, |this| {
            match Else::after(arms, els) {
                Else::Arms(arms, els) => this.plain_if(arms, els),
                Else::Block(els) => {
                    this.seq(&els.stmts, None, false);
                }
            }
            Live::Always
        });
        self.join(value, then, other, false);
    }

    /// One side of an `if`, under its condition; locals declared in it end with it.
    fn branch(
        &mut self,
        value: Value,
        truth: bool,
        cond: &'a Expr,
        inside: impl FnOnce(&mut Self) -> Live,
    ) -> Side {
        self.side(|this| this.given(value, truth, Some(cond), inside))
    }

    /// An `if` that may be left early, and what follows it.
    fn exiting_if(
        &mut self,
        arms: &'a [(Expr, Block)],
        els: &'a Block,
        after: &Rest<'a, '_>,
        wanted: bool,
    ) -> Live {
        let Some((cond, first)) = arms.first() else {
            return self.seq(&els.stmts, Some(after), wanted);
        };
        let value = self.scalar(cond);
        let other = Else::after(arms, els);
        let (then_falls, else_falls) = (falls(first), other.falls());
        let rejoin = then_falls && else_falls && !after.is_empty();
        let (for_then, for_else) = match (then_falls, else_falls) {
            (true, false) => (Some(after), None),
            (false, true) => (None, Some(after)),
            _ => (None, None),
        };
        let ask = wanted || rejoin;
        let then = self.branch(value, true, cond, |this| {
            this.seq(&first.stmts, for_then, ask)
        });
        let els = self.branch(value, false, cond, |this| match other {
            Else::Arms(arms, els) => {
                let none = Rest {
                    stmts: &[],
                    next: None,
                };
                this.exiting_if(arms, els, for_else.unwrap_or(&none), ask)
            }
            Else::Block(els) => this.seq(&els.stmts, for_else, ask),
        });
        let live = self.join(value, then, els, ask);
        if rejoin {
            self.under(live, after, wanted)
        } else {
            live
        }
    }

    /// The rest, where `live` says that control gets there.
    fn under(&mut self, live: Live, after: &Rest<'a, '_>, wanted: bool) -> Live {
        self.under_flag(live, wanted, |this| this.seq(&[], Some(after), wanted))
    }

    /// After a loop with a `return` in it: the rest runs where it did not return, and an outer loop
    /// ends where it did.
    fn after_return(&mut self, returned: Value, after: &Rest<'a, '_>, wanted: bool) -> Live {
        let depth = self.frame().loops;
        if depth > 0 {
            let slot = self.frame().broken(depth - 1);
            self.set(slot, vec![returned]);
        }
        if after.is_empty() && !wanted {
            return Live::Some;
        }
        let live = self.not(returned);
        if after.is_empty() {
            return Live::When(live);
        }
        self.under(Live::When(live), after, wanted)
    }

    /// All right sides, left to right, then all elements, then the stores.
    fn assign(&mut self, pairs: &'a [(Target, Expr)], at: SrcSpan) {
        if self.refuse_histogram(pairs, at) {
            return;
        }
        let values: Vec<Val> = pairs.iter().map(|p| self.expr(&p.1)).collect();
        let targets: Vec<Place<'a>> = pairs.iter().map(|p| self.target(&p.0)).collect();
        for (target, val) in targets.into_iter().zip(values) {
            self.store(target, &val, at);
        }
    }

    fn target(&mut self, target: &'a Target) -> Place<'a> {
        match target {
            Target::Local(id) => Place::Local(*id),
            Target::LocalField(id, field) => Place::Field(*id, *field),
            Target::Element(span, index) => Place::Span(*span, self.index(index), 0),
            Target::ElementField(span, index, field) => {
                Place::Span(*span, self.index(index), *field)
            }
            Target::Slot(array, index) => Place::Slot(*array, self.index(index), 0),
            Target::SlotField(array, index, field) => {
                Place::Slot(*array, self.index(index), *field)
            }
        }
    }

    /// An element's number, with the text it comes from.
    pub(super) fn index(&mut self, authored: &'a Expr) -> Index<'a> {
        let value = self.scalar(authored);
        Index { value, authored }
    }

    fn store(&mut self, target: Place<'a>, val: &[Value], at: SrcSpan) {
        match target {
            Place::Local(id) => self.set(id.index(), val.to_vec()),
            Place::Field(id, field) => {
                if let Some(mut whole) = self.get(id.index()).cloned() {
                    whole[field as usize] = val[0];
                    self.set(id.index(), whole);
                }
            }
            Place::Span(span, index, field) => self.write_span(span, index, field, val, at),
            Place::Slot(array, index, field) => self.write_slot(array, index, field, val, at),
        }
    }
}
