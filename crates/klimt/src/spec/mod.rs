//! For front ends: the spec file `klimt.toml`, which holds all settings of a run.

mod draft;
mod inline;
mod page;
mod write;

pub use draft::draft;
pub use page::page;
pub use write::write;

use crate::settings::{
    ColumnSettings, HierarchySource, Levels, MemorySize, NamedRequirement, Other, Settings, SplitSet, Start,
    Technique, TimeLimit, ValueList, flags, gap, help, sample, scheme_named, share, significance, subject,
    weight,
};
use crate::suggest::did_you_mean;
use klimt_core::Choice;
use klimt_core::algorithm::gensearch::Priority;
use klimt_core::algorithm::mondrian::{HierarchyCut, Model};
use klimt_core::algorithm::optimal::Effort;
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::algorithm::scheme::Direction;
use klimt_core::recode::StatisticKind;
use klimt_core::region::Extents;
use klimt_core::registry::{AlgorithmKind, LossChoice, Subject};
use klimt_core::table::{DeclaredDomain, Role, TypeSpec};
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::encoding::TextEncoding;
use klimt_io::form::{DateOrder, DecimalMark, ValueForm};
use std::path::Path;
use toml::{Table, Value};

/// The keys of a spec besides requirements, each with its one-line help.
const KEYS: &[(&str, &str)] = &[
    ("input", "the table"),
    ("output", "where the release goes"),
    ("other", "what to do with columns that have no role: drop or keep"),
    ("accept", "columns that may have their role although they look like identifiers, such as [\"ward\"]"),
    ("missing", "texts that stand for a missing value, besides the empty one"),
    ("encoding", "the encoding of the table's text, such as \"windows-1252\", where its bytes do not tell"),
    ("sheet", "the sheet of a workbook, by its name or its number"),
    ("member", "the file in a zip archive, by its name"),
    ("algorithm", "the algorithm that finds the groups"),
    (
        "split",
        "how the next cut is chosen: median, box, box:area, infogain, infogain:GAIN, regression or loss:NAME",
    ),
    ("workload", "queries that the release is for, as a file of SQL or TOML"),
    ("loss", "the loss that a search minimises, such as ncp or dm"),
    ("effort", "spend more time on a better release: fast, balanced or best"),
    ("time-limit", "end a search after this time, such as \"120s\""),
    ("gap", "end a search when the loss is proven to be within this factor of the least possible"),
    ("trace", "where loss found and lower bound are written over time"),
    (
        "splits",
        "gensearch: where columns may be cut: every, equal-width:PARTS, equal-count:PARTS or at-most:SPLITS",
    ),
    ("priority", "gensearch: which partition is looked at next: bound, cost or ratio"),
    ("queue", "gensearch: how many partitions may wait"),
    ("lookahead", "gensearch: solve leaves with at most so many boxes for a better bound"),
    ("start", "gensearch: what the search starts from: whole, mondrian or optimal"),
    ("as-published", "gensearch: the algorithm of the paper, without start, look-ahead and greedy descents"),
    ("scheme", "scheme: which groupings of values are allowed: bhs, ghs, ops, gops, sps or gsps"),
    ("direction", "scheme: where the search starts: bottom-up, top-down or auto"),
    ("without", "scheme: what the search does without, for experiments, such as [\"fold\"]"),
    ("base-k", "rtree: the least rows of a leaf, where groups of k rows are made of whole leaves"),
    ("by", "rtree: which leaves become a group: leaf-scan or level"),
    ("leaf-capacity", "rtree: split a leaf when it has so many times the rows that a group needs"),
    ("prefer", "rtree: columns that are cut as long as they can be, such as [\"zip\"]"),
    ("memory", "keep to so much memory, such as \"256MB\" or \"50%\""),
    ("temp-dir", "where tables larger than memory are kept meanwhile"),
    ("significance", "rothko-s: the chance of making a cut that has to be undone"),
    ("sample", "rothko-s: the rows of a sample"),
    ("partitioning", "strict or relaxed"),
    ("hierarchy-cut", "where a hierarchy may be cut: nodes, leaves or both"),
    ("suppress", "leave out at most this share of the rows, such as \"5%\""),
    ("extent", "compact or region"),
    ("statistics", "statistics beside ordered columns: range, mean"),
    ("keep-order", "keep the order of the rows, which may tell who is who"),
    ("columns", "what the columns are"),
];

