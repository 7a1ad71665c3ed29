//! Prints the fixed trees over a scratch array, stage by stage: each stage is a loop with constant
//! bounds over its slots, which rustc vectorises.

use super::fun::Fun;
use super::ops;
use super::scalar;
use nupp_core::eval::scalar::identity;
use nupp_core::ir::flow::Const;
use nupp_core::ir::kernel::{Combine, Elem, ScratchDecl, Tree, TreeKind};

/// A tree.
pub fn tree(fun: &mut Fun<'_>, tree: &Tree, decl: &ScratchDecl) {
    let array = format!("s{}", tree.array.0);
    match tree.kind {
        TreeKind::Reduce => reduce(fun, tree, &array, decl.count),
        TreeKind::InclusiveScan { temporary } => {
            let other = match temporary {
                Some(other) => format!("s{}", other.0),
                None => own_array(fun, &array, decl.count),
            };
            scan(fun, tree, (&array, &other), decl.count);
        }
        TreeKind::ExclusiveScan => {
            let other = own_array(fun, &array, decl.count);
            scan(fun, tree, (&array, &other), decl.count);
            let start = match (&tree.combine, decl.elem) {
                (Combine::Op(op), Elem::Scalar(ty)) => Const {
                    ty,
                    // The front end refuses operations without an identity.
                    bits: identity(*op).unwrap_or(0),
                },
                _ => decl.initial.first().copied().unwrap_or(Const {
                    ty: nupp_core::ir::entity::Scalar::U32,
                    bits: 0,
                }),
            };
            let last = decl.count - 1;
            fun.out.line(format!("{array}.copy_within(0..{last}, 1);"));
            fun.out
                .line(format!("{array}[0] = {};", ops::literal(start)));
        }
    }
}

/// A second array, where the author named none.
fn own_array(fun: &mut Fun<'_>, array: &str, count: u32) -> String {
    let name = fun.fresh("t");
    if count > 1 {
        fun.out.line(format!("let mut {name} = {array};"));
    }
    name
}

/// One combination: `to[i]` from two slots.
fn combine(fun: &mut Fun<'_>, tree: &Tree, to: &str, a: &str, b: &str) {
    match &tree.combine {
        Combine::Op(op) => {
            let value = ops::expression(*op, &[a.to_owned(), b.to_owned()], fun.isa);
            fun.out.line(format!("{to} = {value};"));
        }
        Combine::Region { params, region } => {
            for (&param, from) in params.iter().zip([a, b]) {
                if fun.live(param) {
                    let name = fun.name(param);
                    fun.out.line(format!("let {name} = {from};"));
                }
            }
            scalar::region(fun, region);
            let value = region
                .yields
                .first()
                .map_or_else(String::new, |&v| fun.name(v));
            fun.out.line(format!("{to} = {value};"));
        }
    }
}

fn reduce(fun: &mut Fun<'_>, tree: &Tree, array: &str, count: u32) {
    let mut stride = count / 2;
    while stride > 0 {
        fun.out.open(format!("for i in 0..{stride} {{"));
        let (own, above) = (format!("{array}[i]"), format!("{array}[i + {stride}]"));
        combine(fun, tree, &own, &own, &above);
        fun.out.close("}");
        stride /= 2;
    }
}

/// The arrays alternate; where the number of stages is odd, a copy brings the result home.
fn scan(fun: &mut Fun<'_>, tree: &Tree, (array, other): (&str, &str), count: u32) {
    let (mut from, mut to) = (array, other);
    let mut distance = 1;
    while distance < count {
        fun.out.line(format!(
            "{to}[..{distance}].copy_from_slice(&{from}[..{distance}]);"
        ));
        fun.out.open(format!("for i in {distance}..{count} {{"));
        let below = format!("{from}[i - {distance}]");
        combine(
            fun,
            tree,
            &format!("{to}[i]"),
            &below,
            &format!("{from}[i]"),
        );
        fun.out.close("}");
        std::mem::swap(&mut from, &mut to);
        distance *= 2;
    }
    if from != array {
        fun.out.line(format!("{array} = {from};"));
    }
}
