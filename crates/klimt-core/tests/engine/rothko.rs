//! Rothko: groups are Mondrian's (Rothko-T), or satisfy the requirements and hold every row once (Rothko-S), whatever the
//! memory.

use crate::optimal::{every_requirement, random_table, rows};
use crate::searched::kinds;
use klimt_core::algorithm::mondrian::{HierarchyCut, Model, Mondrian};
use klimt_core::algorithm::rothko::{Method, Rothko, RothkoLimits, Sampling};
use klimt_core::job::{Budget, Job, Partitioner, Suppression, Unobserved};
use klimt_core::loss::{Original, SuppressedRows};
use klimt_core::memory::Pool;
use klimt_core::partition::Partitioning;
use klimt_core::parts::{Account, External, PartSink, Way, Whole};
use klimt_core::registry;
use klimt_core::requirement::{Checks, Requirement};
use klimt_core::spill::{Block, HeldRows, SpillFolder};
use klimt_core::split::{SplitCriterion, SplitSpec};
use klimt_core::statistics::Collector;
use klimt_core::table::{Column, ColumnData, Role, Table, TextChunk, TextColumn};
use klimt_core::{ErrorKind, Result};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The table with a column that numbers its rows, as texts.
fn numbered(table: &Table) -> Table {
    let mut columns = table.columns().to_vec();
    let mut chunk = TextChunk::default();
    (0..table.rows()).for_each(|row| chunk.push(format!("row {row} of many rows").as_bytes()));
    let mut texts = TextColumn::default();
    texts.push_chunk(chunk);
    let data = ColumnData::Texts(texts);
    columns.push(Column { name: "number".to_string(), role: Role::Insensitive, data });
    Table::new(table.rows(), columns).unwrap()
}

fn frame(table: &Table) -> Table {
    Block::empty(table).into_table(table).unwrap()
}

type Groups = BTreeSet<BTreeSet<String>>;

/// The groups that come in, by the numbers of their rows.
#[derive(Default)]
struct Seen {
    groups: Groups,
    rows: usize,
    large: BTreeSet<String>,
    regions: BTreeSet<String>,
}

fn group(table: &Table, rows: &[u32]) -> BTreeSet<String> {
    let number = table.columns().last().unwrap();
    let text = |&row: &u32| {
        let mut text = Vec::new();
        number.write_text(row as usize, &mut text);
        String::from_utf8(text).unwrap()
    };
    rows.iter().map(text).collect()
}

impl PartSink for Seen {
    fn begin(&mut self, _: &Whole<'_>) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, table: Table, mut partitioning: Partitioning, way: &Way) -> Result<()> {
        let domains = table.domains();
        match &partitioning.tree {
            Some(tree) => {
                let tree = way.plant(tree);
                partitioning.regions = tree.regions(&domains, Some(&partitioning.regions));
            }
            None => partitioning.coalesce(&domains),
        }
        for number in 0..partitioning.groups() {
            let rows = partitioning.rows(number);
            self.rows += rows.len();
            assert!(self.groups.insert(group(&table, rows)), "a group comes twice");
            let cells: Vec<_> = domains
                .iter()
                .enumerate()
                .map(|(d, domain)| partitioning.regions.cell(number, d, domain))
                .collect();
            self.regions.insert(format!("{cells:?} {}", rows.len()));
        }
        Ok(())
    }

    fn slice(&mut self, table: Table, slice: Partitioning, _: &Way, last: bool) -> Result<()> {
        assert_eq!(slice.groups(), 1);
        self.rows += slice.order.len();
        self.large.extend(group(&table, slice.rows(0)));
        if last {
            assert!(self.groups.insert(std::mem::take(&mut self.large)));
        }
        Ok(())
    }
}

struct Setting<'a> {
    table: &'a Table,
    requirements: &'a [Box<dyn Requirement>],
    split: &'a str,
    block: usize,
    keep_tree: bool,
    limits: RothkoLimits,
    method: Method,
}

