//! Which codes of a dimension occur in a group.

/// Which codes of a dimension occur: the least and the greatest, or, where the domain is a set, each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Codes between two ends, both included; empty while `lo > hi`.
    Interval {
        /// The least code.
        lo: u32,
        /// The greatest code.
        hi: u32,
    },
    /// A bit per code.
    Members(Vec<u64>),
}

impl Extent {
    /// The interval of no codes.
    pub const NOTHING: Extent = Extent::Interval { lo: u32::MAX, hi: 0 };

    /// The empty set over a domain of `cardinality` codes.
    pub fn no_members(cardinality: usize) -> Self {
        Extent::Members(vec![0; cardinality.div_ceil(64)])
    }

    /// Forgets every code.
    pub fn clear(&mut self) {
        match self {
            Extent::Interval { lo, hi } => (*lo, *hi) = (u32::MAX, 0),
            Extent::Members(bits) => bits.fill(0),
        }
    }

    /// How many codes a member set holds, or lie between the ends of an interval.
    pub fn len(&self) -> u64 {
        match self {
            Extent::Interval { lo, hi } if lo > hi => 0,
            Extent::Interval { lo, hi } => u64::from(hi - lo) + 1,
            Extent::Members(bits) => bits.iter().map(|word| u64::from(word.count_ones())).sum(),
        }
    }

    /// Every code of a member set, or between the ends of an interval, ascending.
    pub fn codes(&self) -> Vec<u32> {
        match self {
            Extent::Interval { lo, hi } => (*lo..=*hi).collect(),
            Extent::Members(bits) => {
                let held = |&code: &u32| bits[code as usize / 64] >> (code % 64) & 1 == 1;
                (0..bits.len() as u32 * 64).filter(held).collect()
            }
        }
    }

    /// Whether it holds no code.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The least and the greatest code; `None` when there is none.
    pub fn ends(&self) -> Option<(u32, u32)> {
        match self {
            Extent::Interval { lo, hi } => (lo <= hi).then_some((*lo, *hi)),
            Extent::Members(bits) => {
                let first = bits.iter().position(|&word| word != 0)?;
                let last = bits.iter().rposition(|&word| word != 0)?;
                let lo = first as u32 * 64 + bits[first].trailing_zeros();
                Some((lo, last as u32 * 64 + 63 - bits[last].leading_zeros()))
            }
        }
    }

    /// Whether a code is in it.
    pub fn holds(&self, code: u32) -> bool {
        match self {
            Extent::Interval { lo, hi } => (*lo..=*hi).contains(&code),
            Extent::Members(bits) => bits[code as usize / 64] >> (code % 64) & 1 == 1,
        }
    }

    /// Takes in a code.
    pub fn add(&mut self, code: u32) {
        match self {
            Extent::Interval { lo, hi } => (*lo, *hi) = ((*lo).min(code), (*hi).max(code)),
            Extent::Members(bits) => bits[code as usize / 64] |= 1 << (code % 64),
        }
    }

    /// Takes in what another extent of the same dimension holds.
    pub fn merge(&mut self, other: &Extent) {
        match (self, other) {
            (Extent::Interval { lo, hi }, Extent::Interval { lo: l, hi: h }) => {
                (*lo, *hi) = ((*lo).min(*l), (*hi).max(*h));
            }
            (Extent::Members(mine), Extent::Members(theirs)) => {
                mine.iter_mut().zip(theirs).for_each(|(a, b)| *a |= b);
            }
            _ => unreachable!("extents of one dimension have one form"),
        }
    }
}
