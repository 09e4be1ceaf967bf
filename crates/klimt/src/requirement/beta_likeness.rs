//! β-likeness: with q the share of a sensitive value in the whole and p its share in a group, where p > q, basic
//! β-likeness asks for (p − q)/q ≤ β, and enhanced β-likeness for (p − q)/q ≤ min(β, −ln q), which also bounds how
//! common a common value may become.
//!
//! Monotone: both bound the share of each value, and its share in a union lies between its shares in the parts.

use super::exact::compare_products;
use super::parameter::{level, positive, ratio};
use super::{Check, Facts, Level, Requirement, Side};
use crate::statistics::{Needs, Statistics};
use crate::table::Decimal;
use crate::{Error, Result};
use std::cmp::Ordering;

/// No value is more than relatively `beta` commoner in a group than in the whole.
#[derive(Clone, Debug)]
pub struct BetaLikeness {
    column: String,
    beta: Decimal,
    enhanced: bool,
}

impl BetaLikeness {
    /// The name of the requirement.
    pub const ID: &'static str = "beta-likeness";

    /// From the text of its parameter, such as `basic:2` or `enhanced:2`; without a kind it is enhanced, which is the
    /// stricter one.
    pub fn parse(column: &str, text: &str) -> Result<Box<dyn Requirement>> {
        let (kind, number) = text.split_once(':').unwrap_or(("enhanced", text));
        let enhanced = match kind.trim() {
            "enhanced" => true,
            "basic" => false,
            _ => return Err(Error::input("beta-likeness is basic or enhanced, such as enhanced:2")),
        };
        let beta = positive("the beta of beta-likeness", number)?;
        Ok(Box::new(BetaLikeness { column: column.to_string(), beta, enhanced }))
    }
}

impl Requirement for BetaLikeness {
    fn id(&self) -> &'static str {
        BetaLikeness::ID
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn describe(&self) -> String {
        let kind = if self.enhanced { "enhanced" } else { "basic" };
        format!("{kind} beta-likeness of {} with beta = {}", self.column, self.beta)
    }

    fn limit(&self) -> Level {
        level(self.beta)
    }

    fn side(&self) -> Side {
        Side::AtMost
    }

    fn bind(&self, whole: &dyn Facts) -> Result<Box<dyn Check>> {
        let facts = whole.protected("beta-likeness", &self.column)?;
        let rows = whole.rows();
        // The most rows of a group that a value may have, in parts of 2^GRAIN of the group, by −ln q.
        let ceiling = |&count: &u64| {
            let share = count as f64 / rows.max(1) as f64;
            let most = share * (1.0 - share.ln());
            (most * (1.0 - ROUNDING) * (1u64 << GRAIN) as f64) as u64
        };
        let everything = |count: &u64| if *count == rows { 1 << GRAIN } else { ceiling(count) };
        let ceilings = if self.enhanced { facts.counts.iter().map(everything).collect() } else { Vec::new() };
        Ok(Box::new(Likeness {
            column: facts.number,
            beta: ratio(self.beta),
            counts: facts.counts,
            ceilings,
            rows,
        }))
    }
}

/// More than the relative error of the few operations that a ceiling takes.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Ceilings are counted in parts of 2 to this power.
const GRAIN: u32 = 50;

#[derive(Debug)]
struct Likeness {
    column: usize,
    beta: (u128, u128),
    counts: Vec<u64>,
    /// By code, what −ln q allows; empty for basic β-likeness.
    ceilings: Vec<u64>,
    rows: u64,
}

impl Likeness {
    fn within_ceiling(&self, code: u32, count: u64, rows: u64) -> bool {
        match self.ceilings.get(code as usize) {
            Some(&ceiling) => u128::from(count) << GRAIN <= u128::from(ceiling) * u128::from(rows),
            None => true,
        }
    }
}

impl Check for Likeness {
    fn needs(&self) -> Needs {
        Needs::histogram(self.column)
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        let (units, scale) = self.beta;
        group.histogram(self.column).iter().all(|(code, count)| {
            // count/n ≤ (1 + β)·of_whole/rows
            let of_whole = u128::from(self.counts[code as usize]);
            let left = (u128::from(count) * u128::from(self.rows), scale);
            let right = (units + scale, of_whole * u128::from(group.count));
            compare_products(left.0, left.1, right.0, right.1) != Ordering::Greater
                && self.within_ceiling(code, count, group.count)
        })
    }

    /// The least β for which the group passes; unbounded where a value exceeds what −ln q allows.
    fn level(&self, group: &Statistics) -> Level {
        let histogram = group.histogram(self.column);
        let mut worst = Level::Count(0);
        for (code, count) in histogram.iter() {
            if !self.within_ceiling(code, count, group.count) {
                return Level::Unbounded;
            }
            let expected = u128::from(self.counts[code as usize]) * u128::from(group.count);
            let found = u128::from(count) * u128::from(self.rows);
            if found > expected {
                worst = Side::AtMost.worse(worst, Level::ratio(found - expected, expected));
            }
        }
        worst
    }
}
