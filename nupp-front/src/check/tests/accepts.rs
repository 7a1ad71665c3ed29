//! Blocks that are accepted, and what they become.

use super::{constant, controller, good, lane, value, value_with, with};
use crate::check::types::{BOOL, F32, I32, U32};
use crate::hir::{
    ArrayRef, Expr, ExprKind, GuardExpr, LengthExpr, LocalId, ParamId, Shape, StmtKind, Target,
    TreeCall,
};
use nupp_ir::ir::kernel::CmpOp;
use nupp_ir::ir::op::ScalarOp as S;

/// A compact form of an expression, for spot checks.
fn text(e: &Expr) -> String {
    let list = |args: &[Expr]| args.iter().map(text).collect::<Vec<_>>().join(" ");
    match &e.kind {
        ExprKind::Const(bits) => match e.ty {
            F32 => format!("{:?}", f32::from_bits(*bits)),
            I32 => format!("{}i", *bits as i32),
            U32 => format!("{bits}u"),
            _ => format!("{}", *bits != 0),
        },
        ExprKind::Local(LocalId(id)) => format!("l{id}"),
        ExprKind::Length(ParamId(id)) => format!("#p{id}"),
        ExprKind::Op(op, args) => format!("({} {})", op.name(), list(args)),
        ExprKind::And(a, b) => format!("(and {} {})", text(a), text(b)),
        ExprKind::Or(a, b) => format!("(or {} {})", text(a), text(b)),
        ExprKind::Select(c, a, b) => format!("(select {} {} {})", text(c), text(a), text(b)),
        ExprKind::Load(ParamId(id), index) => format!("p{id}[{}]", text(index)),
        ExprKind::SlotLoad(ArrayRef::Scratch(id), index) => format!("s{id}[{}]", text(index)),
        ExprKind::SlotLoad(ArrayRef::Param(id), index) => format!("p{}[{}]", id.0, text(index)),
        ExprKind::Field(of, index) => format!("{}.{index}", text(of)),
        ExprKind::Struct(id, args) => format!("t{}({})", id.0, list(args)),
        ExprKind::Call(id, _) => format!("h{}()", id.0),
        ExprKind::Let(LocalId(id), value, body) => {
            format!("(let l{id} {} {})", text(value), text(body))
        }
    }
}

#[test]
fn scale_becomes_a_map() {
    let program = good(
        "local span = require(\"nupp.mem.span\")\nlocal f32 = nupp.math.f32\n\
         @aot(target = \"gpu\")\nlocal function scale(exclusive output: span.WriteSpan<float>, \
         borrows input: span.Span<float>, factor: float): nil\n\
         assert(#output == #input, \"lengths differ\")\n\
         for index = 1, #output do\noutput[index] = f32.mul(input[index], factor)\nend\nend",
    );
    let kernel = &program.kernels[0];
    assert!(!kernel.cpu_only && !kernel.public);
    assert_eq!(kernel.guards.len(), 1);
    assert_eq!(kernel.guards[0].text, "#output == #input");
    assert_eq!(kernel.guards[0].message.as_deref(), Some("lengths differ"));
    let Shape::Map { primary, index, .. } = kernel.shape else {
        panic!("no map");
    };
    assert_eq!((primary, index), (ParamId(0), LocalId(1)));
    assert!(kernel.func.locals[1].read_only);
    let StmtKind::Assign(pairs) = &kernel.func.body.stmts[0].kind else {
        panic!("no assignment");
    };
    let (Target::Element(ParamId(0), to), value) = &pairs[0] else {
        panic!("no element");
    };
    assert_eq!(text(to), "l1");
    assert_eq!(text(value), "(f32.mul p1[l1] l0)");
}

