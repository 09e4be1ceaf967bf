//! Recoding: turns a partitioning into published rows.

mod apply;
mod axis;
mod fixed;
mod function;
mod mean;
mod release;
mod rules;

pub use apply::{Manner, RecodedTable};
pub use fixed::{FixedGroups, FixedValues};
pub use function::{RecodingFunction, SavedRequirement};
pub use release::{
    MAXIMUM, MEAN, MINIMUM, Release, ReleaseColumn, RowOrder, Source, StatisticKind, release_columns,
};
pub use rules::Rules;
