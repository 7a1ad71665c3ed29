//! Every barrier stands where all lanes of a workgroup come, and come equally often; every stated
//! scope is at least the least one.

use super::super::VerifyError;
use super::error;
use super::scopes::trip_scope;
use crate::device::ir::{DeviceLeaf, DeviceRegion, Module};
use crate::ir::entity::{Scope, Value};
use crate::ir::flow::{LoopKind, Op};

pub(super) fn check(module: &Module, scopes: &[Scope]) -> Result<(), VerifyError> {
    for (n, (info, least)) in module.values.iter().zip(scopes).enumerate() {
        if info.scope < *least {
            let detail = format!("v{n} is {least:?}, stated as {:?}", info.scope);
            return error("a scope is not understated", detail);
        }
    }
    region(&module.body, scopes, Scope::Dispatch)
}

fn of(scopes: &[Scope], values: &[Value]) -> Scope {
    values
        .iter()
        .map(|v| scopes[v.index()])
        .max()
        .unwrap_or(Scope::Dispatch)
}

fn region(region_: &DeviceRegion, scopes: &[Scope], control: Scope) -> Result<(), VerifyError> {
    for inst in &region_.insts {
        match &inst.op {
            Op::Leaf(DeviceLeaf::Barrier) if control == Scope::Lane => {
                return error(
                    "a barrier stands in uniform control",
                    "not every lane comes to it",
                );
            }
            Op::Const(_) | Op::Scalar(..) | Op::Leaf(_) => {}
            Op::If { cond, then, els } => {
                let inner = of(scopes, &[*cond]).max(control);
                region(then, scopes, inner)?;
                region(els, scopes, inner)?;
            }
            Op::Loop(turns) => {
                let trip = trip_scope(turns, |values| of(scopes, values)).max(control);
                if let LoopKind::While { cond, .. } = &turns.kind {
                    region(cond, scopes, trip)?;
                }
                region(&turns.body, scopes, trip)?;
            }
        }
    }
    Ok(())
}
