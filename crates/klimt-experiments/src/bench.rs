//! klimt beside what copies a file: everything in one run, in turn, medians as ratios.

use crate::Result;
use crate::print::Columns;
use crate::process::Klimt;
use crate::tables::{Dataset, PlaceArgs};
use crate::timing::{COST, Cost, in_turn, measure};
use clap::Args;
use klimt::Other;

/// `klimt-experiments bench`.
#[derive(Args, Clone, Debug)]
pub struct BenchArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// How many rows the tables have
    #[arg(long, default_value_t = 5_000_000)]
    rows: u64,
    /// How many threads everybody gets
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// How often everything is run
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// The least size of a group
    #[arg(short, default_value_t = 10)]
    k: u64,
}

/// `klimt-experiments scale`.
#[derive(Args, Clone, Debug)]
pub struct ScaleArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// How many rows the tables have
    #[arg(long, value_delimiter = ',', default_values_t = [100_000, 1_000_000, 10_000_000])]
    rows: Vec<u64>,
    /// How many threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// How often everything is run
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// The least size of a group
    #[arg(short, default_value_t = 10)]
    k: u64,
}

const DUCKDB: &str = r#"
import duckdb, sys
connection = duckdb.connect()
connection.execute(f"set threads = {sys.argv[3]}")
connection.execute(f"copy (select * from read_csv('{sys.argv[1]}')) to '{sys.argv[2]}' (header)")
"#;

const POLARS: &str = r#"
import os, sys
os.environ["POLARS_MAX_THREADS"] = sys.argv[3]
import polars
polars.read_csv(sys.argv[1]).write_csv(sys.argv[2])
"#;

/// The commands that are run in turn, each with its name.
fn contenders(
    klimt: &Klimt,
    dataset: &Dataset,
    args: &BenchArgs,
) -> Result<Vec<(&'static str, Vec<String>)>> {
    let out = |name: &str| klimt.out(name).display().to_string();
    let source = dataset.path.display().to_string();
    let threads = args.threads.to_string();
    let python = |script: &str, name: &str| {
        ["python3", "-c", script, &source, &out(name), &threads].map(String::from).to_vec()
    };
    let asked = dataset.groups_of(args.k)?.other(Other::Keep);
    Ok(vec![
        ("klimt", klimt.anonymizing("klimt", &dataset.path, &asked)?),
        ("duckdb", python(DUCKDB, "duckdb")),
        ("polars", python(POLARS, "polars")),
        ("cp", ["cp", &source, &out("cp")].map(String::from).to_vec()),
    ])
}

/// Runs everybody in turn and prints the medians, and klimt's as a ratio of each.
pub fn bench(args: &BenchArgs) -> Result<()> {
    let klimt = Klimt::new(&args.place, args.threads)?;
    for dataset in args.place.both(args.rows)? {
        let size = std::fs::metadata(&dataset.path)?.len() as f64 / 1e6;
        println!(
            "\n{}: {} rows, {size:.0} MB, k = {}, {} threads, medians of {} runs in turn",
            dataset.name, args.rows, args.k, args.threads, args.runs
        );
        let contenders = contenders(&klimt, &dataset, args)?;
        let costs = in_turn(args.runs, contenders.len(), |at| match measure(&contenders[at].1) {
            // The others need not be installed.
            Err(_) if (1..=2).contains(&at) => Ok(None),
            cost => cost.map(Some),
        })?;
        print_ratios(contenders.iter().map(|(name, _)| *name), &costs, size);
    }
    Ok(())
}

fn print_ratios(names: impl Iterator<Item = &'static str>, costs: &[Option<Cost>], size: f64) {
    let ratios = [("klimt/wall", 2), ("klimt/cpu", 2)];
    let columns = Columns::new("", 8, &[&COST[..], &ratios].concat());
    let Some(klimt) = costs[0] else { return };
    for (name, cost) in names.zip(costs) {
        match cost {
            Some(Cost { wall, cpu, memory }) => {
                columns.line(name, &[wall, cpu, memory, &(klimt.wall / wall), &(klimt.cpu / cpu)]);
            }
            None => println!("{name:<8} not installed: pip install {name}"),
        }
    }
    println!("klimt's memory is {:.2} times the file", klimt.memory * 1.048_576 / size);
}

/// Runs klimt on tables of growing size and prints the cost per row and level of cuts.
pub fn scale(args: &ScaleArgs) -> Result<()> {
    let klimt = Klimt::new(&args.place, args.threads)?;
    let titles = [("wall s", 2), ("cpu s", 2), ("cpu ns/(n log2(n/k))", 1)];
    let columns = Columns::new("rows", 12, &titles);
    for &rows in &args.rows {
        let dataset = klimt.tables.agrawal(rows)?;
        let line =
            klimt.anonymizing("scale", &dataset.path, &dataset.groups_of(args.k)?.other(Other::Keep))?;
        for cost in in_turn(args.runs, 1, |_| measure(&line).map(Some))?.into_iter().flatten() {
            let work = rows as f64 * (rows as f64 / args.k as f64).log2();
            columns.line(rows, &[&cost.wall, &cost.cpu, &(cost.cpu * 1e9 / work)]);
        }
    }
    Ok(())
}
