//! What the operations give and refuse, by example: the numbers of every error and the layouts that
//! users make most.

// Helpers outside the test functions stop as tests do.
#![allow(clippy::unwrap_used)]

use nupp_layout::{Layout, LayoutError};

fn dense(shape: &[u32]) -> Layout {
    Layout::dense(shape).unwrap()
}

#[test]
fn the_parts_of_a_matrix() {
    let matrix = dense(&[4, 8]);
    assert_eq!(
        (matrix.strides(), matrix.count(), matrix.extent()),
        (&[8, 1][..], 32, 32)
    );
    assert!(matrix.is_dense() && matrix.is_injective());

    let row = matrix.subview(&[2, 0], &[1, 8]).unwrap();
    assert_eq!(
        (row.count(), row.strides(), row.offset()),
        (8, &[8, 1][..], 16)
    );
    assert!(row.is_dense() && row.is_injective());

    let transposed = matrix.transpose(&[1, 0]).unwrap();
    assert_eq!(
        (transposed.dimensions(), transposed.strides()),
        (&[8, 4][..], &[1, 8][..])
    );
    assert!(transposed.is_injective() && !transposed.is_dense());
    assert_eq!((transposed.count(), transposed.extent()), (32, 32));

    let rows = row.broadcast(&[4, 8]).unwrap();
    assert_eq!((rows.strides(), rows.offset()), (&[0, 1][..], 16));
    assert_eq!((rows.count(), rows.extent()), (32, 8));
    assert!(!rows.is_injective() && !rows.is_dense());

    let left = matrix.subview(&[0, 0], &[4, 4]).unwrap();
    assert_eq!((left.count(), left.extent()), (16, 28));
    assert!(left.is_injective() && !left.is_dense());
}

#[test]
fn one_matrix_for_a_batch() {
    let (batch, n) = (3, 5);
    let layout = dense(&[1, n, n]).transpose(&[0, 2, 1]).unwrap();
    let layout = layout.broadcast(&[batch, n, n]).unwrap();
    assert_eq!(layout.strides(), [0, 1, n]);
    assert_eq!((layout.count(), layout.extent()), (75, 25));
    assert!(!layout.is_injective());
}

#[test]
fn the_stride_of_a_dimension_of_one_does_not_matter() {
    let column = dense(&[4, 8]).subview(&[0, 3], &[4, 1]).unwrap();
    assert!(column.is_injective() && !column.is_dense());
    let odd = Layout::new(&[1, 3, 1], &[77, 1, 0], 9).unwrap();
    assert!(odd.is_dense() && odd.is_injective());
    assert_eq!((odd.extent(), odd.offset()), (3, 9));
    assert!(dense(&[1]).is_dense());
}

#[test]
fn equal_layouts_are_equal() {
    assert_eq!(dense(&[2, 3]), Layout::new(&[2, 3], &[3, 1], 0).unwrap());
    assert_ne!(dense(&[6]), dense(&[6, 1]));
    assert_ne!(dense(&[6]), Layout::new(&[6], &[1], 1).unwrap());
}

#[test]
fn the_last_elements_that_32_bits_count() {
    let most = u32::MAX;
    assert_eq!(dense(&[most]).extent(), most);
    assert_eq!(
        Layout::new(&[1], &[1], most - 1).unwrap().offset(),
        most - 1
    );
    assert_eq!(
        Layout::new(&[1], &[1], most),
        Err(LayoutError::ExtentOverflow { end: 1 << 32 })
    );
    assert_eq!(Layout::new(&[2], &[most - 1], 0).unwrap().extent(), most);
    assert_eq!(
        Layout::new(&[2], &[most], 0),
        Err(LayoutError::ExtentOverflow { end: 1 << 32 })
    );
    assert_eq!(
        Layout::dense(&[1 << 16, 1 << 16]),
        Err(LayoutError::CountOverflow { count: 1 << 32 })
    );
    assert_eq!(
        Layout::new(&[most; 4], &[0; 4], 0),
        Err(LayoutError::CountOverflow {
            count: u128::from(most).pow(4)
        })
    );
    assert_eq!(
        Layout::new(&[2, 2, 2, 2], &[most; 4], most),
        Err(LayoutError::ExtentOverflow {
            end: 5 * u128::from(most) + 1
        })
    );
}

