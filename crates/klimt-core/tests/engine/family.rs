//! The least loss of all releases of a family, by trying all of them.
//!
//! A part is its rows, a cut is any way to tell them apart that the family allows, and every part is judged from its rows.

use klimt_core::hierarchy::{Hierarchy, NodeId};
use klimt_core::job::Job;
use klimt_core::loss::Totals;
use klimt_core::statistics::{Collector, Extent, Needs};
use klimt_core::table::{Domain, Shape};
use std::collections::HashMap;

/// The least loss of hierarchical partitions: over a split set, or by any cuts. Leaves may be suppressed, as far as the
/// job allows. Groups that are published alike are left apart, which can only lower the loss. Where widths are required of
/// boundaries, these are those of the cuts.
pub fn least_in(job: &Job<'_>, splits: Option<&[Vec<u32>]>, k: u64) -> Option<f64> {
    let mut needs = Needs::default();
    needs.include(job.requirements.needs());
    needs.include(&job.loss.needs());
    let collector = Collector::new(&needs, job.table).unwrap();
    let mut search = Search { job, splits, limit: limit(job), collector, known: HashMap::new() };
    let last = |dimension: usize| (job.table.domain(dimension).cardinality() as u32).saturating_sub(1);
    let edges =
        job.requirements.restricted_dimensions().map(|dimension| (dimension, 0, last(dimension))).collect();
    let sums = search.best((0..job.table.rows() as u32).collect(), edges);
    finished(job, &sums, k)
}

/// The least loss of groups of at least `minimum` rows, by sizes alone.
pub fn least_of_sizes(job: &Job<'_>, minimum: u64, k: u64) -> Option<f64> {
    let (rows, limit, minimum) = (job.table.rows(), limit(job), minimum.max(1) as usize);
    let mut best = vec![f64::INFINITY; rows + 1];
    best[0] = 0.0;
    for many in 1..=rows {
        for size in minimum..=many {
            best[many] = best[many].min(best[many - size] + job.loss.size(size as u64).unwrap());
        }
    }
    let sums: Vec<f64> = (0..=limit).map(|out| best[rows - out]).collect();
    finished(job, &sums, k)
}

/// How many rows may be suppressed; none where they have no price.
fn limit(job: &Job<'_>) -> usize {
    let rows = job.table.rows();
    job.loss.price(rows as u64).map_or(0, |_| job.suppression.limit(rows))
}

/// The least loss by the least sums for every number of suppressed rows. Something is published.
fn finished(job: &Job<'_>, sums: &[f64], k: u64) -> Option<f64> {
    let rows = job.table.rows() as u64;
    let each = (0..rows)
        .zip(sums)
        .filter(|(_, sum)| sum.is_finite())
        .map(|(suppressed, &sum)| job.loss.finish(sum, &Totals { rows, suppressed, groups: 0, k }));
    each.min_by(f64::total_cmp)
}

/// The first and the last code between the boundaries of a part, in every dimension whose boundaries are restricted.
type Edges = Vec<(usize, u32, u32)>;

struct Search<'s> {
    job: &'s Job<'s>,
    splits: Option<&'s [Vec<u32>]>,
    limit: usize,
    collector: Collector<'s>,
    known: HashMap<(Vec<u32>, Edges), Vec<f64>>,
}

