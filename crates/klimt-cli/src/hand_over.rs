//! The end of a run: the release and its certificate get their names, and what was reached is told.

use crate::options::AnonymizeArgs;
use crate::terminal::{count, note, print, rounded_up};
use klimt::certificate::{Certificate, MadeCertificate};
use klimt::run::Checked;
use klimt::{CertificatePlace, HandOver, Output, Watched};
use klimt_core::Result;
use klimt_core::loss::WithPenalty;
use klimt_core::proof::Claim;
use std::path::Path;

/// What is told of a release, and where.
#[derive(Clone, Copy, Debug)]
pub struct Telling<'a> {
    /// Where the release goes.
    pub output: &'a str,
    /// Where the certificate goes; beside the release where nothing is said.
    pub certificate: Option<&'a str>,
    /// Whether there is none.
    pub no_certificate: bool,
    /// Whether the certificate is printed, with the exact losses.
    pub json: bool,
    /// Whether nothing else is.
    pub quiet: bool,
}

impl<'a> Telling<'a> {
    /// As the flags say.
    pub fn of(args: &'a AnonymizeArgs, output: &'a str) -> Self {
        Telling {
            output,
            certificate: args.publish.certificate.as_deref(),
            no_certificate: args.publish.no_certificate,
            json: args.json,
            quiet: args.general.quiet,
        }
    }

    /// Where the certificate goes.
    pub fn place(&self) -> CertificatePlace {
        match (self.certificate, self.no_certificate) {
            (Some(path), _) => CertificatePlace::File(path.to_string()),
            (None, true) => CertificatePlace::Nowhere,
            (None, false) => CertificatePlace::Beside,
        }
    }
}

/// Where the certificate goes, where one is written.
pub fn certificate_path(telling: &Telling<'_>) -> Result<Option<String>> {
    Ok(telling.place().path(&Output::file(telling.output)?))
}

/// The release and its certificate get their names, and what was reached is told.
pub fn hand_over(
    telling: &Telling<'_>,
    checked: Checked,
    certificate: MadeCertificate,
    watched: &Watched<'_>,
) -> Result<()> {
    let output = Output::file(telling.output)?;
    let named = HandOver::stage(checked, certificate, &output, &telling.place())?.publish(watched)?;
    tell(telling, &named.certificate.exact, named.removed.as_deref())
}

/// Tells what a release has reached, by the certificate with exact losses. `removed` is the certificate of an older release
/// that stood beside it.
pub fn tell(telling: &Telling<'_>, exact: &Certificate, removed: Option<&Path>) -> Result<()> {
    if telling.json {
        let text = exact.to_json()?;
        if telling.output == "-" {
            eprint!("{text}");
        } else {
            print(&text)?;
        }
    }
    let quiet = telling.quiet || telling.json;
    if let Some(path) = removed {
        let path = path.display();
        note(quiet, &format!("{path}: removed, as it was the certificate of an older release"));
    }
    note(quiet, &summary(exact));
    Ok(())
}

/// What was reached, in a line.
fn summary(certificate: &Certificate) -> String {
    let suppressed = match certificate.rows.suppressed {
        0 => String::new(),
        rows => format!(", {} suppressed", count(rows)),
    };
    format!(
        "{} rows in {} groups of {} to {}{suppressed}; {}{}",
        count(certificate.rows.published),
        count(certificate.groups),
        count(certificate.sizes.smallest),
        count(certificate.sizes.largest),
        reached(certificate),
        counted(certificate),
    )
}

/// How a search over a split set went.
fn counted(certificate: &Certificate) -> String {
    let Some(counts) = certificate.search.as_ref().and_then(|search| search.counts) else {
        return String::new();
    };
    let [splits, opened, pruned, dropped, waiting] =
        [counts.splits, counts.opened, counts.pruned, counts.dropped, counts.waiting].map(count);
    format!(
        "; {splits} splits, {opened} partitions opened, {pruned} pruned, {dropped} dropped, {waiting} left in the queue"
    )
}

