//! Hierarchies (taxonomy trees) over the values of a column.
//!
//! A [`Hierarchy`] is a tree whose leaves are the values of a column and whose inner nodes are ever coarser
//! labels, up to one root. It is read from a CSV file ([`read_csv`]), made from the values themselves
//! ([`build`]) and written back ([`write_csv`]).

pub mod build;
mod builder;
mod problem;
mod read;
mod records;
mod tree;
mod write;

#[cfg(test)]
mod adult;
#[cfg(test)]
mod properties;

pub use builder::HierarchyBuilder;
pub use read::{ReadOptions, read_csv};
pub use tree::{Hierarchy, NodeId};
pub use write::{WriteOptions, write_csv};
