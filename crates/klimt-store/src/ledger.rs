//! The ledger: the releases of a store, with audience and granularity.

use crate::bytes::damaged;
use crate::vault::{Change, ValueName, ValueSource};
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// A release of the ledger. It is listed before its file gets its name: a release that was never handed over counts as one
/// that somebody may have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// Its number, from 1 on.
    pub release: u32,
    /// The audience.
    pub audience: String,
    /// Its granularity: the least size of a group.
    pub k: u64,
    /// How groups were made of leaves.
    pub by: LeafGrouping,
    /// The change of the store that it was made after.
    pub version: u64,
    /// How many rows it has.
    pub rows: u64,
    /// How many groups it has.
    pub groups: u64,
    /// How many rows were held back.
    pub held_back: u64,
    /// How many of these are newcomers who wait until enough of them can go in together.
    pub waiting_newcomers: u64,
    /// Whether it may tell who joined and who left since earlier releases.
    pub differences_allowed: bool,
    /// The least number of rows among which somebody is hidden, whatever releases are put side by side; none of the rows
    /// is in an earlier release where it is not given.
    pub smallest_intersection: Option<u64>,
    /// When it was made, in seconds since 1970.
    pub seconds: u64,
    /// The BLAKE3 hash of its bytes.
    pub hash: String,
}

/// The releases of the ledger, in their order.
pub(crate) fn list(values: &dyn ValueSource, releases: u32) -> Result<Vec<LedgerEntry>> {
    let read = |release| {
        let bytes = values.get(ValueName::release(release))?;
        serde_json::from_slice(&bytes).map_err(|_| damaged())
    };
    (1..=releases).map(read).collect()
}

/// Writes a release to the ledger.
pub(crate) fn enter(listed: &LedgerEntry, change: &mut Change<'_>) -> Result<()> {
    let bytes = serde_json::to_vec(listed)
        .map_err(|e| Error::internal(format!("the ledger cannot be written: {e}")))?;
    change.set(ValueName::release(listed.release), &bytes).map(|_| ())
}
