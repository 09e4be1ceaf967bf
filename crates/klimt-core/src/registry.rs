//! The one list of everything that can be chosen by name. Help texts, the spec's schema and the docs are fed
//! from it.

mod loss_choice;

pub use loss_choice::LossChoice;

use crate::loss::{
    AverageClassSize, CertaintyPenalty, Classification, ConditionalEntropy, Discernibility, Divergence,
    Entropy, Granularity, HierarchicalDiscernibility, Loss, Precision, Queries, RootMeanSquaredError, Volume,
};
use crate::requirement::{
    Alpha, BetaLikeness, DeltaDisclosure, DistinctDiversity, EntropyDiversity, EpsilonPrivacy, KAnonymity,
    LengthRestriction, RecursiveDiversity, Requirement, TCloseness, VarianceDiversity,
};
use crate::{Error, Result};

pub use crate::algorithm::kind::{AlgorithmKind, PARTITIONERS};

/// Something that can be chosen by name.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub id: &'static str,
    /// The flag or the value of a flag that chooses it.
    pub flag: &'static str,
    /// Help, in a line.
    pub help: &'static str,
}

/// The subject of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The rows of a group.
    Rows,
    /// One quasi-identifier.
    QuasiIdentifier,
    /// One sensitive column.
    Sensitive,
}

/// A privacy requirement that can be chosen by a flag, or by a key of the spec of the same name.
#[derive(Clone, Copy, Debug)]
pub struct RequirementEntry {
    /// Its name.
    pub id: &'static str,
    /// The flag or key that chooses it.
    pub flag: &'static str,
    /// The word before the parameters, where a flag offers several requirements.
    pub kind: Option<&'static str>,
    /// The parameters, as they are shown.
    pub parameters: &'static str,
    /// An example of the parameters.
    pub example: &'static str,
    /// Help, in a line.
    pub help: &'static str,
    /// The subject.
    pub subject: Subject,
    /// Makes the requirement from the name of the column (empty for rows) and the text of the parameters.
    pub parse: fn(&str, &str) -> Result<Box<dyn Requirement>>,
}

/// The privacy requirements.
#[rustfmt::skip]
pub const REQUIREMENTS: &[RequirementEntry] = &[
    RequirementEntry { id: KAnonymity::ID, flag: "k", kind: None, parameters: "K", example: "5", subject: Subject::Rows, parse: KAnonymity::parse,
        help: "every group holds at least K rows" },
    RequirementEntry { id: DistinctDiversity::ID, flag: "l-diversity", kind: Some("distinct"), parameters: "L", example: "3", subject: Subject::Sensitive, parse: DistinctDiversity::parse,
        help: "every group has at least L different values" },
    RequirementEntry { id: EntropyDiversity::ID, flag: "l-diversity", kind: Some("entropy"), parameters: "L", example: "2.5", subject: Subject::Sensitive, parse: EntropyDiversity::parse,
        help: "the entropy of a group's values is at least log L" },
    RequirementEntry { id: RecursiveDiversity::ID, flag: "l-diversity", kind: Some("recursive"), parameters: "C:L", example: "2:3", subject: Subject::Sensitive, parse: RecursiveDiversity::parse,
        help: "the commonest value has fewer rows than C times the L-th and rarer ones" },
    RequirementEntry { id: Alpha::ID, flag: "alpha", kind: None, parameters: "ALPHA", example: "0.5", subject: Subject::Sensitive, parse: Alpha::parse,
        help: "(alpha,k)-anonymity: no value has more than this share of a group" },
    RequirementEntry { id: TCloseness::ID, flag: "t-closeness", kind: None, parameters: "T[:ordered|equal|hierarchical]", example: "0.2:equal", subject: Subject::Sensitive, parse: TCloseness::parse,
        help: "a group's distribution is within the earth mover's distance T of the table's" },
    RequirementEntry { id: VarianceDiversity::ID, flag: "variance", kind: None, parameters: "V", example: "100", subject: Subject::Sensitive, parse: VarianceDiversity::parse,
        help: "the variance of a group's numbers is at least V" },
    RequirementEntry { id: EpsilonPrivacy::ID, flag: "epsilon-privacy", kind: None, parameters: "EPSILON:SIGMA[:B]", example: "10:100:0", subject: Subject::Sensitive, parse: EpsilonPrivacy::parse,
        help: "an adversary with SIGMA tuples of prior knowledge, who knows B people of a group, learns at most a factor EPSILON" },
    RequirementEntry { id: BetaLikeness::ID, flag: "beta-likeness", kind: None, parameters: "[basic:|enhanced:]BETA", example: "enhanced:2", subject: Subject::Sensitive, parse: BetaLikeness::parse,
        help: "no value's share of a group exceeds its share of the table by more than BETA times the latter" },
    RequirementEntry { id: DeltaDisclosure::ID, flag: "delta-disclosure", kind: None, parameters: "DELTA", example: "1.5", subject: Subject::Sensitive, parse: DeltaDisclosure::parse,
        help: "the share of every value in a group is within a factor e^DELTA of its share in the table" },
    RequirementEntry { id: LengthRestriction::ID, flag: "min-width", kind: None, parameters: "WIDTH", example: "5", subject: Subject::QuasiIdentifier, parse: LengthRestriction::parse,
        help: "published intervals of a column have at least this width: a distance, days, seconds, ranks, leaves or members" },
];

