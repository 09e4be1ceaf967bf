//! How far answers from the release are off: random ranges of every quasi-identifier, and of all together.
//!
//! Only means over many queries are told. What a single answer is off by would tell the exact one, which may be a count of
//! fewer than k rows.

use klimt_core::Result;
use klimt_core::loss::PublishedGroups;
use klimt_core::table::Table;
use klimt_core::workload::{Errors, QueriedRelease, Workload};
use klimt_report::{QueryError, QueryErrors};

/// The number of queries of each kind.
const QUERIES: usize = 200;
/// The number of quasi-identifiers that are asked about by themselves.
const COLUMNS: usize = 12;
/// Of a table with more rows, fewer queries are asked.
const MANY_ROWS: usize = 1 << 20;

/// The errors of a release of a table; nothing where it has no rows.
pub(super) fn errors(table: &Table, groups: &PublishedGroups<'_>) -> Result<Option<QueryErrors>> {
    let dimensions = table.dimensions();
    if table.rows() == 0 || dimensions == 0 {
        return Ok(None);
    }
    let many = if table.rows() > MANY_ROWS { QUERIES / 10 } else { QUERIES };
    let released = QueriedRelease::counted(table, groups);
    let mut kinds: Vec<(String, Vec<usize>)> = (0..dimensions.min(COLUMNS))
        .map(|dimension| (format!("ranges of {}", table.dimension(dimension).name), vec![dimension]))
        .collect();
    if dimensions > 1 {
        kinds.push(("ranges of all quasi-identifiers together".to_string(), (0..dimensions).collect()));
    }
    let mut errors = Vec::new();
    for (seed, (query, asked)) in kinds.into_iter().enumerate() {
        let workload = Workload::ranges(table, &asked, many, seed as u64);
        let bound = workload.bind(table)?;
        let answers = released.answers(&bound, &bound);
        let found = Errors::new(&workload, &bound, &bound.exact(table), &answers);
        if let Some(summary) = found.summary(Errors::relative) {
            errors.push(QueryError { query, weight: 1.0, error: summary.mean });
        }
    }
    let workload = format!(
        "How many rows lie between two rows that were drawn at random? {many} such counts of each kind are answered by the \
         release, with the rows of every group spread evenly over its region, and compared with the original."
    );
    Ok(Some(QueryErrors { workload, errors }))
}
