//! No block that parses makes this stage panic, lose a kernel, or point outside the block.

use super::super::check;
use crate::hir::{Shape, StmtKind};
use crate::syntax::ast::{self, ItemKind};
use crate::syntax::{Source, parse};

const SEEDS: [&str; 3] = [
    "const N = 4 const M: uint32 = 7 local struct P a: float b: int32 end \
     local function h(p: P, borrows s: span.Span<float>, i: uint32): float \
     if i < #s and p.b > 0 then return s[i + 1] * p.a end return -0.5 end \
     @aot(target = \"gpu\") local function k(exclusive out: span.WriteSpan<float>, \
     borrows a: span.Span<float>, borrows w: span.Span<uint32>, x: float, n: uint32, k: int32): nil \
     assert(#out == #a, \"m\") if 2 * #out > #w then error(\"e\") end \
     for index = 1, #out do local v, c = x + 1, n << 2 \
     for i = 0, N - 1 do v = v + h(P(v, k), a, i) if v > x then break end end \
     repeat local done = c >= M c = u32.div(c, 2) ~ w[index] until done or k < c \
     while not (v < 1) do v = v / 2 continue end \
     out[index] = k > 3 and f32.fma(v, x, a[index]) or gpu.select(c == n, v, 1) end end",
    "@aot(target = \"gpu\") local function g(exclusive out: span.WriteSpan<float>, \
     borrows a: span.Span<float>, n: uint32): nil assert(#out <= #a) \
     local groups = u32.div(u32.wrap(#a), 64) \
     gpu.workgroups(groups, 64, function(groupIndex, phases) \
     local s = phases:scratch(0.0, 64) local t = phases:scratch(0.0, 64) \
     for tile = 0, n - 1 do phases:run(function(localIndex) \
     local c = groupIndex * 64 + localIndex if c < #a then s[localIndex] = a[c + 1] end end) end \
     phases:reduceSum(s) phases:inclusiveScan(s, t) \
     phases:reduce(t, function(p, q) return f32.max(p, q) end) \
     phases:run(function(localIndex) if localIndex == 0 then out[groupIndex + 1] = s[0] end end) \
     end) end",
    "@aot local function c(exclusive out: span.WriteSpan<int32>, f: float): nil \
     assert(f >= 1 and #out ~= 3) for index = 1, #out do local p, q = true, f == 1 \
     if p == q then out[index] = i32.wrap(f) elseif q then out:scatter(index, -7) \
     else do out[index] = i32.div(3, 2) & 5 >> 1 end end end end",
];

/// A generator of its own, so that a failure can be run again.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Statements of the typed tree that a block of the syntax tree becomes.
fn statements(block: &ast::Block) -> usize {
    let one = |stmt: &ast::Stmt| match &stmt.kind {
        ast::StmtKind::Local(names, _) => names.len(),
        _ => 1,
    };
    block.stmts.iter().map(one).sum()
}

/// Checks a text where it parses; answers whether it does.
fn survives(text: &str) -> bool {
    let source = Source::from_nupp(text);
    let (file, found) = parse(&source);
    if !found.is_empty() {
        return false;
    }
    let tokens = source.tokens().len() as u32;
    match check(&file, &source) {
        Err(found) => {
            assert!(!found.is_empty());
            for d in found {
                assert!(
                    d.at.first <= d.at.last && d.at.last < tokens,
                    "{text}\n{d:?}"
                );
                assert!(d.help.is_some(), "{text}\n{d:?}");
            }
        }
        // Nothing was dropped without a word.
        Ok(program) => {
            let functions: Vec<&ast::Function> = file
                .items
                .iter()
                .filter_map(|item| match &item.kind {
                    ItemKind::Function(function) => Some(function),
                    _ => None,
                })
                .collect();
            assert_eq!(
                functions.len(),
                program.helpers.len() + program.kernels.len(),
                "{text}"
            );
            for kernel in &program.kernels {
                let function = functions.iter().find(|f| f.name.at == kernel.func.name.at);
                let function = function.expect("each kernel was written");
                let last = function.body.stmts.last().map(|stmt| &stmt.kind);
                if let (Shape::Map { .. }, Some(ast::StmtKind::For { body, .. })) =
                    (&kernel.shape, last)
                {
                    assert_eq!(kernel.func.body.stmts.len(), statements(body), "{text}");
                }
                if let Shape::Workgroups(groups) = &kernel.shape {
                    let runs = |s: &&crate::hir::Stmt| !matches!(s.kind, StmtKind::Let(..));
                    assert!(groups.body.stmts.iter().filter(runs).count() > 0, "{text}");
                }
            }
        }
    }
    true
}

#[test]
fn mutated_blocks_are_accepted_or_refused() {
    let mut random = Random(42);
    let words: Vec<Vec<String>> = SEEDS
        .iter()
        .map(|seed| {
            assert!(survives(seed));
            let source = Source::from_nupp(seed);
            source
                .tokens()
                .iter()
                .map(|token| token.text.clone())
                .collect()
        })
        .collect();
    let all: Vec<&String> = words.iter().flatten().collect();
    let mut parsed = 0;
    for _ in 0..2000 {
        let mut tokens = words[random.below(words.len())].clone();
        for _ in 0..=random.below(3) {
            let at = random.below(tokens.len());
            match random.below(4) {
                0 => tokens[at] = all[random.below(all.len())].clone(),
                1 => {
                    let other = random.below(tokens.len());
                    tokens.swap(at, other);
                }
                2 => {
                    tokens.remove(at);
                }
                _ => {
                    let same: Vec<&&String> = all
                        .iter()
                        .filter(|w| w.as_bytes()[0].is_ascii_alphanumeric())
                        .collect();
                    tokens[at] = same[random.below(same.len())].to_string();
                }
            }
        }
        parsed += usize::from(survives(&tokens.join(" ")));
    }
    assert!(parsed > 100, "only {parsed} mutations parse");
}

#[test]
fn towers_of_operators_take_no_time() {
    let sum = "x + ".repeat(100);
    let pairs = "(x < 1) == ".repeat(60);
    let choose = "gpu.select(n == 1, ".repeat(30) + "x" + &", x)".repeat(30);
    for value in [format!("{sum}1"), format!("{pairs}true"), choose] {
        let body = format!("local v = {value}");
        assert!(survives(&super::lane(&body)), "{body}");
    }
    // Constants that grow by squaring stop at a limit.
    let squares: String = (1..40)
        .map(|i| format!("const C{i} = C{} * C{}\n", i - 1, i - 1))
        .collect();
    assert!(survives(&super::with(
        &format!("const C0 = 3.7\n{squares}"),
        "out[index] = x"
    )));
}
