//! The section about requirements, roles, and proofs.

use crate::html::{Html, Table, rounded_up, text, verdict};
use crate::report::Report;
use klimt_core::proof::Claim;
use klimt_core::requirement::Side;
use klimt_core::table::Role;

pub(crate) fn body(report: &Report<'_>) -> Html {
    let mut out = Html::default();
    out.paragraph(
        "Requirements are checked again for this page, from the bytes of the release: what its certificate says is not taken for granted.",
    );
    if report.outcomes.is_empty() {
        out.paragraph("No requirement was named, neither by a flag nor by a spec or a certificate.");
    } else {
        let mut table = Table::new(
            "Requirements: every group of the release must satisfy each",
            &["requirement", "asked", "reached by the worst group", "verdict"],
        );
        for outcome in report.outcomes {
            let side = outcome.side.map_or("", Side::words);
            table.row(vec![
                text(&outcome.description),
                text(format!("{side} {}", outcome.limit)),
                text(outcome.measured.to_string()),
                verdict(outcome.holds),
            ]);
        }
        out.table(&table);
    }
    let mut roles = Table::new("Columns and their roles", &["column", "role", "what happens to it"]);
    for (name, role) in report.provenance.roles {
        roles.row(vec![text(name), text(role.to_string()), text(treatment(*role))]);
    }
    out.table(&roles);
    out.heading("What is proven");
    out.paragraph(&proven(report));
    if let Some(counts) = searched(report) {
        out.paragraph(&counts);
    }
    out
}

/// The treatment of the columns of a role.
fn treatment(role: Role) -> &'static str {
    match role {
        Role::QuasiIdentifier => "generalised: others may know it and find people by it",
        Role::Sensitive => "published as it is, within a group that hides whose it is",
        Role::Identifier => "not published",
        Role::Person => "not published: it says whom a row is about, so that people are counted and not rows",
        Role::Target => "published as it is; users want to predict it",
        Role::Insensitive => "published as it is",
    }
}

/// How a search over a split set went.
fn searched(report: &Report<'_>) -> Option<String> {
    let counts = report.certificate.filter(|certificate| certificate.matches)?.counts?;
    Some(format!(
        "The search was over {} splits: it opened {} partitions, gave up {} that could not lead to a better one, dropped {} for lack of room, and left {} in its queue.",
        counts.splits, counts.opened, counts.pruned, counts.dropped, counts.waiting,
    ))
}

fn proven(report: &Report<'_>) -> String {
    let Some(certificate) = report.certificate.filter(|certificate| certificate.matches) else {
        return String::from(
            "Nothing is known of how near the release is to the least possible loss: there is no certificate that belongs to it.",
        );
    };
    let of = certificate.loss.as_ref().map_or(String::new(), |loss| format!(" of the loss {loss}"));
    let family = certificate.family.as_deref().unwrap_or("partitions of its kind");
    match certificate.proven {
        Claim::Optimal => format!(
            "By its certificate, the release is optimal: no release of its family has less{of}. The family: {family}."
        ),
        Claim::WithinFactor(factor) => format!(
            "By its certificate, the release is within a factor of {} of the least possible{of} in its \
             family. The family: {family}.",
            rounded_up(factor, 4)
        ),
        Claim::Heuristic => String::from(
            "The groups were found by a heuristic: the requirements hold, and a release with less loss may exist.",
        ),
    }
}
