//! Building the leaves beside Mondrian, what compaction takes of that, and each further granularity from the same leaves
//! (Figs. 7 and 9).

use super::{IndexArgs, groups, k_alone};
use crate::measure::{Spent, timed};
use crate::rothko::engine::read;
use crate::tables::Places;
use klimt_core::algorithm::rtree::{LeafGrouping, granular};
use klimt_core::split::SplitSpec;

/// Wall clock and processors.
type Seconds = (f64, f64);

fn seconds(spent: Spent) -> Seconds {
    (spent.wall, spent.user)
}

fn middle(mut times: Vec<Seconds>) -> Seconds {
    times.sort_by(|a, b| a.1.total_cmp(&b.1));
    times[times.len() / 2]
}

/// Mondrian and the tree in turn, medians, and ratios to Mondrian.
pub fn batch(args: &IndexArgs, places: &Places) -> Result<(), String> {
    let table = read(&places.agrawal(args.rows)?, &[])?;
    let base = args.k.first().copied().unwrap_or(5);
    let bound = k_alone(&table, base)?;
    let names = ["median", "box", "box:area"];
    let mut times: Vec<Vec<Seconds>> = vec![Vec::new(); names.len()];
    for _ in 0..args.runs.max(1) {
        for (name, times) in names.iter().zip(&mut times) {
            times.push(seconds(timed(|| groups(&table, &bound, &SplitSpec::named(name), false))?.1));
        }
    }
    println!("{} rows, k = {base}, {} runs in turn", table.rows(), args.runs.max(1));
    println!("{:<16} {:>8} {:>8} {:>12} {:>12}", "", "wall s", "cpu s", "wall/median", "cpu/median");
    let times: Vec<Seconds> = times.into_iter().map(middle).collect();
    let print = |name: &str, (wall, cpu): Seconds| {
        println!("{name:<16} {wall:>8.2} {cpu:>8.2} {:>12.3} {:>12.3}", wall / times[0].0, cpu / times[0].1);
    };
    names.iter().zip(&times).for_each(|(name, &time)| print(name, time));
    let leaves = groups(&table, &bound, &SplitSpec::named("box"), true)?;
    // The smallest regions of all groups (section 4), which every run makes at its end (Fig. 9).
    print("compaction", seconds(timed(|| Ok(leaves.compact(&table)))?.1));
    for &k in args.k.iter().skip(1) {
        let bound = k_alone(&table, k)?;
        for (by, name) in [(LeafGrouping::LeafScan, "leaf scan"), (LeafGrouping::Level, "level")] {
            let parts = [table.rows() as u32];
            let made = timed(|| granular(&leaves, &table, &bound, by, &parts).map_err(|e| e.to_string()))?;
            print(&format!("{name}, k = {k}"), seconds(made.1));
        }
    }
    Ok(())
}
