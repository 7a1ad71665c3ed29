//! Kernels that must parse as they stand, through text and through tokens.

use super::{good, show};
use crate::syntax::{Source, ast::*, parse, print};

/// The documentation's kernels and one of each construct.
pub const SEEDS: [&str; 4] = [
    r#"
local span = require("nupp.mem.span")
local f32 = nupp.math.f32
@aot(target = "gpu")
local function scale(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>, factor: float): nil
    assert(#output == #input, "lengths differ")
    for index = 1, #output do
        output[index] = f32.mul(input[index], factor)
    end
end
"#,
    r#"
local gpu = require("nupp.gpu")
@aot(target = "gpu")
pub local function sums(exclusive output: span.WriteSpan<float>, borrows input: span.Span<float>): nil
    assert(#output * 256 <= #input)
    local groups = u32.div(u32.wrap(#input), 256)
    gpu.workgroups(groups, 256, function(groupIndex: uint32, phases: gpu.Phases)
        local values = phases:scratch(0.0, 256)
        phases:run(function(localIndex)
            local cursor = groupIndex * 256 + localIndex
            if cursor < #input then
                values[localIndex] = input[cursor + 1]
            end
        end)
        phases:reduceSum(values)
        phases:reduce(values, function(a, b) return a + b end)
        phases:run(function(localIndex)
            if localIndex == 0 then output[groupIndex + 1] = values[0] end
        end)
    end)
end
"#,
    r#"
/// Two floats.
pub local struct Pair  a: float  b: float  end
const HALF = 0.5
const MASK: uint32 = 0xffff_0000
/// Adds.
@aot
/// Both.
local function add(p: Pair, x: float): Pair
    local q: Pair = Pair(p.a + x, p.b * -x)
    q.a, q.b = q.b, q.a
    return q
end
local function mix(c: boolean, x: float, y: float): float
    if not c and x < y or x ~= x then return c and x or y
    elseif x == 1e-3 then return y
    else return -(x - (y - HALF)) / 2. end
end
"#,
    r#"
@aot(target = "cpu")
local function forms(exclusive out: span.WriteSpan<uint32>, borrows a: span.Span<uint32>, k: uint32): nil
    if k >= 4 then error("k") end;
    for index = 1, #out do
        local x, y: uint32 = a[index], 0
        while y < k do y = y + 1; if y == 3 then continue end end
        repeat local done = x <= 1; x = x - 1 until done
        for i = -2, 3 do if i > 0 then break end end
        do local z = ~x & MASK | x << 3 ~ y >> 1; out:scatter(z, - -x) end
        out[index] = gpu.select(x > y, x, nupp.math.u32.add(x, y))
    end
end
"#,
];

#[test]
fn the_seed_kernels_parse_from_text() {
    for seed in SEEDS {
        assert!(!good(seed).items.is_empty());
    }
}

#[test]
fn the_seed_kernels_parse_from_tokens() {
    for seed in SEEDS {
        let source = Source::from_tokens(seed.parse().expect("Rust tokens"));
        let (file, found) = parse(&source);
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(print::file(&file), print::file(&good(seed)));
    }
}

#[test]
fn docs_are_kept_before_an_item() {
    let file = good(SEEDS[2]);
    assert_eq!(file.items[0].docs, [" Two floats."]);
    assert_eq!(file.items[1].docs, [""; 0]);
    assert_eq!(file.items[3].docs, [" Adds.", " Both."]);
}

#[test]
fn places_and_text_are_the_authors() {
    let source = Source::from_nupp(SEEDS[0]);
    let (file, found) = parse(&source);
    assert!(found.is_empty(), "{}", show(&source, &found));
    let ItemKind::Function(scale) = &file.items[2].kind else {
        panic!("a function")
    };
    assert_eq!(source.text(scale.name.at), Some("scale"));
    assert_eq!(
        source.text(scale.params[1].at),
        Some("borrows input: span.Span<float>")
    );
    let place = source.place(scale.name.at).expect("a place");
    assert_eq!((place.line, place.column, place.end_column), (5, 16, 21));
    assert_eq!(
        source.line_text(6),
        Some("    assert(#output == #input, \"lengths differ\")")
    );
}
