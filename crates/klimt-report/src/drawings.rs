//! The parts of the page that are drawn from rows.

use crate::aggregate::LeftOut;
use crate::html::Html;
use crate::sections::{columns, plane};
use klimt_core::loss::{PublishedGroup, PublishedGroups};
use klimt_core::table::Table;

/// A column that is published as it is, with how often the release has each text.
#[derive(Clone, Debug)]
pub struct PublishedColumn {
    /// Its number in the original.
    pub column: usize,
    /// Texts and rows.
    pub texts: Vec<(String, u64)>,
}

/// The original and the release, row by row.
pub struct ReleaseRows<'a> {
    /// The original: quasi-identifiers, sensitive columns and targets.
    pub original: &'a Table,
    /// The groups of the release as they are published, with texts in the order of the original's dimensions.
    pub published: &'a [PublishedGroup],
    /// The same groups, beside the original.
    pub groups: &'a PublishedGroups<'a>,
    /// Columns that are published as they are.
    pub kept: &'a [PublishedColumn],
    /// How many rows are left out.
    pub suppressed: u64,
    /// The dimensions of the two ordered columns to draw in a plane; by default those with most values.
    pub plane: Option<(usize, usize)>,
    /// The least number of rows that anything shown of the original stands for.
    pub least: u64,
}

/// The drawings of the columns and of groups in the plane: counts of bins that hold enough rows, and nothing else of the
/// original.
#[derive(Clone)]
pub struct Drawings {
    pub(crate) columns: Html,
    pub(crate) plane: Html,
}

impl Drawings {
    /// Draws a release beside its original.
    pub fn of(rows: &ReleaseRows<'_>) -> Self {
        let left_out = LeftOut::of(rows.original, rows.groups, rows.suppressed);
        Drawings { columns: columns::body(rows, &left_out), plane: plane::body(rows, &left_out) }
    }
}
