//! A file per parser.

pub mod certificate;
pub mod csv;
pub mod files;
pub mod forms;
pub mod hierarchy;
pub mod published;
pub mod recoding;
pub mod spec;
pub mod store;
pub mod workload;
