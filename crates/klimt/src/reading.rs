//! Reads a table whose columns somebody has planned.

use crate::input::Input;
use crate::observer::{Note, Stage, Watched};
use crate::settings::{ColumnSettings, Settings};
use klimt_core::Result;
use klimt_core::table::{Role, Table, ValueType};
use klimt_core::words::{column_option, option, option_is};
use klimt_io::columnar::KeptTypes;
use klimt_io::csv::{Dialect, EncodingSign, FoundEncoding, ReadOptions};
use klimt_io::encoding::TextEncoding;
use klimt_io::form::ValueForm;
use klimt_io::source::{ColumnPlan, ReadReport, Recognised, SourceSpec};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An opened table, before its rows are read.
pub struct Opened<'s> {
    /// What it is called in messages.
    pub name: &'s str,
    /// The names of its columns.
    pub columns: &'s [String],
    /// How its text is written.
    pub dialect: Dialect,
    /// The types of its columns.
    pub kept_types: KeptTypes,
}

/// Reads the columns that `plan` chooses, by as many readers as the pool has threads.
pub fn read(
    input: Input,
    spec: SourceSpec,
    missing: &[String],
    watched: &Watched<'_>,
    plan: impl FnOnce(Opened<'_>) -> Result<Vec<ColumnPlan>>,
) -> Result<(Table, ReadReport)> {
    let (name, bytes) = (input.name().to_string(), input.bytes());
    let source = input.open(&spec)?;
    let (dialect, kept_types) = (source.dialect(), source.kept_types());
    let plan = plan(Opened { name: &name, columns: source.columns(), dialect, kept_types })?;
    let stage = watched.stage(Stage::Reading, Some(bytes));
    let threads = rayon::current_num_threads();
    source.read(&plan, &ReadOptions { missing, threads, observer: &stage })
}

/// How a table is written, as it was said or recognised: everything that is needed to read it in the same way again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Reading {
    /// The encoding of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The character between two fields of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// The file in an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// The sheet of a workbook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// By column, the mark before the fraction of its numbers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub decimal: BTreeMap<String, String>,
    /// By column, the order of day, month and year.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub date_form: BTreeMap<String, String>,
    /// Columns of digits that are codes, and no numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<String>,
    /// By column, how many texts stand for missing values in it alone.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, u64>,
}

impl Reading {
    /// What was recognised, and what was said of missing values.
    pub fn of(found: &Recognised, settings: &Settings) -> Self {
        let mut reading = Reading {
            encoding: found.encoding.map(|found| found.encoding.to_string()),
            delimiter: found.delimiter.map(char::from),
            member: found.member.clone().or_else(|| settings.source.member.clone()),
            sheet: found.sheet.clone(),
            codes: found.codes.clone(),
            ..Reading::default()
        };
        for (name, form) in &found.forms {
            let (forms, value) = match form {
                ValueForm::Number(mark) => (&mut reading.decimal, mark.name()),
                ValueForm::Date(order) => (&mut reading.date_form, order.name()),
            };
            forms.insert(name.clone(), value.to_string());
        }
        for (name, column) in settings.columns.iter().filter(|(_, column)| !column.missing.is_empty()) {
            reading.missing.insert(name.clone(), column.missing.len() as u64);
        }
        reading
    }

    /// Whether there is nothing that another reader would not take for granted.
    pub fn is_plain(&self) -> bool {
        let Reading { member, sheet, decimal, date_form, codes, missing, .. } = self;
        let texts = [member, sheet].into_iter().all(Option::is_none);
        let is_utf_8 = self.encoding.as_deref().is_none_or(|encoding| encoding == "utf-8");
        let columns = decimal.is_empty() && date_form.is_empty() && missing.is_empty() && codes.is_empty();
        texts && columns && is_utf_8 && self.delimiter.is_none_or(|delimiter| delimiter == ',')
    }

