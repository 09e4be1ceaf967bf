//! The errors of a release's answers.

use super::{Aggregate, Estimate, TableWorkload, Workload};

/// The answer to a query, beside the exact one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// By the original; `None` where no row has a number.
    pub exact: Option<f64>,
    /// By the release.
    pub estimate: Estimate,
}

/// The answers to a workload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Errors {
    /// In the order of the queries.
    pub answers: Vec<Answer>,
    /// How much each query matters.
    pub weights: Vec<f64>,
    /// Whether each counts rows.
    pub counts: Vec<bool>,
}

/// Errors of several queries in a few numbers, weighted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many queries there are that both could answer.
    pub queries: usize,
    /// The mean of their errors.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The median, where every query counts the same.
    pub median: f64,
    /// The greatest.
    pub most: f64,
}

impl Answer {
    /// How far an answer is off, as a share of the exact one; `None` where one of them is none. A count of no rows is
    /// compared as if it were one row; another answer that should be 0 is wrong by its whole, which is 1.
    fn relative(&self, answer: Option<f64>, counts: bool) -> Option<f64> {
        let (exact, off) = (self.exact?, self.off(answer)?);
        Some(match () {
            () if off == 0.0 => 0.0,
            () if counts => off / exact.abs().max(1.0),
            () if exact == 0.0 => 1.0,
            () => off / exact.abs(),
        })
    }

    fn off(&self, answer: Option<f64>) -> Option<f64> {
        Some((answer? - self.exact?).abs())
    }
}

impl Errors {
    /// The answers to a workload.
    pub fn new(
        workload: &Workload,
        bound: &TableWorkload,
        exact: &[Option<f64>],
        estimates: &[Estimate],
    ) -> Self {
        let answer = |(&exact, &estimate): (&Option<f64>, &Estimate)| Answer { exact, estimate };
        Errors {
            answers: exact.iter().zip(estimates).map(answer).collect(),
            weights: bound.queries.iter().map(|query| query.weight).collect(),
            counts: workload.queries.iter().map(|query| query.aggregate == Aggregate::Count).collect(),
        }
    }

    /// How far the answer to a query is off, as a share of the exact one.
    pub fn relative(&self, query: usize) -> Option<f64> {
        self.answers[query].relative(self.answers[query].estimate.spread, self.counts[query])
    }

    /// The same, where every group is counted that the query meets.
    pub fn matched(&self, query: usize) -> Option<f64> {
        self.answers[query].relative(self.answers[query].estimate.matched, self.counts[query])
    }

    /// How far the answer is off.
    pub fn absolute(&self, query: usize) -> Option<f64> {
        self.answers[query].off(self.answers[query].estimate.spread)
    }

    /// How many queries match the regions of the release.
    pub fn matching(&self) -> usize {
        self.answers.iter().filter(|answer| answer.estimate.partial == 0).count()
    }

    /// How many answers the release fixes, so that they are those of the original.
    pub fn exact(&self) -> usize {
        self.answers.iter().filter(|answer| answer.estimate.exact).count()
    }

    /// The errors of all queries in a few numbers; `None` where no query has one that counts.
    pub fn summary(&self, error: impl Fn(&Self, usize) -> Option<f64>) -> Option<Summary> {
        let known = |query: usize| Some((error(self, query)?, self.weights[query]));
        let all: Vec<(f64, f64)> = (0..self.answers.len()).filter_map(known).collect();
        let weight: f64 = all.iter().map(|(_, weight)| weight).sum();
        if weight <= 0.0 {
            return None;
        }
        let mean = all.iter().map(|(error, weight)| error * weight).sum::<f64>() / weight;
        let spread = all.iter().map(|(error, weight)| (error - mean).powi(2) * weight).sum::<f64>() / weight;
        let mut sorted: Vec<f64> = all.iter().map(|(error, _)| *error).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let median = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
        let most = sorted[sorted.len() - 1];
        Some(Summary { queries: all.len(), mean, deviation: spread.sqrt(), median, most })
    }
}
