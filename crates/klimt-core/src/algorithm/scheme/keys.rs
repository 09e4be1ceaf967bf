//! Grouping by packed keys: the inner loop of the search.
//!
//! The blocks of a tuple are packed into 64 bits, as many columns at once as fit; where they do not all fit, the number of
//! the group so far takes the place of the columns before. So keys are exact, whatever the number of columns.

use super::family::Generalization;
use super::tuples::AtomTuples;

/// Which columns are packed at once, each with where its bits begin.
#[derive(Clone, Debug)]
pub(super) struct KeyLayout {
    rounds: Vec<Vec<KeyField>>,
}

/// The bits of a column in a key.
#[derive(Clone, Copy, Debug)]
struct KeyField {
    column: usize,
    shift: u32,
    mask: u64,
}

/// The bits that the number of a group takes.
const GROUP_BITS: u32 = 32;

impl KeyLayout {
    pub fn new(atoms: &[usize]) -> Self {
        let mut rounds = vec![Vec::new()];
        let mut used = 0;
        for (column, &many) in atoms.iter().enumerate() {
            let bits = (usize::BITS - many.saturating_sub(1).leading_zeros()).min(GROUP_BITS);
            if used + bits > u64::BITS {
                rounds.push(Vec::new());
                used = GROUP_BITS;
            }
            if let Some(round) = rounds.last_mut() {
                round.push(KeyField { column, shift: used, mask: (1u64 << bits) - 1 });
            }
            used += bits;
        }
        KeyLayout { rounds }
    }

    /// Whether a key holds all columns.
    pub fn is_whole(&self) -> bool {
        self.rounds.len() == 1
    }
}

/// Scratch space for grouping.
#[derive(Debug, Default)]
pub(super) struct Grouper {
    keys: Vec<u64>,
    slots: Vec<KeySlot>,
    stamp: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct KeySlot {
    key: u64,
    stamp: u32,
    group: u32,
}

impl Grouper {
    /// The group of each of some tuples by the blocks that they are in, in the order of first appearance, and how many
    /// groups there are. A column whose part is missing does not count.
    pub fn group(
        &mut self,
        layout: &KeyLayout,
        tuples: &AtomTuples,
        which: &[u32],
        parts: &[Option<&Generalization>],
    ) -> (Vec<u32>, usize) {
        let mut groups = vec![0; which.len()];
        let mut many = usize::from(!which.is_empty());
        let mut first = true;
        for round in &layout.rounds {
            self.keys.clear();
            if first {
                self.keys.resize(which.len(), 0);
            } else {
                self.keys.extend(groups.iter().map(|&group| u64::from(group)));
            }
            let mut looked = false;
            for &KeyField { column, shift, .. } in round {
                let Some(part) = parts[column] else { continue };
                let atoms = tuples.atoms(column);
                if part.0.last().is_none_or(|&block| block == 0) && part.0.iter().all(|&block| block == 0) {
                    continue;
                }
                looked = true;
                for (key, &tuple) in self.keys.iter_mut().zip(which) {
                    *key |= u64::from(part.0[atoms[tuple as usize] as usize]) << shift;
                }
            }
            if looked {
                many = self.number(&mut groups);
                first = false;
            }
        }
        (groups, many)
    }

    /// The groups of things whose keys name the blocks of `from`, by the blocks of `parts`: only what has changed is looked
    /// up. A column whose part is missing does not count.
    pub fn group_keys(
        &mut self,
        layout: &KeyLayout,
        keys: impl Iterator<Item = u64>,
        from: &[Generalization],
        parts: &[Option<&Generalization>],
    ) -> (Vec<u32>, usize) {
        let mut kept = u64::MAX;
        let mut changed: Vec<(KeyField, &[u32])> = Vec::new();
        for &field in &layout.rounds[0] {
            let KeyField { column, shift, mask } = field;
            match parts[column] {
                Some(part) if *part == from[column] => {}
                Some(part) if part.0.iter().any(|&block| block != 0) => {
                    kept &= !(mask << shift);
                    changed.push((field, &part.0));
                }
                _ => kept &= !(mask << shift),
            }
        }
        self.keys.clear();
        self.keys.extend(keys.map(|key| {
            changed.iter().fold(key & kept, |new, (field, part)| {
                new | u64::from(part[(key >> field.shift & field.mask) as usize]) << field.shift
            })
        }));
        let mut groups = vec![0; self.keys.len()];
        let many = self.number(&mut groups);
        (groups, many)
    }

