//! Access to slices. Every access of a generated function was proved, so the fallbacks here are
//! never taken with a live lane; they exist because safe code has to say something, and because
//! a block of lanes computes an address for its dead lanes too.

use super::error::{KernelError, ScatterError};

/// The length of a slice as the kernel sees it.
///
/// # Errors
/// [`KernelError::TooLong`] past 2^32 - 1 elements.
#[inline]
pub fn length(span: &'static str, length: usize) -> Result<u32, KernelError> {
    u32::try_from(length).map_err(|_| KernelError::TooLong { span, length })
}

/// The one-based index of a zero-based lane.
#[inline(always)]
pub fn index(lane: usize) -> u32 {
    // A lane is below a length that fits in uint32.
    (lane as u32).wrapping_add(1)
}

/// The element at a zero-based index.
#[inline(always)]
pub fn load<T: Copy + Default>(span: &[T], index: u32) -> T {
    span.get(index as usize).copied().unwrap_or_default()
}

/// Puts an element at a zero-based index.
#[inline(always)]
pub fn store<T>(span: &mut [T], index: u32, value: T) {
    if let Some(element) = span.get_mut(index as usize) {
        *element = value;
    }
}

/// The element `offset` away from a lane's own.
#[inline(always)]
pub fn at_offset<T: Copy + Default>(span: &[T], lane: usize, offset: isize) -> T {
    let index = lane.wrapping_add_signed(offset);
    span.get(index).copied().unwrap_or_default()
}

/// The elements `offset` away from those of a block of lanes.
#[inline(always)]
pub fn window<T: Copy + Default, const W: usize>(span: &[T], lane: usize, offset: isize) -> [T; W] {
    let first = lane.wrapping_add_signed(offset);
    if let Some(chunk) = span.get(first..).and_then(|rest| rest.first_chunk::<W>()) {
        return *chunk;
    }
    let mut out = [T::default(); W];
    for (l, element) in out.iter_mut().enumerate() {
        *element = at_offset(span, lane.wrapping_add(l), offset);
    }
    out
}

/// The elements from a zero-based index on, one a lane; the index counts modulo 2^32.
#[inline(always)]
pub fn run_from<T: Copy + Default, const W: usize>(span: &[T], first: u32) -> [T; W] {
    let rest = span.get(first as usize..);
    if let Some(chunk) = rest.and_then(|rest| rest.first_chunk::<W>()) {
        return *chunk;
    }
    let mut out = [T::default(); W];
    for (l, element) in out.iter_mut().enumerate() {
        *element = load(span, first.wrapping_add(l as u32));
    }
    out
}

/// Puts the values of the live lanes at a zero-based index and after it.
#[inline(always)]
pub fn store_run<T: Copy, const W: usize>(
    span: &mut [T],
    first: u32,
    values: &[T; W],
    mask: &[u32; W],
) {
    let rest = span.get_mut(first as usize..);
    if let Some(chunk) = rest.and_then(|rest| rest.first_chunk_mut::<W>()) {
        for l in 0..W {
            chunk[l] = if mask[l] != 0 { values[l] } else { chunk[l] };
        }
        return;
    }
    for l in 0..W {
        if mask[l] != 0 {
            store(span, first.wrapping_add(l as u32), values[l]);
        }
    }
}

/// The elements from a zero-based index on, one a lane of a group.
#[inline(always)]
pub fn stretch<T, const N: usize>(span: &[T], first: u32) -> Option<&[T; N]> {
    span.get(first as usize..)?.first_chunk()
}

/// Whether `size` numbers from `first` on are all below a limit, none of them past 2^32 - 1.
#[inline(always)]
pub fn all_below(first: u32, size: u32, limit: u32) -> bool {
    first < limit && limit - first >= size
}

/// A number of lanes, to be counted in blocks.
#[inline(always)]
pub fn lanes(count: u32) -> usize {
    count as usize
}

/// The elements that unit `at` of this part of the work owns, where each owns `stride`.
#[inline(always)]
pub fn part<T>(span: &mut [T], at: usize, stride: usize) -> &mut [T] {
    let rest = span.get_mut(at * stride..).unwrap_or_default();
    let own = stride.min(rest.len());
    &mut rest[..own]
}

/// The number of a group.
#[inline(always)]
pub fn number(group: usize) -> u32 {
    // Groups are counted by a uint32 length.
    group as u32
}

/// Groups by rounding down.
///
/// # Errors
/// [`KernelError::TooManyLanes`].
pub fn groups_floor(length: u32, divisor: u32, size: u32) -> Result<usize, KernelError> {
    counted(u64::from(length.checked_div(divisor).unwrap_or(0)), size)
}

/// Groups by rounding up.
///
/// # Errors
/// [`KernelError::TooManyLanes`].
pub fn groups_ceil(length: u32, divisor: u32, size: u32) -> Result<usize, KernelError> {
    counted(u64::from(length.div_ceil(divisor.max(1))), size)
}

fn counted(groups: u64, size: u32) -> Result<usize, KernelError> {
    if groups * u64::from(size) > 1 << 32 {
        return Err(KernelError::TooManyLanes { groups, size });
    }
    Ok(groups as usize)
}

