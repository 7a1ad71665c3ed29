//! The statements of one WGSL function.
//!
//! An operation is rendered as an expression; it gets a name when a value of the module is defined
//! by it or when an expansion uses it twice, so that nothing is written, or evaluated, twice.

use super::{function_name, type_name};
use crate::device::ir::{Builtin, DeviceLeaf, Module};
use crate::emit::expand::Sink;
use crate::emit::prim::{Form, Prim};
use crate::emit::walk::Target;
use crate::ir::entity::{Scalar, Value};
use crate::ir::flow::Const;
use std::fmt::Write;

/// An expression.
#[derive(Clone)]
pub(super) struct Text {
    /// As written.
    pub text: String,
    /// Whether it needs parentheses as an operand.
    compound: bool,
    /// Whether it is a name or a literal, which may be written again for nothing.
    cheap: bool,
}

/// An expression that is a name.
pub(super) fn named(text: String) -> Text {
    Text {
        text,
        compound: false,
        cheap: true,
    }
}

fn literal(text: String) -> Text {
    Text {
        compound: text.starts_with('-'),
        text,
        cheap: true,
    }
}

fn call(text: String) -> Text {
    Text {
        text,
        compound: false,
        cheap: false,
    }
}

impl Text {
    fn operand(&self) -> String {
        if self.compound {
            format!("({})", self.text)
        } else {
            self.text.clone()
        }
    }
}

/// The statements of a function so far.
pub(super) struct Block<'m> {
    module: &'m Module,
    text: String,
    depth: usize,
    parts: u32,
    floats: u32,
}

impl<'m> Block<'m> {
    /// No statement.
    pub fn new(module: &'m Module) -> Self {
        Block {
            module,
            text: String::new(),
            depth: 1,
            parts: 0,
            floats: 0,
        }
    }

    /// Adds a statement.
    pub fn statement(&mut self, statement: std::fmt::Arguments<'_>) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{statement}");
    }

    /// The statements.
    pub fn finish(self) -> String {
        self.text
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.statement(format_args!("}}"));
    }
}

fn signed_literal(value: i32) -> Text {
    // The least value has no literal of its own: the sign is an operator.
    if value == i32::MIN {
        call("i32(-2147483648)".to_owned())
    } else {
        literal(format!("{value}i"))
    }
}

impl Sink for Block<'_> {
    type V = Text;

    fn u32(&mut self, value: u32) -> Text {
        literal(format!("{value}u"))
    }

    fn i32(&mut self, value: i32) -> Text {
        signed_literal(value)
    }

    fn apply(&mut self, prim: Prim, args: &[Text]) -> Text {
        match prim.form() {
            Form::Infix(sign) => Text {
                text: format!("{} {sign} {}", args[0].operand(), args[1].operand()),
                compound: true,
                cheap: false,
            },
            Form::Prefix(sign) => Text {
                text: format!("{sign}{}", args[0].operand()),
                compound: true,
                cheap: false,
            },
            Form::Call(name) => {
                let args: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
                call(format!("{name}({})", args.join(", ")))
            }
            Form::Select => call(format!(
                "select({}, {}, {})",
                args[2].text, args[1].text, args[0].text
            )),
        }
    }

    fn bind(&mut self, value: Text) -> Text {
        if value.cheap {
            return value;
        }
        let name = format!("t{}", self.parts);
        self.parts += 1;
        self.statement(format_args!("let {name} = {};", value.text));
        named(name)
    }
}

