//! Checks several releases of one table together.
//!
//! A table is released again after rows came, left or changed, or at several granularities. Each release may
//! hide every row among k, and their intersection may still single somebody out: a person known to be in two
//! releases is among the rows that both groups have in common.
//!
//! Rows are linked by key. For a row s that appears in two or more releases, its *candidates* are all rows t that are in
//! the group of s in every release in which s appears; t may appear in more. Every set of candidates must satisfy the
//! requirements, k-anonymity among them. The sensitive value of a candidate is that of the newest release in which both
//! appear, and where a requirement compares a distribution with a whole, the whole is that release. This is what k-bound
//! rows guarantee by construction (Iwuchukwu and Naughton, Definition 2), here told from published text.
//!
//! Let P be the set of releases in which s appears. s and all other rows with exactly the same P have as candidates the
//! classes of the rows t with P ⊆ P(t), projected to the tuple of their groups in P. So one pass for every P that occurs
//! finds all candidates (`candidates.rs`), without comparing rows with each other.
//!
//! Suppressed rows are a group like any other here: they are published alike.

mod attack;
mod candidates;
mod differences;
mod judge;
mod linked;
mod releases;

pub use attack::{IntersectionAttack, SensitiveAttack};
pub use releases::{MOST_RELEASES, Releases};

use crate::claims::{Outcome, PromiseFacts};
use candidates::Candidates;
use judge::SetJudge;
use klimt_core::Result;
use klimt_core::requirement::Requirement;
use linked::LinkedRows;
use serde::Serialize;

/// The result of checking several releases together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The names of the releases, newest first.
    pub files: Vec<String>,
    /// The rows that appear in two or more of them.
    pub linked_rows: u64,
    /// The least number of candidates that one of these has; absent when there are none.
    pub smallest_intersection: Option<u64>,
    /// The linked rows whose candidates do not satisfy every requirement.
    pub violating_rows: u64,
    /// The sets of candidates that do not.
    pub violating_intersections: u64,
    /// The linked rows by the releases in which they appear.
    pub intersections: Vec<Intersection>,
    /// The outcomes of every requirement about rows over the sets of candidates; empty when there are none.
    pub outcomes: Vec<Outcome>,
    /// The rows that joined or left, between each release and the next newer one, newest first.
    pub differences: Vec<Difference>,
    /// The outcomes of every requirement over the rows that joined or left, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict: Option<Vec<Outcome>>,
}

/// The rows that appear in the same releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Intersection {
    /// The names of the releases, newest first.
    pub files: Vec<String>,
    /// The rows that appear in these and in no other.
    pub rows: u64,
    /// The different sets of candidates that they have.
    pub sets: u64,
    /// The least number of candidates.
    pub smallest: u64,
    /// The rows whose candidates do not satisfy every requirement.
    pub violating_rows: u64,
    /// The sets of candidates that do not.
    pub violating_sets: u64,
}

/// The rows that joined or left between two releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The newer release.
    pub newer: String,
    /// The release before it.
    pub older: String,
    /// The rows of the newer that are not in the older.
    pub newcomers: ChangedRows,
    /// The rows of the older that are not in the newer.
    pub leavers: ChangedRows,
}

/// Rows that joined or left, by the groups in which they did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedRows {
    /// The rows.
    pub rows: u64,
    /// The groups that have any.
    pub groups: u64,
    /// The least number of them in a group that has any; absent when there are none.
    pub smallest: Option<u64>,
    /// The rows that do not satisfy every requirement with the others of their group, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violating_rows: Option<u64>,
}

impl Report {
    /// Whether every requirement holds.
    pub fn holds(&self) -> bool {
        self.outcomes.iter().chain(self.strict.iter().flatten()).all(|outcome| outcome.holds)
    }
}

impl Releases {
    /// Finds the candidates of every linked row, and checks requirements on them. With `strict`, the rows that joined a
    /// group between two releases, and those that left one, must satisfy them too. A requirement about published
    /// widths says nothing about sets of rows, and is left out. The error lists all that make no sense.
    pub fn check(
        self,
        requirements: &[Box<dyn Requirement>],
        facts: &PromiseFacts,
        strict: bool,
    ) -> Result<Report> {
        Ok(self.check_and_attack(requirements, facts, strict, false)?.0)
    }

    /// Like [`Releases::check`]; on request it also measures what an attacker gains by intersecting the releases.
    pub fn check_and_attack(
        self,
        requirements: &[Box<dyn Requirement>],
        facts: &PromiseFacts,
        strict: bool,
        attack: bool,
    ) -> Result<(Report, Option<IntersectionAttack>)> {
        let columns = self.sensitive().to_vec();
        let linked = self.link();
        let report = check(&linked, requirements, facts, strict)?;
        Ok((report, attack.then(|| attack::intersect(&linked, &columns))))
    }
}

fn check(
    linked: &LinkedRows,
    requirements: &[Box<dyn Requirement>],
    facts: &PromiseFacts,
    strict: bool,
) -> Result<Report> {
    let mut judge = SetJudge::new(linked, requirements, facts);
    let intersections = intersections(linked, &mut judge)?;
    let mut changes = strict.then(|| SetJudge::new(linked, requirements, facts));
    let differences = differences::between(linked, &mut changes)?;
    Ok(Report {
        files: linked.files.iter().map(|file| file.name.clone()).collect(),
        linked_rows: intersections.iter().map(|found| found.rows).sum(),
        smallest_intersection: intersections.iter().map(|found| found.smallest).min(),
        violating_rows: intersections.iter().map(|found| found.violating_rows).sum(),
        violating_intersections: intersections.iter().map(|found| found.violating_sets).sum(),
        intersections,
        outcomes: judge.outcomes(),
        differences,
        strict: changes.map(SetJudge::outcomes),
    })
}

/// The candidates of all linked rows, for each set of releases in which one appears.
fn intersections(linked: &LinkedRows, judge: &mut SetJudge<'_>) -> Result<Vec<Intersection>> {
    let order = linked.by_releases();
    let mut candidates = Candidates::new(linked);
    let mut found = Vec::new();
    for rows in order.chunk_by(|&left, &right| linked.mask(left) == linked.mask(right)) {
        let mask = linked.mask(rows[0]);
        let sets = candidates.of(mask, rows);
        let verdict = judge.judge(&sets)?;
        found.push(Intersection {
            files: linked::files(mask).map(|file| linked.files[file].name.clone()).collect(),
            rows: rows.len() as u64,
            sets: sets.judged().count() as u64,
            smallest: sets.smallest().unwrap_or(0),
            violating_rows: verdict.rows,
            violating_sets: verdict.sets,
        });
    }
    Ok(found)
}
