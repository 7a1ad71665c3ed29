//! What a statement may do, read off the tree: which locals it assigns, whether control may leave
//! it early, whether control may come out at its end.

use nupp_front::hir::{Arg, Block, Expr, ExprKind, LocalId, Stmt, StmtKind, Target, TreeCall};

/// Whether `break`, `continue` or `return` in it may leave it.
pub(super) fn may_exit(block: &Block) -> bool {
    block.stmts.iter().any(stmt_may_exit)
}

/// Whether a statement may be left early.
pub(super) fn stmt_may_exit(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => true,
        StmtKind::If(arms, els) => arms.iter().any(|a| may_exit(&a.1)) || may_exit(els),
        StmtKind::Do(block) => may_exit(block),
        StmtKind::While(_, body) | StmtKind::Repeat(body, _) | StmtKind::For { body, .. } => {
            returns(body)
        }
        StmtKind::Let(..)
        | StmtKind::Assign(_)
        | StmtKind::Call(..)
        | StmtKind::Scatter { .. }
        | StmtKind::Run { .. }
        | StmtKind::Tree { .. } => false,
    }
}

/// Whether a `return` stands anywhere in it.
pub(super) fn returns(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::If(arms, els) => arms.iter().any(|a| returns(&a.1)) || returns(els),
        StmtKind::Do(body)
        | StmtKind::While(_, body)
        | StmtKind::Repeat(body, _)
        | StmtKind::For { body, .. } => returns(body),
        StmtKind::Let(..)
        | StmtKind::Assign(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Call(..)
        | StmtKind::Scatter { .. }
        | StmtKind::Run { .. }
        | StmtKind::Tree { .. } => false,
    })
}

/// Whether a `break` in it leaves the loop whose body it is.
pub(super) fn breaks(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::If(arms, els) => arms.iter().any(|a| breaks(&a.1)) || breaks(els),
        StmtKind::Do(body) => breaks(body),
        StmtKind::While(..)
        | StmtKind::Repeat(..)
        | StmtKind::For { .. }
        | StmtKind::Return(_)
        | StmtKind::Let(..)
        | StmtKind::Assign(_)
        | StmtKind::Continue
        | StmtKind::Call(..)
        | StmtKind::Scatter { .. }
        | StmtKind::Run { .. }
        | StmtKind::Tree { .. } => false,
    })
}

/// Whether control may reach its end. A loop is taken to end.
pub(super) fn falls(block: &Block) -> bool {
    block.stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => false,
        StmtKind::If(arms, els) => arms.iter().any(|a| falls(&a.1)) || falls(els),
        StmtKind::Do(body) => falls(body),
        StmtKind::While(..)
        | StmtKind::Repeat(..)
        | StmtKind::For { .. }
        | StmtKind::Let(..)
        | StmtKind::Assign(_)
        | StmtKind::Call(..)
        | StmtKind::Scatter { .. }
        | StmtKind::Run { .. }
        | StmtKind::Tree { .. } => true,
    })
}

/// The locals that are assigned anywhere in it, each once, in order of their numbers.
pub(super) fn assigned(block: &Block) -> Vec<LocalId> {
    let mut found = Vec::new();
    collect_assigned(block, &mut found);
    found.sort_unstable();
    found.dedup();
    found
}

fn collect_assigned(block: &Block, found: &mut Vec<LocalId>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Assign(pairs) => {
                for (target, _) in pairs {
                    if let Target::Local(id) | Target::LocalField(id, _) = target {
                        found.push(*id);
                    }
                }
            }
            StmtKind::If(arms, els) => {
                arms.iter().for_each(|a| collect_assigned(&a.1, found));
                collect_assigned(els, found);
            }
            StmtKind::Do(body)
            | StmtKind::While(_, body)
            | StmtKind::Repeat(body, _)
            | StmtKind::For { body, .. }
            | StmtKind::Run { body, .. } => collect_assigned(body, found),
            StmtKind::Tree {
                kind: TreeCall::ReduceWith { body, .. },
                ..
            } => collect_assigned(body, found),
            StmtKind::Tree { .. }
            | StmtKind::Let(..)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_)
            | StmtKind::Call(..)
            | StmtKind::Scatter { .. } => {}
        }
    }
}

/// Whether evaluating it always is harmless and cheap: it reads no memory and calls nothing.
pub(super) fn is_eager(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Length(_) => true,
        ExprKind::Op(_, args) | ExprKind::Struct(_, args) => args.iter().all(is_eager),
        ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Let(_, a, b) => {
            is_eager(a) && is_eager(b)
        }
        ExprKind::Select(a, b, c) => is_eager(a) && is_eager(b) && is_eager(c),
        ExprKind::Field(of, _) => is_eager(of),
        ExprKind::Load(..) | ExprKind::SlotLoad(..) | ExprKind::Call(..) => false,
    }
}

/// The locals an expression reads, in order, each once.
pub(super) fn locals_of(e: &Expr, found: &mut Vec<LocalId>) {
    each_child(e, &mut |child| locals_of(child, found));
    if let ExprKind::Local(id) = &e.kind
        && !found.contains(id)
    {
        found.push(*id);
    }
}

/// The spans whose length an expression asks for.
pub(super) fn lengths_of(e: &Expr, found: &mut Vec<nupp_front::hir::ParamId>) {
    each_child(e, &mut |child| lengths_of(child, found));
    if let ExprKind::Length(id) = &e.kind
        && !found.contains(id)
    {
        found.push(*id);
    }
}

/// Whether an expression is, or holds, one of a kind.
pub(super) fn any(e: &Expr, kind: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = kind(e);
    each_child(e, &mut |child| found = found || any(child, kind));
    found
}

fn each_child(e: &Expr, visit: &mut dyn FnMut(&Expr)) {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Length(_) => {}
        ExprKind::Op(_, args) | ExprKind::Struct(_, args) => args.iter().for_each(visit),
        ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Let(_, a, b) => {
            visit(a);
            visit(b);
        }
        ExprKind::Select(a, b, c) => {
            visit(a);
            visit(b);
            visit(c);
        }
        ExprKind::Load(_, of) | ExprKind::SlotLoad(_, of) | ExprKind::Field(of, _) => visit(of),
        ExprKind::Call(_, args) => args.iter().for_each(|arg| {
            if let Arg::Value(e) = arg {
                visit(e);
            }
        }),
    }
}
