//! Declarations, guards and the two shapes: from a kernel's HIR to a whole `Kernel`.

use super::exits::assigned;
use super::state::{Frame, Lower};
use crate::proof::guards;
use crate::proof::world::{Root, Rule, World};
use crate::proof::{footprint, forms, slots};
use nupp_core::ir::build::Builder;
use nupp_core::ir::entity::{Scalar, SpanId, StructId, UniformId, Value};
use nupp_core::ir::flow::Const;
use nupp_core::ir::kernel::{
    Body, CmpOp, Elem, GroupRule, Groups, Guard, GuardCond, Kernel, LengthCond, LengthSum, Node,
    ParamRef, ScratchDecl, SpanDecl, StructDecl, Target, UniformDecl,
};
use nupp_core::ir::op::ScalarOp;
use nupp_core::ir::scope;
use nupp_core::ir::value_map::ValueMap;
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::hir::{
    Block, GuardExpr, KernelDef, LengthExpr, LocalId, ParamKind, Program, Shape,
};
use nupp_front::hir::{ParamId, Workgroups};

impl<'a> Lower<'a> {
    /// Takes in a kernel's declarations.
    pub(super) fn new(program: &'a Program, kernel: &'a KernelDef) -> Self {
        let span_at = |param: ParamId| {
            let before = &kernel.func.params[..param.index()];
            let spans = before
                .iter()
                .filter(|p| matches!(p.kind, ParamKind::Span(..)));
            SpanId(spans.count() as u32)
        };
        let rule = match &kernel.shape {
            Shape::Map { primary, .. } => Rule::Map {
                primary: span_at(*primary),
            },
            Shape::Workgroups(w) => Rule::Groups {
                span: span_at(w.span),
                divisor: w.divisor.max(1),
                ceil: w.ceil,
                size: w.size,
            },
        };
        let world = World {
            b: Builder::new(),
            roots: ValueMap::default(),
            rule,
        };
        let mut this = Lower::empty(program, kernel, world);
        this.declare();
        this
    }

    fn declare(&mut self) {
        let func = &self.kernel.func;
        let mut frame = Frame {
            func,
            env: vec![None; func.locals.len() + 2],
            spans: vec![None; func.params.len()],
            arrays: Vec::new(),
            loops: 0,
            call: None,
        };
        for (at, param) in func.params.iter().enumerate() {
            let name = param.name.text.clone();
            match param.kind {
                ParamKind::Span(elem, access) => {
                    let id = SpanId(self.spans.len() as u32);
                    let elem = self.elem(elem);
                    frame.spans[at] = Some(id);
                    self.spans.push(SpanDecl { name, elem, access });
                    self.params.push(ParamRef::Span(id));
                }
                ParamKind::Value(ty, local) => {
                    let ty = self.fields(ty).first().copied().unwrap_or(Scalar::U32);
                    let id = UniformId(self.uniforms.len() as u32);
                    self.uniforms.push(UniformDecl { name, ty });
                    self.params.push(ParamRef::Uniform(id));
                    self.uniform_locals.insert(local, id);
                }
                ParamKind::Scratch(_) => {}
            }
        }
        self.frames.push(frame);
    }

    /// An element type with the kernel's own struct numbers.
    pub(super) fn elem(&mut self, elem: Elem) -> Elem {
        let Elem::Struct(id) = elem else { return elem };
        if let Some(known) = self.struct_ids[id.index()] {
            return Elem::Struct(known);
        }
        let def = &self.program.structs[id.index()];
        let fields = def.fields.iter().map(|f| (f.0.text.clone(), f.1));
        let own = StructId(self.structs.len() as u32);
        self.structs.push(StructDecl {
            name: def.name.text.clone(),
            fields: fields.collect(),
        });
        self.struct_ids[id.index()] = Some(own);
        Elem::Struct(own)
    }

    /// The scalars of an element of the kernel's own tables.
    pub(super) fn elem_fields(&self, elem: Elem) -> Vec<Scalar> {
        match elem {
            Elem::Scalar(ty) => vec![ty],
            Elem::Struct(id) => self.structs[id.index()]
                .fields
                .iter()
                .map(|f| f.1)
                .collect(),
        }
    }

