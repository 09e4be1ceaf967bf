//! The settings that a certificate records beside those that other parts describe, and the flags that ask for them again.
//!
//! Whatever changes the groups or what is published of them belongs into a certificate, so that the command in a report
//! makes the same release. File names stay out of it, and so does the seed by which rows are shuffled. Texts that may be
//! cells of the table are counted only: whoever asks for the command names them again.

use crate::options::AnonymizeArgs;
use crate::settings::{ColumnSettings, Settings};
use clap::ValueEnum;
use klimt_core::table::Table;
use serde_json::{Map, Value, json};

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

/// The name of a choice.
pub fn chosen<T: ValueEnum>(choice: &T) -> String {
    choice.to_possible_value().map_or(String::new(), |value| value.get_name().to_string())
}

/// The settings that no other part describes, by name.
pub fn describe(args: &AnonymizeArgs, settings: &Settings, table: &Table) -> Vec<(&'static str, Value)> {
    let search = &settings.search;
    let choices = [
        ("hierarchy-cut", settings.hierarchy_cut.as_ref().map(chosen)),
        ("priority", search.priority.as_ref().map(chosen)),
        ("start", search.start.as_ref().map(chosen)),
        ("significance", settings.memory.significance.clone()),
        ("sample", settings.memory.sample.clone()),
        ("delimiter", args.format.delimiter.map(|byte| char::from(byte).to_string())),
    ];
    let mut said: Vec<(&'static str, Value)> =
        choices.into_iter().filter_map(|(key, value)| Some((key, json!(value?)))).collect();
    if let Some(loss) = &settings.search.loss {
        said.push(("loss", json!(loss)));
    }
    if args.format.header || args.format.no_header {
        said.push(("header", json!(args.format.header)));
    }
    let lists = [
        ("statistics", settings.statistics.iter().map(chosen).collect::<Vec<_>>()),
        ("guides", guides(settings, table)),
    ];
    said.extend(lists.into_iter().filter(|(_, list)| !list.is_empty()).map(|(key, list)| (key, json!(list))));
    if !settings.missing.is_empty() {
        said.push(("missing", json!(settings.missing.len())));
    }
    let types = by_column(settings, |column| column.type_spec.as_ref().map(|typed| json!(typed.to_string())));
    let splits = by_column(settings, |column| column.splits.as_ref().map(|values| json!(values.len())));
    let maps = [("types", types), ("column-splits", splits)];
    said.extend(maps.into_iter().filter(|(_, map)| !map.is_empty()).map(|(key, map)| (key, json!(map))));
    said
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

fn by_column(settings: &Settings, said: impl Fn(&ColumnSettings) -> Option<Value>) -> Map<String, Value> {
    settings.columns.iter().filter_map(|(name, column)| Some((name.clone(), said(column)?))).collect()
}
