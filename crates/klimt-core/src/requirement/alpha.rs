//! (α,k)-anonymity: no value of a sensitive column has more than the share α of a group's rows. The k is that of
//! k-anonymity, which stands beside it.
//!
//! Monotone: the share of a value in a union lies between its shares in the parts.

use super::exact::compare_products;
use super::parameter::{farthest, level, positive, ratio};
use super::{Check, Level, Requirement, Side, Trust, WholeFacts};
use crate::statistics::{Needs, Statistics};
use crate::table::Decimal;
use crate::{Error, Result};
use std::cmp::Ordering;

/// No value of a column has more than the share `alpha` of a group's rows.
#[derive(Clone, Debug)]
pub struct Alpha {
    column: String,
    alpha: Decimal,
}

impl Alpha {
    /// The name of the requirement.
    pub const ID: &'static str = "alpha-k-anonymity";

    /// No value has more than the share `alpha` of a group: more than 0 and at most 1.
    pub fn new(column: impl AsRef<str>, alpha: f64) -> Result<Self> {
        Alpha::of_text(column.as_ref(), &alpha.to_string())
    }

    /// From the text of its parameter, such as `0.5`.
    pub fn parse(column: &str, text: &str) -> Result<Box<dyn Requirement>> {
        Ok(Box::new(Alpha::of_text(column, text)?))
    }

    fn of_text(column: &str, text: &str) -> Result<Self> {
        let alpha = positive("the alpha of (alpha,k)-anonymity", text)?;
        if alpha == Decimal::whole(0) || alpha > Decimal::whole(1) {
            return Err(Error::input(
                "the alpha of (alpha,k)-anonymity is a share: more than 0 and at most 1",
            ));
        }
        Ok(Alpha { column: column.to_string(), alpha })
    }
}

impl Requirement for Alpha {
    fn id(&self) -> &'static str {
        Alpha::ID
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn describe(&self) -> String {
        format!("(alpha,k)-anonymity of {} with alpha = {}", self.column, self.alpha)
    }

    fn parameters(&self) -> Option<String> {
        Some(self.alpha.to_string())
    }

    fn limit(&self) -> Level {
        level(self.alpha)
    }

    fn side(&self) -> Side {
        Side::AtMost
    }

    /// A group of n rows has a value with at least one of them.
    fn minimum_size(&self) -> u64 {
        let (units, scale) = ratio(self.alpha);
        scale.div_ceil(units).min(u128::from(u32::MAX)) as u64
    }

    fn compares_with_whole(&self) -> bool {
        false
    }

    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
        let column = whole.protected("(alpha,k)-anonymity", &self.column)?.number;
        Ok(Box::new(AlphaCheck { column, alpha: ratio(self.alpha) }))
    }
}

#[derive(Debug)]
struct AlphaCheck {
    column: usize,
    alpha: (u128, u128),
}

impl Check for AlphaCheck {
    fn needs(&self) -> Needs {
        Needs::histogram(self.column)
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        let commonest = group.histogram(self.column).commonest();
        compare_products(commonest.into(), self.alpha.1, self.alpha.0, group.count.into())
            != Ordering::Greater
    }

    /// The share of the commonest value, as large as chance may have hidden.
    fn likely(&self, sample: &Statistics, trust: &Trust) -> bool {
        let commonest = sample.histogram(self.column).commonest();
        let alpha = self.alpha.0 as f64 / self.alpha.1 as f64;
        let most = commonest as f64 + trust.error(commonest, sample.count);
        self.satisfied(sample) && (trust.is_whole() || most <= alpha * sample.count as f64)
    }

    /// Of j rows, at worst all have the commonest value and at best none.
    fn steady(&self, group: &Statistics) -> u64 {
        let commonest = group.histogram(self.column).commonest();
        let within = |commonest: u64, rows: u64| {
            !compare_products(commonest.into(), self.alpha.1, self.alpha.0, rows.into()).is_gt()
        };
        if within(commonest, group.count) {
            farthest(group.count, |j| within(commonest + j, group.count + j))
        } else {
            farthest(group.count, |j| !within(commonest, group.count + j))
        }
    }

    /// The share of the commonest value.
    fn level(&self, group: &Statistics) -> Level {
        Level::ratio(group.histogram(self.column).commonest(), group.count)
    }
}
