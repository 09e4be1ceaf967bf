//! `klimt verify`: what a release reaches, from its published file alone, and with the releases before it.

mod against;
pub mod args;
mod attack;

use super::threads;
use crate::columns::gather;
use crate::options::VerifyArgs;
use crate::progress::Progress;
use crate::risk;
use crate::terminal::{count, note, print};
use klimt::verify::{Verdict, Verification, reached};
use klimt::{Input, Words};
use klimt_core::{Error, ErrorKind, Result};
use klimt_verify::claims::Outcome;
use klimt_verify::{Findings, NumberedGroup};

/// Runs the command.
pub fn run(args: &VerifyArgs) -> Result<()> {
    let mut settings = gather(args.spec.as_deref(), &args.columns, &args.format)?;
    args.requirements.apply(&mut settings)?;
    let question = risk::question(&args.risk)?;
    let attack = attack::question(args)?;
    let mut verification = Verification::of(settings)
        .risk(question)
        .stars_are_suppressed(args.stars_are_suppressed)
        .show_groups(args.show_groups)
        .words(Words::Flags);
    if let Some(key) = against::key_of(&args.release, &args.against)? {
        let earlier = args.against.against.iter().map(Input::file).collect::<Result<_>>()?;
        verification = verification.against(earlier, key, args.against.strict);
    }
    if let Some(people) = &args.people {
        verification = verification.people(Input::file(people)?);
    }
    if let Some(attack) = attack {
        verification = verification.attack(attack);
    }
    threads(&args.general);
    let progress = Progress::new(args.general.quiet || args.json)?;
    let verdict = verification.run_watched(Input::file(&args.release)?, &progress.watched())?;
    if args.json {
        let text = serde_json::to_string_pretty(&verdict).map_err(|e| Error::internal(e.to_string()))?;
        print(&format!("{text}\n"))?;
    } else if !args.general.quiet {
        show(&verdict)?;
    }
    match Error::all(ErrorKind::Unsatisfied, verdict.problems()) {
        None => Ok(()),
        Some(error) => {
            let error = against::advise(name_worst(error, &verdict.worst), verdict.against.as_ref());
            Err(attack::advise(error, verdict.attack.as_ref()))
        }
    }
}

fn show(verdict: &Verdict) -> Result<()> {
    print(&describe(&verdict.findings, &verdict.claims))?;
    if let Some(rows) = verdict.suppressed_stars {
        print(&format!("read with     {}\n", stars_note(rows)))?;
    }
    print(&describe_groups(verdict.groups.as_deref().unwrap_or_default()))?;
    print(&format!("\n{}{}", risk::describe(&verdict.risk), describe_contributions(verdict)))?;
    verdict.against.as_ref().map_or(Ok(()), |report| print(&against::describe(report)))?;
    verdict.attack.as_ref().map_or(Ok(()), |found| print(&attack::describe(found)))?;
    for warning in &verdict.warnings {
        note(false, &format!("warning: {warning}"));
    }
    Ok(())
}

/// The flag that reads rows of stars as suppressed ones.
pub const STARS_ARE_SUPPRESSED: &str = "--stars-are-suppressed";

/// What the flag leaves unchecked.
pub fn stars_note(suppressed: u64) -> String {
    format!(
        "{STARS_ARE_SUPPRESSED}: {} rows that are * in every quasi-identifier count as suppressed and are not checked",
        count(suppressed)
    )
}

fn describe_groups(shown: &[NumberedGroup]) -> String {
    let line = |group: &NumberedGroup| {
        let values: Vec<String> =
            group.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("group {:<7} {} rows: {}\n", count(group.group), count(group.rows), values.join(", "))
    };
    shown.iter().map(line).collect()
}

/// Which columns make rows unique, where there are any.
fn describe_contributions(verdict: &Verdict) -> String {
    let adding = verdict.adds_unique.iter().filter(|(_, rows)| **rows > 0);
    adding.map(|(name, rows)| format!("{} of the unique rows are unique by {name}\n", count(*rows))).collect()
}

fn describe(findings: &Findings, outcomes: &[Outcome]) -> String {
    let mut text = format!(
        "rows          {}\nsuppressed    {}\ngroups        {}\ngroup sizes   {} to {}, {:.1} on average\n",
        count(findings.rows),
        count(findings.suppressed),
        count(findings.groups),
        count(findings.smallest_group),
        count(findings.largest_group),
        findings.average_group,
    );
    if let Some(people) = &findings.people {
        text.push_str(&format!(
            "people        {}; {} to {} in a group\n",
            count(people.people),
            count(people.smallest_group),
            count(people.largest_group),
        ));
    }
    for column in &findings.sensitive {
        let share = column.certain_rows as f64 / findings.rows.max(1) as f64;
        text.push_str(&format!(
            "{:<13} at least {} different values in a group; {} rows ({}) whose value is certain\n",
            column.column,
            column.least_distinct,
            count(column.certain_rows),
            risk::percent(share),
        ));
    }
    for outcome in outcomes {
        let verdict = if outcome.holds { "holds" } else { "FAILS" };
        text.push_str(&format!("{verdict:<13} {}: {}\n", outcome.description, reached(outcome)));
    }
    text
}

/// Names the smallest groups that fall short, by number: their values are those of people who are not hidden.
fn name_worst(error: Error, worst: &[NumberedGroup]) -> Error {
    if worst.is_empty() {
        return error;
    }
    let rows = |rows: u64| if rows == 1 { "1 row".to_string() } else { format!("{} rows", count(rows)) };
    let named: Vec<String> =
        worst.iter().map(|found| format!("group {} ({})", count(found.group), rows(found.rows))).collect();
    error.with_help(format!(
        "the smallest that fall short: {}; groups are counted in the order in which their first rows come",
        named.join(", ")
    ))
}
