//! The table: encoded columns, each with a name, a role and a domain.

mod codes;
mod column;
mod domain;
mod encode;
mod number;
mod role;
mod spelling;
mod texts;
mod value_type;

pub use codes::{Codes, Word};
pub use column::{Column, ColumnData, Table};
pub use domain::{Domain, Measure, Shape};
pub use encode::{ColumnSpec, Distinct, Encoding, Unfit, UnfitReason};
pub use number::{Decimal, align};
pub use role::Role;
pub use spelling::{Spelled, Spelling};
pub use texts::{TextChunk, TextColumn, TextPool};
pub use value_type::{TypeSpec, ValueType};