impl RequirementEntry {
    /// The parameters with the word before them, such as `entropy:L`.
    pub fn form(&self) -> String {
        self.kind.map_or(self.parameters.to_string(), |kind| format!("{kind}:{}", self.parameters))
    }

    /// An example of what follows the flag, such as `entropy:2.5`.
    pub fn sample(&self) -> String {
        self.kind.map_or(self.example.to_string(), |kind| format!("{kind}:{}", self.example))
    }
}

/// The requirement that a flag or key with a text asks for. Where a flag offers several, the text starts with the name
/// of one, or is for the first.
pub fn requirement(flag: &str, column: &str, text: &str) -> Result<Box<dyn Requirement>> {
    let mut offered = REQUIREMENTS.iter().filter(|entry| entry.flag == flag).peekable();
    let first = *offered
        .peek()
        .ok_or_else(|| Error::internal(format!("there is no requirement with the flag {flag}")))?;
    let (kind, rest) = match text.split_once(':') {
        Some((kind, rest)) if first.kind.is_some() => (Some(kind.trim()), rest),
        _ => (first.kind, text),
    };
    match offered.find(|entry| entry.kind == kind) {
        Some(entry) => (entry.parse)(column, rest),
        None => {
            let forms: Vec<String> =
                REQUIREMENTS.iter().filter(|entry| entry.flag == flag).map(RequirementEntry::form).collect();
            Err(Error::input(format!("{flag} takes one of {}", forms.join(", "))))
        }
    }
}

/// The split criteria of the greedy algorithms.
pub const SPLITS: &[Entry] = &[
    Entry {
        id: "median",
        flag: "--split median",
        help: "the median of the dimension with the widest normalised range",
    },
    Entry {
        id: "box",
        flag: "--split box",
        help: "the cut after which the smallest boxes over its sides lose least: certainty penalty, or volume with box:area",
    },
    Entry {
        id: "infogain",
        flag: "--split infogain",
        help: "the cut that tells most about the class label, a target; infogain:0.01 goes on by the median below that gain",
    },
    Entry {
        id: "regression",
        flag: "--split regression",
        help: "the cut that leaves the least squared error of a numeric target",
    },
    Entry { id: "loss", flag: "--split loss:ncp", help: "the cut that lowers an additive loss most" },
];

/// The losses, each with what computes it.
#[rustfmt::skip]
pub const LOSSES: &[(Entry, &dyn Loss)] = &[
    (Entry { id: "dm", flag: "klimt measure", help: "discernibility: the sum of squared group sizes" }, &Discernibility),
    (Entry { id: "c_avg", flag: "klimt measure", help: "average group size, in units of k" }, &AverageClassSize),
    (Entry { id: "cm", flag: "klimt measure", help: "classification: rows whose class is not their group's commonest" }, &Classification),
    (Entry { id: "vm", flag: "klimt measure", help: "volume: the unit cells that the regions of all rows cover" }, &Volume),
    (Entry { id: "ncp", flag: "klimt measure", help: "certainty penalty: the share of its range that a cell covers" }, &CertaintyPenalty),
    (Entry { id: "hdm", flag: "klimt measure", help: "hierarchical discernibility: the share of other rows that a cell can no longer be distinguished from, over all rows" }, &HierarchicalDiscernibility),
    (Entry { id: "kl", flag: "klimt measure", help: "divergence of the original from the release spread evenly over its regions, in nats" }, &Divergence),
    (Entry { id: "conditional-entropy", flag: "klimt measure", help: "bits of uncertainty about the class when the group is known" }, &ConditionalEntropy),
    (Entry { id: "rmse", flag: "klimt measure", help: "root mean squared error of a numeric target, from its group's mean" }, &RootMeanSquaredError),
    (Entry { id: "queries", flag: "klimt anonymize --workload", help: "the relative error that is expected of a workload's answers where values lie evenly within regions" }, &Queries),
    (Entry { id: "precision", flag: "klimt measure", help: "precision lost: how high in its hierarchy a cell is published, 0 best" }, &Precision),
    (Entry { id: "entropy", flag: "klimt measure", help: "non-uniform entropy: the share of the bits of the original that is lost" }, &Entropy),
    (Entry { id: "granularity", flag: "klimt measure", help: "the share of the other values of its column that a cell covers" }, &Granularity),
];
