//! The algorithms, each a way to find a partitioning.

pub mod mondrian;
pub mod optimal;
