//! β-likeness: with q the share of a sensitive value in the whole and p its share in a group, where p > q, basic
//! β-likeness asks for (p − q)/q ≤ β, and enhanced β-likeness for (p − q)/q ≤ min(β, −ln q), which also bounds how
//! common a common value may become.
//!
//! Monotone: both bound the share of each value, and its share in a union lies between its shares in the parts.

use super::exact::compare_products;
use super::facts::values_that_hold;
use super::parameter::{farthest, level, positive, ratio};
use super::{Check, Level, Requirement, Side, Trust, WholeFacts};
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

    /// Enhanced β-likeness, the stricter kind.
    pub fn enhanced(column: impl AsRef<str>, beta: f64) -> Result<Self> {
        BetaLikeness::of_text(column.as_ref(), &format!("enhanced:{beta}"))
    }

    /// Basic β-likeness.
    pub fn basic(column: impl AsRef<str>, beta: f64) -> Result<Self> {
        BetaLikeness::of_text(column.as_ref(), &format!("basic:{beta}"))
    }

    /// From the text of its parameter, such as `basic:2` or `enhanced:2`; without a kind it is enhanced, which is the
    /// stricter one.
    pub fn parse(column: &str, text: &str) -> Result<Box<dyn Requirement>> {
        Ok(Box::new(BetaLikeness::of_text(column, text)?))
    }

    fn of_text(column: &str, text: &str) -> Result<Self> {
        let (kind, number) = text.split_once(':').unwrap_or(("enhanced", text));
        let enhanced = match kind.trim() {
            "enhanced" => true,
            "basic" => false,
            _ => return Err(Error::input("beta-likeness is basic or enhanced, such as enhanced:2")),
        };
        let beta = positive("the beta of beta-likeness", number)?;
        Ok(BetaLikeness { column: column.to_string(), beta, enhanced })
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

    fn parameters(&self) -> Option<String> {
        Some(format!("{}:{}", if self.enhanced { "enhanced" } else { "basic" }, self.beta))
    }

    fn limit(&self) -> Level {
        level(self.beta)
    }

    fn side(&self) -> Side {
        Side::AtMost
    }

    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
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
        let (beta, whole) = (ratio(self.beta), rows as f64);
        let allowed = |count: u64| (1.0 + beta.0 as f64 / beta.1 as f64) * count as f64 / whole;
        // A value too many among these costs nothing but time.
        let is_common = |&(ceiling, count): &(u64, u64)| {
            count > 0 && ceiling as f64 / GRAINS <= allowed(count) * (1.0 + 1e-6)
        };
        let common = ceilings.iter().copied().zip(facts.counts.iter().copied()).zip(0..);
        let common = common.filter(|(value, _)| is_common(value)).map(|(_, code)| code).collect();
        Ok(Box::new(Likeness { column: facts.number, beta, counts: facts.counts, ceilings, common, rows }))
    }
}

/// More than the relative error of the few operations that a ceiling takes.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Ceilings are counted in parts of 2 to this power.
const GRAIN: u32 = 50;
const GRAINS: f64 = (1u64 << GRAIN) as f64;

#[derive(Debug)]
struct Likeness {
    column: usize,
    beta: (u128, u128),
    counts: Vec<u64>,
    /// By code, what −ln q allows; empty for basic β-likeness.
    ceilings: Vec<u64>,
    /// The codes of which −ln q allows less than β does, ascending: those of common values.
    common: Vec<u32>,
    rows: u64,
}

impl Likeness {
    /// Whether a value may have `count` of a group's rows: count/n ≤ (1 + β)·of_whole/rows.
    fn within(&self, code: u32, count: u64, rows: u64) -> bool {
        let (units, scale) = self.beta;
        let of_whole = u128::from(self.counts[code as usize]);
        let found = u128::from(count) * u128::from(self.rows);
        compare_products(found, scale, units + scale, of_whole * u128::from(rows)) != Ordering::Greater
            && self.within_ceiling(code, count, rows)
    }

    /// 1 + β.
    fn factor(&self) -> f64 {
        1.0 + self.beta.0 as f64 / self.beta.1 as f64
    }

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
        group.histogram(self.column).iter().all(|(code, count)| self.within(code, count, group.count))
    }

    /// A value has at most as many rows in the group as in the whole, however common it is in the sample.
    fn likely(&self, sample: &Statistics, trust: &Trust) -> bool {
        if trust.is_whole() {
            return self.satisfied(sample);
        }
        let (group, most) = (sample.count as f64 * trust.scale(), self.factor());
        sample.histogram(self.column).iter().all(|(code, count)| {
            let of_whole = self.counts[code as usize] as f64;
            let expected = (count as f64 + trust.error(count, sample.count)) * trust.scale();
            let share = expected.min(of_whole) / group;
            let ceiling = self.ceilings.get(code as usize).map_or(1.0, |&ceiling| ceiling as f64 / GRAINS);
            share <= most * of_whole / self.rows as f64 && share <= ceiling
        })
    }

    /// In m rows a value has at most (1 + β)·q·m, and there are at most m values: the m commonest of the whole must be a
    /// 1/(1 + β) of it.
    fn least_size(&self) -> u64 {
        values_that_hold(&self.counts, self.rows as f64 / self.factor() * (1.0 - ROUNDING))
    }

    /// Among rows that are as many as 1/(1 + β) of the whole no value exceeds β, as none has more rows than in the whole;
    /// of values that may have less, at worst all rows that come have one of them. A value that is too common stays so
    /// until there are enough rows of others.
    fn outlook(&self, group: &Statistics) -> (bool, u64) {
        let too_common = |&(code, count): &(u32, u64)| !self.within(code, count, group.count);
        if let Some((code, count)) = group.histogram(self.column).iter().find(too_common) {
            return (false, farthest(group.count, |j| !self.within(code, count, group.count + j)));
        }
        let (units, scale) = self.beta;
        if compare_products(self.rows.into(), scale, units + scale, group.count.into()).is_gt() {
            return (true, 0);
        }
        let mut values = group.histogram(self.column).iter().peekable();
        let steady = self.common.iter().map(|&code| {
            while values.next_if(|&(other, _)| other < code).is_some() {}
            let count = values.next_if(|&(other, _)| other == code).map_or(0, |(_, count)| count);
            farthest(group.count, |j| self.within(code, count + j, group.count + j))
        });
        (true, steady.min().unwrap_or(u64::MAX))
    }

    fn steady(&self, group: &Statistics) -> u64 {
        self.outlook(group).1
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
