//! The methods of losses that searches use: prices, bounds, keys and cells, by their definitions.

use crate::common::{column, table, workload};
use crate::losses::tables;
use klimt_core::loss::{CertaintyPenalty, Cost, Loss, Original, SuppressedRows, Totals, WithPenalty};
use klimt_core::registry;
use klimt_core::statistics::{Collector, Extent, Statistics};
use klimt_core::table::{ColumnSpec, Role, Table};
use proptest::prelude::*;

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

/// Ten rows with the numbers 0 to 9, of which the first five have the class `a`; numbers behind the point.
fn ten() -> Table {
    let rows: Vec<Vec<String>> = (0..10).map(|row| vec![row.to_string(), (row % 2).to_string()]).collect();
    let mut columns = table(&rows, &[]).columns().to_vec();
    let numbers: Vec<String> = (0..10).map(|row| format!("{row}.5")).collect();
    let classes: Vec<&str> = (0..10).map(|row| if row < 5 { "a" } else { "b" }).collect();
    columns.push(column(&ColumnSpec::new("class", Role::Target), &classes));
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    columns.push(column(&ColumnSpec::new("number", Role::Target), &numbers));
    Table::new(10, columns).unwrap()
}

/// Calls something with every additive loss of a table.
fn for_each_cost(table: &Table, mut look: impl FnMut(&'static str, &dyn Cost)) {
    let (weights, workload) = (vec![1.0; table.dimensions()], workload(table));
    let original = Original::new(table, &weights).with_workload(Some(&workload));
    for (entry, loss) in registry::LOSSES {
        if let Some(cost) = loss.cost(&original) {
            look(entry.id, &*cost);
        }
    }
}

#[test]
fn suppressed_rows_have_the_price_that_releases_pay() {
    let table = ten();
    for_each_cost(&table, |id, cost| {
        let price = match id {
            "dm" => Some(10.0),
            "c_avg" | "cm" | "hdm" => Some(1.0),
            "vm" => Some(20.0),
            "ncp" | "precision" | "granularity" => Some(2.0),
            "entropy" => Some(2.0 * 10f64.log2()),
            "queries" => cost.price(10),
            _ => None,
        };
        assert!(close(cost.price(10).unwrap_or(-1.0), price.unwrap_or(-1.0)), "{id}");
        // Where all rows are suppressed a release costs its price for each, and nothing else.
        let totals = |suppressed| Totals { rows: 10, suppressed, groups: 3, k: 2 };
        if let Some(price) = price.filter(|_| id != "c_avg") {
            assert!(
                close(cost.finish(30.0, &totals(4)), cost.finish(30.0 + 4.0 * price, &totals(0))),
                "{id}"
            );
        }
    });
    assert_eq!(SuppressedRows.finish(3.0, &Totals { rows: 10, suppressed: 4, groups: 1, k: 2 }), 7.0);
    assert_eq!(
        (SuppressedRows.size(7), SuppressedRows.price(10), SuppressedRows.monotone()),
        (Some(0.0), Some(1.0), true)
    );
    let group = Statistics { count: 7, ..Statistics::default() };
    assert_eq!((SuppressedRows.group(&group), SuppressedRows.bound(&group, 2)), (0.0, 0.0));
}

#[test]
fn a_release_of_fewer_rows_is_averaged_over_these() {
    let totals = Totals { rows: 10, suppressed: 4, groups: 2, k: 3 };
    for_each_cost(&ten(), |id, cost| {
        let expected = match id {
            // Six rows, of which four are not the first of their group: two groups.
            "c_avg" => 6.0 / 2.0 / 3.0,
            "conditional-entropy" => 4.0 / 6.0,
            "rmse" => (4.0f64 / 6.0).sqrt(),
            _ => return,
        };
        assert!(close(cost.finish(4.0, &totals), expected), "{id} {}", cost.finish(4.0, &totals));
    });
}

/// Ten rows in groups of three: 3² + 3² + 4². Of rows that may be suppressed each pays three at least.
#[test]
fn definitions_alone_bound_sizes() {
    let allowed = |suppressed| Totals { rows: 10, suppressed, groups: 0, k: 3 };
    for_each_cost(&ten(), |id, cost| {
        let (all, some) = match id {
            "dm" => (Some(34.0), Some(30.0)),
            "c_avg" => (Some(10.0 / 3.0 / 3.0), Some(1.0)),
            _ => (None, None),
        };
        assert_eq!(
            (cost.least_of_any(3, &allowed(0)), cost.least_of_any(3, &allowed(2))),
            (all, some),
            "{id}"
        );
        let least = if id == "c_avg" { 8.0 / 3.0 / 3.0 } else { cost.finish(7.0, &allowed(0)) };
        assert!(close(cost.least(7.0, &allowed(2)), least), "{id}");
        let size = match id {
            "dm" => Some(49.0),
            "c_avg" => Some(6.0),
            _ => None,
        };
        assert_eq!((cost.size(7), cost.least_gain()), (size, 0.0), "{id}");
        assert_eq!(cost.monotone(), id != "queries", "{id}");
    });
}

/// The ten rows in groups of three and more. A bound that says less is no less sound, and makes searches slow.
#[test]
fn no_refinement_costs_less_than_the_bound() {
    let table = ten();
    let rows: Vec<u32> = (0..10).collect();
    for_each_cost(&table, |id, cost| {
        let group = Collector::new(&cost.needs(), &table).unwrap().of(&rows);
        let expected = match id {
            "dm" => 3.0 * 3.0 + 3.0 * 3.0 + 4.0 * 4.0,
            // Three groups, and no more.
            "c_avg" => 10.0 - 3.0,
            // A unit cell for each.
            "vm" => 10.0,
            // Three rows or more in each of two cells.
            "entropy" => 10.0 * 2.0 * 3f64.log2(),
            // Beside each number are two others, of nine; five rows have the same value of the other column.
            "hdm" => 10.0 * 2.0 / 9.0 / 2.0,
            _ => 0.0,
        };
        assert!(close(cost.bound(&group, 3), expected), "{id} {}", cost.bound(&group, 3));
    });
}

/// Classes a, b and b: 3·log₂ 3 − 2 bits.
#[test]
fn two_rows_of_a_class_tell_less_than_two_classes() {
    let table = ten();
    for_each_cost(&table, |id, cost| {
        if id == "conditional-entropy" {
            let collector = Collector::new(&cost.needs(), &table).unwrap();
            assert!(close(cost.group(&collector.of(&[4, 5, 6])), 3.0 * 3f64.log2() - 2.0));
            assert!(close(cost.group(&collector.of(&[4, 5])), 2.0));
        }
    });
}

/// Neither of no rows, nor of one, nor of what does not matter, is anything lost; and an extent of nothing holds no rows.
#[test]
fn nothing_costs_nothing() {
    let one = table(&[vec!["5".to_string(), "x".to_string()]], &[]);
    let totals = |rows: u64| Totals { rows, suppressed: 0, groups: rows, k: 1 };
    for_each_cost(&one, |id, cost| {
        let group = Collector::new(&cost.needs(), &one).unwrap().of(&[0]);
        let expected = if ["dm", "c_avg", "vm"].contains(&id) { 1.0 } else { 0.0 };
        assert_eq!(cost.finish(cost.group(&group), &totals(1)), expected, "{id}");
        assert_eq!(cost.finish(0.0, &totals(0)), 0.0, "{id}");
        if ["entropy", "hdm"].contains(&id) {
            assert_eq!(cost.spread(0, &Extent::NOTHING), Some(0.0), "{id}");
        }
    });
    let table = ten();
    let penalty = CertaintyPenalty.cost(&Original::new(&table, &[0.0, 0.0])).unwrap();
    assert_eq!(penalty.finish(0.0, &totals(10)), 0.0);
}

/// Values of a set are ordered by the mean of what is predicted, and by how common they are where nothing is.
#[test]
fn values_stand_where_their_rows_do() {
    let table = ten();
    let rows = [3, 4, 5, 6, 7];
    for_each_cost(&table, |id, cost| {
        let value = Collector::new(&cost.needs(), &table).unwrap().of(&rows);
        let expected = match id {
            // Three of five have the second class; the mean is 5.0 above the least number, in tenths.
            "cm" | "conditional-entropy" => 0.6,
            "rmse" => 50.0,
            _ => 5.0,
        };
        assert!(close(cost.key(&value), expected), "{id} {}", cost.key(&value));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// A group pays for each of its rows and dimensions what the value has as its share of the extent.
    #[test]
    fn cells_add_up_to_what_a_group_costs(table in tables(), taken in prop::collection::vec(any::<bool>(), 50)) {
        let rows: Vec<u32> = (0..table.rows() as u32).filter(|&row| taken[row as usize]).collect();
        prop_assume!(!rows.is_empty());
        let mut told = Vec::new();
        for_each_cost(&table, |id, cost| {
            let group: Statistics = Collector::new(&cost.needs(), &table).unwrap().of(&rows);
            let cell = |dimension: usize, row: u32| {
                let extent: &Extent = group.extent(dimension);
                let (per_unit, spared) = cost.share(dimension, table.codes(dimension).get(row as usize));
                Some(per_unit * cost.spread(dimension, extent)? - spared)
            };
            let by_cells = ["ncp", "precision", "granularity", "entropy", "hdm"].contains(&id);
            assert!(by_cells || cost.needs().extents.len() < table.dimensions() || cell(0, rows[0]).is_none(), "{id}");
            if by_cells {
                let cells = rows.iter().flat_map(|&row| (0..table.dimensions()).map(move |d| (d, row)));
                let sum: f64 = cells.map(|(d, row)| cell(d, row).expect(id)).sum();
                assert!(close(sum, cost.group(&group)), "{id} {sum} {}", cost.group(&group));
                told.push(id);
            }
        });
        prop_assert_eq!(told.len(), 5);
    }

    /// A factor is proven where the lowered sum is: its loss is that of the sum over the factor.
    #[test]
    fn a_lowered_sum_has_the_loss_over_the_factor(table in tables(), factor in 1.0..4.0f64) {
        let rows: Vec<u32> = (0..table.rows() as u32).collect();
        let totals = Totals { rows: rows.len() as u64, suppressed: 0, groups: 1, k: 2 };
        for_each_cost(&table, |id, cost| {
            let collector = Collector::new(&cost.needs(), &table).unwrap();
            let sum = cost.group(&collector.of(&rows));
            let (whole, lowered) = (cost.finish(sum, &totals), cost.lowered(sum, factor, totals.rows));
            let expected = whole / factor;
            assert!(close(cost.finish(lowered, &totals), expected), "{id} {whole} {factor}");
        });
    }

    /// Searches for a workload minimise its loss and a hundredth of the certainty penalty.
    #[test]
    fn a_workload_is_searched_with_a_trace_of_penalty(table in tables(), taken in prop::collection::vec(any::<bool>(), 50)) {
        let (weights, workload) = (vec![1.0; table.dimensions()], workload(&table));
        let original = Original::new(&table, &weights).with_workload(Some(&workload));
        let (one, other): (Vec<u32>, Vec<u32>) = (0..table.rows() as u32).partition(|&row| taken[row as usize]);
        let totals = Totals { rows: table.rows() as u64, suppressed: other.len() as u64, groups: 1, k: 1 };
        prop_assume!(!one.is_empty());
        let loss = |cost: &dyn Cost| {
            let group = Collector::new(&cost.needs(), &table).unwrap().of(&one);
            let bound = cost.bound(&group, one.len() as u64);
            (cost.finish(cost.group(&group), &totals), cost.finish(bound, &totals))
        };
        let mut parts = (0.0, 0.0);
        for (entry, of) in registry::LOSSES.iter().filter(|(entry, _)| ["queries", "ncp"].contains(&entry.id)) {
            let (found, bound) = loss(&*of.cost(&original).unwrap());
            let factor = if entry.id == "ncp" { WithPenalty::TRACE } else { 1.0 };
            parts = (parts.0 + factor * found, parts.1 + factor * bound);
        }
        let both = loss(&WithPenalty::new(&original).unwrap());
        prop_assert!(close(both.0, parts.0) && close(both.1, parts.1), "{:?} {:?}", both, parts);
    }
}