    /// Lowers the whole kernel.
    pub(super) fn kernel(mut self) -> Result<Kernel, Vec<Diagnostic>> {
        self.guards();
        let body = match &self.kernel.shape {
            Shape::Map { index, .. } => self.map(*index),
            Shape::Workgroups(w) => self.groups(w),
        };
        self.check_nesting(body.nesting());
        if !self.stopped() {
            let found = forms::check(&self.span_uses, &self.spans);
            self.mistakes.extend(found);
            let size = match self.world.rule {
                Rule::Groups { size, .. } => size,
                Rule::Map { .. } => 1,
            };
            let scene = slots::Scene {
                world: &self.world,
                scratch: &self.scratch,
                size,
            };
            let found = slots::check(&scene, &self.slot_uses);
            self.mistakes.extend(found);
        }
        if !self.mistakes.is_empty() {
            return Err(self.mistakes);
        }
        let mut kernel = Kernel {
            name: self.kernel.func.name.text.clone(),
            target: if self.kernel.cpu_only {
                Target::Cpu
            } else {
                Target::Gpu
            },
            structs: self.structs,
            spans: self.spans,
            uniforms: self.uniforms,
            params: self.params,
            guards: self.guards,
            values: self.world.b.values,
            body,
        };
        scope::assign(&mut kernel);
        let at = match &self.kernel.shape {
            Shape::Map { at, .. } => *at,
            Shape::Workgroups(w) => w.at,
        };
        let found = footprint::check(&kernel, at);
        if found.is_empty() {
            Ok(kernel)
        } else {
            Err(found)
        }
    }

    /// Uniforms that the body assigns are locals from its start; the others are read where used.
    fn assigned_uniforms(&mut self, bodies: &[&Block]) {
        for body in bodies {
            for local in assigned(body) {
                if let Some(id) = self.uniform_locals.get(&local).copied() {
                    let value = self.uniform(id);
                    self.set(local.index(), vec![value]);
                }
            }
        }
    }

    fn map(&mut self, index: LocalId) -> Body {
        let Rule::Map { primary } = self.world.rule else {
            unreachable!("the rule follows the shape")
        };
        let value = self.world.b.external(Scalar::U32);
        self.world.roots.insert(value, Root::Index);
        self.index_value = Some(value);
        self.set(index.index(), vec![value]);
        let body = &self.kernel.func.body;
        self.assigned_uniforms(&[body]);
        self.seq(&body.stmts, None, false);
        let region = self.world.b.close(Vec::new());
        Body::Map {
            primary,
            index: value,
            region,
        }
    }

    fn groups(&mut self, w: &'a Workgroups) -> Body {
        let value = self.world.b.external(Scalar::U32);
        self.world.roots.insert(value, Root::Group);
        for def in &w.scratch {
            let elem = self.elem(def.elem);
            let types = self.elem_fields(elem);
            let initial = types.into_iter().zip(&def.initial);
            self.scratch.push(ScratchDecl {
                name: def.name.text.clone(),
                elem,
                initial: initial
                    .map(|(ty, bits)| Const { ty, bits: *bits })
                    .collect(),
                count: def.count,
            });
        }
        self.controller = true;
        self.nodes.push(Vec::new());
        self.assigned_uniforms(&[&w.prologue, &w.body]);
        self.seq(&w.prologue.stmts, None, false);
        self.set(w.group.index(), vec![value]);
        self.seq(&w.body.stmts, None, false);
        let mut nodes = self.nodes.pop().unwrap_or_default();
        let region = self.world.b.close(Vec::new());
        nodes.extend(region.insts.into_iter().map(Node::Inst));
        let rule = GroupRule {
            span: self.span(w.span),
            divisor: w.divisor,
            ceil: w.ceil,
        };
        Body::Groups(Groups {
            rule,
            size: w.size,
            scratch: self.scratch.clone(),
            group: value,
            nodes,
        })
    }

    fn guards(&mut self) {
        let mut places = Vec::new();
        for def in &self.kernel.guards {
            let Some(cond) = self.guard_cond(&def.cond, def) else {
                continue;
            };
            places.push(def.at);
            self.guards.push(Guard {
                cond,
                message: def.message.clone(),
                text: def.text.clone(),
            });
        }
        let Some(chain) = guards::contradiction(&self.world, &self.guards) else {
            return;
        };
        let Some(last) = chain.last().map(|g| *g as usize) else {
            return;
        };
        let text = if chain.len() == 1 {
            format!("the guard `{}` can never hold", self.guards[last].text)
        } else {
            format!(
                "the guard `{}` contradicts an earlier one",
                self.guards[last].text
            )
        };
        let mut mistake = Diagnostic::new(Code::GuardContradiction, places[last], text)
            .help("remove or correct one of them: as they are, the kernel could never run");
        for at in chain.iter().rev().skip(1).rev().map(|g| *g as usize) {
            let text = format!("`{}` stands here", self.guards[at].text);
            mistake = mistake.note(Some(places[at]), text);
        }
        self.report(mistake);
    }

