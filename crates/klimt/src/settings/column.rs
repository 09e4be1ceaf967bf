//! What is said about a column.

use klimt_core::Error;
use klimt_core::algorithm::scheme::Scheme;
use klimt_core::hierarchy::{Hierarchy, ReadOptions, read_csv};
use klimt_core::table::{DeclaredDomain, Role, TypeSpec};
use klimt_io::form::ValueForm;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// What is said about a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnSettings {
    /// Its role.
    pub role: Option<Role>,
    /// The type of its values.
    pub type_spec: Option<TypeSpec>,
    /// How its numbers or dates are written.
    pub form: Option<ValueForm>,
    /// How they were, when a release was made of the same file: that holds where nothing else tells.
    pub recorded_form: Option<ValueForm>,
    /// Texts that stand for a missing value in this column.
    pub missing: Vec<String>,
    /// What it ranges over.
    pub domain: Option<ValueList>,
    /// Its order, lowest first.
    pub order: Option<ValueList>,
    /// Its hierarchy.
    pub hierarchy: Option<HierarchySource>,
    /// How much it matters.
    pub weight: Option<f64>,
    /// The values after which GenSearch may cut it.
    pub splits: Option<Vec<String>>,
    /// Which groupings of its values are allowed.
    pub scheme: Option<Scheme>,
    /// Which levels of its hierarchy may be published.
    pub levels: Option<Levels>,
    /// Whether its hierarchy was taken out, as it only guides a scheme.
    pub guided: bool,
    /// Whether it is read from a release, where `*` stands for any value.
    pub published: bool,
    /// Whether it may have its role although it looks like an identifier, or says little.
    pub accepted: bool,
    /// Its place among the quasi-identifiers: where columns are equally good, the first is cut.
    pub rank: Option<usize>,
}

impl ColumnSettings {
    /// The files that say something about the column.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let domain = self.domain.as_ref().and_then(|domain| domain.file(self.type_spec.as_ref()));
        let order = self.order.as_ref().and_then(|order| order.file(None));
        let hierarchy = self.hierarchy.as_ref().and_then(HierarchySource::file);
        domain.into_iter().chain(order).chain(hierarchy)
    }
}

/// Values in a file or as they are; a domain may also be a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueList {
    /// A file with a value per line; of a domain also a range such as `0..120`.
    Text(String),
    /// The values.
    Values(Vec<String>),
}

impl ValueList {
    /// The file, where there is one; a range of the type is none.
    pub fn file(&self, type_spec: Option<&TypeSpec>) -> Option<&str> {
        match self {
            ValueList::Text(text) if DeclaredDomain::range(text, type_spec).is_none() => Some(text),
            _ => None,
        }
    }
}

/// A hierarchy, or the file that it is read from.
#[derive(Clone, Debug)]
pub enum HierarchySource {
    /// A file with a line per value, then its ever coarser ancestors.
    File(String),
    /// The hierarchy, and the file that it came from.
    Tree(Arc<Hierarchy>, Option<String>),
}

impl HierarchySource {
    /// The file, where there is one.
    pub fn file(&self) -> Option<&str> {
        match self {
            HierarchySource::File(path) => Some(path),
            HierarchySource::Tree(_, file) => file.as_deref(),
        }
    }

    /// The hierarchy, read from its file where that has not been done.
    pub fn load(&self) -> klimt_core::Result<Arc<Hierarchy>> {
        match self {
            HierarchySource::Tree(tree, _) => Ok(Arc::clone(tree)),
            HierarchySource::File(path) => {
                let text = std::fs::read(path).map_err(|e| Error::io(path, "read it", &e))?;
                read_csv(path, &text, &ReadOptions::default()).map(Arc::new)
            }
        }
    }

    /// What it is called in messages.
    pub fn name(&self) -> &str {
        self.file().unwrap_or("the hierarchy")
    }
}

impl PartialEq for HierarchySource {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (HierarchySource::Tree(a, None), HierarchySource::Tree(b, None)) => Arc::ptr_eq(a, b),
            _ => self.file().is_some() && self.file() == other.file(),
        }
    }
}

/// The least and the most general level of a hierarchy that may be published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// The least general one; 0 is the values as they are.
    pub least: u32,
    /// The most general one, or all.
    pub most: Option<u32>,
}

impl FromStr for Levels {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = || "levels are written A..B, A.. or ..B, such as 1..3".to_string();
        let (least, most) = text.split_once("..").ok_or_else(wrong)?;
        let level = |text: &str| match text.trim() {
            "" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| wrong()),
        };
        let (least, most): (Option<u32>, Option<u32>) = (level(least)?, level(most)?);
        match (least, most) {
            (None, None) => Err(wrong()),
            (Some(least), Some(most)) if least > most => Err(format!(
                "level {least} is more general than level {most}: the less general one comes first"
            )),
            _ => Ok(Levels { least: least.unwrap_or(0), most }),
        }
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..", self.least)?;
        self.most.map_or(Ok(()), |most| write!(f, "{most}"))
    }
}

/// A weight: a number that is not negative.
pub fn weight(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_a_least_or_a_most_general_one() {
        let parsed = |text: &str| text.parse::<Levels>();
        assert_eq!(parsed("1..3"), Ok(Levels { least: 1, most: Some(3) }));
        assert_eq!(parsed("1.."), Ok(Levels { least: 1, most: None }));
        assert_eq!(parsed("..2"), Ok(Levels { least: 0, most: Some(2) }));
        assert_eq!(parsed("2..2").unwrap().to_string(), "2..2");
        assert_eq!(parsed("1..").unwrap().to_string(), "1..");
        for wrong in ["..", "1", "3..1", "a..b", "-1..2", ""] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
