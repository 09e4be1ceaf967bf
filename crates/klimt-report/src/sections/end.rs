//! Losses, warnings, and how to make the release again.

use crate::html::{Html, Table, number, text, thousands};
use crate::report::Report;

pub(crate) fn losses(report: &Report<'_>) -> Html {
    let mut out = Html::default();
    out.paragraph("What users of the release lose, by the usual measures; less is better.");
    let mut table = Table::new("Losses", &["loss", "#value", "meaning"]);
    for loss in report.losses {
        table.row(vec![text(loss.id), number(precisely(loss.value), loss.value), text(loss.meaning)]);
    }
    out.table(&table);
    out
}

/// All digits before the point, and four that matter behind it.
fn precisely(value: f64) -> String {
    match value {
        whole if whole.fract() == 0.0 && (0.0..1e15).contains(&whole) => thousands(whole as u64),
        large if (1000.0..1e15).contains(&large) => thousands(large.round() as u64),
        small => klimt_chart::number(small),
    }
}

pub(crate) fn warnings(report: &Report<'_>) -> Html {
    let mut out = Html::default();
    if report.warnings.is_empty() {
        out.paragraph("None.");
    }
    for warning in report.warnings {
        out.warning(&warning.text, warning.loud);
    }
    out
}

pub(crate) fn reproduce(report: &Report<'_>) -> Html {
    let mut out = Html::default();
    match report.provenance.make {
        Some(make) => {
            out.paragraph(
                "This makes the release again. The groups are the same; the rows inside them are shuffled anew.",
            );
            out.verbatim(make);
        }
        None => out.paragraph(
            "The release was made from a store: its groups depend on the releases before it, so it cannot be made again from the \
             original.",
        ),
    }
    out.paragraph("This checks the release from its file alone:");
    out.verbatim(report.provenance.check);
    match report.certificate {
        None => out.paragraph("No certificate was found beside the release."),
        Some(certificate) => {
            let word = match certificate.matches {
                true => "The certificate beside the release is its own: the hash in it is that of the file.",
                false => {
                    "The certificate beside the release is NOT its own: the hash in it is that of another file."
                }
            };
            out.paragraph(word);
            let mut body = Html::default();
            body.verbatim(&certificate.text);
            out.details("The certificate", body);
        }
    }
    out
}
