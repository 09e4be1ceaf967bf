//! Anonymization as spatial indexing: the experiments of Iwuchukwu and Naughton (*K-Anonymization as Spatial Indexing*,
//! 2007, section 5).

mod batch;
mod incremental;
mod memory;
mod quality;

use crate::bench::PlaceArgs;
use clap::Args;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::rtree::RPlusTree;
use klimt_core::job::{Budget, Job, Partitioner, Suppression, Unobserved};
use klimt_core::loss::{Original, SuppressedRows};
use klimt_core::partition::Partitioning;
use klimt_core::registry;
use klimt_core::requirement::Checks;
use klimt_core::split::SplitSpec;
use klimt_core::table::Table;
use klimt_core::workload::TableWorkload;

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
pub fn index(args: &IndexArgs) -> Result<(), String> {
    if let Some(unknown) = args.parts.iter().find(|part| !PARTS.contains(&part.as_str())) {
        return Err(format!("there is no part {unknown}; the parts are {}", PARTS.join(", ")));
    }
    let places = args.place.places()?;
    for part in &args.parts {
        match part.as_str() {
            "batch" => batch::batch(args, &places)?,
            "incremental" => incremental::incremental(&places, args.batch, args.threads)?,
            "memory" => {
                memory::memory(&places, &args.memory_rows, &args.memory, args.memory_k, args.threads)?;
            }
            _ => quality::quality(args, &places)?,
        }
    }
    Ok(())
}

/// k-anonymity alone, bound to a table.
pub fn k_alone(table: &Table, k: u64) -> Result<Checks, String> {
    let requirement = registry::requirement("k", "", &k.to_string()).map_err(|e| e.to_string())?;
    Checks::new(&[requirement], table).map_err(|e| e.to_string())
}

/// The groups that a split criterion makes: those of Mondrian by the median, the leaves of an R+-tree by boxes.
pub fn groups(
    table: &Table,
    bound: &Checks,
    split: &SplitSpec,
    keep_tree: bool,
) -> Result<Partitioning, String> {
    groups_for(table, bound, split, keep_tree, None)
}

/// The same, made for a workload where there is one.
pub fn groups_for(
    table: &Table,
    bound: &Checks,
    split: &SplitSpec,
    keep_tree: bool,
    workload: Option<&TableWorkload>,
) -> Result<Partitioning, String> {
    let even = vec![1.0; table.dimensions()];
    let weights = workload.map_or(even.clone(), |workload| workload.steer(&even));
    let original = Original::new(table, &even).with_workload(workload);
    let criterion = split.bind(&original).map_err(|e| e.to_string())?;
    let job = Job {
        table,
        requirements: bound,
        split: &criterion,
        loss: &SuppressedRows,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights: &weights,
        keep_tree,
        observer: &Unobserved,
    };
    let (mondrian, tree) = (Mondrian::default(), RPlusTree::default());
    let partitioner: &dyn Partitioner = if split.name == "median" { &mondrian } else { &tree };
    partitioner.partition(&job).map_err(|e| e.to_string())
}
