//! Every operation against the sets of addresses that its indices mean, written out one by one.
//!
//! Layouts are small enough to be enumerated and their strides are chosen so that addresses often
//! meet; a second set has strides near each other, or near products of the dimensions, where a test of
//! injectivity that is only nearly right would err.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

use nupp_layout::{Layout, LayoutError};
use proptest::collection::vec;
use proptest::prelude::*;

/// Every index of a shape, the last dimension turning fastest.
fn indices(shape: &[u32]) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for dimension in shape {
        all = all
            .into_iter()
            .flat_map(|index: Vec<u32>| {
                (0..*dimension).map(move |at| {
                    let mut longer = index.clone();
                    longer.push(at);
                    longer
                })
            })
            .collect();
    }
    all
}

/// The element that an index means, by the definition.
fn address(layout: &Layout, index: &[u32]) -> u64 {
    let steps = index.iter().zip(layout.strides());
    u64::from(layout.offset())
        + steps
            .map(|(at, stride)| u64::from(*at) * u64::from(*stride))
            .sum::<u64>()
}

fn addresses(layout: &Layout) -> Vec<u64> {
    let all = indices(layout.dimensions());
    all.iter().map(|index| address(layout, index)).collect()
}

fn distinct(addresses: &[u64]) -> usize {
    let mut sorted = addresses.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

/// What a layout says of itself is what its addresses say.
fn check(layout: &Layout) {
    let all = addresses(layout);
    let least = *all.iter().min().unwrap();
    let most = *all.iter().max().unwrap();
    assert_eq!(layout.count() as usize, all.len(), "{layout:?}");
    assert_eq!(u64::from(layout.offset()), least, "{layout:?}");
    assert_eq!(u64::from(layout.extent()), most - least + 1, "{layout:?}");
    let consecutive = all.windows(2).all(|pair| pair[1] == pair[0] + 1);
    assert_eq!(layout.is_dense(), consecutive, "{layout:?}");
    assert_eq!(
        layout.is_injective(),
        distinct(&all) == all.len(),
        "{layout:?}"
    );
}

fn shapes() -> impl Strategy<Value = Vec<u32>> {
    vec(1_u32..6, 1..=4)
}

/// A layout with strides up to `most`.
fn layouts(most: u32) -> impl Strategy<Value = Layout> {
    (shapes(), vec(0..=most, 4), 0_u32..50).prop_map(|(shape, strides, offset)| {
        Layout::new(&shape, &strides[..shape.len()], offset).unwrap()
    })
}

/// A dense layout or one with any strides.
fn sources() -> impl Strategy<Value = Layout> {
    prop_oneof![
        shapes().prop_map(|shape| Layout::dense(&shape).unwrap()),
        layouts(40)
    ]
}

/// Longer dimensions, whose strides are near products of the others, times a factor for all.
fn tight() -> impl Strategy<Value = Layout> {
    let axis = (1_u32..14, 0_u32..4, -3_i32..4);
    (vec(axis, 2..=4), 1_u32..5_000).prop_map(|(axes, factor)| {
        let shape: Vec<u32> = axes.iter().map(|(dimension, ..)| *dimension).collect();
        let strides: Vec<u32> = axes
            .iter()
            .map(|(_, taken, near)| {
                let product: u32 = shape.iter().take(*taken as usize).product();
                product.saturating_add_signed(*near) * factor
            })
            .collect();
        Layout::new(&shape, &strides, 0).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn a_layout_is_its_addresses(layout in layouts(30)) {
        check(&layout);
    }

    #[test]
    fn a_tight_layout_is_its_addresses(layout in tight()) {
        check(&layout);
    }

    #[test]
    fn a_dense_layout_counts(shape in shapes()) {
        let layout = Layout::dense(&shape).unwrap();
        check(&layout);
        let all = addresses(&layout);
        prop_assert!(all.iter().copied().eq(0..all.len() as u64));
    }

    #[test]
    fn new_refuses_exactly_what_does_not_fit(
        shape in vec(prop_oneof![Just(0_u32), 1_u32..4, 60_000_u32..70_000, any::<u32>()], 0..6),
        strides in vec(prop_oneof![0_u32..4, 60_000_u32..70_000, any::<u32>()], 0..6),
        offset in prop_oneof![0_u32..4, any::<u32>()],
    ) {
        let rank = (1..=4).contains(&shape.len()) && shape.len() == strides.len();
        // Four factors of 32 bits fit 128; more are refused for their number.
        let count: u128 = shape.iter().take(4).map(|d| u128::from(*d)).product();
        let end = u128::from(offset) + 1 + shape.iter().zip(&strides)
            .map(|(d, s)| u128::from(d.saturating_sub(1)) * u128::from(*s)).sum::<u128>();
        let fits = count != 0 && count < 1 << 32 && end < 1 << 32;
        let layout = Layout::new(&shape, &strides, offset);
        prop_assert_eq!(layout.is_ok(), rank && fits, "{:?}", layout);
        if let Ok(layout) = layout {
            prop_assert_eq!(layout.dimensions(), shape);
            prop_assert_eq!(layout.strides(), strides);
            prop_assert_eq!(u128::from(layout.count()), count);
            prop_assert_eq!(u128::from(layout.offset()) + u128::from(layout.extent()), end);
        }
    }

    #[test]
    fn a_subview_is_the_part(
        source in sources(),
        origin in vec(0_u32..6, 4),
        shape in vec(0_u32..6, 4),
    ) {
        let rank = source.rank();
        let (origin, shape) = (&origin[..rank], &shape[..rank]);
        let inside = (0..rank).all(|i| shape[i] > 0 && origin[i] + shape[i] <= source.dimensions()[i]);
        match source.subview(origin, shape) {
            Ok(part) => {
                prop_assert!(inside);
                check(&part);
                for index in indices(shape) {
                    let there: Vec<u32> = index.iter().zip(origin).map(|(a, b)| a + b).collect();
                    prop_assert_eq!(address(&part, &index), address(&source, &there));
                }
            }
            Err(LayoutError::Outside { .. } | LayoutError::ZeroDimension { .. }) => prop_assert!(!inside),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn a_transposition_renames_the_axes(source in sources(), axes in vec(0_usize..5, 4)) {
        let rank = source.rank();
        let axes = &axes[..rank];
        let permutation = (0..rank).all(|axis| axes.contains(&axis));
        match source.transpose(axes) {
            Ok(turned) => {
                prop_assert!(permutation);
                check(&turned);
                for index in indices(turned.dimensions()) {
                    let mut there = vec![0; rank];
                    for (position, axis) in axes.iter().enumerate() {
                        there[*axis] = index[position];
                    }
                    prop_assert_eq!(address(&turned, &index), address(&source, &there));
                }
            }
            Err(LayoutError::NotPermutation { position, axis, .. }) => {
                prop_assert!(!permutation);
                prop_assert_eq!(axes[position], axis);
                prop_assert!(axis >= rank || axes[..position].contains(&axis));
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn a_broadcast_repeats(source in sources(), ones in vec(any::<bool>(), 4), shape in vec(0_u32..6, 4)) {
        let rank = source.rank();
        let mut kept = source.dimensions().to_vec();
        for (dimension, one) in kept.iter_mut().zip(ones) {
            if one { *dimension = 1; }
        }
        let source = source.subview(&vec![0; rank], &kept).unwrap();
        let shape = &shape[..rank];
        let fits = (0..rank).all(|i| shape[i] > 0 && (kept[i] == 1 || kept[i] == shape[i]));
        match source.broadcast(shape) {
            Ok(wide) => {
                prop_assert!(fits);
                check(&wide);
                prop_assert_eq!(wide.dimensions(), shape);
                for index in indices(shape) {
                    let there: Vec<u32> = index.iter().zip(&kept).map(|(a, d)| a % d).collect();
                    prop_assert_eq!(address(&wide, &index), address(&source, &there));
                }
            }
            Err(LayoutError::Broadcast { axis, from, to }) => {
                prop_assert!(!fits);
                prop_assert_eq!((from, to), (kept[axis], shape[axis]));
            }
            Err(LayoutError::ZeroDimension { axis }) => prop_assert_eq!(shape[axis], 0),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn a_view_stays_in_its_source(
        source in sources(),
        shape in shapes(),
        strides in vec(0_u32..20, 4),
        offset in 0_u32..40,
    ) {
        let strides = &strides[..shape.len()];
        let all = addresses(&source);
        let (least, most) = (all.iter().min().unwrap(), all.iter().max().unwrap());
        let alone = Layout::new(&shape, strides, offset).unwrap();
        let inside = addresses(&alone).iter().all(|at| at + least <= *most);
        match source.as_strided(&shape, strides, offset) {
            Ok(view) => {
                prop_assert!(inside);
                check(&view);
                for index in indices(&shape) {
                    prop_assert_eq!(address(&view, &index), least + address(&alone, &index));
                }
            }
            Err(LayoutError::Escapes { end, extent }) => {
                prop_assert!(!inside);
                prop_assert_eq!(u64::from(extent), most - least + 1);
                prop_assert_eq!(end, addresses(&alone).iter().max().unwrap() + 1);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
