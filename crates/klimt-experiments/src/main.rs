//! The experiments of the papers and the benchmarks against peers.

mod adult;
mod bench;
mod engine;
mod figure;
mod index;
mod learn;
mod number;
mod optimal;
mod print;
mod process;
mod releases;
mod requirements;
mod rothko;
mod schemes;
mod tables;
mod timing;
mod workload;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The reason why an experiment came to no result.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The result of an experiment.
type Result<T, E = Failure> = std::result::Result<T, E>;

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
    /// Every figure of the papers' experiments: its numbers, its picture, and whether its claim holds
    Figure(figure::FigureArgs),
    /// The R+-tree: beside Mondrian in time, loss and answers to queries
    Index(index::IndexArgs),
    /// Decision trees that are trained on the original and on releases, and tested on held-out rows
    Learn(learn::LearnArgs),
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
    /// Releases made for a workload, beside those that are not: the error of its answers
    Workload(workload::WorkloadArgs),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Bench(args) => bench::bench(&args),
        Command::Figure(args) => figure::figure(&args),
        Command::Index(args) => index::index(&args),
        Command::Learn(args) => learn::learn(&args),
        Command::Optimal(args) => optimal::optimal(&args),
        Command::Requirements(args) => requirements::requirements(&args),
        Command::Rothko(args) => rothko::rothko(&args),
        Command::Schemes(args) => schemes::schemes(&args),
        Command::Scale(args) => bench::scale(&args),
        Command::Workload(args) => workload::workload(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("klimt-experiments: {error}");
            ExitCode::FAILURE
        }
    }
}