/// A term of a guard's sum of lengths, exactly.
#[inline]
pub fn term(factor: i64, length: u32) -> i128 {
    i128::from(factor) * i128::from(length)
}

/// A truth value as a lane mask.
#[inline(always)]
pub fn mask(b: bool) -> u32 {
    0_u32.wrapping_sub(u32::from(b))
}

/// The elements that block `k` of `W` lanes owns.
#[inline(always)]
pub fn block<T, const W: usize>(span: &[T], k: usize) -> Option<&[T; W]> {
    span.get(k * W..)?.first_chunk()
}

/// The elements that block `k` of `W` lanes owns, to be written.
#[inline(always)]
pub fn block_mut<T, const W: usize>(span: &mut [T], k: usize) -> Option<&mut [T; W]> {
    span.get_mut(k * W..)?.first_chunk_mut()
}

/// The first `at` elements and the rest; all and nothing where there are fewer.
#[inline]
pub fn split<T>(span: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    let at = at.min(span.len());
    span.split_at_mut(at)
}

/// A lane's number over a whole dispatch of groups.
#[inline]
pub fn lane_of(group: usize, size: usize, local: u32) -> usize {
    group.wrapping_mul(size).wrapping_add(local as usize)
}

/// Which lane wrote each element of a scattered span.
#[derive(Debug)]
pub struct Owners {
    span: &'static str,
    lanes: Vec<u32>,
    /// Lanes a group, in a workgroup kernel.
    size: Option<u32>,
}

impl Owners {
    /// No element written.
    ///
    /// # Errors
    /// [`KernelError::Fault`] where the table does not fit in memory.
    pub fn new(span: &'static str, length: usize) -> Result<Self, KernelError> {
        let mut lanes = Vec::new();
        lanes
            .try_reserve_exact(length)
            .map_err(|_| KernelError::Fault)?;
        lanes.resize(length, u32::MAX);
        let size = None;
        Ok(Owners { span, lanes, size })
    }

    /// The same for groups of so many lanes.
    #[must_use]
    pub fn in_groups(self, size: u32) -> Self {
        let size = Some(size);
        Owners { size, ..self }
    }

    /// Takes an element for a lane (zero-based; below 2^32 - 1, since an index is one more).
    ///
    /// # Errors
    /// [`KernelError::Scatter`] where the element is taken.
    pub fn take(&mut self, slot: u32, lane: usize) -> Result<(), KernelError> {
        let second = lane as u32;
        match self.lanes.get_mut(slot as usize) {
            Some(owner) if *owner == u32::MAX => {
                *owner = second;
                Ok(())
            }
            Some(owner) => Err(KernelError::Scatter(ScatterError {
                span: self.span,
                slot,
                first: *owner,
                second,
                lanes: self.size,
            })),
            None => Err(KernelError::Fault),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_what_single_lanes_see() {
        let span: Vec<u32> = (10..30).collect();
        for lane in 0..20 {
            for offset in [-3_isize, -1, 0, 1, 4] {
                let seen: [u32; 8] = window(&span, lane, offset);
                for (l, &element) in seen.iter().enumerate() {
                    assert_eq!(element, at_offset(&span, lane + l, offset));
                }
            }
        }
    }

    #[test]
    fn a_stretch_is_there_whole_or_not_at_all() {
        let span: Vec<u32> = (10..30).collect();
        assert_eq!(stretch::<_, 4>(&span, 16), Some(&[26, 27, 28, 29]));
        assert_eq!(stretch::<_, 4>(&span, 17), None);
        assert_eq!(stretch::<_, 4>(&span, u32::MAX - 1), None);
    }

    #[test]
    fn numbers_that_wrap_are_not_below() {
        assert!(all_below(6, 4, 10));
        assert!(!all_below(7, 4, 10));
        assert!(!all_below(10, 1, 10));
        assert!(!all_below(u32::MAX - 1, 4, u32::MAX));
        assert!(!all_below(0, 1, 0));
    }

    #[test]
    fn an_element_is_taken_once() {
        let mut owners = Owners::new("out", 3).expect("three words");
        assert_eq!(owners.take(2, 7), Ok(()));
        let meet = ScatterError {
            span: "out",
            slot: 2,
            first: 7,
            second: 9,
            lanes: None,
        };
        assert_eq!(owners.take(2, 9), Err(KernelError::Scatter(meet)));
        assert_eq!(owners.take(3, 9), Err(KernelError::Fault));
        let text = meet.to_string();
        assert_eq!(
            text,
            "index 8 and index 10 both scatter to element 3 of `out`"
        );
    }

    #[test]
    fn lanes_that_meet_are_named_as_the_kernel_counts() {
        let owners = Owners::new("out", 9).expect("nine words");
        let mut owners = owners.in_groups(4);
        assert_eq!(owners.take(8, 0), Ok(()));
        let text = |found: Result<(), KernelError>| found.map_err(|error| error.to_string());
        let meet = "lane 0 of group 0 and lane 3 of group 2 both scatter to element 9 of `out`";
        assert_eq!(text(owners.take(8, 11)), Err(meet.to_owned()));
        let alone = "lane 0 of group 0 twice scatters to element 9 of `out`";
        assert_eq!(text(owners.take(8, 0)), Err(alone.to_owned()));
    }
}
