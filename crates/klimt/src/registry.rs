//! The one list of everything that can be chosen by name. Help texts, the spec's schema and the docs are fed
//! from it.

use crate::loss::{AverageClassSize, CertaintyPenalty, Discernibility, Loss};
use crate::requirement::{KAnonymity, LengthRestriction};

/// Something that can be chosen by name.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub id: &'static str,
    /// The flag or the value of a flag that chooses it.
    pub flag: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
}

/// The privacy requirements.
pub const REQUIREMENTS: &[Entry] = &[
    Entry { id: KAnonymity::ID, flag: "-k 5", help: "every group holds at least k rows" },
    Entry {
        id: LengthRestriction::ID,
        flag: "--min-width age=5",
        help: "published intervals of a column have at least this width",
    },
];

/// The algorithms.
pub const ALGORITHMS: &[Entry] = &[Entry {
    id: "mondrian",
    flag: "--algorithm mondrian",
    help: "greedy multidimensional partitioning: cuts at the median of the widest column",
}];

/// The split criteria of the greedy algorithms.
pub const SPLITS: &[Entry] = &[Entry {
    id: "median",
    flag: "--algorithm mondrian",
    help: "the median of the dimension with the widest normalised range",
}];

/// The losses, each with what computes it.
pub const LOSSES: &[(Entry, &dyn Loss)] = &[
    (
        Entry { id: "dm", flag: "klimt measure", help: "discernibility: the sum of squared group sizes" },
        &Discernibility,
    ),
    (
        Entry { id: "c_avg", flag: "klimt measure", help: "average group size, in units of k" },
        &AverageClassSize,
    ),
    (
        Entry {
            id: "ncp",
            flag: "klimt measure",
            help: "certainty penalty: the share of its range that a cell covers",
        },
        &CertaintyPenalty,
    ),
];
