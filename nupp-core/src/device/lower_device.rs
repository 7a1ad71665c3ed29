//! Lowers Source IR to Device IR for a profile.
//!
//! Inside a module a float is the uint32 of its bits, from load to store; it becomes a float only
//! as the operand of a hardware operation, and that is where an unknown zero hides it from the driver's
//! compiler, another one for each operand: only a first operand that came from memory needs none. So
//! integer code, selections, loops and stores cost no conversion and no exclusive or. What a
//! profile does not trust the device with is a call of `soft`. Gates make a NaN canonical where
//! its bits become visible. Proofs end here; `verify::device` checks what matters of the result.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::carried::Carried;
use super::claims::Checks;
use super::ir::{ArrayDecl, BufferDecl, Builtin, DeviceLeaf, Module};
use super::pass::discharge_guards::{Fallback, discharge_guards};
use super::pass::drop_unused::drop_unused;
use super::pass::elide_fill::fills_needed;
use super::pass::lower_trees::lower_trees;
use super::pass::promote_private::promote_private;
use super::profile::Profile;
use super::soft::Library;
use super::soft::dsl::{Ctx, U};
use crate::artifact::UniformLayout;
use crate::ir::build::Builder;
use crate::ir::entity::{FuncId, Scalar, ScratchId, SpanId, Value};
use crate::ir::flow::Inst;
use crate::ir::kernel::{Access, Body, Kernel, ScratchDecl, Target};
use crate::ir::op::ScalarOp;
use crate::ir::value_map::ValueMap;
use crate::limits;
use crate::verify::Verified;
use crate::verify::source::footprint;
use claims::Claiming;
pub use error::LowerError;
use scratch::{Home, ScratchPlan};

mod barriers;
mod claims;
mod error;
mod flow;
mod groups;
mod memory;
mod operand;
mod scalar;
mod scratch;
#[cfg(test)]
mod tests;

/// Lowers a kernel for a device profile. The same kernel and profile give the same module.
///
/// # Errors
/// `LowerError::CpuOnly` and `LowerError::NoIdentity`; the front end refuses both earlier.
pub fn lower(kernel: &Verified<Kernel>, profile: &Profile) -> Result<Module, LowerError> {
    lower_unverified(kernel, profile)
}

/// As [`lower`], with these checks (`device::claims`); a kernel without a scatter has the same module
/// whether scatters are checked or not.
///
/// # Errors
/// As [`lower`].
pub fn lower_checked(
    kernel: &Verified<Kernel>,
    profile: &Profile,
    checks: Checks,
) -> Result<Module, LowerError> {
    lower_claiming(kernel, profile, &Claiming::of(kernel, checks))
}

/// As [`lower`], for a kernel that a pass or a test has changed since it was verified.
///
/// # Errors
/// As [`lower`].
pub fn lower_unverified(kernel: &Kernel, profile: &Profile) -> Result<Module, LowerError> {
    lower_claiming(kernel, profile, &Claiming::default())
}

/// Lowers with these checks.
fn lower_claiming(
    kernel: &Kernel,
    profile: &Profile,
    claiming: &Claiming,
) -> Result<Module, LowerError> {
    if kernel.target == Target::Cpu {
        return Err(LowerError::CpuOnly {
            kernel: kernel.name.clone(),
        });
    }
    // Decided on what the author wrote: the arrays of a tree are shared.
    let private = footprint(kernel).private;
    // Trees become phases first, so that barriers are decided in one place.
    let kernel = lower_trees(kernel)?;
    let mut plan = ScratchPlan {
        private,
        filled: BTreeSet::new(),
    };
    let mut lowered = lower_body(&kernel, profile, &plan, claiming)?;
    plan.filled = filled(&kernel, &lowered.homes, &fills_needed(&lowered.module));
    if !plan.filled.is_empty() {
        lowered = lower_body(&kernel, profile, &plan, claiming)?;
    }
    let Lowered {
        mut module,
        carried,
        ..
    } = lowered;
    promote_private(&mut module, &carried);
    discharge_guards(&mut module, &carried, Fallback::of(profile));
    // Last, when all uses are known.
    drop_unused(&mut module.body, module.values.len());
    let scopes = crate::verify::device::scopes(&module);
    for (info, scope) in module.values.iter_mut().zip(scopes) {
        info.scope = scope;
    }
    Ok(module)
}

/// A module before the passes on Device IR.
struct Lowered {
    module: Module,
    /// Where each scratch array lives.
    homes: Vec<Home>,
    /// The functions that are operations of the device behind a guard.
    carried: Vec<(FuncId, Carried)>,
}

