//! The table: encoded columns, each with a name, a role and a domain.

mod codes;
mod column;
mod declared;
mod domain;
mod encode;
mod narrow;
mod number;
mod role;
mod sameness;
mod spelling;
mod texts;
mod value_type;

pub use codes::{Codes, Word};
pub use column::{Column, ColumnData, Table};
pub use declared::{Declared, DeclaredCodes};
pub use domain::{Domain, Measure, Shape};
pub use encode::{ColumnSpec, Distinct, Encoding, Guard, Unfit, UnfitReason};
pub use narrow::NarrowedDomain;
pub use number::{Decimal, align};
pub use role::Role;
pub(crate) use sameness::value_of;
pub use spelling::{Spelled, Spelling};
pub use texts::{EMPTY_TEXT, TextChunk, TextColumn, TextPool};
pub use value_type::{TypeSpec, ValueType};
