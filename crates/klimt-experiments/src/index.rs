//! Anonymization as spatial indexing: the experiments of Iwuchukwu and Naughton (*K-Anonymization as Spatial Indexing*,
//! 2007, section 5).

mod batch;
mod incremental;
mod memory;
mod quality;

use crate::Result;
use crate::process::Klimt;
use crate::tables::PlaceArgs;
use clap::Args;

/// `klimt-experiments index`.
#[derive(Args, Clone, Debug)]
pub struct IndexArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// The parts to run
    #[arg(long, value_delimiter = ',', default_values = PARTS)]
    parts: Vec<String>,
    /// How many rows the table of the part batch has
    #[arg(long, default_value_t = 5_000_000)]
    rows: u64,
    /// How many rows the tables of the part quality have
    #[arg(long, default_value_t = 100_000)]
    quality_rows: u64,
    /// The least sizes of a group; the first is that of the leaves
    #[arg(short, value_delimiter = ',', default_values_t = [5, 10, 25, 50, 100])]
    k: Vec<u64>,
    /// How often everything of the part batch is run
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// How many rows a batch of the part incremental has; there are ten
    #[arg(long, default_value_t = 500_000)]
    batch: u64,
    /// How many rows the tables of the part memory have
    #[arg(long, value_delimiter = ',', default_values_t = [1_000_000, 10_000_000, 100_000_000])]
    memory_rows: Vec<u64>,
    /// The budgets of the part memory, in megabytes
    #[arg(long, value_delimiter = ',', default_values_t = [256])]
    memory: Vec<u64>,
    /// The least size of a group in the part memory
    #[arg(long, default_value_t = 10)]
    memory_k: u64,
    /// How many threads everybody gets in the parts incremental and memory
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// How many random queries are asked
    #[arg(long, default_value_t = 1000)]
    queries: usize,
}

const PARTS: [&str; 4] = ["batch", "quality", "incremental", "memory"];

/// Runs the parts that were asked for.
pub fn index(args: &IndexArgs) -> Result<()> {
    if let Some(unknown) = args.parts.iter().find(|part| !PARTS.contains(&part.as_str())) {
        return Err(format!("there is no part {unknown}; the parts are {}", PARTS.join(", ")).into());
    }
    let klimt = || Klimt::new(&args.place, args.threads);
    for part in &args.parts {
        match part.as_str() {
            "batch" => batch::batch(args)?,
            "incremental" => incremental::incremental(&klimt()?, args.batch)?,
            "memory" => memory::memory(&klimt()?, &args.memory_rows, &args.memory, args.memory_k)?,
            _ => quality::quality(args)?,
        }
    }
    Ok(())
}
