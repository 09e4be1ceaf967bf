//! `klimt measure`: what a release costs its users.

use super::verify::{gather, tally};
use super::{read_table, threads};
use crate::options::{MeasureArgs, Other};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::terminal::{print, table};
use klimt::region::Published;
use klimt::registry;
use klimt::table::{Role, Table};
use klimt::{Error, Result};
use klimt_verify::{Findings, Question, Tally};
use serde_json::{Map, Value, json};

/// Runs the command.
pub fn run(args: &MeasureArgs) -> Result<()> {
    let settings = gather(args.spec.as_deref(), &args.columns)?;
    let k = args.requirements.k.or(settings.k);
    let release = args.release.as_deref().unwrap_or(&args.original);
    let tally = tally(release, &args.format, &settings)?;
    let original = args.release.as_ref().map(|_| read_original(args, &settings)).transpose()?;
    let original_rows = original.as_ref().map(|table| table.rows() as u64);
    let findings = Findings::new(&tally, &Question { k, original_rows })?;
    // The average is taken in units of the k that was asked for, else of the k that is reached.
    let k = k.unwrap_or(findings.smallest_group).max(1);
    let mut losses: Vec<(&str, f64)> =
        vec![("dm", findings.dm as f64), ("c_avg", findings.average_group / k as f64)];
    if let Some(original) = &original {
        losses.push(("ncp", certainty_penalty(original, &tally, &settings, findings.suppressed)?));
    }
    if args.json {
        let map: Map<String, Value> = losses.iter().map(|(id, loss)| (id.to_string(), json!(loss))).collect();
        let text = json!({ "rows": findings.rows, "suppressed": findings.suppressed, "groups": findings.groups,
            "smallest_group": findings.smallest_group, "k": k, "losses": map });
        return print(&format!("{text:#}\n"));
    }
    let help = |id: &str| {
        registry::LOSSES.iter().find(|(entry, _)| entry.id == id).map_or("", |(entry, _)| entry.help)
    };
    let mut rows = vec![vec!["loss".to_string(), "value".to_string(), "meaning".to_string()]];
    rows.extend(losses.iter().map(|(id, loss)| vec![id.to_string(), shown(*loss), help(id).to_string()]));
    print(&table(&rows))
}

fn shown(loss: f64) -> String {
    if loss.fract() == 0.0 { format!("{loss:.0}") } else { format!("{loss:.6}") }
}

fn read_original(args: &MeasureArgs, settings: &Settings) -> Result<Table> {
    let progress = Progress::new(args.general.quiet)?;
    let mut settings = settings.clone();
    settings.other = Some(Other::Drop);
    settings.columns.retain(|_, column| column.role == Some(Role::QuasiIdentifier));
    read_table(&args.original, &args.format, &settings.missing, threads(&args.general), &progress, |source| {
        crate::columns::plan(&args.original, source.columns(), &settings)
    })
}

/// The normalised certainty penalty of what is published, with the weights that were given.
fn certainty_penalty(original: &Table, tally: &Tally, settings: &Settings, suppressed: u64) -> Result<f64> {
    let names = tally.quasi_identifiers();
    let dimension = |name: &String| {
        (0..original.dimensions())
            .find(|&d| original.dimension(d).name == *name)
            .ok_or_else(|| Error::internal(format!("column {name} was not read")))
    };
    let dimensions = names.iter().map(dimension).collect::<Result<Vec<_>>>()?;
    let readers: Vec<Published<'_>> =
        dimensions.iter().map(|&d| Published::new(original.domain(d))).collect();
    let weights: Vec<f64> =
        names.iter().map(|name| settings.columns.get(name).and_then(|c| c.weight).unwrap_or(1.0)).collect();
    let total: f64 = weights.iter().sum();
    let mut sum = 0.0;
    for group in tally.groups() {
        for (at, text) in group.values().enumerate() {
            let penalty = readers[at].penalty(text).ok_or_else(|| {
                Error::input(format!("column {}: a published value is no value of the original", names[at]))
                    .with_help("give the hierarchy or order that the release was made with")
            })?;
            sum += weights[at] * penalty * group.rows() as f64;
        }
    }
    if total == 0.0 || original.rows() == 0 {
        return Ok(0.0);
    }
    Ok((sum / total + suppressed as f64) / original.rows() as f64)
}
