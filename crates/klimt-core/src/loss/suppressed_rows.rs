//! The number of suppressed rows: a search minimises it to find how many rows a release must leave out.
//!
//! It is no loss of the registry: a release of one group would be as good as any.
//!
//! Additive.

use super::{Cost, Totals};
use crate::statistics::{Needs, Statistics};

/// A suppressed row costs 1, and a published one nothing.
#[derive(Clone, Copy, Debug)]
pub struct SuppressedRows;

impl Cost for SuppressedRows {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn group(&self, _: &Statistics) -> f64 {
        0.0
    }

    fn bound(&self, _: &Statistics, _: u64) -> f64 {
        0.0
    }

    fn size(&self, _: u64) -> Option<f64> {
        Some(0.0)
    }

    fn monotone(&self) -> bool {
        true
    }

    fn price(&self, _: u64) -> Option<f64> {
        Some(1.0)
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        sum + totals.suppressed as f64
    }
}
