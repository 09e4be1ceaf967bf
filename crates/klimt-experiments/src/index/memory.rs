//! Bulk loading within a memory budget (Fig. 8): the time beside Rothko-S, and what is read and written beside the bound of
//! the buffer tree.

use crate::published::Published;
use crate::tables::Places;

/// The rows of a page of the paper's kind: 4 KB of rows with four bytes for each of nine attributes.
const PAGE_ROWS: f64 = 4096.0 / 36.0;

/// Tables of so many rows, within so many megabytes each.
pub fn memory(
    places: &Places,
    rows: &[u64],
    megabytes: &[u64],
    k: u64,
    threads: usize,
) -> Result<(), String> {
    println!(
        "{:>12} {:>6} {:<9} {:>8} {:>8} {:>10} {:>7} {:>7} {:>12} {:>13}",
        "rows", "MB", "", "wall s", "cpu s", "memory MB", "reads", "writes", "passes/bound", "wall/rothko-s"
    );
    for &rows in rows {
        let input = places.agrawal(rows)?;
        for &budget in megabytes {
            let mut first = None;
            for algorithm in ["rothko-s", "rtree"] {
                let flags = [
                    format!("-k={k}"),
                    format!("--algorithm={algorithm}"),
                    format!("--memory={budget}MB"),
                    format!("--threads={threads}"),
                ];
                let made = Published::make(places, "memory", &input.path, input.quasi_identifiers, &flags)?;
                let passes = &made.certificate["run"]["passes"];
                let number = |name: &str| passes[name].as_f64().unwrap_or(0.0);
                // N/B log over M/B of N/B, in passes over the rows.
                let (pages, held) = (rows as f64 / PAGE_ROWS, budget as f64 * 1e6 / 4096.0);
                let bound = (pages.ln() / held.ln()).max(1.0);
                let rothko = *first.get_or_insert(made.cost.wall);
                println!(
                    "{rows:>12} {budget:>6} {algorithm:<9} {:>8.1} {:>8.1} {:>10.0} {:>7.2} {:>7.2} {:>12.2} {:>13.2}",
                    made.cost.wall,
                    made.cost.cpu,
                    made.cost.memory,
                    number("reads"),
                    number("writes"),
                    (number("reads") + number("writes")) / 2.0 / bound,
                    made.cost.wall / rothko,
                );
            }
        }
    }
    Ok(())
}
