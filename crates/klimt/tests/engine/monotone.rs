//! Statistics are a commutative monoid, and requirements are monotone under merging.

use crate::common::{letters, table};
use klimt::requirement::{Bound, KAnonymity, LengthRestriction, Requirement};
use klimt::statistics::{Needs, Statistics};
use klimt::table::{Decimal, Table};
use proptest::prelude::*;

fn sample() -> Table {
    let rows: Vec<Vec<String>> = (0..60u32)
        .map(|n| {
            let set = ["red", "green", "blue", ""][(n * 7 % 4) as usize];
            let letter = char::from(b'a' + (n * 5 % 8) as u8);
            vec![(n * 13 % 41).to_string(), set.to_string(), letter.to_string()]
        })
        .collect();
    table(&rows, &[None, None, Some(letters())])
}

fn of(needs: &Needs, table: &Table, rows: &[usize]) -> Statistics {
    let mut statistics = Statistics::empty(needs, table);
    rows.iter().for_each(|&row| statistics.add(needs, table, row));
    statistics
}

fn every_requirement() -> Vec<Box<dyn Requirement>> {
    vec![
        Box::new(KAnonymity::new(4).unwrap()),
        Box::new(LengthRestriction::new("q0", Decimal::whole(9)).unwrap()),
        Box::new(LengthRestriction::new("q1", Decimal::whole(2)).unwrap()),
        Box::new(LengthRestriction::new("q2", Decimal::whole(4)).unwrap()),
    ]
}

fn rows() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..60usize, 0..12)
}

proptest! {
    #[test]
    fn statistics_merge_in_any_order(a in rows(), b in rows(), c in rows()) {
        let table = sample();
        let needs = Needs { extents: vec![0, 1, 2], histograms: vec![1, 2] };
        let [x, y, z] = [&a, &b, &c].map(|rows| of(&needs, &table, rows));
        let merged = |first: &Statistics, second: &Statistics| {
            let mut merged = first.clone();
            merged.merge(second);
            merged
        };
        prop_assert_eq!(merged(&x, &y), merged(&y, &x));
        prop_assert_eq!(merged(&merged(&x, &y), &z), merged(&x, &merged(&y, &z)));
        prop_assert_eq!(&merged(&x, &Statistics::empty(&needs, &table)), &x);
        let all: Vec<usize> = a.iter().chain(&b).copied().collect();
        prop_assert_eq!(merged(&x, &y), of(&needs, &table, &all));
    }

    #[test]
    fn a_union_satisfies_what_its_parts_do(a in rows(), b in rows()) {
        let table = sample();
        for requirement in every_requirement() {
            let bound = Bound::new(&[requirement], &table).unwrap();
            let [x, y] = [&a, &b].map(|rows| of(bound.needs(), &table, rows));
            let mut union = x.clone();
            union.merge(&y);
            if bound.satisfied(&x) && bound.satisfied(&y) {
                prop_assert!(bound.satisfied(&union));
            }
        }
    }
}

#[test]
fn every_requirement_of_the_registry_is_tested_here() {
    let mut tested: Vec<&str> = every_requirement().iter().map(|requirement| requirement.id()).collect();
    tested.dedup();
    let listed: Vec<&str> = klimt::registry::REQUIREMENTS.iter().map(|entry| entry.id).collect();
    assert_eq!(tested, listed);
}