/// Lowers the body of a kernel without trees.
fn lower_body(
    kernel: &Kernel,
    profile: &Profile,
    plan: &ScratchPlan,
    claiming: &Claiming,
) -> Result<Lowered, LowerError> {
    let builder = RefCell::new(Builder::new());
    let mut lowering = Lowering::new(kernel, profile, plan, &builder);
    lowering.claimed.clone_from(&claiming.spans);
    let (size, covers) = match &kernel.body {
        Body::Map { index, region, .. } => {
            lowering.map_kernel(*index, region)?;
            (limits::MAP_WORKGROUP, limits::MAP_WORKGROUP)
        }
        Body::Groups(groups) => {
            lowering.group_kernel(groups)?;
            (groups.size, 1)
        }
    };
    if claiming.loops {
        lowering.watch_loops();
    }
    let Lowering {
        lib,
        prologue,
        software,
        layout,
        workgroup,
        private,
        homes,
        barriers,
        ..
    } = lowering;
    let carried = lib.carried();
    let functions = lib.finish();
    let (values, mut body) = builder.into_inner().finish(Vec::new());
    body.insts.splice(0..0, prologue);
    let register_bytes = private.iter().map(|array: &ArrayDecl| 4 * array.len).sum();
    let module = Module {
        name: kernel.name.clone(),
        profile: profile.name,
        buffers: buffers(kernel, claiming),
        uniforms: layout,
        workgroup,
        private,
        register_bytes,
        size,
        covers,
        values,
        functions,
        body,
        software: ScalarOp::ALL
            .iter()
            .filter(|op| software.contains(op))
            .map(|op| op.name())
            .collect(),
        barriers,
    };
    Ok(Lowered {
        module,
        homes,
        carried,
    })
}

/// The scratch arrays of which some workgroup array needs its fill.
fn filled(kernel: &Kernel, homes: &[Home], needed: &[bool]) -> BTreeSet<ScratchId> {
    let Body::Groups(groups) = &kernel.body else {
        return BTreeSet::new();
    };
    let arrays = (0..).map(ScratchId).zip(&groups.scratch).zip(homes);
    let wanted = |decl: &ScratchDecl, home: &Home| match home {
        Home::Workgroup(first) => {
            let fields = kernel.elem_words(decl.elem) as usize;
            let mut mine = needed.iter().skip(*first as usize).take(fields);
            // An array of a pass's own has no initial value.
            !decl.initial.is_empty() && mine.any(|&needed| needed)
        }
        Home::Nowhere | Home::Private(_) => false,
    };
    arrays
        .filter_map(|((array, decl), home)| wanted(decl, home).then_some(array))
        .collect()
}

fn buffers(kernel: &Kernel, claiming: &Claiming) -> Vec<BufferDecl> {
    let decl = |span: &crate::ir::kernel::SpanDecl| BufferDecl {
        name: span.name.clone(),
        write: span.access == Access::Write,
        words: kernel.elem_words(span.elem),
        atomic: false,
    };
    let claims = claiming.any().then(claims::buffer);
    kernel.spans.iter().map(decl).chain(claims).collect()
}

/// A source value in the module.
#[derive(Clone, Copy, Debug)]
struct Rep {
    /// The value; a float's bits as a uint32.
    v: Value,
    /// The source type.
    ty: Scalar,
    /// It is a word straight from read-only memory, so the compiler knows nothing of it.
    raw: bool,
    /// It is a float whose NaN, if it is one, has the canonical bits.
    canonical: bool,
    /// It is a constant.
    constant: Option<u32>,
}

/// Which unknown zero hides an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hidden {
    First,
    Second,
    Third,
}

struct Lowering<'a> {
    kernel: &'a Kernel,
    profile: &'a Profile,
    ctx: Ctx<'a>,
    lib: Library<'a>,
    layout: UniformLayout,
    /// What each source value became.
    reps: Vec<Option<Rep>>,
    /// Constants, uniform words and hidden literals: once, before everything else.
    prologue: Vec<Inst<DeviceLeaf>>,
    constants: HashMap<(Scalar, u32), Value>,
    words: HashMap<u32, Value>,
    /// Hidden operands made so far and visible here, and the order they were made in.
    hidden: [ValueMap<Value>; 3],
    hidden_log: Vec<(Value, Hidden)>,
    /// The zero made of the other two.
    third: Option<Value>,
    software: BTreeSet<ScalarOp>,
    plan: &'a ScratchPlan,
    workgroup: Vec<ArrayDecl>,
    private: Vec<ArrayDecl>,
    /// Where each scratch array lives.
    homes: Vec<Home>,
    barriers: u32,
    /// The zero-based index of the element (map) or the number of the group.
    index: Option<Value>,
    /// The lane number.
    local: Option<Value>,
    /// What is known of lanes outside all phases; nothing in a map.
    known: barriers::Known,
    /// The scattered spans, where the module is checked.
    claimed: Vec<SpanId>,
}

