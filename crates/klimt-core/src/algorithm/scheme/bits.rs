//! Sets of applicators, a bit each.

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct SmallSet(Vec<u64>);

impl SmallSet {
    pub fn none(len: usize) -> Self {
        SmallSet(vec![0; len.div_ceil(64)])
    }

    pub fn all(len: usize) -> Self {
        let mut all = SmallSet::none(len);
        (0..len).for_each(|at| all.insert(at));
        all
    }

    #[inline]
    pub fn holds(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    #[inline]
    pub fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    #[inline]
    pub fn remove(&mut self, at: usize) {
        self.0[at / 64] &= !(1 << (at % 64));
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)))
                .take_while(|bits| *bits != 0)
                .map(move |bits| word * 64 + bits.trailing_zeros() as usize)
        })
    }

    /// How many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.0.len() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_ascending() {
        let mut bits = SmallSet::all(130);
        bits.remove(64);
        assert_eq!(bits.iter().count(), 129);
        assert!(bits.holds(129) && !bits.holds(64));
        let mut few = SmallSet::none(130);
        [129, 0, 64].into_iter().for_each(|at| few.insert(at));
        assert_eq!(few.iter().collect::<Vec<_>>(), [0, 64, 129]);
    }
}
