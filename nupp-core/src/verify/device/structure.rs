//! Definitions, types, region dominance, and what a module and its functions may hold.

use super::super::VerifyError;
use super::error;
use crate::device::ir::{ArrayDecl, DeviceLeaf, DeviceRegion, Function, Module, printable};
use crate::ir::entity::{Scalar, Value};
use crate::ir::flow::{Inst, Loop, LoopKind, Op};

type Checked = Result<(), VerifyError>;

pub(super) fn check(module: &Module) -> Checked {
    let mut walk = Walk {
        module,
        defined: vec![false; module.values.len()],
        visible: vec![false; module.values.len()],
        opened: Vec::new(),
        functions: 0,
        in_function: false,
        barriers: 0,
    };
    for array in module.workgroup.iter().chain(&module.private) {
        if array.ty == Scalar::Bool || array.len == 0 {
            return error("an array holds words", array.name.clone());
        }
    }
    if module.size == 0 || module.size > crate::limits::MAX_GROUP_SIZE || module.covers == 0 {
        return error(
            "a workgroup has 1 to 256 lanes",
            format!("it has {}", module.size),
        );
    }
    for function in &module.functions {
        walk.function(function)?;
        walk.functions += 1;
    }
    walk.in_function = false;
    walk.whole(&module.body, &[])?;
    if walk.barriers != module.barriers {
        let detail = format!("{} stated, {} found", module.barriers, walk.barriers);
        return error("a module states its barriers", detail);
    }
    Ok(())
}

struct Walk<'a> {
    module: &'a Module,
    defined: Vec<bool>,
    visible: Vec<bool>,
    /// Values made visible, in order, to be hidden when their region ends.
    opened: Vec<Value>,
    functions: usize,
    in_function: bool,
    barriers: u32,
}

