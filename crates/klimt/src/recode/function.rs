//! The recoding function: maps any tuple of the domain to a region; can be saved and applied to other data.
//!
//! It holds the cuts and, of every ordered column, only the values at which it is cut and the two ends of its
//! range: nothing that `--extent region` would not publish.

use crate::hierarchy::Hierarchy;
use crate::partition::{CutNode, CutTree, Partitioning, Proof};
use crate::region::{Regions, Widening};
use crate::table::{
    Codes, Column, ColumnData, ColumnSpec, Distinct, Domain, Encoding, Role, Shape, Table, TypeSpec,
};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How a column is recoded.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "domain")]
pub(super) enum Axis {
    /// The values at which it is cut, and the ends of its range.
    Ordered { values: Vec<String>, r#type: String, imposed: Option<Vec<String>> },
    /// Its taxonomy.
    Hierarchy { hierarchy: Arc<Hierarchy>, r#type: String },
    /// Its categories.
    Set { values: Vec<String>, r#type: String, missing: bool },
}

/// One recoded column.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Recoded {
    name: String,
    #[serde(flatten)]
    axis: Axis,
}

/// Maps any tuple of the domain to a region.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecodingFunction {
    format: String,
    /// The k that its groups had.
    pub k: u64,
    /// What else its groups satisfied.
    #[serde(default)]
    pub requirements: Vec<SavedRequirement>,
    columns: Vec<Recoded>,
    tree: CutTree,
    /// Leaves and dimensions that were published as `*`, because some of the rows had no value there.
    starred: Vec<(u32, u32)>,
}

/// A requirement of a saved function, by its flag, column and parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedRequirement {
    /// The flag that asks for it.
    pub flag: String,
    /// The column that it is about.
    pub column: String,
    /// Its parameters.
    pub parameters: String,
}

/// How a cell of other data relates to the function's domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Its value is in the domain.
    Inside,
    /// It has no value.
    Missing,
    /// Its value is not in the domain.
    Outside,
}

/// The version of the file format.
const FORMAT: &str = "klimt-recoding-1";

/// A table recoded by a function, ready to be released with [`crate::region::Extents::Region`].
#[derive(Debug)]
pub struct Applied {
    /// The table, its quasi-identifiers encoded by the function's own domains.
    pub table: Table,
    /// Its rows by region.
    pub partitioning: Partitioning,
    /// Cells that hold a value outside the function's domain; they are published as `*`.
    pub outside: usize,
}

impl RecodingFunction {
    /// The function of a partitioning: its cuts, and the smallest regions over the leaves that hold rows.
    pub fn new(table: &Table, tree: &CutTree, compact: &Regions, k: u64) -> Self {
        let mut tree = tree.clone();
        let starred = starred(table, &tree, compact);
        let columns = (0..table.dimensions())
            .map(|d| Recoded {
                name: table.dimension(d).name.clone(),
                axis: reduce(table.domain(d), d, &mut tree),
            })
            .collect();
        RecodingFunction { format: FORMAT.to_string(), k, requirements: Vec::new(), columns, tree, starred }
    }

    /// All of a function but its cuts.
    pub(super) fn without_cuts(k: u64, requirements: Vec<SavedRequirement>, columns: Vec<Recoded>) -> Self {
        let (format, tree, starred) = (FORMAT.to_string(), CutTree::default(), Vec::new());
        RecodingFunction { format, k, requirements, columns, tree, starred }
    }

    /// Reads a saved function; every cut must lie within it.
    pub fn from_json(text: &[u8], path: &str) -> Result<Self> {
        let bad = |what: String| Error::input(format!("{path}: this is no recoding function: {what}"));
        let function: RecodingFunction = serde_json::from_slice(text)
            .map_err(|e| bad(format!("line {}, column {}", e.line(), e.column())))?;
        if function.format != FORMAT {
            return Err(bad(format!("its format is not {FORMAT}")));
        }
        if !function.is_sound() {
            return Err(bad("its cuts do not fit together".to_string()));
        }
        Ok(function)
    }

