//! The statistics of many parts together.

use super::Statistics;

/// Adds up the statistics of parts, each with others that are made of as many parts: a histogram of many values is walked
/// through a few times, and not once for every part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pile {
    /// Sums of ever fewer parts, with their number.
    sums: Vec<(u64, Statistics)>,
}

impl Pile {
    /// Takes in a part.
    pub fn add(&mut self, part: &Statistics) {
        if let ([], Some((_, all))) = (&part.histograms[..], self.sums.last_mut()) {
            return all.merge(part);
        }
        let mut sum = (1, part.clone());
        while let Some((parts, mut before)) = self.sums.pop_if(|(parts, _)| *parts == sum.0) {
            before.merge(&sum.1);
            sum = (2 * parts, before);
        }
        self.sums.push(sum);
    }

    /// All parts together; nothing where there are none.
    pub fn total(self) -> Option<Statistics> {
        let sums = self.sums.into_iter().rev().map(|(_, sum)| sum);
        sums.reduce(|few, mut more| {
            more.merge(&few);
            more
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Extent, Histogram};

    fn part(number: u32, with_histogram: bool) -> Statistics {
        let histogram = Histogram::of_codes(&[number % 7, number], 100);
        Statistics {
            count: 2,
            extents: vec![(0, Extent::Interval { lo: number, hi: number })],
            histograms: if with_histogram { vec![(1, histogram)] } else { Vec::new() },
            moments: Vec::new(),
        }
    }

    #[test]
    fn parts_add_up_in_any_number() {
        assert!(Pile::default().total().is_none());
        for with_histogram in [false, true] {
            for many in 1..40 {
                let (mut pile, mut expected) = (Pile::default(), part(0, with_histogram));
                (0..many).for_each(|number| pile.add(&part(number, with_histogram)));
                (1..many).for_each(|number| expected.merge(&part(number, with_histogram)));
                assert_eq!(pile.total(), Some(expected), "{many}");
            }
        }
    }

    #[test]
    fn sums_of_histograms_are_few() {
        let mut pile = Pile::default();
        (0..1000).for_each(|number| pile.add(&part(number, true)));
        assert_eq!(pile.sums.len(), 1000u32.count_ones() as usize);
    }
}
