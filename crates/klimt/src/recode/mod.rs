//! Recoding: from a partitioning to what is published.

mod function;
mod release;

pub use function::{Applied, RecodingFunction, SavedRequirement};
pub use release::{Release, ReleaseColumn, RowOrder, Source, StatisticKind, release_columns};
