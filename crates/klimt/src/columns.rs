//! From what is said about columns to a plan for reading them.

use crate::settings::{ColumnSettings, NamedRequirement, Settings, ValueList};
use klimt_core::hierarchy::{Hierarchy, ReadOptions as HierarchyOptions, read_csv};
use klimt_core::table::{ColumnSpec, DeclaredDomain, Guard, Role, ValueType};
use klimt_core::words::option_is;
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::form::FormSpec;
use klimt_io::source::ColumnPlan;

/// Plans the reading of a table: every column has a role or is dropped. All problems at once.
pub fn plan(path: &str, names: &[String], settings: &Settings) -> Result<Vec<ColumnPlan>> {
    let mut problems: Vec<String> =
        settings.unknown_columns(names).into_iter().map(|problem| format!("{path}: {problem}")).collect();
    let role = |name: &String| settings.columns.get(name).and_then(|column| column.role);
    let unassigned: Vec<&str> =
        names.iter().filter(|name| role(name).is_none()).map(String::as_str).collect();
    if !unassigned.is_empty() && settings.other.is_none() {
        problems.push(format!(
            "{path}: these columns have no role: {} (give them one, or say {} or {})",
            unassigned.join(", "),
            option_is("other", "drop"),
            option_is("other", "keep")
        ));
    }
    if problems.is_empty() && !names.iter().any(|name| role(name) == Some(Role::QuasiIdentifier)) {
        problems.push(format!(
            "no quasi-identifier is named: say which columns others may know, such as {}",
            option_is("qi", "age,sex")
        ));
    }
    let people: Vec<&str> =
        names.iter().filter(|name| role(name) == Some(Role::Person)).map(String::as_str).collect();
    if people.len() > 1 {
        problems.push(format!(
            "{path}: one column says whom a row is about, and these were named: {}",
            people.join(", ")
        ));
    }
    let mut plans = Vec::with_capacity(names.len());
    for name in names {
        let given = settings.columns.get(name).cloned().unwrap_or_default();
        let role = settings.role(name);
        if role == Role::Identifier {
            plans.push(ColumnPlan::default());
            continue;
        }
        match column_spec(name, role, &given) {
            Ok(spec) => {
                let guarded = ColumnSpec { guard: guard(name, role, settings), ..spec };
                plans.push(column_plan(guarded, &given));
            }
            Err(error) => problems.push(error.message().to_string()),
        }
    }
    Error::all(ErrorKind::Input, problems).map_or(Ok(plans), Err)
}

/// How a column is read: as somebody says, or as its values show. Releases are read as they are.
pub fn column_plan(spec: ColumnSpec, given: &ColumnSettings) -> ColumnPlan {
    let form = match given.form {
        _ if given.published => FormSpec::AsItIs,
        Some(form) => FormSpec::Declared(form),
        None => FormSpec::Recognise,
    };
    ColumnPlan { form, hint: given.recorded_form, missing: given.missing.clone(), spec: Some(spec) }
}

/// What is done when the values of a column make no sense together. Numbers that a few texts turn into a set of texts are
/// refused where they are generalised, and where a requirement or a split asks for their order; other requirements count
/// every spelling of a number as a value of its own then, which is noted.
fn guard(name: &str, role: Role, settings: &Settings) -> Guard {
    let about = |wanted: &&NamedRequirement| wanted.column.as_deref().is_none_or(|column| column == name);
    let mut wanted = settings.requirements.iter().filter(about).peekable();
    match role {
        Role::QuasiIdentifier => Guard::Refuse,
        Role::Target if settings.split.as_deref() == Some("regression") => Guard::Refuse,
        Role::Sensitive if wanted.peek().is_some() => match wanted.any(NamedRequirement::is_numeric) {
            true => Guard::Refuse,
            false => Guard::Note,
        },
        _ => Guard::Off,
    }
}

/// What is known of one column, its order and hierarchy read from their files.
pub fn column_spec(name: &str, role: Role, given: &ColumnSettings) -> Result<ColumnSpec> {
    let mut spec = ColumnSpec::new(name, role);
    spec.type_spec = given.type_spec.clone();
    spec.published = given.published;
    if role == Role::Person {
        // People are told apart by the text of their key.
        spec.type_spec = Some(ValueType::Text.into());
        return Ok(spec);
    }
    spec.rank = given.rank.unwrap_or(usize::MAX);
    if given.order.is_some() && given.hierarchy.is_some() {
        return Err(Error::input(format!("column {name} has both an order and a hierarchy: one is enough")));
    }
    if let Some(domain) = &given.domain {
        spec.declared = Some(declared(name, domain, given)?);
    }
    spec.order = given.order.as_ref().map(order_of).transpose()?;
    spec.hierarchy = given.hierarchy.as_ref().map(|source| source.load()).transpose()?;
    Ok(spec)
}

/// The values of an order.
pub fn order_of(list: &ValueList) -> Result<Vec<String>> {
    match list {
        ValueList::Text(path) => read_order(path),
        ValueList::Values(values) => Ok(values.clone()),
    }
}

/// The domain that is declared for a column: a range, or values.
fn declared(name: &str, domain: &ValueList, given: &ColumnSettings) -> Result<DeclaredDomain> {
    let place = format!("the domain of column {name}");
    let other = given.order.as_ref().map(|_| "order").or(given.hierarchy.as_ref().map(|_| "hierarchy"));
    if let Some(other) = other {
        return Err(Error::input(format!("{place}: its {other} already says what it ranges over")));
    }
    let text = match domain {
        ValueList::Values(values) => return Ok(DeclaredDomain::Values(values.clone())),
        ValueList::Text(text) => text,
    };
    if let Some(range) = DeclaredDomain::range(text, given.type_spec.as_ref()) {
        return range.map_err(|wrong| Error::input(format!("{place}: {wrong}")));
    }
    let range = "a range is written LEAST..GREATEST, such as 0..120, with ends of the column's type";
    let typed = given.type_spec.as_ref().is_some_and(|typed| typed.value_type.is_ordered());
    if typed && text.contains("..") && !std::path::Path::new(text).is_file() {
        return Err(Error::input(format!("{place}: {range}")));
    }
    let values = read_order(text).map_err(|error| match text.contains("..") {
        true => Error::new(error.kind(), format!("{}; {range}", error.message())),
        false => error,
    })?;
    Ok(DeclaredDomain::Values(values))
}

/// Reads a hierarchy from its file.
pub fn load_hierarchy(path: &str) -> Result<Hierarchy> {
    let text = std::fs::read(path).map_err(|e| Error::io(path, "read it", &e))?;
    read_csv(path, &text, &HierarchyOptions::default())
}

/// Reads an order: a value per line.
pub fn read_order(path: &str) -> Result<Vec<String>> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, "read it", &e))?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let line = e.as_bytes()[..e.utf8_error().valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
        Error::input(format!("{path}: line {line}: the text is not valid UTF-8"))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut values: Vec<String> = Vec::new();
    let mut seen = std::collections::HashMap::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        if let Some(before) = seen.insert(line, at + 1) {
            return Err(Error::input(format!("{path}: line {}: the value of line {before} again", at + 1)));
        }
        values.push(line.to_string());
    }
    if values.is_empty() {
        return Err(Error::input(format!(
            "{path}: the file is empty; a value per line is needed, lowest first"
        )));
    }
    Ok(values)
}
