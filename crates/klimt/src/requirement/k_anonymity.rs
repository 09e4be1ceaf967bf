//! k-anonymity (LeFevre, DeWitt, Ramakrishnan, section 1.1): every group holds at least k rows.
//!
//! Monotone: the union of two groups has more rows than either.

use super::{Check, Requirement, Verdict};
use crate::statistics::{Needs, Statistics};
use crate::table::Table;
use crate::{Error, Result};

/// Every group holds at least `k` rows.
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

    /// The least size of a group.
    pub fn k(&self) -> u64 {
        self.k
    }
}

impl Requirement for KAnonymity {
    fn id(&self) -> &'static str {
        KAnonymity::ID
    }

    fn describe(&self) -> String {
        format!("k-anonymity with k = {}", self.k)
    }

    fn minimum_size(&self) -> u64 {
        self.k
    }

    fn bind(&self, table: &Table) -> Result<Box<dyn Check>> {
        let rows = table.rows() as u64;
        if self.k > rows {
            return Err(Error::unsatisfied(format!(
                "k = {} is larger than the table: the largest k that is possible is {rows}, its number of rows",
                self.k
            )));
        }
        Ok(Box::new(*self))
    }
}

impl Check for KAnonymity {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn verdict(&self, _: &Needs, group: &Statistics) -> Verdict {
        if group.count >= self.k {
            Verdict::Satisfied
        } else {
            Verdict::Violated { measured: group.count.to_string(), limit: self.k.to_string() }
        }
    }
}
