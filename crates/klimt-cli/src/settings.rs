//! What a run is to do, from a spec and from flags.

use crate::memory::MemoryArgs;
use crate::options::{ColumnArgs, Extent, HierarchyCut, Other, Partitioning, Statistic};
use crate::requirements::Wanted;
use crate::schemes::{Levels, SchemeSettings};
use crate::search::SearchArgs;
use crate::suggest::did_you_mean;
use crate::tree::TreeArgs;
use klimt_core::algorithm::scheme::Scheme;
use klimt_core::table::{Role, TypeSpec};
use klimt_core::{Error, ErrorKind, Result, names};
use std::collections::BTreeMap;

/// What is said about a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnSettings {
    /// Its role.
    pub role: Option<Role>,
    /// The type of its values.
    pub type_spec: Option<TypeSpec>,
    /// What it ranges over: a range such as `0..120`, or a file of values.
    pub domain: Option<String>,
    /// The file of its order.
    pub order: Option<String>,
    /// The file of its hierarchy.
    pub hierarchy: Option<String>,
    /// How much it matters.
    pub weight: Option<f64>,
    /// The values after which gensearch may cut it.
    pub splits: Option<Vec<String>>,
    /// Which groupings of its values are allowed.
    pub scheme: Option<Scheme>,
    /// Which levels of its hierarchy may be published.
    pub levels: Option<Levels>,
    /// Whether its hierarchy was taken out, as it only guides a scheme.
    pub guided: bool,
    /// Whether it is read from a release, where `*` stands for any value.
    pub published: bool,
    /// Whether it may be a set of texts although nearly every row has its own.
    pub allow_unique: bool,
    /// Its place in `--qi`, or among the names of the columns of a spec: where columns are equally good, the first is cut.
    pub rank: Option<usize>,
}

/// What a run is to do. A spec fills it, then flags win.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The table.
    pub input: Option<String>,
    /// Where the release goes.
    pub output: Option<String>,
    /// The columns by name.
    pub columns: BTreeMap<String, ColumnSettings>,
    /// What happens to columns without a role.
    pub other: Option<Other>,
    /// Texts that stand for a missing value.
    pub missing: Vec<String>,
    /// The least size of a group.
    pub k: Option<u64>,
    /// The other requirements.
    pub requirements: Vec<Wanted>,
    /// How the next cut is chosen.
    pub split: Option<String>,
    /// Queries that the release is for, as a file.
    pub workload: Option<String>,
    /// The algorithm.
    pub algorithm: Option<String>,
    /// What is asked of a search.
    pub search: SearchArgs,
    /// What is asked of the generalization schemes.
    pub schemes: SchemeSettings,
    /// What is asked of an R+-tree.
    pub tree: TreeArgs,
    /// What is said about memory.
    pub memory: MemoryArgs,
    /// Strict or relaxed.
    pub partitioning: Option<Partitioning>,
    /// Where hierarchies may be cut.
    pub hierarchy_cut: Option<HierarchyCut>,
    /// The share of rows that may be suppressed.
    pub suppress: Option<String>,
    /// Which intervals are published.
    pub extent: Option<Extent>,
    /// Which statistics are published.
    pub statistics: Vec<Statistic>,
    /// Whether rows keep their order.
    pub keep_order: bool,
}

impl Settings {
    /// The name of the algorithm: where none is asked for, of the one for tables that fit in memory.
    pub fn algorithm(&self) -> &str {
        self.algorithm.as_deref().filter(|name| *name != "auto").unwrap_or("mondrian")
    }

    /// Whether the algorithm depends on whether the table fits in memory.
    pub fn is_auto(&self) -> bool {
        self.algorithm.as_deref().is_none_or(|name| name == "auto")
    }

