//! Schemes bound to a table: which hierarchies guide them, what each column allows, and the search.

use crate::settings::{Levels, Settings, Technique};
use klimt_core::Choice;
use klimt_core::algorithm::scheme::{ColumnScheme, Direction, Scheme, SchemeSearch};
use klimt_core::hierarchy::{Hierarchy, NodeId};
use klimt_core::region::Extents;
use klimt_core::registry::AlgorithmKind;
use klimt_core::table::{Domain, Role, Shape, Table};
use klimt_core::words::{option, option_is};
use klimt_core::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The hierarchies that guide schemes whose columns are published as intervals or sets, by column.
#[derive(Default)]
pub struct Guides(BTreeMap<String, Guide>);

struct Guide {
    /// What it is called in messages.
    path: String,
    tree: Arc<Hierarchy>,
}

impl Guides {
    /// Takes the hierarchies out of the settings that only guide a scheme: their columns are read as numbers, dates or
    /// sets. BHS and GHS publish the nodes of a hierarchy, which stays what the column ranges over.
    pub fn take(settings: &mut Settings) -> Result<Self> {
        let mut guides = BTreeMap::new();
        if settings.algorithm() != AlgorithmKind::Scheme {
            return Ok(Guides(guides));
        }
        let mut problems = Vec::new();
        for (name, column) in &mut settings.columns {
            let scheme = column.scheme.or(settings.schemes.default);
            let guided = scheme.is_some_and(|scheme| !matches!(scheme, Scheme::Bhs | Scheme::Ghs));
            // An order beside a hierarchy is refused when the column is planned.
            if !guided || column.role != Some(Role::QuasiIdentifier) || column.order.is_some() {
                continue;
            }
            let Some(source) = column.hierarchy.take() else { continue };
            column.guided = true;
            match source.load() {
                Ok(tree) => {
                    guides.insert(name.clone(), Guide { path: source.name().to_string(), tree });
                }
                Err(error) => problems.push(error.message().to_string()),
            }
        }
        Error::all(ErrorKind::Input, problems).map_or(Ok(Guides(guides)), Err)
    }
}

/// The part of a certificate about schemes.
#[derive(Clone, Debug, Default)]
pub struct SchemeRecord {
    /// The scheme of every quasi-identifier.
    pub schemes: BTreeMap<String, Scheme>,
    /// The levels that were asked for.
    pub levels: BTreeMap<String, Levels>,
    /// Where the search starts.
    pub direction: Option<Direction>,
    /// Techniques that it does without.
    pub without: Vec<Technique>,
}

/// The schemes of a table's quasi-identifiers, and the search for the best generalization.
pub struct Schemes {
    /// The search.
    pub search: SchemeSearch,
    /// The part of a certificate about it.
    pub record: SchemeRecord,
    /// The columns with groups on the least level asked for of which one value occurs, and how many of them.
    pub lone_values: Vec<(String, usize)>,
}

impl Schemes {
    /// Binds what is asked for to a table; `None` where another algorithm is. All problems at once.
    pub fn bind(settings: &Settings, guides: &Guides, table: &Table) -> Result<Option<Self>> {
        if settings.algorithm() != AlgorithmKind::Scheme {
            return Ok(None);
        }
        let mut problems = strangers(settings, table);
        let mut columns = Vec::new();
        let (mut schemes, mut levels) = (BTreeMap::new(), BTreeMap::new());
        for dimension in 0..table.dimensions() {
            let name = &table.dimension(dimension).name;
            let given = settings.columns.get(name).cloned().unwrap_or_default();
            let asked = ColumnRequest {
                name,
                domain: table.domain(dimension),
                guide: guides.0.get(name),
                levels: given.levels,
                scheme: given.scheme.or(settings.schemes.default),
            };
            match asked.column() {
                Ok(column) => {
                    schemes.insert(name.clone(), column.scheme);
                    columns.push(column);
                }
                Err(problem) => problems.push(problem),
            }
            if given.levels.is_some_and(|levels| levels.least > 0)
                && settings.extent == Some(Extents::Compact)
            {
                problems.push(format!(
                    "column {name}: {} may publish less general values than {} allows; leave one of them out",
                    option_is("extent", "compact"),
                    option("levels")
                ));
            }
            if let Some(given) = given.levels {
                levels.insert(name.clone(), given);
            }
        }
        if let Some(error) = Error::all(ErrorKind::Input, problems) {
            return Err(error);
        }
        let (direction, pruning) = (settings.schemes.direction(), settings.schemes.pruning());
        let lone = |(dimension, column): (usize, &ColumnScheme)| {
            let tree = column.guide.as_deref().filter(|_| column.levels.0 > 0)?;
            let lone = lone_values(table.domain(dimension), tree, column.levels.0);
            (lone > 0).then(|| (table.dimension(dimension).name.clone(), lone))
        };
        let lone_values = columns.iter().enumerate().filter_map(lone).collect();
        // Random starts do not depend on the secret seed: the certificate must tell how to make the groups again.
        let search = SchemeSearch { columns, direction, pruning, seed: 0 };
        let without = settings.schemes.without.clone();
        let record = SchemeRecord { schemes, levels, direction: Some(direction), without };
        Ok(Some(Schemes { search, record, lone_values }))
    }
}

