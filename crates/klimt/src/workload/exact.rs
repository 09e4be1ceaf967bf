//! What the original answers.

use super::bind::is_number;
use super::{Asked, BoundQuery, BoundWorkload, Function};
use crate::table::{Codes, Domain, Table};
use rayon::prelude::*;

/// Numbers as they come: how many, their sum, the least and the greatest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numbers {
    pub count: f64,
    pub sum: f64,
    pub least: f64,
    pub most: f64,
}

impl Numbers {
    pub const NONE: Numbers = Numbers { count: 0.0, sum: 0.0, least: f64::INFINITY, most: f64::NEG_INFINITY };

    /// Takes in a number that stands for so many rows.
    pub fn add(&mut self, number: f64, rows: f64) {
        self.count += rows;
        self.sum += number * rows;
        self.least = self.least.min(number);
        self.most = self.most.max(number);
    }

    /// The answer; `None` where no row has a number.
    pub fn answer(&self, function: Function) -> Option<f64> {
        match function {
            Function::Sum => Some(self.sum),
            _ if self.count <= 0.0 => None,
            Function::Avg => Some(self.sum / self.count),
            Function::Min => Some(self.least),
            Function::Max => Some(self.most),
        }
    }
}

/// The number that a code stands for; `None` for the missing value.
pub(super) fn number(domain: &Domain, code: u32) -> Option<f64> {
    let is_value = is_number(domain) && (code as usize) < domain.value_count();
    is_value.then(|| in_units(domain, domain.position(code) as f64))
}

/// A place on the axis of a domain as a number.
pub(super) fn in_units(domain: &Domain, units: f64) -> f64 {
    units / 10f64.powi(domain.scale() as i32)
}

impl BoundWorkload {
    /// The answers of the table that the workload is bound to, in order; `None` where no row has a number.
    pub fn exact(&self, table: &Table) -> Vec<Option<f64>> {
        self.queries.par_iter().map(|query| exact(query, table)).collect()
    }
}

/// The coded columns of a table, by number.
pub(super) fn column(table: &Table, number: usize) -> (&Domain, &Codes) {
    table.columns()[number].coded().expect("queries are bound to coded columns")
}

fn exact(query: &BoundQuery, table: &Table) -> Option<f64> {
    let tests: Vec<_> = query.admitted.iter().map(|(at, admitted)| (column(table, *at), admitted)).collect();
    let satisfies = |row: &usize| {
        tests.iter().all(|((domain, codes), admitted)| admitted.admits(domain, codes.get(*row)))
    };
    let rows = (0..table.rows()).filter(satisfies);
    match query.asked {
        Asked::Count => Some(rows.count() as f64),
        Asked::Of(function, at) => {
            let (domain, codes) = column(table, at);
            let mut numbers = Numbers::NONE;
            rows.filter_map(|row| number(domain, codes.get(row))).for_each(|one| numbers.add(one, 1.0));
            numbers.answer(function)
        }
    }
}
