//! Writes settings as a spec that reads back as the same settings.

use super::inline;
use crate::settings::{ColumnSettings, HierarchySource, NamedRequirement, Settings, ValueList};
use klimt_core::requirement::Requirement;
use klimt_core::{Choice, Error, ErrorKind, Result};
use klimt_io::form::ValueForm;
use toml::{Table, Value};

/// The spec of these settings. The seed, which must stay secret, and what is said of the input's text are left out; a
/// requirement or a loss that is not in the registry cannot be written.
pub fn write(settings: &Settings) -> Result<String> {
    let requirements = settings.own_requirements.iter().map(|own| format!("the requirement {}", own.id()));
    let loss = settings.search.own_loss().map(|own| format!("the loss {}", own.id()));
    let problems = requirements.chain(loss).map(|own| format!("a spec cannot hold {own}")).collect();
    if let Some(error) = Error::all(ErrorKind::Input, problems) {
        let advice = "a spec holds names of klimt's own registry; add yours to what is read from it";
        return Err(error.with_help(advice));
    }
    let mut spec = Table::new();
    general(settings, &mut spec);
    searching(settings, &mut spec);
    for wanted in settings.requirements.iter().filter(|wanted| wanted.column.is_none()) {
        add(&mut spec, wanted.flag, wanted.text.clone());
    }
    // What is only accepted stands in its list.
    let said =
        |column: &ColumnSettings| *column != ColumnSettings { accepted: true, ..ColumnSettings::default() };
    let columns: Table = settings
        .columns
        .iter()
        .filter(|(_, column)| said(column))
        .map(|(name, given)| (name.clone(), column(settings, name, given).into()))
        .collect();
    if !columns.is_empty() {
        spec.insert("columns".to_string(), Value::Table(columns));
    }
    Ok(spec.to_string())
}

fn put(table: &mut Table, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        table.insert(key.to_string(), value.into());
    }
}

fn put_name(table: &mut Table, key: &str, value: Option<impl Choice>) {
    put(table, key, value.map(|value| value.name()));
}

fn put_text(table: &mut Table, key: &str, value: Option<impl ToString>) {
    put(table, key, value.map(|value| value.to_string()));
}

fn put_list(table: &mut Table, key: &str, list: Vec<Value>) {
    put(table, key, Some(list).filter(|list| !list.is_empty()));
}

fn put_whole(table: &mut Table, key: &str, value: Option<u64>) {
    put(table, key, value.map(|value| i64::try_from(value).unwrap_or(i64::MAX)));
}

/// One requirement more under a key, which holds a list of them.
fn add(table: &mut Table, key: &str, text: String) {
    let list = table.entry(key.to_string()).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        list.push(Value::String(text));
    }
}

fn general(settings: &Settings, spec: &mut Table) {
    put(spec, "input", settings.input.clone());
    put(spec, "output", settings.output.clone());
    put_whole(spec, "k", settings.k);
    put_name(spec, "other", settings.other);
    put_list(spec, "accept", texts(&settings.accepted()));
    put_list(spec, "missing", texts(&settings.missing));
    put_text(spec, "encoding", settings.source.encoding);
    put(spec, "sheet", settings.source.sheet.clone());
    put(spec, "member", settings.source.member.clone());
    put_name(spec, "algorithm", settings.algorithm);
    put(spec, "split", settings.split.clone());
    put(spec, "workload", settings.workload.clone());
    put_name(spec, "partitioning", settings.partitioning);
    put_name(spec, "hierarchy-cut", settings.hierarchy_cut);
    put_text(spec, "suppress", settings.suppress);
    put_name(spec, "extent", settings.extent);
    put_list(spec, "statistics", settings.statistics.iter().map(|kind| Value::from(kind.name())).collect());
    put(spec, "keep-order", settings.keep_order.then_some(true));
}

fn searching(settings: &Settings, spec: &mut Table) {
    let (search, tree, memory) = (&settings.search, &settings.tree, &settings.memory);
    put(spec, "loss", search.loss.as_ref().map(|loss| loss.name().to_string()));
    put_name(spec, "effort", search.effort);
    put_text(spec, "time-limit", search.time_limit);
    put(spec, "gap", search.gap);
    put(spec, "trace", search.trace.clone());
    put_text(spec, "splits", search.splits);
    put_name(spec, "priority", search.priority);
    put_whole(spec, "queue", search.queue.map(|many| many as u64));
    put_whole(spec, "lookahead", search.lookahead.map(|boxes| boxes as u64));
    put_name(spec, "start", search.start);
    put(spec, "as-published", search.as_published.then_some(true));
    put_name(spec, "scheme", settings.schemes.default);
    put_name(spec, "direction", settings.schemes.direction);
    put_list(spec, "without", settings.schemes.without.iter().map(|one| Value::from(one.name())).collect());
    put_whole(spec, "base-k", tree.base_k);
    put_name(spec, "by", tree.by);
    put_whole(spec, "leaf-capacity", tree.leaf_capacity);
    put_list(spec, "prefer", texts(&tree.prefer));
    put_text(spec, "memory", memory.memory.as_ref());
    put(spec, "temp-dir", memory.temp_dir.clone());
    put(spec, "significance", memory.significance);
    put_whole(spec, "sample", memory.sample);
}

/// What is said of a column, its requirements included.
pub(super) fn column(settings: &Settings, name: &str, given: &ColumnSettings) -> Table {
    let mut column = Table::new();
    put(&mut column, "role", given.role.map(|role| role.name()));
    put_text(&mut column, "type", given.type_spec.as_ref());
    if let Some((key, value)) = given.form.map(ValueForm::option) {
        put(&mut column, key, Some(value));
    }
    put_list(&mut column, "missing", texts(&given.missing));
    put(&mut column, "domain", given.domain.as_ref().map(values));
    put(&mut column, "order", given.order.as_ref().map(values));
    put(&mut column, "hierarchy", given.hierarchy.as_ref().map(hierarchy));
    put(&mut column, "weight", given.weight);
    put(&mut column, "splits", given.splits.as_deref().map(texts));
    put_name(&mut column, "scheme", given.scheme);
    put_text(&mut column, "levels", given.levels);
    put_whole(&mut column, "rank", given.rank.map(|rank| rank as u64));
    let own = |wanted: &&NamedRequirement| wanted.column.as_deref() == Some(name);
    for wanted in settings.requirements.iter().filter(own) {
        add(&mut column, wanted.flag, wanted.text.clone());
    }
    column
}

fn texts(texts: &[String]) -> Vec<Value> {
    texts.iter().cloned().map(Value::String).collect()
}

fn values(list: &ValueList) -> Value {
    match list {
        ValueList::Text(text) => Value::String(text.clone()),
        ValueList::Values(values) => Value::Array(texts(values)),
    }
}

fn hierarchy(source: &HierarchySource) -> Value {
    match (source.file(), source) {
        (Some(file), _) => Value::String(file.to_string()),
        (None, HierarchySource::Tree(tree, _)) => inline::lines(tree),
        (None, HierarchySource::File(path)) => Value::String(path.clone()),
    }
}