    /// The keys of the groups that were made last.
    pub fn keys_of(&self, groups: &[u32], many: usize) -> Vec<u64> {
        let mut keys = Vec::with_capacity(many);
        for (&key, &group) in self.keys.iter().zip(groups) {
            if group as usize == keys.len() {
                keys.push(key);
            }
        }
        keys
    }

    /// Numbers the keys in the order of their first appearance.
    fn number(&mut self, groups: &mut [u32]) -> usize {
        let size = (self.keys.len() * 2).next_power_of_two().max(16);
        if self.slots.len() < size {
            self.slots = vec![KeySlot::default(); size];
            self.stamp = 0;
        }
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill(KeySlot::default());
            self.stamp = 1;
        }
        let mask = size - 1;
        let shift = u64::BITS - size.trailing_zeros();
        let mut many = 0;
        for (&key, group) in self.keys.iter().zip(groups) {
            let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize & mask;
            *group = loop {
                let slot = &mut self.slots[at];
                if slot.stamp != self.stamp {
                    *slot = KeySlot { key, stamp: self.stamp, group: many };
                    many += 1;
                    break many - 1;
                }
                if slot.key == key {
                    break slot.group;
                }
                at = (at + 1) & mask;
            };
        }
        many as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn groups_are_those_of_equal_blocks(
            rows in prop::collection::vec(prop::collection::vec(0u32..5, 40), 1..60),
            firsts in prop::collection::vec(0u32..5, 5),
            wide in any::<bool>(),
        ) {
            // Blocks are named by members here, so a part of a part is one too.
            let part = Generalization((0..5).map(|atom| firsts[atom as usize].min(atom)).collect());
            let parts: Vec<Option<&Generalization>> = (0..40).map(|d| (d != 3).then_some(&part)).collect();
            let tuples = AtomTuples::of_atoms(&rows);
            let layout = KeyLayout::new(&vec![if wide { 1 << 30 } else { 5 }; 40]);
            let which: Vec<u32> = (0..tuples.len() as u32).collect();
            let (groups, many) = Grouper::default().group(&layout, &tuples, &which, &parts);
            let mut seen: HashMap<Vec<u32>, u32> = HashMap::new();
            for (row, &group) in rows.iter().zip(&groups) {
                let key = row.iter().enumerate().filter(|(d, _)| *d != 3).map(|(_, &a)| part.0[a as usize]).collect();
                let next = seen.len() as u32;
                prop_assert_eq!(*seen.entry(key).or_insert(next), group);
            }
            prop_assert_eq!(many, seen.len());

            // The same from keys, in two steps.
            let layout = KeyLayout::new(&[5; 4]);
            let fine: Vec<Generalization> = vec![Generalization::finest(5); 4];
            let atoms: Vec<Option<&Generalization>> = fine.iter().map(Some).collect();
            let mut grouper = Grouper::default();
            let few = AtomTuples::of_atoms(&rows.iter().map(|row| row[..4].to_vec()).collect::<Vec<_>>());
            let (exact, many) = grouper.group(&layout, &few, &which, &atoms);
            let keys = grouper.keys_of(&exact, many);
            let (coarse, _) = grouper.group_keys(&layout, keys.iter().copied(), &fine, &parts[..4]);
            let (direct, _) = grouper.group(&layout, &few, &which, &parts[..4]);
            let through: Vec<u32> = exact.iter().map(|&group| coarse[group as usize]).collect();
            prop_assert_eq!(direct, through);
        }
    }
}
