//! What holds for every partitioning, every requirement and every loss.

mod brute;
mod common;
mod losses;
mod mondrian;
mod monotone;
mod optimal;
mod protected;
