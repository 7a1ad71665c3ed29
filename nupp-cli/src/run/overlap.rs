//! How much of the CPU time of intervals falls within other intervals.
//!
//! A sample says how much CPU time passed since the one before it, and not when in between. It is spread
//! evenly, so that a share is an estimate with the error of the two intervals at the ends.

/// CPU time between two samples of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub from: u64,
    pub to: u64,
    pub cpu_ns: u64,
}

/// The same times without overlaps, in order.
pub fn union(mut spans: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    spans.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (from, to) in spans {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

/// The length of spans that do not overlap.
pub fn length(spans: &[(u64, u64)]) -> u64 {
    spans.iter().map(|(from, to)| to - from).sum()
}

/// The CPU time of the intervals, which are in order, that falls within spans from [`union`].
pub fn within(intervals: &[Interval], spans: &[(u64, u64)]) -> u64 {
    let mut rest = spans;
    let mut sum = 0_u64;
    for interval in intervals {
        // Spans that end before this interval end before all later ones.
        while rest.first().is_some_and(|span| span.1 <= interval.from) {
            rest = &rest[1..];
        }
        let shared: u64 = rest
            .iter()
            .take_while(|span| span.0 < interval.to)
            .map(|span| span.1.min(interval.to) - span.0.max(interval.from))
            .sum();
        let length = interval.to - interval.from;
        if length > 0 {
            let share = u128::from(interval.cpu_ns) * u128::from(shared) / u128::from(length);
            sum += u64::try_from(share).unwrap_or(u64::MAX);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_that_touch_are_one() {
        let spans = vec![(30, 40), (0, 10), (5, 20), (20, 22), (31, 32), (50, 50)];
        let merged = union(spans);
        assert_eq!(merged, [(0, 22), (30, 40), (50, 50)]);
        assert_eq!(length(&merged), 32);
    }

    #[test]
    fn cpu_time_is_shared_by_length() {
        let intervals = [(0, 10, 100), (10, 20, 7), (20, 40, 1000)];
        let intervals = intervals.map(|(from, to, cpu_ns)| Interval { from, to, cpu_ns });
        assert_eq!(within(&intervals, &[]), 0);
        assert_eq!(within(&intervals, &[(0, 40)]), 1107);
        assert_eq!(within(&intervals, &[(5, 12)]), 50 + 1);
        assert_eq!(
            within(&intervals, &[(2, 4), (9, 25), (39, 90)]),
            20 + 10 + 7 + 250 + 50
        );
        assert_eq!(within(&intervals, &[(40, 90)]), 0);
    }
}
