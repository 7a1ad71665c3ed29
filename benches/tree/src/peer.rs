//! The same tree in CubeCL on its CPU runtime, folded by hand onto one lane: a cube of one unit takes
//! some groups in a row, and the 256 values of a group are vectors of 16, since a cube of 256 units is a
//! thread a lane there. Strides of whole vectors add vectors; the last four add inside one.

use cubecl::cpu::CpuRuntime;
use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl_runtime::runtime::Runtime;
use std::time::{Duration, Instant};

#[cube(launch_unchecked)]
fn folded(input: &[Vector<f32, Const<16>>], output: &mut [f32], #[comptime] groups: usize) {
    for turn in 0..groups {
        let group = CUBE_POS * groups + turn;
        let first = group * 16;
        let mut slots = Array::<Vector<f32, Const<16>>>::new(8usize);
        #[unroll]
        for k in 0..8usize {
            slots[k] = input[first + k] + input[first + k + 8];
        }
        #[unroll]
        for k in 0..4usize {
            slots[k] = slots[k] + slots[k + 4];
        }
        let last = (slots[0] + slots[2]) + (slots[1] + slots[3]);
        let a0 = last.extract(0usize) + last.extract(8usize);
        let a1 = last.extract(1usize) + last.extract(9usize);
        let a2 = last.extract(2usize) + last.extract(10usize);
        let a3 = last.extract(3usize) + last.extract(11usize);
        let a4 = last.extract(4usize) + last.extract(12usize);
        let a5 = last.extract(5usize) + last.extract(13usize);
        let a6 = last.extract(6usize) + last.extract(14usize);
        let a7 = last.extract(7usize) + last.extract(15usize);
        output[group] = ((a0 + a4) + (a2 + a6)) + ((a1 + a5) + (a3 + a7));
    }
}

/// An input on CubeCL's device, and how many groups a cube takes.
pub struct Peer {
    client: Client,
    input: Handle,
    output: Handle,
    groups: usize,
    each: usize,
}

impl Peer {
    /// Uploads; what is left over after the last whole cube is left out.
    pub fn new(input: &[f32], each: usize) -> Self {
        let client = CpuRuntime::client(&Default::default());
        let groups = input.len() / 256;
        Peer {
            input: client.create_from_slice(f32::as_bytes(input)),
            output: client.empty(groups * size_of::<f32>()),
            client,
            groups,
            each,
        }
    }

    /// Runs the kernel and gives its time without the download.
    pub fn tree(&mut self, sums: &mut [f32]) -> Duration {
        let started = Instant::now();
        // SAFETY: the buffers hold what the kernel indexes.
        unsafe {
            folded::launch_unchecked(
                &self.client,
                CubeCount::Static((self.groups / self.each) as u32, 1, 1),
                CubeDim::new_1d(1),
                BufferArg::from_raw_parts(self.input.clone(), self.groups * 16),
                BufferArg::from_raw_parts(self.output.clone(), self.groups),
                self.each,
            );
        }
        cubecl::future::block_on(self.client.sync()).expect("the kernel runs");
        let elapsed = started.elapsed();
        let bytes = self.client.read_one_unchecked(self.output.clone());
        sums.copy_from_slice(f32::from_bytes(&bytes));
        elapsed
    }
}
