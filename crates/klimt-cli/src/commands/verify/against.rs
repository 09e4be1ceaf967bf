//! `klimt verify --against`: what a release tells together with the releases before it.

use super::{Release, comparison, names, open_release, reached};
use crate::options::{AgainstArgs, FormatArgs, VerifyArgs};
use crate::terminal::count;
use klimt::settings::Settings;
use klimt_core::requirement::Requirement;
use klimt_core::table::Role;
use klimt_core::{Error, Result};
use klimt_verify::against::{
    Changed, Difference, Intersected, Intersection, MOST_RELEASES, Releases, Report,
};
use klimt_verify::claims::{Facts, Outcome};

/// How many combinations of files are named in a message.
const NAMED: usize = 3;

/// The rows of the release, and then of those that it is checked against, linked by key.
pub struct Links<'a> {
    releases: Releases,
    /// The name of the file that is being read.
    path: &'a str,
    key: &'a str,
    args: &'a AgainstArgs,
    format: &'a FormatArgs,
    /// Texts that stand for a missing key.
    missing: Vec<String>,
}

impl<'a> Links<'a> {
    /// The release alone, whose rows come next; nothing when it is not to be checked against others.
    pub fn new(args: &'a VerifyArgs, settings: &Settings) -> Result<Option<Self>> {
        let VerifyArgs { release, against, format, .. } = args;
        let Some(key) = key_of(release, against)? else { return Ok(None) };
        let mut releases =
            Releases::new(&names(settings, &[Role::QuasiIdentifier]), &names(settings, &[Role::Sensitive]))
                .with_comparisons(|name| comparison(settings, name));
        releases.begin(release)?;
        let missing = settings.missing.clone();
        Ok(Some(Links { releases, path: release, key, args: against, format, missing }))
    }

    /// The name of the column of keys.
    pub fn key(&self) -> &'a str {
        self.key
    }

    /// Takes in a row. A key that is missing, or that the file had before, is an error.
    pub fn add(&mut self, row: u64, key: &str, values: &[&str], sensitive: &[&str]) -> Result<()> {
        let (path, column) = (self.path, self.key);
        if key.is_empty() || self.missing.iter().any(|missing| missing == key) {
            return Err(help(Error::input(format!("{path}: row {row}: column {column} holds no key"))));
        }
        match self.releases.add(digest(key), values, sensitive)? {
            None => Ok(()),
            Some(before) => Err(help(Error::input(format!(
                "{path}: row {row}: column {column} holds the key of row {before} again"
            )))),
        }
    }

    /// Reads the other releases, and checks all of them together; where they are attacked, tells what intersecting gives.
    pub fn check(
        mut self,
        settings: &Settings,
        requirements: &[Box<dyn Requirement>],
        facts: &Facts,
        attack: bool,
    ) -> Result<(Report, Option<Intersected>)> {
        for path in &self.args.against {
            self.path = path;
            self.releases.begin(path)?;
            let release = open_release(path, self.format, settings, &[Role::Sensitive], Some(self.key))?;
            let Release { records, positions, tally, key } = release;
            let (split, end) = (tally.quasi_identifiers().len(), positions.len());
            let wanted: Vec<usize> = positions.into_iter().chain(key).collect();
            records.for_each(&wanted, &mut |row, fields| {
                self.add(row, fields[end], &fields[..split], &fields[split..end])
            })?;
        }
        self.releases.check_and_attack(requirements, facts, self.args.strict, attack)
    }
}

/// The column of keys, where a release is to be checked against others; whether the flags make sense.
fn key_of<'a>(release: &str, args: &'a AgainstArgs) -> Result<Option<&'a str>> {
    let AgainstArgs { against, key, strict } = args;
    if against.is_empty() {
        let alone = [(key.is_some(), "--key"), (*strict, "--strict")];
        return match alone.iter().find(|(given, _)| *given) {
            None => Ok(None),
            Some((_, flag)) => Err(Error::input(format!("{flag} is given without --against"))
                .with_help("name the releases before this one: --against FILE …")),
        };
    }
    let Some(key) = key else {
        return Err(Error::input("--against needs a key: it says which rows of the files are the same")
            .with_help("name a column that every file has, and that tells its rows apart: --key COLUMN"));
    };
    let files = || against.iter().map(String::as_str).chain([release]);
    if files().filter(|&path| path == "-").count() > 1 {
        return Err(Error::input("standard input can be read only once").with_help("write it to a file"));
    }
    if files().count() > MOST_RELEASES {
        return Err(Error::input(format!("--against takes at most {} files", MOST_RELEASES - 1))
            .with_help("leave out the oldest"));
    }
    Ok(Some(key))
}

