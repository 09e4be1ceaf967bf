//! Bulk loading within a memory budget (Fig. 8): the time beside Rothko-S, and what is read and written beside the bound of
//! the buffer tree.

use crate::Result;
use crate::print::Columns;
use crate::process::Klimt;
use crate::timing::{COST, Cost};
use klimt::prelude::*;

/// The rows of a page of the paper's kind: 4 KB of rows with four bytes for each of nine attributes.
const PAGE_ROWS: f64 = 4096.0 / 36.0;

/// Tables of so many rows, within so many megabytes each.
pub fn memory(klimt: &Klimt, rows: &[u64], megabytes: &[u64], k: u64) -> Result<()> {
    let head = format!("{:>12} {:>6}", "rows", "MB");
    let passes = [("reads", 2), ("writes", 2), ("passes/bound", 2), ("wall/rothko-s", 2)];
    let columns = Columns::new(&head, 28, &[&COST[..], &passes].concat());
    for &rows in rows {
        let dataset = klimt.tables.agrawal(rows)?;
        for &budget in megabytes {
            let mut first = None;
            for algorithm in [AlgorithmKind::RothkoS, AlgorithmKind::RTree] {
                let asked = dataset.groups_of(k)?.algorithm(algorithm).memory(budget as usize * 1_000_000);
                let made = klimt.anonymize("memory", &dataset, &asked)?;
                let (reads, writes) = made.passes();
                // N/B log over M/B of N/B, in passes over the rows.
                let (pages, held) = (rows as f64 / PAGE_ROWS, budget as f64 * 1e6 / 4096.0);
                let bound = (pages.ln() / held.ln()).max(1.0);
                let ratio = made.cost.wall / *first.get_or_insert(made.cost.wall);
                let passes = (reads + writes) / 2.0 / bound;
                let Cost { wall, cpu, memory } = made.cost;
                let name = format!("{rows:>12} {budget:>6} {algorithm}");
                columns.line(name, &[&wall, &cpu, &memory, &reads, &writes, &passes, &ratio]);
            }
        }
    }
    Ok(())
}
