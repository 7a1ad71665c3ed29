//! The blocks of one SPIR-V function.
//!
//! Variables are collected apart from the code, so that all of them stand at the function's start.
//! A loop is a header that merges, a body, and a continue block that only branches back; leaving it
//! is a selection whose one side branches to the loop's merge block, which readers that rebuild
//! structure turn into a plain `break`.

use super::asm::{Asm, push};
use super::{Interface, opcode as op};
use crate::device::ir::{ArrayDecl, Builtin, DeviceLeaf, Module};
use crate::emit::expand::Sink;
use crate::emit::prim::{Code, Prim};
use crate::emit::walk::Target;
use crate::ir::entity::{Scalar, Value};
use crate::ir::flow::Const;

mod bound;
mod chain;

use chain::Chains;
#[cfg(test)]
pub(in crate::emit) use chain::MOST;

/// The open constructs of structured control flow.
enum Open {
    /// An `if`: where its other side begins, if it has one not yet begun, and where both meet.
    If { els: Option<u32>, merge: u32 },
    /// A loop: its header, its continue block, and what follows.
    Loop { header: u32, next: u32, merge: u32 },
}

/// One function in the making.
pub(super) struct Block<'a> {
    asm: &'a mut Asm,
    module: &'a Module,
    interface: &'a Interface,
    private: Vec<u32>,
    variables: Vec<u32>,
    code: Vec<u32>,
    chains: Chains,
    open: Vec<Open>,
}

impl<'a> Block<'a> {
    /// A function whose header is written; `private` are arrays that live in it.
    pub fn new(
        asm: &'a mut Asm,
        module: &'a Module,
        interface: &'a Interface,
        private: &[ArrayDecl],
    ) -> Self {
        let mut block = Block {
            asm,
            module,
            interface,
            private: Vec::new(),
            variables: Vec::new(),
            code: Vec::new(),
            chains: Chains::default(),
            open: Vec::new(),
        };
        for decl in private {
            let ty = block.asm.array_type(decl.ty, decl.len);
            let id = block.local(ty);
            block.private.push(id);
        }
        block
    }

    /// Ends the function with its result.
    pub fn finish(mut self, result: Option<u32>) {
        self.cut_chains();
        let label = self.asm.fresh();
        self.asm.function(op::LABEL, &[label]);
        self.asm.function_words(&self.variables);
        self.asm.function_words(&self.code);
        match result {
            Some(id) => self.asm.function(op::RETURN_VALUE, &[id]),
            None => self.asm.function(op::RETURN, &[]),
        }
        self.asm.function(op::FUNCTION_END, &[]);
    }

    fn local(&mut self, ty: u32) -> u32 {
        let pointer = self.asm.pointer_type(op::FUNCTION_CLASS, ty);
        let id = self.asm.fresh();
        let operands = [pointer, id, op::FUNCTION_CLASS];
        push(&mut self.variables, op::VARIABLE, &operands);
        id
    }

    fn code(&mut self, opcode: u16, operands: &[u32]) {
        push(&mut self.code, opcode, operands);
    }

    /// An instruction with a result of the type `ty`.
    fn result(&mut self, opcode: u16, ty: u32, operands: &[u32]) -> u32 {
        let id = self.asm.fresh();
        let mut words = vec![ty, id];
        words.extend_from_slice(operands);
        self.code(opcode, &words);
        id
    }

    fn scalar(&mut self, opcode: u16, ty: Scalar, operands: &[u32]) -> u32 {
        let ty = self.asm.scalar_type(ty);
        self.result(opcode, ty, operands)
    }

    fn extended(&mut self, instruction: u32, ty: Scalar, args: &[u32]) -> u32 {
        let mut operands = vec![self.asm.glsl(), instruction];
        operands.extend_from_slice(args);
        self.scalar(op::EXT_INST, ty, &operands)
    }

    fn exact(&mut self, id: u32) -> u32 {
        if self.asm.options.no_contraction {
            self.asm.decorate(id, op::NO_CONTRACTION, &[]);
        }
        id
    }

    /// A pointer to an element.
    fn element(&mut self, class: u32, ty: Scalar, base: u32, path: &[u32]) -> u32 {
        let ty = self.asm.scalar_type(ty);
        let pointer = self.asm.pointer_type(class, ty);
        let mut operands = vec![base];
        operands.extend_from_slice(path);
        self.result(op::ACCESS_CHAIN, pointer, &operands)
    }

    fn buffer_word(&mut self, buffer: u32, index: u32) -> u32 {
        let base = self.interface.buffers[buffer as usize];
        let member = self.asm.constant_u32(0);
        self.element(op::STORAGE_BUFFER, Scalar::U32, base, &[member, index])
    }

