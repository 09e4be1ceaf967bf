//! The flags of `klimt verify --attack`.

use clap::Args;

/// What the attacker knows, and what is asked of the attacks.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Attacks")]
pub struct AttackArgs {
    /// Attack the release, and tell what is gained over the base rate
    #[arg(long)]
    pub attack: bool,
    /// What the attacker knows: a table with quasi-identifiers as they are, of the people in the release or of others too,
    /// and with the true sensitive values if guesses are to be marked; the original is the strongest. Without one,
    /// everybody is known by their published region
    #[arg(long, value_name = "FILE", requires = "attack")]
    pub background: Option<String>,
    /// A sensitive value is inferred where more than this share of the candidates has it; 90% by default
    #[arg(long, value_name = "SHARE", requires = "attack")]
    pub confidence: Option<String>,
    /// Fail where an attack guesses sensitive values better than the base rate by more than this, such as 5%
    #[arg(long, value_name = "SHARE", requires = "attack")]
    pub max_gain: Option<String>,
}
