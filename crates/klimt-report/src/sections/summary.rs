//! The top of the page: one sentence and four figures.

use crate::html::{Html, percent, thousands};
use crate::report::Report;

pub(crate) fn write(report: &Report<'_>, out: &mut Html) {
    let findings = report.findings;
    let failed = report.outcomes.iter().filter(|outcome| !outcome.holds).count();
    let reached = findings.smallest_group;
    match (report.outcomes.len(), failed) {
        (0, _) => out.verdict(
            report.holds(),
            "Nothing was asked.",
            &format!("Every published row is shared by at least {}.", people(reached)),
        ),
        (1, 0) => out.verdict(
            report.holds(),
            word(report.holds()),
            &format!("Every published row is shared by at least {}, as was asked.", people(reached)),
        ),
        (all, 0) => out.verdict(
            report.holds(),
            word(report.holds()),
            &format!(
                "Every published row is shared by at least {}, and all {all} requirements hold.",
                people(reached)
            ),
        ),
        (all, failed) => out.verdict(
            false,
            "Do not publish.",
            &format!("{failed} of {all} requirements fail: the smallest group has {}.", people(reached)),
        ),
    }
    for warning in report.warnings.iter().filter(|warning| warning.loud) {
        out.warning(&warning.text, true);
    }
    let (before, after) = (&report.risks.before, &report.risks.after);
    let kept = report.losses.iter().find(|loss| loss.id == "ncp").map(|loss| 1.0 - loss.value);
    out.figures(&[
        (
            "Everyone hides among at least",
            thousands(reached),
            report.provenance.k.map_or(String::from("published rows"), |k| {
                format!("published rows; {} were asked for", thousands(k))
            }),
        ),
        (
            "Highest chance to be found",
            percent(after.prosecutor.highest),
            format!("{} in the original", percent(before.prosecutor.highest)),
        ),
        (
            "Rows published",
            thousands(findings.rows),
            match findings.suppressed {
                0 => String::from("all rows of the original"),
                rows => format!("{} left out", thousands(rows)),
            },
        ),
        (
            "Detail kept",
            kept.map_or(String::from("–"), percent),
            String::from("of what the quasi-identifiers told, by the certainty penalty"),
        ),
    ]);
}

fn word(good: bool) -> &'static str {
    if good { "Holds." } else { "Look again." }
}

fn people(many: u64) -> String {
    if many == 1 { String::from("1 row") } else { format!("{} rows", thousands(many)) }
}
