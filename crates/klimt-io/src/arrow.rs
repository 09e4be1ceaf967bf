//! The parts of Arrow that klimt works with, under the names that they have in the crate `arrow`, and of the same types.
//!
//! That crate comes with kernels for arithmetic, comparison, text and casts, which take longer to compile than the rest of
//! klimt's dependencies together; klimt uses none of them.

/// Arrays, their builders, and record batches.
pub mod array {
    pub use arrow_array::builder::*;
    pub use arrow_array::cast::AsArray;
    pub use arrow_array::*;
}

/// Types and schemas.
pub mod datatypes {
    pub use arrow_array::ArrowPrimitiveType;
    pub use arrow_array::types::*;
    pub use arrow_buffer::i256;
    pub use arrow_schema::{DataType, Field, FieldRef, Fields, IntervalUnit, Schema, SchemaRef, TimeUnit};
}

/// Errors of Arrow.
pub mod error {
    pub use arrow_schema::ArrowError;
}

pub use arrow_buffer as buffer;
pub use arrow_ipc as ipc;

pub(crate) mod compute {
    #[cfg(test)]
    pub use arrow_select::concat::concat_batches;
    pub use arrow_select::take::take;
}
