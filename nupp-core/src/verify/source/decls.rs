//! Checks a kernel's tables: structs, spans, uniforms, parameters, guards, group rule and scratch.
//!
//! Afterwards every span, uniform and struct that a table names exists, the limits of the language
//! hold, and a map's primary output is its first written span.

use super::ensure;
use crate::ir::entity::{Scalar, SpanId, UniformId};
use crate::ir::kernel::{
    Access, Body, Elem, Groups, GuardCond, Kernel, LengthCond, LengthSum, ParamRef, ScratchDecl,
    Target,
};
use crate::limits::{MAX_DEPTH, MAX_GROUP_SIZE, MAX_SPANS, MAX_UNIFORM_WORDS};
use crate::verify::VerifyError;

const RULE: &str = "declarations";

pub fn check(kernel: &Kernel) -> Result<(), VerifyError> {
    check_params(kernel)?;
    for (i, decl) in kernel.structs.iter().enumerate() {
        ensure!(!decl.fields.is_empty(), RULE, "t{i} has no fields");
        let whole = decl.fields.iter().all(|(_, ty)| *ty != Scalar::Bool);
        ensure!(whole, RULE, "t{i} has a boolean field");
    }
    for (i, span) in kernel.spans.iter().enumerate() {
        check_elem(kernel, span.elem, &format!("b{i}"))?;
    }
    for guard in &kernel.guards {
        match &guard.cond {
            GuardCond::Lengths(cond) => check_cond(kernel, cond, MAX_DEPTH)?,
            GuardCond::Scalar(_) => ensure!(
                kernel.target == Target::Cpu,
                RULE,
                "a guard of a GPU kernel relates more than lengths"
            ),
        }
    }
    match &kernel.body {
        Body::Map { primary, .. } => check_primary(kernel, *primary),
        Body::Groups(groups) => check_groups(kernel, groups),
    }
}

fn check_params(kernel: &Kernel) -> Result<(), VerifyError> {
    let (spans, uniforms) = (kernel.spans.len(), kernel.uniforms.len());
    ensure!(spans <= MAX_SPANS, RULE, "{spans} spans");
    ensure!(
        uniforms <= MAX_UNIFORM_WORDS,
        RULE,
        "{uniforms} words of uniforms"
    );
    let scalars = kernel.uniforms.iter().all(|u| u.ty != Scalar::Bool);
    ensure!(scalars, RULE, "a boolean uniform");
    let (mut next_span, mut next_uniform) = (0, 0);
    for param in &kernel.params {
        let (next, known) = match *param {
            ParamRef::Span(SpanId(id)) => (&mut next_span, id),
            ParamRef::Uniform(UniformId(id)) => (&mut next_uniform, id),
        };
        ensure!(*next == known, RULE, "parameters are not in table order");
        *next += 1;
    }
    ensure!(
        next_span as usize == spans && next_uniform as usize == uniforms,
        RULE,
        "parameters and tables differ"
    );
    Ok(())
}

/// An element of a span or of scratch: a scalar that is no boolean, or a struct there is.
pub fn check_elem(kernel: &Kernel, elem: Elem, owner: &str) -> Result<(), VerifyError> {
    match elem {
        Elem::Scalar(ty) => {
            ensure!(ty != Scalar::Bool, RULE, "{owner} holds booleans");
        }
        Elem::Struct(id) => {
            let known = id.index() < kernel.structs.len();
            ensure!(known, RULE, "{owner} holds {id}, which is not declared");
        }
    }
    Ok(())
}

fn check_cond(kernel: &Kernel, cond: &LengthCond, depth: usize) -> Result<(), VerifyError> {
    ensure!(depth > 0, "depth", "a guard nests too deeply");
    match cond {
        LengthCond::Cmp { lhs, rhs, .. } => {
            check_sum(kernel, lhs)?;
            check_sum(kernel, rhs)
        }
        LengthCond::And(a, b) | LengthCond::Or(a, b) => {
            check_cond(kernel, a, depth - 1)?;
            check_cond(kernel, b, depth - 1)
        }
        LengthCond::Not(a) => check_cond(kernel, a, depth - 1),
    }
}

fn check_sum(kernel: &Kernel, sum: &LengthSum) -> Result<(), VerifyError> {
    let mut seen = 0u32;
    for &(_, span) in &sum.terms {
        let known = span.index() < kernel.spans.len();
        ensure!(known, RULE, "a guard names {span}, which is not declared");
        let once = seen & (1 << span.index()) == 0;
        ensure!(once, RULE, "a guard's sum names {span} twice");
        seen |= 1 << span.index();
    }
    Ok(())
}

fn check_primary(kernel: &Kernel, primary: SpanId) -> Result<(), VerifyError> {
    let first = kernel.spans.iter().position(|s| s.access == Access::Write);
    ensure!(
        first == Some(primary.index()),
        RULE,
        "{primary} is not the first written span"
    );
    Ok(())
}

fn check_groups(kernel: &Kernel, groups: &Groups) -> Result<(), VerifyError> {
    let writes = kernel.spans.iter().any(|s| s.access == Access::Write);
    ensure!(writes, RULE, "no span is written");
    let rule = groups.rule;
    let known = rule.span.index() < kernel.spans.len();
    ensure!(known, RULE, "the group rule names {}", rule.span);
    ensure!(rule.divisor >= 1, RULE, "the group rule divides by 0");
    let size = groups.size;
    ensure!(
        (1..=MAX_GROUP_SIZE).contains(&size),
        "group size",
        "{size} lanes"
    );
    for (i, decl) in groups.scratch.iter().enumerate() {
        check_scratch(kernel, decl, &format!("s{i}"))?;
    }
    Ok(())
}

fn check_scratch(kernel: &Kernel, decl: &ScratchDecl, name: &str) -> Result<(), VerifyError> {
    check_elem(kernel, decl.elem, name)?;
    ensure!(decl.count > 0, RULE, "{name} has no slots");
    let fields = kernel.elem_fields(decl.elem);
    let same = decl.initial.iter().map(|c| c.ty).eq(fields);
    ensure!(same, RULE, "{name} starts as another type");
    Ok(())
}
