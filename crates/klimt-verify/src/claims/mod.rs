//! The promises that are made about a release, and whether they hold.
//!
//! A promise is a requirement. What its check asks of a group is counted from the published text alone; the whole that
//! a distribution is compared with is the release itself.

mod length;
mod sum;
mod whole;

pub use sum::ValueSum;
pub use whole::{ClaimedValues, ValueCounts};
pub(crate) use whole::{Segment, WholeRelease};

use crate::{Group, Tally, width::Domain};
use klimt_core::requirement::{Check, LengthRestriction, Level, Requirement, Side, bind};
use klimt_core::table::ColumnSpec;
use klimt_core::{Error, ErrorKind, Result};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Facts that a promise may need besides the release.
#[derive(Clone, Debug, Default)]
pub struct PromiseFacts {
    /// The domains of quasi-identifiers, by name; a column without an entry has a [`Domain::Natural`].
    pub domains: BTreeMap<String, Domain>,
    /// The types, orders and hierarchies of sensitive columns, by name.
    pub sensitive: BTreeMap<String, ColumnSpec>,
}

/// Whether a promise holds, and by how much.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The name of the requirement.
    pub claim: &'static str,
    /// The column that it is about, for one about a column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The requirement in words.
    pub description: String,
    /// The promised limit.
    pub limit: Level,
    /// The level of the release: that of its worst group.
    pub measured: Level,
    /// The level as a fraction, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// Whether the promise holds.
    pub holds: bool,
    /// On which side of the limit the level must be.
    #[serde(skip)]
    pub side: Option<Side>,
}

impl Outcome {
    /// The outcome of the same requirement over the groups of both.
    pub(crate) fn join(self, other: Outcome) -> Outcome {
        let measured = match self.side {
            Some(side) => side.worse(self.measured, other.measured),
            None => self.measured,
        };
        Outcome { exact: measured.fraction(), measured, holds: self.holds && other.holds, ..self }
    }
}

/// Checks requirements against the tally of a whole release: an outcome for each, in their order. The error lists all
/// that make no sense there.
pub fn check(
    tally: &Tally,
    requirements: &[Box<dyn Requirement>],
    facts: &PromiseFacts,
) -> Result<Vec<Outcome>> {
    Ok(check_groups(tally, requirements, facts)?.0)
}

/// Checks requirements against the tally of a whole release, and says which groups, by number, break a promise that is
/// made of every group; a length restriction is about published values, and names none.
pub fn check_groups(
    tally: &Tally,
    requirements: &[Box<dyn Requirement>],
    facts: &PromiseFacts,
) -> Result<(Vec<Outcome>, BTreeSet<u32>)> {
    let mut whole = WholeRelease::of(tally, &facts.sensitive)?;
    let mut promises = Promises::new(requirements.iter().map(|requirement| &**requirement), &whole);
    let codes = whole.see(tally)?;
    let groups: Vec<Group<'_>> = tally.groups().collect();
    let smallest = groups.iter().map(Group::rows).min().unwrap_or(0);
    let of_people = whole.see_people(tally, &codes, tally.suppressed_group())?;
    let cells = tally.sensitive().iter().map(|column| tally.cells(column));
    let segment = Segment { groups, columns: cells.zip(codes).chain(of_people).collect() };
    let width = |column: &str| length::measure(tally, column, facts);
    let mut failed = BTreeSet::new();
    promises.judge(&segment, &width, &mut |group| {
        failed.insert(group);
    })?;
    Ok((promises.outcomes(smallest), failed))
}

/// Promises that are measured segment by segment.
pub(crate) struct Promises<'r> {
    promises: Vec<CheckedPromise<'r>>,
}

struct CheckedPromise<'r> {
    requirement: &'r dyn Requirement,
    means: PromiseMeasure,
    /// Whether all groups so far satisfy it.
    holds: bool,
    /// The worst level so far.
    worst: Option<Level>,
}

/// How a promise is measured.
enum PromiseMeasure {
    /// By a check, with the distances of the columns whose moments it reads.
    Check(Box<dyn Check>, Vec<(usize, Vec<u64>)>),
    /// By the width of what is published.
    Width,
    /// Not at all: more is required than the release has rows. It is not satisfied, and that is an outcome.
    TooFewRows,
    /// Not at all: it makes no sense, and this is why.
    Senseless(Error),
}

