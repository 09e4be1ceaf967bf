//! What holds for every partitioning, every requirement and every loss.

mod common;
mod enumeration;
mod gensearch;
mod losses;
mod mondrian;
mod monotone;
mod optimum;
mod protected;
