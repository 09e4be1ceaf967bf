//! Checks a release from its published rows alone, and with the releases before it.
//!
//! ```
//! use klimt::prelude::*;
//!
//! let release = "age,disease\n[30..39],Asthma\n[30..39],Gout\n[30..39],Flu\n";
//! let asked = Anonymizer::new()
//!     .quasi_identifiers(["age"])
//!     .sensitive(["disease"])
//!     .require(KAnonymity::new(3)?)
//!     .require(DistinctDiversity::new("disease", 3)?);
//! let verdict = klimt::verify(Input::reader(Format::Csv, release.as_bytes()), &asked)?;
//! assert!(verdict.holds());
//! assert_eq!(verdict.findings.smallest_group, 3);
//! # Ok::<(), klimt::Error>(())
//! ```

mod attacked;
mod linked;
mod read;

pub use attacked::{AttackFindings, AttackQuestion, Gain, attack, attack_name};
pub use read::{Counted, count_release, facts, published_groups, tally, without_guides};

use crate::anonymizer::Anonymizer;
use crate::input::Input;
use crate::observer::Unobserved;
use crate::observer::Watched;
use crate::settings::Settings;
use crate::text::count;
use klimt_core::requirement::{LengthRestriction, Side};
use klimt_core::risk::{Question as RiskQuestion, Risk};
use klimt_core::table::Role;
use klimt_core::words::option;
use klimt_core::{Result, Words};
use klimt_verify::against::{Difference, Intersection, Report as AgainstReport};
use klimt_verify::claims::{Outcome, check_groups};
use klimt_verify::{Findings, NumberedGroup, Question, Tally, smallest, with_values};
use linked::Links;
use read::count_release_linked;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many of the smallest groups are named by their numbers.
const NAMED: usize = 5;
/// How many combinations of files are named in a message.
const NAMED_SETS: usize = 3;

/// Checks a release by what is said of its columns and what it is said to satisfy.
pub fn verify(release: Input, asked: &Anonymizer) -> Result<Verdict> {
    asked.watch(|watched| Verification::of(asked.settings().clone()).run_watched(release, watched))
}

/// What a release is checked for.
#[derive(Default)]
pub struct Verification {
    settings: Settings,
    risk: RiskQuestion,
    stars_are_suppressed: bool,
    show_groups: bool,
    earlier: Vec<Input>,
    key: Option<String>,
    strict: bool,
    attack: Option<AttackQuestion>,
    people: Option<Input>,
    words: Words,
}

impl Verification {
    /// By what settings say of the columns and of the requirements.
    pub fn of(settings: Settings) -> Self {
        Verification { settings, ..Verification::default() }
    }

    /// How the risk of being found is measured.
    pub fn risk(mut self, question: RiskQuestion) -> Self {
        self.risk = question;
        self
    }

    /// Reads rows that are `*` in every quasi-identifier as suppressed rows, which are not checked: for releases of tools
    /// that publish them so. klimt leaves suppressed rows out.
    pub fn stars_are_suppressed(mut self, suppressed: bool) -> Self {
        self.stars_are_suppressed = suppressed;
        self
    }

    /// Gives the published values of the smallest groups that hold at least k rows and satisfy every requirement.
    pub fn show_groups(mut self, show: bool) -> Self {
        self.show_groups = show;
        self
    }

    /// Checks the release together with earlier ones, newest first; the key says which rows of the releases are the same.
    /// Where `strict`, rows that joined or left a group between two releases must satisfy the requirements by themselves.
    pub fn against(mut self, earlier: Vec<Input>, key: impl Into<String>, strict: bool) -> Self {
        (self.earlier, self.key, self.strict) = (earlier, Some(key.into()), strict);
        self
    }

    /// Counts people: the file of pseudonyms that [`Anonymizer::save_people`] wrote with the release says whom each row is about.
    pub fn people(mut self, people: Input) -> Self {
        self.people = Some(people);
        self
    }

    /// Attacks the release too.
    pub fn attack(mut self, question: AttackQuestion) -> Self {
        self.attack = Some(question);
        self
    }

    /// How warnings mention options; plain where nothing is said.
    pub fn words(mut self, words: Words) -> Self {
        self.words = words;
        self
    }

    /// Checks a release.
    pub fn run(self, release: Input) -> Result<Verdict> {
        self.run_watched(release, &Watched::by(&Unobserved))
    }

    /// Checks a release while somebody watches.
    pub fn run_watched(mut self, release: Input, watched: &Watched<'_>) -> Result<Verdict> {
        let requirements = self.settings.build_requirements()?;
        let k = self.settings.k;
        let settings = &mut self.settings;
        let path = release.path().map(str::to_string);
        let mut links =
            self.key.as_deref().map(|key| Links::new(release.name(), key, settings)).transpose()?;
        let counted =
            count_release_linked(release, settings, &[Role::Sensitive], links.as_mut(), self.people)?;
        let Counted { tally, warnings, .. } = counted;
        let mut warnings: Vec<String> = warnings.iter().map(|warning| self.words.render(warning)).collect();
        let tally = tally.with_suppressed_stars(self.stars_are_suppressed);
        without_guides(settings, path.as_deref(), &tally)?;
        let facts = facts(settings)?;
        let findings = Findings::new(&tally, &Question { k, original_rows: None })?;
        let (outcomes, violating) = check_groups(&tally, &requirements, &facts)?;
        let (earlier, strict, attacks) = (self.earlier, self.strict, self.attack.is_some());
        let checked = links
            .map(|links| links.check(earlier, settings, &requirements, &facts, strict, attacks))
            .transpose()?;
        let (against, intersected) = checked.unzip();
        let attack = self.attack.map(|attack| attack.run(settings, &tally, intersected.flatten(), watched));
        let attack = attack.transpose()?;
        warnings.extend(attack.iter().flat_map(|found| found.warnings(self.words)));
        let nothing_linked = against.as_ref().and_then(nothing_linked);
        warnings.extend(nothing_linked.map(|warning| self.words.render(&warning)));
        let of_groups = tally.people_of_groups()?;
        let size = |group: u32, rows: u64| of_groups.as_ref().map_or(rows, |people| people[group as usize]);
        let violates =
            |number: u32, rows: u64| violating.contains(&number) || k.is_some_and(|k| size(number, rows) < k);
        let worst = smallest(&tally, NAMED, |group| violates(group.number(), group.rows()));
        let groups = self.show_groups.then(|| shown_groups(&tally, &outcomes, violates));
        Ok(Verdict {
            risk: Risk::of(tally.groups().map(|group| size(group.number(), group.rows())), &self.risk),
            adds_unique: klimt_verify::contributions(&tally).into_iter().collect(),
            suppressed_stars: self.stars_are_suppressed.then(|| tally.suppressed()),
            findings,
            claims: outcomes,
            worst,
            warnings,
            read_with: Vec::from_iter(self.stars_are_suppressed.then_some("stars-are-suppressed")),
            groups,
            against,
            attack,
        })
    }
}

