//! The conditional entropy of the class label (LeFevre, DeWitt, 2007, section 5.5): how uncertain a row's class is when
//! its group is known, in bits, averaged over the published rows.
//!
//! Additive. A refinement may part the classes, so nothing above 0 bounds it. Greedy splitting by it is InfoGain: the
//! gain of a cut is what the entropy falls by.

use super::{Cost, Loss, Original, Totals, mean_code};
use crate::statistics::{Needs, Statistics};

/// Σ over groups of |E|/n · H(label | E), in bits.
#[derive(Clone, Copy, Debug)]
pub struct ConditionalEntropy;

impl Loss for ConditionalEntropy {
    fn id(&self) -> &'static str {
        "conditional-entropy"
    }

    fn cost<'a>(&self, original: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        ConditionalEntropy::with_least_gain(original, 0.0)
    }

    fn ignores_other_rows(&self) -> bool {
        true
    }
}

impl ConditionalEntropy {
    /// The cost where a greedy cut must gain this many bits, as in the experiments of the Rothko paper (footnote 13).
    pub(crate) fn with_least_gain<'a>(original: &Original<'a>, least: f64) -> Option<Box<dyn Cost + 'a>> {
        Some(Box::new(LabelEntropy { label: original.label?, least }))
    }
}

struct LabelEntropy {
    label: usize,
    /// The least gain of a greedy cut, in bits.
    least: f64,
}

fn weight(count: u64) -> f64 {
    if count < 2 { 0.0 } else { count as f64 * (count as f64).log2() }
}

impl Cost for LabelEntropy {
    fn needs(&self) -> Needs {
        Needs::histogram(self.label)
    }

    fn group(&self, group: &Statistics) -> f64 {
        let spent: f64 = group.histogram(self.label).counts().iter().map(|&count| weight(count)).sum();
        (weight(group.count) - spent).max(0.0)
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

    fn least_gain(&self) -> f64 {
        self.least
    }

    fn price(&self, _: u64) -> Option<f64> {
        None
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        sum / (totals.rows - totals.suppressed).max(1) as f64
    }
}
