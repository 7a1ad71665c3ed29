//! Printing and parsing are each other's inverse, for generated trees and for the seeds.

use proptest::prelude::*;

use super::accepts::SEEDS;
use super::show;
use crate::span::SrcSpan;
use crate::syntax::ast::*;
use crate::syntax::{Source, literal, parse, print};

const AT: SrcSpan = SrcSpan { first: 0, last: 0 };

/// A tree without its places.
fn shape(file: &File) -> String {
    let text = format!("{file:?}");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("SrcSpan {") {
        out.push_str(&rest[..at]);
        let end = rest[at..].find('}').expect("a brace");
        rest = &rest[at + end + 1..];
    }
    out + rest
}

fn check(file: &File) {
    let text = print::file(file);
    let source = Source::from_nupp(&text);
    let (back, found) = parse(&source);
    assert!(found.is_empty(), "{text}\n{}", show(&source, &found));
    assert_eq!(shape(&back), shape(file), "{text}");
    assert_eq!(print::file(&back), text);
    // A macro's tokens give the same tree.
    let tokens = text.parse().expect("printed text is Rust tokens");
    let (back, found) = parse(&Source::from_tokens(tokens));
    assert!(found.is_empty(), "{text}\n{found:?}");
    assert_eq!(shape(&back), shape(file), "{text}");
}

#[test]
fn the_seeds_come_back() {
    for seed in SEEDS {
        check(&parse(&Source::from_nupp(seed)).0);
    }
}

fn name() -> impl Strategy<Value = Name> {
    let names = [
        "x",
        "y",
        "index",
        "match",
        "type",
        "span",
        "groupIndex",
        "_u1",
        "struct",
        "r",
    ];
    prop::sample::select(names.to_vec()).prop_map(|text| Name {
        text: text.to_owned(),
        at: AT,
    })
}

fn ty() -> impl Strategy<Value = Type> {
    let leaf = prop::collection::vec(name(), 1..3).prop_map(|path| Type {
        path,
        args: Vec::new(),
        at: AT,
    });
    leaf.prop_recursive(2, 4, 2, |inner| {
        let args = prop::collection::vec(inner, 0..3);
        (prop::collection::vec(name(), 1..3), args).prop_map(|(path, args)| Type {
            path,
            args,
            at: AT,
        })
    })
}

fn number() -> impl Strategy<Value = Number> {
    let texts = [
        "0",
        "1",
        "4_294_967_295",
        "0xff",
        "0b1_01",
        "0o17",
        "1.0",
        "1.",
        "2.5e-3",
        "1E5",
        "0.1",
        "340282366920938463463374607431768211455",
    ];
    prop::sample::select(texts.to_vec()).prop_map(|t| literal::number(t).expect("a number"))
}

fn of(kind: ExprKind) -> Expr {
    Expr { kind, at: AT }
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        number().prop_map(|n| of(ExprKind::Number(n))),
        any::<bool>().prop_map(|b| of(ExprKind::Bool(b))),
        name().prop_map(|n| of(ExprKind::Name(n.text))),
        "[a-z \"\\\\\n\t\u{7f}'é]{0,6}".prop_map(|s| of(ExprKind::Str(s))),
    ]
}

fn locals() -> impl Strategy<Value = LocalName> {
    (name(), prop::option::of(ty())).prop_map(|(name, ty)| LocalName { name, ty })
}

fn expr() -> impl Strategy<Value = Expr> {
    let ops = [
        "or", "and", "==", "~=", "<", "<=", ">", ">=", "|", "~", "&", "<<", ">>", "+", "-", "*",
        "/",
    ];
    let ops = ops.map(|op| BinaryOp::from_text(op).expect("an operator"));
    leaf().prop_recursive(5, 24, 3, move |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let list = || prop::collection::vec(inner.clone(), 0..3);
        let unary = [UnaryOp::Neg, UnaryOp::Not, UnaryOp::BitNot, UnaryOp::Len];
        let lit = (
            prop::collection::vec(locals(), 0..3),
            prop::option::of(ty()),
            inner.clone(),
        );
        prop_oneof![
            (prop::sample::select(unary.to_vec()), boxed())
                .prop_map(|(op, e)| of(ExprKind::Unary(op, AT, e))),
            (prop::sample::select(ops.to_vec()), boxed(), boxed())
                .prop_map(|(op, l, r)| of(ExprKind::Binary(op, AT, l, r))),
            (boxed(), name()).prop_map(|(e, n)| of(ExprKind::Field(e, n))),
            (boxed(), boxed()).prop_map(|(e, i)| of(ExprKind::Index(e, i))),
            (boxed(), list()).prop_map(|(e, a)| of(ExprKind::Call(e, a))),
            (boxed(), name(), list()).prop_map(|(e, n, a)| of(ExprKind::Method(e, n, a))),
            lit.prop_map(|(params, result, value)| {
                let stmts = vec![stmt_of(StmtKind::Return(Some(value)))];
                let body = Block { stmts, at: AT };
                of(ExprKind::Function(Box::new(FunctionLit {
                    params,
                    result,
                    body,
                })))
            }),
        ]
    })
}

