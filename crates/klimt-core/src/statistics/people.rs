//! The people of a group, each with one vote.
//!
//! Where a person has several rows, shares of rows say little of people: one person with many rows may have most of them.
//! Requirements of people look at *votes* instead. Every person of a group has one vote, which is split evenly among the
//! different values that the person has in the group. Votes are counted in whole parts, of which a vote has as many as
//! divide evenly for everybody; a person with more than [`MOST_EVEN`] values gives the parts that are left over to the values
//! of the lowest codes.

use super::Histogram;
use std::collections::VecDeque;

/// Votes are split evenly among up to this many values.
pub const MOST_EVEN: u64 = 16;

/// The parts of a vote that divide evenly by all numbers up to 16.
pub const MOST_PARTS: u64 = 720_720;

/// The people of a group by the values that they have of one column.
#[derive(Clone, Debug)]
pub struct GroupPeople {
    /// The value of each pair, person by person.
    values: Vec<u32>,
    /// Where the pairs of each person end.
    ends: Vec<usize>,
    /// The parts of a vote.
    parts: u64,
    votes: Histogram,
}

impl GroupPeople {
    /// The people of a group, by a histogram of pairs whose codes are those of the person times `values`, plus that of the
    /// value; pairs of nobody are left out.
    pub fn of(pairs: &Histogram, values: u32, nobody: Option<u32>) -> Self {
        let (mut found, mut ends) = (Vec::new(), Vec::new());
        let mut last = None;
        for (code, _) in pairs.iter().filter(|(code, _)| Some(*code) != nobody) {
            let person = code / values;
            if last.replace(person).is_some_and(|last| last != person) {
                ends.push(found.len());
            }
            found.push(code % values);
        }
        ends.extend(last.map(|_| found.len()));
        let parts = each(&ends).map(|range| range.len() as u64).fold(1, |parts, values| match values {
            values if values > MOST_EVEN => MOST_PARTS,
            values => parts / divisor(parts, values) * values,
        });
        let votes = each(&ends).flat_map(|range| {
            let (share, rest) = (parts / range.len() as u64, (parts % range.len() as u64) as usize);
            let own = found[range].iter().enumerate();
            own.map(move |(at, &value)| (value, share + u64::from(at < rest)))
        });
        let votes = votes.collect();
        GroupPeople { values: found, ends, parts, votes }
    }

    /// How many people there are.
    pub fn people(&self) -> u64 {
        self.ends.len() as u64
    }

    /// How many parts a vote has.
    pub fn parts(&self) -> u64 {
        self.parts
    }

    /// The parts of votes that each value has: those of all people together.
    pub fn votes(&self) -> &Histogram {
        &self.votes
    }

    /// How many different values can be assigned to different people who have them, up to `enough`: a largest matching.
    pub fn values_of_different_people(&self, enough: u64) -> u64 {
        let mut matching = Matching::new(self);
        let mut found = 0;
        for value in 0..matching.people_of.len() {
            if found >= enough {
                break;
            }
            found += u64::from(matching.augment(value));
        }
        found
    }
}

/// The places of each person's pairs.
fn each(ends: &[usize]) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    ends.iter().enumerate().map(|(at, &end)| if at == 0 { 0 } else { ends[at - 1] }..end)
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Values and people who stand for them, one each.
struct Matching {
    /// The people who have each value.
    people_of: Vec<Vec<usize>>,
    /// The person who stands for each value.
    person_of: Vec<Option<usize>>,
    /// The value that each person stands for.
    value_of: Vec<Option<usize>>,
}

impl Matching {
    fn new(group: &GroupPeople) -> Self {
        let mut values = group.values.clone();
        values.sort_unstable();
        values.dedup();
        let mut people_of = vec![Vec::new(); values.len()];
        for (person, range) in each(&group.ends).enumerate() {
            for value in &group.values[range] {
                if let Ok(at) = values.binary_search(value) {
                    people_of[at].push(person);
                }
            }
        }
        Matching { person_of: vec![None; values.len()], people_of, value_of: vec![None; group.ends.len()] }
    }

