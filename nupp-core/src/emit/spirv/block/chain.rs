//! Chains of operations, cut where they get long.
//!
//! A reader that writes a module again as text gives a name to what is used more than once, and writes all
//! else where it is used: naga does so for GLSL, HLSL and MSL. A chain of operations, each used by the next
//! alone, is then one expression with as many brackets in brackets. Compilers bear only so many: clang,
//! on which those of Metal and Direct3D are built, refuses more than 256, and Mesa's llvmpipe makes an
//! `if` of each choice and leaves out, without a word, the condition of every `if` that stands in 80 others.
//! So what a chain has come to passes through a variable of the function from time to time: a reader
//! names what it loads, and compilers see through it.

use std::collections::HashMap;

use super::{Block, op, push};
use crate::ir::entity::Scalar;

/// Operations of one expression, one in the other: with all that kernels may nest around it still below
/// 80, and, with the three brackets that an operation may be written with, below 256.
pub(in crate::emit) const MOST: u32 = 16;

/// The operations of a function, in their order.
#[derive(Default)]
pub(super) struct Chains {
    links: Vec<Link>,
    /// By how many operations a result is used. What else uses it does not count: it can only make a cut
    /// needless.
    uses: HashMap<u32, u32>,
}

/// One operation: the words of its instruction, of which the last are its operands.
struct Link {
    start: usize,
    end: usize,
    args: usize,
    ty: Scalar,
}

impl Block<'_> {
    /// Notes an operation on `args` whose instruction is the code from `start` on.
    pub(super) fn link(&mut self, start: usize, args: &[u32], ty: Scalar) {
        if !self.asm.options.cut_chains {
            return;
        }
        for &arg in args {
            *self.chains.uses.entry(arg).or_default() += 1;
        }
        self.chains.links.push(Link {
            start,
            end: self.code.len(),
            args: args.len(),
            ty,
        });
    }

    /// Cuts what is too long, when all code of the function is there.
    pub(super) fn cut_chains(&mut self) {
        let Chains { links, uses } = std::mem::take(&mut self.chains);
        let mut lengths: HashMap<u32, (u32, Scalar)> = HashMap::new();
        let mut passing: HashMap<Scalar, u32> = HashMap::new();
        let mut cut = Vec::new();
        let mut copied = 0;
        for link in &links {
            let mut longest = 0;
            for word in link.end - link.args..link.end {
                let arg = self.code[word];
                let Some(&(length, ty)) = lengths.get(&arg).filter(|_| uses[&arg] == 1) else {
                    continue;
                };
                if length < MOST {
                    longest = longest.max(length);
                    continue;
                }
                let of = self.asm.scalar_type(ty);
                let variable = *passing.entry(ty).or_insert_with(|| self.local(of));
                let loaded = self.asm.fresh();
                cut.extend_from_slice(&self.code[copied..link.start]);
                copied = link.start;
                push(&mut cut, op::STORE, &[variable, arg]);
                push(&mut cut, op::LOAD, &[of, loaded, variable]);
                self.code[word] = loaded;
            }
            // The type of a result stands before its id.
            lengths.insert(self.code[link.start + 2], (longest + 1, link.ty));
        }
        cut.extend_from_slice(&self.code[copied..]);
        self.code = cut;
    }
}
