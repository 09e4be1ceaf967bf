//! Checks a release from its published bytes alone.
//!
//! Nothing here knows how a release came about: no partitioning code of the engine is used, only the text that a
//! reader of the release would see. [`csv::scan`] (or [`Tally::add`] for other formats) counts the rows of every
//! published tuple of quasi-identifier values in a [`Tally`]; tallies of different threads are merged.
//! [`Findings`] sums a tally up, and [`claims::check`] decides which promises about the release hold. [`Segments`] does
//! both for a release that is counted one piece after the other, and [`against`] checks what several releases tell
//! together.

pub mod against;
pub mod claims;
pub mod csv;
mod decimal;
mod findings;
mod histograms;
mod keys;
mod people;
mod segments;
mod tally;
mod values;
pub mod width;

pub use decimal::Decimal;
pub use findings::{
    Bucket, Findings, NumberedGroup, PeopleFindings, Question, SensitiveFinding, SmallGroups, contributions,
    smallest, with_values,
};
pub use histograms::{HistogramCell, Histograms};
pub use segments::Segments;
pub use tally::{Group, Tally};
pub use values::Comparison;
