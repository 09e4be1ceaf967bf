//! The best hierarchical partitioning of a small table, by trying all of them.
//!
//! Nothing here knows of boxes: a part is its rows, a cut is any way to tell its values of one dimension apart, and every
//! part is judged from its rows. No requirement is taken to be monotone.

use klimt_core::loss::Cost;
use klimt_core::requirement::Checks;
use klimt_core::statistics::{Collector, Needs};
use klimt_core::table::{Shape, Table};
use std::collections::HashMap;

/// The least cost of a hierarchical partitioning in which every group satisfies the requirements; rows may be suppressed
/// where they have a price. `None` where there is no such partitioning.
pub fn optimum(table: &Table, requirements: &Checks, loss: &dyn Cost, price: Option<f64>) -> Option<f64> {
    let mut needs = Needs::default();
    needs.include(requirements.needs());
    needs.include(&loss.needs());
    let collector = Collector::new(&needs, table).unwrap();
    let mut search = Search { table, requirements, loss, price, collector, known: HashMap::new() };
    let best = search.best((0..table.rows() as u32).collect());
    best.is_finite().then_some(best)
}

struct Search<'s> {
    table: &'s Table,
    requirements: &'s Checks,
    loss: &'s dyn Cost,
    price: Option<f64>,
    collector: Collector<'s>,
    known: HashMap<Vec<u32>, f64>,
}

impl Search<'_> {
    /// The least cost of some rows.
    fn best(&mut self, rows: Vec<u32>) -> f64 {
        if let Some(&known) = self.known.get(&rows) {
            return known;
        }
        let group = self.collector.of(&rows);
        let mut best =
            if self.requirements.satisfied(&group) { self.loss.group(&group) } else { f64::INFINITY };
        if let Some(price) = self.price {
            best = best.min(price * rows.len() as f64);
        }
        for dimension in 0..self.table.dimensions() {
            let code = |row: &u32| self.table.codes(dimension).get(*row as usize);
            for left in sides(self.table, dimension, rows.iter().map(code).collect()) {
                let (left, right): (Vec<u32>, Vec<u32>) =
                    rows.iter().partition(|row| left.contains(&code(row)));
                let cost = self.best(left) + self.best(right);
                best = best.min(cost);
            }
        }
        self.known.insert(rows, best);
        best
    }
}

/// The codes that go left, for every cut of a dimension that tells the given codes apart.
fn sides(table: &Table, dimension: usize, mut codes: Vec<u32>) -> Vec<Vec<u32>> {
    codes.sort_unstable();
    codes.dedup();
    match table.domain(dimension).shape() {
        Shape::Ordered | Shape::Hierarchy(_) => (1..codes.len()).map(|upto| codes[..upto].to_vec()).collect(),
        // The last code always goes right, so that every bipartition is there once.
        Shape::Set => (1..1u32 << (codes.len() - 1))
            .map(|chosen| {
                (0..).zip(&codes).filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, &code)| code).collect()
            })
            .collect(),
    }
}
