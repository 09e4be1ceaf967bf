//! The recoding function: maps any tuple of the domain to a group; can be saved and applied to other data.
//!
//! It is made from what is published. It holds the cuts and, of numbers, days and instants, only the values at which it
//! cuts and the two ends of the published range; of sets the published categories; orders and hierarchies as they were
//! given. Of a leaf it says whether a group was published there, not how many rows it had. Where rows were suppressed, it
//! says so, and where the smallest intervals were published, it holds these too, so that rows outside of them can be
//! recognised.

use super::axis::{RecodedColumn, reduce};
use crate::partition::{CutNode, CutTree};
use crate::region::{Cell, Extents, Regions};
use crate::table::{ColumnSpec, Table};
use crate::words::option;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Maps any tuple of the domain to a group.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecodingFunction {
    format: String,
    /// The k that its groups had.
    pub k: u64,
    /// The further requirements that its groups satisfied.
    #[serde(default)]
    pub requirements: Vec<SavedRequirement>,
    /// Which intervals were published.
    pub extent: Extents,
    pub(super) columns: Vec<RecodedColumn>,
    pub(super) tree: CutTree,
    /// Leaves and dimensions that were published as `*`, because some of the rows had no value there.
    pub(super) starred: Vec<(u32, u32)>,
    /// Whether rows of its own table were suppressed, which may come back when it is applied to that table.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    suppressed: bool,
    /// The smallest regions over the leaves with rows, ascending, where rows beside them were suppressed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) boxes: Vec<LeafBox>,
}

/// The smallest region over the published rows of a leaf.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LeafBox {
    /// The leaf, by its node.
    pub leaf: u32,
    /// The values that the box allows in each dimension.
    pub sides: Vec<BoxSide>,
}

/// The values that a box allows in a dimension.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BoxSide {
    /// Everything.
    All,
    /// The missing value.
    Missing,
    /// The codes between two ends, both included.
    Ends(u32, u32),
    /// Some codes.
    Members(Vec<u32>),
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

/// The version of the file format.
const FORMAT: &str = "klimt-recoding-2";

impl RecodingFunction {
    /// The function of a partitioning of published rows: its cuts, and the smallest regions over the leaves that hold
    /// rows. `suppressed` says whether there were other rows.
    pub fn new(
        table: &Table,
        tree: &CutTree,
        compact: &Regions,
        k: u64,
        extent: Extents,
        suppressed: bool,
    ) -> Self {
        let mut tree = tree.clone();
        let starred = starred(table, &tree, compact);
        let with_boxes = suppressed && extent == Extents::Compact;
        let mut boxes = if with_boxes { boxes(table, &tree, compact) } else { Vec::new() };
        let columns = (0..table.dimensions()).map(|dimension| {
            let sides = boxes.iter_mut().map(|leaf| &mut leaf.sides[dimension]);
            let mut ends: Vec<&mut u32> = sides.flat_map(BoxSide::ends).collect();
            let axis = reduce(table.domain(dimension), dimension, &mut tree, &mut ends);
            RecodedColumn { name: table.dimension(dimension).name.clone(), axis }
        });
        let columns = columns.collect();
        for node in &mut tree.nodes {
            if let CutNode::Leaf { rows } = node {
                *rows = (*rows).min(1);
            }
        }
        let (format, requirements) = (FORMAT.to_string(), Vec::new());
        RecodingFunction { format, k, requirements, extent, columns, tree, starred, suppressed, boxes }
    }

    /// All of a function but its cuts.
    pub(super) fn without_cuts(
        k: u64,
        requirements: Vec<SavedRequirement>,
        extent: Extents,
        columns: Vec<RecodedColumn>,
    ) -> Self {
        let (format, tree, starred) = (FORMAT.to_string(), CutTree::default(), Vec::new());
        let (suppressed, boxes) = (false, Vec::new());
        RecodingFunction { format, k, requirements, extent, columns, tree, starred, suppressed, boxes }
    }