    fn guard_cond(
        &mut self,
        cond: &'a GuardExpr,
        def: &nupp_front::hir::GuardDef,
    ) -> Option<GuardCond> {
        if let Some(lengths) = self.length_cond(cond) {
            return Some(GuardCond::Lengths(lengths));
        }
        self.world.b.open();
        self.numbers.open();
        let value = self.guard_value(cond);
        self.numbers.close();
        let region = self.world.b.close(value.into_iter().collect());
        if value.is_none() {
            let text = format!(
                "the guard `{}` mixes a sum of lengths with other conditions",
                def.text
            );
            let help = "write one `assert` for the relation of lengths and one for the rest";
            self.report(Diagnostic::new(Code::GuardForm, def.at, text).help(help));
            return None;
        }
        Some(GuardCond::Scalar(region))
    }

    fn length_cond(&self, cond: &GuardExpr) -> Option<LengthCond> {
        let pair = |a: &GuardExpr, b: &GuardExpr| {
            Some((
                Box::new(self.length_cond(a)?),
                Box::new(self.length_cond(b)?),
            ))
        };
        Some(match cond {
            GuardExpr::Cmp { op, lhs, rhs } => LengthCond::Cmp {
                op: *op,
                lhs: self.length_sum(lhs),
                rhs: self.length_sum(rhs),
            },
            GuardExpr::And(a, b) => {
                let (a, b) = pair(a, b)?;
                LengthCond::And(a, b)
            }
            GuardExpr::Or(a, b) => {
                let (a, b) = pair(a, b)?;
                LengthCond::Or(a, b)
            }
            GuardExpr::Not(a) => LengthCond::Not(Box::new(self.length_cond(a)?)),
            GuardExpr::Scalar(_) => return None,
        })
    }

    fn length_sum(&self, sum: &LengthExpr) -> LengthSum {
        let terms = sum
            .terms
            .iter()
            .map(|(factor, id)| (*factor, self.span(*id)));
        LengthSum {
            terms: terms.collect(),
            constant: sum.constant,
        }
    }

    /// A guard of a CPU kernel as a boolean; `None` where it needs a sum of lengths, which is exact
    /// only as a relation of its own.
    fn guard_value(&mut self, cond: &'a GuardExpr) -> Option<Value> {
        Some(match cond {
            GuardExpr::Scalar(e) => self.scalar(e),
            GuardExpr::Not(a) => {
                let a = self.guard_value(a)?;
                self.not(a)
            }
            GuardExpr::And(a, b) => {
                let (a, b) = (self.guard_value(a)?, self.guard_value(b)?);
                self.op(ScalarOp::BoolAnd, &[a, b])
            }
            GuardExpr::Or(a, b) => {
                let (a, b) = (self.guard_value(a)?, self.guard_value(b)?);
                self.op(ScalarOp::BoolOr, &[a, b])
            }
            GuardExpr::Cmp { op, lhs, rhs } => {
                let (a, b) = (self.guard_length(lhs)?, self.guard_length(rhs)?);
                self.compare(*op, a, b)
            }
        })
    }

    fn guard_length(&mut self, sum: &LengthExpr) -> Option<Value> {
        match (sum.terms.as_slice(), sum.constant) {
            ([(1, id)], 0) => Some(self.length(self.span(*id))),
            ([], n) => u32::try_from(n).ok().map(|n| self.u32(n)),
            _ => None,
        }
    }

    fn compare(&mut self, op: CmpOp, a: Value, b: Value) -> Value {
        use ScalarOp::{U32Eq, U32Le, U32Lt};
        match op {
            CmpOp::Eq => self.op(U32Eq, &[a, b]),
            CmpOp::Lt => self.op(U32Lt, &[a, b]),
            CmpOp::Le => self.op(U32Le, &[a, b]),
            CmpOp::Gt => self.op(U32Lt, &[b, a]),
            CmpOp::Ge => self.op(U32Le, &[b, a]),
            CmpOp::Ne => {
                let equal = self.op(U32Eq, &[a, b]);
                self.not(equal)
            }
        }
    }
}
