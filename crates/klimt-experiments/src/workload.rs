//! What it helps to know the queries: releases for a workload beside those of the same k that are for none.

use crate::bench::PlaceArgs;
use crate::figure::adult_with_hierarchies;
use crate::index::{groups_for, k_alone};
use crate::queries::Queries;
use crate::release::Release;
use crate::rothko::engine::read;
use crate::tables::Input;
use clap::Args;
use klimt_core::region::Extents;
use klimt_core::split::SplitSpec;
use klimt_core::table::Table;
use klimt_core::workload::{Errors, TableWorkload};

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
pub fn workload(args: &WorkloadArgs) -> Result<(), String> {
    let places = args.place.places()?;
    let inputs = [places.adult(args.rows)?, Some(places.agrawal(args.rows)?)];
    let named = |input: Input| Ok((format!("{}, {} rows", input.name, args.rows), read(&input, &[])?));
    let mut tables = inputs.into_iter().flatten().map(named).collect::<Result<Vec<_>, String>>()?;
    tables.push(adult_with_hierarchies()?);
    for (name, table) in tables {
        println!("\n{name}, {} random range queries", args.queries);
        println!("{:<32} {:>5} {:<9} {:>9} {:>9} {:>7}", "about", "k", "", "unaware", "aware", "ratio");
        let all: Vec<usize> = (0..table.dimensions()).collect();
        for asked in [&all[1..2], &all[..2], &all[2..5], &all] {
            let names: Vec<&str> = asked.iter().map(|&d| table.dimension(d).name.as_str()).collect();
            let about = if names.len() == all.len() { "all columns".to_string() } else { names.join(", ") };
            let asked = Queries::ranges(&table, asked, args.queries)?;
            for &k in &args.k {
                print(&table, &about, k, &asked)?;
            }
        }
    }
    Ok(())
}

fn print(table: &Table, about: &str, k: u64, asked: &Queries) -> Result<(), String> {
    let requirements = k_alone(table, k)?;
    let error = |split: &str, workload: Option<&TableWorkload>| {
        let groups = groups_for(table, &requirements, &SplitSpec::named(split), false, workload)?;
        asked.mean(&Release::new(table, groups, Extents::Compact), Errors::relative)
    };
    for (name, split) in [("mondrian", "median"), ("rtree", "box")] {
        let (unaware, aware) = (error(split, None)?, error(split, Some(&asked.bound))?);
        println!("{about:<32} {k:>5} {name:<9} {unaware:>9.4} {aware:>9.4} {:>7.2}", aware / unaware);
    }
    Ok(())
}
