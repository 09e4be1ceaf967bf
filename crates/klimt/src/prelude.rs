//! What most programs need.

pub use crate::{
    Algorithm, AlgorithmKind, Anonymizer, Certificate, Effort, Format, Hierarchy, Input, Note, Observer,
    Other, Output, Release, Stage,
};
pub use klimt_core::algorithm::mondrian::{HierarchyCut, Model};
pub use klimt_core::loss::Loss;
pub use klimt_core::recode::StatisticKind;
pub use klimt_core::region::Extents;
pub use klimt_core::requirement::{
    Alpha, BetaLikeness, DeltaDisclosure, DistinctDiversity, EntropyDiversity, EpsilonPrivacy, KAnonymity,
    LengthRestriction, RecursiveDiversity, Requirement, TCloseness, VarianceDiversity,
};
pub use klimt_core::risk::Share;
pub use klimt_core::table::{Role, ValueType};
pub use klimt_io::arrow::array::RecordBatch;
pub use klimt_io::encoding::TextEncoding;
pub use klimt_io::form::{DateOrder, DecimalMark, ValueForm};
