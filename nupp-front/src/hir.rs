//! HIR: the typed tree of a block. Names are resolved, literals have their types, constants are
//! folded exactly, operators are operations; locals are still mutable and helpers still calls.
//!
//! `check` makes it; `lower` proves it and turns it into Source IR; the tests evaluate it directly.

use crate::span::SrcSpan;
use nupp_ir::ir::entity::{Scalar, StructId};
use nupp_ir::ir::kernel::{Access, CmpOp, Elem};
use nupp_ir::ir::op::ScalarOp;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// The position in its table.
            pub fn index(self) -> usize { self.0 as usize }
        }
    };
}
index!(/// A local, parameter, or loop variable of one function; an index into `Function::locals`.
    LocalId);
index!(/// A helper of the block.
    HelperId);
index!(/// A parameter of one function, in declaration order.
    ParamId);

/// A whole block.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Structs, in source order.
    pub structs: Vec<StructDef>,
    /// Helpers; one calls only itself-free chains (recursion is refused), in source order.
    pub helpers: Vec<Function>,
    /// Kernels, in source order.
    pub kernels: Vec<KernelDef>,
}

/// A struct.
#[derive(Clone, Debug)]
pub struct StructDef {
    /// Its name and where it is.
    pub name: Name,
    /// Whether `pub` stood before `local`.
    pub public: bool,
    /// Its fields, none of them boolean.
    pub fields: Vec<(Name, Scalar)>,
    /// `#[doc]` texts, in order.
    pub docs: Vec<String>,
}

/// A name and its place.
#[derive(Clone, Debug)]
pub struct Name {
    /// As written.
    pub text: String,
    /// Where.
    pub at: SrcSpan,
}

/// Types of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// A scalar.
    Scalar(Scalar),
    /// A struct.
    Struct(StructId),
}

/// A function: a helper, or the inside of a kernel.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// A helper's result.
    pub result: Option<Ty>,
    /// Locals, indexed by [`LocalId`]; value parameters come first among them, in order.
    pub locals: Vec<Local>,
    /// Statements.
    pub body: Block,
    /// `#[doc]` texts, in order.
    pub docs: Vec<String>,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct KernelDef {
    /// Name, parameters, locals, and the statements of a map's body; empty for workgroups.
    pub func: Function,
    /// Whether `pub` stood before `local`.
    pub public: bool,
    /// CPU only (`@aot` or `@aot(target = "cpu")`).
    pub cpu_only: bool,
    /// Guards in source order.
    pub guards: Vec<GuardDef>,
    /// The shape.
    pub shape: Shape,
}

/// The two shapes; a map's statements are `func.body`.
#[derive(Clone, Debug)]
pub enum Shape {
    /// `for index = 1, #primary do ... end`.
    Map {
        /// The span looped over.
        primary: ParamId,
        /// The loop index: a read-only uint32 local.
        index: LocalId,
        /// The `for` statement.
        at: SrcSpan,
    },
    /// `gpu.workgroups(...)`.
    Workgroups(Box<Workgroups>),
}

/// A workgroup kernel's parts.
#[derive(Clone, Debug)]
pub struct Workgroups {
    /// The span whose length gives the group count.
    pub span: ParamId,
    /// The divisor.
    pub divisor: u32,
    /// `divCeil`.
    pub ceil: bool,
    /// Lanes a group.
    pub size: u32,
    /// Initialised locals before the call.
    pub prologue: Block,
    /// The group number: a read-only uint32 local.
    pub group: LocalId,
    /// Scratch arrays.
    pub scratch: Vec<ScratchDef>,
    /// Controller statements.
    pub body: Block,
    /// The call.
    pub at: SrcSpan,
}

/// A scratch array.
#[derive(Clone, Debug)]
pub struct ScratchDef {
    /// Its name.
    pub name: Name,
    /// Its elements.
    pub elem: Elem,
    /// Initial value of each field, by bits.
    pub initial: Vec<u32>,
    /// Slots.
    pub count: u32,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub kind: ParamKind,
}

/// Kinds of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A scalar (kernels: a uniform) or, for helpers, a struct; held in this local.
    Value(Ty, LocalId),
    /// A span.
    Span(Elem, Access),
    /// Helpers: a scratch array.
    Scratch(Elem),
}

/// A local.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Ty,
    /// Whether an assignment to it is an error (loop indices, group and lane numbers).
    pub read_only: bool,
}

/// A guard.
#[derive(Clone, Debug)]
pub struct GuardDef {
    /// The condition.
    pub cond: GuardExpr,
    /// The authored message.
    pub message: Option<String>,
    /// The condition as written, printed canonically.
    pub text: String,
    /// Where.
    pub at: SrcSpan,
}

/// A guard's condition; the positive sense (`if c then error()` arrives negated).
#[derive(Clone, Debug)]
pub enum GuardExpr {
    /// A relation of lengths.
    Cmp {
        /// The comparison.
        op: CmpOp,
        /// Left: terms and constant.
        lhs: LengthExpr,
        /// Right.
        rhs: LengthExpr,
    },
    /// Both.
    And(Box<GuardExpr>, Box<GuardExpr>),
    /// Either.
    Or(Box<GuardExpr>, Box<GuardExpr>),
    /// Not.
    Not(Box<GuardExpr>),
    /// CPU kernels: any boolean of uniforms and lengths.
    Scalar(Box<Expr>),
}

