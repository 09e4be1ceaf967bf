//! The end of a run: the release and its certificate get their names, and what was reached is told.

use crate::bundle::publish_together;
use crate::certificate::Certificate;
use crate::options::AnonymizeArgs;
use crate::output::Staged;
use crate::publish::Checked;
use crate::supervisor;
use crate::terminal::{count, note, print};
use klimt_core::Result;
use klimt_core::loss::WithPenalty;
use serde_json::Value;
use std::path::{Path, PathBuf};

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
}

/// Where the certificate goes, where one is written.
pub fn certificate_path(telling: &Telling<'_>) -> Option<String> {
    match (telling.certificate, telling.no_certificate) {
        (Some(path), _) => Some(path.to_string()),
        (None, true) => None,
        (None, false) => usual_path(telling.output),
    }
}

/// Where the certificate of a release goes where nothing is said.
fn usual_path(output: &str) -> Option<String> {
    (output != "-").then(|| format!("{output}.certificate.json"))
}

/// A release with all that stands beside it, written and checked, that waits for its names.
pub struct Ready<'a> {
    telling: Telling<'a>,
    checked: Checked,
    /// The certificate with exact losses, for the owner.
    exact: String,
    summary: String,
    /// A certificate of an older release that would stand beside the new one.
    stale: Option<PathBuf>,
}

/// Writes the certificate of a release. Nothing has its name yet.
pub fn stage<'a>(
    telling: &Telling<'a>,
    mut checked: Checked,
    certificate: &Certificate,
) -> Result<Ready<'a>> {
    let path = certificate_path(telling);
    let text = format!("{:#}\n", certificate.published);
    checked.beside.extend(path.as_deref().map(|path| Staged::whole(path, text.as_bytes())).transpose()?);
    let usual = usual_path(telling.output).filter(|usual| Some(usual) != path.as_ref()).map(PathBuf::from);
    let stale = usual.filter(|path| is_certificate(path));
    let summary = summary(&checked, &certificate.exact);
    let exact = format!("{:#}\n", certificate.exact);
    Ok(Ready { telling: *telling, checked, exact, summary, stale })
}

/// Whether a file is a certificate of ours.
fn is_certificate(path: &Path) -> bool {
    let json = std::fs::read(path).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    json.is_some_and(|json| json.get("klimt").is_some() && json["release"].get("hash").is_some())
}

/// The release and its certificate get their names, and what was reached is told.
pub fn hand_over(telling: &Telling<'_>, checked: Checked, certificate: &Certificate) -> Result<()> {
    stage(telling, checked, certificate)?.publish()
}

impl Ready<'_> {
    /// Everything gets its name, the release last, and what was reached is told.
    pub fn publish(self) -> Result<()> {
        let Ready { telling, checked, exact, summary, stale } = self;
        let naming = checked.staged.is_named().then(supervisor::naming);
        publish_together(checked.staged, checked.beside, stale.as_deref())?;
        drop(naming);
        if telling.json {
            if telling.output == "-" {
                eprint!("{exact}");
            } else {
                print(&exact)?;
            }
        }
        let quiet = telling.quiet || telling.json;
        if let Some(path) = stale {
            note(
                quiet,
                &format!("{}: removed, as it was the certificate of an older release", path.display()),
            );
        }
        note(quiet, &summary);
        Ok(())
    }
}

/// What was reached, in a line.
fn summary(checked: &Checked, certificate: &Value) -> String {
    let findings = &checked.findings;
    let suppressed = match findings.suppressed {
        0 => String::new(),
        rows => format!(", {} suppressed", count(rows)),
    };
    format!(
        "{} rows in {} groups of {} to {}{suppressed}; {}{}",
        count(findings.rows),
        count(findings.groups),
        count(findings.smallest_group),
        count(findings.largest_group),
        reached(certificate),
        counted(certificate),
    )
}

/// How a search over a split set went.
fn counted(certificate: &Value) -> String {
    let counts = &certificate["search"]["counts"];
    let number = |key: &str| counts[key].as_u64().map(count);
    let Some((splits, opened)) = number("splits").zip(number("opened")) else { return String::new() };
    let [pruned, dropped, waiting] =
        ["pruned", "dropped", "waiting"].map(|key| number(key).unwrap_or_default());
    format!(
        "; {splits} splits, {opened} partitions opened, {pruned} pruned, {dropped} dropped, {waiting} left in the queue"
    )
}

/// The certainty penalty, the loss that a search minimised, and what is proven of it.
fn reached(certificate: &Value) -> String {
    let number = |loss: &str| certificate["losses"][loss].as_f64().unwrap_or(0.0);
    let penalty = format!("ncp {:.4}", number("ncp"));
    let Some(loss) = certificate["search"]["loss"].as_str() else { return penalty };
    let minimised = match loss == WithPenalty::NAME {
        true => number("queries") + WithPenalty::TRACE * number("ncp"),
        false => number(loss),
    };
    let minimised = match minimised {
        whole if whole.fract() == 0.0 && whole < 1e15 => count(whole as u64),
        other => format!("{other:.4}"),
    };
    let family = certificate["family"].as_str().map_or(String::new(), |family| format!(" ({family})"));
    let proven = match &certificate["proven"] {
        Value::String(word) if word == "optimal" => format!(", optimal{family}"),
        proven => proven["within-factor"].as_f64().map_or(String::new(), |factor| {
            format!(", within a factor {factor:.4} of the least possible{family}")
        }),
    };
    match loss {
        "ncp" => format!("{penalty}{proven}"),
        _ => format!("{penalty}; {loss} {minimised}{proven}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_search_tells_what_it_minimised_and_what_is_proven() {
        let told = |search: Value, proven: Value| {
            let family = if proven == "heuristic" { Value::Null } else { json!("boxes") };
            reached(&json!({
                "losses": { "ncp": 0.25, "dm": 7_220_555.0, "hdm": 1.5, "queries": 0.01 }, "search": search,
                "proven": proven, "family": family
            }))
        };
        assert_eq!(told(Value::Null, json!("heuristic")), "ncp 0.2500");
        assert_eq!(
            told(json!({ "loss": "dm" }), json!("optimal")),
            "ncp 0.2500; dm 7,220,555, optimal (boxes)"
        );
        let factor = json!({ "within-factor": 1.321_54 });
        assert_eq!(
            told(json!({ "loss": "ncp" }), factor.clone()),
            "ncp 0.2500, within a factor 1.3215 of the least possible (boxes)"
        );
        assert_eq!(
            told(json!({ "loss": "hdm" }), factor),
            "ncp 0.2500; hdm 1.5000, within a factor 1.3215 of the least possible (boxes)"
        );
        assert_eq!(told(json!({ "loss": "dm" }), json!("heuristic")), "ncp 0.2500; dm 7,220,555");
        let workload = json!({ "loss": "queries + 0.01 ncp" });
        assert_eq!(
            told(workload, json!("optimal")),
            "ncp 0.2500; queries + 0.01 ncp 0.0125, optimal (boxes)"
        );
    }

    #[test]
    fn a_search_over_splits_tells_how_it_went() {
        let counts =
            json!({ "splits": 63, "boxes": 9, "opened": 1200, "pruned": 34, "dropped": 0, "waiting": 5 });
        assert_eq!(
            counted(&json!({ "search": { "loss": "dm", "counts": counts } })),
            "; 63 splits, 1,200 partitions opened, 34 pruned, 0 dropped, 5 left in the queue"
        );
        assert_eq!(counted(&json!({ "search": { "loss": "dm" } })), "");
    }
}
