//! The least cost of each row, whatever its group: the cell bound and the row bound.
//!
//! Where the size of a group says what it costs, a row shares its group with all copies of its tuple and with k rows at
//! least (Σ c·max(c, k) for discernibility: the *cell bound*). Where cells pay, a group that holds a row and k − 1 others
//! spans the row and the farthest of them, which is at least as far away as the row's k-th neighbour, itself and its
//! copies included (the *row bound*): a cell never pays less when it grows.

use super::problem::{OptimalPricing, OptimalProblem};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Parts with more rows than this are not compared pair by pair.
const PAIRS: usize = 40_000;
/// Parts with more rows than this are compared side by side.
const SIDE_BY_SIDE: usize = 4096;

/// The least cost of each row of a part in any partition of the part; empty where nothing above zero is
/// known. Rows that were not reached when it is time to stop cost nothing.
pub(super) fn dues(problem: &OptimalProblem<'_>, rows: &[u32], stop: &(dyn Fn() -> bool + Sync)) -> Vec<f64> {
    let paid = match problem.pricing {
        OptimalPricing::Size => by_size(problem, rows),
        OptimalPricing::Cells if rows.len() <= PAIRS && narrow(problem, rows) => {
            by_distance(problem, rows, stop)
        }
        _ => Vec::new(),
    };
    match problem.price {
        Some(price) => paid.into_iter().map(|due| due.min(price)).collect(),
        None => paid,
    }
}

/// Whether dimensions have few codes beside the rows, so that distances to all of them cost little.
fn narrow(problem: &OptimalProblem<'_>, rows: &[u32]) -> bool {
    let codes =
        (0..problem.table.dimensions()).map(|dimension| problem.table.domain(dimension).cardinality());
    codes.sum::<usize>() <= 1024.max(8 * rows.len())
}

/// The rows of a part by tuple: the order of rows in which copies are neighbours, and where each tuple ends.
fn tuples(problem: &OptimalProblem<'_>, rows: &[u32]) -> (Vec<u32>, Vec<usize>, Vec<u32>) {
    let dimensions = problem.table.dimensions();
    let mut codes = vec![0; rows.len() * dimensions];
    let mut column = Vec::new();
    for dimension in 0..dimensions {
        column.clear();
        problem.table.codes(dimension).gather(rows, &mut column);
        for (row, &code) in column.iter().enumerate() {
            codes[row * dimensions + dimension] = code;
        }
    }
    let tuple = |row: u32| &codes[row as usize * dimensions..(row as usize + 1) * dimensions];
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| tuple(a).cmp(tuple(b)).then(a.cmp(&b)));
    let ends = (1..=order.len()).filter(|&at| at == order.len() || tuple(order[at - 1]) != tuple(order[at]));
    let ends: Vec<usize> = ends.collect();
    (order, ends, codes)
}

fn by_size(problem: &OptimalProblem<'_>, rows: &[u32]) -> Vec<f64> {
    let (order, ends, _) = tuples(problem, rows);
    let most = ends.iter().scan(0, |start, &end| Some(end - std::mem::replace(start, end))).max();
    if most.is_none_or(|copies| copies <= problem.minimum()) {
        // Sizes alone say as much.
        return Vec::new();
    }
    let mut paid = vec![0.0; rows.len()];
    let mut start = 0;
    for end in ends {
        let size = (end - start).max(problem.minimum()) as u64;
        let due = problem.loss.size(size).expect("the loss is priced by size") / size as f64;
        order[start..end].iter().for_each(|&row| paid[row as usize] = due);
        start = end;
    }
    paid
}

