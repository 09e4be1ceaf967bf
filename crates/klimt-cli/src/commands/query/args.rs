//! The flags of `klimt query`.

use crate::options::{ColumnArgs, FormatArgs, GeneralArgs};
use clap::Args;

/// `klimt query`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "A workload is a file of queries, as SQL:\n  SELECT COUNT(*) WHERE age BETWEEN 30 AND 39 AND sex = 'F';\n  SELECT AVG(income) WHERE zip IN ('8001', '8002') WEIGHT 2;\nor, with a name that ends in .toml:\n  [[query]]\n  select = \"COUNT(*)\"\n  where = { age = { from = 30, to = 39 }, sex = \"F\" }\n\nExact answers are those of the original: they are not safe to publish.",
    group = clap::ArgGroup::new("queries").required(true)
)]
pub struct QueryArgs {
    /// The original table
    pub original: String,
    /// The release; without one, only exact answers are told
    pub release: Option<String>,
    /// The queries, as a file of SQL or TOML
    #[arg(long, value_name = "FILE", group = "queries")]
    pub workload: Option<String>,
    /// Make so many range queries, each between two random rows
    #[arg(long, value_name = "N", group = "queries")]
    pub random: Option<usize>,
    /// Make a query for every value
    #[arg(long, group = "queries")]
    pub values: bool,
    /// The quasi-identifiers that made queries are about; all by default
    #[arg(long, value_name = "COLUMNS", conflicts_with = "workload")]
    pub about: Vec<String>,
    /// Make other random queries
    #[arg(long, value_name = "NUMBER", default_value_t = 0, conflicts_with = "workload")]
    pub seed: u64,
    /// Write the queries that were made; they hold values of the original, and only the owner can read the file
    #[arg(long, value_name = "FILE", conflicts_with = "workload")]
    pub save: Option<String>,
    /// Take columns from a spec; flags win
    #[arg(long, value_name = "FILE")]
    pub spec: Option<String>,
    /// What the columns of the original are.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// How both files are written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Print all answers as JSON
    #[arg(long, help_heading = "General")]
    pub json: bool,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}