/// The keys of a column besides requirements.
const COLUMN_KEYS: &[(&str, &str)] = &[
    ("role", "quasi-identifier, sensitive, identifier, person, insensitive or target"),
    ("type", "integer, decimal, date, timestamp, boolean or text"),
    ("decimal", "the mark before the fraction of its numbers, where the values do not tell: \",\" or \".\""),
    (
        "date-form",
        "the order of day, month and year in its dates, where the values do not tell: dmy, mdy or ymd",
    ),
    ("missing", "texts that stand for a missing value in this column alone"),
    ("domain", "what it ranges over: \"0..120\", or a file with a value per line"),
    ("order", "a file with a value per line, lowest first"),
    ("hierarchy", "a file with a line per value, then its ever coarser ancestors"),
    ("weight", "how much the column matters"),
    ("splits", "the values after which gensearch may cut the column, such as [\"40\", \"50\"]"),
    ("scheme", "which groupings of its values are allowed: bhs, ghs, ops, gops, sps or gsps"),
    (
        "levels",
        "the least and the most general level of its hierarchy that may be published, such as \"1..3\"",
    ),
    ("rank", "its place among the quasi-identifiers: where columns are equally good, the first is cut"),
];

/// Every key of a spec with its help, the requirements that are not about one quasi-identifier included.
pub fn keys() -> Vec<(&'static str, String)> {
    let required = flags().filter(|flag| subject(flag) != Subject::QuasiIdentifier);
    let fixed = KEYS.iter().map(|(key, help)| (*key, help.to_string()));
    fixed.chain(required.map(|flag| (flag, help(flag)))).collect()
}

/// Every key of a column with its help, the requirements about a column included.
pub fn column_keys() -> Vec<(&'static str, String)> {
    let required = flags().filter(|flag| subject(flag) != Subject::Rows);
    let fixed = COLUMN_KEYS.iter().map(|(key, help)| (*key, help.to_string()));
    fixed.chain(required.map(|flag| (flag, help(flag)))).collect()
}

/// Reads a spec; all problems at once. File names in it are relative to its folder.
pub fn read(path: &str) -> Result<Settings> {
    parse(path, &std::fs::read_to_string(path).map_err(|e| Error::io(path, "read it", &e))?)
}

/// The settings of a spec that was read from a path.
pub fn parse(path: &str, text: &str) -> Result<Settings> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].lines().count().max(1));
        Error::input(format!("{path}: line {line}: this is not TOML: {}", error.message()))
    })?;
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    let mut reader = Reader { path, folder, problems: Vec::new() };
    let settings = reader.settings(&table);
    Error::all(ErrorKind::Input, reader.problems).map_or(Ok(settings), Err)
}

struct Reader<'a> {
    path: &'a str,
    folder: &'a Path,
    problems: Vec<String>,
}

