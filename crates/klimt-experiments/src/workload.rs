//! What it helps to know the queries: releases for a workload beside those of the same k that are for none.

use crate::Result;
use crate::adult::{Adult, EIGHT, Files};
use crate::print::Columns;
use crate::releases::{Queries, release};
use crate::tables::{Dataset, PlaceArgs, Tables};
use clap::Args;
use klimt::prelude::*;

/// `klimt-experiments workload`.
#[derive(Args, Clone, Debug)]
pub struct WorkloadArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// How many rows the tables have
    #[arg(long, default_value_t = 100_000)]
    rows: u64,
    /// The least sizes of a group
    #[arg(short, value_delimiter = ',', default_values_t = [5, 10, 25, 50])]
    k: Vec<u64>,
    /// How many queries a workload has
    #[arg(long, default_value_t = 200)]
    queries: usize,
}

/// Runs all.
pub fn workload(args: &WorkloadArgs) -> Result<()> {
    let tables = args.place.tables()?;
    let mut datasets = args.place.both(args.rows)?;
    for dataset in &mut datasets {
        dataset.name = format!("{}, {} rows", dataset.name, args.rows);
    }
    datasets.push(adult_with_hierarchies(&tables)?);
    for dataset in datasets {
        println!("\n{}, {} random range queries", dataset.name, args.queries);
        let head = format!("{:<32} {:>5}", "about", "k");
        let columns = Columns::new(&head, 48, &[("unaware", 4), ("aware", 4), ("ratio", 2)]);
        let all = dataset.quasi_identifiers();
        for about in [&all[1..2], &all[..2], &all[2..5], &all] {
            let name = if about.len() == all.len() { "all columns".to_string() } else { about.join(", ") };
            let asked = Queries::ranges(&dataset, about, args.queries);
            let path = tables.file("out-workload.sql");
            asked.save(&path)?;
            for &k in &args.k {
                for algorithm in [AlgorithmKind::Mondrian, AlgorithmKind::RTree] {
                    let plain = dataset.groups_of(k)?.algorithm(algorithm);
                    let unaware = asked.relative(&release(&dataset, &plain)?)?;
                    let aware = asked.relative(&release(&dataset, &plain.workload(&path)?)?)?;
                    let name = format!("{name:<32} {k:>5} {algorithm}");
                    columns.line(name, &[&unaware, &aware, &(aware / unaware)]);
                }
            }
        }
    }
    Ok(())
}

/// Adult with a hierarchy for each of its eight quasi-identifiers, or what stands in for it.
fn adult_with_hierarchies(tables: &Tables) -> Result<Dataset> {
    let adult = Adult::new(tables, Files::find(None, None)?, u64::MAX)?;
    Ok(Dataset { name: format!("{}, hierarchies", adult.described()), ..adult.trees(&EIGHT)? })
}
