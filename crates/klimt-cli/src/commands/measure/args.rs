//! The flags of `klimt measure --test`.

use clap::Args;

/// What is learnt from a release.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Learning")]
pub struct LearnArgs {
    /// Train a decision tree on the original and one on the release to tell each --target from the quasi-identifiers, and
    /// test both on the rows of this file, which are in neither. Numbers and dates are predicted as numbers, all else as
    /// classes; --type COLUMN=text makes classes of numbers
    #[arg(long, value_name = "FILE")]
    pub test: Option<String>,
}
