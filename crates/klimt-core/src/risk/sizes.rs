//! The sizes of the groups, counted: all that risk depends on.

use std::collections::BTreeMap;

/// How many groups there are of each size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SizeCounts {
    counts: BTreeMap<u64, u64>,
    rows: u64,
    groups: u64,
}

impl SizeCounts {
    /// Counts sizes, in any order. Groups without rows are empty regions: they do not count.
    pub fn new(sizes: impl IntoIterator<Item = u64>) -> Self {
        let mut counted = SizeCounts::default();
        for size in sizes.into_iter().filter(|&size| size > 0) {
            *counted.counts.entry(size).or_default() += 1;
            counted.rows += size;
            counted.groups += 1;
        }
        counted
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of groups.
    pub fn groups(&self) -> u64 {
        self.groups
    }

    /// How many rows are alone in their group.
    pub fn unique(&self) -> u64 {
        self.counts.get(&1).copied().unwrap_or(0)
    }

    /// The size of the smallest group; 0 without rows.
    pub fn smallest(&self) -> u64 {
        self.counts.keys().next().copied().unwrap_or(0)
    }

    /// The different sizes, ascending, with the number of groups of each.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts.iter().map(|(&size, &groups)| (size, groups))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_counted() {
        let sizes = SizeCounts::new([3, 1, 0, 3, 1, 1, 7]);
        assert_eq!((sizes.rows(), sizes.groups(), sizes.unique(), sizes.smallest()), (16, 6, 3, 1));
        assert_eq!(sizes.counts().collect::<Vec<_>>(), [(1, 3), (3, 2), (7, 1)]);
        assert_eq!(SizeCounts::new([0]).smallest(), 0);
    }
}
