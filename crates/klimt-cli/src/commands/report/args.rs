//! The flags of `klimt report`.

use crate::options::{ColumnArgs, FormatArgs, GeneralArgs, RiskArgs};
use crate::requirements::RequirementArgs;
use clap::Args;

/// `klimt report`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "The page is one file that loads nothing. Of the original it shows only counts of at least k rows, and names\nonly values that at least k rows have; k is the one that was asked for, else the one that is reached, and at\nleast 2. A release that fails gets its page too, and exit code 1.\n\nMemory: about as much as both files."
)]
pub struct ReportArgs {
    /// The original table
    pub original: String,
    /// The release
    pub release: String,
    /// Where the page goes; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub output: String,
    /// Take columns and requirements from a spec; flags win
    #[arg(long, value_name = "FILE")]
    pub spec: Option<String>,
    /// The certificate, which fills in what neither flags nor spec say; by default RELEASE.certificate.json, where it is
    /// there
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<String>,
    /// The two ordered quasi-identifiers that groups are drawn in the plane of; by default those with most values
    #[arg(long, value_name = "COLUMN,COLUMN")]
    pub scatter: Vec<String>,
    /// The queries that the release was made for: the command that makes it again names them
    #[arg(long, value_name = "FILE")]
    pub workload: Option<String>,
    /// The values that columns were cut at: the command that makes the release again names them
    #[arg(long, value_name = "COLUMN=VALUES")]
    pub split_at: Vec<String>,
    /// What the columns are.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// What the release is said to satisfy.
    #[command(flatten)]
    pub requirements: RequirementArgs,
    /// How risk is told.
    #[command(flatten)]
    pub risk: RiskArgs,
    /// How both files are written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Read rows that are `*` in every quasi-identifier as suppressed rows, which are not checked: for releases of tools
    /// that publish them so. klimt leaves suppressed rows out
    #[arg(long)]
    pub stars_are_suppressed: bool,
    /// Print what was found as JSON
    #[arg(long, help_heading = "General")]
    pub json: bool,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}