impl<'r> Promises<'r> {
    /// Binds requirements to the whole that groups are compared with.
    pub fn new(requirements: impl IntoIterator<Item = &'r dyn Requirement>, whole: &WholeRelease) -> Self {
        let promise = |requirement: &'r dyn Requirement| CheckedPromise {
            requirement,
            means: PromiseMeasure::of(requirement, whole),
            holds: true,
            worst: None,
        };
        Promises { promises: requirements.into_iter().map(promise).collect() }
    }

    /// Measures the groups of a segment. The error lists all promises that make no sense.
    pub fn measure(&mut self, tally: &Tally, segment: &Segment<'_>, facts: &PromiseFacts) -> Result<()> {
        let width = |column: &str| length::measure(tally, column, facts);
        self.judge(segment, &width, &mut |_| ())
    }

    /// Measures sets of rows; `width` tells the least width that a column is published with. `failed` is called with the
    /// number of a set once for every promise that it breaks. The error lists all promises that make no sense.
    pub fn judge(
        &mut self,
        sets: &Segment<'_>,
        width: &dyn Fn(&str) -> Result<Level>,
        failed: &mut dyn FnMut(u32),
    ) -> Result<()> {
        let problems = self.promises.iter_mut().filter_map(|promise| promise.measure(sets, width, failed));
        let problems = problems.map(|error| error.message().to_string()).collect();
        Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
    }

    /// An outcome for each requirement, in their order. A release without groups proves nothing.
    pub fn outcomes(self, smallest_group: u64) -> Vec<Outcome> {
        self.promises.into_iter().map(|promise| promise.outcome(smallest_group)).collect()
    }
}

impl PromiseMeasure {
    fn of(requirement: &dyn Requirement, whole: &WholeRelease) -> Self {
        if requirement.id() == LengthRestriction::ID {
            return PromiseMeasure::Width;
        }
        let check = bind(requirement, whole).and_then(|check| {
            let distances = whole.distances(&check.needs().moments)?;
            Ok(PromiseMeasure::Check(check, distances))
        });
        match check {
            Ok(means) => means,
            Err(error) if error.kind() == ErrorKind::Unsatisfied => PromiseMeasure::TooFewRows,
            Err(error) => PromiseMeasure::Senseless(error),
        }
    }
}