fn stmt_of(kind: StmtKind) -> Stmt {
    Stmt { kind, at: AT }
}

/// A target or callee starts with a name, so that a statement never starts with a parenthesis and
/// runs on from the line before.
fn place() -> impl Strategy<Value = Expr> {
    let base = name().prop_map(|n| of(ExprKind::Name(n.text)));
    base.prop_recursive(3, 6, 2, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            (boxed(), name()).prop_map(|(e, n)| of(ExprKind::Field(e, n))),
            (boxed(), expr()).prop_map(|(e, i)| of(ExprKind::Index(e, Box::new(i)))),
        ]
    })
}

fn simple() -> impl Strategy<Value = Stmt> {
    let args = || prop::collection::vec(expr(), 0..3);
    prop_oneof![
        prop::collection::vec((locals(), expr()), 1..3).prop_map(|pairs| {
            let (names, values) = pairs.into_iter().unzip();
            stmt_of(StmtKind::Local(names, values))
        }),
        prop::collection::vec((place(), expr()), 1..3).prop_map(|pairs| {
            let (targets, values) = pairs.into_iter().unzip();
            stmt_of(StmtKind::Assign(targets, values))
        }),
        (place(), args())
            .prop_map(|(f, a)| stmt_of(StmtKind::Call(of(ExprKind::Call(f.into(), a))))),
        (place(), name(), args())
            .prop_map(|(f, n, a)| stmt_of(StmtKind::Call(of(ExprKind::Method(f.into(), n, a))))),
        Just(stmt_of(StmtKind::Break)),
        Just(stmt_of(StmtKind::Continue)),
    ]
}

fn block_of(stmt: BoxedStrategy<Stmt>) -> BoxedStrategy<Block> {
    let last = prop::option::weighted(0.2, prop::option::of(expr()));
    (prop::collection::vec(stmt, 0..3), last)
        .prop_map(|(mut stmts, last)| {
            stmts.extend(last.map(|value| stmt_of(StmtKind::Return(value))));
            Block { stmts, at: AT }
        })
        .boxed()
}

fn stmt() -> impl Strategy<Value = Stmt> {
    simple().boxed().prop_recursive(3, 8, 3, |inner| {
        let block = || block_of(inner.clone());
        let arms = prop::collection::vec((expr(), block()), 1..3);
        prop_oneof![
            (arms, prop::option::of(block())).prop_map(|(a, o)| stmt_of(StmtKind::If(a, o))),
            (expr(), block()).prop_map(|(c, b)| stmt_of(StmtKind::While(c, b))),
            (block(), expr()).prop_map(|(b, c)| stmt_of(StmtKind::Repeat(b, c))),
            (name(), expr(), expr(), block())
                .prop_map(|(var, lo, hi, body)| stmt_of(StmtKind::For { var, lo, hi, body })),
            block().prop_map(|b| stmt_of(StmtKind::Do(b))),
        ]
    })
}

fn param() -> impl Strategy<Value = Param> {
    let qualifier = prop_oneof![
        Just(None),
        Just(Some((Qualifier::Exclusive, AT))),
        Just(Some((Qualifier::Borrows, AT))),
    ];
    (qualifier, name(), ty()).prop_map(|(qualifier, name, ty)| Param {
        qualifier,
        name,
        ty,
        at: AT,
    })
}

fn item() -> impl Strategy<Value = Item> {
    let text = || "[a-z \"\\\\]{0,6}";
    let str_of = |value: String| Str { value, at: AT };
    let field = (name(), ty()).prop_map(|(name, ty)| Field { name, ty });
    let aot = prop::option::of(prop::option::of(text()));
    let params = prop::collection::vec(param(), 0..3);
    let head = (aot, name(), params, prop::option::of(ty()));
    let function =
        (head, block_of(stmt().boxed())).prop_map(move |((aot, name, params, result), body)| {
            let aot = aot.map(|target| Aot {
                target: target.map(str_of),
                at: AT,
            });
            ItemKind::Function(Function {
                aot,
                name,
                params,
                result,
                body,
            })
        });
    let private = prop_oneof![
        (name(), prop::collection::vec(name(), 1..3)).prop_map(|(name, path)| Alias {
            name,
            target: AliasTarget::Path(path)
        }),
        (name(), text()).prop_map(move |(name, module)| Alias {
            name,
            target: AliasTarget::Require(str_of(module)),
        }),
    ]
    .prop_map(ItemKind::Alias);
    let constant = (name(), prop::option::of(ty()), expr())
        .prop_map(|(name, ty, value)| ItemKind::Const(Const { name, ty, value }));
    let structure = (name(), prop::collection::vec(field, 0..3))
        .prop_map(|(name, fields)| ItemKind::Struct(Struct { name, fields }));
    let public = prop_oneof![Just(None), Just(Some(AT))];
    let kind = prop_oneof![
        (Just(None), private),
        (Just(None), constant),
        (public.clone(), structure),
        (public, function),
    ];
    (prop::collection::vec(text(), 0..2), kind).prop_map(|(docs, (public, kind))| Item {
        docs,
        public,
        kind,
        at: AT,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn generated_files_come_back(items in prop::collection::vec(item(), 0..4)) {
        check(&File { items });
    }
}
