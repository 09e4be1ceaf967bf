//! What was learnt from a release, in words.

use crate::terminal::{count, table};
use klimt_learn::{Quality, Report, TreeScore};

/// What was learnt.
pub fn describe(reports: &[Report]) -> String {
    reports.iter().map(describe_one).collect()
}

fn describe_one(report: &Report) -> String {
    let classes =
        report.classes.map_or("a number".to_string(), |classes| format!("{} classes", count(classes)));
    let mut text = format!(
        "\nLearning {} ({classes}) with a decision tree, tested on {} held-out rows\n",
        report.target,
        count(report.test_rows)
    );
    let named = if report.classes.is_some() { "the commonest class" } else { "the mean" };
    let mut rows = vec![heading(&report.base)];
    rows.push(row(&format!("always {named}"), None, &report.base));
    rows.push(row("trained on the original", Some(&report.original), &report.original.quality));
    rows.push(row("trained on the release", Some(&report.release), &report.release.quality));
    text.push_str(&table(&rows));
    let sampled = |measured: &TreeScore| measured.trained_rows == klimt_learn::MOST_ROWS as u64;
    if [&report.original, &report.release]
        .into_iter()
        .any(|measured| sampled(measured) && measured.rows > measured.trained_rows)
    {
        text.push_str(&format!(
            "Of more than {} rows, so many were trained with, evenly spread.\n",
            count(klimt_learn::MOST_ROWS as u64)
        ));
    }
    if let Some(ratio) = report.ratio {
        let what = match report.base {
            Quality::Class { .. } => "The release's tree is right as often as the original's, times",
            Quality::Number { .. } => "The error of the original's tree over that of the release's is",
        };
        text.push_str(&format!("{what} {ratio:.4}.\n"));
    }
    text
}

fn heading(quality: &Quality) -> Vec<String> {
    let measures: &[&str] = match quality {
        Quality::Class { .. } => &["guess", "rows", "accuracy"],
        Quality::Number { .. } => &["guess", "rows", "rmse", "r2"],
    };
    measures.iter().map(|name| name.to_string()).collect()
}

fn row(name: &str, measured: Option<&TreeScore>, quality: &Quality) -> Vec<String> {
    let rows = measured.map_or("-".to_string(), |measured| count(measured.trained_rows));
    let mut cells = vec![name.to_string(), rows];
    match quality {
        Quality::Class { accuracy } => cells.push(crate::risk::percent(*accuracy)),
        Quality::Number { rmse, r2 } => cells.extend([format!("{rmse:.4}"), format!("{r2:.4}")]),
    }
    cells
}
