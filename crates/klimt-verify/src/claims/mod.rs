//! The promises that are made about a release, and whether they hold.
//!
//! A promise is a requirement. What its check asks of a group is counted from the published text alone; the whole that
//! a distribution is compared with is the release itself.

mod length;
mod release;

use crate::{Tally, width::Domain};
use klimt::requirement::{LengthRestriction, Level, Requirement, Side};
use klimt::table::ColumnSpec;
use klimt::{Error, ErrorKind, Result};
use release::Release;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a promise may need to know besides the release.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// What quasi-identifiers range over, by name; a column without an entry has a [`Domain::Natural`].
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
    /// What was promised.
    pub limit: Level,
    /// What the release reaches: the level of its worst group.
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

/// Checks requirements against the tally of a whole release: an outcome for each, in their order. The error lists all
/// that make no sense there.
pub fn check(tally: &Tally, requirements: &[Box<dyn Requirement>], facts: &Facts) -> Result<Vec<Outcome>> {
    let release = Release::new(tally, &facts.sensitive)?;
    let outcomes: Vec<Result<Outcome>> =
        requirements.iter().map(|requirement| outcome(&release, tally, &**requirement, facts)).collect();
    let problems =
        outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).map(|e| e.message().to_string());
    match Error::all(ErrorKind::Input, problems.collect()) {
        Some(error) => Err(error),
        None => outcomes.into_iter().collect(),
    }
}

fn outcome(
    release: &Release<'_>,
    tally: &Tally,
    requirement: &dyn Requirement,
    facts: &Facts,
) -> Result<Outcome> {
    let (side, limit) = (requirement.side(), requirement.limit());
    let (holds, measured) = if requirement.id() == LengthRestriction::ID {
        let measured = length::measure(tally, requirement.column().unwrap_or_default(), facts)?;
        (side.admits(&measured, &limit), measured)
    } else {
        match requirement.bind(release) {
            Ok(check) => release.measure(requirement, &*check)?,
            // More is required than the release has rows: it is not satisfied, and that is an outcome.
            Err(error) if error.kind() == ErrorKind::Unsatisfied => {
                (false, Level::Count(tally.groups().map(|group| group.rows()).min().unwrap_or(0)))
            }
            Err(error) => return Err(error),
        }
    };
    Ok(Outcome {
        claim: requirement.id(),
        column: requirement.column().map(str::to_string),
        description: requirement.describe(),
        exact: measured.fraction(),
        limit,
        measured,
        holds,
        side: Some(side),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use klimt::registry;

    fn tally() -> Tally {
        let mut tally = Tally::new(&["age", "zip"], &["disease"]);
        let rows = [["[20..29]", "1"], ["[20..29]", "1"], ["[30..34]", "2"], ["[30..34]", "2"], ["*", "*"]];
        for (row, disease) in rows.iter().zip(["flu", "gout", "flu", "flu", ""]) {
            tally.add(row, &[disease]).unwrap();
        }
        tally
    }

    fn required(list: &[(&str, &str, &str)]) -> Vec<Box<dyn Requirement>> {
        list.iter().map(|(flag, column, text)| registry::requirement(flag, column, text).unwrap()).collect()
    }

    fn outcomes(list: &[(&str, &str, &str)]) -> Vec<(String, String, bool)> {
        let outcomes = check(&tally(), &required(list), &Facts::default()).unwrap();
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
        for (flag, column, text) in [("l-diversity", "disease", "1"), ("alpha", "disease", "1")] {
            let outcomes = check(&empty, &required(&[(flag, column, text)]), &Facts::default()).unwrap();
            assert!(!outcomes[0].holds, "{flag}");
        }
        assert!(!check(&empty, &required(&[("k", "", "1")]), &Facts::default()).unwrap()[0].holds);
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
        let error = check(&tally(), &claims, &Facts::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.message().starts_with("4 problems:"), "{error}");
    }

    #[test]
    fn a_length_is_measured_in_the_column_s_domain() {
        let leaves = [("1", 1), ("2", 7)].map(|(label, leaves)| (label.to_string(), leaves));
        let domains = [("zip".to_string(), Domain::Hierarchy(leaves.into_iter().collect()))].into();
        let facts = Facts { domains, ..Facts::default() };
        let outcomes = check(&tally(), &required(&[("min-width", "zip", "1")]), &facts).unwrap();
        assert_eq!((outcomes[0].measured.to_string().as_str(), outcomes[0].holds), ("1", true));
    }

    #[test]
    fn outcomes_are_written_as_numbers() {
        let claims = required(&[("min-width", "age", "2.5"), ("t-closeness", "disease", "0.5:equal")]);
        let json = serde_json::to_value(check(&tally(), &claims, &Facts::default()).unwrap()).unwrap();
        assert_eq!((&json[0]["limit"], &json[0]["measured"]), (&2.5.into(), &4.0.into()));
        assert_eq!((&json[1]["measured"], &json[1]["exact"]), (&0.4.into(), &"2/5".into()));
    }
}
