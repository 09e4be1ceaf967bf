//! The sizes of groups.

use crate::html::{Html, Table, count, number, percent};
use crate::report::Report;
use klimt_chart::{Axis, Bars, Frame};

pub(crate) fn body(report: &Report<'_>) -> Html {
    let mut out = Html::default();
    let findings = report.findings;
    out.paragraph(&format!(
        "The {} published rows form {} groups of {} to {}, {:.1} on average. Within a group, rows look alike to whoever knows \
         the quasi-identifiers.",
        crate::html::thousands(findings.rows),
        crate::html::thousands(findings.groups),
        crate::html::thousands(findings.smallest_group),
        crate::html::thousands(findings.largest_group),
        findings.average_group,
    ));
    let label = |from: u64, to: Option<u64>| match to {
        Some(to) if to == from => crate::html::thousands(from),
        Some(to) => format!("{}–{}", crate::html::thousands(from), crate::html::thousands(to)),
        None => format!("{} or more", crate::html::thousands(from)),
    };
    let labels: Vec<String> =
        report.findings.sizes.iter().map(|bucket| label(bucket.from, bucket.to)).collect();
    let shares: Vec<f64> = report
        .findings
        .sizes
        .iter()
        .map(|bucket| bucket.rows as f64 / findings.rows.max(1) as f64 * 100.0)
        .collect();
    let frame = Frame::new(
        "Rows by the size of their group",
        "How many per cent of the published rows are in groups of each size",
    )
    .sized(860.0, 300.0);
    let chart =
        Bars::new(frame, labels.clone(), Axis::new("% of rows").from(0.0)).with("", shares).with_values();
    let mut table =
        Table::new("Groups by size", &["size of the group", "#groups", "#rows", "#share of rows"]);
    for (label, bucket) in labels.iter().zip(&report.findings.sizes) {
        let share = bucket.rows as f64 / findings.rows.max(1) as f64;
        let first = number(label.clone(), bucket.from as f64);
        table.row(vec![first, count(bucket.groups), count(bucket.rows), number(percent(share), share)]);
    }
    if table.rows.is_empty() {
        out.remark("There are no groups.");
        return out;
    }
    if report.findings.sizes.len() == 1 {
        // A single bucket is a sentence, not a chart.
        out.paragraph(&format!("All groups have {} rows.", labels[0]));
        out.table(&table);
        return out;
    }
    out.figure("sizes", &chart, &table);
    out
}