    /// The same, as far as it is not to be taken for granted.
    pub fn recorded(&self) -> Self {
        if self.is_plain() { Reading::default() } else { self.clone() }
    }

    /// What is not to be taken for granted, as a note.
    pub fn note(&self, found: &Recognised) -> Option<Note> {
        if self.is_plain() {
            return None;
        }
        let mut parts = Vec::new();
        parts.extend(self.member.as_ref().map(|member| option_is("member", member)));
        parts.extend(self.sheet.as_ref().map(|sheet| option_is("sheet", sheet)));
        let encoding = self.encoding.as_ref().filter(|encoding| *encoding != "utf-8");
        parts.extend(encoding.map(|encoding| option_is("encoding", encoding)));
        let delimiter = self.delimiter.filter(|delimiter| *delimiter != ',');
        let delimiter = delimiter.map(|c| if c == '\t' { "tab".to_string() } else { c.to_string() });
        parts.extend(delimiter.map(|delimiter| option_is("delimiter", delimiter)));
        for (name, mark) in &self.decimal {
            parts.push(column_option("decimal", name, Some(mark)));
        }
        for (name, order) in &self.date_form {
            parts.push(column_option("date-form", name, Some(order)));
        }
        parts.extend(self.codes.iter().map(|name| column_option("type", name, Some("text"))));
        for (name, count) in &self.missing {
            parts.push(format!("{} ({count})", column_option("missing", name, Some("TEXT"))));
        }
        let mut text = format!("note: the input is read with {}", parts.join(", "));
        let is_guess = |found: FoundEncoding| {
            found.by == EncodingSign::Bytes && found.encoding == TextEncoding::WINDOWS_1252
        };
        if found.encoding.is_some_and(is_guess) {
            text.push_str(&format!(
                "; its text is not UTF-8, and other encodings of a byte for every letter look alike: where letters come out \
                 wrong, name another one by {}",
                option("encoding")
            ));
        }
        Some(Note::remark(text))
    }

    /// The keys of a spec that say the same.
    pub(crate) fn keys(&self) -> String {
        let encoding = self.encoding.clone().filter(|encoding| encoding != "utf-8");
        let keys = [("encoding", &encoding), ("sheet", &self.sheet), ("member", &self.member)];
        keys.iter().filter_map(|(key, value)| Some(key_line(key, value.as_deref()?))).collect()
    }

    /// Fills in what was recognised of a column where nothing is said. Codes of digits are published as ranges of numbers.
    pub(crate) fn complete(&self, name: &str, given: &mut ColumnSettings) {
        let number = || Some(ValueForm::Number(self.decimal.get(name)?.parse().ok()?));
        let date = || Some(ValueForm::Date(self.date_form.get(name)?.parse().ok()?));
        given.form = given.form.or_else(number).or_else(date);
        if given.type_spec.is_none() && self.codes.iter().any(|column| column == name) {
            let generalised = given.role == Some(Role::QuasiIdentifier);
            given.type_spec = Some(if generalised { ValueType::Integer } else { ValueType::Text }.into());
        }
    }

    /// Fills in how a file was read when a release was made of it, where nothing else is said.
    pub fn restore(&self, settings: &mut Settings) {
        let source = &mut settings.source;
        source.member = source.member.take().or_else(|| self.member.clone());
        source.sheet = source.sheet.take().or_else(|| self.sheet.clone());
        let decimals = self
            .decimal
            .iter()
            .filter_map(|(name, mark)| Some((name, ValueForm::Number(mark.parse().ok()?))));
        let dates = self
            .date_form
            .iter()
            .filter_map(|(name, order)| Some((name, ValueForm::Date(order.parse().ok()?))));
        for (name, form) in decimals.chain(dates) {
            settings.columns.entry(name.clone()).or_default().recorded_form = Some(form);
        }
    }
}

fn key_line(key: &str, value: &str) -> String {
    format!("{key} = {}\n", toml::Value::String(value.to_string()))
}
