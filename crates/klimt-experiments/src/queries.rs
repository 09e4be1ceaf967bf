//! Queries that are asked of releases of a table.

use crate::release::Release;
use klimt_core::table::Table;
use klimt_core::workload::{Errors, QueriedRelease, TableWorkload, Workload};

/// Queries, and what a table answers to them.
pub struct Queries {
    queries: Workload,
    exact: Vec<Option<f64>>,
    /// The queries as they are bound to the table.
    pub bound: TableWorkload,
}

impl Queries {
    /// Asks the table.
    pub fn new(table: &Table, queries: Workload) -> Result<Self, String> {
        let mut bound = queries.bind(table).map_err(|e| e.to_string())?;
        bound.count(table);
        Ok(Queries { exact: bound.exact(table), queries, bound })
    }

    /// As many counts as are wanted of the rows between two random ones (Iwuchukwu, Naughton, section 5.4).
    pub fn ranges(table: &Table, dimensions: &[usize], many: usize) -> Result<Self, String> {
        Queries::new(table, Workload::ranges(table, dimensions, many, 1))
    }

    /// Asks a release.
    pub fn errors(&self, release: &Release<'_>) -> Errors {
        let answers = QueriedRelease::of(&release.groups()).answers(&self.bound, &self.bound);
        Errors::new(&self.queries, &self.bound, &self.exact, &answers)
    }

    /// The mean of an error of a release.
    pub fn mean(
        &self,
        release: &Release<'_>,
        error: impl Fn(&Errors, usize) -> Option<f64>,
    ) -> Result<f64, String> {
        let summary = self.errors(release).summary(error);
        summary.map(|summary| summary.mean).ok_or("no query has an answer".to_string())
    }

    /// For each query the rows in the table, and the error of a release where every group is counted that it meets.
    pub fn matched(&self, release: &Release<'_>) -> Vec<(f64, f64)> {
        let errors = self.errors(release);
        let of_query = |(query, exact): (usize, &Option<f64>)| Some(((*exact)?, errors.matched(query)?));
        self.exact.iter().enumerate().filter_map(of_query).collect()
    }
}
