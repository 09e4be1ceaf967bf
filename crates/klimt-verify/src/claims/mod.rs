//! The promises that are made about a release, and whether they hold.
//!
//! A kind of claim is one file here, with a type that implements [`Check`], and one line in [`REGISTRY`].

mod k_anonymity;
mod length;

use crate::{
    Tally,
    width::{Domain, Width},
};
use klimt::{Error, ErrorKind, Result};
use serde::{Serialize, Serializer};
use std::{collections::BTreeMap, fmt};

/// A promise about a release, as text: which kind it is of and what it promises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// The kind of claim: an `id` of the [`REGISTRY`].
    pub id: String,
    /// The column that it is about, for a claim about one column.
    pub column: Option<String>,
    /// What is promised, such as the k of k-anonymity.
    pub limit: String,
}

impl Claim {
    /// That every group has at least `k` rows.
    pub fn k_anonymity(k: u64) -> Self {
        Claim { id: k_anonymity::ID.to_string(), column: None, limit: k.to_string() }
    }

    /// That every published value of a column is at least as wide as `limit`.
    pub fn length(column: &str, limit: &str) -> Self {
        Claim { id: length::ID.to_string(), column: Some(column.to_string()), limit: limit.to_string() }
    }
}

/// What a claim may need to know besides the release.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// What the columns range over, by name; a column without an entry has a [`Domain::Natural`].
    pub domains: BTreeMap<String, Domain>,
}

/// A claim that is understood and ready to be checked.
pub trait Check {
    /// What the claim promises.
    fn limit(&self) -> Level;

    /// What the release reaches.
    fn measure(&self, tally: &Tally) -> Result<Level>;

    /// Whether what the release reaches is what the claim promises.
    fn holds(&self, measured: &Level) -> bool;
}

/// How far something reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Level {
    /// A number of rows, values or leaves.
    Count(u64),
    /// The width of a published value.
    Width(Width),
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Count(count) => count.fmt(f),
            Level::Width(width) => width.fmt(f),
        }
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Level::Count(count) => serializer.serialize_u64(*count),
            Level::Width(width) => width.serialize(serializer),
        }
    }
}

/// Whether a claim holds, and by how much.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The kind of claim.
    pub claim: &'static str,
    /// The column that it is about, for a claim about one column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What was promised.
    pub limit: Level,
    /// What the release reaches.
    pub measured: Level,
    /// Whether the claim holds.
    pub holds: bool,
}

/// A kind of claim.
pub struct Entry {
    /// Its name in claims, reports and certificates.
    pub id: &'static str,
    /// What it promises, in one line.
    pub help: &'static str,
    /// Understands a claim of this kind.
    bind: fn(&Claim, &Facts) -> Result<Box<dyn Check>>,
}

/// Every kind of claim.
pub const REGISTRY: &[Entry] = &[
    Entry { id: k_anonymity::ID, help: "every group has at least k rows", bind: k_anonymity::bind },
    Entry { id: length::ID, help: "every value of a column is at least so wide", bind: length::bind },
];

