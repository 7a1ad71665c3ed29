//! Prints Device IR as SPIR-V words.
//!
//! SPIR-V 1.3 for Vulkan 1.1: storage buffers in the StorageBuffer class, one capability (Shader),
//! every float arithmetic result decorated NoContraction, all variables of a function at its start,
//! no OpPhi and empty continue blocks. Float constants are bit casts, since a NaN constant is
//! refused by translators. Names are kept for buffers and functions alone.
//!
//! That is the canonical module. [`Options`] ask for another: a driver that gets the words as they
//! are can be told how to treat floats, and nobody else bounds the loops there.
//!
//! `asm` numbers ids and keeps the module's sections, `opcode` holds the numbers of the
//! specification, `block` writes one function.

use super::walk::Walk;
use crate::artifact::ENTRY_POINT;
use crate::device::ir::{Function, Module};
use crate::ir::entity::Scalar;
use crate::verify::Verified;

mod asm;
mod block;
mod opcode;
mod options;

pub use options::Options;

#[cfg(test)]
pub(super) use block::MOST;

use asm::Asm;
use block::Block;
use opcode as op;

/// Prints the canonical module.
pub fn emit(module: &Verified<Module>) -> Vec<u32> {
    emit_with(module, &Options::CANONICAL)
}

/// Prints a module for a driver that gets it as it is.
pub fn emit_with(module: &Verified<Module>, options: &Options) -> Vec<u32> {
    emit_module(module, options)
}

/// [`emit_with`], for a module that is known to be valid without a token.
pub(super) fn emit_module(module: &Module, options: &Options) -> Vec<u32> {
    let mut asm = Asm::new(*options);
    let entry = asm.fresh();
    let interface = Interface::declare(&mut asm, module);
    for (position, function) in module.functions.iter().enumerate() {
        print_function(&mut asm, module, &interface, position, function);
    }
    print_entry(&mut asm, module, &interface, entry);
    asm.finish(entry, ENTRY_POINT, module.size)
}

/// The ids of what a function may refer to.
struct Interface {
    buffers: Vec<u32>,
    words: u32,
    workgroup: Vec<u32>,
    functions: Vec<u32>,
}

impl Interface {
    fn declare(asm: &mut Asm, module: &Module) -> Interface {
        let buffers = (0..)
            .zip(&module.buffers)
            .map(|(binding, decl)| {
                let ty = buffer_type(asm);
                let id = resource(asm, op::STORAGE_BUFFER, ty, binding);
                asm.name(id, &decl.name);
                // The type is shared by all buffers, so that the access belongs to the variable.
                if !decl.write {
                    asm.decorate(id, op::NON_WRITABLE, &[]);
                }
                id
            })
            .collect();
        let ty = words_type(asm, module.uniforms.words() / 4);
        let words = resource(asm, op::UNIFORM, ty, module.buffers.len() as u32);
        let workgroup = module
            .workgroup
            .iter()
            .map(|decl| {
                let ty = asm.array_type(decl.ty, decl.len);
                asm.variable(op::WORKGROUP, ty)
            })
            .collect();
        let functions = module.functions.iter().map(|_| asm.fresh()).collect();
        Interface {
            buffers,
            words,
            workgroup,
            functions,
        }
    }
}

fn resource(asm: &mut Asm, class: u32, ty: u32, binding: u32) -> u32 {
    let id = asm.variable(class, ty);
    asm.decorate(id, op::DESCRIPTOR_SET, &[0]);
    asm.decorate(id, op::BINDING, &[binding]);
    id
}

/// `struct { uint words[]; }`
fn buffer_type(asm: &mut Asm) -> u32 {
    let word = asm.scalar_type(Scalar::U32);
    let (array, new) = asm.global(op::TYPE_RUNTIME_ARRAY, None, &[word]);
    if new {
        asm.decorate(array, op::ARRAY_STRIDE, &[4]);
    }
    block_type(asm, array)
}

/// `struct { uvec4 words[rows]; }`
fn words_type(asm: &mut Asm, rows: u32) -> u32 {
    let word = asm.scalar_type(Scalar::U32);
    let (row, _) = asm.global(op::TYPE_VECTOR, None, &[word, 4]);
    let count = asm.constant_u32(rows);
    let (array, _) = asm.global(op::TYPE_ARRAY, None, &[row, count]);
    asm.decorate(array, op::ARRAY_STRIDE, &[16]);
    block_type(asm, array)
}

fn block_type(asm: &mut Asm, member: u32) -> u32 {
    let (id, new) = asm.global(op::TYPE_STRUCT, None, &[member]);
    if new {
        asm.decorate(id, op::BLOCK, &[]);
        asm.member_decorate(id, 0, op::OFFSET, &[0]);
    }
    id
}

fn print_function(
    asm: &mut Asm,
    module: &Module,
    interface: &Interface,
    position: usize,
    function: &Function,
) {
    let id = interface.functions[position];
    asm.name(id, &function.name);
    let result = asm.scalar_type(function.result);
    let types: Vec<u32> = function
        .params
        .iter()
        .map(|&param| asm.scalar_type(module.values[param.index()].ty))
        .collect();
    let params: Vec<u32> = types.iter().map(|_| asm.fresh()).collect();
    let signature: Vec<u32> = [result].into_iter().chain(types.iter().copied()).collect();
    let (signature, _) = asm.global(op::TYPE_FUNCTION, None, &signature);
    asm.function(op::FUNCTION, &[result, id, 0, signature]);
    for (&ty, &param) in types.iter().zip(&params) {
        asm.function(op::FUNCTION_PARAMETER, &[ty, param]);
    }
    let block = Block::new(asm, module, interface, &[]);
    let mut walk = Walk::new(block, &module.values);
    for (&value, &param) in function.params.iter().zip(&params) {
        walk.external(value, param);
    }
    walk.region(&function.body);
    let result = walk.rendered(function.body.yields[0]);
    walk.target.finish(Some(result));
}

fn print_entry(asm: &mut Asm, module: &Module, interface: &Interface, entry: u32) {
    let (void, _) = asm.global(op::TYPE_VOID, None, &[]);
    let (signature, _) = asm.global(op::TYPE_FUNCTION, None, &[void]);
    asm.function(op::FUNCTION, &[void, entry, 0, signature]);
    let block = Block::new(asm, module, interface, &module.private);
    let mut walk = Walk::new(block, &module.values);
    walk.region(&module.body);
    walk.target.finish(None);
}