    /// Whether rows of its own table were suppressed. Applied to that table, the function may publish them: that release
    /// and the first one together name the suppressed rows.
    pub fn suppressed_rows(&self) -> bool {
        self.suppressed || !self.boxes.is_empty()
    }

    /// Reads a saved function; every cut must lie within it.
    pub fn from_json(text: &[u8], path: &str) -> Result<Self> {
        let bad = |what: String| Error::input(format!("{path}: this is not a recoding function: {what}"));
        let head: Head = serde_json::from_slice(text)
            .map_err(|e| bad(format!("line {}, column {}", e.line(), e.column())))?;
        if head.format != FORMAT {
            return Err(bad(format!("its format is not {FORMAT}"))
                .with_help(format!("save it again with {} of this version", option("save-recoding"))));
        }
        let function: RecodingFunction = serde_json::from_slice(text)
            .map_err(|e| bad(format!("line {}, column {}", e.line(), e.column())))?;
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

    /// The specification that a column of other data must be read with to be recoded.
    pub fn column_spec(&self, name: &str) -> Option<ColumnSpec> {
        self.columns.iter().find(|column| column.name == name).map(RecodedColumn::spec)
    }

    fn is_sound(&self) -> bool {
        let nodes = &self.tree.nodes;
        let members = self.tree.members.len() as u64;
        let dimensions = self.columns.len() as u32;
        self.tree.fits_together()
            && self.boxes.iter().all(|leaf| leaf.sides.len() == self.columns.len())
            && nodes.iter().all(|node| match *node {
                CutNode::Leaf { .. } => true,
                CutNode::Threshold { dimension, .. } => dimension < dimensions,
                CutNode::Subset { dimension, first, len, .. } => {
                    dimension < dimensions && u64::from(first) + u64::from(len) <= members && len > 0
                }
            })
    }
}

/// The fields that every version of the file has.
#[derive(Deserialize)]
struct Head {
    format: String,
}

impl BoxSide {
    fn ends(&mut self) -> impl Iterator<Item = &mut u32> {
        let ends = match self {
            BoxSide::Ends(lo, hi) => [Some(lo), Some(hi)],
            _ => [None, None],
        };
        ends.into_iter().flatten()
    }
}

/// The leaves that hold rows, by their nodes; they are the groups, in order.
fn filled(tree: &CutTree) -> impl Iterator<Item = usize> {
    (0..tree.nodes.len()).filter(|&at| matches!(tree.nodes[at], CutNode::Leaf { rows: 1.. }))
}

/// The leaves and dimensions, ascending, in which rows with a value and rows without one are together.
fn starred(table: &Table, tree: &CutTree, compact: &Regions) -> Vec<(u32, u32)> {
    let mut starred = Vec::new();
    for (group, leaf) in filled(tree).enumerate() {
        for dimension in 0..table.dimensions() {
            if compact.mixes_missing(group, dimension, table.domain(dimension)) {
                starred.push((leaf as u32, dimension as u32));
            }
        }
    }
    starred
}

/// The smallest region over the rows of every leaf that holds any.
fn boxes(table: &Table, tree: &CutTree, compact: &Regions) -> Vec<LeafBox> {
    let side = |group: usize, dimension: usize| {
        let domain = table.domain(dimension);
        if compact.mixes_missing(group, dimension, domain) {
            return BoxSide::All;
        }
        match compact.cell(group, dimension, domain) {
            Cell::Interval { lo, hi } => BoxSide::Ends(lo, hi),
            Cell::Set(members) => BoxSide::Members(members.to_vec()),
            Cell::Missing => BoxSide::Missing,
            // The published node may be wider than its rows: whatever it holds is inside.
            Cell::Node(node) => {
                let (lo, hi) = domain.hierarchy().map_or((0, 0), |tree| tree.span(node));
                BoxSide::Ends(lo, hi)
            }
            Cell::All => BoxSide::All,
        }
    };
    let sides = |group| (0..table.dimensions()).map(|dimension| side(group, dimension)).collect();
    filled(tree).enumerate().map(|(group, leaf)| LeafBox { leaf: leaf as u32, sides: sides(group) }).collect()
}
