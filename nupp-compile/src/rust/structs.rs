//! Prints a struct of the block as a Rust struct that can stand in a buffer.

use super::CRATE;
use super::ops::{ident, scalar_type};
use super::writer::Writer;
use nupp_core::ir::entity::Scalar;

/// A struct to print.
#[derive(Clone, Debug)]
pub struct StructItem<'a> {
    /// Its authored name.
    pub name: &'a str,
    /// Whether it is `pub`.
    pub public: bool,
    /// `#[doc]` texts, in order.
    pub docs: &'a [String],
    /// Fields in order.
    pub fields: Vec<(&'a str, Scalar)>,
}

/// The text of a struct, with its layout asserted.
pub fn structure(item: &StructItem<'_>) -> String {
    let mut out = Writer::default();
    let name = ident(item.name);
    super::item::docs(
        &mut out,
        item.docs,
        &format!("The struct `{}` of a kernel block.", item.name),
    );
    let visible = if item.public { "pub " } else { "" };
    out.line("#[repr(C)]");
    out.line(
        "#[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, \
         ::core::default::Default, ::core::cmp::PartialEq)]",
    );
    out.open(format!("{visible}struct {name} {{"));
    for (field, ty) in &item.fields {
        out.line(format!("/// The field `{field}`."));
        out.line(format!("pub {}: {},", ident(field), scalar_type(*ty)));
    }
    out.close("}");
    let bytes = item.fields.len() * 4;
    out.open("const _: () = {");
    out.line(format!(
        "assert!(::core::mem::size_of::<{name}>() == {bytes});"
    ));
    out.line(format!("assert!(::core::mem::align_of::<{name}>() == 4);"));
    for (at, (field, _)) in item.fields.iter().enumerate() {
        let (field, offset) = (ident(field), at * 4);
        out.line(format!(
            "assert!(::core::mem::offset_of!({name}, {field}) == {offset});"
        ));
    }
    out.close("};");
    out.line(
        "// SAFETY: fields of 32 bits without padding, in which every pattern is a value: the",
    );
    out.line("// layout is asserted above.");
    out.line(format!("unsafe impl {CRATE}::rt::Zeroable for {name} {{}}"));
    out.line("// SAFETY: as above.");
    out.line(format!("unsafe impl {CRATE}::rt::Pod for {name} {{}}"));
    out.open(format!("{CRATE}::__gpu! {{"));
    out.open(format!("impl {CRATE}::rt::Element for {name} {{"));
    out.line(format!("const NAME: &'static str = {:?};", item.name));
    out.close("}");
    out.close("}");
    out.finish()
}