impl Reader<'_> {
    fn settings(&mut self, table: &Table) -> Settings {
        let (mut settings, mut accepted) = (Settings::default(), Vec::new());
        for (key, value) in table {
            match key.as_str() {
                "input" => settings.input = self.file(key, value),
                "output" => settings.output = self.file(key, value),
                "k" => settings.k = self.whole(key, value),
                "other" => settings.other = self.choice::<Other>(key, value),
                "missing" => settings.missing = self.texts(key, value),
                "accept" => accepted = self.texts(key, value),
                "encoding" => settings.source.encoding = self.read(key, value, str::parse::<TextEncoding>),
                "sheet" => settings.source.sheet = self.number(key, value),
                "member" => settings.source.member = self.text(key, value),
                "split" => settings.split = self.text(key, value),
                "workload" => settings.workload = self.file(key, value),
                "algorithm" => settings.algorithm = self.algorithm(key, value),
                "loss" => settings.search.loss = self.text(key, value).map(LossChoice::Named),
                "effort" => settings.search.effort = self.choice::<Effort>(key, value),
                "time-limit" => settings.search.time_limit = self.read(key, value, str::parse::<TimeLimit>),
                "gap" => settings.search.gap = self.read(key, value, gap),
                "trace" => settings.search.trace = self.file(key, value),
                "splits" => settings.search.splits = self.read(key, value, str::parse::<SplitSet>),
                "priority" => settings.search.priority = self.choice::<Priority>(key, value),
                "queue" => settings.search.queue = self.whole(key, value).map(|many| many as usize),
                "lookahead" => settings.search.lookahead = self.whole(key, value).map(|many| many as usize),
                "start" => settings.search.start = self.choice::<Start>(key, value),
                "as-published" => match value.as_bool() {
                    Some(published) => settings.search.as_published = published,
                    None => self.problem(key, "true or false is needed"),
                },
                "scheme" => settings.schemes.default = self.parsed(key, value, scheme_named),
                "direction" => settings.schemes.direction = self.choice::<Direction>(key, value),
                "without" => {
                    let texts = self.texts(key, value);
                    settings.schemes.without =
                        texts.iter().filter_map(|text| self.choice_of::<Technique>(key, text)).collect();
                }
                "base-k" => settings.tree.base_k = self.whole(key, value),
                "by" => settings.tree.by = self.choice::<LeafGrouping>(key, value),
                "leaf-capacity" => settings.tree.leaf_capacity = self.whole(key, value),
                "prefer" => settings.tree.prefer = self.texts(key, value),
                "memory" => settings.memory.memory = self.read(key, value, str::parse::<MemorySize>),
                "temp-dir" => settings.memory.temp_dir = self.file(key, value),
                "significance" => settings.memory.significance = self.read(key, value, significance),
                "sample" => settings.memory.sample = self.read(key, value, sample),
                "partitioning" => settings.partitioning = self.choice::<Model>(key, value),
                "hierarchy-cut" => settings.hierarchy_cut = self.choice::<HierarchyCut>(key, value),
                "suppress" => settings.suppress = self.read(key, value, share),
                "extent" => settings.extent = self.choice::<Extents>(key, value),
                "statistics" => {
                    let texts = self.texts(key, value);
                    settings.statistics =
                        texts.iter().filter_map(|text| self.choice_of::<StatisticKind>(key, text)).collect();
                }
                "keep-order" => match value.as_bool() {
                    Some(keep) => settings.keep_order = keep,
                    None => self.problem(key, "true or false is needed"),
                },
                "columns" => self.columns(value, &mut settings),
                key if flags().any(|flag| flag == key) => {
                    self.requirement(key, None, key, value, &mut settings);
                }
                unknown => {
                    let keys = keys();
                    let hint = did_you_mean(unknown, keys.iter().map(|(key, _)| *key));
                    self.problems.push(format!("{}: unknown key {unknown}{hint}", self.path));
                }
            }
        }
        for name in accepted {
            settings.columns.entry(name).or_default().accepted = true;
        }
        settings
    }

    fn columns(&mut self, value: &Value, settings: &mut Settings) {
        let Some(columns) = value.as_table() else {
            return self.problem("columns", "a table such as [columns.age] is needed");
        };
        for (rank, (name, value)) in columns.iter().enumerate() {
            let Some(table) = value.as_table() else {
                self.problem(&format!("columns.{name}"), "a table with a role is needed");
                continue;
            };
            let mut column = self.column(name, table, settings);
            column.rank.get_or_insert(rank);
            settings.columns.insert(name.clone(), column);
        }
    }

    /// One requirement or a list of them; a number stands for its text.
    fn requirement(
        &mut self,
        place: &str,
        column: Option<&str>,
        key: &str,
        value: &Value,
        settings: &mut Settings,
    ) {
        let subject = subject(key);
        let Some(flag) = flags().find(|flag| *flag == key) else { return };
        if column.is_none() && subject == Subject::QuasiIdentifier {
            return self.problem(place, "this is about one column: write it under [columns.NAME]");
        }
        let items = value.as_array().map_or(vec![value], |list| list.iter().collect());
        for item in items {
            match number(item) {
                Some(text) => {
                    let column = column.map(str::to_string);
                    settings.requirements.push(NamedRequirement { flag, column, text });
                }
                None => self.problem(place, "a text, a number or a list of them is needed"),
            }
        }
    }

    fn column(&mut self, name: &str, table: &Table, settings: &mut Settings) -> ColumnSettings {
        let mut column = ColumnSettings::default();
        for (key, value) in table {
            let place = format!("columns.{name}.{key}");
            match key.as_str() {
                "role" => column.role = self.role(&place, value),
                "type" => column.type_spec = self.parsed(&place, value, str::parse::<TypeSpec>),
                "decimal" => {
                    let mark = self.parsed(&place, value, str::parse::<DecimalMark>);
                    column.form = mark.map(ValueForm::Number).or(column.form);
                }
                "date-form" => {
                    let order = self.parsed(&place, value, str::parse::<DateOrder>);
                    column.form = order.map(ValueForm::Date).or(column.form);
                }
                "missing" => column.missing = self.texts(&place, value),
                "scheme" => column.scheme = self.parsed(&place, value, scheme_named),
                "levels" => column.levels = self.parsed(&place, value, str::parse::<Levels>),
                "domain" => column.domain = self.domain(&place, value),
                "order" => column.order = self.list(&place, value),
                "hierarchy" => column.hierarchy = self.hierarchy(&place, value),
                "rank" => column.rank = self.whole(&place, value).map(|rank| rank as usize),
                "weight" => match number(value).as_deref().and_then(weight) {
                    Some(weight) => column.weight = Some(weight),
                    None => self.problem(&place, "a number that is not negative is needed"),
                },
                "splits" => {
                    let values = value.as_array().map(|list| list.iter().map(number).collect());
                    match values.flatten() {
                        Some(values) => column.splits = Some(values),
                        None => self.problem(&place, "a list of values is needed"),
                    }
                }
                key if column_keys().iter().skip(COLUMN_KEYS.len()).any(|(flag, _)| *flag == key) => {
                    self.requirement(&place, Some(name), key, value, settings);
                }
                unknown => {
                    let hint = did_you_mean(unknown, column_keys().iter().map(|(key, _)| *key));
                    self.problems.push(format!("{}: columns.{name}: unknown key {unknown}{hint}", self.path));
                }
            }
        }
        // A range or a file, which only the type of the column tells.
        if let Some(ValueList::Text(text)) = &mut column.domain
            && DeclaredDomain::range(text, column.type_spec.as_ref()).is_none()
        {
            *text = self.folder.join(&*text).to_string_lossy().into_owned();
        }
        column
    }

    fn role(&mut self, key: &str, value: &Value) -> Option<Role> {
        let text = self.text(key, value)?;
        let role = text.parse().ok();
        if role.is_none() {
            let names = Role::ALL.iter().map(|role| role.name());
            self.problem(key, &format!("unknown role {text}{}", did_you_mean(&text, names)));
        }
        role
    }

    fn algorithm(&mut self, key: &str, value: &Value) -> Option<AlgorithmKind> {
        let text = self.text(key, value)?;
        let found = AlgorithmKind::named(&text);
        if found.is_none() {
            let names = AlgorithmKind::ALL.iter().map(|(_, name, _)| *name);
            self.problem(key, &format!("unknown algorithm {text}{}", did_you_mean(&text, names)));
        }
        found
    }

    /// Values in a file, or in a list.
    fn list(&mut self, key: &str, value: &Value) -> Option<ValueList> {
        match value {
            Value::Array(_) => Some(ValueList::Values(self.texts(key, value))),
            _ => self.file(key, value).map(ValueList::Text),
        }
    }

    /// A range, or values in a file or in a list.
    fn domain(&mut self, key: &str, value: &Value) -> Option<ValueList> {
        match value {
            Value::Array(_) => Some(ValueList::Values(self.texts(key, value))),
            _ => self.text(key, value).map(ValueList::Text),
        }
    }

    /// A file, or a list of lines: each a value, then its ever coarser ancestors.
    fn hierarchy(&mut self, key: &str, value: &Value) -> Option<HierarchySource> {
        let Value::Array(lines) = value else { return self.file(key, value).map(HierarchySource::File) };
        let lines: Vec<Vec<String>> = lines.iter().map(|line| self.texts(key, line)).collect();
        match inline::hierarchy(&lines) {
            Ok(tree) => Some(tree),
            Err(error) => {
                self.problem(key, error.message());
                None
            }
        }
    }

    /// A number or text that stands for something.
    fn read<T>(
        &mut self,
        key: &str,
        value: &Value,
        parse: impl FnOnce(&str) -> std::result::Result<T, String>,
    ) -> Option<T> {
        match parse(&self.number(key, value)?) {
            Ok(parsed) => Some(parsed),
            Err(wrong) => {
                self.problem(key, &wrong);
                None
            }
        }
    }

    /// A text that stands for something.
    fn parsed<T>(
        &mut self,
        key: &str,
        value: &Value,
        parse: impl FnOnce(&str) -> std::result::Result<T, String>,
    ) -> Option<T> {
        match parse(&self.text(key, value)?) {
            Ok(parsed) => Some(parsed),
            Err(wrong) => {
                self.problem(key, &wrong);
                None
            }
        }
    }

    fn choice<T: Choice>(&mut self, key: &str, value: &Value) -> Option<T> {
        let text = self.text(key, value)?;
        self.choice_of(key, &text)
    }

    fn choice_of<T: Choice>(&mut self, key: &str, text: &str) -> Option<T> {
        let chosen = T::named(text);
        if chosen.is_none() {
            self.problem(key, &format!("one of {} is needed", T::names()));
        }
        chosen
    }

    /// A number, or a text that stands for one.
    fn number(&mut self, key: &str, value: &Value) -> Option<String> {
        let text = number(value);
        if text.is_none() {
            self.problem(key, "a number is needed");
        }
        text
    }

    fn whole(&mut self, key: &str, value: &Value) -> Option<u64> {
        let whole = value.as_integer().and_then(|number| u64::try_from(number).ok());
        if whole.is_none() {
            self.problem(key, "a whole number is needed");
        }
        whole
    }

    fn text(&mut self, key: &str, value: &Value) -> Option<String> {
        let text = value.as_str().map(str::to_string);
        if text.is_none() {
            self.problem(key, "a text is needed");
        }
        text
    }

    fn texts(&mut self, key: &str, value: &Value) -> Vec<String> {
        let texts = value.as_array().and_then(|list| {
            list.iter().map(|item| item.as_str().map(str::to_string)).collect::<Option<Vec<_>>>()
        });
        if texts.is_none() {
            self.problem(key, "a list of texts is needed");
        }
        texts.unwrap_or_default()
    }

    fn file(&mut self, key: &str, value: &Value) -> Option<String> {
        let text = self.text(key, value)?;
        if text == "-" {
            return Some(text);
        }
        Some(self.folder.join(text).to_string_lossy().into_owned())
    }

    fn problem(&mut self, key: &str, what: &str) {
        self.problems.push(format!("{}: {key}: {what}", self.path));
    }
}

fn number(value: &Value) -> Option<String> {
    match value {
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}
