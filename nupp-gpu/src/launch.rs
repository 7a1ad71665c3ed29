//! How a dispatch is folded into one launch of workgroups, or into several.
//!
//! A launch has two dimensions of at most 65,535 workgroups each, fewer on some devices. The
//! workgroups of a dispatch fill rows of equal width; the module computes its linear number from
//! the width and compares it with the count before anything else, so the last row may hang over.
//! Where a submit may take fewer workgroups than the dispatch has, it is cut into sections, each of
//! which is told the number of its first workgroup.

use nupp_core::artifact::KernelKind;

/// Workgroups in a row, and rows, at most; more than this no device promises.
pub(crate) const MAX_ROW: u32 = 65_535;

/// A folded dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    /// Lanes of a map, groups of a workgroup kernel.
    pub(crate) count: u32,
    /// Workgroups that have something to do.
    pub(crate) workgroups: u32,
    /// Workgroups in a row; 0 if there is nothing to do.
    pub(crate) width: u32,
    /// Rows.
    pub(crate) rows: u32,
}

/// What is launched at once of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// The number of its first workgroup.
    pub(crate) base: u32,
    /// Workgroups that have something to do.
    pub(crate) workgroups: u32,
    /// Workgroups in a row.
    pub(crate) width: u32,
    /// Rows.
    pub(crate) rows: u32,
}

/// A dispatch that one launch cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge {
    pub(crate) needed: u64,
    pub(crate) offered: u64,
}

/// Lanes (map) or groups (workgroups) of a dispatch over spans of these lengths.
pub(crate) fn count(kind: KernelKind, lengths: &[u32]) -> u32 {
    let length = |span: u32| lengths.get(span as usize).copied().unwrap_or(0);
    match kind {
        KernelKind::Map { primary } => length(primary),
        KernelKind::Groups {
            span,
            divisor,
            ceil: false,
            ..
        } => length(span).checked_div(divisor).unwrap_or(0),
        // The macro embeds no divisor of 0; if it did, there would be nothing to run.
        KernelKind::Groups { divisor: 0, .. } => 0,
        KernelKind::Groups { span, divisor, .. } => length(span).div_ceil(divisor),
    }
}

impl Launch {
    /// Folds `count` lanes or groups, of which a workgroup covers `covers`.
    pub(crate) fn fold(count: u32, covers: u32, limit: u32) -> Result<Self, TooLarge> {
        let workgroups = count.div_ceil(covers.max(1));
        if workgroups == 0 {
            return Ok(Self {
                count,
                workgroups,
                width: 0,
                rows: 0,
            });
        }
        let limit = limit.max(1);
        let rows = workgroups.div_ceil(limit);
        // As narrow as the rows allow, so that fewer than `rows` workgroups hang over.
        let width = workgroups.div_ceil(rows);
        if rows > limit {
            return Err(TooLarge {
                needed: u64::from(workgroups),
                offered: u64::from(limit) * u64::from(limit),
            });
        }
        Ok(Self {
            count,
            workgroups,
            width,
            rows,
        })
    }

    /// The launches of the dispatch, each of at most `most` workgroups in rows of at most `limit`.
    ///
    /// Where it is several, none hangs over: what hung over one would be run by the next as well.
    pub(crate) fn sections(self, most: u32, limit: u32) -> impl Iterator<Item = Section> {
        let (most, limit) = (most.max(1), limit.max(1));
        let mut base = 0;
        std::iter::from_fn(move || {
            let left = self.workgroups - base;
            if left == 0 {
                return None;
            }
            let (width, rows) = if self.workgroups <= most {
                (self.width, self.rows)
            } else {
                let next = left.min(most);
                let width = next.min(limit);
                (width, (next / width).min(limit))
            };
            // A launch of the whole may hang over, and has no more to do than there is.
            let workgroups = left.min(width.saturating_mul(rows));
            let section = Section {
                base,
                workgroups,
                width,
                rows,
            };
            base += workgroups;
            Some(section)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workgroup_is_covered_and_no_row_is_wasted() {
        for limit in [1, 2, 3, 7, 65_535] {
            for count in (0..60).chain([65_535, 65_536, 16_776_961, u32::MAX]) {
                for covers in [1, 4, 64, 256] {
                    let workgroups = u64::from(count.div_ceil(covers));
                    match Launch::fold(count, covers, limit) {
                        Ok(launch) => {
                            let held = u64::from(launch.width) * u64::from(launch.rows);
                            assert!(held >= workgroups);
                            assert!(held - workgroups < u64::from(launch.rows.max(1)));
                            assert!(launch.width <= limit && launch.rows <= limit);
                            assert_eq!(launch.count, count);
                        }
                        Err(refused) => {
                            assert_eq!(refused.needed, workgroups);
                            assert_eq!(refused.offered, u64::from(limit) * u64::from(limit));
                            assert!(refused.needed > refused.offered);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn sections_cover_every_workgroup_once() {
        for (limit, counts) in [(1, 0..2), (3, 0..10), (7, 0..50), (65_535, 0..300)] {
            for count in counts {
                let launch = Launch::fold(count, 1, limit).expect("it fits");
                for most in [1, 2, 3, 5, 7, 8, 20, 64, u32::MAX] {
                    let mut next = 0;
                    for section in launch.sections(most, limit) {
                        assert_eq!(section.base, next);
                        assert!(section.workgroups > 0 && section.workgroups <= most);
                        assert!(section.width <= limit && section.rows <= limit);
                        let held = section.width * section.rows;
                        let alone = section.workgroups == count;
                        assert!(held == section.workgroups || alone && held > section.workgroups);
                        next += section.workgroups;
                    }
                    assert_eq!(next, count, "at most {most}, rows of {limit}");
                }
            }
        }
        // The largest dispatch there is, cut in two, of which the second has an odd rest.
        let launch = Launch::fold(u32::MAX - 131_071, 1, 65_535).expect("it fits");
        let all: Vec<Section> = launch.sections(1 << 31, 65_535).collect();
        let sum: u64 = all.iter().map(|s| u64::from(s.workgroups)).sum();
        assert_eq!(sum, u64::from(u32::MAX - 131_071));
        assert!(all.len() <= 5, "{all:?}");
    }

    #[test]
    fn the_count_follows_the_rule_of_the_kernel() {
        let groups = |ceil| KernelKind::Groups {
            size: 4,
            span: 1,
            divisor: 4,
            ceil,
        };
        assert_eq!(count(KernelKind::Map { primary: 0 }, &[7, 10]), 7);
        assert_eq!(count(groups(false), &[7, 10]), 2);
        assert_eq!(count(groups(true), &[7, 10]), 3);
        assert_eq!(count(groups(true), &[7, u32::MAX]), 1 << 30);
    }
}
