//! `klimt inspect`: the columns of a table, and how easily its people are found.

use super::threads;
use crate::columns::gather;
use crate::options::InspectArgs;
use crate::progress::Progress;
use crate::risk::{percent, question};
use crate::terminal::{count, print, table as lines_up};
use klimt::inspect::{InspectRequest, Inspection};
use klimt::{Input, Words};
use klimt_core::{Error, Result};

/// Runs the command.
pub fn run(args: &InspectArgs) -> Result<()> {
    let question = question(&args.risk)?;
    let settings = gather(None, &args.columns, &args.format)?;
    threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let request = InspectRequest::of(settings).risk(question).words(Words::Flags);
    let inspection = request.run_watched(Input::file(&args.input)?, &progress.watched())?;
    if args.json {
        let text = serde_json::to_string_pretty(&inspection).map_err(|e| Error::internal(e.to_string()))?;
        return print(&format!("{text}\n"));
    }
    print(&describe(&inspection))
}

fn describe(inspection: &Inspection) -> String {
    let heading =
        ["column", "type", "distinct", "missing", "role", "unique alone", "adds unique", "certain rows"];
    let mut rows = vec![heading.map(String::from).to_vec()];
    for column in &inspection.columns {
        let role = if column.suggested { format!("{}?", column.role) } else { column.role.to_string() };
        rows.push(vec![
            column.name.clone(),
            column.r#type.clone(),
            count(column.distinct as u64),
            count(column.missing as u64),
            role,
            count(column.unique_alone as u64),
            column.adds_unique.map_or(String::from("-"), count),
            column.certain.map_or(String::from("-"), percent),
        ]);
    }
    let mut text = format!("{} rows\n\n{}", count(inspection.rows as u64), lines_up(&rows));
    if let Some(risk) = &inspection.risk {
        text.push_str(&format!(
            "\nBy {}: {} different tuples, the smallest group has {}\n{}",
            risk.quasi_identifiers.join(", "),
            count(risk.tuples),
            count(risk.risk.smallest_group),
            crate::risk::describe(&risk.risk),
        ));
    }
    if inspection.columns.iter().any(|column| column.suggested) {
        text.push_str("\nA role with ? is only suggested: decide for yourself. The reasons:\n");
        for column in &inspection.columns {
            let Some(reason) = &column.reason else { continue };
            let person = if column.is_person { " (the person)" } else { "" };
            text.push_str(&format!("  {}: {}{person}: {reason}\n", column.name, column.role));
        }
    }
    for (at, warning) in inspection.warnings.iter().enumerate() {
        text.push_str(&format!("{}warning: {warning}\n", if at == 0 { "\n" } else { "" }));
    }
    text
}
