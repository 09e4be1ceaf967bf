//! t-closeness (Hore et al., section 3): the earth mover's distance between the distribution of a sensitive column in
//! a group and in the whole is at most t.
//!
//! Monotone: the distance is convex in the group's distribution, and that of a union is a mean of its parts'.
//!
//! With r the difference of the two distributions over the m values that occur in the whole:
//!
//! - *ordered* distance, for values in an order: (1/(m − 1))·Σᵢ |r₁ + … + rᵢ|,
//! - *equal* distance, every value as far from every other: ½·Σ |rᵢ|,
//! - *hierarchical* distance, values as far apart as the height of their lowest common ancestor over the height of
//!   the taxonomy: over its nodes, that height times what must be moved between the node's children.
//!
//! Only values of the group are looked at, not the m of the whole: between two neighbouring values of the group the
//! inner sum of the ordered distance falls along the cumulated counts of the whole, whose sums are kept.

use super::exact::compare_products;
use super::facts::values_that_hold;
use super::parameter::{farthest, level, positive, ratio};
use super::{Check, ColumnFacts, Level, Requirement, Side, Trust, WholeFacts};
use crate::statistics::{Needs, Statistics};
use crate::table::{Decimal, Shape};
use crate::words::column_option;
use crate::{Error, Result};
use std::cmp::Ordering;

mod hierarchical;
mod ordered;

use hierarchical::Hierarchical;
use ordered::OrderedDistance;

/// How far two values of a column are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// By their ranks.
    Ordered,
    /// All alike.
    Equal,
    /// By their lowest common ancestor.
    Hierarchical,
}

/// The distribution of a column in every group is within `t` of that in the whole.
#[derive(Clone, Debug)]
pub struct TCloseness {
    column: String,
    t: Decimal,
    distance: Option<Distance>,
}

impl TCloseness {
    /// The name of the requirement.
    pub const ID: &'static str = "t-closeness";

    /// A group's distribution is within the earth mover's distance `t` of the whole's, by the distance of the column's
    /// domain.
    pub fn new(column: impl AsRef<str>, t: f64) -> Result<Self> {
        TCloseness::of_text(column.as_ref(), &t.to_string())
    }

    /// The same by another distance.
    #[must_use]
    pub fn by(self, distance: Distance) -> Self {
        TCloseness { distance: Some(distance), ..self }
    }

    /// From the text of its parameters, such as `0.2:ordered`; without a distance, that of the column's domain.
    pub fn parse(column: &str, text: &str) -> Result<Box<dyn Requirement>> {
        Ok(Box::new(TCloseness::of_text(column, text)?))
    }

    fn of_text(column: &str, text: &str) -> Result<Self> {
        let (number, distance) = match text.split_once(':') {
            None => (text, None),
            Some((number, name)) => (number, Some(name.trim())),
        };
        let distance = match distance {
            None => None,
            Some("ordered") => Some(Distance::Ordered),
            Some("equal") => Some(Distance::Equal),
            Some("hierarchical") => Some(Distance::Hierarchical),
            Some(_) => {
                return Err(Error::input(
                    "the distance of t-closeness is ordered, equal or hierarchical, such as 0.2:ordered",
                ));
            }
        };
        let t = positive("the t of t-closeness", number)?;
        Ok(TCloseness { column: column.to_string(), t, distance })
    }
}

impl Requirement for TCloseness {
    fn id(&self) -> &'static str {
        TCloseness::ID
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn describe(&self) -> String {
        let distance = match self.distance {
            None => "",
            Some(Distance::Ordered) => " and ordered distance",
            Some(Distance::Equal) => " and equal distance",
            Some(Distance::Hierarchical) => " and hierarchical distance",
        };
        format!("t-closeness of {} with t = {}{distance}", self.column, self.t)
    }

    fn parameters(&self) -> Option<String> {
        Some(match self.distance {
            None => self.t.to_string(),
            Some(Distance::Ordered) => format!("{}:ordered", self.t),
            Some(Distance::Equal) => format!("{}:equal", self.t),
            Some(Distance::Hierarchical) => format!("{}:hierarchical", self.t),
        })
    }

    fn limit(&self) -> Level {
        level(self.t)
    }

    fn side(&self) -> Side {
        Side::AtMost
    }

    fn warning(&self, whole: &dyn WholeFacts) -> Option<String> {
        let facts = whole.column(&self.column)?;
        let numbers = facts.domain.value_type().is_ordered();
        let alphabetical = self.distance == Some(Distance::Ordered)
            && !numbers
            && !matches!(facts.domain.shape(), Shape::Ordered);
        alphabetical.then(|| {
            format!(
                "the ordered distance of {0} takes its values in alphabetical order, as no other is known (give one with \
                 --order {0}=FILE, or ask for the equal distance)",
                self.column
            )
        })
    }

    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
        let facts = whole.protected("t-closeness", &self.column)?;
        let distance = self.distance.unwrap_or(match facts.domain.shape() {
            Shape::Ordered => Distance::Ordered,
            Shape::Hierarchy(_) => Distance::Hierarchical,
            Shape::Set => Distance::Equal,
        });
        let mover: Box<dyn Mover> = match (distance, facts.domain.shape()) {
            (Distance::Ordered, _) => Box::new(OrderedDistance::new(&facts, whole.rows())),
            (Distance::Equal, _) => Box::new(EqualDistance::new(&facts, whole.rows())),
            (Distance::Hierarchical, Shape::Hierarchy(tree)) => {
                Box::new(Hierarchical::new(&facts, tree, whole.rows()))
            }
            (Distance::Hierarchical, _) => {
                return Err(Error::input(format!(
                    "t-closeness with hierarchical distance needs a hierarchy of column {0}",
                    self.column
                ))
                .with_help(format!(
                    "give one with {}",
                    column_option("hierarchy", &self.column, Some("FILE"))
                )));
            }
        };
        Ok(Box::new(ClosenessCheck { column: facts.number, t: ratio(self.t), mover }))
    }
}