/// `constant + Σ factor * #span`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LengthExpr {
    /// Each span at most once.
    pub terms: Vec<(i64, ParamId)>,
    /// The constant.
    pub constant: i64,
}

/// Statements in order.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What.
    pub kind: StmtKind,
    /// Where.
    pub at: SrcSpan,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Declares and initialises.
    Let(LocalId, Expr),
    /// All right sides are evaluated, left to right, before the first store.
    Assign(Vec<(Target, Expr)>),
    /// Conditions in order, then the rest.
    If(Vec<(Expr, Block)>, Block),
    /// `while`.
    While(Expr, Block),
    /// `repeat ... until`: the condition sees the body's locals.
    Repeat(Block, Expr),
    /// A counted loop: the variable is a fresh, assignable local each turn.
    For {
        /// The variable: int32, or uint32 in a controller with uint32 bounds.
        var: LocalId,
        /// First value.
        lo: Expr,
        /// Last value, with a constant that is added without wrapping (`n - 1` is `(n, -1)`).
        hi: (Expr, i64),
        /// One turn.
        body: Block,
    },
    /// Leaves the innermost loop.
    Break,
    /// Next turn of the innermost loop; at a map's top level, the end of the lane.
    Continue,
    /// `do ... end`.
    Do(Block),
    /// Helpers only.
    Return(Option<Expr>),
    /// A call of a helper without a result.
    Call(HelperId, Vec<Arg>),
    /// `output:scatter(cursor, value)`; the cursor as authored, one-based.
    Scatter {
        /// The span.
        span: ParamId,
        /// One-based element.
        index: Expr,
        /// The element.
        value: Expr,
    },
    /// Controller: `phases:run`.
    Run {
        /// The lane number: a read-only uint32 local.
        local: LocalId,
        /// The phase.
        body: Block,
    },
    /// Controller: a tree.
    Tree {
        /// Which.
        kind: TreeCall,
        /// The array, an index into `Workgroups::scratch`.
        array: u32,
    },
}

/// Trees as authored.
#[derive(Clone, Debug)]
pub enum TreeCall {
    /// `reduceSum`, `reduceMin`, `reduceMax`: one operation.
    Reduce(ScalarOp),
    /// `reduce` with a function.
    ReduceWith {
        /// First parameter.
        a: LocalId,
        /// Second parameter.
        b: LocalId,
        /// The result, after the statements.
        body: Block,
        /// What is returned.
        result: Box<Expr>,
    },
    /// `inclusiveScan`, with the array the author named, if any.
    InclusiveScan(ScalarOp, Option<u32>),
    /// `exclusiveScan`.
    ExclusiveScan(ScalarOp),
}

/// What an assignment stores to.
#[derive(Clone, Debug)]
pub enum Target {
    /// A local.
    Local(LocalId),
    /// A field of a struct local.
    LocalField(LocalId, u32),
    /// An element of a span; the index as authored, one-based.
    Element(ParamId, Expr),
    /// A field of a span's element.
    ElementField(ParamId, Expr, u32),
    /// A slot of scratch (zero-based); the array as an [`ArrayRef`].
    Slot(ArrayRef, Expr),
    /// A field of a slot.
    SlotField(ArrayRef, Expr, u32),
}

/// A scratch array: the kernel's own, or a helper's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayRef {
    /// An index into `Workgroups::scratch`.
    Scratch(u32),
    /// A parameter of the helper.
    Param(ParamId),
}

/// An argument of a helper.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A scalar or struct.
    Value(Expr),
    /// A span of the caller.
    Span(ParamId),
    /// A scratch array of the caller.
    Array(ArrayRef),
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its type.
    pub ty: Ty,
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub at: SrcSpan,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A scalar constant, by bits.
    Const(u32),
    /// A local, a value parameter, a loop index.
    Local(LocalId),
    /// `#s`, uint32.
    Length(ParamId),
    /// An operation; operands left to right.
    Op(ScalarOp, Vec<Expr>),
    /// Short-circuit conjunction.
    And(Box<Expr>, Box<Expr>),
    /// Short-circuit disjunction.
    Or(Box<Expr>, Box<Expr>),
    /// `c and x or y`, `gpu.select(c, x, y)`: only the chosen side is evaluated.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `s[i]`, one-based as authored.
    Load(ParamId, Box<Expr>),
    /// `scratch[i]`, zero-based.
    SlotLoad(ArrayRef, Box<Expr>),
    /// A field.
    Field(Box<Expr>, u32),
    /// A struct built field by field.
    Struct(StructId, Vec<Expr>),
    /// A helper's result.
    Call(HelperId, Vec<Arg>),
    /// Evaluates the first into a fresh read-only local, which only the second sees; made where
    /// one authored operand is needed twice (`u32.divCeil`, mixed integer comparisons).
    Let(LocalId, Box<Expr>, Box<Expr>),
}
