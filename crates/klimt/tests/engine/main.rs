//! What holds for every partitioning and every requirement.

mod common;
mod mondrian;
mod monotone;
