//! A job over rows that need not fit in memory.

use crate::job::{Budget, Observer};
use crate::loss::Original;
use crate::memory::Pool;
use crate::requirement::Requirement;
use crate::spill::{Rows, SpillFolder};
use crate::split::SplitSpec;
use crate::table::Table;
use crate::workload::TableWorkload;
use std::time::Instant;

/// A job over rows that need not fit in memory.
#[derive(Clone, Copy)]
pub struct External<'a> {
    /// The columns of the table, with their domains and without rows.
    pub frame: &'a Table,
    /// The rows.
    pub source: &'a dyn Rows,
    /// The requirements of every group.
    pub requirements: &'a [Box<dyn Requirement>],
    /// The split criterion.
    pub split: &'a SplitSpec,
    /// How much each dimension matters.
    pub weights: &'a [f64],
    /// The workload of the release, where there is one.
    pub workload: Option<&'a TableWorkload>,
    /// Whether the cuts are kept, for region extents or a recoding function.
    pub keep_tree: bool,
    /// Whether boundaries are published, so that widths are required of them; the cuts are kept then.
    pub by_boundaries: bool,
    /// The memory that may be taken.
    pub pool: &'a Pool,
    /// Where parts go that do not fit.
    pub folder: &'a SpillFolder,
    /// The secret that the order of rows in groups larger than memory depends on.
    pub secret: [u8; 32],
    /// When parts are not cut any further and become groups as they are.
    pub until: Option<Instant>,
    /// Watches the run: counts rows, once per row that is read or finds its group.
    pub observer: &'a dyn Observer,
}

impl<'a> External<'a> {
    /// The budget of cutting.
    pub(crate) fn budget(&self) -> Budget {
        Budget { until: self.until, ..Budget::default() }
    }

    /// A part of the table, as the split criterion sees it.
    pub(crate) fn original<'t>(&self, table: &'t Table) -> Original<'t>
    where
        'a: 't,
    {
        Original::new(table, self.weights).with_workload(self.workload)
    }
}
