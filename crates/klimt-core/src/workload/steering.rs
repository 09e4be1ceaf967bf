//! Queries as they steer cuts, and as a loss of groups sees them.
//!
//! A row adds to the answer of a query what it *counts for*: 1 to COUNT; v/s to SUM, where v is its number and s the mean
//! magnitude of the numbers that the query selects; (v − A)/s to AVG, where A is the exact answer, as the error of a mean
//! is that of the sum of the differences from it. So an error of 1 is one selected row for every function, and a query with
//! the weight w matters w over the rows that it selects for each. MIN and MAX do not add up: they count rows, as they are
//! exact where a count is, and a group that a query meets is also off by how far its region reaches beyond the exact
//! answer, as a share of that. Functions of columns that are no quasi-identifiers steer as counts do, as cuts do not change
//! these columns.

use super::bind::is_number;
use super::{AdmittedValues, Function, TableAggregate, TableQuery, TableWorkload};
use crate::table::Block;
use crate::table::{Domain, Table};
use rayon::prelude::*;

/// How much a dimension matters that no query asks about, beside one that every query does.
const FLOOR: f64 = 0.1;

/// A query as it steers cuts.
#[derive(Clone, Debug)]
pub(crate) struct SteeringQuery {
    /// The admitted values by dimension, ascending: also of the dimension whose numbers are computed with.
    pub admitted: Vec<(usize, AdmittedValues)>,
    /// The weight of the query over the rows that it selects.
    pub worth: f64,
    /// The function of numbers, where the query is no count.
    pub measure: Option<QueryFunction>,
}

/// The function of the numbers of a dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct QueryFunction {
    pub function: Function,
    pub dimension: usize,
    /// Whether no predicate is about the dimension.
    pub is_free: bool,
    /// The number that others are compared with, in units: 0 for sums, else the exact answer.
    pub centre: f64,
    /// The unit of the weight of a number.
    pub scale: f64,
}

impl SteeringQuery {
    pub fn new(query: &TableQuery, table: &Table) -> Self {
        let dimension = |column: usize| table.quasi_identifiers().iter().position(|&qi| qi == column);
        let of_dimension =
            |(column, admitted): &(usize, AdmittedValues)| Some((dimension(*column)?, admitted.clone()));
        let mut admitted: Vec<(usize, AdmittedValues)> =
            query.admitted.iter().filter_map(of_dimension).collect();
        let measure = match query.asked {
            TableAggregate::Count => None,
            TableAggregate::Of(function, column) => dimension(column).map(|dimension| QueryFunction {
                function,
                dimension,
                is_free: !admitted.iter().any(|(asked, _)| *asked == dimension),
                centre: 0.0,
                scale: 1.0,
            }),
        };
        if let Some(QueryFunction { dimension, is_free: true, .. }) = measure {
            admitted.push((dimension, AdmittedValues::every_value(table.domain(dimension))));
        }
        admitted.sort_unstable_by_key(|(dimension, _)| *dimension);
        SteeringQuery { admitted, worth: query.weight, measure }
    }

    /// The measure of a dimension, where its numbers are computed with.
    pub fn measure_of(&self, dimension: usize) -> Option<&QueryFunction> {
        self.measure.as_ref().filter(|measure| measure.dimension == dimension)
    }

    /// Sets what an error is worth, from the rows that the query selects.
    fn weigh(&mut self, weight: f64, selection: &Selection) {
        self.worth = weight / selection.rows.max(1) as f64;
        let Some(measure) = &mut self.measure else { return };
        let known = selection.known.max(1) as f64;
        let (mean, size) = (selection.sum as f64 / known, selection.size as f64 / known);
        let positive = |size: f64| if size > 0.0 { size } else { 1.0 };
        (measure.centre, measure.scale) = match (measure.function, selection.ends) {
            (Function::Sum, _) => (0.0, positive(size)),
            (Function::Min, Some((least, _))) => (least as f64, extreme(least, size)),
            (Function::Max, Some((_, most))) => (most as f64, extreme(most, size)),
            _ => (mean, positive(size)),
        };
    }
}

/// The unit of an extreme: its absolute value, or the typical size of the numbers where it is 0.
fn extreme(answer: i128, size: f64) -> f64 {
    match answer {
        0 if size > 0.0 => size,
        0 => 1.0,
        answer => (answer as f64).abs(),
    }
}

impl QueryFunction {
    /// Whether it is a least or greatest value, which does not add up over groups.
    pub fn is_extreme(&self) -> bool {
        matches!(self.function, Function::Min | Function::Max)
    }

    /// The weight of a number.
    pub fn of(&self, units: f64) -> f64 {
        (units - self.centre) / self.scale
    }

