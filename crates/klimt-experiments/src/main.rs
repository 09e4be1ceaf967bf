//! The experiments of the papers and the benchmarks against peers.

mod bench;
mod chart;
mod measure;
mod optimal;
mod published;
mod requirements;
mod rothko;
mod schemes;
mod tables;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The experiments of the papers and the benchmarks against peers.
#[derive(Debug, Parser)]
#[command(name = "klimt-experiments", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Anonymize a CSV file beside DuckDB, polars and cp, which only copy it
    Bench(bench::BenchArgs),
    /// How good the best partitions are: found and proven, beside Mondrian and the GenSearch paper
    Optimal(optimal::OptimalArgs),
    /// What requirements of sensitive columns cost, beside k alone
    Requirements(requirements::RequirementsArgs),
    /// Tables larger than memory: beside GNU sort, passes over the rows, and what samples cost
    Rothko(rothko::RothkoArgs),
    /// The six generalization schemes: what each costs and takes, beside ARX
    Schemes(schemes::SchemesArgs),
    /// How the cost grows with the number of rows
    Scale(bench::ScaleArgs),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Bench(args) => bench::bench(&args),
        Command::Optimal(args) => optimal::optimal(&args),
        Command::Requirements(args) => requirements::requirements(&args),
        Command::Rothko(args) => rothko::rothko(&args),
        Command::Schemes(args) => schemes::schemes(&args),
        Command::Scale(args) => bench::scale(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("klimt-experiments: {error}");
            ExitCode::FAILURE
        }
    }
}
