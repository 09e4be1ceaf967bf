//! Histories: the groups of earlier releases that a row was in.
//!
//! Rows with the same history were in the same group of the same releases, and in no other. A row carries the number of
//! its history; 0 is that of rows which were never released. Every release makes new histories, each an older one and a
//! group.
//!
//! An attacker who sees all releases and knows that somebody is in some of them finds the rows that were in the same groups
//! there: their *candidates*. A row's candidates in a new group are those rows of it whose history includes the row's.

use crate::bytes::{ByteReader, ByteWriter};
use crate::vault::{Change, ValueName, ValueSource};
use klimt_core::Result;

/// A step of a history: the history before it, a release and the group in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HistoryStep {
    before: u32,
    release: u32,
    group: u32,
}

/// All histories, by number.
#[derive(Debug)]
pub(crate) struct Histories {
    steps: Vec<HistoryStep>,
    /// How many are in the vault.
    saved: usize,
}

impl Histories {
    /// The history of rows that were never released.
    pub fn new() -> Self {
        Histories { steps: vec![HistoryStep { before: 0, release: 0, group: 0 }], saved: 1 }
    }

    /// The histories of a number of releases.
    pub fn load(values: &dyn ValueSource, releases: u32) -> Result<Self> {
        let mut histories = Histories::new();
        for release in 1..=releases {
            let bytes = values.get(ValueName::histories(release))?;
            let mut reader = ByteReader::new(&bytes);
            let len = reader.word()? as usize;
            let (before, groups) = (reader.words(len)?, reader.words(len)?);
            reader.end()?;
            let steps = before.into_iter().zip(groups);
            histories.steps.extend(steps.map(|(before, group)| HistoryStep { before, release, group }));
        }
        histories.saved = histories.steps.len();
        Ok(histories)
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.steps.len() as u32
    }

    /// The history of rows that had another and are now in a group of a release.
    pub fn step(&mut self, before: u32, release: u32, group: u32) -> u32 {
        self.steps.push(HistoryStep { before, release, group });
        self.len() - 1
    }

    /// Writes the histories that a release has made.
    pub fn save(&self, release: u32, change: &mut Change<'_>) -> Result<()> {
        let new = &self.steps[self.saved..];
        let mut writer = ByteWriter::default();
        writer.word(new.len() as u32);
        writer.words(&new.iter().map(|step| step.before).collect::<Vec<_>>());
        writer.words(&new.iter().map(|step| step.group).collect::<Vec<_>>());
        change.set(ValueName::histories(release), &writer.bytes).map(|_| ())
    }

    /// The releases and groups of a history, the latest first.
    pub fn steps(&self, history: u32) -> impl Iterator<Item = (u32, u32)> {
        let known = |number: u32| (number != 0).then(|| self.steps[number as usize]);
        std::iter::successors(known(history), move |step| known(step.before))
            .map(|step| (step.release, step.group))
    }

    /// Whether rows of the first history were, wherever those of the second have been, in the same group.
    pub fn includes(&self, first: u32, second: u32) -> bool {
        let (mut first, mut second) = (first, second);
        while first != second && second != 0 {
            let (mine, theirs) = (self.steps[first as usize], self.steps[second as usize]);
            if mine.release > theirs.release {
                first = mine.before;
            } else if mine.release == theirs.release && mine.group == theirs.group {
                (first, second) = (mine.before, theirs.before);
            } else {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_includes_those_that_lack_some_of_its_releases() {
        let mut histories = Histories::new();
        let first = histories.step(0, 1, 7);
        let both = histories.step(first, 2, 3);
        let newcomer = histories.step(0, 2, 3);
        let elsewhere = histories.step(first, 2, 4);
        let other = histories.step(0, 1, 8);
        let pairs = [
            (both, both, true),
            (both, newcomer, true),
            (newcomer, both, false),
            (both, first, true),
            (first, both, false),
            (elsewhere, both, false),
            (elsewhere, first, true),
            (other, first, false),
            (0, first, false),
            (first, 0, true),
        ];
        for (a, b, included) in pairs {
            assert_eq!(histories.includes(a, b), included, "{a} {b}");
        }
    }
}