impl<'a> Lowering<'a> {
    fn new(kernel: &'a Kernel, profile: &'a Profile, plan: &'a ScratchPlan, ctx: Ctx<'a>) -> Self {
        Lowering {
            kernel,
            profile,
            ctx,
            lib: Library::new(ctx),
            layout: UniformLayout {
                spans: kernel.spans.len() as u32,
                uniforms: kernel.uniforms.len() as u32,
            },
            reps: vec![None; kernel.values.len()],
            prologue: Vec::new(),
            constants: HashMap::new(),
            words: HashMap::new(),
            hidden: [(); 3].map(|()| ValueMap::default()),
            hidden_log: Vec::new(),
            third: None,
            software: BTreeSet::new(),
            plan,
            workgroup: Vec::new(),
            private: Vec::new(),
            homes: Vec::new(),
            barriers: 0,
            index: None,
            local: None,
            known: barriers::Known::default(),
            claimed: Vec::new(),
        }
    }

    fn u(&self, v: Value) -> U<'a> {
        U { ctx: self.ctx, v }
    }

    /// Builds into the prologue instead of where the builder stands.
    fn at_entry<R>(&mut self, build: impl FnOnce(&mut Self) -> R) -> R {
        self.ctx.borrow_mut().open();
        let result = build(self);
        let region = self.ctx.borrow_mut().close(Vec::new());
        self.prologue.extend(region.insts);
        result
    }

    /// A constant, the same value wherever it is asked for.
    fn constant(&mut self, ty: Scalar, bits: u32) -> Value {
        if let Some(&value) = self.constants.get(&(ty, bits)) {
            return value;
        }
        let value = self.at_entry(|this| this.ctx.borrow_mut().constant(ty, bits));
        self.constants.insert((ty, bits), value);
        value
    }

    fn uint(&mut self, n: u32) -> Value {
        self.constant(Scalar::U32, n)
    }

    /// A word of the uniform block, the same value wherever it is asked for.
    fn word(&mut self, word: u32) -> Value {
        if let Some(&value) = self.words.get(&word) {
            return value;
        }
        let leaf = DeviceLeaf::UniformWord(word);
        let value = self.at_entry(|this| this.ctx.borrow_mut().leaf(leaf, Scalar::U32));
        self.words.insert(word, value);
        value
    }

    fn builtin(&self, builtin: Builtin) -> U<'a> {
        let v = self
            .ctx
            .borrow_mut()
            .leaf(DeviceLeaf::Builtin(builtin), Scalar::U32);
        self.u(v)
    }

    /// The workgroup's number in the whole dispatch.
    fn workgroup_number(&mut self) -> U<'a> {
        let base = self.word(UniformLayout::GROUP_BASE);
        let width = self.word(UniformLayout::WIDTH);
        let x = self.builtin(Builtin::WorkgroupX);
        let y = self.builtin(Builtin::WorkgroupY);
        self.u(base) + y * self.u(width) + x
    }

    fn rep(&self, value: Value) -> Result<Rep, LowerError> {
        let undefined = || LowerError::Undefined {
            kernel: self.kernel.name.clone(),
            value,
        };
        self.reps
            .get(value.index())
            .copied()
            .flatten()
            .ok_or_else(undefined)
    }

    fn define(&mut self, value: Value, rep: Rep) {
        if let Some(slot) = self.reps.get_mut(value.index()) {
            *slot = Some(rep);
        }
    }

    /// The one-element-a-lane form of a map.
    fn map_kernel(
        &mut self,
        index: Value,
        region: &crate::ir::kernel::SourceRegion,
    ) -> Result<(), LowerError> {
        const WIDTH: u32 = limits::MAP_WORKGROUP;
        const { assert!(WIDTH.is_power_of_two()) };
        let count = self.word(UniformLayout::COUNT);
        let count = self.u(count);
        let group = self.workgroup_number();
        let local = self.builtin(Builtin::LocalIndex);
        // The group is compared with the number of groups, since group * WIDTH may wrap.
        let groups = (count >> WIDTH.trailing_zeros()) + (count & (WIDTH - 1)).min(1);
        let element = group * WIDTH + local;
        let inside = group.lt(groups) & element.lt(count);
        self.index = Some(element.v);
        self.ctx.borrow_mut().open();
        let authored = (element + 1).v;
        let rep = self.plain(authored, Scalar::U32);
        self.define(index, rep);
        self.insts(&region.insts)?;
        let then = self.ctx.borrow_mut().close(Vec::new());
        self.ctx
            .borrow_mut()
            .if_(inside.v, then, Default::default());
        Ok(())
    }

    /// A value of which nothing is known.
    fn plain(&mut self, v: Value, ty: Scalar) -> Rep {
        Rep {
            v,
            ty,
            raw: false,
            canonical: false,
            constant: None,
        }
    }
}
