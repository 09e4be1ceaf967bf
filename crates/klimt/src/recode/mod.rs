//! Recoding: from a partitioning to what is published.

mod function;
mod release;

pub use function::{Applied, RecodingFunction};
pub use release::{Release, ReleaseColumn, RowOrder, Source, StatisticKind};