    /// Finds a person for a value that has none, where others may stand for other values than before: along a shortest
    /// path of such changes.
    fn augment(&mut self, value: usize) -> bool {
        // For each person, the value from which the person was reached.
        let mut reached_from: Vec<Option<usize>> = vec![None; self.value_of.len()];
        let mut waiting = VecDeque::from([value]);
        while let Some(from) = waiting.pop_front() {
            for &person in &self.people_of[from] {
                if reached_from[person].is_some() {
                    continue;
                }
                reached_from[person] = Some(from);
                match self.value_of[person] {
                    Some(other) => waiting.push_back(other),
                    None => {
                        self.change(person, &reached_from);
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Assigns values along the path that ends with a person who stood for none.
    fn change(&mut self, last: usize, reached_from: &[Option<usize>]) {
        let mut next = Some(last);
        while let Some((person, value)) = next.and_then(|person| Some((person, reached_from[person]?))) {
            self.value_of[person] = Some(value);
            next = self.person_of[value].replace(person);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    const VALUES: u32 = 20;

    fn people(of: &BTreeMap<u32, BTreeSet<u32>>) -> GroupPeople {
        let pairs =
            of.iter().flat_map(|(person, values)| values.iter().map(move |v| (person * VALUES + v, 3)));
        GroupPeople::of(&pairs.collect(), VALUES, None)
    }

    /// The largest matching, by trying everything.
    fn largest(values: &[u32], of: &BTreeMap<u32, BTreeSet<u32>>, taken: &mut BTreeSet<u32>) -> u64 {
        let Some((&value, others)) = values.split_first() else { return 0 };
        let mut best = largest(others, of, taken);
        for (&person, has) in of {
            if has.contains(&value) && taken.insert(person) {
                best = best.max(1 + largest(others, of, taken));
                taken.remove(&person);
            }
        }
        best
    }

    #[test]
    fn a_vote_is_split_among_a_person_s_values() {
        let group = people(&[(0, [1, 2].into()), (4, [2].into()), (7, [0, 1, 2].into())].into());
        assert_eq!((group.people(), group.parts()), (3, 6));
        assert_eq!(group.votes().iter().collect::<Vec<_>>(), [(0, 2), (1, 5), (2, 11)]);
    }

    #[test]
    fn nobody_has_no_vote() {
        let pairs = [(0, 1), (1, 1), (40, 9)].into_iter().collect();
        assert_eq!(GroupPeople::of(&pairs, VALUES, Some(40)).people(), 1);
        assert_eq!(GroupPeople::of(&Histogram::default(), VALUES, None).people(), 0);
    }

    proptest! {
        #[test]
        fn every_person_has_one_vote(of in prop::collection::btree_map(0u32..9, prop::collection::btree_set(0..VALUES, 1..VALUES as usize), 0..8)) {
            let group = people(&of);
            prop_assert_eq!(group.people(), of.len() as u64);
            let all: u64 = group.votes().iter().map(|(_, votes)| votes).sum();
            prop_assert_eq!(all, group.people() * group.parts());
            for (value, votes) in group.votes().iter() {
                let share = |values: &BTreeSet<u32>| values.contains(&value).then(|| group.parts() as f64 / values.len() as f64);
                let expected: f64 = of.values().filter_map(share).sum();
                prop_assert!((votes as f64 - expected).abs() <= of.len() as f64);
            }
        }

        #[test]
        fn values_are_assigned_to_different_people(of in prop::collection::btree_map(0u32..6, prop::collection::btree_set(0u32..7, 1..5), 0..6), enough in 0u64..9) {
            let values: BTreeSet<u32> = of.values().flatten().copied().collect();
            let values: Vec<u32> = values.into_iter().collect();
            let expected = largest(&values, &of, &mut BTreeSet::new());
            let group = people(&of);
            prop_assert_eq!(group.values_of_different_people(u64::MAX), expected);
            prop_assert_eq!(group.values_of_different_people(enough), expected.min(enough));
        }
    }
}
