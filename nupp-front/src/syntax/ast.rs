//! The syntax tree of a block, as the author wrote it.
//!
//! `parse` makes it and `print` writes it back; every node knows its tokens. A tree stands only for
//! constructs of the language: what belongs to Lua or Rust alone was refused while parsing, and a
//! file with a diagnostic goes no further. Names are unresolved, literals untyped, and `- 1` is
//! still a unary minus over a literal. Parentheses leave no node, but a parenthesised expression's
//! place includes them. No tree is taller than `limits::MAX_DEPTH`, so recursion over one is safe.

use crate::span::SrcSpan;

/// A name and its place.
#[derive(Clone, Debug)]
pub struct Name {
    /// As written.
    pub text: String,
    /// Where.
    pub at: SrcSpan,
}

/// A string literal.
#[derive(Clone, Debug)]
pub struct Str {
    /// Its value, escapes resolved.
    pub value: String,
    /// Where.
    pub at: SrcSpan,
}

/// A whole block.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Items in source order.
    pub items: Vec<Item>,
}

/// An item.
#[derive(Clone, Debug)]
pub struct Item {
    /// `#[doc]` texts before it, in order.
    pub docs: Vec<String>,
    /// Where `pub` stood; only structs and functions have it.
    pub public: Option<SrcSpan>,
    /// What it is.
    pub kind: ItemKind,
    /// From its first token, attributes included, to its last.
    pub at: SrcSpan,
}

/// Kinds of items.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `local span = require("nupp.mem.span")`, `local f32 = nupp.math.f32`.
    Alias(Alias),
    /// `const NAME = value`.
    Const(Const),
    /// `local struct Pair ... end`.
    Struct(Struct),
    /// A helper, or with [`Function::aot`] a kernel.
    Function(Function),
}

/// A module alias.
#[derive(Clone, Debug)]
pub struct Alias {
    /// The name it introduces.
    pub name: Name,
    /// The module.
    pub target: AliasTarget,
}

/// How an alias names its module.
#[derive(Clone, Debug)]
pub enum AliasTarget {
    /// `require("nupp.gpu")`.
    Require(Str),
    /// `nupp.math.f32`: one name or more.
    Path(Vec<Name>),
}

/// A compile-time constant.
#[derive(Clone, Debug)]
pub struct Const {
    /// Its name.
    pub name: Name,
    /// Its type; without one it is the exact value.
    pub ty: Option<Type>,
    /// Its value.
    pub value: Expr,
}

/// A struct.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name.
    pub name: Name,
    /// Its fields, in order.
    pub fields: Vec<Field>,
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
}

/// A helper or a kernel.
#[derive(Clone, Debug)]
pub struct Function {
    /// `@aot`, on kernels.
    pub aot: Option<Aot>,
    /// Its name.
    pub name: Name,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// The result type, where one is written; `nil` is a type named `nil`.
    pub result: Option<Type>,
    /// Its statements.
    pub body: Block,
}

/// `@aot` or `@aot(target = "gpu")`.
#[derive(Clone, Debug)]
pub struct Aot {
    /// The target, where one is written.
    pub target: Option<Str>,
    /// From `@` to the closing parenthesis.
    pub at: SrcSpan,
}

/// A parameter of a helper or kernel.
#[derive(Clone, Debug)]
pub struct Param {
    /// `exclusive` or `borrows`, and where.
    pub qualifier: Option<(Qualifier, SrcSpan)>,
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// From the qualifier to the type.
    pub at: SrcSpan,
}

/// What a span parameter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qualifier {
    /// Written, and nobody else's.
    Exclusive,
    /// Read.
    Borrows,
}

/// A type: a path, and what stands in angle brackets after it.
#[derive(Clone, Debug)]
pub struct Type {
    /// `span.Span` is two names; never empty.
    pub path: Vec<Name>,
    /// `span.Span<float>` has one.
    pub args: Vec<Type>,
    /// From the first name to the closing bracket.
    pub at: SrcSpan,
}

