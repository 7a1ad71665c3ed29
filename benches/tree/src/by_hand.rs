//! What a Rust author would write for the same tree: a loop a stage over an array on the stack, left to
//! the vectoriser, compiled for the features that the kernel's widest form uses on this machine.

/// Lanes of a group.
pub const LANES: usize = 256;

/// Sums each whole group of `input`.
pub fn tree(sums: &mut [f32], input: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::is_x86_feature_detected as has;
        if has!("avx512f")
            && has!("avx512vl")
            && has!("avx512dq")
            && has!("avx512bw")
            && has!("avx512cd")
        {
            // SAFETY: the machine has each feature.
            return unsafe { with_avx512(sums, input) };
        }
        if has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") {
            // SAFETY: the machine has each feature.
            return unsafe { with_avx2(sums, input) };
        }
    }
    plain(sums, input);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,avx512f,avx512vl,avx512dq,avx512bw,avx512cd")]
fn with_avx512(sums: &mut [f32], input: &[f32]) {
    plain(sums, input);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2")]
fn with_avx2(sums: &mut [f32], input: &[f32]) {
    plain(sums, input);
}

#[inline(always)]
fn plain(sums: &mut [f32], input: &[f32]) {
    for (sum, group) in sums.iter_mut().zip(input.as_chunks::<LANES>().0) {
        let mut slots = *group;
        let mut stride = LANES / 2;
        while stride > 0 {
            for lane in 0..stride {
                slots[lane] += slots[lane + stride];
            }
            stride /= 2;
        }
        *sum = slots[0];
    }
}
