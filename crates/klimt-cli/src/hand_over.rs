//! The end of a run: the release and its certificate get their names, and what was reached is told.

use crate::options::AnonymizeArgs;
use crate::output::Staged;
use crate::publish::Checked;
use crate::terminal::{count, note, print};
use klimt::{Error, Result};
use serde_json::Value;

/// What is told of a release, and where.
#[derive(Clone, Copy, Debug)]
pub struct Telling<'a> {
    /// Where the release goes.
    pub output: &'a str,
    /// Where the certificate goes; beside the release where nothing is said.
    pub certificate: Option<&'a str>,
    /// Whether there is none.
    pub no_certificate: bool,
    /// Whether the certificate is printed.
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
    let output = telling.output;
    match (telling.certificate, telling.no_certificate) {
        (Some(path), _) => Some(path.to_string()),
        (None, true) => None,
        (None, false) => (output != "-").then(|| format!("{output}.certificate.json")),
    }
}

/// The release gets its name, then the certificate; a certificate of an older release is gone before that.
pub fn hand_over(telling: &Telling<'_>, checked: Checked, certificate: &Value) -> Result<()> {
    let path = certificate_path(telling);
    let text = format!("{certificate:#}\n");
    let staged = path.as_deref().map(Staged::create).transpose()?;
    if let (Some(staged), Some(path)) = (&staged, &path) {
        use std::io::Write;
        staged.file().write_all(text.as_bytes()).map_err(|e| Error::io(path, "write it", &e))?;
        if std::path::Path::new(path).is_file() {
            std::fs::remove_file(path).map_err(|e| Error::io(path, "replace it", &e))?;
        }
    }
    let findings = checked.findings.clone();
    checked.staged.publish()?;
    staged.map_or(Ok(()), Staged::publish)?;
    if telling.json {
        if telling.output == "-" {
            eprint!("{text}");
        } else {
            print(&text)?;
        }
    }
    let suppressed = match findings.suppressed {
        0 => String::new(),
        rows => format!(", {} suppressed", count(rows)),
    };
    note(
        telling.quiet || telling.json,
        &format!(
            "{} rows in {} groups of {} to {}{suppressed}; {}",
            count(findings.rows),
            count(findings.groups),
            count(findings.smallest_group),
            count(findings.largest_group),
            reached(certificate),
        ),
    );
    Ok(())
}

/// The certainty penalty, the loss that a search minimised, and what is proven of it.
fn reached(certificate: &Value) -> String {
    let number = |loss: &str| certificate["losses"][loss].as_f64().unwrap_or(0.0);
    let penalty = format!("ncp {:.4}", number("ncp"));
    let Some(loss) = certificate["search"]["loss"].as_str() else { return penalty };
    let minimised = match number(loss) {
        whole if whole.fract() == 0.0 && whole < 1e15 => count(whole as u64),
        other => format!("{other:.4}"),
    };
    let proven = match &certificate["proven"] {
        Value::String(word) if word == "optimal" => ", optimal".to_string(),
        proven => proven["within-factor"]
            .as_f64()
            .map_or(String::new(), |factor| format!(", within a factor {factor:.4} of the least possible")),
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
            reached(&json!({
                "losses": { "ncp": 0.25, "dm": 7_220_555.0, "hdm": 1.5 }, "search": search, "proven": proven
            }))
        };
        assert_eq!(told(Value::Null, json!("heuristic")), "ncp 0.2500");
        assert_eq!(told(json!({ "loss": "dm" }), json!("optimal")), "ncp 0.2500; dm 7,220,555, optimal");
        let factor = json!({ "within-factor": 1.321_54 });
        assert_eq!(
            told(json!({ "loss": "ncp" }), factor.clone()),
            "ncp 0.2500, within a factor 1.3215 of the least possible"
        );
        assert_eq!(
            told(json!({ "loss": "hdm" }), factor),
            "ncp 0.2500; hdm 1.5000, within a factor 1.3215 of the least possible"
        );
        assert_eq!(told(json!({ "loss": "dm" }), json!("heuristic")), "ncp 0.2500; dm 7,220,555");
    }
}
