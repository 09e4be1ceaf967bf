//! Sets of the rows of a part, a bit each.

/// A set of rows, as a fixed number of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowBits<const W: usize>(pub [u64; W]);

impl<const W: usize> RowBits<W> {
    pub const EMPTY: Self = RowBits([0; W]);

    /// The first this many rows.
    pub fn first(rows: usize) -> Self {
        let mut bits = Self::EMPTY;
        (0..rows).for_each(|row| bits.insert(row));
        bits
    }

    #[inline(always)]
    pub fn insert(&mut self, row: usize) {
        self.0[row / 64] |= 1 << (row % 64);
    }

    #[inline(always)]
    pub fn and(&self, other: &Self) -> Self {
        let mut both = Self::EMPTY;
        for w in 0..W {
            both.0[w] = self.0[w] & other.0[w];
        }
        both
    }

    #[inline(always)]
    pub fn without(&self, other: &Self) -> Self {
        let mut rest = Self::EMPTY;
        for w in 0..W {
            rest.0[w] = self.0[w] & !other.0[w];
        }
        rest
    }

    #[inline(always)]
    pub fn or(&self, other: &Self) -> Self {
        let mut either = Self::EMPTY;
        for w in 0..W {
            either.0[w] = self.0[w] | other.0[w];
        }
        either
    }

    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The number of rows in both sets.
    #[inline(always)]
    pub fn common(&self, other: &Self) -> u32 {
        let mut rows = 0;
        for w in 0..W {
            rows += (self.0[w] & other.0[w]).count_ones();
        }
        rows
    }

    /// The first row; there must be one.
    pub fn least(&self) -> usize {
        let word = self.0.iter().position(|&word| word != 0).expect("a row");
        word * 64 + self.0[word].trailing_zeros() as usize
    }

    /// Whether the sets have a row in common.
    #[inline(always)]
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Calls `each` with every row, ascending.
    #[inline(always)]
    pub fn for_each(&self, mut each: impl FnMut(usize)) {
        for (at, &word) in self.0.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                each(at * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}