impl Target for Block<'_> {
    type Var = String;

    fn define(&mut self, value: Value, ty: Scalar, rendered: Text) -> Text {
        self.statement(format_args!(
            "let {value}: {} = {};",
            type_name(ty),
            rendered.text
        ));
        named(value.to_string())
    }

    fn constant(&mut self, constant: Const) -> Text {
        match constant.ty {
            Scalar::U32 => self.u32(constant.bits),
            Scalar::I32 => self.i32(constant.bits as i32),
            Scalar::Bool => named((constant.bits != 0).to_string()),
            Scalar::F32 => {
                let name = format!("k{}", self.floats);
                self.floats += 1;
                self.statement(format_args!("var {name}: u32 = {:#x}u;", constant.bits));
                call(format!("bitcast<f32>({name})"))
            }
        }
    }

    fn leaf(&mut self, leaf: &DeviceLeaf, operands: &[Text]) -> Option<Text> {
        let element =
            |prefix: &str, position: &u32| format!("{prefix}{position}[{}]", operands[0].text);
        match leaf {
            DeviceLeaf::Builtin(Builtin::WorkgroupX) => Some(named("group.x".to_owned())),
            DeviceLeaf::Builtin(Builtin::WorkgroupY) => Some(named("group.y".to_owned())),
            DeviceLeaf::Builtin(Builtin::LocalIndex) => Some(named("lane".to_owned())),
            DeviceLeaf::UniformWord(word) => {
                let component = ["x", "y", "z", "w"][(word % 4) as usize];
                let row = word / 4;
                Some(call(format!("words[{row}u + group.z].{component}")))
            }
            DeviceLeaf::BufferLoad { buffer, .. } => Some(call(element("b", buffer))),
            DeviceLeaf::SharedLoad { array, .. } => Some(call(element("s", array))),
            DeviceLeaf::PrivateLoad { array, .. } => Some(call(element("a", array))),
            DeviceLeaf::BufferStore { buffer, .. } => {
                self.assign_element(element("b", buffer), &operands[1])
            }
            DeviceLeaf::BufferMax { buffer, .. } => Some(call(format!(
                "atomicMax(&{}, {})",
                element("b", buffer),
                operands[1].text
            ))),
            DeviceLeaf::SharedStore { array, .. } => {
                self.assign_element(element("s", array), &operands[1])
            }
            DeviceLeaf::PrivateStore { array, .. } => {
                self.assign_element(element("a", array), &operands[1])
            }
            DeviceLeaf::Barrier => {
                self.statement(format_args!("workgroupBarrier();"));
                None
            }
            DeviceLeaf::Call { func, .. } => {
                let name = function_name(func.index(), &self.module.functions[func.index()]);
                let args: Vec<&str> = operands.iter().map(|arg| arg.text.as_str()).collect();
                Some(call(format!("{name}({})", args.join(", "))))
            }
        }
    }

    fn variable(&mut self, value: Value, ty: Scalar, init: Option<&Text>) -> String {
        let name = format!("p{}", value.0);
        let ty = type_name(ty);
        match init {
            Some(init) => self.statement(format_args!("var {name}: {ty} = {};", init.text)),
            None => self.statement(format_args!("var {name}: {ty};")),
        }
        name
    }

    fn load(&mut self, var: &String, _ty: Scalar) -> Text {
        named(var.clone())
    }

    fn store(&mut self, var: &String, rendered: &Text) {
        self.statement(format_args!("{var} = {};", rendered.text));
    }

    fn begin_if(&mut self, cond: &Text, _has_else: bool) {
        self.statement(format_args!("if ({}) {{", cond.text));
        self.depth += 1;
    }

    fn begin_else(&mut self) {
        self.depth -= 1;
        self.statement(format_args!("}} else {{"));
        self.depth += 1;
    }

    fn end_if(&mut self) {
        self.close();
    }

    fn begin_loop(&mut self) {
        self.statement(format_args!("loop {{"));
        self.depth += 1;
    }

    fn break_where(&mut self, cond: &Text, when: bool) {
        if when {
            self.statement(format_args!("if ({}) {{ break; }}", cond.text));
        } else {
            self.statement(format_args!("if (!{}) {{ break; }}", cond.operand()));
        }
    }

    fn end_loop(&mut self) {
        self.close();
    }
}

impl Block<'_> {
    fn assign_element(&mut self, element: String, value: &Text) -> Option<Text> {
        self.statement(format_args!("{element} = {};", value.text));
        None
    }
}
