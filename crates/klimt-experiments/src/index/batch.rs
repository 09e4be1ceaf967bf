//! Building the leaves beside Mondrian, what compaction takes of that, and each further granularity from the same leaves
//! (Figs. 7 and 9): the engine alone.

use super::IndexArgs;
use crate::Result;
use crate::engine::{groups, joined, k_alone};
use crate::print::Columns;
use crate::timing::{in_turn, timed};
use klimt_core::algorithm::rtree::LeafGrouping;

/// Mondrian and the tree in turn, medians, and ratios to Mondrian.
pub fn batch(args: &IndexArgs) -> Result<()> {
    let table = args.place.tables()?.agrawal(args.rows)?.table()?;
    let base = args.k.first().copied().unwrap_or(5);
    let bound = k_alone(&table, base)?;
    let names = ["median", "box", "box:area"];
    let build = |at: usize| Ok(Some(timed(|| groups(&table, &bound, names[at], false))?.1.cost()));
    let costs = in_turn(args.runs, names.len(), build)?;
    println!("{} rows, k = {base}, {} runs in turn", table.rows(), args.runs.max(1));
    let titles = [("wall s", 2), ("cpu s", 2), ("wall/median", 3), ("cpu/median", 3)];
    let columns = Columns::new("", 20, &titles);
    let Some(median) = costs[0] else { return Ok(()) };
    let print = |name: &str, wall: f64, cpu: f64| {
        columns.line(name, &[&wall, &cpu, &(wall / median.wall), &(cpu / median.cpu)]);
    };
    names.iter().zip(costs.iter().flatten()).for_each(|(name, cost)| print(name, cost.wall, cost.cpu));
    let leaves = groups(&table, &bound, "box", true)?;
    // The smallest regions of all groups (section 4), which every run makes at its end (Fig. 9).
    let compaction = timed(|| Ok(leaves.compact(&table)))?.1;
    print("compaction", compaction.wall, compaction.cpu());
    for &k in args.k.iter().skip(1) {
        for (by, name) in [(LeafGrouping::LeafScan, "leaf scan"), (LeafGrouping::Level, "level")] {
            let spent = timed(|| joined(&leaves, &table, k, by))?.1;
            print(&format!("{name}, k = {k}"), spent.wall, spent.cpu());
        }
    }
    Ok(())
}