    /// The function as it is saved.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a recoding function is plain data")
    }

    /// The names of the columns that it recodes.
    pub fn columns(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// What must be known of a column that it recodes to read it from other data.
    pub fn column_spec(&self, name: &str) -> Option<ColumnSpec> {
        let column = self.columns.iter().find(|column| column.name == name)?;
        let mut spec = ColumnSpec::new(name, Role::QuasiIdentifier);
        let r#type = match &column.axis {
            Axis::Ordered { imposed: Some(_), .. } => return Some(spec),
            Axis::Ordered { r#type, .. } | Axis::Hierarchy { r#type, .. } | Axis::Set { r#type, .. } => {
                r#type
            }
        };
        spec.type_spec = r#type.parse().ok();
        Some(spec)
    }

    /// Recodes a table that has every column of the function as a quasi-identifier.
    pub fn apply(&self, table: &Table) -> Result<Applied> {
        let domains = self.columns.iter().map(Recoded::domain).collect::<Result<Vec<_>>>()?;
        let Placed { codes, places, outside } = self.recode(table, &domains)?;
        let mut leaves: Vec<(u32, u32)> = (0..table.rows())
            .map(|row| (self.leaf(|dimension| codes[dimension][row]) as u32, row as u32))
            .collect();
        let key = |&(leaf, row): &(u32, u32)| -> Vec<Place> {
            let place = |d: usize| match places[d][row as usize] {
                Place::Missing if self.starred.binary_search(&(leaf, d as u32)).is_ok() => Place::Inside,
                place => place,
            };
            (0..domains.len()).map(place).collect()
        };
        leaves.sort_by_cached_key(|entry| (entry.0, key(entry), entry.1));
        let (order, ends, firsts) = groups(&leaves, key);
        let regions = self.regions(&domains, &firsts);
        let table = recoded_table(table, &domains, &codes)?;
        let partitioning =
            Partitioning { order, ends, regions, tree: None, proof: Proof::Heuristic, strict: false };
        Ok(Applied { table, partitioning, outside })
    }

    /// The codes of the table's rows in the function's domains; values outside have the code of missing ones.
    fn recode(&self, table: &Table, domains: &[Domain]) -> Result<Placed> {
        let mut placed = Placed { codes: Vec::new(), places: Vec::new(), outside: 0 };
        for (column, domain) in self.columns.iter().zip(domains) {
            let dimension = (0..table.dimensions()).find(|&d| table.dimension(d).name == column.name);
            let dimension = dimension.ok_or_else(|| {
                Error::input(format!("the data has no column {}, which is recoded", column.name))
            })?;
            let (own, codes) = (table.domain(dimension), table.codes(dimension));
            let missing = domain.value_count() as u32;
            let to: Vec<Option<u32>> =
                (0..own.value_count() as u32).map(|code| column.code(domain, &own.text(code))).collect();
            let (mut recoded, mut places) = (Vec::new(), Vec::new());
            for row in 0..table.rows() {
                let code = codes.get(row);
                let found = to.get(code as usize).copied().flatten();
                let place = match found {
                    Some(_) => Place::Inside,
                    None if Some(code) == own.missing_code() => Place::Missing,
                    None => Place::Outside,
                };
                placed.outside += usize::from(place == Place::Outside);
                recoded.push(found.unwrap_or(missing));
                places.push(place);
            }
            placed.codes.push(recoded);
            placed.places.push(places);
        }
        Ok(placed)
    }

    fn leaf(&self, code: impl Fn(usize) -> u32) -> usize {
        let mut at = 0;
        loop {
            let (left, right) = match self.tree.nodes[at] {
                CutNode::Leaf { .. } => return at,
                CutNode::Threshold { dimension, code: upto, right, .. } => {
                    (code(dimension as usize) <= upto, right)
                }
                CutNode::Subset { dimension, first, len, right, .. } => {
                    let members = &self.tree.members[first as usize..(first + len) as usize];
                    (members.contains(&code(dimension as usize)), right)
                }
            };
            at += if left { 1 } else { right as usize };
        }
    }

    /// The region of every group: that of its leaf, and `*` where its rows have no place in the leaf.
    fn regions(&self, domains: &[Domain], firsts: &[(u32, Vec<Place>)]) -> Regions {
        let references: Vec<&Domain> = domains.iter().collect();
        let mut every = self.tree.clone();
        for node in &mut every.nodes {
            if let CutNode::Leaf { rows } = node {
                *rows = 1;
            }
        }
        let by_leaf = every.regions(&references, None);
        let mut number = vec![0; every.nodes.len()];
        let leaves = (0..every.nodes.len()).filter(|&at| matches!(every.nodes[at], CutNode::Leaf { .. }));
        leaves.enumerate().for_each(|(leaf, at)| number[at] = leaf);
        let mut regions = Regions::new(domains.len());
        for (leaf, places) in firsts {
            for (dimension, domain) in references.iter().enumerate() {
                let region = number[*leaf as usize];
                let everything = match places[dimension] {
                    Place::Outside => true,
                    Place::Inside => self.starred.binary_search(&(*leaf, dimension as u32)).is_ok(),
                    Place::Missing => {
                        !(self.columns[dimension].axis.knows_missing()
                            && by_leaf.holds_missing(region, dimension, domain))
                    }
                };
                let without_missing = !self.columns[dimension].axis.knows_missing();
                regions.push_widened(
                    &by_leaf,
                    region,
                    dimension,
                    domain,
                    Widening { everything, without_missing },
                );
            }
        }
        regions
    }

    fn is_sound(&self) -> bool {
        let nodes = &self.tree.nodes;
        let members = self.tree.members.len() as u64;
        let dimensions = self.columns.len() as u32;
        !nodes.is_empty()
            && nodes.iter().enumerate().all(|(at, node)| match *node {
                CutNode::Leaf { .. } => true,
                CutNode::Threshold { dimension, right, .. } => {
                    dimension < dimensions && right > 0 && at + (right as usize) < nodes.len()
                }
                CutNode::Subset { dimension, first, len, right, .. } => {
                    let fits = u64::from(first) + u64::from(len) <= members && len > 0;
                    dimension < dimensions && right > 0 && at + (right as usize) < nodes.len() && fits
                }
            })
    }
}