impl Walk<'_> {
    fn function(&mut self, function: &Function) -> Checked {
        self.in_function = true;
        let mark = self.opened.len();
        self.define(&function.params)?;
        self.whole(&function.body, &[function.result])?;
        self.close(mark);
        Ok(())
    }

    fn ty(&self, value: Value) -> Result<Scalar, VerifyError> {
        match self.module.values.get(value.index()) {
            Some(info) => Ok(info.ty),
            None => error("a value is in the table", value.to_string()),
        }
    }

    fn define(&mut self, values: &[Value]) -> Checked {
        for &value in values {
            self.ty(value)?;
            if std::mem::replace(&mut self.defined[value.index()], true) {
                return error("a value is defined once", value.to_string());
            }
            self.visible[value.index()] = true;
            self.opened.push(value);
        }
        Ok(())
    }

    fn close(&mut self, mark: usize) {
        for value in self.opened.drain(mark..) {
            self.visible[value.index()] = false;
        }
    }

    fn operand(&self, value: Value, ty: Scalar) -> Checked {
        let found = self.ty(value)?;
        if !self.visible[value.index()] {
            return error(
                "a use follows its definition in an enclosing region",
                value.to_string(),
            );
        }
        if found != ty {
            let detail = format!("{value} is {found:?} where {ty:?} is needed");
            return error("types agree", detail);
        }
        Ok(())
    }

    fn operands(&self, values: &[Value], types: &[Scalar]) -> Checked {
        if values.len() != types.len() {
            let detail = format!("{} where {} are needed", values.len(), types.len());
            return error("as many values as needed", detail);
        }
        values
            .iter()
            .zip(types)
            .try_for_each(|(&value, &ty)| self.operand(value, ty))
    }

    fn types(&self, values: &[Value]) -> Result<Vec<Scalar>, VerifyError> {
        values.iter().map(|&value| self.ty(value)).collect()
    }

    /// A region on its own that yields these types.
    fn whole(&mut self, region: &DeviceRegion, yields: &[Scalar]) -> Checked {
        let mark = self.opened.len();
        self.insts(region)?;
        self.operands(&region.yields, yields)?;
        self.close(mark);
        Ok(())
    }

    fn insts(&mut self, region: &DeviceRegion) -> Checked {
        region.insts.iter().try_for_each(|inst| self.inst(inst))
    }

    fn inst(&mut self, inst: &Inst<DeviceLeaf>) -> Checked {
        let results = self.types(&inst.results)?;
        match &inst.op {
            Op::Const(c) => {
                if c.ty == Scalar::Bool && c.bits > 1 {
                    return error("a boolean is 0 or 1", format!("{}", c.bits));
                }
                self.gives(&results, &[c.ty])?;
            }
            Op::Scalar(op, args) => {
                if !printable(*op) {
                    return error("only operations that can be printed", op.name());
                }
                self.operands(args, op.args())?;
                self.gives(&results, &[op.result()])?;
            }
            Op::Leaf(leaf) => {
                let given = self.leaf(leaf)?;
                self.gives(&results, given.as_slice())?;
            }
            Op::If { cond, then, els } => {
                self.operand(*cond, Scalar::Bool)?;
                self.whole(then, &results)?;
                self.whole(els, &results)?;
            }
            Op::Loop(inner) => self.turns(inner, &results)?,
        }
        self.define(&inst.results)
    }

    fn gives(&self, results: &[Scalar], given: &[Scalar]) -> Checked {
        if results == given {
            return Ok(());
        }
        error(
            "an instruction defines what it gives",
            format!("{results:?} for {given:?}"),
        )
    }

    fn turns(&mut self, inner: &Loop<DeviceLeaf>, results: &[Scalar]) -> Checked {
        let params = self.types(&inner.params)?;
        self.gives(results, &params)?;
        self.operands(&inner.init, &params)?;
        let mark = self.opened.len();
        if let LoopKind::Counted { lo, hi, var } = &inner.kind {
            let ty = self.ty(*var)?;
            if !matches!(ty, Scalar::I32 | Scalar::U32) {
                return error("a loop counts integers", var.to_string());
            }
            self.operands(&[*lo, *hi], &[ty, ty])?;
            self.define(&[*var])?;
        }
        self.define(&inner.params)?;
        if let LoopKind::While { cond, .. } = &inner.kind {
            // What the condition defines stays visible in the body.
            self.insts(cond)?;
            self.operands(&cond.yields, &[Scalar::Bool])?;
        }
        let mut yields = params;
        if inner.breaks {
            yields.insert(0, Scalar::Bool);
        }
        self.whole(&inner.body, &yields)?;
        self.close(mark);
        Ok(())
    }

    fn leaf(&mut self, leaf: &DeviceLeaf) -> Result<Option<Scalar>, VerifyError> {
        if self.in_function && !matches!(leaf, DeviceLeaf::Call { .. }) {
            return error("a function is pure", format!("{leaf:?}"));
        }
        match leaf {
            DeviceLeaf::Builtin(_) => Ok(Some(Scalar::U32)),
            DeviceLeaf::UniformWord(word) => {
                if *word >= self.module.uniforms.words() {
                    return error("a word is in the uniform block", word.to_string());
                }
                Ok(Some(Scalar::U32))
            }
            DeviceLeaf::BufferLoad { buffer, index } => {
                self.buffer(*buffer, false, false)?;
                self.operand(*index, Scalar::U32)?;
                Ok(Some(Scalar::U32))
            }
            DeviceLeaf::BufferStore {
                buffer,
                index,
                value,
            } => {
                self.buffer(*buffer, true, false)?;
                self.operands(&[*index, *value], &[Scalar::U32, Scalar::U32])?;
                Ok(None)
            }
            DeviceLeaf::BufferMax {
                buffer,
                index,
                value,
            } => {
                self.buffer(*buffer, true, true)?;
                self.operands(&[*index, *value], &[Scalar::U32, Scalar::U32])?;
                Ok(Some(Scalar::U32))
            }
            DeviceLeaf::SharedLoad { array, index } => {
                self.load(&self.module.workgroup, *array, *index)
            }
            DeviceLeaf::PrivateLoad { array, index } => {
                self.load(&self.module.private, *array, *index)
            }
            DeviceLeaf::SharedStore {
                array,
                index,
                value,
            } => self.store(&self.module.workgroup, *array, [*index, *value]),
            DeviceLeaf::PrivateStore {
                array,
                index,
                value,
            } => self.store(&self.module.private, *array, [*index, *value]),
            DeviceLeaf::Barrier => {
                self.barriers += 1;
                Ok(None)
            }
            DeviceLeaf::Call { func, args } => {
                let callee = self.module.functions.get(func.index());
                let Some(callee) = callee.filter(|_| func.index() < self.functions) else {
                    return error("a call is of an earlier function", func.to_string());
                };
                self.operands(args, &self.types(&callee.params)?)?;
                Ok(Some(callee.result))
            }
        }
    }

    fn buffer(&self, buffer: u32, write: bool, atomic: bool) -> Checked {
        match self.module.buffers.get(buffer as usize) {
            Some(decl) if decl.atomic != atomic => error(
                "an atomic buffer is touched in one step, and no other",
                decl.name.clone(),
            ),
            Some(decl) if decl.write || !write => Ok(()),
            Some(decl) => error("only a written buffer is written", decl.name.clone()),
            None => error("a buffer is declared", buffer.to_string()),
        }
    }

    fn array(&self, arrays: &[ArrayDecl], array: u32) -> Result<Scalar, VerifyError> {
        match arrays.get(array as usize) {
            Some(decl) => Ok(decl.ty),
            None => error("an array is declared", array.to_string()),
        }
    }

    fn load(
        &self,
        arrays: &[ArrayDecl],
        array: u32,
        index: Value,
    ) -> Result<Option<Scalar>, VerifyError> {
        self.operand(index, Scalar::U32)?;
        self.array(arrays, array).map(Some)
    }

    fn store(
        &self,
        arrays: &[ArrayDecl],
        array: u32,
        [index, value]: [Value; 2],
    ) -> Result<Option<Scalar>, VerifyError> {
        let ty = self.array(arrays, array)?;
        self.operands(&[index, value], &[Scalar::U32, ty])?;
        Ok(None)
    }
}