    /// A word of the uniform block, at a place that only the launch knows; `emit` says why.
    fn uniform_word(&mut self, word: u32) -> u32 {
        let [member, row, component] =
            [0, word / 4, word % 4].map(|index| self.asm.constant_u32(index));
        let zero = self.group_component(2);
        let row = self.scalar(op::I_ADD, Scalar::U32, &[row, zero]);
        let path = [member, row, component];
        let base = self.interface.words;
        let pointer = self.element(op::UNIFORM, Scalar::U32, base, &path);
        self.scalar(op::LOAD, Scalar::U32, &[pointer])
    }

    fn shared_element(&mut self, array: u32, index: u32) -> (u32, Scalar) {
        let ty = self.module.workgroup[array as usize].ty;
        let base = self.interface.workgroup[array as usize];
        (self.element(op::WORKGROUP, ty, base, &[index]), ty)
    }

    fn private_element(&mut self, array: u32, index: u32) -> (u32, Scalar) {
        let ty = self.module.private[array as usize].ty;
        let base = self.private[array as usize];
        (self.element(op::FUNCTION_CLASS, ty, base, &[index]), ty)
    }

    fn builtin(&mut self, builtin: Builtin) -> u32 {
        let component = match builtin {
            Builtin::LocalIndex => {
                let ty = self.asm.scalar_type(Scalar::U32);
                let input = self.asm.builtin(op::LOCAL_INVOCATION_INDEX, ty);
                return self.scalar(op::LOAD, Scalar::U32, &[input]);
            }
            Builtin::WorkgroupX => 0,
            Builtin::WorkgroupY => 1,
        };
        self.group_component(component)
    }

    fn group_component(&mut self, component: u32) -> u32 {
        let word = self.asm.scalar_type(Scalar::U32);
        let (triple, _) = self.asm.global(op::TYPE_VECTOR, None, &[word, 3]);
        let input = self.asm.builtin(op::WORKGROUP_ID, triple);
        let component = self.asm.constant_u32(component);
        let pointer = self.element(op::INPUT, Scalar::U32, input, &[component]);
        self.scalar(op::LOAD, Scalar::U32, &[pointer])
    }

    fn barrier(&mut self) {
        let scope = self.asm.constant_u32(op::SCOPE_WORKGROUP);
        let semantics = self.asm.constant_u32(op::WORKGROUP_MEMORY_ACQUIRE_RELEASE);
        self.code(op::CONTROL_BARRIER, &[scope, scope, semantics]);
    }

    /// Ends the current block in a selection; the next code is in the block `then`.
    fn select(&mut self, cond: u32, then: u32, els: u32, merge: u32) {
        self.code(op::SELECTION_MERGE, &[merge, 0]);
        self.code(op::BRANCH_CONDITIONAL, &[cond, then, els]);
    }

    fn begin(&mut self, label: u32) {
        self.code(op::LABEL, &[label]);
    }
}

impl Sink for Block<'_> {
    type V = u32;

    fn u32(&mut self, value: u32) -> u32 {
        self.asm.constant_u32(value)
    }

    fn i32(&mut self, value: i32) -> u32 {
        self.asm.constant_i32(value)
    }

    fn apply(&mut self, prim: Prim, args: &[u32]) -> u32 {
        debug_assert_eq!(args.len(), prim.args().len(), "{prim:?}");
        let (ty, start) = (prim.result(), self.code.len());
        let id = match prim.code() {
            Code::Core(opcode) => self.scalar(opcode, ty, args),
            Code::Ext(instruction) => self.extended(instruction, ty, args),
            Code::Float(opcode) => {
                let id = self.scalar(opcode, ty, args);
                self.exact(id)
            }
            Code::FloatExt(instruction) => {
                let id = self.extended(instruction, ty, args);
                self.exact(id)
            }
        };
        self.link(start, args, ty);
        id
    }

    fn bind(&mut self, value: u32) -> u32 {
        value
    }
}