impl CheckedPromise<'_> {
    /// Takes in the groups of a segment; returns what is wrong with the promise.
    fn measure(
        &mut self,
        segment: &Segment<'_>,
        width: &dyn Fn(&str) -> Result<Level>,
        failed: &mut dyn FnMut(u32),
    ) -> Option<Error> {
        let side = self.requirement.side();
        let (holds, level) = match &self.means {
            PromiseMeasure::Senseless(error) => return Some(error.clone()),
            PromiseMeasure::TooFewRows => {
                segment.groups.iter().for_each(|group| failed(group.number()));
                return None;
            }
            PromiseMeasure::Width => match width(self.requirement.column().unwrap_or_default()) {
                Ok(level) => (side.admits(&level, &self.requirement.limit()), Some(level)),
                Err(error) => return Some(error),
            },
            PromiseMeasure::Check(check, distances) => {
                segment.measure(self.requirement, &**check, distances, failed)
            }
        };
        self.holds &= holds;
        self.worst = match (self.worst.take(), level) {
            (Some(worst), Some(level)) => Some(side.worse(worst, level)),
            (worst, level) => worst.or(level),
        };
        None
    }

    fn outcome(self, smallest_group: u64) -> Outcome {
        let (requirement, side) = (self.requirement, self.requirement.side());
        let nothing = if side == Side::AtLeast { Level::Count(0) } else { Level::Unbounded };
        let (holds, measured) = match self.means {
            PromiseMeasure::TooFewRows => (false, Level::Count(smallest_group)),
            _ => (self.holds && self.worst.is_some(), self.worst.unwrap_or(nothing)),
        };
        Outcome {
            claim: requirement.id(),
            column: requirement.column().map(str::to_string),
            description: requirement.describe(),
            exact: measured.fraction(),
            limit: requirement.limit(),
            measured,
            holds,
            side: Some(side),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use klimt_core::registry;

    fn tally() -> Tally {
        let mut tally = Tally::new(&["age", "zip"], &["disease"]);
        let rows = [["[20..29]", "1"], ["[20..29]", "1"], ["[30..34]", "2"], ["[30..34]", "2"], ["*", "*"]];
        for (row, disease) in rows.iter().zip(["flu", "gout", "flu", "flu", ""]) {
            tally.add(row, &[disease]).unwrap();
        }
        tally.with_suppressed_stars(true)
    }

    #[test]
    fn groups_that_break_a_promise_are_numbered() {
        let claims = required(&[("k", "", "2"), ("l-diversity", "disease", "2")]);
        let failed = |tally: &Tally| check_groups(tally, &claims, &PromiseFacts::default()).unwrap().1;
        assert_eq!(failed(&tally()), [1].into());
        assert_eq!(failed(&tally().with_suppressed_stars(false)), [1, 2].into(), "stars are checked too");
    }

    fn required(list: &[(&str, &str, &str)]) -> Vec<Box<dyn Requirement>> {
        list.iter().map(|(flag, column, text)| registry::requirement(flag, column, text).unwrap()).collect()
    }

    fn outcomes(list: &[(&str, &str, &str)]) -> Vec<(String, String, bool)> {
        let outcomes = check(&tally(), &required(list), &PromiseFacts::default()).unwrap();
        outcomes.into_iter().map(|o| (o.limit.to_string(), o.measured.to_string(), o.holds)).collect()
    }

    #[test]
    fn claims_hold_up_to_their_limit() {
        let claims = [
            ("k", "", "2"),
            ("k", "", "3"),
            ("k", "", "9"),
            ("min-width", "age", "4"),
            ("min-width", "age", "4.0001"),
            ("min-width", "zip", "0"),
            ("l-diversity", "disease", "distinct:1"),
            ("l-diversity", "disease", "2"),
            ("t-closeness", "disease", "0.4:equal"),
        ];
        let expected = [
            ("2", "2", true),
            ("3", "2", false),
            ("9", "2", false),
            ("4", "4", true),
            ("4.0001", "4", false),
            ("0", "0", true),
            ("1", "1", true),
            ("2", "1", false),
            ("0.4", "0.4", true),
        ];
        let expected =
            expected.map(|(limit, measured, holds)| (limit.to_string(), measured.to_string(), holds));
        assert_eq!(outcomes(&claims), expected);
    }

    #[test]
    fn nothing_is_no_proof() {
        let empty = Tally::new(&["age"], &["disease"]);
        let reached = [
            ("l-diversity", "1", Level::Count(0)),
            ("alpha", "1", Level::Unbounded),
            ("delta-disclosure", "1", Level::Unbounded),
        ];
        for (flag, text, nothing) in reached {
            let outcomes =
                check(&empty, &required(&[(flag, "disease", text)]), &PromiseFacts::default()).unwrap();
            assert!(!outcomes[0].holds, "{flag}");
            assert_eq!(outcomes[0].measured, nothing, "{flag}");
        }
        assert!(!check(&empty, &required(&[("k", "", "1")]), &PromiseFacts::default()).unwrap()[0].holds);
    }

    #[test]
    fn every_claim_that_makes_no_sense_is_told() {
        let claims = required(&[
            ("l-diversity", "income", "2"),
            ("k", "", "2"),
            ("variance", "disease", "2"),
            ("t-closeness", "disease", "0.1:hierarchical"),
            ("min-width", "sex", "1"),
        ]);
        let error = check(&tally(), &claims, &PromiseFacts::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.message().starts_with("4 problems:"), "{error}");
    }

    #[test]
    fn a_length_is_measured_in_the_column_s_domain() {
        let leaves = [("1", 1), ("2", 7)].map(|(label, leaves)| (label.to_string(), leaves));
        let domains = [("zip".to_string(), Domain::Hierarchy(leaves.into_iter().collect()))].into();
        let facts = PromiseFacts { domains, ..PromiseFacts::default() };
        let outcomes = check(&tally(), &required(&[("min-width", "zip", "1")]), &facts).unwrap();
        assert_eq!((outcomes[0].measured.to_string().as_str(), outcomes[0].holds), ("1", true));
    }

    #[test]
    fn outcomes_are_written_as_numbers() {
        let claims = required(&[("min-width", "age", "2.5"), ("t-closeness", "disease", "0.5:equal")]);
        let json = serde_json::to_value(check(&tally(), &claims, &PromiseFacts::default()).unwrap()).unwrap();
        assert_eq!((&json[0]["limit"], &json[0]["measured"]), (&2.5.into(), &4.0.into()));
        assert_eq!((&json[1]["measured"], &json[1]["exact"]), (&0.4.into(), &"2/5".into()));
    }
}
