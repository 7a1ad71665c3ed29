//! Lowered kernels against their meaning, for each profile and in several schedules.

use super::*;
use crate::device::soft::tests::EDGES;
use crate::eval::device::{Dispatch, run};
use crate::eval::scalar;
use crate::ir::entity::{PhaseId, ScratchId, SpanId, StructId};
use crate::ir::flow::{Const, LoopKind};
use crate::ir::kernel::{Combine, Phase, ScratchDecl, SpanDecl, StructDecl, Tree, TreeKind};
use crate::ir::kernel::{Elem, GroupRule, Groups, Leaf, Node, NodeSeq, ParamRef, Repeat};
use crate::ir::place::{Certificate, Family, Operand, Place};
use crate::ir::samples as hand;
use crate::verify::device::{check, verify};

mod breaks;
mod claims;
mod fill;
mod groups;
mod kit;
mod maps;
mod meetings;
mod promote;
mod samples;
mod trees;

/// Lowers for each profile, verifies, and runs on copies of the buffers in several schedules;
/// every run must leave the same words, which are given back.
fn agreed(kernel: &Kernel, buffers: &[Vec<u32>], dispatch: &Dispatch<'_>) -> Vec<Vec<u32>> {
    let mut agreed: Option<Vec<Vec<u32>>> = None;
    for profile in Profile::ALL {
        let module = lower_unverified(kernel, profile).expect("it lowers");
        let module = verify(module).expect("what is lowered verifies");
        for seed in 0..3 {
            let mut words = buffers.to_vec();
            let dispatch = Dispatch {
                seed,
                ..dispatch.clone()
            };
            run(&module, &mut words, &dispatch).expect("what verifies runs");
            match &agreed {
                None => agreed = Some(words),
                Some(first) => assert!(*first == words, "{} seed {seed}", profile.name),
            }
        }
    }
    agreed.expect("there is a profile")
}

/// What the interpreter of Source IR leaves in the buffers, in some order of the lanes.
fn source_means(kernel: &Kernel, buffers: &[Vec<u32>], uniforms: &[u32]) -> Vec<Vec<u32>> {
    let verified = crate::verify::source::verify(kernel.clone()).expect("the kernel verifies");
    let mut words = buffers.to_vec();
    let order = crate::eval::source::LaneOrder::Ascending;
    crate::eval::source::run(&verified, &mut words, uniforms, order).expect("it runs");
    words
}

/// The inputs of a dispatch whose spans all start at the beginning of their buffers.
fn dispatch<'a>(count: u32, lengths: &'a [u32], uniforms: &'a [u32]) -> Dispatch<'a> {
    Dispatch {
        count,
        lengths,
        offsets: &[0; 16][..lengths.len()],
        uniforms,
        width: 65_535,
        seed: 0,
    }
}

/// Words that hold every edge and nothing like a pattern.
fn words(seed: u32, count: usize) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state
    };
    (0..count)
        .map(|n| match next() >> 30 {
            0 => EDGES[n % EDGES.len()],
            1 => next(),
            _ => (next() & 0x83ff_ffff) | 0x3d80_0000,
        })
        .collect()
}

fn kernel(spans: Vec<SpanDecl>, values: Builder<Leaf>, body: Body) -> Kernel {
    let params = (0..spans.len() as u32)
        .map(|n| ParamRef::Span(SpanId(n)))
        .collect();
    Kernel {
        name: "test".into(),
        target: Target::Gpu,
        structs: Vec::new(),
        spans,
        uniforms: Vec::new(),
        params,
        guards: Vec::new(),
        values: values.finish(Vec::new()).0,
        body,
    }
}

fn span(name: &str, ty: Scalar, access: Access) -> SpanDecl {
    SpanDecl {
        name: name.into(),
        elem: Elem::Scalar(ty),
        access,
    }
}