/// Statements in order.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// From the keyword that opens the block to the one that closes it.
    pub at: SrcSpan,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where.
    pub at: SrcSpan,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `local x: T = e`, `local a, b = c, d`: as many values as names, and all values are outside
    /// the names' scope.
    Local(Vec<LocalName>, Vec<Expr>),
    /// `a, b = b, a`: as many values as targets; a target is a name, a field or an element.
    Assign(Vec<Expr>, Vec<Expr>),
    /// Conditions in order, then `else`.
    If(Vec<(Expr, Block)>, Option<Block>),
    /// `while`.
    While(Expr, Block),
    /// `repeat ... until`: the condition sees the body's locals.
    Repeat(Block, Expr),
    /// `for var = lo, hi do ... end`; the step is one.
    For {
        /// The variable.
        var: Name,
        /// First value.
        lo: Expr,
        /// Last value.
        hi: Expr,
        /// One turn.
        body: Block,
    },
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`; the last statement of its block.
    Return(Option<Expr>),
    /// `do ... end`.
    Do(Block),
    /// A call or method call.
    Call(Expr),
}

/// A name that `local` introduces.
#[derive(Clone, Debug)]
pub struct LocalName {
    /// The name.
    pub name: Name,
    /// Its type, where one is written.
    pub ty: Option<Type>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where, parentheses around it included.
    pub at: SrcSpan,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Number(Number),
    /// A string.
    Str(String),
    /// `true`, `false`.
    Bool(bool),
    /// A name.
    Name(String),
    /// `a.b`: a field, or a step of a module path.
    Field(Box<Expr>, Name),
    /// `a[i]`.
    Index(Box<Expr>, Box<Expr>),
    /// `f(x)`, `u32.div(a, b)`.
    Call(Box<Expr>, Vec<Expr>),
    /// `phases:run(f)`.
    Method(Box<Expr>, Name, Vec<Expr>),
    /// A unary operator and where it stands.
    Unary(UnaryOp, SrcSpan, Box<Expr>),
    /// A binary operator and where it stands.
    Binary(BinaryOp, SrcSpan, Box<Expr>, Box<Expr>),
    /// `function(a, b) ... end`.
    Function(Box<FunctionLit>),
}

/// A function literal: the callback of `gpu.workgroups`, a phase, a reduction.
#[derive(Clone, Debug)]
pub struct FunctionLit {
    /// Parameters; their types may be left out.
    pub params: Vec<LocalName>,
    /// The result type, where one is written.
    pub result: Option<Type>,
    /// Its statements.
    pub body: Block,
}

/// A number as written, without a sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// As written.
    pub text: String,
    /// Its value.
    pub value: NumberValue,
}

/// What a number stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberValue {
    /// No point and no exponent: any type that can hold it.
    Int(u128),
    /// With a point or an exponent: float only. The decimal text, without underscores, as
    /// `str::parse::<f32>` takes it; its exact value is what the author wrote.
    Float(String),
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `not`
    Not,
    /// `~`
    BitNot,
    /// `#`
    Len,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `or`
    Or,
    /// `and`
    And,
    /// `==`
    Eq,
    /// `~=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `|`
    BitOr,
    /// `~`
    BitXor,
    /// `&`
    BitAnd,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
}

impl UnaryOp {
    /// As written.
    pub fn text(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "not",
            UnaryOp::BitNot => "~",
            UnaryOp::Len => "#",
        }
    }
}

impl BinaryOp {
    /// The operator that is written so.
    pub fn from_text(text: &str) -> Option<BinaryOp> {
        Some(match text {
            "or" => BinaryOp::Or,
            "and" => BinaryOp::And,
            "==" => BinaryOp::Eq,
            "~=" => BinaryOp::Ne,
            "<" => BinaryOp::Lt,
            "<=" => BinaryOp::Le,
            ">" => BinaryOp::Gt,
            ">=" => BinaryOp::Ge,
            "|" => BinaryOp::BitOr,
            "~" => BinaryOp::BitXor,
            "&" => BinaryOp::BitAnd,
            "<<" => BinaryOp::Shl,
            ">>" => BinaryOp::Shr,
            "+" => BinaryOp::Add,
            "-" => BinaryOp::Sub,
            "*" => BinaryOp::Mul,
            "/" => BinaryOp::Div,
            _ => return None,
        })
    }

    /// As written.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Or => "or",
            BinaryOp::And => "and",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "~=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "~",
            BinaryOp::BitAnd => "&",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
        }
    }

    /// How tightly it binds: 1 for `or` to 9 for `*` and `/`; all are left-associative.
    pub fn precedence(self) -> u8 {
        match self {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => 3,
            BinaryOp::BitOr => 4,
            BinaryOp::BitXor => 5,
            BinaryOp::BitAnd => 6,
            BinaryOp::Shl | BinaryOp::Shr => 7,
            BinaryOp::Add | BinaryOp::Sub => 8,
            BinaryOp::Mul | BinaryOp::Div => 9,
        }
    }
}

/// The precedence of unary operators: above every binary one.
pub const UNARY_PRECEDENCE: u8 = 10;

impl Expr {
    /// The names of `a.b.c`, where the expression is nothing else.
    pub fn path(&self) -> Option<Vec<Name>> {
        match &self.kind {
            ExprKind::Name(text) => Some(vec![Name {
                text: text.clone(),
                at: self.at,
            }]),
            ExprKind::Field(base, name) => {
                let mut path = base.path()?;
                path.push(name.clone());
                Some(path)
            }
            ExprKind::Number(_)
            | ExprKind::Str(_)
            | ExprKind::Bool(_)
            | ExprKind::Index(..)
            | ExprKind::Call(..)
            | ExprKind::Method(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Function(_) => None,
        }
    }
}

impl Type {
    /// Whether it is `nil`.
    pub fn is_nil(&self) -> bool {
        self.args.is_empty() && self.path.len() == 1 && self.path[0].text == "nil"
    }

    /// Its path as written, `span.Span`.
    pub fn path_text(&self) -> String {
        let names: Vec<&str> = self.path.iter().map(|n| n.text.as_str()).collect();
        names.join(".")
    }
}
