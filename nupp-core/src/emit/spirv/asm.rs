//! The sections of a SPIR-V module while it is written.
//!
//! Ids are numbered in the order they are asked for, and types and constants are kept once, by
//! what they say, so that the words depend on nothing but the calls made.

use super::opcode as op;
use super::options::Options;
use crate::ir::entity::Scalar;
use std::collections::BTreeMap;

/// A module in the making.
#[derive(Default)]
pub(super) struct Asm {
    /// How it is printed.
    pub options: Options,
    last: u32,
    glsl: Option<u32>,
    inputs: Vec<u32>,
    names: Vec<u32>,
    decorations: Vec<u32>,
    globals: Vec<u32>,
    functions: Vec<u32>,
    known: BTreeMap<Vec<u32>, u32>,
    builtins: BTreeMap<u32, u32>,
}

/// Appends one instruction.
pub(super) fn push(words: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    words.push(((operands.len() as u32 + 1) << 16) | u32::from(opcode));
    words.extend_from_slice(operands);
}

/// A string as words: UTF-8, at least one zero byte at the end.
fn string(text: &str) -> Vec<u32> {
    let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    (0..bytes.len() / 4 + 1)
        .map(|word| {
            (0..4).fold(0, |packed, byte| {
                let value = bytes.get(word * 4 + byte).copied().unwrap_or(0);
                packed | u32::from(value) << (8 * byte)
            })
        })
        .collect()
}

impl Asm {
    /// A module with nothing in it.
    pub fn new(options: Options) -> Self {
        Asm {
            options,
            ..Asm::default()
        }
    }

