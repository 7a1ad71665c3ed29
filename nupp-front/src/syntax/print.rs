//! Prints a tree canonically: four spaces a level, one space around binary operators, only the
//! parentheses that the tree needs.
//!
//! What it prints parses to the same tree, places apart, and printing that again gives the same
//! text. Numbers stay as written; strings and doc comments are escaped anew.

use super::ast::*;
use super::source::Token;
use crate::span::SrcSpan;

/// A whole block.
pub fn file(file: &File) -> String {
    let mut out = Printer::default();
    for (i, item) in file.items.iter().enumerate() {
        let alias = |item: &Item| matches!(item.kind, ItemKind::Alias(_) | ItemKind::Const(_));
        if i > 0 && !(alias(item) && alias(&file.items[i - 1])) {
            out.text.push('\n');
        }
        out.item(item);
    }
    out.text
}

/// One expression; a function literal's lines are indented from the margin.
pub fn expr(expr: &Expr) -> String {
    let mut out = Printer::default();
    out.expr(expr, 0);
    out.text
}

/// An expression's text as it is typed in the place of tokens: in parentheses where an operator beside
/// it would take a part of it away.
pub fn in_place(tokens: &[Token], at: SrcSpan, text: String) -> String {
    let text_at = |at: Option<u32>| {
        at.and_then(|at| tokens.get(at as usize))
            .map_or("", |token| token.text.as_str())
    };
    let before = text_at(at.first.checked_sub(1));
    let after = text_at(at.last.checked_add(1));
    let tight = ["-", "*", "/", "%", "^", "not", "~", "#"];
    if tight.contains(&before) || ["*", "/", "%", "^", "**", "."].contains(&after) {
        format!("({text})")
    } else {
        text
    }
}

/// One type.
pub fn ty(ty: &Type) -> String {
    let mut text = ty.path_text();
    if !ty.args.is_empty() {
        let args: Vec<String> = ty.args.iter().map(self::ty).collect();
        text = format!("{text}<{}>", args.join(", "));
    }
    text
}

/// `a: float, b`.
pub(super) fn local_names(names: &[LocalName]) -> String {
    let names: Vec<String> = names.iter().map(local_name).collect();
    names.join(", ")
}

fn local_name(local: &LocalName) -> String {
    match &local.ty {
        Some(ty) => format!("{}: {}", local.name.text, self::ty(ty)),
        None => local.name.text.clone(),
    }
}