#[test]
fn literals_take_the_type_beside_them() {
    assert_eq!(text(&value("x + 1")), "(f32.add l0 1.0)");
    assert_eq!(text(&value("1 + n")), "(u32.add 1u l1)");
    assert_eq!(text(&value("-2147483648 + k")), "(i32.add -2147483648i l2)");
    assert_eq!(text(&value("n + 4294967295")), "(u32.add l1 4294967295u)");
    assert_eq!(text(&value("a[1]")), "p1[1u]");
    assert_eq!(constant("1.5"), (F32, 0x3fc0_0000));
    assert_eq!(constant("-0.0"), (F32, 0x8000_0000));
    assert_eq!(constant("1 / 4"), (F32, 0x3e80_0000));
    good(&lane(
        "local i: int32 = -1 local u: uint32 = 0xffff_ffff local f: float = 3",
    ));
}

#[test]
fn operators_on_constants_round_like_operators() {
    let sum = (0.1f32 + 0.2f32).to_bits();
    assert_eq!(constant("0.1 + 0.2"), (F32, sum));
    // Where no type is asked of the parts, arithmetic is exact and rounded once.
    assert_eq!(
        constant("f32.narrow(16777216.0 + 1.0 + 1.0)"),
        (F32, 16_777_218f32.to_bits())
    );
    assert_eq!(constant("16777217.0 + 1.0"), (F32, 16_777_216f32.to_bits()));
    assert_eq!(constant("u32.wrap(-1)"), (U32, u32::MAX));
    assert_eq!(constant("u32.wrap(4294967296 + 7)"), (U32, 7));
    assert_eq!(constant("i32.wrap(2.5)"), (I32, 2));
    assert_eq!(constant("u32.div(7, 0)"), (U32, 0));
    assert_eq!(constant("f32.sqrt(2.0)"), (F32, 2.0f32.sqrt().to_bits()));
    assert_eq!(constant("1 < 2"), (BOOL, 1));
    // What is NaN is left to run time.
    assert_eq!(text(&value("0.0 / 0.0")), "(f32.div 0.0 0.0)");
}

#[test]
fn constants_are_exact_until_used() {
    let items =
        "const THIRD = 1 / 3\nconst ONE = THIRD * 3\nconst N: uint32 = 4 * 16\nconst BIG = N > 3";
    assert_eq!(text(&value_with(items, "x * ONE")), "(f32.mul l0 1.0)");
    assert_eq!(
        text(&value_with(items, "x * THIRD")),
        "(f32.mul l0 0.33333334)"
    );
    assert_eq!(text(&value_with(items, "n + N")), "(u32.add l1 64u)");
    assert_eq!(
        text(&value_with(items, "BIG and x > 1.0")),
        "(f32.lt 1.0 l0)"
    );
    assert_eq!(
        text(&value_with("const NEG = -0.0", "x + NEG")),
        "(f32.add l0 -0.0)"
    );
}

#[test]
fn comparisons_are_made_of_less_and_equal() {
    assert_eq!(text(&value("x > 1")), "(f32.lt 1.0 l0)");
    assert_eq!(text(&value("x >= 1")), "(f32.le 1.0 l0)");
    assert_eq!(text(&value("x ~= x")), "(bool.not (f32.eq l0 l0))");
    assert_eq!(text(&value("n > 1")), "(u32.lt 1u l1)");
    assert_eq!(
        text(&value("(x < 1) == (n < 1)")),
        "(bool.not (bool.xor (f32.lt l0 1.0) (u32.lt l1 1u)))"
    );
}

#[test]
fn mixed_integers_compare_by_value() {
    let word = "(u32.fromI32 l2)";
    for (expr, expected) in [
        ("k < n", format!("(or (i32.lt l2 0i) (u32.lt {word} l1))")),
        ("k <= n", format!("(or (i32.lt l2 0i) (u32.le {word} l1))")),
        ("k > n", format!("(and (i32.le 0i l2) (u32.lt l1 {word}))")),
        ("n > k", format!("(or (i32.lt l2 0i) (u32.lt {word} l1))")),
        ("n < k", format!("(and (i32.le 0i l2) (u32.lt l1 {word}))")),
        ("k == n", format!("(and (i32.le 0i l2) (u32.eq {word} l1))")),
        (
            "n ~= k",
            format!("(or (i32.lt l2 0i) (bool.not (u32.eq l1 {word})))"),
        ),
    ] {
        assert_eq!(text(&value(expr)), expected, "{expr}");
    }
    assert_eq!(
        text(&value("(k + 1) < n")),
        "(let l4 (i32.add l2 1i) (or (i32.lt l4 0i) (u32.lt (u32.fromI32 l4) l1)))"
    );
}

