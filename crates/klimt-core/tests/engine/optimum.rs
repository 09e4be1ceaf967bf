//! The cheapest partitioning of a small table, from the definition alone.

use klimt_core::job::Job;
use klimt_core::partition::Partitioning;
use klimt_core::statistics::Collector;
use klimt_core::table::Shape;
use std::collections::BTreeMap;

/// The cost of the groups of a partitioning.
pub fn cost(job: &Job<'_>, partitioning: &Partitioning) -> f64 {
    let collector = Collector::new(&job.loss.needs(), job.table).unwrap();
    (0..partitioning.groups()).map(|group| job.loss.group(&collector.of(partitioning.rows(group)))).sum()
}

/// Cuts rows in every way, and remembers what the same rows cost at best.
pub struct Optimum<'a> {
    job: &'a Job<'a>,
    known: BTreeMap<Vec<u32>, Option<f64>>,
}

impl Optimum<'_> {
    /// The least cost of a hierarchical partition whose groups satisfy the requirements: an ordered dimension cut
    /// between two values, a hierarchy node to its children, a set into one value and the others.
    pub fn of(job: &Job<'_>) -> f64 {
        let rows: Vec<u32> = (0..job.table.rows() as u32).collect();
        Optimum { job, known: BTreeMap::new() }.best(&rows).unwrap()
    }

    fn best(&mut self, rows: &[u32]) -> Option<f64> {
        if let Some(&known) = self.known.get(rows) {
            return known;
        }
        let mut needs = self.job.requirements.needs().clone();
        needs.include(&self.job.loss.needs());
        let statistics = Collector::new(&needs, self.job.table).unwrap().of(rows);
        let mut best = None;
        if self.job.requirements.satisfied(&statistics) {
            best = Some(self.job.loss.group(&statistics));
        }
        for dimension in 0..self.job.table.dimensions() {
            for parts in self.cuts(rows, dimension) {
                let cost = parts.iter().try_fold(0.0, |sum, part| Some(sum + self.best(part)?));
                best = match (best, cost) {
                    (Some(best), Some(cost)) => Some(f64::min(best, cost)),
                    (best, cost) => best.or(cost),
                };
            }
        }
        self.known.insert(rows.to_vec(), best);
        best
    }

    /// The ways to cut rows into several parts in a dimension.
    fn cuts(&self, rows: &[u32], dimension: usize) -> Vec<Vec<Vec<u32>>> {
        let (domain, codes) = (self.job.table.domain(dimension), self.job.table.codes(dimension));
        let code = |row: &u32| codes.get(*row as usize);
        let mut values: Vec<u32> = rows.iter().map(code).collect();
        values.sort_unstable();
        values.dedup();
        if values.len() < 2 {
            return Vec::new();
        }
        let (lo, hi) = (values[0], values[values.len() - 1]);
        let in_two = |left: &dyn Fn(u32) -> bool| {
            let (low, high): (Vec<u32>, Vec<u32>) = rows.iter().partition(|row| left(code(row)));
            vec![low, high]
        };
        match domain.shape() {
            Shape::Ordered => (lo..hi).map(|at| in_two(&|code| code <= at)).collect(),
            Shape::Set => values.iter().map(|&value| in_two(&|code| code == value)).collect(),
            Shape::Hierarchy(tree) => {
                let mut runs: Vec<(u32, u32)> = tree
                    .children(domain.node_over(tree, lo, hi))
                    .iter()
                    .map(|&child| tree.span(child))
                    .collect();
                runs.extend(domain.missing_code().map(|missing| (missing, missing)));
                let part = |&(lo, hi): &(u32, u32)| {
                    rows.iter().copied().filter(|row| (lo..=hi).contains(&code(row))).collect::<Vec<u32>>()
                };
                vec![runs.iter().map(part).filter(|part| !part.is_empty()).collect()]
            }
        }
    }
}