/// Half of a cryptographic digest: long enough that no two keys share one, and all that is kept of a key.
fn digest(key: &str) -> u128 {
    let bytes = *blake3::hash(key.as_bytes()).as_bytes();
    bytes[..16].iter().fold(0, |digest, &byte| digest << 8 | u128::from(byte))
}

fn help(error: Error) -> Error {
    error.with_help("every row needs a key of its own; rows are counted from 1, without a header")
}

/// What to warn of.
pub fn warning(report: &Report) -> Option<String> {
    (report.linked_rows == 0).then(|| {
        "no row is in two of the files, so nothing was compared: see whether --key names the right column"
            .to_string()
    })
}

/// What was found.
pub fn describe(report: &Report) -> String {
    let mut text = format!(
        "\nlinked        {} rows are in two or more of {} files\n",
        count(report.linked_rows),
        report.files.len()
    );
    if let Some(smallest) = report.smallest_intersection {
        let sets = report.intersections.iter().map(|found| found.sets).sum();
        text.push_str(&format!(
            "intersections {}, the smallest of {} rows; {} rows in {} that fall short\n",
            count(sets),
            count(smallest),
            count(report.violating_rows),
            count(report.violating_intersections),
        ));
    }
    report.differences.iter().for_each(|difference| text.push_str(&describe_difference(difference)));
    for (outcomes, of) in lists(report) {
        for outcome in outcomes {
            let verdict = if outcome.holds { "holds" } else { "FAILS" };
            text.push_str(&format!("{verdict:<13} {} in {of}: {}\n", outcome.description, reached(outcome)));
        }
    }
    text
}

fn describe_difference(difference: &Difference) -> String {
    let Difference { newer, older, newcomers, leavers } = difference;
    let told = |changed: &Changed, did: &str| match changed.smallest {
        None => format!("nobody {did}"),
        Some(smallest) => {
            format!("{} rows {did}, at least {} in a group", count(changed.rows), count(smallest))
        }
    };
    format!("differences   {older} to {newer}: {}; {}\n", told(newcomers, "joined"), told(leavers, "left"))
}

/// The outcomes, and what they are about.
fn lists(report: &Report) -> [(&[Outcome], &'static str); 2] {
    [
        (&report.outcomes, "every intersection"),
        (report.strict.as_deref().unwrap_or_default(), "what joined or left a group"),
    ]
}

/// What does not hold, a sentence each.
pub fn problems(report: &Report) -> Vec<String> {
    let mut problems = Vec::new();
    if report.violating_rows > 0 {
        let mut worst: Vec<&Intersection> =
            report.intersections.iter().filter(|found| found.violating_rows > 0).collect();
        worst.sort_by_key(|found| found.smallest);
        let named = worst.iter().take(NAMED).map(|found| {
            let (rows, smallest) = (count(found.violating_rows), count(found.smallest));
            format!("{rows} rows by {} (smallest set: {smallest})", found.files.join(" with "))
        });
        let more = worst.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(", and by {more} other combinations") } else { String::new() };
        let named: Vec<String> = named.collect();
        problems.push(format!(
            "{} of {} linked rows are not hidden among enough others: {}{more}",
            count(report.violating_rows),
            count(report.linked_rows),
            named.join(", ")
        ));
    }
    for (outcomes, of) in lists(report) {
        let broken = outcomes.iter().filter(|outcome| !outcome.holds);
        let told = |outcome: &Outcome| {
            format!("{} does not hold in {of}: {}", outcome.description, reached(outcome))
        };
        problems.extend(broken.map(told));
    }
    problems
}

/// Says what to do where releases tell too much together.
pub fn advise(error: Error, report: Option<&Report>) -> Error {
    match report.filter(|report| !report.holds()) {
        None => error,
        Some(_) => error.with_help(
            "do not publish it beside the others: hold the rows back until enough others are with them, or make it \
             coarser, of groups that stay together from release to release",
        ),
    }
}
