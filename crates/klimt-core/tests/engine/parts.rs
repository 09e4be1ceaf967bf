//! Losses measured part by part are those measured at once.

use crate::common::{partition, table, workload};
use crate::losses::tables;
use klimt_core::algorithm::mondrian::{HierarchyCut, Model, Mondrian};
use klimt_core::loss::{Groups, Original, PartitionGroups, Sums, Totals, measure};
use klimt_core::partition::Partitioning;
use klimt_core::recode::{Release, RowOrder, Source};
use klimt_core::region::{Extents, Regions};
use klimt_core::registry;
use klimt_core::requirement::{KAnonymity, Requirement};
use klimt_core::table::{Codes, Column, ColumnData, Table};
use proptest::prelude::*;
use std::sync::Arc;

/// Some rows of a table, with its domains.
fn rows_of(table: &Table, rows: &[u32]) -> Table {
    let column = |column: &Column| {
        let ColumnData::Coded { domain, codes } = &column.data else { panic!("all columns have codes") };
        let codes = rows.iter().map(|&row| codes.get(row as usize));
        let codes = Codes::collect(domain.cardinality(), codes);
        let data = ColumnData::Coded { domain: Arc::clone(domain), codes };
        Column { name: column.name.clone(), role: column.role, data }
    };
    Table::new(rows.len(), table.columns().iter().map(column).collect()).unwrap()
}

/// Some groups of a partitioning, as a table of their rows and a partitioning of it.
fn part(table: &Table, whole: &Partitioning, groups: &[usize]) -> (Table, Partitioning) {
    let rows: Vec<u32> = groups.iter().flat_map(|&group| whole.rows(group)).copied().collect();
    let part = rows_of(table, &rows);
    let mut ends = Vec::new();
    for &group in groups {
        ends.push(ends.last().unwrap_or(&0) + whole.rows(group).len() as u32);
    }
    let mut found = Partitioning {
        order: (0..rows.len() as u32).collect(),
        ends,
        regions: Regions::default(),
        tree: None,
        bound: None,
        strict: whole.strict,
    };
    found.regions = found.compact(&part);
    (part, found)
}

fn mondrian(table: &Table, k: u64) -> Partitioning {
    let requirements: Vec<Box<dyn Requirement>> = vec![Box::new(KAnonymity::new(k).unwrap())];
    let mondrian = Mondrian { model: Model::Strict, hierarchy_cut: HierarchyCut::Both };
    let mut found = partition(table, &mondrian, &requirements);
    let domains = table.domains();
    found.coalesce(&domains);
    found
}

/// Tables of which no two groups publish regions that overlap, unless values are missing.
fn tables_without_hierarchy() -> impl Strategy<Value = Table> {
    tables().prop_map(|table| {
        let columns = table.columns().iter().filter(|column| !["q0", "q3"].contains(&column.name.as_str()));
        Table::new(table.rows(), columns.cloned().collect()).unwrap()
    })
}

/// The groups of each of five parts.
fn dealt(groups: usize, seeds: &[usize]) -> Vec<Vec<usize>> {
    let of_part = |part: usize| (0..groups).filter(|&group| seeds[group % seeds.len()] == part).collect();
    (0..5).map(of_part).filter(|part: &Vec<usize>| !part.is_empty()).collect()
}

/// The rows of a group in slices of at most two, each under the region of the whole group.
fn slices(table: &Table, whole: &Partitioning, group: usize) -> Vec<(Table, Partitioning)> {
    let domains = table.domains();
    let slice = |rows: &[u32]| {
        let mut slice = part(table, whole, &[group]).1;
        (slice.order, slice.ends) = ((0..rows.len() as u32).collect(), vec![rows.len() as u32]);
        slice.regions = whole.regions.selected(&[group], &domains);
        (rows_of(table, rows), slice)
    };
    whole.rows(group).chunks(2).map(slice).collect()
}