/// What was found of a release.
#[derive(Debug, Serialize)]
pub struct Verdict {
    /// Its rows and groups.
    pub findings: Findings,
    /// How every requirement fares.
    pub claims: Vec<Outcome>,
    /// How easily people are found.
    pub risk: Risk,
    /// How many of the unique rows are unique by each column.
    pub adds_unique: BTreeMap<String, u64>,
    /// The smallest groups that fall short, by number.
    pub worst: Vec<NumberedGroup>,
    /// Warnings about the release, in the words of the front end.
    pub warnings: Vec<String>,
    /// Options that leave something unchecked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_with: Vec<&'static str>,
    /// The rows that were taken for suppressed ones, where that was asked for.
    #[serde(skip)]
    pub suppressed_stars: Option<u64>,
    /// The smallest groups that satisfy everything, with their published values, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<NumberedGroup>>,
    /// What the release tells together with earlier ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<AgainstReport>,
    /// What an attacker gains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attack: Option<AttackFindings>,
}

impl Verdict {
    /// Whether everything holds that was asked for.
    pub fn holds(&self) -> bool {
        self.problems().is_empty()
    }

    /// What does not hold, a sentence each.
    pub fn problems(&self) -> Vec<String> {
        let broken = self.claims.iter().filter(|outcome| !outcome.holds);
        let mut problems: Vec<String> = broken.map(describe_broken).collect();
        problems.extend(self.against.iter().flat_map(linked_problems));
        problems.extend(self.attack.as_ref().and_then(AttackFindings::problem));
        problems
    }
}

/// The smallest groups with their published values: never a single row, nor a group below k, nor one that breaks a
/// promise.
fn shown_groups(
    tally: &Tally,
    outcomes: &[Outcome],
    violates: impl Fn(u32, u64) -> bool,
) -> Vec<NumberedGroup> {
    let too_narrow = outcomes.iter().any(|outcome| outcome.claim == LengthRestriction::ID && !outcome.holds);
    if too_narrow {
        return Vec::new();
    }
    let chosen = smallest(tally, NAMED, |group| group.rows() > 1 && !violates(group.number(), group.rows()));
    with_values(tally, chosen)
}

/// What a promise that does not hold has reached instead.
pub fn describe_broken(outcome: &Outcome) -> String {
    format!("{} does not hold: {}", outcome.description, reached(outcome))
}

/// What is reached of a promise.
pub fn reached(outcome: &Outcome) -> String {
    let side = outcome.side.map_or("", Side::words);
    format!("{} reached, {side} {} promised", outcome.measured, outcome.limit)
}

fn nothing_linked(report: &AgainstReport) -> Option<String> {
    (report.linked_rows == 0).then(|| {
        format!(
            "no row is in two of the files, so nothing was compared: see whether {} names the right column",
            option("key")
        )
    })
}

/// The outcomes of several releases, and what they are about.
pub fn linked_outcomes(report: &AgainstReport) -> [(&[Outcome], &'static str); 2] {
    [
        (&report.outcomes, "every intersection"),
        (report.strict.as_deref().unwrap_or_default(), "what joined or left a group"),
    ]
}

/// What does not hold of several releases together, a sentence each.
fn linked_problems(report: &AgainstReport) -> Vec<String> {
    let mut problems = Vec::new();
    if report.violating_rows > 0 {
        let mut worst: Vec<&Intersection> =
            report.intersections.iter().filter(|found| found.violating_rows > 0).collect();
        worst.sort_by_key(|found| found.smallest);
        let named = worst.iter().take(NAMED_SETS).map(|found| {
            let (rows, smallest) = (count(found.violating_rows), count(found.smallest));
            format!("{rows} rows by {} (smallest set: {smallest})", found.files.join(" with "))
        });
        let more = worst.len().saturating_sub(NAMED_SETS);
        let more = if more > 0 { format!(", and by {more} other combinations") } else { String::new() };
        let named: Vec<String> = named.collect();
        problems.push(format!(
            "{} of {} linked rows are not hidden among enough others: {}{more}",
            count(report.violating_rows),
            count(report.linked_rows),
            named.join(", ")
        ));
    }
    for (outcomes, of) in linked_outcomes(report) {
        let broken = outcomes.iter().filter(|outcome| !outcome.holds);
        problems.extend(
            broken.map(|outcome| {
                format!("{} does not hold in {of}: {}", outcome.description, reached(outcome))
            }),
        );
    }
    problems
}

/// A difference between two releases, for a front end that lists them.
pub type ReleaseDifference = Difference;
