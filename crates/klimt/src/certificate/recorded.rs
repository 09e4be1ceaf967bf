//! The settings that a certificate records beside those that other parts describe, and the flags that ask for them again.
//!
//! Whatever changes the groups or what is published of them belongs into a certificate, so that the command in a report
//! makes the same release. File names stay out of it, and so does the seed by which rows are shuffled. Texts that may be
//! cells of the table are counted only: whoever asks for the command names them again.

use super::types::RecordedSettings;
use crate::run::Schemes;
use crate::settings::{ColumnSettings, Settings};
use klimt_core::Choice;
use klimt_core::algorithm::mondrian::Model;
use klimt_core::recode::SavedRequirement;
use klimt_core::registry::AlgorithmKind;
use klimt_core::table::{Role, Table};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The flags that a certificate records under their own names: one value, or a list that is given at once.
pub const FLAGS: &[&str] = &[
    "algorithm",
    "effort",
    "split",
    "extent",
    "partitioning",
    "suppress",
    "time-limit",
    "gap",
    "splits",
    "queue",
    "lookahead",
    "priority",
    "start",
    "hierarchy-cut",
    "base-k",
    "by",
    "leaf-capacity",
    "direction",
    "significance",
    "sample",
    "statistics",
    "without",
];

/// Lists of columns that a certificate records under the name of a flag.
pub const COLUMN_LISTS: &[&str] = &["prefer", "allow-unique"];

/// What a certificate records of columns by name, and the flag that says it.
pub const OF_COLUMNS: &[(&str, &str)] = &[("schemes", "scheme"), ("levels", "levels")];

/// What a certificate records of a run.
pub fn record(
    settings: &Settings,
    algorithm: AlgorithmKind,
    table: &Table,
    schemes: Option<&Schemes>,
) -> RecordedSettings {
    RecordedSettings {
        qi: Vec::new(),
        options: options(settings, algorithm, schemes),
        requirements: saved(settings),
        weights: by_column(settings, |column| column.weight),
        types: by_column(settings, |column| column.type_spec.as_ref().map(ToString::to_string)),
        missing: Some(settings.missing.len() as u64).filter(|texts| *texts > 0),
        column_splits: by_column(settings, |column| column.splits.as_ref().map(|values| values.len() as u64)),
        guides: guides(settings, table),
        workload: Some(settings.workload.is_some()),
        delimiter: settings.dialect.delimiter.map(char::from),
        header: settings.dialect.header,
    }
}

/// The settings with one value, or with one per column, by the name of their option.
fn options(
    settings: &Settings,
    algorithm: AlgorithmKind,
    schemes: Option<&Schemes>,
) -> BTreeMap<String, Value> {
    let mut said: Vec<(&str, Value)> = vec![("algorithm", json!(algorithm))];
    said.extend(settings.search.describe(algorithm.is_greedy(), algorithm == AlgorithmKind::Scheme));
    let local = algorithm == AlgorithmKind::Local;
    match schemes {
        Some(schemes) => said.extend(schemes.described.iter().cloned()),
        None if local => {}
        None => said.push(("split", json!(settings.split_name()))),
    }
    // Regions that may overlap are not strict.
    let relaxed = local || settings.runs_of_leaves() || settings.partitioning == Some(Model::Relaxed);
    said.push(("partitioning", json!(if relaxed { Model::Relaxed } else { Model::Strict })));
    said.extend(settings.describe_tree());
    said.push(("extent", json!(settings.extents())));
    said.push(("suppress", json!(settings.suppress.map_or("none".to_string(), |share| share.to_string()))));
    said.push(("row-order", json!(if settings.keep_order { "kept" } else { "shuffled within groups" })));
    let of_quasi_identifier = |column: &ColumnSettings| column.role == Some(Role::QuasiIdentifier);
    let unique =
        settings.columns.iter().filter(|(_, column)| column.allow_unique && of_quasi_identifier(column));
    let unique: Vec<&String> = unique.map(|(name, _)| name).collect();
    if !unique.is_empty() {
        said.push(("allow-unique", json!(unique)));
    }
    let (search, memory) = (&settings.search, &settings.memory);
    let choices = [
        ("hierarchy-cut", settings.hierarchy_cut.map(|cut| cut.name().to_string())),
        ("priority", search.priority.map(|priority| priority.name().to_string())),
        ("start", search.start.map(|start| start.name().to_string())),
        ("significance", memory.significance.map(|chance| chance.to_string())),
        ("sample", memory.sample.map(|rows| rows.to_string())),
        ("loss", search.loss.as_ref().map(|loss| loss.name().to_string())),
    ];
    said.extend(choices.into_iter().filter_map(|(key, value)| Some((key, json!(value?)))));
    let statistics: Vec<&str> = settings.statistics.iter().map(|kind| kind.name()).collect();
    if !statistics.is_empty() {
        said.push(("statistics", json!(statistics)));
    }
    said.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

/// The requirements besides k, each for its column: what a certificate and a recoding function record.
pub fn saved(settings: &Settings) -> Vec<SavedRequirement> {
    let columns = |column: &Option<String>| match column {
        Some(column) => vec![column.clone()],
        None => settings.sensitive_columns().map(str::to_string).collect(),
    };
    let each = settings.requirements.iter().flat_map(|wanted| {
        columns(&wanted.column).into_iter().map(|column| SavedRequirement {
            flag: wanted.flag.to_string(),
            column,
            parameters: wanted.text.clone(),
        })
    });
    each.collect()
}

/// The columns whose hierarchy guides a scheme without being what they are published by.
fn guides(settings: &Settings, table: &Table) -> Vec<String> {
    let published = |name: &str| {
        let dimension = (0..table.dimensions()).find(|&d| table.dimension(d).name == name);
        dimension.is_some_and(|dimension| table.domain(dimension).hierarchy().is_some())
    };
    let guided = settings.columns.iter().filter(|(name, column)| column.guided && !published(name));
    guided.map(|(name, _)| name.clone()).collect()
}

fn by_column<T>(settings: &Settings, said: impl Fn(&ColumnSettings) -> Option<T>) -> BTreeMap<String, T> {
    settings.columns.iter().filter_map(|(name, column)| Some((name.clone(), said(column)?))).collect()
}
