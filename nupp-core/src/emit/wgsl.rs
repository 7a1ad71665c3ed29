//! Prints Device IR as WGSL.
//!
//! A constant is always given a name with `let` or `var` before it is used: WGSL evaluates
//! expressions of literals while it compiles and refuses a module whose constants overflow, divide
//! by 0 or make a NaN, while for named values each of those has the meaning that Device IR gives
//! it. Constant floats come out of a `var`, since a `bitcast` of a literal may be refused as well.
//! Barriers stay in control flow that WGSL's own analysis finds uniform, because the walk adds no
//! `return` and no `continue`, and because controllers read workgroup memory never.
//!
//! Names: `b0` buffers, `s0` workgroup arrays, `a0` private arrays, `v0` values, `p0` the variable
//! that carries a value, `t0` parts of expressions, `k0` constant floats.

use super::walk::Walk;
use crate::artifact::ENTRY_POINT;
use crate::device::ir::{ArrayDecl, Function, Module};
use crate::ir::entity::Scalar;
use crate::verify::Verified;
use std::fmt::Write;

mod block;

use block::Block;

/// Prints a module.
pub fn emit(module: &Verified<Module>) -> String {
    emit_module(module)
}

/// [`emit`], for a module that is known to be valid without a token.
pub(super) fn emit_module(module: &Module) -> String {
    let mut text = format!(
        "// {}, for the profile {}.\n",
        printable_name(&module.name),
        module.profile
    );
    for (position, buffer) in module.buffers.iter().enumerate() {
        let access = if buffer.write { "read_write" } else { "read" };
        let word = if buffer.atomic { "atomic<u32>" } else { "u32" };
        line(
            &mut text,
            format_args!(
                "@group(0) @binding({position}) var<storage, {access}> b{position}: array<{word}>;"
            ),
        );
    }
    line(
        &mut text,
        format_args!(
            "@group(0) @binding({}) var<uniform> words: array<vec4<u32>, {}>;",
            module.buffers.len(),
            module.uniforms.words() / 4
        ),
    );
    for (position, array) in module.workgroup.iter().enumerate() {
        line(
            &mut text,
            format_args!("var<workgroup> s{position}: {};", array_type(array)),
        );
    }
    for (position, function) in module.functions.iter().enumerate() {
        print_function(&mut text, module, position, function);
    }
    print_entry(&mut text, module);
    text
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{content}");
}

fn print_function(text: &mut String, module: &Module, position: usize, function: &Function) {
    let params: Vec<String> = function
        .params
        .iter()
        .map(|&param| format!("{param}: {}", type_name(module.values[param.index()].ty)))
        .collect();
    line(
        text,
        format_args!(
            "\nfn {}({}) -> {} {{",
            function_name(position, function),
            params.join(", "),
            type_name(function.result)
        ),
    );
    let mut walk = Walk::new(Block::new(module), &module.values);
    for &param in &function.params {
        walk.external(param, block::named(param.to_string()));
    }
    walk.region(&function.body);
    let result = walk.rendered(function.body.yields[0]);
    walk.target
        .statement(format_args!("return {};", result.text));
    text.push_str(&walk.target.finish());
    text.push_str("}\n");
}

fn print_entry(text: &mut String, module: &Module) {
    line(
        text,
        format_args!(
            "\n@compute @workgroup_size({})\nfn {ENTRY_POINT}(@builtin(workgroup_id) group: vec3<u32>, \
             @builtin(local_invocation_index) lane: u32) {{",
            module.size
        ),
    );
    for (position, array) in module.private.iter().enumerate() {
        line(
            text,
            format_args!("  var a{position}: {};", array_type(array)),
        );
    }
    let mut walk = Walk::new(Block::new(module), &module.values);
    walk.region(&module.body);
    text.push_str(&walk.target.finish());
    text.push_str("}\n");
}

fn array_type(array: &ArrayDecl) -> String {
    format!("array<{}, {}>", type_name(array.ty), array.len)
}

fn type_name(ty: Scalar) -> &'static str {
    match ty {
        Scalar::F32 => "f32",
        Scalar::I32 => "i32",
        Scalar::U32 => "u32",
        Scalar::Bool => "bool",
    }
}

fn function_name(position: usize, function: &Function) -> String {
    format!("f{position}_{}", printable_name(&function.name))
}

/// A name with whatever could not be part of an identifier replaced.
fn printable_name(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}
