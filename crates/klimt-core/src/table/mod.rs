//! The table: encoded columns, each with a name, a role and a domain.

mod block;
mod codes;
mod column;
mod declared;
mod domain;
mod encode;
mod extent;
mod narrow;
mod people;
mod sameness;
mod spelling;
mod texts;
mod value_type;

pub use block::{Block, BlockColumn};
pub use codes::{Codes, Word};
pub use column::{Column, ColumnData, Table};
pub use declared::{DeclaredCodes, DeclaredDomain};
pub use domain::{Domain, Measure, Shape};
pub use encode::{ColumnSpec, Distinct, Encoding, Guard, UnfitReason, UnfitValues};
pub use extent::Extent;
pub use people::PairColumn;
pub(crate) use sameness::value_of;
pub use spelling::{CommonSpelling, Spelling};
pub use texts::{EMPTY_TEXT, TextChunk, TextColumn, TextPool};
pub use value_type::{TypeSpec, ValueType};

pub use crate::decimal::{Decimal, align};
pub use crate::role::Role;
