//! Items: aliases, constants, structs, functions, and what stands at the top of a block and is none.

use super::{Parser, Reported, Res, is_keyword};
use crate::diag::Code;
use crate::syntax::ast::{
    Alias, AliasTarget, Aot, Const, Expr, ExprKind, Field, File, Function, Item, ItemKind,
    StmtKind, Str, Struct,
};
use crate::syntax::source::TokenKind;

const ITEMS: &str = "write `local function`, `local struct`, `const`, or an alias such as `local f32 = nupp.math.f32`";

impl Parser<'_> {
    /// All items.
    pub(super) fn file(&mut self) -> File {
        let mut file = File::default();
        while self.peek().is_some() {
            if self.eat_op(";").is_some() {
                continue;
            }
            let start = self.pos;
            self.item = start;
            self.closed.clear();
            self.else_ifs.clear();
            let item = self.item();
            if let Ok(mut item) = item {
                item.docs = self.docs_of(start, &item);
                file.items.push(item);
            } else {
                self.recover_item(start);
            }
            self.unclosed = None;
        }
        file
    }

    /// Doc comments before the item that starts at a position, and before its name.
    fn docs_of(&self, start: usize, item: &Item) -> Vec<String> {
        let name = match &item.kind {
            ItemKind::Alias(alias) => alias.name.at,
            ItemKind::Const(constant) => constant.name.at,
            ItemKind::Struct(structure) => structure.name.at,
            ItemKind::Function(function) => function.name.at,
        };
        let from = self.docs.partition_point(|&(pos, _)| pos < start);
        let docs = self.docs[from..].iter();
        docs.take_while(|&&(pos, _)| self.span_of(pos).first <= name.first)
            .map(|&(_, doc)| doc.to_owned())
            .collect()
    }

    /// Goes to where the next item seems to start.
    fn recover_item(&mut self, start: usize) {
        if self.pos == start {
            self.skip_tree();
        }
        let mut depth = 0usize;
        while let Some(token) = self.peek() {
            let word = match token.kind {
                TokenKind::Name => token.text.as_str(),
                _ => "",
            };
            let certain = self.at_op("@") || self.at_word("pub");
            let item = match word {
                "local" => depth == 0 || self.nth_is(1, TokenKind::Name, "struct"),
                "const" => self.nth_is_name(1) && depth == 0,
                "function" => depth == 0,
                _ => false,
            };
            if certain || item {
                return;
            }
            match word {
                "if" | "do" | "function" | "repeat" => depth += 1,
                "end" | "until" => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.skip_tree();
        }
    }

    fn item(&mut self) -> Res<Item> {
        let start = self.here();
        let mut aot = None;
        while self.at_op("@") || self.at_rust_attribute() {
            if let Some(attribute) = self.attribute(aot.is_some()) {
                aot = Some(attribute);
            }
        }
        let public = self.public();
        if self.at_op("@") {
            let at = self.here();
            let help = "write `@aot(...)`, then `pub local function`";
            self.error(
                Code::Attribute,
                at,
                "an attribute stands before `pub`",
                help,
            );
            aot = self.attribute(aot.is_some()).or(aot);
        }
        let kind = self.item_kind(&aot)?;
        if let (Some(aot), false) = (&aot, matches!(kind, ItemKind::Function(_))) {
            let message = "`@aot` makes a kernel, and only a function can be one";
            self.error(Code::Attribute, aot.at, message, "take it out");
        }
        if let (Some(at), ItemKind::Alias(_) | ItemKind::Const(_)) = (public, &kind) {
            let message = "`pub` stands before structs and kernels only";
            self.error(Code::Attribute, at, message, "take it out");
        }
        let kind = match kind {
            ItemKind::Function(function) => ItemKind::Function(Function { aot, ..function }),
            other => other,
        };
        Ok(Item {
            docs: Vec::new(),
            public,
            kind,
            at: start.to(self.before()),
        })
    }

    fn item_kind(&mut self, aot: &Option<Aot>) -> Res<ItemKind> {
        let Some(token) = self.peek() else {
            return Err(self.expected("an item", ITEMS));
        };
        let opener = self.pos;
        match token.text.as_str() {
            _ if token.kind != TokenKind::Name => Err(self.no_item()),
            "local" if self.nth_is(1, TokenKind::Name, "function") => {
                self.bump();
                self.bump();
                self.function_rest(opener + 1, aot.as_ref())
                    .map(ItemKind::Function)
            }
            "local" if self.nth_is(1, TokenKind::Name, "struct") && self.nth_is_name(2) => {
                self.bump();
                self.structure()
            }
            "local" => self.alias(),
            "const" if self.nth_is(1, TokenKind::Name, "fn") => Err(self.no_item()),
            "const" => self.constant(),
            "function" => {
                let at = self.here();
                let help =
                    "write `local function`, with `pub` before it to show it outside the block";
                self.error(
                    Code::FunctionForm,
                    at,
                    "a function is local to its block",
                    help,
                );
                self.bump();
                self.function_rest(opener, aot.as_ref())
                    .map(ItemKind::Function)
            }
            "struct" if self.nth_is_name(1) && !self.nth_is(2, TokenKind::Open, "{") => {
                let at = self.here();
                let message = "a struct starts with `local`";
                self.error(Code::Syntax, at, message, "write `local struct`");
                self.structure()
            }
            _ => Err(self.no_item()),
        }
    }

    /// Something at the top of the block that is no item.
    fn no_item(&mut self) -> Reported {
        let word = self.peek().map_or("", |t| t.text.as_str());
        let (code, message, help) = match word {
            "fn" | "impl" | "use" | "mod" | "enum" | "trait" | "type" | "static" | "unsafe"
            | "const" | "struct" | "extern" | "macro_rules" => (
                Code::ForeignConstruct,
                format!("`{word}` is Rust's and stands outside the block"),
                match word {
                    "fn" | "const" => "write `local function f(x: float): float ... end`",
                    "struct" => "write `local struct Pair  a: float  b: float  end`",
                    _ => "move it out of the block",
                },
            ),
            "let" | "var" => (
                Code::ForeignConstruct,
                format!("`{word}` is not how a name is declared"),
                "write `const NAME = ...` here, `local x = ...` in a function",
            ),
            "return" => (
                Code::ForeignConstruct,
                "a block is no module and returns nothing".to_owned(),
                "take it out, and write `pub local function` for what is used outside",
            ),
            "end" => (
                Code::Unclosed,
                "this `end` closes nothing".to_owned(),
                "take it out, or look for a block that ends too early",
            ),
            _ if is_keyword(word) || self.nth_is_name(0) => (
                Code::Syntax,
                format!("`{word}` starts no item, and statements stand inside functions"),
                ITEMS,
            ),
            _ => return self.expected("an item", ITEMS),
        };
        let at = self.here();
        let kernel = if word == "fn" {
            self.rust_kernel()
        } else {
            None
        };
        let help = kernel.as_deref().unwrap_or(help);
        self.error(code, at, message, help)
    }

    /// The kernel that a Rust function over slices stands for, as far as its parameters tell.
    fn rust_kernel(&self) -> Option<String> {
        let text = |ahead: usize| self.nth(ahead).map_or("", |t| t.text.as_str());
        let mut params = Vec::new();
        let mut ahead = 3;
        while !matches!(text(ahead), ")" | "") {
            let name = text(ahead);
            let mut at = ahead + 2;
            let slice = text(at) == "&";
            at += usize::from(slice);
            let written = slice && text(at) == "mut";
            at += usize::from(written);
            let grouped = text(at) == "[";
            at += usize::from(grouped);
            let ty = match text(at) {
                "f32" => "float",
                "i32" => "int32",
                "u32" => "uint32",
                _ => return None,
            };
            at += 1 + usize::from(grouped);
            params.push(match (slice && grouped, written) {
                (true, true) => format!("exclusive {name}: span.WriteSpan<{ty}>"),
                (true, false) => format!("borrows {name}: span.Span<{ty}>"),
                (false, _) => format!("{name}: {ty}"),
            });
            ahead = at + usize::from(text(at) == ",");
        }
        let kernel = params.iter().any(|param| param.starts_with("exclusive"));
        kernel.then(|| {
            format!(
                "write `@aot(target = \"gpu\") local function {}({}): nil ... end`",
                text(1),
                params.join(", ")
            )
        })
    }

    fn constant(&mut self) -> Res<ItemKind> {
        self.bump();
        let name = self.named("the name of the constant")?;
        let ty = match self.eat_op(":") {
            Some(_) => Some(self.ty()?),
            None => None,
        };
        let help = format!("write `const {} = ...`", name.text);
        self.expect_op("=", "`=` and the constant's value", &help)?;
        let value = self.expr()?;
        Ok(ItemKind::Const(Const { name, ty, value }))
    }

    /// `local name = require("nupp.gpu")` or `local name = nupp.math.f32`.
    fn alias(&mut self) -> Res<ItemKind> {
        let start = self.bump();
        if self.at_word("const") && self.nth_is_name(1) {
            let at = start.to(self.here());
            let message = "a constant belongs to the whole block and is not `local`";
            let reported = self.error(Code::BlockLocal, at, message, "take `local` out");
            self.constant()?;
            return Err(reported);
        }
        let StmtKind::Local(mut names, mut values) = self.local_rest()? else {
            return Err(Reported);
        };
        let (Some(local), Some(value)) = (names.pop(), values.pop()) else {
            return Err(Reported);
        };
        if let (Some(first), Some(_)) = (names.first(), self.alias_target(&value)?) {
            let at = start.to(local.name.at);
            let message = format!("the alias `{}` does not stand alone", first.name.text);
            return Err(self.error(
                Code::BlockLocal,
                at,
                message,
                "write one `local` for each module",
            ));
        }
        match self.alias_target(&value)? {
            Some(target) if local.ty.is_none() => {
                let name = local.name;
                self.refuse_underscore(&name);
                Ok(ItemKind::Alias(Alias { name, target }))
            }
            _ => {
                let name = &local.name.text;
                let message = format!(
                    "`{name}` is a variable at the top of the block, where only module aliases are local"
                );
                let help = if matches!(value.kind, ExprKind::Function(_)) {
                    format!("write `local function {name}(...) ... end`")
                } else {
                    let ty = local.ty.as_ref().map_or(String::new(), |ty| {
                        format!(": {}", crate::syntax::print::ty(ty))
                    });
                    format!("write `const {name}{ty} = ...`, or move it into a function")
                };
                let at = start.to(local.name.at);
                Err(self.error(Code::BlockLocal, at, message, &help))
            }
        }
    }

    fn refuse_underscore(&mut self, name: &crate::syntax::ast::Name) {
        if name.text == "_" {
            let message = "`_` cannot name an item, a field or a parameter";
            self.error(Code::ReservedName, name.at, message, "choose a name");
        }
    }

    fn alias_target(&mut self, value: &Expr) -> Res<Option<AliasTarget>> {
        if let Some(path) = value.path() {
            return Ok(Some(AliasTarget::Path(path)));
        }
        let ExprKind::Call(callee, args) = &value.kind else {
            return Ok(None);
        };
        if !matches!(&callee.kind, ExprKind::Name(name) if name == "require") {
            return Ok(None);
        }
        match args.as_slice() {
            [
                Expr {
                    kind: ExprKind::Str(value),
                    at,
                },
            ] => {
                let module = Str {
                    value: value.clone(),
                    at: *at,
                };
                Ok(Some(AliasTarget::Require(module)))
            }
            _ => {
                let message = "`require` takes the name of one module, as a string";
                let help = "write `require(\"nupp.gpu\")`";
                Err(self.error(Code::Syntax, value.at, message, help))
            }
        }
    }

    pub(super) fn structure(&mut self) -> Res<ItemKind> {
        let opener = self.pos;
        self.bump();
        let name = self.named("the name of the struct")?;
        let mut fields = Vec::new();
        while self.peek().is_some() && !self.at_word("end") && !self.at_close() && !self.at_op("@")
        {
            match self.field() {
                Ok(field) => fields.push(field),
                Err(Reported) => {
                    let starts_field =
                        |p: &Self| p.nth_is_name(0) && p.nth_is(1, TokenKind::Op, ":");
                    let over = |p: &Self| {
                        p.peek().is_none() || p.at_word("end") || p.at_close() || p.at_op("@")
                    };
                    self.skip_tree();
                    while !over(self) && !starts_field(self) {
                        self.skip_tree();
                    }
                }
            }
        }
        self.end(opener);
        Ok(ItemKind::Struct(Struct { name, fields }))
    }

    fn field(&mut self) -> Res<Field> {
        let form = "write `name: float`";
        if self.at_op(",") || self.at_op(";") {
            let at = self.here();
            let message = "fields stand one after another, with nothing between them";
            return Err(self.error(Code::Syntax, at, message, "take it out"));
        }
        let name = self.named("a field's name or `end`")?;
        self.expect_op(":", "`:` and the field's type", form)?;
        let ty = self.ty()?;
        Ok(Field { name, ty })
    }
}
