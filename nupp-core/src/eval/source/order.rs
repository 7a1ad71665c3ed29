//! The order in which lanes and groups run.

/// An order of lanes; groups follow the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneOrder {
    /// 0, 1, 2 …, as the CPU function does.
    Ascending,
    /// The last first.
    Reversed,
    /// A permutation that this number chooses, another one for each group and phase.
    Shuffled(u64),
}

impl LaneOrder {
    /// The numbers below `count` in this order; `salt` tells apart what is shuffled.
    pub(super) fn lanes(self, count: u32, salt: u64) -> Lanes {
        Lanes {
            order: self,
            next: 0,
            count,
            shuffled: match self {
                LaneOrder::Shuffled(seed) => shuffle(count, seed ^ salt.wrapping_mul(MIX)),
                LaneOrder::Ascending | LaneOrder::Reversed => Vec::new(),
            },
        }
    }
}

const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Iterates over lanes.
pub(super) struct Lanes {
    order: LaneOrder,
    next: u32,
    count: u32,
    shuffled: Vec<u32>,
}

impl Iterator for Lanes {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.next >= self.count {
            return None;
        }
        let at = self.next;
        self.next += 1;
        Some(match self.order {
            LaneOrder::Ascending => at,
            LaneOrder::Reversed => self.count - 1 - at,
            LaneOrder::Shuffled(_) => self.shuffled[at as usize],
        })
    }
}

/// Fisher and Yates' shuffle, driven by splitmix64.
fn shuffle(count: u32, seed: u64) -> Vec<u32> {
    let mut lanes: Vec<u32> = (0..count).collect();
    let mut state = seed;
    for last in (1..lanes.len()).rev() {
        state = state.wrapping_add(MIX);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        lanes.swap(last, (z % (last as u64 + 1)) as usize);
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_visits_each_lane_once() {
        let orders = [
            LaneOrder::Ascending,
            LaneOrder::Reversed,
            LaneOrder::Shuffled(7),
        ];
        for order in orders {
            for count in [0, 1, 2, 257] {
                let mut lanes: Vec<u32> = order.lanes(count, 3).collect();
                lanes.sort_unstable();
                assert!(lanes.into_iter().eq(0..count), "{order:?} {count}");
            }
        }
    }

    #[test]
    fn orders_differ() {
        let list = |order: LaneOrder, salt| order.lanes(16, salt).collect::<Vec<_>>();
        let all = [
            list(LaneOrder::Ascending, 0),
            list(LaneOrder::Reversed, 0),
            list(LaneOrder::Shuffled(1), 0),
            list(LaneOrder::Shuffled(2), 0),
            list(LaneOrder::Shuffled(2), 1),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b), "{i}");
        }
    }
}
