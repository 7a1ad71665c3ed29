//! Long rows of early exits, flat.
//!
//! Each early exit puts what follows it into an `if`. A body with many of them is cut into pieces
//! of a few exits each: a piece ends in a flag that says whether control came out of it, and the
//! next one runs under that flag, beside it instead of inside it. Locals that a piece declares
//! directly exist from the start, so that the later pieces see them. A short body is one piece.

use super::branch::Live;
use super::exits::{falls, stmt_may_exit};
use super::seq::Rest;
use super::state::Lower;
use nupp_front::hir::{Block, Stmt, StmtKind};

/// How deeply the exits of one piece may nest.
const PIECE: usize = 8;

/// How much deeper the exits of these statements put what follows them.
fn depth(stmts: &[Stmt]) -> usize {
    stmts.iter().map(stmt_depth).sum()
}

fn stmt_depth(stmt: &Stmt) -> usize {
    if !stmt_may_exit(stmt) {
        return 0;
    }
    match &stmt.kind {
        StmtKind::Do(block) => depth(&block.stmts),
        StmtKind::If(arms, els) => {
            let side = |block: &Block| if falls(block) { depth(&block.stmts) } else { 0 };
            let arms_deep = arms.iter().zip(1..).map(|(arm, at)| at + side(&arm.1));
            arms_deep.max().unwrap_or(0).max(arms.len() + side(els))
        }
        StmtKind::While(..)
        | StmtKind::Repeat(..)
        | StmtKind::For { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_) => 1,
        StmtKind::Let(..)
        | StmtKind::Assign(_)
        | StmtKind::Call(..)
        | StmtKind::Scatter { .. }
        | StmtKind::Run { .. }
        | StmtKind::Tree { .. } => 0,
    }
}

/// Where the first piece of these statements ends.
fn first_piece(stmts: &[Stmt]) -> usize {
    let mut deep = 0;
    for (at, stmt) in stmts.iter().enumerate() {
        deep += stmt_depth(stmt);
        if deep >= PIECE {
            return at + 1;
        }
    }
    stmts.len()
}

impl<'a> Lower<'a> {
    /// Lowers statements and then `rest`, as `seq` does, in pieces where they leave early often.
    pub(super) fn in_pieces(
        &mut self,
        stmts: &'a [Stmt],
        rest: Option<&Rest<'a, '_>>,
        wanted: bool,
    ) -> Option<Live> {
        let mut end = first_piece(stmts);
        if end == stmts.len() && (rest.is_none_or(Rest::is_empty) || depth(stmts) < PIECE) {
            return None;
        }
        self.declare_all(stmts);
        let (mut piece, mut more) = stmts.split_at(end);
        let mut live = Live::Always;
        loop {
            let last = more.is_empty() && rest.is_none_or(Rest::is_empty);
            let ask = wanted || !last;
            live = self.under_flag(live, ask, |this| this.straight(piece, None, ask));
            if live == Live::Never {
                return Some(live);
            }
            if more.is_empty() {
                break;
            }
            end = first_piece(more);
            (piece, more) = more.split_at(end);
        }
        match rest {
            Some(rest) if !rest.is_empty() => {
                Some(self.under_flag(live, wanted, |this| this.seq(&[], Some(rest), wanted)))
            }
            _ => Some(live),
        }
    }

    /// Runs `inside` where `live` says that control gets there.
    pub(super) fn under_flag(
        &mut self,
        live: Live,
        wanted: bool,
        inside: impl FnOnce(&mut Self) -> Live,
    ) -> Live {
        let value = match live {
            Live::Always | Live::Some => return inside(self),
            Live::Never => return Live::Never,
            Live::When(value) => value,
        };
        let then = self.side(|this| this.given(value, true, None, inside));
        let els = self.side(|_| Live::Never);
        self.join(value, then, els, wanted)
    }

    /// Gives each local that these statements declare directly a value for the paths on which it
    /// is never declared; nothing reads it there.
    fn declare_all(&mut self, stmts: &'a [Stmt]) {
        for stmt in stmts {
            if let StmtKind::Let(id, e) = &stmt.kind
                && self.get(id.index()).is_none()
            {
                let zeros = self.zeros(e.ty);
                self.set(id.index(), zeros);
            }
        }
    }
}
