//! What is embedded of a kernel, as values: the facts that `SPEC` is printed from.
//!
//! `KernelSpec` is the same in constants, for the life of a program. Whatever runs a kernel that did
//! not go through the macro makes its `KernelSpec` from these facts too, so that no two can differ.
//! The kernel must be verified, or have nothing but parameters (`hollow`).

use crate::cpu::Plan;
use nupp_core::artifact::{GuardOp, KernelKind};
use nupp_core::device::ir::Module;
use nupp_core::ir::codec;
use nupp_core::ir::entity::Scalar;
use nupp_core::ir::kernel::{
    Access, Body, CmpOp, Elem, Guard, GuardCond, Kernel, LengthCond, LengthSum, UniformDecl,
};
use nupp_core::verify::Verified;
use nupp_core::verify::source::footprint;

/// The facts of one kernel.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// The authored name.
    pub name: String,
    /// The kernel's shape.
    pub kind: KernelKind,
    /// Spans in declaration order.
    pub bindings: Vec<Binding>,
    /// Authored uniforms in declaration order.
    pub uniforms: Vec<UniformDecl>,
    /// Guards in source order.
    pub guards: Vec<LengthGuard>,
    /// Bytes a group of scratch that lanes share.
    pub scratch_bytes: u64,
    /// Bytes a lane of scratch that may live in registers.
    pub register_bytes: u64,
    /// Barriers of the canonical module's text.
    pub barriers: u32,
    /// The encoded Source IR.
    pub ir: Vec<u8>,
    /// The canonical module.
    pub module: Canonical,
}

/// One span.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The authored name.
    pub name: String,
    /// The element type as the author wrote it.
    pub element: String,
    /// 32-bit words an element.
    pub words: u32,
    /// Whether the kernel writes it.
    pub write: bool,
    /// Whether a map reads or writes it at the loop index or a distance of it.
    pub loop_indexed: bool,
    /// Whether the kernel scatters into it.
    pub scatter: bool,
}

/// One guard over lengths.
#[derive(Clone, Debug)]
pub struct LengthGuard {
    /// The condition in postfix order.
    pub cond: Vec<GuardOp>,
    /// The authored message, or nothing.
    pub message: String,
    /// The condition as written.
    pub text: String,
}

/// The canonical module.
#[derive(Clone, Debug, Default)]
pub struct Canonical {
    /// The profile it was emitted for.
    pub profile: &'static str,
    /// SPIR-V words, little-endian.
    pub spirv: Vec<u8>,
    /// Hardware lanes of a workgroup.
    pub workgroup: u32,
    /// Source elements (map) or source groups that one workgroup covers.
    pub covers: u32,
    /// Operations carried in software, by name.
    pub software: Vec<&'static str>,
}

impl Embedded {
    /// The facts of a kernel, with its canonical module and the module's words.
    pub fn of(kernel: &Verified<Kernel>, module: &Verified<Module>, words: &[u32]) -> Embedded {
        let sums = footprint(kernel);
        Embedded {
            scratch_bytes: sums.scratch_bytes,
            register_bytes: sums.register_bytes,
            barriers: module.barriers,
            ir: codec::encode(kernel),
            module: Canonical {
                profile: module.profile,
                spirv: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
                workgroup: module.size,
                covers: module.covers,
                software: module.software.clone(),
            },
            ..Embedded::hollow(kernel)
        }
    }

    /// What can be said of a kernel of a refused block, from its parameters and shape alone.
    pub fn hollow(kernel: &Kernel) -> Embedded {
        Embedded {
            name: kernel.name.clone(),
            kind: kind(kernel),
            bindings: bindings(kernel),
            uniforms: kernel.uniforms.clone(),
            guards: kernel.guards.iter().filter_map(guard).collect(),
            scratch_bytes: 0,
            register_bytes: 0,
            barriers: 0,
            ir: Vec::new(),
            module: Canonical::default(),
        }
    }
}

