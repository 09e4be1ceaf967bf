//! What the columns are and how a file is written, as flags.

use crate::options::{ColumnArgs, FormatArgs};
use klimt::settings::{HierarchySource, Settings, ValueList, weight};
use klimt_core::table::Role;
use klimt_core::{Error, ErrorKind, Result, names};
use klimt_io::csv::DialectSpec;
use klimt_io::form::ValueForm;
use klimt_io::source::SourceSpec;
use std::collections::BTreeMap;

impl FormatArgs {
    /// What the flags say of how a file is read.
    pub fn source(&self) -> SourceSpec {
        SourceSpec {
            dialect: self.dialect(),
            encoding: self.encoding,
            sheet: self.sheet.clone(),
            member: self.member.clone(),
            memory: None,
        }
    }

    /// Takes in what the flags say of how a file is read, before what a spec says.
    pub fn apply(&self, settings: &mut Settings) {
        let (flags, spec) = (self.source(), std::mem::take(&mut settings.source));
        settings.source = SourceSpec {
            dialect: flags.dialect,
            encoding: flags.encoding.or(spec.encoding),
            sheet: flags.sheet.or(spec.sheet),
            member: flags.member.or(spec.member),
            memory: None,
        };
    }

    fn dialect(&self) -> DialectSpec {
        let header = match (self.header, self.no_header) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        DialectSpec { delimiter: self.delimiter, header }
    }
}

/// The spec, then the flags about columns and the text of files.
pub fn gather(spec: Option<&str>, columns: &ColumnArgs, format: &FormatArgs) -> Result<Settings> {
    let mut settings = spec.map_or(Ok(Settings::default()), klimt::spec::read)?;
    columns.apply(&mut settings)?;
    format.apply(&mut settings);
    Ok(settings)
}

impl ColumnArgs {
    /// Takes in the flags about columns; all problems at once.
    pub fn apply(&self, settings: &mut Settings) -> Result<()> {
        let mut problems = Vec::new();
        self.apply_roles(settings, &mut problems);
        for (flag, pairs) in [
            ("type", &self.types),
            ("decimal", &self.decimal),
            ("date-form", &self.date_form),
            ("domain", &self.domain),
            ("order", &self.order),
            ("hierarchy", &self.hierarchy),
            ("weight", &self.weight),
        ] {
            for pair in pairs {
                let (column, value) = match names::pair(pair) {
                    Ok(Some(found)) => found,
                    Ok(None) => {
                        problems.push(format!("--{flag} {pair}: COLUMN=VALUE is needed"));
                        continue;
                    }
                    Err(wrong) => {
                        problems.push(format!("--{flag} {pair}: {wrong}"));
                        continue;
                    }
                };
                let column_settings = settings.columns.entry(column).or_default();
                match flag {
                    "type" => match value.parse() {
                        Ok(parsed) => column_settings.type_spec = Some(parsed),
                        Err(wrong) => problems.push(format!("--type {pair}: {wrong}")),
                    },
                    "decimal" => match value.parse() {
                        Ok(mark) => column_settings.form = Some(ValueForm::Number(mark)),
                        Err(wrong) => problems.push(format!("--decimal {pair}: {wrong}")),
                    },
                    "date-form" => match value.parse() {
                        Ok(order) => column_settings.form = Some(ValueForm::Date(order)),
                        Err(wrong) => problems.push(format!("--date-form {pair}: {wrong}")),
                    },
                    "domain" => column_settings.domain = Some(ValueList::Text(value.to_string())),
                    "order" => column_settings.order = Some(ValueList::Text(value.to_string())),
                    "hierarchy" => {
                        column_settings.hierarchy = Some(HierarchySource::File(value.to_string()));
                    }
                    _ => match weight(value) {
                        Some(parsed) => column_settings.weight = Some(parsed),
                        None => {
                            problems.push(format!("--weight {pair}: a number that is not negative is needed"))
                        }
                    },
                }
            }
        }
        settings.other = self.other.or(settings.other);
        self.apply_missing(settings, &mut problems);
        Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
    }

    /// A text for every column, or for one: `TEXT`, `=TEXT` with an equals sign in it, or `COLUMN=TEXT`.
    fn apply_missing(&self, settings: &mut Settings, problems: &mut Vec<String>) {
        for given in &self.missing {
            if let Some(text) = given.strip_prefix('=') {
                settings.missing.push(text.to_string());
                continue;
            }
            match names::pair(given) {
                Ok(Some((column, text))) => {
                    settings.columns.entry(column).or_default().missing.push(text.to_string());
                }
                Ok(None) | Err(_) if !given.contains('=') => settings.missing.push(given.clone()),
                Ok(None) => settings.missing.push(given.clone()),
                Err(wrong) => problems.push(format!("--missing {given}: {wrong}")),
            }
        }
    }

    fn apply_roles(&self, settings: &mut Settings, problems: &mut Vec<String>) {
        let lists = [
            (Role::QuasiIdentifier, "--qi", &self.qi),
            (Role::Sensitive, "--sensitive", &self.sensitive),
            (Role::Identifier, "--identifier", &self.identifier),
            (Role::Person, "--person", &self.person),
            (Role::Insensitive, "--insensitive", &self.insensitive),
            (Role::Target, "--target", &self.target),
        ];
        // The quasi-identifiers of the flags replace those of the spec: a list is given whole.
        if !self.qi.is_empty() {
            for column in
                settings.columns.values_mut().filter(|column| column.role == Some(Role::QuasiIdentifier))
            {
                (column.role, column.rank) = (None, None);
            }
        }
        let mut given: BTreeMap<String, &str> = BTreeMap::new();
        for (role, flag, texts) in lists {
            for (rank, name) in listed(flag, texts, problems).into_iter().enumerate() {
                if let Some(before) = given.insert(name.clone(), flag)
                    && before != flag
                {
                    problems.push(format!("column {name} has two roles: {before} and {flag}"));
                }
                let column = settings.columns.entry(name).or_default();
                (column.role, column.rank) = (Some(role), Some(rank));
            }
        }
        for name in listed("--accept", &self.accept, problems) {
            settings.columns.entry(name).or_default().accepted = true;
        }
    }
}

/// The names in the lists of a flag.
pub fn listed(flag: &str, texts: &[String], problems: &mut Vec<String>) -> Vec<String> {
    let mut found = Vec::new();
    for text in texts {
        match names::list(text) {
            Ok(names) => found.extend(names),
            Err(wrong) => problems.push(format!("{flag} {text}: {wrong}")),
        }
    }
    found
}

/// The names in the lists of a flag; all problems at once.
pub fn list_of(flag: &str, texts: &[String]) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    let found = listed(flag, texts, &mut problems);
    Error::all(ErrorKind::Input, problems).map_or(Ok(found), Err)
}