/// Parts of groups that go by their seeds, of which the first so many are suppressed; `sliced` says which part comes in
/// slices.
fn check_losses(
    table: &Table,
    k: u64,
    seeds: &[usize],
    lost: usize,
    sliced: Option<usize>,
) -> Result<(), TestCaseError> {
    let mut whole = mondrian(table, k);
    let domains = table.domains();
    whole.drop_groups(&(0..lost.min(whole.groups() - 1)).collect::<Vec<_>>(), &domains);
    let weights: Vec<f64> = (0..table.dimensions()).map(|d| 1.0 + d as f64).collect();
    let suppressed = (table.rows() - whole.order.len()) as u64;
    let totals = Totals { rows: table.rows() as u64, suppressed, groups: whole.groups() as u64, k };
    let losses = || registry::LOSSES.iter().map(|(_, loss)| *loss);
    let (groups, workload) =
        (PartitionGroups { table, partitioning: &whole, extents: Extents::Compact }, workload(table));
    let at_once = {
        let original = Original::new(table, &weights).with_workload(Some(&workload));
        measure(losses(), &original, &groups, &totals).unwrap()
    };
    let frame = rows_of(table, &[]);
    let mut sums = Sums::new(losses(), &Original::new(&frame, &weights).with_workload(Some(&workload)));
    let parts = dealt(whole.groups(), seeds);
    for (number, groups) in parts.iter().enumerate() {
        let in_slices = sliced == Some(number);
        for group in groups.iter().filter(|_| in_slices) {
            let slices = slices(table, &whole, *group);
            for (at, (slice, partitioning)) in slices.iter().enumerate() {
                let original = Original::new(slice, &weights).with_workload(Some(&workload));
                let groups = PartitionGroups { table: slice, partitioning, extents: Extents::Compact };
                sums.add_slice(&original, &groups, at + 1 == slices.len()).unwrap();
            }
        }
        if !in_slices {
            let (part, partitioning) = part(table, &whole, groups);
            let original = Original::new(&part, &weights).with_workload(Some(&workload));
            let groups =
                PartitionGroups { table: &part, partitioning: &partitioning, extents: Extents::Compact };
            sums.add(&original, &groups).unwrap();
        }
    }
    let told = sums.finish(&totals);
    let divergence = groups.disjoint() && sliced.is_none_or(|number| number >= parts.len());
    let untold = |id: &str| ["hdm", "entropy"].contains(&id) || (id == "kl" && !divergence);
    let expected: Vec<_> = at_once.into_iter().filter(|(id, _)| !untold(id)).collect();
    let names = |losses: &[(&'static str, f64)]| losses.iter().map(|(id, _)| *id).collect::<Vec<_>>();
    prop_assert_eq!(names(&told), names(&expected));
    for ((id, found), (_, expected)) in told.into_iter().zip(expected) {
        let close = (found - expected).abs() <= 1e-9 * expected.abs().max(1e-9);
        prop_assert!(close, "{} is {} in parts and {} at once", id, found, expected);
    }
    Ok(())
}

/// Without hierarchies and missing values the regions of cuts are apart, and parts tell the divergence.
#[test]
fn parts_of_cuts_tell_the_divergence() {
    let rows: Vec<Vec<String>> = (0..12).map(|row| vec![row.to_string(), (row % 5).to_string()]).collect();
    let table = table(&rows, &[]);
    let whole = mondrian(&table, 2);
    let groups = PartitionGroups { table: &table, partitioning: &whole, extents: Extents::Compact };
    assert!(groups.disjoint() && whole.groups() > 2);
    check_losses(&table, 2, &[0, 1, 2], 0, None).unwrap();
    check_losses(&table, 2, &[0, 1, 2], 1, None).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn parts_lose_what_the_whole_loses(
        table in tables(),
        k in 1..4u64,
        seeds in prop::collection::vec(0..5usize, 7),
        lost in 0..3usize,
    ) {
        check_losses(&table, k, &seeds, lost, None)?;
    }

    #[test]
    fn parts_diverge_as_the_whole_does(
        table in tables_without_hierarchy(),
        k in 1..4u64,
        seeds in prop::collection::vec(0..5usize, 7),
        lost in 0..3usize,
    ) {
        check_losses(&table, k, &seeds, lost, None)?;
    }

    /// Groups that are larger than memory. Which rows a slice does not have is not known, so there is no divergence.
    #[test]
    fn slices_lose_what_their_group_loses(
        table in tables_without_hierarchy(),
        k in 1..4u64,
        seeds in prop::collection::vec(0..5usize, 7),
        sliced in 0..3usize,
    ) {
        check_losses(&table, k, &seeds, 0, Some(sliced))?;
    }

    /// Rows of a group stand in the same order and under the same cells, whichever part the group is in.
    #[test]
    fn parts_publish_what_the_whole_publishes(table in tables(), k in 1..4u64, cut in 1..6usize) {
        let whole = mondrian(&table, k);
        prop_assume!(whole.groups() > 1);
        let order = RowOrder::Shuffled([3; 32]);
        let release = Release::new(&table, &whole, Extents::Compact, order, &[]);
        for first in (0..whole.groups()).step_by(cut) {
            let groups: Vec<usize> = (first..whole.groups().min(first + cut)).collect();
            let (part, partitioning) = part(&table, &whole, &groups);
            let of_part = Release::new(&part, &partitioning, Extents::Compact, order, &[]).after(first as u64);
            for (at, &group) in groups.iter().enumerate() {
                let (mut found, mut expected) = (Vec::new(), Vec::new());
                of_part.rows_of(at..at + 1, &mut found);
                release.rows_of(group..group + 1, &mut expected);
                let start = whole.range(first).start;
                let found: Vec<u32> = found.iter().map(|&row| whole.order[start + row as usize]).collect();
                prop_assert_eq!(found, expected);
                for dimension in 0..table.dimensions() {
                    let (mut found, mut expected) = (Vec::new(), Vec::new());
                    of_part.write_group(at, Source::Generalised(dimension), &mut found);
                    release.write_group(group, Source::Generalised(dimension), &mut expected);
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}
