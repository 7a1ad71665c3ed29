//! Places in source text.

/// A range of tokens of one block: the numbers of its first and last token in the block's
/// `syntax::source::Source`, which knows where each stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SrcSpan {
    /// The first token.
    pub first: u32,
    /// The last token; never before `first`.
    pub last: u32,
}

impl SrcSpan {
    /// From the first token of `self` to the last of `other`.
    #[must_use]
    pub fn to(self, other: SrcSpan) -> SrcSpan {
        SrcSpan {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
        }
    }
}