/// The certainty penalty, the loss that a search minimised, and what is proven of it.
fn reached(certificate: &Certificate) -> String {
    let number = |loss: &str| certificate.loss(loss).unwrap_or(0.0);
    let penalty = format!("ncp {:.4}", number("ncp"));
    let Some(loss) = certificate.search.as_ref().map(|search| search.loss.as_str()) else { return penalty };
    let minimised = match loss == WithPenalty::NAME {
        true => number("queries") + WithPenalty::TRACE * number("ncp"),
        false => number(loss),
    };
    let minimised = match minimised {
        whole if whole.fract() == 0.0 && whole < 1e15 => count(whole as u64),
        other => format!("{other:.4}"),
    };
    let family = certificate.family.as_ref().map_or(String::new(), |family| format!(" ({family})"));
    let proven = match certificate.proven {
        Claim::Optimal => format!(", optimal{family}"),
        Claim::WithinFactor(factor) => {
            format!(", within a factor {} of the least possible{family}", rounded_up(factor, 4))
        }
        Claim::Heuristic => String::new(),
    };
    match loss {
        "ncp" => format!("{penalty}{proven}"),
        _ => format!("{penalty}; {loss} {minimised}{proven}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use klimt::certificate::SearchAccount;
    use klimt_core::job::SearchCounts;
    use serde_json::json;

    fn certificate(loss: Option<&str>, proven: Claim) -> Certificate {
        let mut certificate: Certificate = serde_json::from_value(json!({
            "version": 2, "klimt": "0", "release": { "rows": 0 }, "k": 1, "rows": { "original": 0, "published": 0, "suppressed": 0 },
            "groups": { "count": 0, "smallest": 0, "largest": 0, "average": 0.0, "sizes": [] },
            "spec": { "columns": [], "settings": {} }, "requirements": [], "reached": [], "sensitive": [],
            "losses": { "ncp": 0.25, "dm": 7_220_555.0, "hdm": 1.5, "queries": 0.01 }, "proven": "heuristic",
            "family": null, "run": { "algorithm": "mondrian" }, "search": null
        }))
        .unwrap();
        certificate.proven = proven;
        certificate.family = (proven != Claim::Heuristic).then(|| "boxes".to_string());
        certificate.search =
            loss.map(|loss| SearchAccount { loss: loss.to_string(), found: None, bound: None, counts: None });
        certificate
    }

    #[test]
    fn a_search_tells_what_it_minimised_and_what_is_proven() {
        let told = |loss: Option<&str>, proven: Claim| reached(&certificate(loss, proven));
        assert_eq!(told(None, Claim::Heuristic), "ncp 0.2500");
        assert_eq!(told(Some("dm"), Claim::Optimal), "ncp 0.2500; dm 7,220,555, optimal (boxes)");
        let factor = Claim::WithinFactor(1.321_44);
        assert_eq!(
            told(Some("ncp"), factor),
            "ncp 0.2500, within a factor 1.3215 of the least possible (boxes)"
        );
        assert_eq!(
            told(Some("hdm"), factor),
            "ncp 0.2500; hdm 1.5000, within a factor 1.3215 of the least possible (boxes)"
        );
        let close = told(Some("ncp"), Claim::WithinFactor(1.000_04));
        assert_eq!(close, "ncp 0.2500, within a factor 1.0001 of the least possible (boxes)");
        assert_eq!(told(Some("dm"), Claim::Heuristic), "ncp 0.2500; dm 7,220,555");
        assert_eq!(
            told(Some("queries + 0.01 ncp"), Claim::Optimal),
            "ncp 0.2500; queries + 0.01 ncp 0.0125, optimal (boxes)"
        );
    }

    #[test]
    fn a_search_over_splits_tells_how_it_went() {
        let counts = SearchCounts { splits: 63, boxes: 9, opened: 1200, pruned: 34, dropped: 0, waiting: 5 };
        let mut searched = certificate(Some("dm"), Claim::Heuristic);
        assert_eq!(counted(&searched), "");
        searched.search.as_mut().unwrap().counts = Some(counts);
        assert_eq!(
            counted(&searched),
            "; 63 splits, 1,200 partitions opened, 34 pruned, 0 dropped, 5 left in the queue"
        );
    }
}
