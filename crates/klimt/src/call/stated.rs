//! The options that settings state.

use super::{OptionValue, StatedOption};
use crate::certificate::Word;
use crate::settings::{ColumnSettings, HierarchySource, Settings, ValueList};
use klimt_core::Choice;
use klimt_core::table::Role;
use klimt_io::form::ValueForm;

/// The options that settings state about what is published, in the order in which they are written. The secret seed, files
/// that are written besides the release, and values that were given as a list instead of a file are left out.
pub fn stated(settings: &Settings) -> Vec<StatedOption> {
    let mut options = Options::default();
    options.roles(settings);
    settings.columns.iter().for_each(|(name, column)| options.column(name, column));
    settings.missing.iter().for_each(|text| options.one("missing", Some(of_every_column(text))));
    options.one("other", settings.other.map(|other| other.name().to_string()));
    options.requirements(settings);
    options.one("workload", settings.workload.clone());
    options.dialect(settings);
    options.method(settings);
    options.of_columns(settings);
    options.on("as-published", settings.search.as_published);
    options.on("keep-order", settings.keep_order);
    options.one("memory", settings.memory.memory.as_ref().map(ToString::to_string));
    options.0
}

/// A text for missing values of every column: one that holds an equals sign would be taken for that of a column.
fn of_every_column(text: &str) -> String {
    if text.contains('=') { format!("={text}") } else { text.to_string() }
}

#[derive(Default)]
struct Options(Vec<StatedOption>);

impl Options {
    fn add(&mut self, name: &'static str, value: OptionValue) {
        self.0.push(StatedOption { name, value });
    }

    fn on(&mut self, name: &'static str, on: bool) {
        if on {
            self.add(name, OptionValue::On);
        }
    }

    fn one(&mut self, name: &'static str, value: Option<String>) {
        value.into_iter().for_each(|value| self.add(name, OptionValue::One(value)));
    }

    fn word(&mut self, name: &'static str, value: Option<impl Word>) {
        self.one(name, value.map(|value| value.word()));
    }

    fn list(&mut self, name: &'static str, values: Vec<String>) {
        if !values.is_empty() {
            self.add(name, OptionValue::List(values));
        }
    }

    fn of_column(&mut self, name: &'static str, column: &str, value: Option<String>) {
        value.into_iter().for_each(|value| self.add(name, OptionValue::OfColumn(column.to_string(), value)));
    }

    fn roles(&mut self, settings: &Settings) {
        let options = [
            (Role::QuasiIdentifier, "qi"),
            (Role::Sensitive, "sensitive"),
            (Role::Insensitive, "insensitive"),
            (Role::Target, "target"),
            (Role::Identifier, "identifier"),
            (Role::Person, "person"),
        ];
        for (role, option) in options {
            let mut named: Vec<(&String, &ColumnSettings)> =
                settings.columns.iter().filter(|(_, column)| column.role == Some(role)).collect();
            named.sort_by_key(|(_, column)| column.rank);
            self.list(option, named.into_iter().map(|(name, _)| name.clone()).collect());
        }
    }

    /// The options of a column, whatever the algorithm.
    fn column(&mut self, name: &str, column: &ColumnSettings) {
        let text = |list: &Option<ValueList>| match list {
            Some(ValueList::Text(text)) => Some(text.clone()),
            Some(ValueList::Values(_)) | None => None,
        };
        self.of_column("type", name, column.type_spec.as_ref().map(ToString::to_string));
        if let Some((option, value)) = column.form.map(ValueForm::option) {
            self.of_column(option, name, Some(value.to_string()));
        }
        column.missing.iter().for_each(|text| self.of_column("missing", name, Some(text.clone())));
        self.of_column("domain", name, text(&column.domain));
        self.of_column("order", name, text(&column.order));
        let hierarchy = column.hierarchy.as_ref().and_then(HierarchySource::file);
        self.of_column("hierarchy", name, hierarchy.map(str::to_string));
        self.of_column("weight", name, column.weight.map(|weight| weight.to_string()));
    }

    fn requirements(&mut self, settings: &Settings) {
        self.one("k", settings.k.map(|k| k.to_string()));
        for wanted in &settings.requirements {
            match &wanted.column {
                Some(column) => self.of_column(wanted.flag, column, Some(wanted.text.clone())),
                None => self.one(wanted.flag, Some(wanted.text.clone())),
            }
        }
    }

    /// How the input is written.
    fn dialect(&mut self, settings: &Settings) {
        self.one(
            "delimiter",
            settings.source.dialect.delimiter.map(|byte| match byte {
                b'\t' => "tab".to_string(),
                byte => char::from(byte).to_string(),
            }),
        );
        self.one("encoding", settings.source.encoding.map(|encoding| encoding.to_string()));
        self.one("sheet", settings.source.sheet.clone());
        self.one("member", settings.source.member.clone());
        self.on("header", settings.source.dialect.header == Some(true));
        self.on("no-header", settings.source.dialect.header == Some(false));
    }

