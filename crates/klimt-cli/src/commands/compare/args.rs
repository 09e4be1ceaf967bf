//! The flags of `klimt compare`.

use crate::choice::choice;
use crate::memory::MemoryArgs;
use crate::options::{ColumnArgs, FormatArgs, GeneralArgs};
use crate::requirements::RequirementArgs;
use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches};
use klimt_core::registry::AlgorithmKind;

/// `klimt compare`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Every setting makes a whole release in memory, which is checked as always and then thrown away. The page\nand the table hold counts, losses and times, nothing of the rows. A setting that is not possible becomes a\nline that says why."
)]
pub struct CompareArgs {
    /// The table: CSV, TSV (gzip or zstd too), Parquet or Arrow
    pub input: Option<String>,
    /// Write a page with charts
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// Take settings from a spec; flags win
    #[arg(long, value_name = "FILE")]
    pub spec: Option<String>,
    /// The algorithms, side by side
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "mondrian,rtree,local",
        value_parser = choice::<AlgorithmKind>())]
    pub algorithms: Vec<AlgorithmKind>,
    /// The loss that settings are compared by, and that searches minimise where it can be minimised
    #[arg(long, value_name = "NAME", default_value = "ncp")]
    pub loss: String,
    /// End each search after this time with the best release found, such as 30s
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub time: String,
    /// Leave out at most this share of the rows, such as 5%; none by default
    #[arg(long, value_name = "SHARE")]
    pub suppress: Option<String>,
    /// What the columns are.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// What every group must satisfy, with several k.
    #[command(flatten)]
    pub requirements: SeveralK,
    /// How much memory may be taken.
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// How the input is written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Print the comparison as JSON
    #[arg(long, help_heading = "General")]
    pub json: bool,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}

/// The requirement flags, with as many k as one likes.
#[derive(Clone, Debug, Default)]
pub struct SeveralK {
    /// Every k.
    pub k: Vec<u64>,
    /// The other requirements.
    pub others: RequirementArgs,
}

impl Args for SeveralK {
    fn augment_args(command: Command) -> Command {
        RequirementArgs::augment_args(command).mut_arg("k", |arg| {
            arg.value_delimiter(',')
                .action(ArgAction::Append)
                .value_name("K,…")
                .help("Every group holds at least k rows: the values to compare; 2,5,10,50 by default")
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SeveralK {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let k = matches.get_many::<u64>("k").into_iter().flatten().copied().collect();
        let mut others = RequirementArgs::from_arg_matches(matches)?;
        others.k = None;
        Ok(SeveralK { k, others })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