/// More than rounding can make of a gap between distances.
const ROUNDING: f64 = 1e-9;

/// Computes an earth mover's distance from a group's histogram.
trait Mover: std::fmt::Debug + Send + Sync {
    /// The distance as a ratio of whole numbers.
    fn distance(&self, rows: u64, histogram: &mut dyn Iterator<Item = (u32, u64)>) -> (u128, u128);

    /// The distance of a group, of which a sample of this many rows is seen, about; every row of it stands for `scale`
    /// rows. A sample is on average at least as far from the whole as its group, as the distance is convex.
    fn estimate(&self, rows: u64, _scale: f64, histogram: &mut dyn Iterator<Item = (u32, u64)>) -> f64 {
        let (moved, unit) = self.distance(rows, histogram);
        moved as f64 / unit as f64
    }

    /// A size below which every group is farther than t from the whole.
    fn least_size(&self, _t: f64) -> u64 {
        1
    }
}

#[derive(Debug)]
struct ClosenessCheck {
    column: usize,
    t: (u128, u128),
    mover: Box<dyn Mover>,
}

impl ClosenessCheck {
    fn t(&self) -> f64 {
        self.t.0 as f64 / self.t.1 as f64
    }

    fn distance(&self, group: &Statistics) -> (u128, u128) {
        self.mover.distance(group.count, &mut group.histogram(self.column).iter())
    }

    /// The number of rows that can be added before a gap is closed: among n + j rows, j are a share of j/(n + j), and no
    /// distance between values exceeds 1, so that the distance changes by that much at most.
    fn rows_to_close(&self, gap: f64, rows: u64) -> u64 {
        let gap = gap.abs() - ROUNDING;
        farthest(rows, |j| (j as f64) < gap * (rows as f64 + j as f64))
    }
}

impl Check for ClosenessCheck {
    fn needs(&self) -> Needs {
        Needs::histogram(self.column)
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        self.outlook(group).0
    }

    /// Another row in the place of one of n moves the distance by at most 1/n, so that its variance is at most 1/(4n).
    fn likely(&self, sample: &Statistics, trust: &Trust) -> bool {
        if trust.is_whole() {
            return self.satisfied(sample);
        }
        let mut histogram = sample.histogram(self.column).iter();
        let distance = self.mover.estimate(sample.count, trust.scale(), &mut histogram);
        distance + trust.deviation(0.25, sample.count) <= self.t()
    }

    fn least_size(&self) -> u64 {
        self.mover.least_size(self.t() + ROUNDING)
    }

    fn level(&self, group: &Statistics) -> Level {
        let (moved, unit) = self.distance(group);
        Level::ratio(moved, unit)
    }

    fn steady(&self, group: &Statistics) -> u64 {
        self.outlook(group).1
    }

    fn outlook(&self, group: &Statistics) -> (bool, u64) {
        let (moved, unit) = self.distance(group);
        let gap = moved as f64 / unit as f64 - self.t();
        let satisfied = compare_products(moved, self.t.1, self.t.0, unit) != Ordering::Greater;
        (satisfied, self.rows_to_close(gap, group.count))
    }
}

/// The equal distance: what the group has too much of each value.
#[derive(Debug)]
struct EqualDistance {
    counts: Vec<u64>,
    rows: u64,
}

impl EqualDistance {
    fn new(facts: &ColumnFacts<'_>, rows: u64) -> Self {
        EqualDistance { counts: facts.counts.clone(), rows }
    }
}

impl Mover for EqualDistance {
    fn distance(&self, rows: u64, histogram: &mut dyn Iterator<Item = (u32, u64)>) -> (u128, u128) {
        let excess = |(code, count): (u32, u64)| {
            let found = u128::from(count) * u128::from(self.rows);
            found.saturating_sub(u128::from(self.counts[code as usize]) * u128::from(rows))
        };
        (histogram.map(excess).sum(), u128::from(rows) * u128::from(self.rows))
    }

    /// The mean over rows of 1 − q·n/c, with c the rows of their value in the group: as many as the sample says, and no
    /// more than in the whole. So values of a few rows each, most of which the sample misses, are not taken for absent.
    fn estimate(&self, rows: u64, scale: f64, histogram: &mut dyn Iterator<Item = (u32, u64)>) -> f64 {
        let group = rows as f64 * scale;
        let excess = |(code, count): (u32, u64)| {
            let of_whole = self.counts[code as usize] as f64;
            let found = (count as f64 * scale).min(of_whole);
            count as f64 * (1.0 - of_whole * group / (self.rows as f64 * found)).max(0.0)
        };
        histogram.map(excess).sum::<f64>() / rows as f64
    }

    /// m rows have at most m values, and no more of the whole's distribution than these: the m commonest must be 1 − t of
    /// it.
    fn least_size(&self, t: f64) -> u64 {
        values_that_hold(&self.counts, (1.0 - t) * self.rows as f64)
    }
}
