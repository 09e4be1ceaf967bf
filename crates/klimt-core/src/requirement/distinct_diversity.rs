//! Distinct l-diversity: every group has at least l different values of a sensitive column.
//!
//! Where people have several rows, at least l values of as many different people: a person who has all of them does not
//! make others diverse.
//!
//! Monotone: the union of two groups has every value of both.

use super::parameter::whole;
use super::{Check, Level, Requirement, Side, Trust, WholeFacts};
use crate::Result;
use crate::statistics::{GroupPeople, Needs, Statistics};

/// Every group has at least `l` different values of a column.
#[derive(Clone, Debug)]
pub struct DistinctDiversity {
    column: String,
    l: u64,
}

impl DistinctDiversity {
    /// The name of the requirement.
    pub const ID: &'static str = "distinct-l-diversity";

    /// Every group has at least `l` different values of the column.
    pub fn new(column: impl AsRef<str>, l: u64) -> Result<Self> {
        DistinctDiversity::of_text(column.as_ref(), &l.to_string())
    }

    /// From the text of its parameter, such as `3`.
    pub fn parse(column: &str, text: &str) -> Result<Box<dyn Requirement>> {
        Ok(Box::new(DistinctDiversity::of_text(column, text)?))
    }

    fn of_text(column: &str, text: &str) -> Result<Self> {
        let l = whole("the l of distinct l-diversity", text)?;
        Ok(DistinctDiversity { column: column.to_string(), l })
    }
}

impl Requirement for DistinctDiversity {
    fn id(&self) -> &'static str {
        DistinctDiversity::ID
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn describe(&self) -> String {
        format!("distinct l-diversity of {} with l = {}", self.column, self.l)
    }

    fn parameters(&self) -> Option<String> {
        Some(self.l.to_string())
    }

    fn limit(&self) -> Level {
        Level::Count(self.l)
    }

    fn side(&self) -> Side {
        Side::AtLeast
    }

    fn minimum_size(&self) -> u64 {
        self.l
    }

    fn compares_with_whole(&self) -> bool {
        false
    }

    fn bind(&self, facts: &dyn WholeFacts) -> Result<Box<dyn Check>> {
        let column = facts.protected("distinct l-diversity", &self.column)?.number;
        Ok(Box::new(DistinctCheck { column, l: self.l }))
    }
}

#[derive(Debug)]
struct DistinctCheck {
    column: usize,
    l: u64,
}

impl Check for DistinctCheck {
    fn needs(&self) -> Needs {
        Needs::histogram(self.column)
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        group.histogram(self.column).distinct() >= self.l
    }

    /// The group has every value of the sample.
    fn likely(&self, sample: &Statistics, _: &Trust) -> bool {
        self.satisfied(sample)
    }

    /// No value is lost by adding rows, and each adds one at most.
    fn steady(&self, group: &Statistics) -> u64 {
        let distinct = group.histogram(self.column).distinct();
        if distinct >= self.l { u64::MAX } else { self.l - distinct - 1 }
    }

    fn level(&self, group: &Statistics) -> Level {
        Level::Count(group.histogram(self.column).distinct())
    }

    fn satisfied_by(&self, people: &GroupPeople, _: &Statistics) -> bool {
        people.values_of_different_people(self.l) >= self.l
    }

    fn level_of(&self, people: &GroupPeople, _: &Statistics) -> Level {
        Level::Count(people.values_of_different_people(u64::MAX))
    }
}
