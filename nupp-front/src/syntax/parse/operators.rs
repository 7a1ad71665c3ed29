//! Operators between operands, and those of Lua or Rust that Nupp refuses by name, each with what to
//! write instead.

use super::Parser;
use crate::diag::Code;
use crate::span::SrcSpan;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, NumberValue};
use crate::syntax::print;
use crate::syntax::source::TokenKind;

/// A binary operator ahead.
pub struct Infix {
    /// The operator, or the one that a foreign one is read as, so that parsing goes on.
    pub op: BinaryOp,
    /// Set for a foreign operator.
    pub foreign: Option<&'static Foreign>,
    /// `as`: a type follows.
    pub is_cast: bool,
}

/// A foreign binary operator.
pub struct Foreign {
    text: &'static str,
    read_as: BinaryOp,
    message: &'static str,
    help: &'static str,
}

/// Help for powers whose operands say nothing better.
const POWER: &str = "write `f32.pow(a, b)`";

const FOREIGN: [Foreign; 10] = [
    Foreign {
        text: "%",
        read_as: BinaryOp::Mul,
        message: "`%` is not an operator, because Lua and Rust disagree about negative numbers",
        help: "write `u32.mod(a, b)` or `i32.mod(a, b)`",
    },
    Foreign {
        text: "^",
        read_as: BinaryOp::Mul,
        message: "`^` is not an operator, because Lua raises to a power with it and Rust does not",
        help: POWER,
    },
    Foreign {
        text: "**",
        read_as: BinaryOp::Mul,
        message: "`**` is not an operator",
        help: POWER,
    },
    Foreign {
        text: "..",
        read_as: BinaryOp::Add,
        message: "`..` is not an operator: kernels have neither strings to join nor ranges",
        help: "a counted loop is `for i = a, b do ... end`",
    },
    Foreign {
        text: "..=",
        read_as: BinaryOp::Add,
        message: "`..=` is not an operator: kernels have no ranges",
        help: "a counted loop is `for i = a, b do ... end`",
    },
    Foreign {
        text: "!=",
        read_as: BinaryOp::Ne,
        message: "`!=` is not an operator",
        help: "write `~=`",
    },
    Foreign {
        text: "&&",
        read_as: BinaryOp::And,
        message: "`&&` is not an operator",
        help: "write `and`",
    },
    Foreign {
        text: "||",
        read_as: BinaryOp::Or,
        message: "`||` is not an operator",
        help: "write `or`",
    },
    Foreign {
        text: "as",
        read_as: BinaryOp::Mul,
        message: "`as` is not an operator, because each conversion has a name that says what it does",
        help: "write `u32.wrap(x)`, `i32.saturate(x)`, `f32.fromI32(x)` or `f32.fromU32(x)`",
    },
    Foreign {
        text: "?",
        read_as: BinaryOp::Or,
        message: "`?` is not an operator",
        help: "write `c and x or y` to choose between two values",
    },
];

