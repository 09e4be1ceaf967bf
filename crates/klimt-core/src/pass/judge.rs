//! Finds the leaves that violate the requirements, once rows have been divided among them.

use crate::requirement::Checks;
use crate::statistics::{Collector, Statistics};

/// Decides whether leaves satisfy the requirements.
#[derive(Clone, Copy)]
pub(crate) struct LeafJudge<'a> {
    /// The requirements, bound to the whole table.
    pub requirements: &'a Checks,
    /// Makes the statistics that they look at.
    pub collector: &'a Collector<'a>,
}

impl LeafJudge<'_> {
    /// Whether rows with these statistics violate the requirements; no rows violate nothing.
    pub fn violates(&self, group: &Statistics) -> bool {
        group.count > 0 && !self.requirements.satisfied(group)
    }
}
