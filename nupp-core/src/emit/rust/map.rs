//! Prints the lanes of a map kernel: the inside of `work`, whose parameters are the spans and
//! scalars that the body needs, the number of the first lane and the number of lanes.

use super::fun::Fun;
use super::lanes::{self, Mask};
use super::scalar;
use crate::cpu::Lanes;
use crate::ir::entity::Value;
use crate::ir::kernel::{Access, SourceRegion};

/// The statements of `work`.
pub fn body(fun: &mut Fun<'_>, index: Value, region: &SourceRegion) {
    cut(fun);
    scatter_tables(fun);
    let indexed = fun.live(index);
    let start = if fun.plan.lanes == Lanes::Blocks {
        blocks(fun, indexed, region);
        "done"
    } else {
        "0"
    };
    fun.out.open(format!("for i in {start}..count {{"));
    if indexed {
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
    match names.len() {
        0 => {}
        1 => {
            let (name, part) = (&names[0], &parts[0]);
            fun.out.open(format!("let {name} = {part} else {{"));
        }
        _ => {
            fun.out.open(format!("let ({}) = (", names.join(", ")));
            for part in &parts {
                fun.out.line(format!("{part},"));
            }
            fun.out.turn(") else {");
        }
    }
    if !names.is_empty() {
        fun.out.line("return rt::Err(rt::KernelError::Fault);");
        fun.out.close("};");
    }
}

fn scatter_tables(fun: &mut Fun<'_>) {
    for (s, (span, used)) in fun.kernel.spans.iter().zip(&fun.plan.spans).enumerate() {
        if used.scatter {
            let name = &span.name;
            fun.out.line(format!(
                "let mut o{s} = rt::Owners::new({name:?}, b{s}.len())?;"
            ));
        }
    }
}

/// Whole blocks of lanes; `done` is how many lanes they were. Without optimisation the blocks
/// would only be slower, so the scalar form does all lanes there.
fn blocks(fun: &mut Fun<'_>, indexed: bool, region: &SourceRegion) {
    fun.out.open("let done = if cfg!(debug_assertions) {");
    fun.out.line("0");
    fun.out.turn("} else {");
    let mut whole = "count / W".to_owned();
    for (s, (span, used)) in fun.kernel.spans.iter().zip(&fun.plan.spans).enumerate() {
        let write = span.access == Access::Write;
        if !(used.own || write && used.stride > 0) {
            continue;
        }
        let chunks = if write { "as_chunks_mut" } else { "as_chunks" };
        fun.out.line(format!("let k{s} = e{s}.{chunks}::<W>().0;"));
        if write {
            whole = format!("k{s}.len()");
        }
    }
    fun.out.line(format!("let blocks = {whole};"));
    fun.out.open("for k in 0..blocks {");
    if indexed || fun.plan.spans.iter().any(|span| span.shifted) {
        fun.out.line("let lane = first + k * W;");
    }
    if indexed {
        let value = "rt::index(lane + l)";
        lanes::fill(fun, "index", crate::ir::entity::Scalar::U32, value);
    }
    lanes::region(fun, region, &Mask::All);
    fun.out.close("}");
    fun.out.line("blocks * W");
    fun.out.close("};");
}
