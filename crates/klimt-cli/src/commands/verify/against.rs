//! `klimt verify --against`: what a release tells together with the releases before it, in words.

use crate::options::AgainstArgs;
use crate::terminal::count;
use klimt::verify::{linked_outcomes, reached};
use klimt_core::{Error, Result};
use klimt_verify::against::{ChangedRows, Difference, Report};

/// The column of keys, where a release is to be checked against others; whether the flags make sense.
pub fn key_of<'a>(release: &str, args: &'a AgainstArgs) -> Result<Option<&'a str>> {
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
    Ok(Some(key))
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
    for (outcomes, of) in linked_outcomes(report) {
        for outcome in outcomes {
            let verdict = if outcome.holds { "holds" } else { "FAILS" };
            text.push_str(&format!("{verdict:<13} {} in {of}: {}\n", outcome.description, reached(outcome)));
        }
    }
    text
}

fn describe_difference(difference: &Difference) -> String {
    let Difference { newer, older, newcomers, leavers } = difference;
    let told = |changed: &ChangedRows, did: &str| match changed.smallest {
        None => format!("nobody {did}"),
        Some(smallest) => {
            format!("{} rows {did}, at least {} in a group", count(changed.rows), count(smallest))
        }
    };
    format!("differences   {older} to {newer}: {}; {}\n", told(newcomers, "joined"), told(leavers, "left"))
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