fn run(setting: &Setting<'_>) -> Result<(Seen, Account)> {
    let Setting { table, requirements, split, block, keep_tree, limits, method } = *setting;
    let folder = SpillFolder::within(&std::env::temp_dir());
    let pool = Pool::new(64 << 20);
    let frame = frame(table);
    let mut seen = Seen::default();
    let job = External {
        frame: &frame,
        source: &HeldRows::new(table, block),
        requirements,
        split: &SplitSpec::named(split),
        weights: &vec![1.0; table.dimensions()],
        workload: None,
        keep_tree,
        by_boundaries: keep_tree,
        pool: &pool,
        folder: &folder,
        secret: [7; 32],
        until: None,
        observer: &Unobserved,
    };
    let mondrian = Mondrian { model: Model::Strict, hierarchy_cut: HierarchyCut::Both };
    let account = Rothko { method, mondrian, limits }.run(&job, &mut seen)?;
    assert_eq!(pool.left(), pool.limit(), "all memory is given back");
    Ok((seen, account))
}

/// The groups of Mondrian in memory, as they are published.
fn mondrian(table: &Table, bound: &Checks, split: &str, keep_tree: bool) -> Seen {
    let weights = vec![1.0; table.dimensions()];
    let split = SplitCriterion::named(split, &Original::new(table, &weights)).unwrap();
    let job = Job {
        table,
        requirements: bound,
        split: &split,
        loss: &SuppressedRows,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights: &weights,
        keep_tree,
        observer: &Unobserved,
    };
    let partitioning = Mondrian::default().partition(&job).unwrap();
    let mut seen = Seen::default();
    seen.part(table.clone(), partitioning, &Way::default()).unwrap();
    seen
}

/// k and a requirement of the registry, where the whole table satisfies it.
fn requirements(
    table: &Table,
    dimensions: usize,
    k: u64,
    chosen: prop::sample::Index,
) -> Vec<Box<dyn Requirement>> {
    let k = || registry::requirement("k", "", &k.min(table.rows() as u64).to_string()).unwrap();
    let mut all = every_requirement(dimensions);
    let both = vec![k(), all.swap_remove(chosen.index(all.len()))];
    match Checks::new(&both, table).is_ok_and(|bound| bound.feasible(table).is_ok()) {
        true => both,
        false => vec![k()],
    }
}

fn limits() -> impl Strategy<Value = RothkoLimits> {
    (1..30u64, 1..5usize, 2..9usize).prop_map(|(rows, groups, leaves)| RothkoLimits {
        memory_rows: Some(rows),
        frequency_groups: Some(groups),
        leaves: Some(leaves),
    })
}