#[test]
fn each_refusal_carries_its_numbers() {
    let matrix = dense(&[4, 8]);
    let row = dense(&[1, 8]);
    let cases: [(Result<Layout, LayoutError>, &str); 17] = [
        (Layout::dense(&[]), "a layout has 1 to 4 dimensions, not 0"),
        (
            Layout::dense(&[1; 5]),
            "a layout has 1 to 4 dimensions, not 5",
        ),
        (
            Layout::new(&[2], &[1, 1], 0),
            "1 strides are needed, one a dimension, not 2",
        ),
        (
            Layout::dense(&[4, 0, 0]),
            "dimension 1 is 0, and a layout has no empty one",
        ),
        (
            Layout::dense(&[65_536, 65_536]),
            "the shape has 4294967296 indices, more than 4294967295",
        ),
        (
            Layout::new(&[3], &[1 << 31], 7),
            "the layout ends at element 4294967304, past 4294967295",
        ),
        (
            matrix.subview(&[0], &[4, 8]),
            "2 numbers of the origin are needed, one a dimension, not 1",
        ),
        (
            matrix.subview(&[0, 0], &[4]),
            "2 dimensions are needed, one a dimension, not 1",
        ),
        (
            matrix.subview(&[0, 0], &[4, 0]),
            "dimension 1 is 0, and a layout has no empty one",
        ),
        (
            matrix.subview(&[0, 6], &[4, 3]),
            "3 from 6 on reaches outside dimension 1, which is 8",
        ),
        (
            matrix.subview(&[u32::MAX, 0], &[u32::MAX, 1]),
            "4294967295 from 4294967295 on reaches outside dimension 0, which is 4",
        ),
        (
            matrix.transpose(&[0]),
            "2 axes are needed, one a dimension, not 1",
        ),
        (
            matrix.transpose(&[1, 2]),
            "axis 2 at position 1 is named before or not below the rank 2, and each axis must be \
             named once",
        ),
        (
            matrix.transpose(&[1, 1]),
            "axis 1 at position 1 is named before or not below the rank 2, and each axis must be \
             named once",
        ),
        (
            row.broadcast(&[4, 9]),
            "dimension 1 is 8 and cannot be broadcast to 9, only 1 can",
        ),
        (
            row.broadcast(&[0, 8]),
            "dimension 0 is 0, and a layout has no empty one",
        ),
        (
            row.as_strided(&[2, 2], &[6, 1], 1),
            "the view ends at element 9 of a layout that ends at 8",
        ),
    ];
    for (outcome, message) in cases {
        assert_eq!(outcome.unwrap_err().to_string(), message);
    }
    assert_eq!(
        row.broadcast(&[8]),
        Err(LayoutError::RankMismatch {
            what: "dimensions",
            needed: 2,
            given: 1
        })
    );
    assert_eq!(
        row.broadcast(&[u32::MAX, 8]),
        Err(LayoutError::CountOverflow {
            count: u128::from(u32::MAX) * 8
        })
    );
}

#[test]
fn a_view_counts_from_the_first_element_of_its_source() {
    let row = dense(&[4, 8]).subview(&[1, 0], &[1, 8]).unwrap();
    let pairs = row.as_strided(&[3, 2], &[3, 1], 0).unwrap();
    assert_eq!((pairs.offset(), pairs.extent()), (8, 8));
    // The element behind the row is there, but not in the row.
    assert_eq!(
        row.as_strided(&[3, 2], &[3, 1], 1),
        Err(LayoutError::Escapes { end: 9, extent: 8 })
    );
    let windows = row.as_strided(&[6, 3], &[1, 1], 0).unwrap();
    assert!(!windows.is_injective());
}

#[test]
fn strides_that_are_not_nested_are_told_apart_exactly() {
    let injective =
        |shape: &[u32], strides: &[u32]| Layout::new(shape, strides, 0).unwrap().is_injective();
    // 2 and 3 meet first at 6.
    assert!(injective(&[3, 2], &[2, 3]));
    assert!(!injective(&[4, 3], &[2, 3]));
    // Two great primes meet nowhere in so short dimensions.
    assert!(injective(&[40_000, 40_000], &[50_021, 50_023]));
    assert!(!injective(&[46_340, 46_338], &[46_337, 46_339]));
    assert!(injective(&[46_339, 46_338], &[46_337, 46_339]));
    // Three that meet only together: 1 * 5 + 1 * 7 == 1 * 12.
    assert!(!injective(&[2, 2, 2], &[5, 7, 12]));
    assert!(injective(&[2, 2, 2], &[5, 7, 13]));
    assert!(!injective(&[2, 2, 2, 2], &[5, 7, 11, 23]));
    assert!(injective(&[2, 2, 2, 2], &[5, 7, 11, 24]));
    // A stride of 0 repeats, except where it is never taken.
    assert!(!injective(&[2, 3], &[0, 1]));
    assert!(injective(&[1, 3], &[0, 1]));
    // As great as they come.
    assert!(!injective(
        &[256, 256, 256, 255],
        &[1, 255, 65_536, 16_777_216 - 65_536]
    ));
}
