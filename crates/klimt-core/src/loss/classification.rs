//! The classification metric CM (Hore et al., section 3): the rows whose class is not the commonest of their group.
//!
//! Additive. A refinement may part the classes, so nothing above 0 bounds it. A suppressed row pays 1.

use super::{Cost, Loss, Original, Totals, mean_code};
use crate::statistics::{Needs, Statistics};

/// The number of rows whose class label is not the commonest one of their group.
#[derive(Clone, Copy, Debug)]
pub struct Classification;

impl Loss for Classification {
    fn id(&self) -> &'static str {
        "cm"
    }

    fn cost<'a>(&self, original: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        Some(Box::new(Minorities { label: original.label? }))
    }

    fn ignores_other_rows(&self) -> bool {
        true
    }
}

struct Minorities {
    label: usize,
}

impl Cost for Minorities {
    fn needs(&self) -> Needs {
        Needs::histogram(self.label)
    }

    fn group(&self, group: &Statistics) -> f64 {
        (group.count - group.histogram(self.label).commonest()) as f64
    }

    fn bound(&self, _: &Statistics, _: u64) -> f64 {
        0.0
    }

    /// The mean label: with two classes, the share of one of them, by which the best cut of a set is a cut of an order.
    fn key(&self, value: &Statistics) -> f64 {
        mean_code(value.histogram(self.label))
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
