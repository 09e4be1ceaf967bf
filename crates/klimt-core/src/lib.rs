//! The klimt engine: from an encoded table to a partitioning with one recoding per group.
//!
//! An anonymization is a partition of the rows into groups and one recoding per group. The modules follow the
//! words of that sentence: [`table`] and [`hierarchy`] hold the data and its domains, [`algorithm`] finds the
//! partition under the [`requirement`]s, [`partition`] and [`region`] hold it, [`recode`] turns it into what is
//! published, [`loss`] says what that costs, [`risk`] how easily people are found, and [`attack`] what is learnt about them.
//!
//! Authors of a requirement implement [`requirement::Requirement`], of a loss [`loss::Loss`], and of an algorithm
//! [`job::Partitioner`]; what they see of a group is in [`statistics`]. Modules that serve the other crates of klimt alone are not
//! on this page.

pub mod algorithm;
pub mod attack;
pub mod choice;
mod cut;
mod decimal;
mod distinct;
pub mod error;
pub mod hierarchy;
pub mod job;
pub mod loss;
#[doc(hidden)]
pub mod memory;
#[doc(hidden)]
pub mod names;
mod packed;
pub mod partition;
#[doc(hidden)]
pub mod parts;
mod pass;
pub mod proof;
pub mod recode;
pub mod region;
pub mod registry;
pub mod requirement;
pub mod risk;
mod role;
#[doc(hidden)]
pub mod spill;
pub mod split;
pub mod statistics;
mod suppress;
pub mod table;
pub mod words;
pub mod workload;

pub use choice::Choice;
pub use error::{Error, ErrorKind, Remedy, Result};
pub use words::Words;