#[test]
fn selection_and_logic() {
    assert_eq!(
        text(&value("x < 1 and 2 or x")),
        "(select (f32.lt l0 1.0) 2.0 l0)"
    );
    assert_eq!(
        text(&value("gpu.select(n == 0, k, 7)")),
        "(select (u32.eq l1 0u) l2 7i)"
    );
    assert_eq!(
        text(&value("n < #a and a[n + 1] > 0.5 or x == 0")),
        "(or (and (u32.lt l1 #p1) (f32.lt 0.5 p1[(u32.add l1 1u)])) (f32.eq l0 0.0))"
    );
    assert_eq!(text(&value("not (x < 1)")), "(bool.not (f32.lt l0 1.0))");
}

#[test]
fn shifts_take_counts_of_either_type() {
    assert_eq!(text(&value("n << k")), "(u32.shl l1 (u32.fromI32 l2))");
    assert_eq!(text(&value("k >> 1")), "(i32.shr l2 1u)");
    assert_eq!(text(&value("k >> n")), "(i32.shr l2 l1)");
    assert_eq!(
        text(&value("~n & 0xff | n ~ 1")),
        "(u32.or (u32.and (u32.not l1) 255u) (u32.xor l1 1u))"
    );
    assert_eq!(
        text(&value("u32.rotateLeft(n, k)")),
        "(u32.rotateLeft l1 (u32.fromI32 l2))"
    );
}

#[test]
fn the_library_is_operations() {
    assert_eq!(text(&value("f32.recip(x)")), "(f32.div 1.0 l0)");
    assert_eq!(text(&value("f32.narrow(k)")), "(f32.fromI32 l2)");
    assert_eq!(text(&value("u32.wrap(x)")), "(u32.wrapF32 l0)");
    assert_eq!(text(&value("u32.wrap(#a)")), "#p1");
    assert_eq!(text(&value("nupp.math.u32.add(n, 1)")), "(u32.add l1 1u)");
    assert_eq!(
        text(&value("i32.popcount(k)")),
        "(i32.fromU32 (u32.popcount (u32.fromI32 l2)))"
    );
    assert_eq!(
        text(&value("u32.divCeil(n, 4)")),
        "(u32.add (u32.div l1 4u) (select (u32.eq (u32.mod l1 4u) 0u) 0u 1u))"
    );
    assert_eq!(
        text(&value("u32.divCeil(n * n, 4)")),
        "(let l4 (u32.mul l1 l1) (u32.add (u32.div l4 4u) (select (u32.eq (u32.mod l4 4u) 0u) 0u 1u)))"
    );
}

#[test]
fn quant_takes_words_apart() {
    for (word, k, expected) in [
        (0x8765_4321u32, 7u32, -8i32),
        (0x8765_4321, 0, 1),
        (0xf, 8, -1),
    ] {
        assert_eq!(
            constant(&format!("quant.signedI4({word}, {k})")),
            (I32, expected as u32)
        );
    }
    assert_eq!(
        constant("quant.dequantizeI8(0x00ff8001, 1, 0.5, -3)"),
        (F32, ((-128.0f32 + 3.0) * 0.5).to_bits())
    );
    assert_eq!(
        constant("quant.dequantizeI4(0x000000f0, 1, 0.25, 2)"),
        (F32, (-3.0f32 * 0.25).to_bits())
    );
}

