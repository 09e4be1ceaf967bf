//! The gain of an attacker of a release over the base rate.
//!
//! The attacker has the release and a *background*: the unchanged quasi-identifiers of some people, who may
//! be more or fewer than those of the release. [`attack`] reports counts and shares of its success, never a
//! value or a row:
//!
//! - *linkage* (`link.rs`): which published rows may be a person's, who is singled out, and whose sensitive value is
//!   certain because all candidates share it;
//! - the *commonest value of the candidates* as a guess;
//! - *naive Bayes* (`bayes.rs`): what the release teaches about people with such quasi-identifiers;
//! - *deFinetti* (`definetti.rs`): who in a group has which of its values, learnt from all groups.
//!
//! Without a background, everybody in the release is taken for known by their region. The report then covers only the
//! groups, with the published values as the truth; the deFinetti attack needs more.
//!
//! The attacks read distinct tuples in one parallel pass, with the same result for any number of threads.

mod axis;
mod bayes;
mod definetti;
mod guess;
mod link;
mod release;

pub use guess::Score;
pub use link::{CandidateCounts, CandidateRange, Linkage};

use crate::loss::PublishedGroup;
use crate::risk::Share;
use crate::table::{ColumnSpec, Table};
use crate::{Error, Result};
use guess::BaseRate;
use link::{TupleLinks, by_candidates};
use rayon::prelude::*;
use release::{AttackedRelease, Background};
use serde::Serialize;

/// The release to attack, and the background to attack it with.
#[derive(Clone, Copy, Debug)]
pub struct Attack<'a> {
    /// The quasi-identifiers of the background, in the order of the texts of a group.
    pub quasi_identifiers: &'a [ColumnSpec],
    /// The names of the sensitive columns: the number of one is what [`PublishedGroup::kept`] has it by.
    pub sensitive: &'a [String],
    /// The groups as they are published, without suppressed rows.
    pub groups: &'a [PublishedGroup],
    /// The people that the attacker knows of: coded columns by name, quasi-identifiers and perhaps true sensitive values.
    /// Quasi-identifiers that it does not have are not known.
    pub background: Option<&'a Table>,
    /// The k that numbers of candidates are compared with.
    pub k: Option<u64>,
    /// The confidence above which a sensitive value counts as inferred.
    pub confidence: Share,
}

/// The results of the attacks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The quasi-identifiers that the attacker knows.
    pub known: Vec<String>,
    /// Whether it was a background file that they are known from.
    pub background: bool,
    /// The people whom linkage identifies.
    pub linkage: Linkage,
    /// The results for each sensitive column.
    pub sensitive: Vec<SensitiveResult>,
}

/// The results for a sensitive column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SensitiveResult {
    /// The name of the column.
    pub column: String,
    /// The different values in the release.
    pub values: u64,
    /// The share of the commonest value in the release.
    pub base_rate: f64,
    /// The people whose value is certain: all candidates share it.
    pub certain: u64,
    /// The people whose value is inferred with more than the given confidence.
    pub confident: u64,
    /// The people whose true value is known, of those who are linked.
    pub truths: u64,
    /// The accuracy of guessing the commonest value of the release for them; absent where there are none.
    pub base_accuracy: Option<f64>,
    /// The attacks.
    pub attacks: Vec<Score>,
}

impl Report {
    /// The greatest gain of any attack on any column, with its attack and column; nothing without sensitive columns.
    pub fn greatest_gain(&self) -> Option<(f64, &'static str, &str)> {
        let all = self.sensitive.iter().flat_map(|learnt| {
            learnt.attacks.iter().map(|score| (score.gain, score.attack, learnt.column.as_str()))
        });
        all.reduce(|best, next| if next.0 > best.0 { next } else { best })
    }
}

/// Attacks a release.
pub fn attack(attack: &Attack<'_>) -> Result<Report> {
    let Attack { quasi_identifiers, sensitive, groups, background: table, k, confidence } = *attack;
    let (release, background) = release::read(quasi_identifiers, sensitive, groups, table)?;
    if release.axes.is_empty() {
        return Err(Error::input("the background has none of the quasi-identifiers of the release"));
    }
    let links = TupleLinks::new(&release, &background);
    let is_known =
        |spec: &&ColumnSpec| table.is_none_or(|table| table.columns().iter().any(|c| c.name == spec.name));
    Ok(Report {
        known: quasi_identifiers.iter().filter(is_known).map(|spec| spec.name.clone()).collect(),
        background: table.is_some(),
        linkage: link::linkage(&release, &background, &links, k),
        sensitive: (0..sensitive.len())
            .map(|column| learn(&release, &background, &links, column, confidence))
            .collect(),
    })
}

/// Attacks a sensitive column.
fn learn(
    release: &AttackedRelease,
    background: &Background,
    links: &TupleLinks,
    column: usize,
    confidence: Share,
) -> SensitiveResult {
    let (sensitive, truth) = (&release.sensitive[column], background.truth[column].as_ref());
    let linked = |tuple: usize| links.with(background, tuple, |groups| !groups.is_empty());
    let bar = BaseRate::new(background, truth, &sensitive.totals, linked);
    let candidates = |tuple: usize| {
        links.with(background, tuple, |groups| by_candidates(release, column, groups, confidence))
    };
    let inferred = |tuple: usize| {
        let people = background.people[tuple];
        let found = candidates(tuple).map(|(_, inferred)| inferred);
        let told = |is: bool| if is { people } else { 0 };
        found.map_or((0, 0), |inferred| (told(inferred.certain), told(inferred.confident)))
    };
    let (certain, confident) = (0..background.people.len())
        .into_par_iter()
        .map(inferred)
        .reduce(|| (0, 0), |one, other| (one.0 + other.0, one.1 + other.1));
    let mut attacks = Vec::new();
    if !release.rows.is_empty() {
        attacks.push(bar.score("group", background, truth, |tuple| Some(candidates(tuple)?.0)));
        let bayes = bayes::naive_bayes(release, background, column);
        attacks
            .push(bar.score("naive-bayes", background, truth, |tuple| linked(tuple).then(|| bayes(tuple))));
    }
    if let Some(guesses) = definetti::definetti(release, background, links, column) {
        attacks.push(
            bar.score("definetti", background, truth, |tuple| linked(tuple).then(|| guesses[tuple].clone())),
        );
    }
    SensitiveResult {
        column: sensitive.column.clone(),
        values: sensitive.totals.len() as u64,
        base_rate: bar.base_rate,
        certain,
        confident,
        truths: bar.truths,
        base_accuracy: bar.accuracy(),
        attacks,
    }
}