    /// How groups are found and published.
    fn method(&mut self, settings: &Settings) {
        let (search, tree, memory) = (&settings.search, &settings.tree, &settings.memory);
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        self.one("algorithm", settings.algorithm.map(|algorithm| algorithm.name().to_string()));
        self.word("effort", search.effort);
        self.one("split", settings.split.clone());
        self.word("extent", settings.extent);
        self.word("partitioning", settings.partitioning);
        self.word("suppress", settings.suppress);
        self.word("time-limit", search.time_limit);
        self.word("gap", search.gap);
        self.word("splits", search.splits);
        self.word("queue", search.queue);
        self.word("lookahead", search.lookahead);
        self.word("priority", search.priority);
        self.word("start", search.start);
        self.word("hierarchy-cut", settings.hierarchy_cut);
        self.one("base-k", number(tree.base_k));
        self.word("by", tree.by);
        self.one("leaf-capacity", number(tree.leaf_capacity));
        self.word("direction", settings.schemes.direction);
        self.word("significance", memory.significance);
        self.word("sample", memory.sample);
        self.list("statistics", settings.statistics.iter().map(Word::word).collect());
        self.list("without", settings.schemes.without.iter().map(Word::word).collect());
        self.one("loss", search.loss.as_ref().map(|loss| loss.name().to_string()));
        self.list("prefer", tree.prefer.clone());
        self.word("scheme", settings.schemes.default);
    }

    /// The options of columns for some algorithms.
    fn of_columns(&mut self, settings: &Settings) {
        self.list("accept", settings.accepted());
        for (name, column) in &settings.columns {
            self.of_column("scheme", name, column.scheme.map(|scheme| scheme.word()));
        }
        for (name, column) in &settings.columns {
            self.of_column("levels", name, column.levels.map(|levels| levels.word()));
        }
        for (name, column) in &settings.columns {
            if let Some(values) = &column.splits {
                self.add("split-at", OptionValue::ListOfColumn(name.clone(), values.clone()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::OPTIONS;
    use std::collections::BTreeSet;

    /// A spec that says something under every key, but for files and values that are not stated.
    const EVERYTHING: &str = r#"
        other = "drop"
        k = 5
        missing = ["?"]
        encoding = "latin-1"
        sheet = 2
        member = "table.xlsx"
        algorithm = "gensearch"
        split = "box"
        workload = "queries.sql"
        partitioning = "relaxed"
        hierarchy-cut = "both"
        suppress = "5%"
        loss = "dm"
        effort = "best"
        time-limit = "40s"
        gap = 1.5
        splits = "at-most:4"
        priority = "cost"
        queue = 9
        lookahead = 7
        start = "whole"
        as-published = true
        scheme = "sps"
        direction = "top-down"
        without = ["fold"]
        base-k = 2
        by = "level"
        leaf-capacity = 3
        prefer = ["age"]
        memory = "64MB"
        significance = 0.01
        sample = 20
        extent = "region"
        statistics = ["mean"]
        keep-order = true
        accept = ["age"]

        [columns.age]
        role = "quasi-identifier"
        type = "integer"
        domain = "0..120"
        weight = 2
        scheme = "ops"
        levels = "1.."

        [columns.job]
        role = "quasi-identifier"
        order = "jobs.txt"

        [columns.city]
        role = "sensitive"

        [columns.town]
        role = "insensitive"
        decimal = ","

        [columns.seen]
        role = "insensitive"
        date-form = "ymd"
        missing = ["n/a"]

        [columns.id]
        role = "identifier"
        [columns.patient]
        role = "person"

        [columns.class]
        role = "target"
    "#;

    /// Files that are written, what is no part of the settings, and what must stay secret.
    const APART: &[&str] = &[
        "output",
        "spec",
        "column",
        "seed",
        "trace",
        "temp-dir",
        "save-recoding",
        "save-people",
        "certificate",
        "no-certificate",
        "json",
        "threads",
        "quiet",
    ];

    #[test]
    fn every_option_of_the_settings_is_stated() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("spec.toml");
        std::fs::write(&path, EVERYTHING).unwrap();
        let mut settings = crate::spec::read(path.to_str().unwrap()).unwrap();
        settings.source.dialect.delimiter = Some(b'\t');
        settings.source.dialect.header = Some(true);
        settings.columns.get_mut("age").unwrap().splits = Some(vec!["30".to_string()]);
        settings.columns.get_mut("city").unwrap().hierarchy =
            Some(HierarchySource::File("h.csv".to_string()));
        let names: BTreeSet<&str> = stated(&settings).iter().map(|option| option.name).collect();
        settings.source.dialect.header = Some(false);
        let other: BTreeSet<&str> = stated(&settings).iter().map(|option| option.name).collect();
        let all: BTreeSet<&str> = names.union(&other).copied().collect();
        for option in OPTIONS {
            assert_eq!(all.contains(option.flag), !APART.contains(&option.flag), "{}", option.flag);
        }
        settings.seed = Some(7);
        assert!(!format!("{:?}", stated(&settings)).contains("seed"), "the seed is secret");
    }

    #[test]
    fn a_text_for_every_column_is_not_taken_for_that_of_one() {
        let asked = crate::Anonymizer::new().missing(["a=b", "-"]).missing_in("age", ["x=y"]);
        let values: Vec<OptionValue> =
            stated(asked.settings()).into_iter().map(|option| option.value).collect();
        let one = |text: &str| OptionValue::One(text.to_string());
        let of_column = OptionValue::OfColumn("age".to_string(), "x=y".to_string());
        assert_eq!(values, [of_column, one("=a=b"), one("-")]);
    }

    #[test]
    fn quasi_identifiers_stand_in_their_order() {
        let asked = crate::Anonymizer::new().quasi_identifiers(["zip", "age"]).sensitive(["b", "a"]);
        let lists: Vec<OptionValue> =
            stated(asked.settings()).into_iter().map(|option| option.value).collect();
        let list = |names: [&str; 2]| OptionValue::List(names.map(String::from).to_vec());
        assert_eq!(lists, [list(["zip", "age"]), list(["b", "a"])]);
    }
}