impl Search<'_> {
    /// The least sum of some rows, for every number of them that are suppressed.
    fn best(&mut self, rows: Vec<u32>, edges: Edges) -> Vec<f64> {
        let key = (rows, edges);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let (rows, edges) = &key;
        let mut best = vec![f64::INFINITY; self.limit + 1];
        let group = self.collector.of(rows);
        if self.job.requirements.satisfied(&group) && self.is_wide(edges) {
            best[0] = self.job.loss.group(&group);
        }
        if let Some(suppressed) = best.get_mut(rows.len()) {
            *suppressed = suppressed.min(0.0);
        }
        for dimension in 0..self.job.table.dimensions() {
            for parts in self.cuts(rows, dimension) {
                for edges in self.divided(edges, dimension, &parts) {
                    let mut sums = vec![f64::INFINITY; self.limit + 1];
                    sums[0] = 0.0;
                    for (part, edges) in parts.iter().zip(edges) {
                        sums = joined(&sums, &self.best(part.clone(), edges));
                    }
                    best.iter_mut().zip(sums).for_each(|(best, sum)| *best = best.min(sum));
                }
            }
        }
        self.known.insert(key, best.clone());
        best
    }

    /// Whether what is published between the boundaries of a part is allowed.
    fn is_wide(&self, edges: &Edges) -> bool {
        edges.iter().all(|&(dimension, lo, hi)| {
            let domain = self.job.table.domain(dimension);
            let open = lo > 0 && !domain.is_single(lo, hi);
            let published = Extent::Interval { lo: if open { lo - 1 } else { lo }, hi };
            self.job.requirements.admits(dimension, &published)
        })
    }

    /// The boundaries of the parts of a cut, for every place where the cut can be.
    fn divided(&self, edges: &Edges, dimension: usize, parts: &[Vec<u32>]) -> Vec<Vec<Edges>> {
        if !edges.iter().any(|(restricted, ..)| *restricted == dimension) {
            return vec![vec![edges.clone(); parts.len()]];
        }
        // Only ordered dimensions are restricted: these are cut in two.
        let code = |row: &u32| self.job.table.codes(dimension).get(*row as usize);
        let last = parts[0].iter().map(code).max().unwrap();
        let next = parts[1].iter().map(code).min().unwrap();
        let allowed = |at: &u32| self.splits.is_none_or(|splits| splits[dimension].contains(at));
        let side = |at: u32, left: bool| {
            let mut side = edges.clone();
            for (_, lo, hi) in side.iter_mut().filter(|(restricted, ..)| *restricted == dimension) {
                *(if left { &mut *hi } else { &mut *lo }) = if left { at } else { at + 1 };
            }
            side
        };
        (last..next).filter(allowed).map(|at| vec![side(at, true), side(at, false)]).collect()
    }

    /// The ways to cut rows into several parts in a dimension.
    fn cuts(&self, rows: &[u32], dimension: usize) -> Vec<Vec<Vec<u32>>> {
        let (domain, codes) = (self.job.table.domain(dimension), self.job.table.codes(dimension));
        let code = |row: &u32| codes.get(*row as usize);
        let mut values: Vec<u32> = rows.iter().map(code).collect();
        values.sort_unstable();
        values.dedup();
        let in_two = |left: &dyn Fn(u32) -> bool| {
            let (low, high): (Vec<u32>, Vec<u32>) = rows.iter().partition(|row| left(code(row)));
            vec![low, high]
        };
        let cuts = match (self.splits.map(|splits| &splits[dimension]), domain.shape()) {
            // The last value always goes right, so that every bipartition is there once.
            (None, Shape::Set) => (1..1u32 << (values.len() - 1))
                .map(|chosen| {
                    in_two(&|code| chosen >> values.iter().position(|&value| value == code).unwrap() & 1 == 1)
                })
                .collect(),
            (None, _) => values.iter().map(|&at| in_two(&|code| code <= at)).collect(),
            (Some(splits), Shape::Ordered) => splits.iter().map(|&at| in_two(&|code| code <= at)).collect(),
            (Some(splits), Shape::Set) => splits.iter().map(|&at| in_two(&|code| code == at)).collect(),
            (Some(splits), Shape::Hierarchy(tree)) => {
                let (lo, hi) = (values[0], values[values.len() - 1]);
                let part = |&(lo, hi): &(u32, u32)| {
                    rows.iter().copied().filter(|row| (lo..=hi).contains(&code(row))).collect::<Vec<u32>>()
                };
                let spans = specialised(domain, tree, splits, lo, hi);
                vec![spans.iter().map(part).filter(|part| !part.is_empty()).collect::<Vec<_>>()]
            }
        };
        cuts.into_iter()
            .filter(|parts| parts.len() > 1 && parts.iter().all(|part| !part.is_empty()))
            .collect()
    }
}

/// The codes of the children of the lowest node over codes that may be specialised, with all nodes above it; none where
/// that is not the lowest node over them.
fn specialised(domain: &Domain, tree: &Hierarchy, splits: &[u32], lo: u32, hi: u32) -> Vec<(u32, u32)> {
    let spans = |node: NodeId| -> Vec<(u32, u32)> {
        let children = tree.children(node);
        let mut spans: Vec<(u32, u32)> = children.iter().map(|&child| tree.span(child)).collect();
        if children.is_empty() {
            spans.push(tree.span(node));
        }
        if node == tree.root() {
            spans.extend(domain.missing_code().map(|missing| (missing, missing)));
        }
        spans
    };
    let mut node = tree.root();
    loop {
        let parts = spans(node);
        let named = parts[..parts.len() - 1].iter().all(|(_, last)| splits.contains(last));
        if !named || parts.len() == 1 && tree.children(node).is_empty() {
            return Vec::new();
        }
        let within = |&(first, last): &(u32, u32)| first <= lo && hi <= last;
        let below = parts.iter().position(within);
        match below.and_then(|at| tree.children(node).get(at)) {
            Some(&child) => node = child,
            None if below.is_some() => return Vec::new(),
            None => return parts,
        }
    }
}

/// The least sums of two parts together.
fn joined(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut both = vec![f64::INFINITY; one.len()];
    for (out, sum) in one.iter().enumerate() {
        for (more, add) in other.iter().enumerate().take(one.len() - out) {
            both[out + more] = both[out + more].min(sum + add);
        }
    }
    both
}