#[test]
fn a_counted_variable_from_zero_up_counts_elements() {
    let program = good(&lane(
        "for i = 0, 3 do if i < n then out[index] = a[i + 1] end end",
    ));
    let StmtKind::For { body, .. } = &program.kernels[0].func.body.stmts[0].kind else {
        panic!("no loop");
    };
    let StmtKind::If(arms, _) = &body.stmts[0].kind else {
        panic!("no if");
    };
    assert_eq!(text(&arms[0].0), "(u32.lt (u32.fromI32 l4) l1)");
    good(&lane("for i = 0, k - 1 do local u: uint32 = i end"));
    let condition = |cond: &str| {
        let program = good(&lane(&format!("for i = 0, 3 do if {cond} then end end")));
        let StmtKind::For { body, .. } = &program.kernels[0].func.body.stmts[0].kind else {
            panic!("no loop");
        };
        let StmtKind::If(arms, _) = &body.stmts[0].kind else {
            panic!("no if");
        };
        text(&arms[0].0)
    };
    assert_eq!(
        condition("i + 1 < n"),
        "(u32.lt (u32.add (u32.fromI32 l4) 1u) l1)"
    );
    // A difference may be negative, and a negative number is below every uint32.
    assert_eq!(
        condition("i - 1 < n"),
        "(let l5 (i32.sub l4 1i) (or (i32.lt l5 0i) (u32.lt (u32.fromI32 l5) l1)))"
    );
}

#[test]
fn shadowing_goes_by_place() {
    let program = good(&lane(
        "local v = x local v = v + 1 do local v: uint32 = n end out[index] = v",
    ));
    let StmtKind::Assign(pairs) = &program.kernels[0].func.body.stmts[3].kind else {
        panic!("no assignment");
    };
    assert_eq!(text(&pairs[0].1), "l5");
}

#[test]
fn swaps_and_structs() {
    let items = "local struct Pair a: float b: float end\n\
        local function turned(p: Pair): Pair p.a, p.b = p.b, -p.a return p end";
    let program = good(&with(
        items,
        "local p = turned(Pair(x, 2)) local q, r = p.a, p.b q, r = r, q out[index] = q",
    ));
    assert_eq!(program.structs[0].fields.len(), 2);
    let StmtKind::Assign(pairs) = &program.helpers[0].body.stmts[0].kind else {
        panic!("no assignment");
    };
    assert!(matches!(pairs[0].0, Target::LocalField(LocalId(0), 0)));
    assert_eq!(text(&pairs[0].1), "l0.1");
    assert_eq!(text(&pairs[1].1), "(f32.neg l0.0)");
}

#[test]
fn struct_spans_are_read_and_written_by_field() {
    let program = good(
        "pub local struct Pair a: float b: uint32 end\n@aot(target = \"gpu\")\npub local function k0(\
         exclusive out: span.WriteSpan<Pair>, borrows s: span.Span<Pair>): nil\nassert(#out == #s)\n\
         for index = 1, #out do local p = s[index] out[index].a = s[index].a out[index].b = p.b end end",
    );
    let body = &program.kernels[0].func.body.stmts;
    let StmtKind::Assign(pairs) = &body[1].kind else {
        panic!("no assignment");
    };
    assert!(matches!(
        &pairs[0].0,
        Target::ElementField(ParamId(0), _, 0)
    ));
    assert_eq!(text(&pairs[0].1), "p1[l0].0");
}

#[test]
fn the_condition_of_repeat_sees_the_body() {
    good(&lane(
        "local v = x repeat local done = v <= 1 if done then continue end v = v - 1 until done out[index] = v",
    ));
    // A `continue` after the declaration, of an outer name, or in an inner loop skips nothing.
    good(&lane(
        "local done = false repeat if x > 1 then continue end done = true until done",
    ));
    good(&lane(
        "repeat while n > 1 do continue end local done = true until done",
    ));
}