/// How many nodes on the least level hold a single value of a column, which is then published as it is.
fn lone_values(domain: &Domain, tree: &Hierarchy, least: u32) -> usize {
    let mut held: BTreeMap<NodeId, usize> = BTreeMap::new();
    let depth = tree.height() - least.min(tree.height());
    for code in 0..domain.value_count() as u32 {
        let leaf = tree.leaf_code(&domain.text(code)).map(|leaf| tree.leaf_node(leaf));
        let node = leaf.and_then(|leaf| tree.path(leaf).find(|&node| tree.depth(node) <= depth));
        if let Some(node) = node {
            *held.entry(node).or_default() += 1;
        }
    }
    held.iter().filter(|(node, values)| **values == 1 && tree.leaves_under(**node) > 1).count()
}

/// Columns for which a scheme or levels are named though they are not generalised, a problem each.
fn strangers(settings: &Settings, table: &Table) -> Vec<String> {
    let generalised = |name: &String| (0..table.dimensions()).any(|d| table.dimension(d).name == *name);
    let named = settings
        .columns
        .iter()
        .filter(|(name, column)| (column.scheme.is_some() || column.levels.is_some()) && !generalised(name));
    named.map(|(name, _)| format!("column {name}: schemes are for quasi-identifiers")).collect()
}

/// What is asked of one column.
struct ColumnRequest<'a> {
    name: &'a str,
    domain: &'a Domain,
    guide: Option<&'a Guide>,
    levels: Option<Levels>,
    scheme: Option<Scheme>,
}

impl ColumnRequest<'_> {
    fn ordered(&self) -> bool {
        matches!(self.domain.shape(), Shape::Ordered)
    }

    fn column(&self) -> Result<ColumnScheme, String> {
        let tree = self.guide.map(|guide| &*guide.tree).or(self.domain.hierarchy());
        let scheme = self.scheme.unwrap_or(if tree.is_some() { Scheme::Ghs } else { Scheme::Sps });
        let scheme = if self.ordered() { scheme.for_ordered() } else { scheme };
        let mut column = ColumnScheme::new(scheme);
        if let Some(levels) = self.levels {
            column.levels = self.checked(levels, scheme, tree)?;
        }
        if let Some(guide) = self.guide {
            // The order of numbers is their own; a hierarchy says something to OPS only where levels are left out.
            let says_nothing = scheme == Scheme::Ops && self.ordered() && column.levels.0 == 0;
            self.covered(guide, !says_nothing)?;
            column.guide = (!says_nothing).then(|| Arc::clone(&guide.tree));
        }
        Ok(column)
    }

    fn checked(
        &self,
        levels: Levels,
        scheme: Scheme,
        tree: Option<&Hierarchy>,
    ) -> Result<(u32, u32), String> {
        let place = format!("levels {levels} of column {}", self.name);
        let Some(tree) = tree else {
            return Err(format!("{place}: levels are those of a hierarchy, and the column has none"));
        };
        let height = tree.height();
        if levels.least.max(levels.most.unwrap_or(0)) > height {
            return Err(format!("{place}: its hierarchy has the levels 0 to {height}"));
        }
        if levels.most.is_some() && !scheme.is_guided() {
            return Err(format!(
                "{place}: {} groups values whatever the hierarchy says, so there is no most general level; write {}..",
                scheme.name(),
                levels.least
            ));
        }
        Ok((levels.least, levels.most.unwrap_or(u32::MAX)))
    }

    /// Every value must be in the hierarchy, and an order must be its order too.
    fn covered(&self, guide: &Guide, in_order: bool) -> Result<(), String> {
        let values = self.domain.value_count() as u32;
        let leaves: Vec<Option<u32>> =
            (0..values).map(|code| guide.tree.leaf_code(&self.domain.text(code))).collect();
        let unknown = leaves.iter().filter(|leaf| leaf.is_none()).count();
        if unknown > 0 {
            return Err(format!(
                "{}: {unknown} of the {values} values of column {} {} not in this hierarchy",
                guide.path,
                self.name,
                if unknown == 1 { "is" } else { "are" }
            ));
        }
        if self.ordered() && in_order && leaves.windows(2).any(|two| two[0] >= two[1]) {
            return Err(format!(
                "{}: the values of column {} do not ascend in this hierarchy, so that its groups are no intervals; \
                 sort its lines, or take bhs or ghs",
                guide.path, self.name
            ));
        }
        Ok(())
    }
}
