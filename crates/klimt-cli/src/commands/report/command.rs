//! The commands that a page names: how the release is made again, and how it is checked.

use super::args::ReportArgs;
use crate::commands::verify::STARS_ARE_SUPPRESSED;
use crate::settings::Settings;
use klimt::names::{quoted, shell};
use klimt::table::Role;
use serde_json::Value;

/// The command that makes a release like this one: the spec where there is one, all flags otherwise.
pub fn make(
    args: &ReportArgs,
    settings: &Settings,
    roles: &[(String, Role)],
    certificate: Option<&Value>,
) -> String {
    let mut line = Line::new(&["klimt", "anonymize", &args.original]);
    if let Some(spec) = &args.spec {
        line.flag("spec", spec);
    }
    columns(&mut line, settings, roles);
    requirements(&mut line, settings);
    if let Some(said) = certificate.map(|json| &json["spec"]["settings"]) {
        method(&mut line, said);
    }
    line.flag("output", &args.release);
    line.text
}

/// The command that checks the release.
pub fn check(args: &ReportArgs, settings: &Settings, roles: &[(String, Role)]) -> String {
    let mut line = Line::new(&["klimt", "verify", &args.release]);
    if let Some(spec) = &args.spec {
        line.flag("spec", spec);
    }
    let counted: Vec<(String, Role)> = roles
        .iter()
        .filter(|(_, role)| matches!(role, Role::QuasiIdentifier | Role::Sensitive))
        .cloned()
        .collect();
    columns(&mut line, settings, &counted);
    requirements(&mut line, settings);
    if args.stars_are_suppressed {
        line.text.push_str(&format!(" \\\n    {STARS_ARE_SUPPRESSED}"));
    }
    line.text
}

/// A command line in the making, quoted for a shell.
struct Line {
    text: String,
}

impl Line {
    fn new(words: &[&str]) -> Self {
        let mut line = Line { text: String::new() };
        words.iter().for_each(|word| line.word(word));
        line
    }

    fn word(&mut self, word: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(&shell(word));
    }

    fn flag(&mut self, flag: &str, value: &str) {
        self.text.push_str(" \\\n   ");
        match value.starts_with('-') {
            true => self.word(&format!("--{flag}={value}")),
            false => {
                self.word(&format!("--{flag}"));
                self.word(value);
            }
        }
    }
}

fn columns(line: &mut Line, settings: &Settings, roles: &[(String, Role)]) {
    let flags = [
        (Role::QuasiIdentifier, "qi"),
        (Role::Sensitive, "sensitive"),
        (Role::Insensitive, "insensitive"),
        (Role::Target, "target"),
        (Role::Identifier, "identifier"),
    ];
    for (role, flag) in flags {
        let mut named: Vec<&String> =
            roles.iter().filter(|(_, other)| *other == role).map(|(name, _)| name).collect();
        if role == Role::QuasiIdentifier {
            named.sort_by_key(|name| settings.columns.get(*name).and_then(|column| column.rank));
        }
        let names: Vec<String> = named.into_iter().map(|name| quoted(name)).collect();
        if !names.is_empty() {
            line.flag(flag, &names.join(","));
        }
    }
    for (name, column) in
        settings.columns.iter().filter(|(name, _)| roles.iter().any(|(other, _)| other == *name))
    {
        let name = quoted(name);
        if let Some(typed) = &column.type_spec {
            line.flag("type", &format!("{name}={typed}"));
        }
        if let Some(file) = &column.order {
            line.flag("order", &format!("{name}={file}"));
        }
        if let Some(file) = &column.hierarchy {
            line.flag("hierarchy", &format!("{name}={file}"));
        }
        if let Some(weight) = column.weight {
            line.flag("weight", &format!("{name}={weight}"));
        }
        if column.allow_unique {
            line.flag("allow-unique", &name);
        }
    }
    settings.missing.iter().for_each(|text| line.flag("missing", text));
}

fn requirements(line: &mut Line, settings: &Settings) {
    if let Some(k) = settings.k {
        line.flag("k", &k.to_string());
    }
    for wanted in &settings.requirements {
        match &wanted.column {
            Some(column) => line.flag(wanted.flag, &format!("{}={}", quoted(column), wanted.text)),
            None => line.flag(wanted.flag, &wanted.text),
        }
    }
}

/// The settings of a certificate that are flags of the same name, where they are not the usual ones.
fn method(line: &mut Line, said: &Value) {
    let scalar = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let algorithm = said["algorithm"].as_str().unwrap_or("");
    let usual = [
        ("effort", "fast"),
        ("extent", if algorithm == "scheme" { "region" } else { "compact" }),
        ("partitioning", "strict"),
        ("suppress", "none"),
        ("direction", "auto"),
    ];
    let flags =
        ["algorithm", "effort", "split", "extent", "partitioning", "suppress", "time-limit", "gap", "splits"];
    let others = ["queue", "lookahead", "base-k", "by", "leaf-capacity", "direction"];
    for flag in flags.into_iter().chain(others) {
        // Local recoding and runs of leaves are relaxed by themselves, and a tree chooses its split.
        let by_itself = (flag == "partitioning" && (algorithm == "local" || said.get("by").is_some()))
            || (flag == "split" && ["rtree", "scheme", "local"].contains(&algorithm));
        if let Some(value) =
            scalar(&said[flag]).filter(|value| !by_itself && !usual.contains(&(flag, value.as_str())))
        {
            line.flag(flag, &value);
        }
    }
    if let Some(loss) = said["minimised"].as_str() {
        line.flag("loss", loss);
    }
    for flag in ["prefer", "without"] {
        let names: Vec<String> =
            said[flag].as_array().into_iter().flatten().filter_map(Value::as_str).map(quoted).collect();
        if !names.is_empty() {
            line.flag(flag, &names.join(","));
        }
    }
    for (key, flag) in [("schemes", "scheme"), ("levels", "levels")] {
        for (column, value) in said[key].as_object().into_iter().flatten() {
            scalar(value).iter().for_each(|value| line.flag(flag, &format!("{}={value}", quoted(column))));
        }
    }
    if said["row-order"].as_str() == Some("kept") {
        line.text.push_str(" \\\n    --keep-order");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        let mut line = Line::new(&["klimt", "it's", "a b", ""]);
        line.flag("qi", "a,b c");
        assert_eq!(line.text, "klimt 'it'\\''s' 'a b' '' \\\n    --qi 'a,b c'");
    }
}