#[test]
fn guards_are_exact_sums() {
    let program = good(
        "@aot(target = \"gpu\")\nlocal function k0(exclusive out: span.WriteSpan<float>, borrows a: span.Span<float>): nil\n\
         assert(4 * #out + 1 <= #a - 2 * (#out - 3) and not (#a == 7))\n\
         if #out ~= u32.wrap(#a) then error(\"m\") end\n\
         for index = 1, #out do out[index] = 0 end end",
    );
    let guards = &program.kernels[0].guards;
    let GuardExpr::And(left, right) = &guards[0].cond else {
        panic!("no conjunction");
    };
    let GuardExpr::Cmp {
        op: CmpOp::Le,
        lhs,
        rhs,
    } = &**left
    else {
        panic!("no comparison");
    };
    let sum = |terms: &[(i64, u32)], constant| LengthExpr {
        terms: terms.iter().map(|(f, p)| (*f, ParamId(*p))).collect(),
        constant,
    };
    assert_eq!(*lhs, sum(&[(4, 0)], 1));
    assert_eq!(*rhs, sum(&[(1, 1), (-2, 0)], 6));
    assert!(matches!(**right, GuardExpr::Not(_)));
    assert!(matches!(guards[1].cond, GuardExpr::Not(_)));
    assert_eq!(guards[1].text, "not (#out ~= u32.wrap(#a))");
}

#[test]
fn cpu_guards_state_scalar_facts() {
    let program = good(
        "@aot\nlocal function k0(exclusive out: span.WriteSpan<float>, factor: float, n: uint32): nil\n\
         assert(factor >= 1 and #out == n, \"m\")\nif #out == 3 then error(\"three\") end\n\
         for index = 1, #out do out[index] = factor end end",
    );
    let kernel = &program.kernels[0];
    assert!(kernel.cpu_only);
    let GuardExpr::And(a, b) = &kernel.guards[0].cond else {
        panic!("no conjunction");
    };
    assert!(matches!(
        (&**a, &**b),
        (GuardExpr::Scalar(_), GuardExpr::Scalar(_))
    ));
    assert_eq!(kernel.guards[1].text, "#out ~= 3");
}

#[test]
fn helpers_take_spans() {
    let items = "local function put(exclusive o: span.WriteSpan<float>, borrows s: span.Span<float>, i: uint32) \
        o[i] = s[i] end";
    let program = good(&with(items, "put(out, a, index)"));
    assert!(matches!(
        &program.kernels[0].func.body.stmts[0].kind,
        StmtKind::Call(_, args) if args.len() == 3
    ));
}

#[test]
fn a_group_kernel_has_phases_and_trees() {
    let program = good(&controller(
        "local shared = phases:scratch(0.0, 64)\nlocal other: gpu.Scratch<float> = phases:scratch(0, 64)\n\
         phases:run(function(localIndex) local c = groupIndex * 64 + localIndex \
         if c < #a then shared[localIndex] = a[c + 1] end end)\n\
         phases:reduceSum(shared)\nphases:inclusiveScan(shared, other)\nphases:exclusiveScan(shared)\n\
         phases:reduce(shared, function(p, q) local m = f32.max(p, q) return m end)\n\
         for tile = 0, n - 1 do if tile == 2 then break end \
         phases:run(function(localIndex) if localIndex == 0 then out[groupIndex + 1] = shared[0] end end) end",
    ));
    let Shape::Workgroups(groups) = &program.kernels[0].shape else {
        panic!("no workgroups");
    };
    assert_eq!((groups.size, groups.divisor, groups.ceil), (64, 64, false));
    assert_eq!(groups.scratch.len(), 2);
    let trees: Vec<_> = groups.body.stmts.iter().map(|s| &s.kind).collect();
    assert!(matches!(
        trees[1],
        StmtKind::Tree {
            kind: TreeCall::Reduce(S::F32Add),
            array: 0
        }
    ));
    assert!(matches!(
        trees[2],
        StmtKind::Tree {
            kind: TreeCall::InclusiveScan(S::F32Add, Some(1)),
            ..
        }
    ));
    let StmtKind::For { hi, lo, .. } = trees[5] else {
        panic!("no loop");
    };
    assert_eq!(
        (text(lo).as_str(), text(&hi.0).as_str(), hi.1),
        ("0u", "l0", -1)
    );
}

