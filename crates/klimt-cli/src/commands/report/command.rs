//! The commands that a page names: how the release is made again, and how it is checked.

use super::args::ReportArgs;
use crate::commands::verify::STARS_ARE_SUPPRESSED;
use crate::options::FormatArgs;
use klimt::Choice;
use klimt::certificate::{COLUMN_LISTS, Certificate, FLAGS, OF_COLUMNS, RecordedSettings, RunAccount};
use klimt::settings::{HierarchySource, MemorySettings, Settings, ValueList};
use klimt_core::names::{quoted, shell};
use klimt_core::registry::AlgorithmKind;
use klimt_core::table::Role;
use serde_json::Value;

/// The command that makes this release again: the spec where there is one, all flags otherwise.
pub fn make(
    args: &ReportArgs,
    format: &FormatArgs,
    settings: &Settings,
    roles: &[(String, Role)],
    certificate: Option<&Certificate>,
) -> String {
    let mut line = Line::new(&["klimt", "anonymize", &args.original]);
    if let Some(spec) = &args.spec {
        line.flag("spec", spec);
    }
    let said = certificate.map(|certificate| &certificate.settings);
    columns(&mut line, settings, roles, said);
    requirements(&mut line, settings);
    if let Some(file) = &settings.workload {
        line.flag("workload", file);
    }
    written(&mut line, format);
    if let Some(certificate) = certificate {
        method(&mut line, settings, &certificate.settings);
        memory(&mut line, &certificate.run);
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
    columns(&mut line, settings, &counted, None);
    requirements(&mut line, settings);
    if args.stars_are_suppressed {
        line.switch(STARS_ARE_SUPPRESSED.trim_start_matches('-'));
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

    fn switch(&mut self, flag: &str) {
        self.text.push_str(&format!(" \\\n    --{flag}"));
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

fn columns(line: &mut Line, settings: &Settings, roles: &[(String, Role)], said: Option<&RecordedSettings>) {
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
        if let Some(ValueList::Text(domain)) = &column.domain {
            line.flag("domain", &format!("{name}={domain}"));
        }
        if let Some(ValueList::Text(file)) = &column.order {
            line.flag("order", &format!("{name}={file}"));
        }
        if let Some(file) = column.hierarchy.as_ref().and_then(HierarchySource::file) {
            line.flag("hierarchy", &format!("{name}={file}"));
        }
        if let Some(weight) = column.weight {
            line.flag("weight", &format!("{name}={weight}"));
        }
        // A certificate names these columns itself, and a check needs none of them.
        if column.allow_unique && said.is_none() {
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

/// How the original is written.
fn written(line: &mut Line, format: &FormatArgs) {
    match format.delimiter {
        Some(b'\t') => line.flag("delimiter", "tab"),
        Some(byte) => line.flag("delimiter", &char::from(byte).to_string()),
        None => {}
    }
    for (flag, given) in [("header", format.header), ("no-header", format.no_header)] {
        if given {
            line.switch(flag);
        }
    }
}

/// The settings of a certificate, where they are not the usual ones, or where a spec says something else.
fn method(line: &mut Line, settings: &Settings, said: &RecordedSettings) {
    let option = |key: &str| said.options.get(key).unwrap_or(&Value::Null);
    let algorithm = option("algorithm").as_str().and_then(AlgorithmKind::named);
    let by_spec = [
        ("effort", "fast", settings.search.effort.is_some()),
        (
            "extent",
            if algorithm == Some(AlgorithmKind::Scheme) { "region" } else { "compact" },
            settings.extent.is_some(),
        ),
        ("partitioning", "strict", settings.partitioning.is_some()),
        ("suppress", "none", settings.suppress.is_some()),
        ("direction", "auto", settings.schemes.direction.is_some()),
        (
            "split",
            if algorithm == Some(AlgorithmKind::RTree) { "box" } else { "median" },
            settings.split.is_some(),
        ),
    ];
    let is_usual = |flag: &str, value: &str| {
        by_spec.iter().any(|(name, usual, by_spec)| *name == flag && *usual == value && !by_spec)
    };
    // Local recoding and runs of leaves are relaxed by themselves.
    let by_itself = |flag: &str| {
        flag == "partitioning" && (algorithm == Some(AlgorithmKind::Local) || said.options.contains_key("by"))
    };
    for flag in FLAGS {
        let value = match option(flag) {
            Value::Array(items) => items.iter().filter_map(scalar).collect::<Vec<_>>().join(","),
            value => scalar(value).unwrap_or_default(),
        };
        if !value.is_empty() && !by_itself(flag) && !is_usual(flag, &value) {
            line.flag(flag, &value);
        }
    }
    if let Some(loss) = option("minimised").as_str().or(option("loss").as_str()) {
        line.flag("loss", loss);
    }
    for flag in COLUMN_LISTS {
        let names: Vec<String> =
            option(flag).as_array().into_iter().flatten().filter_map(Value::as_str).map(quoted).collect();
        if !names.is_empty() {
            line.flag(flag, &names.join(","));
        }
    }
    for (key, flag) in OF_COLUMNS {
        for (column, value) in option(key).as_object().into_iter().flatten() {
            scalar(value).iter().for_each(|value| line.flag(flag, &format!("{}={value}", quoted(column))));
        }
    }
    for column in said.column_splits.keys() {
        let values = settings.columns.get(column).and_then(|given| given.splits.as_ref());
        let values: Vec<String> = values.into_iter().flatten().map(|value| quoted(value)).collect();
        line.flag("split-at", &format!("{}={}", quoted(column), values.join(",")));
    }
    if option("as-published").as_bool() == Some(true) {
        line.switch("as-published");
    }
    if option("row-order").as_str() == Some("kept") {
        line.switch("keep-order");
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The memory that was granted: parts of a table go by it.
fn memory(line: &mut Line, run: &RunAccount) {
    let asked = run.memory.clone().filter(|text| text != MemorySettings::UNSAID);
    if let Some(memory) = asked.or_else(|| run.budget.map(|bytes| bytes.to_string())) {
        line.flag("memory", &memory);
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
