//! δ-disclosure privacy: |log(p / q)| < δ for every value of a sensitive column, with p its share in a group and q its
//! share in the whole. Every value of the whole must therefore occur in every group.
//!
//! Monotone: the share of a value in a union lies between its shares in the parts.

use super::parameter::{float, level, positive};
use super::{Check, Level, Requirement, Side, WholeFacts};
use crate::statistics::{Needs, Statistics};
use crate::table::Decimal;
use crate::{Error, Result};

/// Every value is about as common in a group as in the whole.
#[derive(Clone, Debug)]
pub struct DeltaDisclosure {
    column: String,
    delta: Decimal,
}

impl DeltaDisclosure {
    /// The name of the requirement.
    pub const ID: &'static str = "delta-disclosure";

    /// Every value's share of a group is within a factor e^`delta` of its share of the whole.
    pub fn new(column: impl AsRef<str>, delta: f64) -> Result<Self> {
        DeltaDisclosure::of_text(column.as_ref(), &delta.to_string())
    }

    /// From the text of its parameter, such as `1.5`.
    pub fn parse(column: &str, text: &str) -> Result<Box<dyn Requirement>> {
        Ok(Box::new(DeltaDisclosure::of_text(column, text)?))
    }

    fn of_text(column: &str, text: &str) -> Result<Self> {
        let delta = positive("the delta of delta-disclosure privacy", text)?;
        if delta == Decimal::whole(0) {
            return Err(Error::input("the delta of delta-disclosure privacy must be more than 0"));
        }
        Ok(DeltaDisclosure { column: column.to_string(), delta })
    }
}

impl Requirement for DeltaDisclosure {
    fn id(&self) -> &'static str {
        DeltaDisclosure::ID
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn describe(&self) -> String {
        format!("delta-disclosure privacy of {} with delta = {}", self.column, self.delta)
    }

    fn parameters(&self) -> Option<String> {
        Some(self.delta.to_string())
    }

    fn limit(&self) -> Level {
        level(self.delta)
    }

    fn side(&self) -> Side {
        Side::Below
    }

    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
        let facts = whole.protected("delta-disclosure privacy", &self.column)?;
        let values = facts.counts.iter().filter(|&&count| count > 0).count() as u64;
        let bound = float(self.delta).exp();
        Ok(Box::new(DisclosureCheck {
            column: facts.number,
            values,
            counts: facts.counts,
            rows: whole.rows(),
            bound: bound * (1.0 - ROUNDING),
        }))
    }
}

/// More than the relative error of the few operations between counts and a ratio of shares.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

#[derive(Debug)]
struct DisclosureCheck {
    column: usize,
    /// How many different values the whole has.
    values: u64,
    counts: Vec<u64>,
    rows: u64,
    /// e to the δ, rounded down.
    bound: f64,
}

impl DisclosureCheck {
    /// How many times as common a value is in the group as in the whole, for every value of the group.
    fn ratios<'a>(&'a self, group: &'a Statistics) -> impl Iterator<Item = f64> + 'a {
        let scale = self.rows as f64 / group.count as f64;
        let histogram = group.histogram(self.column);
        histogram.iter().map(move |(code, count)| count as f64 * scale / self.counts[code as usize] as f64)
    }
}

impl Check for DisclosureCheck {
    fn needs(&self) -> Needs {
        Needs::histogram(self.column)
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        group.histogram(self.column).distinct() == self.values
            && self.ratios(group).all(|ratio| ratio < self.bound && 1.0 / ratio < self.bound)
    }

    fn least_size(&self) -> u64 {
        self.values.max(1)
    }

    /// Each row adds one value at most.
    fn steady(&self, group: &Statistics) -> u64 {
        (self.values - group.histogram(self.column).distinct()).saturating_sub(1)
    }

    /// The largest |log(p / q)|, rounded up; exactly 0 where all shares are those of the whole.
    fn level(&self, group: &Statistics) -> Level {
        let histogram = group.histogram(self.column);
        if histogram.distinct() != self.values {
            return Level::Unbounded;
        }
        let same = |(code, count): (u32, u64)| {
            u128::from(count) * u128::from(self.rows)
                == u128::from(self.counts[code as usize]) * u128::from(group.count)
        };
        if histogram.iter().all(same) {
            return Level::Count(0);
        }
        let largest = self.ratios(group).map(|ratio| ratio.ln().abs()).fold(0.0, f64::max);
        Level::Real(largest * (1.0 + ROUNDING) + ROUNDING)
    }
}
