//! GenSearch: the best hierarchical partition by systematic search (Hore, Jammalamadaka, Mehrotra, D'Ascanio,
//! "Constrained Generalization for Data Anonymization").

mod atlas;
mod blocks;
mod bound;
mod enumerate;
mod grid;
mod splits;
mod tree;

pub use enumerate::{Enumeration, Partition};
pub use splits::Splits;
