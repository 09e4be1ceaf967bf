//! Requirements of people, who may have several rows each.
//!
//! Where a table says whom its rows are about ([`WholeFacts::people`]), k counts people, and every requirement of a sensitive
//! column must hold twice: of the rows, as a reader of the release sees them, and of the people. Of people it is decided
//! by votes ([`GroupPeople`]): every person of a group has one vote, split evenly among the different values of their rows
//! in the group, so that nobody dominates a group by having many rows. Distinct l-diversity asks for values of different
//! people. What a requirement compares with the whole is compared with the votes of the whole, in which everybody has one
//! vote too.
//!
//! Votes are not monotone: a person whose rows are in both of two groups has one vote in each, and one in their union. What
//! searches conclude from parts that violate a requirement is then no proof ([`Check::is_monotone`]), and groups that become one are
//! checked again.

use super::{Check, ColumnFacts, Level, PeopleFacts, Requirement, Side, Trust, WholeFacts};
use crate::statistics::{GroupPeople, MOST_PARTS, Moments, Needs, Statistics, distances};
use crate::table::{Domain, PairColumn};
use crate::words::option_is;
use crate::{Error, Result};

/// Binds a requirement to the whole: of its rows, and, where it is known whom they are about, of its people.
pub fn bind(requirement: &dyn Requirement, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
    let rows = requirement.bind(whole)?;
    let about = requirement.column().and_then(|name| Some((whole.column(name)?, whole.pairs(name)?)));
    let Some((column, pairs)) = about else { return Ok(rows) };
    let counts = match requirement.compares_with_whole() {
        true => whole.votes(pairs),
        false => Vec::new(),
    };
    if requirement.compares_with_whole() && counts.is_empty() {
        return Err(Error::resource(format!(
            "{} of people compares groups with the votes of all people, which are counted in memory",
            requirement.describe()
        ))
        .with_help(option_is("algorithm", "mondrian")));
    }
    let votes = VotesOfWhole { whole, counts };
    let people = requirement.bind(&votes)?;
    let measured = people.needs().moments.contains(&column.number);
    let distances = match measured {
        true => Some(distances(requirement.column().unwrap_or_default(), column.domain, votes.rows())?),
        false => None,
    };
    let (number, side) = (column.number, requirement.side());
    Ok(Box::new(PeopleCheck { rows, people, number, pairs, side, distances }))
}

/// The whole, in which a row is a part of a vote.
struct VotesOfWhole<'w> {
    whole: &'w dyn WholeFacts,
    /// The votes of each value; nothing where no group is compared with them.
    counts: Vec<u64>,
}

impl WholeFacts for VotesOfWhole<'_> {
    fn rows(&self) -> u64 {
        match self.counts.is_empty() {
            true => self.whole.rows().saturating_mul(MOST_PARTS),
            false => self.counts.iter().sum(),
        }
    }

    fn column(&self, name: &str) -> Option<ColumnFacts<'_>> {
        let of_rows = self.whole.column(name)?;
        Some(match self.counts.is_empty() {
            true => of_rows,
            false => ColumnFacts { counts: self.counts.clone(), ..of_rows },
        })
    }

    fn dimension(&self, name: &str) -> Option<(usize, &Domain)> {
        self.whole.dimension(name)
    }

    fn people(&self) -> Option<PeopleFacts> {
        self.whole.people()
    }
}

/// A requirement of a sensitive column that must hold of the rows and of the people of a group.
#[derive(Debug)]
struct PeopleCheck {
    rows: Box<dyn Check>,
    people: Box<dyn Check>,
    /// The number of the sensitive column.
    number: usize,
    pairs: PairColumn,
    side: Side,
    /// How far each value is from the least, where moments are taken.
    distances: Option<Vec<u64>>,
}

impl PeopleCheck {
    /// The people of a group, and statistics of their votes.
    fn votes(&self, group: &Statistics) -> (GroupPeople, Statistics) {
        let PairColumn { number, values, nobody } = self.pairs;
        let people = GroupPeople::of(group.histogram(number), values, nobody);
        let mut votes = Statistics { count: people.people() * people.parts(), ..Statistics::default() };
        if let Some(distances) = &self.distances {
            let mut moments = Moments::default();
            for (value, found) in people.votes().iter() {
                if let Some(&distance) = distances.get(value as usize) {
                    moments.add(distance, found);
                }
            }
            votes.moments.push((self.number, moments));
        }
        votes.histograms.push((self.number, people.votes().clone()));
        (people, votes)
    }
}

impl Check for PeopleCheck {
    fn needs(&self) -> Needs {
        let mut needs = self.rows.needs();
        needs.include(&Needs::histogram(self.pairs.number));
        needs
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        if !self.rows.satisfied(group) {
            return false;
        }
        let (people, votes) = self.votes(group);
        people.people() > 0 && self.people.satisfied_by(&people, &votes)
    }

    fn likely(&self, sample: &Statistics, trust: &Trust) -> bool {
        match trust.is_whole() {
            true => self.satisfied(sample),
            false => self.rows.likely(sample, trust),
        }
    }

    fn least_size(&self) -> u64 {
        self.rows.least_size()
    }

    /// The worse one of rows and people.
    fn level(&self, group: &Statistics) -> Level {
        let (people, votes) = self.votes(group);
        let of_people = match (people.people(), self.side) {
            (0, Side::AtLeast) => Level::Count(0),
            (0, _) => Level::Unbounded,
            _ => self.people.level_of(&people, &votes),
        };
        self.side.worse(self.rows.level(group), of_people)
    }

    fn is_monotone(&self) -> bool {
        false
    }
}