fn by_distance(problem: &OptimalProblem<'_>, rows: &[u32], stop: &(dyn Fn() -> bool + Sync)) -> Vec<f64> {
    let (order, ends, codes) = tuples(problem, rows);
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let neighbours = Neighbours {
        problem,
        tuples: starts.clone().take(ends.len()).map(|start| order[start]).collect(),
        copies: starts.zip(&ends).map(|(start, end)| (end - start) as u32).collect(),
        codes,
    };
    let stopped = AtomicBool::new(false);
    let due = |near: &mut Near, at| {
        if stopped.load(Ordering::Relaxed) || stop() {
            stopped.store(true, Ordering::Relaxed);
            return 0.0;
        }
        neighbours.due(at, near)
    };
    let each: Vec<f64> = if rows.len() > SIDE_BY_SIDE {
        (0..ends.len()).into_par_iter().map_init(Near::default, due).collect()
    } else {
        let mut near = Near::default();
        (0..ends.len()).map(|at| due(&mut near, at)).collect()
    };
    let mut paid = vec![0.0; rows.len()];
    let mut start = 0;
    for (&end, due) in ends.iter().zip(each) {
        order[start..end].iter().for_each(|&row| paid[row as usize] = due);
        start = end;
    }
    paid
}

/// The different tuples of a part, in lexicographic order.
struct Neighbours<'p> {
    problem: &'p OptimalProblem<'p>,
    /// A row of each tuple, by its place in `codes`.
    tuples: Vec<u32>,
    copies: Vec<u32>,
    codes: Vec<u32>,
}

/// Buffers that are reused from tuple to tuple.
#[derive(Default)]
struct Near {
    /// The cost of a row's cell from the tuple's code to any code, by dimension.
    spans: Vec<Vec<f64>>,
    found: Vec<(f64, u32)>,
}

impl Neighbours<'_> {
    /// How far the neighbour of a tuple is with which it has met enough rows.
    fn due(&self, at: usize, near: &mut Near) -> f64 {
        // Neighbours in the order are often near: nothing beyond the due among them need be looked at.
        const LOOKED_AT: usize = 64;
        let minimum = self.problem.minimum();
        self.measure(at, near);
        let around = at.saturating_sub(LOOKED_AT)..self.tuples.len().min(at + LOOKED_AT);
        near.found.clear();
        near.found.extend(around.map(|other| (span(&near.spans, self.tuple(other)), self.copies[other])));
        let enough = nearest(&mut near.found, minimum);
        near.found.clear();
        for other in 0..self.tuples.len() {
            if let Some(distance) = span_within(&near.spans, self.tuple(other), enough) {
                near.found.push((distance, self.copies[other]));
            }
        }
        nearest(&mut near.found, minimum)
    }

    fn tuple(&self, at: usize) -> &[u32] {
        let dimensions = self.problem.table.dimensions();
        let row = self.tuples[at] as usize;
        &self.codes[row * dimensions..(row + 1) * dimensions]
    }

    fn measure(&self, at: usize, near: &mut Near) {
        near.spans.resize(self.problem.table.dimensions(), Vec::new());
        for (dimension, (&code, spans)) in self.tuple(at).iter().zip(&mut near.spans).enumerate() {
            let codes = 0..self.problem.table.domain(dimension).cardinality() as u32;
            spans.clear();
            spans.extend(codes.map(|other| self.problem.pair(dimension, code, other)));
        }
    }
}

/// The cost of a row in the smallest region over two tuples.
#[inline(always)]
fn span(spans: &[Vec<f64>], other: &[u32]) -> f64 {
    spans.iter().zip(other).map(|(spans, &code)| spans[code as usize]).sum()
}

/// The same, where it is no more than enough.
#[inline(always)]
fn span_within(spans: &[Vec<f64>], other: &[u32], enough: f64) -> Option<f64> {
    let mut span = 0.0;
    for (spans, &code) in spans.iter().zip(other) {
        span += spans[code as usize];
        if span > enough {
            return None;
        }
    }
    Some(span)
}

/// The distance within which a number of rows lie; infinite where there are fewer rows.
fn nearest(near: &mut [(f64, u32)], rows: usize) -> f64 {
    let (mut near, mut missing) = (near, rows as u64);
    while near.len() > 32 {
        let middle = near.len() / 2;
        near.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0));
        let within: u64 = near[..=middle].iter().map(|&(_, copies)| u64::from(copies)).sum();
        if within >= missing {
            near = &mut near[..=middle];
        } else {
            missing -= within;
            near = &mut near[middle + 1..];
        }
    }
    near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    for &(distance, copies) in near.iter() {
        missing = missing.saturating_sub(u64::from(copies));
        if missing == 0 {
            return distance;
        }
    }
    f64::INFINITY
}