fn splits() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["median", "median", "infogain", "infogain:0.1", "regression"])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn rothko_t_makes_the_groups_of_mondrian(
        kinds in kinds(1..5),
        rows in rows(1..70),
        (k, chosen) in (1..5u64, any::<prop::sample::Index>()),
        (split, limits) in (splits(), limits()),
        (block, keep_tree) in (1..20usize, any::<bool>()),
    ) {
        let table = numbered(&random_table(&kinds, &rows));
        let requirements = requirements(&table, kinds.len(), k, chosen);
        // Widths of groups are not seen from frequency groups; those of boundaries are.
        let mut bound = Checks::new(&requirements, &table).unwrap();
        if keep_tree {
            bound = bound.by_boundaries(|dimension| table.domain(dimension)).unwrap();
        }
        prop_assume!(bound.needs().extents.is_empty());
        let expected = mondrian(&table, &bound, split, keep_tree);
        // Groups larger than memory are not kept back to be merged with others that are published alike.
        let largest = mondrian(&table, &bound, split, true).groups.iter().map(BTreeSet::len).max().unwrap_or(0);
        let mut limits = limits;
        if kinds.iter().any(|kind| matches!(kind, 2 | 3)) {
            limits.memory_rows = limits.memory_rows.max(Some(largest as u64));
        }
        let setting = Setting { table: &table, requirements: &requirements, split, block, keep_tree, limits, method: Method::Tree };
        let (seen, account) = run(&setting).unwrap();
        prop_assert_eq!(seen.rows, table.rows());
        prop_assert_eq!(&seen.groups, &expected.groups);
        if limits.memory_rows >= Some(largest as u64) {
            prop_assert_eq!(&seen.regions, &expected.regions);
        }
        prop_assert_eq!((account.pruned, account.minimal), (0, true));
    }

    /// Leaves of a hierarchy that lie in different parts may be published as the same node, and are one group then.
    #[test]
    fn groups_of_different_parts_that_are_published_alike_are_one(
        kinds in prop::collection::vec(2..4usize, 1..4),
        rows in rows(20..140),
        k in 2..9u64,
        (leaves, block) in (2..9usize, 1..40usize),
    ) {
        let table = numbered(&random_table(&kinds, &rows));
        let requirements = [registry::requirement("k", "", &k.to_string()).unwrap()];
        let bound = Checks::new(&requirements, &table).unwrap();
        let expected = mondrian(&table, &bound, "median", false);
        let largest = mondrian(&table, &bound, "median", true).groups.iter().map(BTreeSet::len).max().unwrap_or(0);
        let limits = RothkoLimits {
            memory_rows: Some(largest as u64),
            frequency_groups: Some(3),
            leaves: Some(leaves),
        };
        let setting = Setting {
            table: &table,
            requirements: &requirements,
            split: "median",
            block,
            keep_tree: false,
            limits,
            method: Method::Tree,
        };
        let (seen, _) = run(&setting).unwrap();
        prop_assert_eq!(&seen.groups, &expected.groups);
    }

    #[test]
    fn rothko_s_satisfies_the_requirements_whatever_the_sample(
        kinds in kinds(1..5),
        rows in rows(1..90),
        (k, chosen) in (1..5u64, any::<prop::sample::Index>()),
        (split, limits, block) in (splits(), limits(), 1..20usize),
        (alpha, sample, seed) in (0.001..1.0f64, 1..40u64, 0..99u64),
    ) {
        let table = numbered(&random_table(&kinds, &rows));
        let requirements = requirements(&table, kinds.len(), k, chosen);
        let bound = Checks::new(&requirements, &table).unwrap();
        let method = Method::Sample(Sampling { alpha, rows: Some(sample), seed });
        let setting = Setting { table: &table, requirements: &requirements, split, block, keep_tree: false, limits, method };
        let (seen, _) = match run(&setting) {
            // Widths are not seen from frequency groups, and a sample may allow no cut.
            Err(error) if error.message().contains("widths") => return Ok(()),
            other => other.unwrap(),
        };
        prop_assert_eq!(seen.rows, table.rows());
        let collector = Collector::new(bound.needs(), &table).unwrap();
        for group in &seen.groups {
            let number = |text: &String| text.split(' ').nth(1).unwrap().parse::<u32>().unwrap();
            let rows: Vec<u32> = group.iter().map(number).collect();
            prop_assert!(bound.satisfied(&collector.of(&rows)));
        }
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        prop_assert_eq!(&one.install(|| run(&setting)).unwrap().0.groups, &seen.groups);
    }
}

#[test]
fn what_no_release_can_satisfy_is_said() {
    let rows: Vec<Vec<u32>> = (0..60).map(|n| vec![n, n / 2, 0, 0, 0, 0, 0]).collect();
    let table = numbered(&random_table(&[0, 1], &rows));
    let requirements = [registry::requirement("l-diversity", "disease", "2").unwrap()];
    let limits = RothkoLimits { memory_rows: Some(10), ..RothkoLimits::default() };
    for method in [Method::Tree, Method::Sample(Sampling { alpha: 0.05, rows: None, seed: 1 })] {
        let setting = Setting {
            table: &table,
            requirements: &requirements,
            split: "median",
            block: 7,
            keep_tree: false,
            limits,
            method,
        };
        assert_eq!(run(&setting).err().unwrap().kind(), ErrorKind::Unsatisfied);
    }
}