    /// Takes in the flags about columns; all problems at once.
    pub fn apply_columns(&mut self, args: &ColumnArgs) -> Result<()> {
        let mut problems = Vec::new();
        self.apply_roles(args, &mut problems);
        for (flag, pairs) in [
            ("type", &args.types),
            ("domain", &args.domain),
            ("order", &args.order),
            ("hierarchy", &args.hierarchy),
            ("weight", &args.weight),
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
                let column_settings = self.columns.entry(column).or_default();
                match flag {
                    "type" => match value.parse() {
                        Ok(parsed) => column_settings.type_spec = Some(parsed),
                        Err(wrong) => problems.push(format!("--type {pair}: {wrong}")),
                    },
                    "domain" => column_settings.domain = Some(value.to_string()),
                    "order" => column_settings.order = Some(value.to_string()),
                    "hierarchy" => column_settings.hierarchy = Some(value.to_string()),
                    _ => match weight(value) {
                        Some(parsed) => column_settings.weight = Some(parsed),
                        None => {
                            problems.push(format!("--weight {pair}: a number that is not negative is needed"))
                        }
                    },
                }
            }
        }
        self.other = args.other.or(self.other);
        self.missing.extend(args.missing.iter().cloned());
        Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
    }

    /// Takes in the values after which gensearch may cut columns; those of a column replace what the spec says of it.
    pub fn apply_splits(&mut self, given: &[String]) -> Result<()> {
        let mut problems = Vec::new();
        let mut splits: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for text in given {
            let pair = names::pair(text).and_then(|pair| pair.ok_or("COLUMN=VALUES is needed".to_string()));
            match pair.and_then(|(column, values)| Ok((column, names::list(values)?))) {
                Ok((column, values)) => splits.entry(column).or_default().extend(values),
                Err(wrong) => problems.push(format!("--split-at {text}: {wrong}")),
            }
        }
        for (column, values) in splits {
            self.columns.entry(column).or_default().splits = Some(values);
        }
        Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
    }

    fn apply_roles(&mut self, args: &ColumnArgs, problems: &mut Vec<String>) {
        let lists = [
            (Role::QuasiIdentifier, "--qi", &args.qi),
            (Role::Sensitive, "--sensitive", &args.sensitive),
            (Role::Identifier, "--identifier", &args.identifier),
            (Role::Insensitive, "--insensitive", &args.insensitive),
            (Role::Target, "--target", &args.target),
        ];
        // The quasi-identifiers of the flags replace those of the spec: a list is given whole.
        if !args.qi.is_empty() {
            for column in
                self.columns.values_mut().filter(|column| column.role == Some(Role::QuasiIdentifier))
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
                let column = self.columns.entry(name).or_default();
                (column.role, column.rank) = (Some(role), Some(rank));
            }
        }
        for name in listed("--allow-unique", &args.allow_unique, problems) {
            self.columns.entry(name).or_default().allow_unique = true;
        }
    }

    /// Everything that is said about columns which the table does not have, a problem each.
    pub fn unknown_columns(&self, names: &[String]) -> Vec<String> {
        let known = || names.iter().map(String::as_str);
        let required = self.requirements.iter().filter_map(|wanted| wanted.column.as_ref());
        let mut said: Vec<&String> = self.columns.keys().chain(required).chain(&self.tree.prefer).collect();
        said.sort_unstable();
        said.dedup();
        said.into_iter()
            .filter(|name| !names.contains(*name))
            .map(|name| format!("there is no column {name}{}", did_you_mean(name, known())))
            .collect()
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

/// A weight: a number that is not negative.
pub fn weight(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight >= 0.0)
}

/// A share of the rows, as `5%` or `0.05`; `none` and `unlimited` are 0% and 100%.
pub fn share(text: &str) -> Result<f64> {
    let parsed = match (text, text.strip_suffix('%')) {
        ("none", _) => Ok(0.0),
        ("unlimited", _) => Ok(1.0),
        (_, Some(percent)) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
        (_, None) => text.parse(),
    };
    parsed.ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| {
        Error::input("the share of rows to suppress must be between 0% and 100%")
            .with_help("such as --suppress 5%")
    })
}