/// Checks claims against the tally of a whole release: an outcome for each, in their order. The error lists all
/// claims that cannot be understood.
pub fn check(tally: &Tally, claims: &[Claim], facts: &Facts) -> Result<Vec<Outcome>> {
    let bound: Vec<_> = claims.iter().map(|claim| bind(claim, facts)).collect();
    let problems = bound.iter().filter_map(|result| result.as_ref().err()).map(|error| error.to_string());
    if let Some(error) = Error::all(ErrorKind::Input, problems.collect()) {
        return Err(error);
    }
    let outcome = |(claim, bound): (&Claim, Result<_>)| {
        let (claim_id, check): (&'static str, Box<dyn Check>) = bound?;
        let measured = check.measure(tally)?;
        let (limit, holds) = (check.limit(), check.holds(&measured));
        Ok(Outcome { claim: claim_id, column: claim.column.clone(), limit, measured, holds })
    };
    claims.iter().zip(bound).map(outcome).collect()
}

fn bind(claim: &Claim, facts: &Facts) -> Result<(&'static str, Box<dyn Check>)> {
    let entry = REGISTRY.iter().find(|entry| entry.id == claim.id).ok_or_else(|| {
        let ids: Vec<_> = REGISTRY.iter().map(|entry| entry.id).collect();
        Error::input(format!("unknown claim \"{}\"; the claims are {}", claim.id, ids.join(", ")))
    })?;
    Ok((entry.id, (entry.bind)(claim, facts)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally() -> Tally {
        let mut tally = Tally::new(&["age", "zip"], &[]);
        for row in [["[20..29]", "1"], ["[20..29]", "1"], ["[30..34]", "2"], ["[30..34]", "2"], ["*", "*"]] {
            tally.add(&row, &[]).unwrap();
        }
        tally
    }

    fn outcomes(claims: &[Claim]) -> Vec<(String, String, bool)> {
        let outcomes = check(&tally(), claims, &Facts::default()).unwrap();
        outcomes.into_iter().map(|o| (o.limit.to_string(), o.measured.to_string(), o.holds)).collect()
    }

    #[test]
    fn claims_hold_up_to_their_limit() {
        let claims = [
            Claim::k_anonymity(2),
            Claim::k_anonymity(3),
            Claim::length("age", "4"),
            Claim::length("age", "4.0001"),
            Claim::length("zip", "0"),
        ];
        let expected =
            [("2", "2", true), ("3", "2", false), ("4", "4", true), ("4.0001", "4", false), ("0", "0", true)];
        let expected =
            expected.map(|(limit, measured, holds)| (limit.to_string(), measured.to_string(), holds));
        assert_eq!(outcomes(&claims), expected);
    }

    #[test]
    fn nothing_is_no_proof() {
        let empty = Tally::new(&["age"], &[]);
        let outcomes = check(&empty, &[Claim::k_anonymity(1)], &Facts::default()).unwrap();
        assert!(!outcomes[0].holds);
    }

    #[test]
    fn every_claim_that_is_not_understood_is_told() {
        let claims = [
            Claim { id: "k-anonymty".to_string(), column: None, limit: "2".to_string() },
            Claim::k_anonymity(2),
            Claim::k_anonymity(0),
            Claim { column: Some("age".to_string()), ..Claim::k_anonymity(2) },
            Claim::length("age", "wide"),
            Claim { column: None, ..Claim::length("age", "1") },
        ];
        let error = check(&tally(), &claims, &Facts::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.message().starts_with("5 problems:"), "{error}");
        assert!(error.message().contains("the claims are k-anonymity, length"), "{error}");
    }

    #[test]
    fn a_length_is_measured_in_the_column_s_domain() {
        let leaves = [("1", 1), ("2", 7)].map(|(label, leaves)| (label.to_string(), leaves));
        let domains = [("zip".to_string(), Domain::Hierarchy(leaves.into_iter().collect()))].into();
        let outcomes = check(&tally(), &[Claim::length("zip", "1")], &Facts { domains }).unwrap();
        assert_eq!((outcomes[0].measured.to_string().as_str(), outcomes[0].holds), ("1", true));
        assert!(check(&tally(), &[Claim::length("sex", "1")], &Facts::default()).is_err());
    }

    #[test]
    fn outcomes_are_written_as_numbers() {
        let claims = [Claim::k_anonymity(2), Claim::length("age", "2.5")];
        let json = serde_json::to_string(&check(&tally(), &claims, &Facts::default()).unwrap()).unwrap();
        let expected = concat!(
            r#"[{"claim":"k-anonymity","limit":2,"measured":2,"holds":true},"#,
            r#"{"claim":"length","column":"age","limit":2.5,"measured":4,"holds":true}]"#
        );
        assert_eq!(json, expected);
    }

    #[test]
    fn the_registry_names_each_kind_once() {
        let mut ids: Vec<_> = REGISTRY.iter().map(|entry| entry.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), REGISTRY.len());
    }
}
