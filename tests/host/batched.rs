//! Case 44: a batched matrix product whose right side is stored once, transposed and broadcast, with
//! strides as uniforms; on the device through views and on the CPU over slices, by bits.

use nupp::{View, nupp};
use nupp_testkit::compare::fnv1a;
use nupp_testkit::inputs::Lcg;

use crate::context;

nupp! {
    @aot(target = "gpu")
    local function product(
        exclusive c: span.WriteSpan<float>,
        borrows a: span.Span<float>,
        borrows b: span.Span<float>,
        rows: uint32,
        columns: uint32,
        inner: uint32,
        aBatch: uint32,
        aRow: uint32,
        aColumn: uint32,
        bBatch: uint32,
        bRow: uint32,
        bColumn: uint32
    ): nil
        for index = 1, #c do
            local column = u32.mod(index - 1, columns)
            local row = u32.mod(u32.div(index - 1, columns), rows)
            local batch = u32.div(index - 1, rows * columns)
            local sum: float = 0.0
            local k: uint32 = 0
            while k < inner do
                local i = batch * aBatch + row * aRow + k * aColumn
                local j = batch * bBatch + k * bRow + column * bColumn
                local x: float = 0.0
                local y: float = 0.0
                if i < #a then x = a[i + 1] end
                if j < #b then y = b[j + 1] end
                sum = f32.fma(x, y, sum)
                k = k + 1
            end
            c[index] = sum
        end
    end
}

const N: u32 = 64;
const BATCH: u32 = 4;

fn inputs() -> (Vec<f32>, Vec<f32>) {
    let mut values = Lcg::default().map(|state| (state / 2_147_483_648.0 - 0.5) as f32);
    let mut take = |len: u32| values.by_ref().take(len as usize).collect::<Vec<f32>>();
    let left = take(BATCH * N * N);
    (left, take(N * N))
}

fn check(c: &[f32]) {
    let bits: Vec<u32> = c.iter().map(|value| value.to_bits()).collect();
    assert_eq!(bits[0], 0xbe52_df90);
    assert_eq!(fnv1a(&bits), 0x37be_626a_2d34_b3f5);
}

/// The three strides of a view.
fn strides(view: &View<f32>) -> [u32; 3] {
    view.strides().try_into().expect("three dimensions")
}

#[test]
fn a_transposed_and_broadcast_matrix_on_the_device() {
    let Some(context) = context() else { return };
    let (left, right) = inputs();
    let a = context.tensor::<f32>(&[BATCH, N, N]).unwrap();
    let stored = context.tensor::<f32>(&[1, N, N]).unwrap();
    let c = context.tensor::<f32>(&[BATCH, N, N]).unwrap();
    context.upload(&a, &left).unwrap();
    context.upload(&stored, &right).unwrap();
    let b = stored.transpose(&[0, 2, 1]).unwrap();
    let b = b.broadcast(&[BATCH, N, N]).unwrap();
    assert_eq!(b.strides(), [0, 1, N]);
    let kernel = product::compile(&context).unwrap();
    let run = |a: &View<f32>, b: &View<f32>, c: &View<f32>| {
        let ([a0, a1, a2], [b0, b1, b2]) = (strides(a), strides(b));
        let binding = kernel.bind(c, a, b).unwrap();
        binding.dispatch(N, N, N, a0, a1, a2, b0, b1, b2).unwrap();
    };
    run(&a, &b, &c);
    check(&context.download_blocking(&c).unwrap());

    // The same out of the middle of greater buffers: every view begins somewhere else.
    let pool = context.tensor::<f32>(&[BATCH + 2, N, N]).unwrap();
    let padded = context.tensor::<f32>(&[BATCH + 1, N + 3, N + 5]).unwrap();
    let wide = padded.subview(&[1, 2, 4], &[BATCH, N, N]).unwrap();
    let mut host = vec![9.0; padded.len()];
    for (at, value) in left.iter().enumerate() {
        let [batch, row, column] = [at / 4096, at / 64 % 64, at % 64];
        host[((batch + 1) * 67 + row + 2) * 69 + column + 4] = *value;
    }
    context.upload(&padded, &host).unwrap();
    let target = pool.subview(&[1, 0, 0], &[BATCH, N, N]).unwrap();
    run(&wide, &b, &target);
    check(&context.download_blocking(&target).unwrap());
    let all = context.download_blocking(&pool).unwrap();
    let edge = (N * N) as usize;
    assert!(all[..edge].iter().all(|value| value.to_bits() == 0));
    assert!(
        all[all.len() - edge..]
            .iter()
            .all(|value| value.to_bits() == 0)
    );
}

#[test]
fn the_same_on_the_cpu() {
    let (left, right) = inputs();
    let mut c = vec![0.0; left.len()];
    product(&mut c, &left, &right, N, N, N, N * N, N, 1, 0, 1, N).unwrap();
    check(&c);
}
