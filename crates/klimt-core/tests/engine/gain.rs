//! InfoGain that switches to the median where no cut gains enough (footnote 13 of the Rothko paper).

use crate::common::{column, table};
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::job::{Budget, Job, Partitioner, Suppression, Unobserved};
use klimt_core::loss::{Original, SuppressedRows};
use klimt_core::partition::Partitioning;
use klimt_core::registry;
use klimt_core::requirement::Checks;
use klimt_core::split::SplitCriterion;
use klimt_core::table::{ColumnSpec, Role, Table};

/// Three quasi-identifiers, and a label that is made of them.
fn labelled(label: impl Fn(u32) -> bool) -> Table {
    let rows: Vec<Vec<String>> = (0..256)
        .map(|n: u32| vec![(n / 4).to_string(), (n % 2).to_string(), (n / 2 % 2).to_string()])
        .collect();
    let mut columns = table(&rows, &[]).columns().to_vec();
    let labels: Vec<&str> = (0..256).map(|n| if label(n) { "yes" } else { "no" }).collect();
    columns.push(column(&ColumnSpec::new("class", Role::Target), &labels));
    Table::new(rows.len(), columns).unwrap()
}

fn run(table: &Table, split: &str) -> Partitioning {
    let bound = Checks::new(&[registry::requirement("k", "", "8").unwrap()], table).unwrap();
    let weights = [1.5, 1.0, 0.1];
    let split = SplitCriterion::named(split, &Original::new(table, &weights)).unwrap();
    let job = Job {
        table,
        requirements: &bound,
        split: &split,
        loss: &SuppressedRows,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights: &weights,
        keep_tree: true,
        observer: &Unobserved,
    };
    Mondrian::default().partition(&job).unwrap()
}

#[test]
fn below_the_least_gain_all_that_follows_is_cut_by_the_median() {
    // No single column says anything about the label, but two of them together do.
    let hidden = labelled(|n| (n % 2 == 0) != (n / 2 % 2 == 0));
    let (median, gain) = (run(&hidden, "median"), run(&hidden, "infogain"));
    let switched = run(&hidden, "infogain:0.01");
    assert_eq!(switched.tree, median.tree, "once there is too little gain, nothing looks for it again");
    assert_ne!(gain.tree, median.tree, "a cut by the median opens the view on the label");
}

#[test]
fn where_cuts_gain_enough_the_least_gain_changes_nothing() {
    let told = labelled(|n| n % 2 == 0);
    assert_ne!(run(&told, "infogain").tree, run(&told, "median").tree);
    let first = |found: Partitioning| found.tree.unwrap().nodes[0];
    assert_eq!(first(run(&told, "infogain:0.01")), first(run(&told, "infogain")));
    assert_eq!(run(&told, "infogain:0").tree, run(&told, "infogain").tree);
    assert_eq!(run(&told, "infogain:2").tree, run(&told, "median").tree);
}