impl Target for Block<'_> {
    type Var = u32;

    fn define(&mut self, _value: Value, _ty: Scalar, rendered: u32) -> u32 {
        rendered
    }

    fn constant(&mut self, constant: Const) -> u32 {
        match constant.ty {
            Scalar::U32 => self.asm.constant_u32(constant.bits),
            Scalar::I32 => self.asm.constant_i32(constant.bits as i32),
            Scalar::Bool => self.asm.constant_bool(constant.bits != 0),
            Scalar::F32 => {
                let bits = self.asm.constant_u32(constant.bits);
                self.scalar(op::BITCAST, Scalar::F32, &[bits])
            }
        }
    }

    fn leaf(&mut self, leaf: &DeviceLeaf, operands: &[u32]) -> Option<u32> {
        match *leaf {
            DeviceLeaf::Builtin(builtin) => Some(self.builtin(builtin)),
            DeviceLeaf::UniformWord(word) => Some(self.uniform_word(word)),
            DeviceLeaf::BufferLoad { buffer, .. } => {
                let pointer = self.buffer_word(buffer, operands[0]);
                Some(self.scalar(op::LOAD, Scalar::U32, &[pointer]))
            }
            DeviceLeaf::BufferStore { buffer, .. } => {
                let pointer = self.buffer_word(buffer, operands[0]);
                self.store(&pointer, &operands[1]);
                None
            }
            DeviceLeaf::BufferMax { buffer, .. } => {
                let pointer = self.buffer_word(buffer, operands[0]);
                let scope = self.asm.constant_u32(op::SCOPE_DEVICE);
                let order = self.asm.constant_u32(op::RELAXED);
                let words = [pointer, scope, order, operands[1]];
                Some(self.scalar(op::ATOMIC_U_MAX, Scalar::U32, &words))
            }
            DeviceLeaf::SharedLoad { array, .. } => {
                let (pointer, ty) = self.shared_element(array, operands[0]);
                Some(self.load(&pointer, ty))
            }
            DeviceLeaf::SharedStore { array, .. } => {
                let (pointer, _) = self.shared_element(array, operands[0]);
                self.store(&pointer, &operands[1]);
                None
            }
            DeviceLeaf::PrivateLoad { array, .. } => {
                let (pointer, ty) = self.private_element(array, operands[0]);
                Some(self.load(&pointer, ty))
            }
            DeviceLeaf::PrivateStore { array, .. } => {
                let (pointer, _) = self.private_element(array, operands[0]);
                self.store(&pointer, &operands[1]);
                None
            }
            DeviceLeaf::Barrier => {
                self.barrier();
                None
            }
            DeviceLeaf::Call { func, .. } => {
                let mut words = vec![self.interface.functions[func.index()]];
                words.extend_from_slice(operands);
                let ty = self.module.functions[func.index()].result;
                Some(self.scalar(op::FUNCTION_CALL, ty, &words))
            }
        }
    }

    fn variable(&mut self, _value: Value, ty: Scalar, init: Option<&u32>) -> u32 {
        let ty = self.asm.scalar_type(ty);
        let id = self.local(ty);
        if let Some(init) = init {
            self.store(&id, init);
        }
        id
    }

    fn load(&mut self, var: &u32, ty: Scalar) -> u32 {
        self.scalar(op::LOAD, ty, &[*var])
    }

    fn store(&mut self, var: &u32, rendered: &u32) {
        self.code(op::STORE, &[*var, *rendered]);
    }

    fn begin_if(&mut self, cond: &u32, has_else: bool) {
        let (then, merge) = (self.asm.fresh(), self.asm.fresh());
        let els = has_else.then(|| self.asm.fresh());
        self.select(*cond, then, els.unwrap_or(merge), merge);
        self.open.push(Open::If { els, merge });
        self.begin(then);
    }

    fn begin_else(&mut self) {
        if let Some(Open::If { els, merge }) = self.open.last_mut()
            && let (Some(els), merge) = (els.take(), *merge)
        {
            self.code(op::BRANCH, &[merge]);
            self.begin(els);
        }
    }

    fn end_if(&mut self) {
        if let Some(Open::If { merge, .. }) = self.open.pop() {
            self.code(op::BRANCH, &[merge]);
            self.begin(merge);
        }
    }

    fn begin_loop(&mut self) {
        let bound = self.asm.options.bound_loops.then(|| self.start_bound());
        let [header, body, next, merge] = [(); 4].map(|()| self.asm.fresh());
        self.code(op::BRANCH, &[header]);
        self.begin(header);
        self.code(op::LOOP_MERGE, &[merge, next, 0]);
        self.code(op::BRANCH, &[body]);
        self.begin(body);
        self.open.push(Open::Loop {
            header,
            next,
            merge,
        });
        if let Some(bound) = bound {
            self.count_turn(&bound);
        }
    }

    fn break_where(&mut self, cond: &u32, when: bool) {
        let Some(Open::Loop { merge, .. }) = self.open.last() else {
            return;
        };
        let merge = *merge;
        let (leave, stay) = (self.asm.fresh(), self.asm.fresh());
        let (then, els) = if when { (leave, stay) } else { (stay, leave) };
        self.select(*cond, then, els, stay);
        self.begin(leave);
        self.code(op::BRANCH, &[merge]);
        self.begin(stay);
    }

    fn end_loop(&mut self) {
        if let Some(Open::Loop {
            header,
            next,
            merge,
        }) = self.open.pop()
        {
            self.code(op::BRANCH, &[next]);
            self.begin(next);
            self.code(op::BRANCH, &[header]);
            self.begin(merge);
        }
    }
}
