//! The requirements that are asked for, and what the registry says of them.

use super::Settings;
use crate::suggest::did_you_mean;
use klimt_core::registry::{self, AlgorithmKind, REQUIREMENTS, RequirementEntry, Subject};
use klimt_core::requirement::{Check, Level, Requirement, Side, WholeFacts};
use klimt_core::table::Role;
use klimt_core::words::option;
use klimt_core::{Error, ErrorKind, Result};
use std::sync::Arc;

/// A requirement of the registry that is asked for by its option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRequirement {
    /// The option, such as `l-diversity`.
    pub flag: &'static str,
    /// The column, or every sensitive one.
    pub column: Option<String>,
    /// Its parameters.
    pub text: String,
}

impl NamedRequirement {
    /// Whether it asks for the order of values, and not only which are the same.
    pub fn is_numeric(&self) -> bool {
        let by_order = !self.text.ends_with(":equal") && !self.text.ends_with(":hierarchical");
        self.flag == "variance" || (self.flag == "t-closeness" && by_order)
    }
}

/// A requirement that is not in the registry, shared by all copies of the settings.
#[derive(Clone, Debug)]
pub struct OwnRequirement(pub Arc<dyn Requirement>);

impl PartialEq for OwnRequirement {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Requirement for OwnRequirement {
    fn id(&self) -> &'static str {
        self.0.id()
    }

    fn column(&self) -> Option<&str> {
        self.0.column()
    }

    fn describe(&self) -> String {
        self.0.describe()
    }

    fn limit(&self) -> Level {
        self.0.limit()
    }

    fn side(&self) -> Side {
        self.0.side()
    }

    fn minimum_size(&self) -> u64 {
        self.0.minimum_size()
    }

    fn compares_with_whole(&self) -> bool {
        self.0.compares_with_whole()
    }

    fn warning(&self, whole: &dyn WholeFacts) -> Option<String> {
        self.0.warning(whole)
    }

    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
        self.0.bind(whole)
    }
}

/// The options of the registry, each once.
pub fn flags() -> impl Iterator<Item = &'static str> {
    REQUIREMENTS.iter().enumerate().filter_map(|(at, entry)| {
        let first = REQUIREMENTS.iter().position(|other| other.flag == entry.flag) == Some(at);
        first.then_some(entry.flag)
    })
}

/// What an option offers.
pub fn offered(flag: &str) -> impl Iterator<Item = &'static RequirementEntry> + '_ {
    REQUIREMENTS.iter().filter(move |entry| entry.flag == flag)
}

/// The help of an option: what it offers, in a line each.
pub fn help(flag: &str) -> String {
    let lines: Vec<String> = offered(flag)
        .map(|entry| match entry.kind {
            Some(_) => format!("{}: {}", entry.form(), entry.help),
            None => entry.help.to_string(),
        })
        .collect();
    lines.join("; ")
}

/// What an option is about.
pub fn subject(flag: &str) -> Subject {
    offered(flag).next().map_or(Subject::Rows, |entry| entry.subject)
}

impl Settings {
    /// The names of the sensitive columns.
    pub fn sensitive_columns(&self) -> impl Iterator<Item = &str> {
        let sensitive = self.columns.iter().filter(|(_, column)| column.role == Some(Role::Sensitive));
        sensitive.map(|(name, _)| name.as_str())
    }

    /// Every requirement that is asked for, k-anonymity first; all problems at once.
    pub fn build_requirements(&self) -> Result<Vec<Box<dyn Requirement>>> {
        let (mut requirements, mut problems) = (Vec::new(), Vec::new());
        let mut make = |flag: &str, column: &str, text: &str| match registry::requirement(flag, column, text)
        {
            Ok(requirement) => requirements.push(requirement),
            Err(error) if column.is_empty() => problems.push(error.message().to_string()),
            Err(error) => problems.push(format!("{flag} of {column}: {}", error.message())),
        };
        if let Some(k) = self.k {
            make("k", "", &k.to_string());
        }
        let mut homeless = Vec::new();
        for wanted in &self.requirements {
            match &wanted.column {
                Some(column) => make(wanted.flag, column, &wanted.text),
                None => {
                    let mut columns = self.sensitive_columns().peekable();
                    if columns.peek().is_none() {
                        homeless.push(format!(
                            "{} protects sensitive columns, and none is named{}",
                            option(wanted.flag),
                            self.other_alpha(wanted)
                        ));
                    }
                    columns.for_each(|column| make(wanted.flag, column, &wanted.text));
                }
            }
        }
        for wanted in &self.requirements {
            let named = wanted.column.as_ref().filter(|_| subject(wanted.flag) == Subject::Sensitive);
            if let Some(column) = named.filter(|column| !self.sensitive_columns().any(|name| name == *column))
            {
                let hint = did_you_mean(column, self.sensitive_columns());
                homeless.push(format!("{column} is not a sensitive column; {} needs one{hint}", wanted.flag));
            }
        }
        problems.extend(homeless);
        requirements
            .extend(self.own_requirements.iter().map(|own| Box::new(own.clone()) as Box<dyn Requirement>));
        Error::all(ErrorKind::Input, problems).map_or(Ok(requirements), Err)
    }

    /// The α of Rothko's tests has a name of its own, which who asks for it beside rothko-s may look for.
    fn other_alpha(&self, wanted: &NamedRequirement) -> String {
        let sampled = wanted.flag == "alpha" && self.algorithm == Some(AlgorithmKind::RothkoS);
        let hint = || {
            format!(
                "; the chance that rothko-s makes a cut which it has to undo is {}",
                option("significance")
            )
        };
        sampled.then(hint).unwrap_or_default()
    }

    /// The sensitive columns that no requirement protects.
    pub fn unprotected(&self, requirements: &[Box<dyn Requirement>]) -> Vec<String> {
        let protects = |name: &str| requirements.iter().any(|requirement| requirement.column() == Some(name));
        self.sensitive_columns().filter(|name| !protects(name)).map(str::to_string).collect()
    }
}
