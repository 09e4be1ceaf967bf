//! Hierarchies over the values of a column: read, built, checked, counted and drawn.

mod build;
mod count;
mod coverage;
mod drawing;

pub use build::BuildRule;
pub use count::GeneralizationCounts;
pub use coverage::Coverage;

use crate::anonymizer::Anonymizer;
use crate::columns::column_plan;
use crate::input::{Input, text_of};
use crate::observer::Watched;
use crate::reading;
use crate::settings::HierarchySource;
use crate::suggest::did_you_mean;
use klimt_core::hierarchy::{self as core, HierarchyBuilder, ReadOptions, WriteOptions};
use klimt_core::table::{ColumnSpec, Role, Table};
use klimt_core::{Error, Result};
use klimt_io::source::ColumnPlan;
use std::path::Path;
use std::sync::Arc;

/// A hierarchy (taxonomy) over the values of a column: each value has ever coarser ancestors, up to one root.
///
/// ```
/// use klimt::Hierarchy;
///
/// let zip = Hierarchy::from_lines([["53703", "5370*", "*"], ["53704", "5370*", "*"], ["60601", "6060*", "*"]])?;
/// assert_eq!((zip.values(), zip.height()), (3, 2));
/// # Ok::<(), klimt::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hierarchy {
    tree: Arc<core::Hierarchy>,
    file: Option<String>,
}

impl Hierarchy {
    /// Reads a file with a line per value, then its ever coarser ancestors, separated by `;`, `,`, `|` or tabs.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = text_of(path.as_ref())?;
        let text = std::fs::read(&path).map_err(|e| Error::io(&path, "read it", &e))?;
        let tree = Arc::new(core::read_csv(&path, &text, &ReadOptions::default())?);
        Ok(Hierarchy { tree, file: Some(path) })
    }

    /// Makes a hierarchy of lines: each a value, then its ever coarser ancestors.
    pub fn from_lines<S: AsRef<str>>(
        lines: impl IntoIterator<Item = impl IntoIterator<Item = S>>,
    ) -> Result<Self> {
        let mut builder = HierarchyBuilder::new("the hierarchy");
        for (number, line) in (1..).zip(lines) {
            builder.push(number, line);
        }
        Ok(Hierarchy { tree: Arc::new(builder.finish()?), file: None })
    }

    /// How many values it has.
    pub fn values(&self) -> u32 {
        self.tree.leaf_count()
    }

    /// How many levels there are above the values.
    pub fn height(&self) -> u32 {
        self.tree.height()
    }

    /// How many nodes it has, values included.
    pub fn nodes(&self) -> u32 {
        self.tree.node_count()
    }

    /// The hierarchy as the text of a file.
    pub fn to_csv(&self) -> Result<String> {
        core::write_csv(&self.tree, &WriteOptions::default())
    }

    pub(crate) fn source(self) -> HierarchySource {
        HierarchySource::Tree(self.tree, self.file)
    }
}

impl From<core::Hierarchy> for Hierarchy {
    fn from(tree: core::Hierarchy) -> Self {
        Hierarchy { tree: Arc::new(tree), file: None }
    }
}

/// Reads one column of a table, with a hierarchy where there is one.
fn read_column(
    input: Input,
    column: &str,
    tree: Option<&Arc<core::Hierarchy>>,
    asked: &Anonymizer,
) -> Result<Table> {
    let settings = asked.settings();
    let read = |watched: &Watched<'_>| {
        reading::read(input, settings.source.clone(), &settings.missing, watched, |opened| {
            let names = opened.columns;
            if !names.iter().any(|name| name == column) {
                let hint = did_you_mean(column, names.iter().map(String::as_str));
                return Err(Error::input(format!("{}: unknown column {column}{hint}", opened.name)));
            }
            let spec = |name: &String| {
                let mut spec = ColumnSpec::new(name, Role::QuasiIdentifier);
                spec.hierarchy = tree.cloned();
                (name == column).then_some(spec)
            };
            let plan = |name: &String| {
                let given = settings.columns.get(name).cloned().unwrap_or_default();
                spec(name).map_or(ColumnPlan::default(), |spec| column_plan(spec, &given))
            };
            Ok(names.iter().map(plan).collect())
        })
    };
    asked.watch(read).map(|(table, _)| table)
}
