//! Compares words. There is no tolerance: a NaN against a number differs, −0 against +0 differs.

/// The first difference between two buffers of words, as a sentence, or nothing.
pub fn difference(expected: &[u32], actual: &[u32]) -> Option<String> {
    if expected.len() != actual.len() {
        return Some(format!(
            "{} words expected, {} there",
            expected.len(),
            actual.len()
        ));
    }
    let at = expected.iter().zip(actual).position(|(e, a)| e != a)?;
    let count = expected.iter().zip(actual).filter(|(e, a)| e != a).count();
    let (e, a) = (expected[at], actual[at]);
    Some(format!(
        "{count} of {} words differ; the first is word {at}: expected {e:#010x} ({:e}), got {a:#010x} ({:e})",
        expected.len(),
        f32::from_bits(e),
        f32::from_bits(a),
    ))
}

/// FNV-1a 64 over the little-endian bytes of the words.
pub fn fnv1a(words: &[u32]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_faults_are_found() {
        let right = [1.0_f32, f32::NAN, -0.0, 1e-40].map(f32::to_bits);
        assert_eq!(difference(&right, &right), None);
        for (place, wrong) in [(0, 1.0_f32.to_bits() + 1), (1, 0), (2, 0), (3, 0)] {
            let mut planted = right;
            planted[place] = wrong;
            assert!(difference(&right, &planted).is_some(), "word {place}");
        }
        assert!(difference(&right, &right[..3]).is_some());
    }

    #[test]
    fn fnv1a_of_known_text() {
        // "foobar" is a published test vector; padded here to whole words it is computed bytewise.
        assert_eq!(fnv1a(&[]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(&[u32::from_le_bytes(*b"foob")]), {
            b"foob".iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
                (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3)
            })
        });
    }
}