#[test]
fn the_group_count_may_go_through_a_local() {
    let program = good(
        "const SIZE = 32\n@aot(target = \"gpu\")\nlocal function k0(exclusive out: span.WriteSpan<uint32>, borrows a: span.Span<uint32>): nil\n\
         assert(#out <= #a)\nlocal groups = u32.divCeil(u32.wrap(#a), 2 * SIZE)\n\
         gpu.workgroups(groups, SIZE, function(groupIndex: uint32, phases: gpu.Phases)\n\
         phases:run(function(localIndex: uint32) if localIndex == 0 then out[groupIndex + 1] = 1 end end)\nend)\nend",
    );
    let Shape::Workgroups(groups) = &program.kernels[0].shape else {
        panic!("no workgroups");
    };
    assert_eq!((groups.size, groups.divisor, groups.ceil), (32, 64, true));
    assert_eq!(groups.prologue.stmts.len(), 1);
}

#[test]
fn aliases_and_full_paths_name_the_same() {
    let program = good(
        "local m = require(\"nupp.mem.span\") local layout = require(\"nupp.gpu.layout\")\n\
         local array = nupp.mem.array local g = require(\"nupp.gpu\") local gpu = nupp.gpu\n\
         /// Doubles.\n@aot(target = \"gpu\")\npub local function k0(exclusive out: m.WriteSpan<float>,\n\
         borrows a: nupp.mem.span.Span<float>): nil\nassert(#out == #a)\n\
         for index = 1, #out do local gpu = a[index]\n\
         out[index] = g.select(gpu < 0, nupp.gpu.select(gpu < 1, 1, 2), nupp.math.f32.abs(gpu)) end end",
    );
    let kernel = &program.kernels[0];
    assert!(kernel.public);
    assert_eq!(kernel.func.docs.len(), 1);
    let StmtKind::Assign(pairs) = &kernel.func.body.stmts[1].kind else {
        panic!("no assignment");
    };
    assert_eq!(
        text(&pairs[0].1),
        "(select (f32.lt l1 0.0) (select (f32.lt l1 1.0) 1.0 2.0) (f32.abs l1))"
    );
}

#[test]
fn parameters_keep_their_order_and_places() {
    let items = "local function h(p: float, borrows s: span.Span<float>, c: boolean, t: gpu.Scratch<int32>): float \
        local q = p if c then q = s[1] end return q + f32.fromI32(t[0]) end";
    let program = good(&with(items, "out[index] = x"));
    let helper = &program.helpers[0];
    let kinds: Vec<_> = helper.params.iter().map(|p| p.kind).collect();
    use crate::hir::{ParamKind, Ty};
    use nupp_ir::ir::entity::Scalar;
    use nupp_ir::ir::kernel::{Access, Elem};
    assert_eq!(
        kinds,
        [
            ParamKind::Value(F32, LocalId(0)),
            ParamKind::Span(Elem::Scalar(Scalar::F32), Access::Read),
            ParamKind::Value(BOOL, LocalId(1)),
            ParamKind::Scratch(Elem::Scalar(Scalar::I32)),
        ]
    );
    assert_eq!(helper.result, Some(Ty::Scalar(Scalar::F32)));
    let names: Vec<&str> = helper.locals.iter().map(|l| l.name.text.as_str()).collect();
    assert_eq!(names, ["p", "c", "q"]);
    let Some(StmtKind::Return(Some(result))) = helper.body.stmts.last().map(|s| &s.kind) else {
        panic!("no result");
    };
    assert_eq!(text(result), "(f32.add l2 (f32.fromI32 p3[0u]))");
}
