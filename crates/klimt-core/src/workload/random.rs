//! Workloads made at random, or of every value.

use super::{End, Predicate, Query, Test, Workload};
use crate::table::{Shape, Table};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// So often other rows are drawn where a value is missing.
const TRIES: usize = 100;

impl Workload {
    /// Counts of the rows between two random ones in some dimensions (Iwuchukwu, Naughton, section 5.4). Where a domain has
    /// no order, the values between the two are listed.
    pub fn ranges(table: &Table, dimensions: &[usize], many: usize, seed: u64) -> Workload {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        if table.rows() == 0 {
            return Workload::default();
        }
        let mut row = || ((u128::from(random.next_u64()) * table.rows() as u128) >> 64) as usize;
        let query = |_: usize| {
            let mut predicates = Vec::new();
            for _ in 0..TRIES {
                let rows = (row(), row());
                let between = |&dimension: &usize| between(table, dimension, rows);
                predicates = dimensions.iter().filter_map(between).collect();
                if predicates.len() == dimensions.len() {
                    break;
                }
            }
            Query::count(predicates)
        };
        Workload { queries: (0..many).map(query).collect() }
    }

    /// A count for every value of some dimensions (LeFevre, DeWitt, Ramakrishnan, section 6.3).
    pub fn values(table: &Table, dimensions: &[usize]) -> Workload {
        let of = |&dimension: &usize| {
            let domain = table.domain(dimension);
            let column = table.dimension(dimension).name.clone();
            let query = move |code: u32| {
                let test = Test::In(vec![domain.text(code)]);
                Query::count(vec![Predicate { column: column.clone(), test }])
            };
            (0..domain.value_count() as u32).map(query).collect::<Vec<_>>()
        };
        Workload { queries: dimensions.iter().flat_map(of).collect() }
    }
}

fn between(table: &Table, dimension: usize, (a, b): (usize, usize)) -> Option<Predicate> {
    let (domain, codes) = (table.domain(dimension), table.codes(dimension));
    let (lo, hi) = (codes.get(a).min(codes.get(b)), codes.get(a).max(codes.get(b)));
    if Some(hi) == domain.missing_code() {
        return None;
    }
    let end = |code: u32| Some(End::included(domain.text(code)));
    let test = match domain.shape() {
        Shape::Ordered => Test::Range { from: end(lo), to: end(hi) },
        _ => Test::In((lo..=hi).map(|code| domain.text(code)).collect()),
    };
    Some(Predicate { column: table.dimension(dimension).name.clone(), test })
}