/// A string literal that both Rust and a `.nupp` file read back.
fn quote(value: &str) -> String {
    let mut text = String::from("\"");
    for c in value.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\0' => text.push_str("\\0"),
            c if c.is_control() => text.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

#[derive(Default)]
struct Printer {
    text: String,
    level: usize,
}

impl Printer {
    fn line(&mut self, text: &str) {
        self.indent();
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn indent(&mut self) {
        for _ in 0..self.level {
            self.text.push_str("    ");
        }
    }

    fn item(&mut self, item: &Item) {
        for doc in &item.docs {
            self.line(&format!("#[doc = {}]", quote(doc)));
        }
        let public = if item.public.is_some() { "pub " } else { "" };
        match &item.kind {
            ItemKind::Alias(alias) => {
                let target = match &alias.target {
                    AliasTarget::Require(module) => format!("require({})", quote(&module.value)),
                    AliasTarget::Path(path) => {
                        let names: Vec<&str> = path.iter().map(|n| n.text.as_str()).collect();
                        names.join(".")
                    }
                };
                self.line(&format!("local {} = {target}", alias.name.text));
            }
            ItemKind::Const(constant) => {
                let ty = constant
                    .ty
                    .as_ref()
                    .map_or(String::new(), |t| format!(": {}", ty(t)));
                let value = expr(&constant.value);
                self.line(&format!("const {}{ty} = {value}", constant.name.text));
            }
            ItemKind::Struct(structure) => {
                self.line(&format!("{public}local struct {}", structure.name.text));
                for field in &structure.fields {
                    self.line(&format!("    {}: {}", field.name.text, ty(&field.ty)));
                }
                self.line("end");
            }
            ItemKind::Function(function) => self.function(function, public),
        }
    }

    fn function(&mut self, function: &Function, public: &str) {
        if let Some(aot) = &function.aot {
            match &aot.target {
                Some(target) => self.line(&format!("@aot(target = {})", quote(&target.value))),
                None => self.line("@aot"),
            }
        }
        let params: Vec<String> = function.params.iter().map(param).collect();
        let params = params.join(", ");
        let result = result_type(&function.result);
        let name = &function.name.text;
        self.line(&format!("{public}local function {name}({params}){result}"));
        self.body(&function.body);
        self.line("end");
    }

    fn body(&mut self, block: &Block) {
        self.level += 1;
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.level -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.indent();
        match &stmt.kind {
            StmtKind::Local(names, values) => {
                self.text
                    .push_str(&format!("local {} = ", local_names(names)));
                self.exprs(values);
            }
            StmtKind::Assign(targets, values) => {
                self.exprs(targets);
                self.text.push_str(" = ");
                self.exprs(values);
            }
            StmtKind::If(arms, otherwise) => self.if_statement(arms, otherwise.as_ref()),
            StmtKind::While(cond, body) => {
                self.text.push_str("while ");
                self.expr(cond, 0);
                self.text.push_str(" do\n");
                self.close(body, "end");
            }
            StmtKind::Repeat(body, cond) => {
                self.text.push_str("repeat\n");
                self.close(body, "until ");
                self.expr(cond, 0);
            }
            StmtKind::For { var, lo, hi, body } => {
                self.text.push_str(&format!("for {} = ", var.text));
                self.expr(lo, 0);
                self.text.push_str(", ");
                self.expr(hi, 0);
                self.text.push_str(" do\n");
                self.close(body, "end");
            }
            StmtKind::Break => self.text.push_str("break"),
            StmtKind::Continue => self.text.push_str("continue"),
            StmtKind::Return(None) => self.text.push_str("return"),
            StmtKind::Return(Some(value)) => {
                self.text.push_str("return ");
                self.expr(value, 0);
            }
            StmtKind::Do(body) => {
                self.text.push_str("do\n");
                self.close(body, "end");
            }
            StmtKind::Call(call) => self.expr(call, 0),
        }
        self.text.push('\n');
    }

    fn if_statement(&mut self, arms: &[(Expr, Block)], otherwise: Option<&Block>) {
        for (i, (cond, body)) in arms.iter().enumerate() {
            if i > 0 {
                self.indent();
            }
            self.text.push_str(if i == 0 { "if " } else { "elseif " });
            self.expr(cond, 0);
            self.text.push_str(" then\n");
            self.body(body);
        }
        if let Some(body) = otherwise {
            self.line("else");
            self.body(body);
        }
        self.indent();
        self.text.push_str("end");
    }

    /// A body and the word that closes it.
    fn close(&mut self, body: &Block, word: &str) {
        self.body(body);
        self.indent();
        self.text.push_str(word);
    }

    fn exprs(&mut self, list: &[Expr]) {
        for (i, expr) in list.iter().enumerate() {
            if i > 0 {
                self.text.push_str(", ");
            }
            self.expr(expr, 0);
        }
    }

    /// An expression where operators bind at least as tightly as `least`.
    fn expr(&mut self, expr: &Expr, least: u8) {
        match &expr.kind {
            ExprKind::Number(number) => self.text.push_str(&number.text),
            ExprKind::Str(value) => self.text.push_str(&quote(value)),
            ExprKind::Bool(true) => self.text.push_str("true"),
            ExprKind::Bool(false) => self.text.push_str("false"),
            ExprKind::Name(name) => self.text.push_str(name),
            ExprKind::Field(base, name) => {
                self.base(base);
                self.text.push_str(&format!(".{}", name.text));
            }
            ExprKind::Index(base, index) => {
                self.base(base);
                self.text.push('[');
                self.expr(index, 0);
                self.text.push(']');
            }
            ExprKind::Call(callee, args) => {
                self.base(callee);
                self.args(args);
            }
            ExprKind::Method(receiver, name, args) => {
                self.base(receiver);
                self.text.push_str(&format!(":{}", name.text));
                self.args(args);
            }
            ExprKind::Unary(op, _, inner) => self.unary(*op, inner, least),
            ExprKind::Binary(op, _, left, right) => {
                let level = op.precedence();
                self.open_if(level < least);
                self.expr(left, level);
                self.text.push_str(&format!(" {} ", op.text()));
                self.expr(right, level + 1);
                self.close_if(level < least);
            }
            ExprKind::Function(lit) => self.function_literal(lit),
        }
    }

    fn unary(&mut self, op: UnaryOp, inner: &Expr, least: u8) {
        self.open_if(UNARY_PRECEDENCE < least);
        self.text.push_str(op.text());
        // Two minus signs that touch would start a comment, and `not` is a word.
        let nested = matches!(inner.kind, ExprKind::Unary(..));
        if op == UnaryOp::Not || nested {
            self.text.push(' ');
        }
        self.expr(inner, UNARY_PRECEDENCE);
        self.close_if(UNARY_PRECEDENCE < least);
    }

    /// What is called, indexed or asked for a field.
    fn base(&mut self, base: &Expr) {
        let plain = matches!(
            base.kind,
            ExprKind::Name(_)
                | ExprKind::Field(..)
                | ExprKind::Index(..)
                | ExprKind::Call(..)
                | ExprKind::Method(..)
        );
        self.open_if(!plain);
        self.expr(base, 0);
        self.close_if(!plain);
    }

    fn args(&mut self, args: &[Expr]) {
        self.text.push('(');
        self.exprs(args);
        self.text.push(')');
    }

    fn function_literal(&mut self, lit: &FunctionLit) {
        let params = local_names(&lit.params);
        let result = result_type(&lit.result);
        self.text.push_str(&format!("function({params}){result}\n"));
        self.close(&lit.body, "end");
    }

    fn open_if(&mut self, needed: bool) {
        if needed {
            self.text.push('(');
        }
    }

    fn close_if(&mut self, needed: bool) {
        if needed {
            self.text.push(')');
        }
    }
}

fn result_type(result: &Option<Type>) -> String {
    result
        .as_ref()
        .map_or(String::new(), |r| format!(": {}", ty(r)))
}

fn param(param: &Param) -> String {
    let qualifier = match param.qualifier {
        Some((Qualifier::Exclusive, _)) => "exclusive ",
        Some((Qualifier::Borrows, _)) => "borrows ",
        None => "",
    };
    format!("{qualifier}{}: {}", param.name.text, ty(&param.ty))
}