/// Rows by group, where the groups end, and the leaf of each with the places of its cells.
type Grouped = (Vec<u32>, Vec<u32>, Vec<(u32, Vec<Place>)>);

/// The rows of other data in the function's domains, by dimension.
struct Placed {
    codes: Vec<Vec<u32>>,
    places: Vec<Vec<Place>>,
    outside: usize,
}

fn groups(leaves: &[(u32, u32)], key: impl Fn(&(u32, u32)) -> Vec<Place>) -> Grouped {
    let (mut order, mut ends, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
    for entry in leaves {
        let this = (entry.0, key(entry));
        if firsts.last() != Some(&this) {
            if !firsts.is_empty() {
                ends.push(order.len() as u32);
            }
            firsts.push(this);
        }
        order.push(entry.1);
    }
    if !firsts.is_empty() {
        ends.push(order.len() as u32);
    }
    (order, ends, firsts)
}

/// The leaves and dimensions, ascending, in which rows with a value and rows without one are together.
fn starred(table: &Table, tree: &CutTree, compact: &Regions) -> Vec<(u32, u32)> {
    let filled = (0..tree.nodes.len()).filter(|&at| matches!(tree.nodes[at], CutNode::Leaf { rows: 1.. }));
    let mut starred = Vec::new();
    for (group, leaf) in filled.enumerate() {
        for dimension in 0..table.dimensions() {
            if compact.mixes_missing(group, dimension, table.domain(dimension)) {
                starred.push((leaf as u32, dimension as u32));
            }
        }
    }
    starred
}

impl Axis {
    /// Whether a missing value is a value of the domain, which a set can hold beside others.
    fn knows_missing(&self) -> bool {
        match self {
            Axis::Set { missing, .. } => *missing,
            Axis::Ordered { .. } | Axis::Hierarchy { .. } => true,
        }
    }
}

fn recoded_table(table: &Table, domains: &[Domain], codes: &[Vec<u32>]) -> Result<Table> {
    let mut dimension = 0;
    let columns = table.columns().iter().map(|column| {
        if column.role != Role::QuasiIdentifier {
            return column.clone();
        }
        let domain = domains[dimension].clone();
        let codes = Codes::collect(domain.cardinality(), codes[dimension].iter().copied());
        dimension += 1;
        Column {
            name: column.name.clone(),
            role: column.role,
            data: ColumnData::Coded { domain: domain.into(), codes },
        }
    });
    Table::new(table.rows(), columns.collect())
}

impl Recoded {
    pub(super) fn new(name: String, axis: Axis) -> Self {
        Recoded { name, axis }
    }

    fn domain(&self) -> Result<Domain> {
        let bad = || Error::input(format!("the recoding function's column {} is damaged", self.name));
        let mut spec = ColumnSpec::new(&self.name, Role::QuasiIdentifier);
        let (values, r#type) = match &self.axis {
            Axis::Ordered { values, r#type, imposed } => {
                spec.order = imposed.as_ref().map(|_| values.clone());
                (values.as_slice(), r#type)
            }
            Axis::Hierarchy { hierarchy, r#type } => {
                spec.hierarchy = Some(Arc::clone(hierarchy));
                (&[][..], r#type)
            }
            Axis::Set { values, r#type, .. } => (values.as_slice(), r#type),
        };
        spec.type_spec = Some(r#type.parse::<TypeSpec>().map_err(|_| bad())?);
        let distinct = Distinct::Texts(values.iter().map(String::as_str).collect());
        let encoding = Encoding::of(&spec, distinct, true).map_err(|_| bad())?;
        // The cuts count values in the order of the file.
        if encoding.codes.iter().enumerate().any(|(at, &code)| at as u32 != code) {
            return Err(bad());
        }
        Ok(encoding.domain)
    }

    /// The code of a value: of the first boundary at or above it in an ordered domain.
    fn code(&self, domain: &Domain, text: &str) -> Option<u32> {
        match &self.axis {
            Axis::Hierarchy { hierarchy, .. } => hierarchy.leaf_code(text),
            Axis::Set { values, .. } => {
                values.binary_search_by(|v| v.as_str().cmp(text)).ok().map(|at| at as u32)
            }
            Axis::Ordered { values, imposed: Some(order), .. } => {
                let rank = |value: &str| order.iter().position(|v| v == value);
                let at = rank(text)?;
                let bound = values.partition_point(|value| rank(value).is_some_and(|rank| rank < at));
                (bound < values.len() && (bound > 0 || values.first().is_some_and(|v| v == text)))
                    .then_some(bound as u32)
            }
            Axis::Ordered { values, .. } => {
                let spec = domain.type_spec();
                let at = (spec.position(text)?, text);
                let bound = values.partition_point(|value| {
                    spec.position(value).is_some_and(|position| (position, value.as_str()) < at)
                });
                let lowest = spec.position(values.first()?)?;
                (bound < values.len() && at.0 >= lowest).then_some(bound as u32)
            }
        }
    }
}

/// What is saved of a domain; the codes of the cuts in that dimension are made to fit.
fn reduce(domain: &Domain, dimension: usize, tree: &mut CutTree) -> Axis {
    let mut cuts = tree.nodes.iter_mut().filter_map(|node| match node {
        CutNode::Threshold { dimension: cut, code, .. } if *cut as usize == dimension => Some(code),
        _ => None,
    });
    let mut codes: Vec<&mut u32> = cuts.by_ref().collect();
    let cut: Vec<u32> = codes.iter().map(|code| **code).collect();
    let (axis, bounds) = axis(domain, &cut);
    if matches!(domain.shape(), Shape::Ordered) {
        codes.iter_mut().for_each(|code| **code = bounds.partition_point(|bound| bound < code) as u32);
    }
    axis
}

/// What is saved of a domain that is cut after these codes, and the codes of an ordered domain that are left.
pub(super) fn axis(domain: &Domain, cuts: &[u32]) -> (Axis, Vec<u32>) {
    let r#type = domain.type_spec().to_string();
    let texts = |codes: &[u32]| codes.iter().map(|&code| domain.text(code)).collect();
    let all = || texts(&(0..domain.value_count() as u32).collect::<Vec<_>>());
    match domain.shape() {
        Shape::Hierarchy(hierarchy) => {
            (Axis::Hierarchy { hierarchy: Arc::clone(hierarchy), r#type }, Vec::new())
        }
        Shape::Set => {
            (Axis::Set { values: all(), r#type, missing: domain.missing_code().is_some() }, Vec::new())
        }
        Shape::Ordered => {
            let last = (domain.value_count() as u32).saturating_sub(1);
            let mut bounds: Vec<u32> = if domain.value_count() == 0 { Vec::new() } else { vec![0, last] };
            bounds.extend_from_slice(cuts);
            bounds.sort_unstable();
            bounds.dedup();
            let imposed = (!domain.is_measured()).then(all);
            (Axis::Ordered { values: texts(&bounds), r#type, imposed }, bounds)
        }
    }
}
