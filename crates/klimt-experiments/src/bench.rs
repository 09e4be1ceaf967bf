//! klimt beside what copies a file: everything in one run, in turn, medians as ratios.

use crate::measure::{Cost, measure, median};
use crate::tables::{Input, Places};
use clap::Args;
use std::path::PathBuf;

/// Where the command, the tables and the scripts are.
#[derive(Args, Clone, Debug)]
pub struct PlaceArgs {
    /// The klimt command
    #[arg(long, default_value = "target/release/klimt")]
    klimt: PathBuf,
    /// Where tables are kept
    #[arg(long, default_value = "bench-data")]
    folder: PathBuf,
    /// The script that makes larger tables like Adult: `enlarge.py ROWS OUT.csv`
    #[arg(long, default_value = "../shared/data/enlarge.py")]
    enlarge: PathBuf,
}

impl PlaceArgs {
    /// The places, where the command has been built.
    pub fn places(&self) -> Result<Places, String> {
        let klimt = self.klimt.canonicalize();
        let klimt = klimt.map_err(|_| "build the command first: cargo build --release".to_string())?;
        Ok(Places { klimt, folder: self.folder.clone(), enlarge: self.enlarge.clone() })
    }
}

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
fn contenders(places: &Places, input: &Input, args: &BenchArgs) -> Vec<(&'static str, Vec<String>)> {
    let out = |name: &str| places.folder.join(format!("out-{name}.csv")).display().to_string();
    let source = input.path.display().to_string();
    let threads = args.threads.to_string();
    let python = |script: &str, name: &str| {
        ["python3", "-c", script, &source, &out(name), &threads].map(String::from).to_vec()
    };
    vec![
        ("klimt", anonymize(places, input, args.k, args.threads, &out("klimt"))),
        ("duckdb", python(DUCKDB, "duckdb")),
        ("polars", python(POLARS, "polars")),
        ("cp", ["cp", &source, &out("cp")].map(String::from).to_vec()),
    ]
}

/// The command that anonymizes a table with k alone.
pub fn anonymize(places: &Places, input: &Input, k: u64, threads: usize, out: &str) -> Vec<String> {
    let klimt = places.klimt.display().to_string();
    let source = input.path.display().to_string();
    let (k, threads) = (k.to_string(), threads.to_string());
    let flags = ["--other", "keep", "-k", &k, "--threads", &threads, "--quiet", "-o", out];
    let mut command = vec![klimt, "anonymize".to_string(), source];
    command.extend(["--qi".to_string(), input.quasi_identifiers.to_string()]);
    command.push(format!("--accept={}", input.quasi_identifiers));
    command.extend(flags.map(String::from));
    command
}

/// Runs everybody in turn and prints the medians, and klimt's as a ratio of each.
pub fn bench(args: &BenchArgs) -> Result<(), String> {
    let places = args.place.places()?;
    let inputs = [places.adult(args.rows)?, Some(places.agrawal(args.rows)?)];
    for input in inputs.into_iter().flatten() {
        let size = std::fs::metadata(&input.path).map_err(|e| e.to_string())?.len() as f64 / 1e6;
        println!(
            "\n{}: {} rows, {size:.0} MB, k = {}, {} threads, medians of {} runs in turn",
            input.name, args.rows, args.k, args.threads, args.runs
        );
        let contenders = contenders(&places, &input, args);
        let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); contenders.len()];
        for _ in 0..args.runs.max(1) {
            for ((name, command), costs) in contenders.iter().zip(&mut costs) {
                match measure(command) {
                    Ok(cost) => costs.push(cost),
                    Err(_) if matches!(*name, "duckdb" | "polars") => {}
                    Err(error) => return Err(error),
                }
            }
        }
        print_ratios(&contenders, &costs, size);
    }
    Ok(())
}

fn print_ratios(contenders: &[(&'static str, Vec<String>)], costs: &[Vec<Cost>], size: f64) {
    let klimt = median(&costs[0]);
    println!(
        "{:<8} {:>8} {:>8} {:>10} {:>12} {:>12}",
        "", "wall s", "cpu s", "memory MB", "klimt/wall", "klimt/cpu"
    );
    for ((name, _), costs) in contenders.iter().zip(costs) {
        if costs.is_empty() {
            println!("{name:<8} not installed: pip install {name}");
            continue;
        }
        let cost = median(costs);
        println!(
            "{name:<8} {:>8.2} {:>8.2} {:>10.0} {:>12.2} {:>12.2}",
            cost.wall,
            cost.cpu,
            cost.memory,
            klimt.wall / cost.wall,
            klimt.cpu / cost.cpu
        );
    }
    println!("klimt's memory is {:.2} times the file", klimt.memory * 1.048_576 / size);
}

/// Runs klimt on tables of growing size and prints the cost per row and level of cuts.
pub fn scale(args: &ScaleArgs) -> Result<(), String> {
    let places = args.place.places()?;
    let out = places.folder.join("out-scale.csv").display().to_string();
    println!("{:>12} {:>8} {:>8} {:>20}", "rows", "wall s", "cpu s", "cpu ns/(n log2(n/k))");
    for &rows in &args.rows {
        let input = places.agrawal(rows)?;
        let command = anonymize(&places, &input, args.k, args.threads, &out);
        let costs = (0..args.runs.max(1)).map(|_| measure(&command)).collect::<Result<Vec<_>, _>>()?;
        let cost = median(&costs);
        let work = rows as f64 * (rows as f64 / args.k as f64).log2();
        println!("{rows:>12} {:>8.2} {:>8.2} {:>20.1}", cost.wall, cost.cpu, cost.cpu * 1e9 / work);
    }
    Ok(())
}