fn kind(kernel: &Kernel) -> KernelKind {
    match &kernel.body {
        Body::Map { primary, .. } => KernelKind::Map { primary: primary.0 },
        Body::Groups(groups) => KernelKind::Groups {
            size: groups.size,
            span: groups.rule.span.0,
            divisor: groups.rule.divisor,
            ceil: groups.rule.ceil,
        },
    }
}

fn bindings(kernel: &Kernel) -> Vec<Binding> {
    let plan = Plan::of(kernel);
    let is_map = matches!(kernel.body, Body::Map { .. });
    let spans = kernel.spans.iter().zip(&plan.spans);
    spans
        .map(|(span, used)| Binding {
            name: span.name.clone(),
            element: element_name(kernel, span.elem),
            words: kernel.elem_words(span.elem),
            write: span.access == Access::Write,
            loop_indexed: is_map && (used.own || used.shifted),
            scatter: used.scatter,
        })
        .collect()
}

/// The element's name in the kernel language.
fn element_name(kernel: &Kernel, elem: Elem) -> String {
    match elem {
        Elem::Scalar(ty) => language_name(ty).to_owned(),
        Elem::Struct(id) => kernel.structs[id.index()].name.clone(),
    }
}

fn language_name(ty: Scalar) -> &'static str {
    match ty {
        Scalar::F32 => "float",
        Scalar::I32 => "int32",
        Scalar::U32 => "uint32",
        Scalar::Bool => "boolean",
    }
}

fn guard(guard: &Guard) -> Option<LengthGuard> {
    // A guard over scalars stands in kernels of the CPU alone, of which nothing is embedded.
    let GuardCond::Lengths(found) = &guard.cond else {
        return None;
    };
    let mut cond = Vec::new();
    condition(found, &mut cond);
    Some(LengthGuard {
        cond,
        message: guard.message.clone().unwrap_or_default(),
        text: guard.text.clone(),
    })
}

fn condition(cond: &LengthCond, ops: &mut Vec<GuardOp>) {
    match cond {
        LengthCond::Cmp { op, lhs, rhs } => comparison(*op, lhs, rhs, ops),
        LengthCond::And(a, b) => {
            condition(a, ops);
            condition(b, ops);
            ops.push(GuardOp::And);
        }
        LengthCond::Or(a, b) => {
            condition(a, ops);
            condition(b, ops);
            ops.push(GuardOp::Or);
        }
        LengthCond::Not(inner) => {
            condition(inner, ops);
            ops.push(GuardOp::Not);
        }
    }
}

fn comparison(op: CmpOp, lhs: &LengthSum, rhs: &LengthSum, ops: &mut Vec<GuardOp>) {
    let (first, second, step, not) = match op {
        CmpOp::Eq => (lhs, rhs, GuardOp::Eq, false),
        CmpOp::Ne => (lhs, rhs, GuardOp::Eq, true),
        CmpOp::Lt => (lhs, rhs, GuardOp::Lt, false),
        CmpOp::Le => (lhs, rhs, GuardOp::Le, false),
        CmpOp::Gt => (rhs, lhs, GuardOp::Lt, false),
        CmpOp::Ge => (rhs, lhs, GuardOp::Le, false),
    };
    sum(first, ops);
    sum(second, ops);
    ops.push(step);
    if not {
        ops.push(GuardOp::Not);
    }
}

fn sum(sum: &LengthSum, ops: &mut Vec<GuardOp>) {
    let mut terms = 0;
    let mut add = |ops: &mut Vec<GuardOp>| {
        terms += 1;
        if terms > 1 {
            ops.push(GuardOp::Add);
        }
    };
    for (factor, span) in &sum.terms {
        ops.push(GuardOp::Length(span.0));
        if *factor != 1 {
            ops.push(GuardOp::Const(*factor));
            ops.push(GuardOp::Mul);
        }
        add(ops);
    }
    if sum.constant != 0 || sum.terms.is_empty() {
        ops.push(GuardOp::Const(sum.constant));
        add(ops);
    }
}
