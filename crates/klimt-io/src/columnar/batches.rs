//! Record batches one after the other, with the first failure as the last thing said.

use super::damage::decoding;
use crate::arrow::array::RecordBatch;
use crate::arrow::error::ArrowError;
use klimt_core::Result;

/// Where batches come from.
pub type BatchIterator = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// The batches of a file in the order of its rows.
pub struct Batches {
    path: String,
    what: &'static str,
    batches: BatchIterator,
    number: usize,
    ended: bool,
}

impl Batches {
    /// The batches of a file; `what` names its kind.
    pub fn new(path: String, what: &'static str, batches: BatchIterator) -> Self {
        Batches { path, what, batches, number: 0, ended: false }
    }

    /// The path of the file, for messages.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        self.number += 1;
        let next = decoding(|| self.batches.next().transpose()).map_err(|failure| {
            let place = format!("batch {}", self.number);
            failure.error(&self.path, self.what, &place)
        });
        self.ended = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}
