//! Counted passes over the rows beside the formulas of section 4 (Figs. 10, 11 and 12).

use super::engine::{Asked, read, run};
use crate::tables::Places;
use klimt_core::algorithm::rothko::{Method, RothkoLimits, Sampling};

/// The least size of a group.
const K: u64 = 1000;

/// `reads_T` and `writes_T` of section 4, in passes over the rows.
pub fn exhaustive(rows: f64, memory: f64, groups: f64) -> (f64, f64) {
    let height = (rows / memory).log2().ceil().max(0.0);
    let repartitions = (height / (groups.log2().floor() + 1.0)).ceil();
    (height + repartitions + 1.0, repartitions)
}

/// `repartitions_S` of section 4.
pub fn repartitions(rows: f64, memory: f64, sample: f64, k: f64) -> f64 {
    if rows <= memory {
        return 0.0;
    }
    // z for alpha = 0.05 and two sides.
    let (share, z) = (k / rows, 1.959_964);
    let error = (share * (1.0 - share) / sample * ((rows - sample) / (rows - 1.0))).sqrt();
    let levels = (1..64).take_while(|&level| 0.5f64.powi(level) - share >= z * error).count();
    if levels == 0 { 0.0 } else { 1.0 + repartitions(rows / 2f64.powi(levels as i32), memory, sample, k) }
}

/// Prints what was counted beside what the formulas say. As in the paper there are 25 times as many rows as fit.
pub fn traffic(places: &Places, threads: usize) -> Result<(), String> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| e.to_string())?;
    let table = read(&places.agrawal(10_000_000)?, &[])?;
    let (rows, memory) = (table.rows() as f64, table.rows() as u64 / 25);
    let requirements = [("k", "", "1000")];
    let asked = |method: Method, memory: u64, groups: Option<usize>| Asked {
        requirements: &requirements,
        split: "median",
        method,
        limits: RothkoLimits { memory_rows: Some(memory), frequency_groups: groups, leaves: Some(1 << 10) },
    };
    println!("\nRothko-T, {rows} rows, {memory} fit: passes over the rows (Fig. 10)");
    println!("{:>18} {:>8} {:>10} {:>8} {:>10}", "frequency groups", "reads", "formula", "writes", "formula");
    for groups in [1, 2, 4, 8, 16] {
        let account =
            threads.install(|| run(&table, &asked(Method::Tree, memory, Some(groups)), |_, _| {}))?;
        let (reads, writes) = exhaustive(rows, memory as f64, groups as f64);
        println!("{groups:>18} {:>8.2} {reads:>10} {:>8.2} {writes:>10}", account.reads, account.writes);
    }
    println!("\nRothko-S, {rows} rows: passes by the size of the sample (Fig. 11)");
    println!(
        "{:>18} {:>8} {:>10} {:>8} {:>10} {:>8}",
        "sample", "reads", "formula", "writes", "formula", "pruned"
    );
    for sample in [25_000, 50_000, 100_000, 200_000, 400_000] {
        let sampling = Sampling { alpha: 0.05, rows: Some(sample), seed: 1 };
        let account =
            threads.install(|| run(&table, &asked(Method::Sample(sampling), memory, None), |_, _| {}))?;
        let divided = repartitions(rows, memory as f64, sample as f64, K as f64);
        println!(
            "{sample:>18} {:>8.2} {:>10} {:>8.2} {divided:>10} {:>8}",
            account.reads,
            2.0 * divided + 1.0,
            account.writes,
            account.pruned
        );
    }
    println!("\nScale-up, {memory} rows fit (Fig. 12)");
    println!(
        "{:>18} {:>14} {:>10} {:>14} {:>10}",
        "rows", "S reads+writes", "formula", "T reads+writes", "formula"
    );
    for size in [1_000_000, 2_500_000, 5_000_000, 10_000_000] {
        let table = read(&places.agrawal(size)?, &[])?;
        let sampling = Sampling { alpha: 0.05, rows: None, seed: 1 };
        let s = threads.install(|| run(&table, &asked(Method::Sample(sampling), memory, None), |_, _| {}))?;
        let t = threads.install(|| run(&table, &asked(Method::Tree, memory, Some(8)), |_, _| {}))?;
        let divided = repartitions(size as f64, memory as f64, memory as f64 / 2.0, K as f64);
        let (reads, writes) = exhaustive(size as f64, memory as f64, 8.0);
        println!(
            "{size:>18} {:>14.2} {:>10} {:>14.2} {:>10}",
            s.reads + s.writes,
            3.0 * divided + 1.0,
            t.reads + t.writes,
            reads + writes
        );
    }
    Ok(())
}