    /// A new id.
    pub fn fresh(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    /// Names an id for readers of the module.
    pub fn name(&mut self, id: u32, name: &str) {
        let mut operands = vec![id];
        operands.extend(string(name));
        push(&mut self.names, op::NAME, &operands);
    }

    /// Decorates an id.
    pub fn decorate(&mut self, id: u32, decoration: u32, extra: &[u32]) {
        let mut operands = vec![id, decoration];
        operands.extend_from_slice(extra);
        push(&mut self.decorations, op::DECORATE, &operands);
    }

    /// Decorates a member of a struct.
    pub fn member_decorate(&mut self, id: u32, member: u32, decoration: u32, extra: &[u32]) {
        let mut operands = vec![id, member, decoration];
        operands.extend_from_slice(extra);
        push(&mut self.decorations, op::MEMBER_DECORATE, &operands);
    }

    /// A type, or a constant of the type `ty`: its id, and whether it was not there before.
    pub fn global(&mut self, opcode: u16, ty: Option<u32>, operands: &[u32]) -> (u32, bool) {
        let mut key = vec![u32::from(opcode)];
        key.extend(ty);
        key.extend_from_slice(operands);
        if let Some(&id) = self.known.get(&key) {
            return (id, false);
        }
        let id = self.fresh();
        let mut words: Vec<u32> = ty.into_iter().collect();
        words.push(id);
        words.extend_from_slice(operands);
        push(&mut self.globals, opcode, &words);
        self.known.insert(key, id);
        (id, true)
    }

    /// The type of a scalar.
    pub fn scalar_type(&mut self, ty: Scalar) -> u32 {
        let (id, _) = match ty {
            Scalar::F32 => self.global(op::TYPE_FLOAT, None, &[32]),
            Scalar::I32 => self.global(op::TYPE_INT, None, &[32, 1]),
            Scalar::U32 => self.global(op::TYPE_INT, None, &[32, 0]),
            Scalar::Bool => self.global(op::TYPE_BOOL, None, &[]),
        };
        id
    }

    /// An array outside of buffers, which has no layout.
    pub fn array_type(&mut self, element: Scalar, len: u32) -> u32 {
        let element = self.scalar_type(element);
        let len = self.constant_u32(len);
        self.global(op::TYPE_ARRAY, None, &[element, len]).0
    }

    /// A pointer type.
    pub fn pointer_type(&mut self, class: u32, to: u32) -> u32 {
        self.global(op::TYPE_POINTER, None, &[class, to]).0
    }

    /// An integer constant, or a float one as the uint32 of its bits.
    pub fn constant_u32(&mut self, value: u32) -> u32 {
        let ty = self.scalar_type(Scalar::U32);
        self.global(op::CONSTANT, Some(ty), &[value]).0
    }

    /// An int32 constant.
    pub fn constant_i32(&mut self, value: i32) -> u32 {
        let ty = self.scalar_type(Scalar::I32);
        self.global(op::CONSTANT, Some(ty), &[value as u32]).0
    }

    /// A truth value.
    pub fn constant_bool(&mut self, value: bool) -> u32 {
        let ty = self.scalar_type(Scalar::Bool);
        let opcode = if value {
            op::CONSTANT_TRUE
        } else {
            op::CONSTANT_FALSE
        };
        self.global(opcode, Some(ty), &[]).0
    }

    /// A variable of the module.
    pub fn variable(&mut self, class: u32, ty: u32) -> u32 {
        let pointer = self.pointer_type(class, ty);
        let id = self.fresh();
        push(&mut self.globals, op::VARIABLE, &[pointer, id, class]);
        id
    }

    /// The input variable of a built-in number, of the type `ty`.
    pub fn builtin(&mut self, builtin: u32, ty: u32) -> u32 {
        if let Some(&id) = self.builtins.get(&builtin) {
            return id;
        }
        let id = self.variable(op::INPUT, ty);
        self.decorate(id, op::BUILT_IN, &[builtin]);
        self.inputs.push(id);
        self.builtins.insert(builtin, id);
        id
    }

    /// The set of extended instructions.
    pub fn glsl(&mut self) -> u32 {
        if let Some(id) = self.glsl {
            return id;
        }
        let id = self.fresh();
        self.glsl = Some(id);
        id
    }

    /// Appends an instruction to the functions.
    pub fn function(&mut self, opcode: u16, operands: &[u32]) {
        push(&mut self.functions, opcode, operands);
    }

    /// Appends whole instructions to the functions.
    pub fn function_words(&mut self, words: &[u32]) {
        self.functions.extend_from_slice(words);
    }

    /// The words of the module.
    pub fn finish(self, entry: u32, name: &str, size: u32) -> Vec<u32> {
        let mut words = vec![op::MAGIC, op::VERSION_1_3, 0, self.last + 1, 0];
        push(&mut words, op::CAPABILITY, &[op::CAPABILITY_SHADER]);
        let modes = self.options.modes();
        for &(capability, _) in &modes {
            push(&mut words, op::CAPABILITY, &[capability]);
        }
        if !modes.is_empty() {
            push(&mut words, op::EXTENSION, &string("SPV_KHR_float_controls"));
        }
        if let Some(id) = self.glsl {
            let mut operands = vec![id];
            operands.extend(string("GLSL.std.450"));
            push(&mut words, op::EXT_INST_IMPORT, &operands);
        }
        push(&mut words, op::MEMORY_MODEL, &[op::LOGICAL, op::GLSL450]);
        let mut operands = vec![op::GL_COMPUTE, entry];
        operands.extend(string(name));
        operands.extend_from_slice(&self.inputs);
        push(&mut words, op::ENTRY_POINT, &operands);
        push(
            &mut words,
            op::EXECUTION_MODE,
            &[entry, op::LOCAL_SIZE, size, 1, 1],
        );
        for (_, mode) in modes {
            push(&mut words, op::EXECUTION_MODE, &[entry, mode, 32]);
        }
        for section in [self.names, self.decorations, self.globals, self.functions] {
            words.extend_from_slice(&section);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::string;

    #[test]
    fn strings_end_in_a_zero_byte() {
        assert_eq!(string(""), [0]);
        assert_eq!(string("abc"), [0x0063_6261]);
        assert_eq!(string("main"), [0x6e69_616d, 0]);
    }
}
