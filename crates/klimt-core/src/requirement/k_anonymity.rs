//! k-anonymity (LeFevre, DeWitt, Ramakrishnan, section 1.1): every group holds at least k rows; where it is known whom rows
//! are about, rows of at least k different people. Of Wang and Fung's (X,Y)-anonymity (2006), X are then the
//! quasi-identifiers and Y is the person.
//!
//! Monotone: the union of two groups has more rows than either, and everybody who is in one of them.

use super::{Check, Level, PeopleFacts, Requirement, Side, Trust, WholeFacts};
use crate::statistics::{Needs, Statistics};
use crate::{Error, Result};

/// Every group holds rows of at least `k` people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KAnonymity {
    k: u64,
}

impl KAnonymity {
    /// The name of the requirement.
    pub const ID: &'static str = "k-anonymity";

    /// k-anonymity; `k` is at least 1.
    pub fn new(k: u64) -> Result<Self> {
        if k == 0 {
            return Err(Error::input("k must be at least 1, and 0 was given").with_help(
                "k is the least number of people that share a published row; 5 or 10 are common",
            ));
        }
        Ok(KAnonymity { k })
    }

    /// From the text of its parameter.
    pub fn parse(_: &str, text: &str) -> Result<Box<dyn Requirement>> {
        let k = text.trim().parse().map_err(|_| Error::input("k must be a whole number"))?;
        Ok(Box::new(KAnonymity::new(k)?))
    }
}

impl Requirement for KAnonymity {
    fn id(&self) -> &'static str {
        KAnonymity::ID
    }

    fn describe(&self) -> String {
        format!("k-anonymity with k = {}", self.k)
    }

    fn parameters(&self) -> Option<String> {
        Some(self.k.to_string())
    }

    fn limit(&self) -> Level {
        Level::Count(self.k)
    }

    fn side(&self) -> Side {
        Side::AtLeast
    }

    fn minimum_size(&self) -> u64 {
        self.k
    }

    fn compares_with_whole(&self) -> bool {
        false
    }

    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
        if let Some(people) = whole.people() {
            return self.bind_people(people);
        }
        let rows = whole.rows();
        if self.k > rows {
            return Err(Error::unsatisfied(format!(
                "k = {} is larger than the table: the largest k that is possible is {rows}, its number of rows",
                self.k
            )));
        }
        Ok(Box::new(*self))
    }
}

impl KAnonymity {
    fn bind_people(&self, facts: PeopleFacts) -> Result<Box<dyn Check>> {
        if self.k > facts.people {
            return Err(Error::unsatisfied(format!(
                "k = {} is larger than the number of people in the table, which is {}: the largest k that is possible",
                self.k, facts.people
            )));
        }
        Ok(Box::new(PeopleCheck { k: self.k, facts }))
    }
}

/// k-anonymity of people, who may have several rows each.
#[derive(Debug)]
struct PeopleCheck {
    k: u64,
    facts: PeopleFacts,
}

impl PeopleCheck {
    fn people(&self, group: &Statistics) -> u64 {
        let known = |(code, _): &(u32, u64)| Some(*code) != self.facts.nobody;
        group.histogram(self.facts.column).iter().filter(known).count() as u64
    }
}

impl Check for PeopleCheck {
    fn needs(&self) -> Needs {
        Needs::histogram(self.facts.column)
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        group.count >= self.k && self.people(group) >= self.k
    }

    /// By how many people the sample holds, which are fewer than those of the group.
    fn likely(&self, sample: &Statistics, trust: &Trust) -> bool {
        match trust.is_whole() {
            true => self.satisfied(sample),
            false => self.people(sample) >= trust.least(self.k),
        }
    }

    fn level(&self, group: &Statistics) -> Level {
        Level::Count(self.people(group))
    }

    /// Nobody is lost by adding rows, and each adds one person at most.
    fn steady(&self, group: &Statistics) -> u64 {
        let people = self.people(group);
        if people >= self.k { u64::MAX } else { self.k - people - 1 }
    }
}

impl Check for KAnonymity {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        group.count >= self.k
    }

    fn level(&self, group: &Statistics) -> Level {
        Level::Count(group.count)
    }

    fn steady(&self, group: &Statistics) -> u64 {
        if group.count >= self.k { u64::MAX } else { self.k - group.count - 1 }
    }
}
