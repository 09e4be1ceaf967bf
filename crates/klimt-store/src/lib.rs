//! A durable table of rows about people, for data that changes: an R+-tree on disk whose leaves are groups (Iwuchukwu,
//! Naughton).
//!
//! Batches of rows come and go; a release is one scan of the leaves at any granularity. The store remembers what was
//! released, and makes no release that tells people apart when it is put beside an earlier one.
//!
//! A [`Store`] is a folder with the values of an embedded key-value store (`vault.rs`) and a secret (`secret.rs`). Rows lie
//! in pages (`page.rs`), each with the cuts of a subtree; a directory (`state.rs`) has the cuts above the pages. A batch
//! (`batch.rs`) is loaded in bulk (`load.rs`) or led to its pages (`maintain.rs`), which are fitted again (`refit.rs`). A
//! release is planned (`plan.rs`, `leavers.rs`), gathered from the pages and handed over part by part (`gather.rs`,
//! `write.rs`), and entered in the ledger (`ledger.rs`); rows carry a history (`histories.rs`) of the groups they were in,
//! which outlives them (`past.rs`).

mod batch;
mod bytes;
mod change;
mod compact;
#[doc(hidden)]
pub mod damage;
mod dictionary;
mod gather;
mod histories;
mod leavers;
mod ledger;
mod load;
mod maintain;
mod page;
mod past;
mod people;
mod plan;
mod refit;
mod release;
mod secret;
mod spec;
mod state;
mod store;
mod vault;
mod write;

pub use batch::Batch;
pub use ledger::LedgerEntry;
pub use release::{HeldBack, PendingRelease, ReleaseRequest};
pub use spec::{Promise, Spec, StoredColumn};
pub use store::{Means, Size, Status, Store};
