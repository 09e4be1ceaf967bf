//! Recursive (c,l)-diversity (LeFevre, DeWitt, 2007, section 1.1): with the counts of the sensitive values in
//! descending order, x₁ < c·(x_l + … + x_m). With l = 1 it always holds.
//!
//! Monotone: the commonest value of a union has at most x₁ + y₁ rows, and the rows outside its l − 1 commonest values
//! are at least those outside the l − 1 commonest of each part, so the inequalities of the parts add up.

use super::exact::compare_products;
use super::parameter::{farthest, level, positive, ratio, whole};
use super::{Check, Level, Requirement, Side, Trust, WholeFacts};
use crate::statistics::{Histogram, Needs, Statistics};
use crate::table::Decimal;
use crate::words::option_is;
use crate::{Error, Result};
use std::cmp::Ordering;

/// The commonest value of a column has fewer rows than `c` times those of the l-th and rarer values.
#[derive(Clone, Debug)]
pub struct RecursiveDiversity {
    column: String,
    c: Decimal,
    l: u64,
}

impl RecursiveDiversity {
    /// The name of the requirement.
    pub const ID: &'static str = "recursive-cl-diversity";

    /// The commonest value of a group has fewer rows than `c` times the `l`-th and rarer ones.
    pub fn new(column: impl AsRef<str>, c: f64, l: u64) -> Result<Self> {
        RecursiveDiversity::of_text(column.as_ref(), &format!("{c}:{l}"))
    }

    /// From the text of its parameters, c and l, such as `2.5:3`.
    pub fn parse(column: &str, text: &str) -> Result<Box<dyn Requirement>> {
        Ok(Box::new(RecursiveDiversity::of_text(column, text)?))
    }

    fn of_text(column: &str, text: &str) -> Result<Self> {
        let (c, l) = text.split_once(':').ok_or_else(|| {
            Error::input(format!(
                "recursive diversity takes c and l, such as {}",
                option_is("l-diversity", "recursive:2.5:3")
            ))
        })?;
        let c = positive("the c of recursive (c,l)-diversity", c)?;
        let l = whole("the l of recursive (c,l)-diversity", l)?;
        Ok(RecursiveDiversity { column: column.to_string(), c, l })
    }
}

impl Requirement for RecursiveDiversity {
    fn id(&self) -> &'static str {
        RecursiveDiversity::ID
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn describe(&self) -> String {
        format!("recursive (c,l)-diversity of {} with c = {} and l = {}", self.column, self.c, self.l)
    }

    fn parameters(&self) -> Option<String> {
        Some(format!("{}:{}", self.c, self.l))
    }

    fn limit(&self) -> Level {
        level(self.c)
    }

    fn side(&self) -> Side {
        Side::Below
    }

    fn minimum_size(&self) -> u64 {
        self.l
    }

    fn compares_with_whole(&self) -> bool {
        false
    }

    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
        let column = whole.protected("recursive (c,l)-diversity", &self.column)?.number;
        Ok(Box::new(RecursiveCheck { column, c: ratio(self.c), l: self.l as usize }))
    }
}

#[derive(Debug)]
struct RecursiveCheck {
    column: usize,
    c: (u128, u128),
    l: usize,
}

impl RecursiveCheck {
    /// The rows of the commonest value, and those of the l-th and rarer values.
    fn head_and_tail(&self, histogram: &Histogram) -> (u64, u64) {
        let rows: u64 = histogram.counts().iter().sum();
        if self.l == 2 {
            let commonest = histogram.commonest();
            return (commonest, rows - commonest);
        }
        let mut few = [0; FEW];
        let mut many = Vec::new();
        let top = if self.l <= FEW + 1 {
            &mut few[..self.l - 1]
        } else {
            many.resize(self.l - 1, 0);
            &mut many[..]
        };
        for &count in histogram.counts() {
            let place = top.partition_point(|&larger| larger >= count);
            if place < top.len() {
                top[place..].rotate_right(1);
                top[place] = count;
            }
        }
        (top[0], rows - top.iter().sum::<u64>())
    }
}

/// The number of commonest values that are kept without an allocation.
const FEW: usize = 16;

impl Check for RecursiveCheck {
    fn needs(&self) -> Needs {
        Needs::histogram(self.column)
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        if self.l == 1 {
            return true;
        }
        let (head, tail) = self.head_and_tail(group.histogram(self.column));
        compare_products(head.into(), self.c.1, self.c.0, tail.into()) == Ordering::Less
    }

    /// Section 3.1.2: the shares of the commonest value and of the tail, taken for independent, in the order that they
    /// have in the sample.
    fn likely(&self, sample: &Statistics, trust: &Trust) -> bool {
        if self.l == 1 || trust.is_whole() {
            return self.satisfied(sample);
        }
        let (head, tail) = self.head_and_tail(sample.histogram(self.column));
        let rows = sample.count as f64;
        let (head, tail) = (head as f64 / rows, tail as f64 / rows);
        let c = self.c.0 as f64 / self.c.1 as f64;
        let variance = (c * c * tail * (1.0 - tail) + head * (1.0 - head)) / (rows - 1.0) * trust.unseen();
        rows > 1.0 && c * tail - head > trust.z() * variance.sqrt()
    }

    /// Of j rows, at worst all have the commonest value and at best all are in the tail.
    fn steady(&self, group: &Statistics) -> u64 {
        if self.l == 1 {
            return u64::MAX;
        }
        let (head, tail) = self.head_and_tail(group.histogram(self.column));
        let is_less =
            |head: u64, tail: u64| compare_products(head.into(), self.c.1, self.c.0, tail.into()).is_lt();
        if is_less(head, tail) {
            farthest(group.count, |j| is_less(head + j, tail))
        } else {
            farthest(group.count, |j| !is_less(head, tail + j))
        }
    }

    /// The least ratio that c must exceed: x₁ over the tail; zero for l = 1.
    fn level(&self, group: &Statistics) -> Level {
        if self.l == 1 {
            return Level::Count(0);
        }
        let (head, tail) = self.head_and_tail(group.histogram(self.column));
        Level::ratio(head, tail)
    }
}
