//! A product through slots of the lane's own: what is promoted, and the bits before and after.

use super::{bits, lowered};
use nupp_core::device::lower_device;
use nupp_core::device::profile::{Profile, Route};
use nupp_core::eval::device::{self, Dispatch};
use nupp_core::eval::source::{self, LaneOrder};
use nupp_core::verify;

/// 4 lanes, each with 2 × 2 results of a 4 × 4 tile.
const PRODUCT: &str = "@aot(target = \"gpu\")\nlocal function k(exclusive c: span.WriteSpan<float>, \
    borrows a: span.Span<float>, borrows b: span.Span<float>, inner: uint32, columns: uint32): nil\n\
    local groups = u32.div(u32.wrap(#c), 16)\n\
    gpu.workgroups(groups, 4, function(groupIndex, phases)\n\
    local left = phases:scratch(0.0, 8) local right = phases:scratch(0.0, 8)\n\
    local sums = phases:scratch(0.0, 16)\n\
    local across = u32.div(columns, 4) local top = u32.div(groupIndex, across) * 4\n\
    local first = u32.mod(groupIndex, across) * 4 local tiles = u32.div(inner, 2)\n\
    for tile = 0, tiles - 1 do\n\
    phases:run(function(localIndex) for t = 0, 1 do local slot = localIndex + t * 4\n\
    local i = (top + u32.div(slot, 2)) * inner + tile * 2 + u32.mod(slot, 2)\n\
    local j = (tile * 2 + u32.div(slot, 4)) * columns + first + u32.mod(slot, 4)\n\
    local p: float = 0.0 local q: float = 0.0\n\
    if i < #a then p = a[i + 1] end if j < #b then q = b[j + 1] end\n\
    left[localIndex + t * 4] = p right[localIndex + t * 4] = q end end)\n\
    phases:run(function(localIndex)\n\
    local y = u32.div(localIndex, 2) local x = u32.mod(localIndex, 2)\n\
    for k = 0, 1 do for t = 0, 3 do\n\
    sums[localIndex + t * 4] = f32.fma(left[(y + u32.div(t, 2) * 2) * 2 + k], \
    right[k * 4 + x + u32.mod(t, 2) * 2], sums[localIndex + t * 4]) end end end)\n\
    end\n\
    phases:run(function(localIndex) for t = 0, 3 do\n\
    c[groupIndex * 16 + localIndex + t * 4 + 1] = sums[localIndex + t * 4] end end)\n\
    end)\nend\n";

#[test]
fn a_register_tile_keeps_the_bits() {
    let kernel = verify::source::verify(lowered(PRODUCT)).expect("it verifies");
    let n = 8_usize;
    let a: Vec<f32> = (0..n * n).map(|i| i as f32 * 0.37 - 3.0).collect();
    let b: Vec<f32> = (0..n * n).map(|i| 5.0 - i as f32 * 0.21).collect();
    let buffers = [vec![0; n * n], bits(&a), bits(&b)];
    let mut wanted = buffers.to_vec();
    source::run(&kernel, &mut wanted, &[8, 8], LaneOrder::Reversed).expect("it runs");
    let row_and_column = |at: usize| {
        let (group, lane, t) = (at / 16, at % 4, at % 16 / 4);
        (
            group / 2 * 4 + lane / 2 + t / 2 * 2,
            group % 2 * 4 + lane % 2 + t % 2 * 2,
        )
    };
    for (at, &got) in wanted[0].iter().enumerate() {
        let (row, column) = row_and_column(at);
        let chain = |sum: f32, k: usize| a[row * n + k].mul_add(b[k * n + column], sum);
        assert_eq!(got, (0..n).fold(0.0, chain).to_bits(), "{row}, {column}");
    }
    let hardware = Profile {
        name: "fused",
        fma: Route::Opaque,
        ..Profile::CONSERVATIVE
    };
    for profile in [Profile::CONSERVATIVE, Profile::INTEGER, hardware] {
        let module = lower_device::lower(&kernel, &profile).expect("it lowers");
        let module = verify::device::verify(module).expect("it verifies");
        assert_eq!((module.register_bytes, module.private.len()), (16, 0));
        // Before the tile is read, and before the next one is loaded over it.
        assert_eq!((module.barriers, module.workgroup.len()), (2, 2));
        for seed in 0..2 {
            let mut words = buffers.to_vec();
            let dispatch = Dispatch {
                count: 4,
                lengths: &[64; 3],
                offsets: &[0; 3],
                uniforms: &[8, 8],
                width: 65_535,
                seed,
            };
            device::run(&module, &mut words, &dispatch).expect("it runs");
            assert!(words == wanted, "{} {seed}", profile.name);
        }
    }
}
