//! Prints the lanes of a map kernel: the inside of `work`, whose parameters are the spans and
//! scalars that the body needs, the number of the first lane and the number of lanes.

use super::fun::Fun;
use super::lanes::{self, Mask};
use super::scalar;
use nupp_core::ir::entity::Value;
use nupp_core::ir::kernel::{Access, Body, SourceRegion};

/// The statements of `work` where lanes run one after the other.
pub fn body(fun: &mut Fun<'_>, index: Value, region: &SourceRegion) {
    cut(fun);
    scatter_tables(fun);
    fun.out.open("for i in 0..count {");
    if fun.live(index) {
        fun.out.line("let index = rt::index(first + i);");
    }
    scalar::region(fun, region);
    fun.out.close("}");
    fun.out.line("rt::Ok(())");
}

/// Cuts what lanes touch at their own element to the number of lanes, so that no access in the
/// loop can leave its slice and rustc knows it.
fn cut(fun: &mut Fun<'_>) {
    let mut names = Vec::new();
    let mut parts = Vec::new();
    for (s, (span, used)) in fun.kernel.spans.iter().zip(&fun.plan.spans).enumerate() {
        let part = match (span.access, used.own, used.stride) {
            (Access::Write, true, _) => format!("b{s}.get_mut(..count)"),
            (Access::Write, false, 1..) => {
                let stride = used.stride;
                format!("b{s}.as_chunks_mut::<{stride}>().0.get_mut(..count)")
            }
            (Access::Read, true, _) => format!("b{s}.get(first..first + count)"),
            (Access::Write | Access::Read, false, _) => continue,
        };
        names.push(format!("rt::Some(e{s})"));
        parts.push(part);
    }
    bind_all(fun, &names, &parts);
}

/// Binds what can only be there.
fn bind_all(fun: &mut Fun<'_>, names: &[String], parts: &[String]) {
    match (names, parts) {
        ([], _) | (_, []) => return,
        ([name], [part]) => fun.out.open(format!("let {name} = {part} else {{")),
        _ => {
            fun.out.open(format!("let ({}) = (", names.join(", ")));
            for part in parts {
                fun.out.line(format!("{part},"));
            }
            fun.out.turn(") else {");
        }
    }
    fun.out.line("return rt::Err(rt::KernelError::Fault);");
    fun.out.close("};");
}

/// Tables of who wrote which element, for the spans of a declared scatter.
pub fn scatter_tables(fun: &mut Fun<'_>) {
    for (s, (span, used)) in fun.kernel.spans.iter().zip(&fun.plan.spans).enumerate() {
        if used.scatter {
            let name = &span.name;
            let groups = match &fun.kernel.body {
                Body::Groups(groups) => format!(".in_groups({})", groups.size),
                Body::Map { .. } => String::new(),
            };
            fun.out.line(format!(
                "let mut o{s} = rt::Owners::new({name:?}, b{s}.len())?{groups};"
            ));
        }
    }
}

/// The statements of `work` where lanes run in blocks; `rest` runs the lanes from `done` on one
/// after the other. Without optimisation blocks would only be slower, so it runs all of them there.
pub fn blocks(fun: &mut Fun<'_>, rest: &str, region: &SourceRegion) {
    fun.out.open("let done = if cfg!(debug_assertions) {");
    fun.out.line("0");
    fun.out.turn("} else {");
    cut(fun);
    fun.out.line("let blocks = count / W;");
    fun.out.open("for k in 0..blocks {");
    chunks(fun);
    fun.run.own_number("index", "rt::index(lane + l)");
    if fun.wants_first() {
        fun.out.line("let lane = first + k * W;");
    }
    lanes::region(fun, region, &Mask::All);
    fun.flush();
    fun.out.close("}");
    fun.out.line("blocks * W");
    fun.out.close("};");
    fun.out.line(rest);
}

/// The elements that the lanes of a block own.
fn chunks(fun: &mut Fun<'_>) {
    let mut names = Vec::new();
    let mut parts = Vec::new();
    for (s, (span, used)) in fun.kernel.spans.iter().zip(&fun.plan.spans).enumerate() {
        if !used.own && used.stride == 0 {
            continue;
        }
        let form = match span.access {
            Access::Read => "block",
            Access::Write => "block_mut",
        };
        names.push(format!("rt::Some(k{s})"));
        parts.push(format!("rt::{form}::<_, W>(e{s}, k)"));
    }
    bind_all(fun, &names, &parts);
}
