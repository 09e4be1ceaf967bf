//! Optimal hierarchical partitionings: of all ways to cut the domain in two, again and again, the one that costs least.
//!
//! The cost of a partitioning is a sum over its groups, and every requirement looks at one group, so that the best
//! partitioning of a box is the box as one group, or the best of a left and of a right part.

pub mod dense;
