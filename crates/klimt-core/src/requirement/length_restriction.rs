//! The length restriction (Hore et al., section 2): the least width that a published interval may have.
//!
//! The width of an ordered interval is the distance of its ends (in days for dates, seconds for timestamps,
//! ranks for an imposed order), of a hierarchy node its number of leaves, of a set its number of members; a single
//! category is a set of one. A value that is published as `*` has no width, and satisfies every restriction.
//!
//! Monotone: the region of a union covers the regions of both parts.

use super::parameter::{level, positive};
use super::{Check, Level, Requirement, Side, WholeFacts};
use crate::hierarchy::Hierarchy;
use crate::statistics::{Extent, Needs, Statistics};
use crate::table::{Decimal, Domain, Shape};
use crate::{Error, Result};
use std::sync::Arc;

/// The least width that a column's published intervals may have.
#[derive(Clone, Debug)]
pub struct LengthRestriction {
    column: String,
    limit: Decimal,
}

impl LengthRestriction {
    /// The name of the requirement.
    pub const ID: &'static str = "length-restriction";

    /// Published intervals of the column have at least this width.
    pub fn new(column: impl AsRef<str>, width: f64) -> Result<Self> {
        LengthRestriction::of_text(column.as_ref(), &width.to_string())
    }

    /// From the column and the text of the least width, such as `5`.
    pub fn parse(column: &str, text: &str) -> Result<Box<dyn Requirement>> {
        Ok(Box::new(LengthRestriction::of_text(column, text)?))
    }

    fn of_text(column: &str, text: &str) -> Result<Self> {
        let limit = positive(&format!("the least width of column {column}"), text)?;
        Ok(LengthRestriction { column: column.to_string(), limit })
    }
}

impl Requirement for LengthRestriction {
    fn id(&self) -> &'static str {
        LengthRestriction::ID
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn describe(&self) -> String {
        format!("the least width {} of column {}", self.limit, self.column)
    }

    fn parameters(&self) -> Option<String> {
        Some(self.limit.to_string())
    }

    fn limit(&self) -> Level {
        level(self.limit)
    }

    fn side(&self) -> Side {
        Side::AtLeast
    }

    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
        let (dimension, domain) = whole.dimension(&self.column).ok_or_else(|| {
            Error::input(format!(
                "the least width of column {} needs a quasi-identifier of that name",
                self.column
            ))
        })?;
        let widths = match domain.shape() {
            Shape::Ordered => WidthLimit::Ordered(positions(domain), domain.scale()),
            Shape::Hierarchy(tree) => WidthLimit::Leaves(Arc::clone(tree)),
            Shape::Set => WidthLimit::Members(domain.cardinality() as u64),
        };
        Ok(Box::new(WidthCheck { dimension, limit: self.limit, widths, missing: domain.missing_code() }))
    }
}

fn positions(domain: &Domain) -> Vec<i128> {
    (0..domain.value_count() as u32).map(|code| domain.position(code)).collect()
}

#[derive(Debug)]
enum WidthLimit {
    Ordered(Vec<i128>, u32),
    Leaves(Arc<Hierarchy>),
    /// The number of all members.
    Members(u64),
}

#[derive(Debug)]
struct WidthCheck {
    dimension: usize,
    limit: Decimal,
    widths: WidthLimit,
    missing: Option<u32>,
}

impl WidthCheck {
    /// The width of the region over an extent; `None` when it is published as `*`.
    fn width(&self, extent: &Extent) -> Option<Decimal> {
        match (&self.widths, extent) {
            (WidthLimit::Members(all), Extent::Members(bits)) => {
                let members: u64 = bits.iter().map(|word| u64::from(word.count_ones())).sum();
                (members < *all || members == 1).then_some(Decimal::whole(members.into()))
            }
            (WidthLimit::Leaves(tree), Extent::Interval { lo, hi }) => {
                let node = match self.missing == Some(*hi) {
                    true if lo == hi => return Some(Decimal::whole(1)),
                    true => tree.root(),
                    false => tree.lowest_common_ancestor(*lo, *hi),
                };
                (tree.label(node) != "*").then(|| Decimal::whole(tree.leaves_under(node).into()))
            }
            (_, Extent::Interval { lo, hi }) if self.missing == Some(*hi) => {
                (lo == hi).then_some(Decimal::whole(0))
            }
            (WidthLimit::Ordered(positions, scale), Extent::Interval { lo, hi }) => {
                let units = positions[*hi as usize] - positions[*lo as usize];
                Some(Decimal { units, scale: *scale })
            }
            _ => unreachable!("members are counted for sets, and for nothing else"),
        }
    }
}

impl Check for WidthCheck {
    fn needs(&self) -> Needs {
        Needs { extents: vec![self.dimension], ..Needs::default() }
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        self.admits(group.extent(self.dimension))
    }

    fn restricts(&self) -> Option<usize> {
        // A group of missing values is published without a width, whatever its boundaries are.
        let decides = matches!(self.widths, WidthLimit::Ordered(..)) && self.missing.is_none();
        decides.then_some(self.dimension)
    }

    fn admits(&self, extent: &Extent) -> bool {
        self.width(extent).is_none_or(|width| width >= self.limit)
    }

    fn level(&self, group: &Statistics) -> Level {
        self.width(group.extent(self.dimension)).map_or(Level::Unbounded, level)
    }
}