impl Parser<'_> {
    /// The binary operator ahead, foreign ones included.
    pub(super) fn infix(&self) -> Option<Infix> {
        let token = self.peek()?;
        if !matches!(token.kind, TokenKind::Op | TokenKind::Name) {
            return None;
        }
        let own = BinaryOp::from_text(&token.text);
        let foreign = match own {
            Some(_) => None,
            None => FOREIGN.iter().find(|f| f.text == token.text),
        };
        let is_cast = token.text == "as";
        if is_cast && !self.nth_is_name(1) {
            return None;
        }
        Some(Infix {
            op: own.or(foreign.map(|f| f.read_as))?,
            foreign,
            is_cast,
        })
    }

    pub(super) fn refuse_infix(&mut self, foreign: &Foreign) {
        let at = self.here();
        self.error(Code::ForeignOperator, at, foreign.message, foreign.help);
    }

    /// What is assigned for `target %= value`.
    pub(super) fn remainder_of(&self, target: &Expr, value: &Expr) -> String {
        let nowhere = SrcSpan {
            first: 0,
            last: u32::MAX,
        };
        self.remainder(target, value, nowhere).replace('`', "")
    }

    /// Whether the operands of a foreign operator decide what its help says.
    pub(super) fn is_power(foreign: &Foreign) -> bool {
        matches!(foreign.text, "^" | "**" | "%")
    }

    /// `a % b`, once both operands are known: their types are not, but a float shows by its point.
    fn refuse_remainder(&mut self, at: SrcSpan, foreign: &Foreign, left: &Expr, right: &Expr) {
        let whole = self.remainder(left, right, left.at.to(right.at));
        self.error(
            Code::ForeignOperator,
            at,
            foreign.message,
            &format!("write {whole}"),
        );
    }

    /// What is written for a remainder in the place of some tokens.
    fn remainder(&self, left: &Expr, right: &Expr, place: SrcSpan) -> String {
        let part = |expr: &Expr| {
            let compound = matches!(expr.kind, ExprKind::Binary(..) | ExprKind::Unary(..));
            let text = print::expr(expr);
            if compound { format!("({text})") } else { text }
        };
        let (a, b) = (part(left), part(right));
        let float = format!("{a} - {b} * f32.trunc({a} / {b})");
        let float = print::in_place(self.source.tokens(), place, float);
        if is_float(left) || is_float(right) {
            return format!("`{float}`");
        }
        let (a, b) = (print::expr(left), print::expr(right));
        format!("`u32.mod({a}, {b})` or `i32.mod({a}, {b})`, and of floats `{float}`")
    }

    /// `a ^ b` and `a ** b`, once both operands are known.
    pub(super) fn refuse_power(
        &mut self,
        foreign: &Foreign,
        at: SrcSpan,
        left: &Expr,
        right: Option<&Expr>,
    ) {
        if foreign.text == "%" {
            match right {
                Some(right) => self.refuse_remainder(at, foreign, left, right),
                None => {
                    self.error(Code::ForeignOperator, at, foreign.message, foreign.help);
                }
            }
            return;
        }
        // The operator binds tighter in Lua than it is read here: of `a * b ^ 2` it takes `b`.
        let first = self.source.tokens().get(left.at.first as usize);
        let whole = first.is_some_and(|token| token.text == "(");
        let base = match &left.kind {
            ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div, _, _, last) if !whole => last,
            _ => left,
        };
        let text = |expr: &Expr| {
            let compound = matches!(expr.kind, ExprKind::Binary(..) | ExprKind::Unary(..));
            let text = print::expr(expr);
            if compound { format!("({text})") } else { text }
        };
        let bare = |text: &str| match text
            .strip_prefix('(')
            .and_then(|text| text.strip_suffix(')'))
        {
            Some(inner) if !inner.contains(['(', ')']) => inner.to_owned(),
            _ => text.to_owned(),
        };
        let base = text(base);
        let number = match right.map(|right| &right.kind) {
            Some(ExprKind::Number(number)) => number.text.as_str(),
            _ => "",
        };
        let power = match (number, right) {
            ("2" | "2.0", _) => format!("`{base} * {base}`"),
            ("3" | "3.0", _) => format!("`{base} * {base} * {base}`"),
            ("0.5", _) => format!("`f32.sqrt({base})`"),
            (_, Some(right)) => format!("`f32.pow({}, {})`", bare(&base), bare(&text(right))),
            (_, None) => "`f32.pow(a, b)`".to_owned(),
        };
        let bits = match right {
            Some(right) if foreign.text == "^" && !number.contains('.') => {
                Some(format!("`{base} ~ {}`", text(right)))
            }
            _ => None,
        };
        let help = match bits {
            Some(bits) => format!("write {power} for a power, {bits} for exclusive or"),
            None => format!("write {power}"),
        };
        self.error(Code::ForeignOperator, at, foreign.message, &help);
    }

    /// `+=` and its kin, after a target: the operator they hide.
    pub(super) fn compound_assignment(&self) -> Option<&'static str> {
        const COMPOUND: [(&str, &str); 11] = [
            ("++", "+"),
            ("+=", "+"),
            ("-=", "-"),
            ("*=", "*"),
            ("/=", "/"),
            ("%=", "%"),
            ("^=", "~"),
            ("&=", "&"),
            ("|=", "|"),
            ("<<=", "<<"),
            (">>=", ">>"),
        ];
        let token = self.peek().filter(|t| t.kind == TokenKind::Op)?;
        let (_, op) = COMPOUND.iter().find(|(text, _)| *text == token.text)?;
        Some(op)
    }
}

/// Whether an expression shows that it is a float: a number in it has a point or an exponent.
fn is_float(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(number) => matches!(number.value, NumberValue::Float(_)),
        ExprKind::Unary(_, _, of) => is_float(of),
        ExprKind::Binary(_, _, a, b) => is_float(a) || is_float(b),
        ExprKind::Call(callee, _) => print::expr(callee).starts_with("f32."),
        _ => false,
    }
}
