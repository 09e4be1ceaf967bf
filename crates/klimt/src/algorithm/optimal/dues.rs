//! What each row pays at least, whatever its group: the cell bound and the row bound.
//!
//! Where the size of a group says what it costs, a row shares its group with all copies of its tuple and with k rows at
//! least (Σ c·max(c, k) for discernibility: the *cell bound*). Where cells pay, a group that holds a row and k − 1 others
//! spans the row and the farthest of them, which is at least as far away as the row's k-th neighbour, itself and its
//! copies included (the *row bound*): a cell never pays less when it grows.

use super::problem::{Pricing, Problem};
use rayon::prelude::*;

/// Parts with more rows than this are not compared pair by pair.
const PAIRS: usize = 40_000;
/// Parts with more rows than this are compared side by side.
const SIDE_BY_SIDE: usize = 4096;

/// What each row of a part pays at least in any partition of the part; empty where nothing above zero is known.
pub(super) fn dues(problem: &Problem<'_>, rows: &[u32]) -> Vec<f64> {
    let paid = match problem.pricing {
        Pricing::Size => by_size(problem, rows),
        Pricing::Cells if rows.len() <= PAIRS => by_distance(problem, rows),
        _ => Vec::new(),
    };
    match problem.price {
        Some(price) => paid.into_iter().map(|due| due.min(price)).collect(),
        None => paid,
    }
}

/// The rows of a part by tuple: the order of rows in which copies are neighbours, and where each tuple ends.
fn tuples(problem: &Problem<'_>, rows: &[u32]) -> (Vec<u32>, Vec<usize>, Vec<u32>) {
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

fn by_size(problem: &Problem<'_>, rows: &[u32]) -> Vec<f64> {
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

fn by_distance(problem: &Problem<'_>, rows: &[u32]) -> Vec<f64> {
    let (order, ends, codes) = tuples(problem, rows);
    let dimensions = problem.table.dimensions();
    let starts: Vec<usize> = std::iter::once(0).chain(ends.iter().copied()).take(ends.len()).collect();
    let tuple = |at: usize| {
        let row = order[starts[at]] as usize;
        &codes[row * dimensions..(row + 1) * dimensions]
    };
    let minimum = problem.minimum();
    let due = |at: usize, near: &mut Vec<(f64, u32)>| {
        near.clear();
        let copies = |other: usize| (ends[other] - starts[other]) as u32;
        near.extend((0..ends.len()).map(|other| (span(problem, tuple(at), tuple(other)), copies(other))));
        nearest(near, minimum)
    };
    let each: Vec<f64> = if rows.len() > SIDE_BY_SIDE {
        (0..ends.len()).into_par_iter().map_init(Vec::new, |near, at| due(at, near)).collect()
    } else {
        let mut near = Vec::new();
        (0..ends.len()).map(|at| due(at, &mut near)).collect()
    };
    let mut paid = vec![0.0; rows.len()];
    for (at, due) in each.into_iter().enumerate() {
        order[starts[at]..ends[at]].iter().for_each(|&row| paid[row as usize] = due);
    }
    paid
}

/// What a row pays for the smallest region over two tuples.
fn span(problem: &Problem<'_>, one: &[u32], other: &[u32]) -> f64 {
    let each = one.iter().zip(other).enumerate().map(|(dimension, (&a, &b))| {
        if problem.is_set(dimension) {
            problem.members(dimension, [a, b].into_iter())
        } else {
            problem.interval(dimension, a.min(b), a.max(b))
        }
    });
    each.sum()
}

/// How far one must go to have met so many rows; infinite where there are fewer.
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
