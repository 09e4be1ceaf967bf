//! A release together with the releases before it.

use super::read::{Release, comparison, names, open_release};
use crate::input::Input;
use crate::settings::Settings;
use klimt_core::requirement::Requirement;
use klimt_core::table::Role;
use klimt_core::words::option;
use klimt_core::{Error, Result};
use klimt_verify::against::{IntersectionAttack, MOST_RELEASES, Releases, Report};
use klimt_verify::claims::PromiseFacts;

/// The rows of the release, and then of those that it is checked against, linked by key.
pub(super) struct Links<'a> {
    releases: Releases,
    /// The name of the file that is being read.
    path: String,
    key: &'a str,
    /// Texts that stand for a missing key.
    missing: Vec<String>,
}

impl<'a> Links<'a> {
    /// The release alone, whose rows come next.
    pub fn new(release: &str, key: &'a str, settings: &Settings) -> Result<Self> {
        let mut releases =
            Releases::new(&names(settings, &[Role::QuasiIdentifier]), &names(settings, &[Role::Sensitive]))
                .with_comparisons(|name| comparison(settings, name));
        releases.begin(release)?;
        Ok(Links { releases, path: release.to_string(), key, missing: settings.missing.clone() })
    }

    /// The name of the column of keys.
    pub fn key(&self) -> &'a str {
        self.key
    }

    /// Takes in a row. A key that is missing, or that the file had before, is an error.
    pub fn add(&mut self, row: u64, key: &str, values: &[&str], sensitive: &[&str]) -> Result<()> {
        let (path, column) = (&self.path, self.key);
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

    /// Reads the other releases, and checks all of them together; where they are attacked, returns what intersecting gives.
    pub fn check(
        mut self,
        earlier: Vec<Input>,
        settings: &Settings,
        requirements: &[Box<dyn Requirement>],
        facts: &PromiseFacts,
        strict: bool,
        attack: bool,
    ) -> Result<(Report, Option<IntersectionAttack>)> {
        if earlier.len() >= MOST_RELEASES {
            let (against, most) = (option("against"), MOST_RELEASES - 1);
            return Err(Error::input(format!("{against} takes at most {most} files"))
                .with_help("leave out the oldest"));
        }
        for release in earlier {
            self.path = release.name().to_string();
            self.releases.begin(&self.path)?;
            let release = open_release(release, settings, &[Role::Sensitive], Some(self.key))?;
            let Release { records, positions, tally, key } = release;
            let (split, end) = (tally.quasi_identifiers().len(), positions.len());
            let wanted: Vec<usize> = positions.into_iter().chain(key).collect();
            records.for_each(&wanted, &mut |row, fields| {
                self.add(row, fields[end], &fields[..split], &fields[split..end])
            })?;
        }
        self.releases.check_and_attack(requirements, facts, strict, attack)
    }
}

/// Half of a cryptographic digest: long enough that no two keys share one, and all that is kept of a key.
fn digest(key: &str) -> u128 {
    let bytes = *blake3::hash(key.as_bytes()).as_bytes();
    bytes[..16].iter().fold(0, |digest, &byte| digest << 8 | u128::from(byte))
}

fn help(error: Error) -> Error {
    error.with_help("every row needs a key of its own; rows are counted from 1, without a header")
}
