//! The algorithms, each a way to find a partitioning.

pub mod gensearch;
pub mod kind;
pub mod local;
pub mod mondrian;
pub mod optimal;
pub mod rothko;
pub mod rtree;
pub mod scheme;
