//! The answers that the original gives to queries.

use super::bind::is_number;
use super::{Function, TableAggregate, TableQuery, TableWorkload};
use crate::table::{Codes, Domain, Table};
use rayon::prelude::*;

/// Numbers as they come, in units of their column: how many, their sum, the least and the greatest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NumberSums {
    pub count: f64,
    /// The sum of whole rows, and what is not known that exactly.
    whole: i128,
    part: f64,
    least: f64,
    most: f64,
}

impl NumberSums {
    pub const NONE: NumberSums =
        NumberSums { count: 0.0, whole: 0, part: 0.0, least: f64::INFINITY, most: f64::NEG_INFINITY };

    /// Takes in a number.
    pub fn add(&mut self, units: i128) {
        self.add_sum(units, 1.0);
        self.reach(units, units);
    }

    /// Adds rows whose sum is known.
    pub fn add_sum(&mut self, sum: i128, rows: f64) {
        self.count += rows;
        match self.whole.checked_add(sum) {
            Some(whole) => self.whole = whole,
            None => self.part += sum as f64,
        }
    }

    /// Adds rows whose mean is estimated.
    pub fn add_mean(&mut self, mean: f64, rows: f64) {
        self.count += rows;
        self.part += mean * rows;
    }

    /// Takes in that numbers reach from one to another.
    pub fn reach(&mut self, first: i128, last: i128) {
        self.least = self.least.min(first as f64);
        self.most = self.most.max(last as f64);
    }

    /// The answer, for numbers with this many digits behind the point; `None` where no row has a number.
    pub fn answer(&self, function: Function, scale: u32) -> Option<f64> {
        let unit = 10f64.powi(scale as i32);
        let sum = (self.whole as f64 + self.part) / unit;
        match function {
            Function::Sum => Some(sum),
            _ if self.count <= 0.0 => None,
            Function::Avg => Some(sum / self.count),
            Function::Min => Some(self.least / unit),
            Function::Max => Some(self.most / unit),
        }
    }
}

/// Where the number lies that a code stands for, in units; `None` for the missing value.
pub(super) fn number(domain: &Domain, code: u32) -> Option<i128> {
    let is_value = is_number(domain) && (code as usize) < domain.value_count();
    is_value.then(|| domain.position(code))
}

impl TableWorkload {
    /// The answers of the table that the workload is bound to, in order; `None` where no row has a number.
    pub fn exact(&self, table: &Table) -> Vec<Option<f64>> {
        self.queries.par_iter().map(|query| exact(query, table)).collect()
    }
}

/// The coded columns of a table, by number.
pub(super) fn column(table: &Table, number: usize) -> (&Domain, &Codes) {
    table.columns()[number].coded().expect("queries are bound to coded columns")
}

fn exact(query: &TableQuery, table: &Table) -> Option<f64> {
    let tests: Vec<_> = query.admitted.iter().map(|(at, admitted)| (column(table, *at), admitted)).collect();
    let satisfies = |row: &usize| {
        tests.iter().all(|((domain, codes), admitted)| admitted.admits(domain, codes.get(*row)))
    };
    let rows = (0..table.rows()).filter(satisfies);
    match query.asked {
        TableAggregate::Count => Some(rows.count() as f64),
        TableAggregate::Of(function, at) => {
            let (domain, codes) = column(table, at);
            let mut numbers = NumberSums::NONE;
            rows.filter_map(|row| number(domain, codes.get(row))).for_each(|units| numbers.add(units));
            numbers.answer(function, domain.scale())
        }
    }
}
