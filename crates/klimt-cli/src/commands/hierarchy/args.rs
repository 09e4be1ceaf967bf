//! The flags of `klimt hierarchy`.

use crate::options::{FormatArgs, GeneralArgs};
use clap::{Args, Subcommand, ValueEnum};

/// `klimt hierarchy`.
#[derive(Debug, Subcommand)]
pub enum HierarchyCommand {
    /// Build a hierarchy over the values of a column
    Build(BuildArgs),
    /// Check a hierarchy, and that it covers a column
    Check(CheckArgs),
    /// Count the generalizations of a column with a hierarchy
    Count(CountArgs),
    /// Draw a hierarchy as a tree
    Show {
        /// The hierarchy
        file: String,
    },
}

/// `klimt hierarchy build`.
#[derive(Args, Clone, Debug)]
pub struct BuildArgs {
    /// The table whose values the hierarchy covers
    pub input: String,
    /// The column
    #[arg(long, value_name = "COLUMN")]
    pub column: String,
    /// How the tree is made
    #[arg(long, value_enum, value_name = "HOW")]
    pub by: BuildBy,
    /// Widths of the levels, each a multiple of the one before (for width), such as 5,10,20
    #[arg(long, value_name = "WIDTHS", value_delimiter = ',')]
    pub widths: Vec<String>,
    /// Where the first interval starts (for width); 0 by default
    #[arg(long, value_name = "NUMBER")]
    pub origin: Option<String>,
    /// How many values a group of the first level has (for count)
    #[arg(long, value_name = "N")]
    pub size: Option<u32>,
    /// How many groups a group of the next level has (for count and order)
    #[arg(long, value_name = "N")]
    pub fanout: Option<u32>,
    /// The lengths of the prefixes, longest first (for prefix); every length by default
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',')]
    pub lengths: Vec<u32>,
    /// Add a level of decades (for date)
    #[arg(long)]
    pub decades: bool,
    /// The order of the values, a value per line (for order); the natural order by default
    #[arg(long, value_name = "FILE")]
    pub order: Option<String>,
    /// Where the hierarchy goes; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
    /// How the table is written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}

/// How a hierarchy is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BuildBy {
    /// Intervals of given widths, for numbers
    Width,
    /// Intervals with as many values each, for numbers
    Count,
    /// Year, month and day, for dates
    Date,
    /// Ever shorter prefixes, for codes such as postcodes and ICD
    Prefix,
    /// Neighbours in an order
    Order,
}

/// `klimt hierarchy count`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "A generalization groups the values of a column; a scheme says which groupings are allowed. For bhs and ghs the\nlevels and nodes are counted as they are drawn, so that a node over a single value counts beside the value."
)]
pub struct CountArgs {
    /// The hierarchy
    pub file: String,
    /// Print the number for this scheme alone: bhs, ghs, ops, gops, sps or gsps
    #[arg(long, value_name = "NAME", value_parser = klimt::settings::scheme_named)]
    pub scheme: Option<klimt_core::algorithm::scheme::Scheme>,
    /// Print the numbers as JSON; they are texts, as they may be of any length
    #[arg(long, help_heading = "General")]
    pub json: bool,
}

/// `klimt hierarchy check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    /// The hierarchy
    pub file: String,
    /// The table whose column it must cover
    pub input: Option<String>,
    /// The column
    #[arg(long, value_name = "COLUMN", requires = "input")]
    pub column: Option<String>,
    /// How the table is written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}
