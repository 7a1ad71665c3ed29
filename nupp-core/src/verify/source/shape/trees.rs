//! Trees: their arrays exist, hold scalars of the combination's type, and have a power of two of
//! slots; an exclusive scan's combination has an identity.

use super::{Check, Shape, ensure};
use crate::eval::scalar;
use crate::ir::entity::{Scalar, ScratchId};
use crate::ir::kernel::{Elem, ScratchDecl, Tree, TreeKind};
use crate::ir::op::ScalarOp;
use crate::verify::VerifyError;

const RULE: &str = "trees";

impl Shape<'_> {
    fn tree_array(&self, array: ScratchId) -> Result<(&ScratchDecl, Scalar), VerifyError> {
        let decl = self.groups.and_then(|g| g.scratch.get(array.index()));
        match decl {
            Some(decl) => match decl.elem {
                Elem::Scalar(ty) => Ok((decl, ty)),
                Elem::Struct(_) => super::super::broken(RULE, format!("{array} holds structs")),
            },
            None => super::super::broken("declarations", format!("{array} is not declared")),
        }
    }

    /// Checks the arrays and gives the type of their slots.
    pub(super) fn tree_arrays(&self, tree: &Tree) -> Result<Scalar, VerifyError> {
        let (decl, ty) = self.tree_array(tree.array)?;
        let count = decl.count;
        ensure!(
            count.is_power_of_two(),
            RULE,
            "{} has {count} slots",
            tree.array
        );
        if let TreeKind::InclusiveScan {
            temporary: Some(other),
        } = tree.kind
        {
            ensure!(
                other != tree.array,
                RULE,
                "{other} is both arrays of a scan"
            );
            let (decl, other_ty) = self.tree_array(other)?;
            ensure!(
                other_ty == ty && decl.count == count,
                RULE,
                "{other} and {} differ",
                tree.array
            );
        }
        Ok(ty)
    }

    pub(super) fn tree_op(&self, tree: &Tree, op: ScalarOp, ty: Scalar) -> Check {
        ensure!(
            op.args() == [ty, ty] && op.result() == ty,
            RULE,
            "{} does not combine the slots of {}",
            op.name(),
            tree.array
        );
        ensure!(
            tree.kind != TreeKind::ExclusiveScan || scalar::identity(op).is_some(),
            RULE,
            "{} has no identity",
            op.name()
        );
        Ok(())
    }

    pub(super) fn tree_region(&self, tree: &Tree) -> Check {
        ensure!(
            tree.kind != TreeKind::ExclusiveScan,
            RULE,
            "an exclusive scan of {} combines with a function, which has no identity",
            tree.array
        );
        Ok(())
    }
}
