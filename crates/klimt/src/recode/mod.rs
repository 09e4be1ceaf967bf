//! Recoding: from a partitioning to what is published.

mod function;
mod release;
mod rules;

pub use function::{Applied, RecodingFunction, SavedRequirement};
pub use release::{Release, ReleaseColumn, RowOrder, Source, StatisticKind, release_columns};
pub use rules::Rules;
