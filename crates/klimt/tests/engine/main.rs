//! What holds for every partitioning, every requirement and every loss.

mod attack;
mod brute;
mod claims;
mod common;
mod enumeration;
mod family;
mod gain;
mod gensearch;
mod index;
mod local;
mod losses;
mod minimal;
mod missing;
mod mondrian;
mod monotone;
mod optimal;
mod optimum;
mod parts;
mod protected;
mod recoding;
mod relaxed;
mod rothko;
mod schemes;
mod searched;
mod spilled;
mod workload;