    /// How far rows between two units, as far as a query meets them, reach beyond the exact answer, as a share of it.
    pub fn beyond(&self, first: i128, last: i128) -> f64 {
        match self.function {
            Function::Min => (-self.of(first as f64)).max(0.0),
            _ => self.of(last as f64).max(0.0),
        }
    }
}

/// The rows that a query selects by its quasi-identifiers. Selections of parts add up to that of the whole, in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// How many there are.
    pub rows: u64,
    /// How many have a number in the dimension that is computed with.
    pub known: u64,
    /// The sum of these, in units.
    pub sum: i128,
    /// The sum of their magnitudes.
    pub size: i128,
    /// The least and the greatest of them.
    pub ends: Option<(i128, i128)>,
}

impl Selection {
    fn add(&mut self, units: Option<i128>) {
        self.rows += 1;
        if let Some(units) = units {
            let size = units.saturating_abs();
            self.merge(&Selection { rows: 0, known: 1, sum: units, size, ends: Some((units, units)) });
        }
    }

    /// Adds other rows.
    pub fn merge(&mut self, other: &Selection) {
        self.rows += other.rows;
        self.known += other.known;
        // Beyond what 128 bits hold, only the order of magnitude matters.
        self.sum = self.sum.saturating_add(other.sum);
        self.size = self.size.saturating_add(other.size);
        self.ends = match (self.ends, other.ends) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (mine, theirs) => mine.or(theirs),
        };
    }
}

impl TableWorkload {
    /// Sets what each answer is worth, from the rows of a table: an error of one row matters more where few are selected.
    pub fn count(&mut self, table: &Table) {
        let selected = self.selected(table.rows(), |dimension, row| table.codes(dimension).get(row), table);
        self.weigh(&selected);
    }

    /// The same, from the rows that each query selects by its quasi-identifiers.
    pub fn weigh(&mut self, selected: &[Selection]) {
        for ((steering, query), selection) in self.steering.iter_mut().zip(&self.queries).zip(selected) {
            steering.weigh(query.weight, selection);
        }
    }

    /// The rows of a block that each query selects by its quasi-identifiers.
    pub fn selected_of(&self, block: &Block, frame: &Table) -> Vec<Selection> {
        let places = frame.quasi_identifiers();
        self.selected(block.rows(), |dimension, row| block.codes(places[dimension]).get(row), frame)
    }

    fn selected(
        &self,
        rows: usize,
        code: impl Fn(usize, usize) -> u32 + Sync,
        frame: &Table,
    ) -> Vec<Selection> {
        let select = |steering: &SteeringQuery| {
            let mut selection = Selection::default();
            for row in 0..rows {
                let asked = steering.admitted.iter().filter(|(dimension, _)| {
                    steering.measure_of(*dimension).is_none_or(|measure| !measure.is_free)
                });
                let mut admits = asked.map(|(dimension, admitted)| {
                    admitted.admits(frame.domain(*dimension), code(*dimension, row))
                });
                if admits.all(|admits| admits) {
                    let units = steering.measure.and_then(|measure| {
                        let (domain, code) = (frame.domain(measure.dimension), code(measure.dimension, row));
                        ((code as usize) < domain.value_count()).then(|| domain.position(code))
                    });
                    selection.add(units);
                }
            }
            selection
        };
        self.steering.par_iter().map(select).collect()
    }

    /// How much each dimension matters: the share of the workload's weight with a predicate about it, or a function of it
    /// that its width changes. With published means, sums and averages are answered as well by wide groups.
    pub fn importance(&self, dimensions: usize) -> Vec<f64> {
        let total = self.weight();
        let mut shares = vec![0.0; dimensions];
        for (steering, query) in self.steering.iter().zip(&self.queries) {
            for (dimension, _) in &steering.admitted {
                let by_mean =
                    |measure: &QueryFunction| self.means && measure.is_free && !measure.is_extreme();
                if !steering.measure_of(*dimension).is_some_and(by_mean) {
                    shares[*dimension] += query.weight;
                }
            }
        }
        shares.iter().map(|share| if total > 0.0 { share / total } else { 0.0 }).collect()
    }

    /// Weights of the dimensions, in which those that the workload asks about matter more.
    pub fn steer(&self, weights: &[f64]) -> Vec<f64> {
        let importance = self.importance(weights.len());
        weights
            .iter()
            .zip(importance)
            .map(|(weight, share)| weight * (FLOOR + (1.0 - FLOOR) * share))
            .collect()
    }

    /// Whether the mean of a group is published in a dimension with this domain.
    pub(crate) fn publishes_mean(&self, domain: &Domain) -> bool {
        self.means && is_number(domain)
    }
}
