//! How much Rothko-S looks at where a sensitive column has many values: no more than a few times what Mondrian does in
//! memory, whatever the budget. Counted, as seconds are not the same twice.

use crate::common::column;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::rothko::{Method, Rothko, RothkoLimits, Sampling};
use klimt_core::job::{Budget, Job, Partitioner, Suppression, Unobserved};
use klimt_core::loss::{Original, SuppressedRows};
use klimt_core::memory::Pool;
use klimt_core::partition::Partitioning;
use klimt_core::parts::{Account, External, PartSink, Way, Whole};
use klimt_core::registry;
use klimt_core::requirement::{Check, Checks, Level, Requirement, Side, Trust, WholeFacts};
use klimt_core::spill::{Block, HeldRows, SpillFolder};
use klimt_core::split::{SplitCriterion, SplitSpec};
use klimt_core::statistics::{Needs, Statistics};
use klimt_core::table::{ColumnSpec, Role, Table};
use klimt_core::{Remedy, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A requirement that counts the entries of histograms that its check is asked to look at.
#[derive(Debug)]
struct Counting {
    inner: Box<dyn Requirement>,
    touched: Arc<AtomicU64>,
}

#[derive(Debug)]
struct CountingCheck {
    inner: Box<dyn Check>,
    touched: Arc<AtomicU64>,
}

impl CountingCheck {
    fn count(&self, group: &Statistics) {
        let entries = group.histograms.iter().map(|(_, histogram)| histogram.counts().len() as u64);
        self.touched.fetch_add(entries.sum::<u64>() + 1, Ordering::Relaxed);
    }
}

impl Requirement for Counting {
    fn id(&self) -> &'static str {
        self.inner.id()
    }
    fn column(&self) -> Option<&str> {
        self.inner.column()
    }
    fn describe(&self) -> String {
        self.inner.describe()
    }
    fn limit(&self) -> Level {
        self.inner.limit()
    }
    fn side(&self) -> Side {
        self.inner.side()
    }
    fn minimum_size(&self) -> u64 {
        self.inner.minimum_size()
    }
    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
        Ok(Box::new(CountingCheck { inner: self.inner.bind(whole)?, touched: Arc::clone(&self.touched) }))
    }
}

impl Check for CountingCheck {
    fn needs(&self) -> Needs {
        self.inner.needs()
    }
    fn satisfied(&self, group: &Statistics) -> bool {
        self.count(group);
        self.inner.satisfied(group)
    }
    fn likely(&self, sample: &Statistics, trust: &Trust) -> bool {
        self.count(sample);
        self.inner.likely(sample, trust)
    }
    fn least_size(&self) -> u64 {
        self.inner.least_size()
    }
    fn level(&self, group: &Statistics) -> Level {
        self.inner.level(group)
    }
    fn outlook(&self, group: &Statistics) -> (bool, u64) {
        self.count(group);
        self.inner.outlook(group)
    }
    fn steady(&self, group: &Statistics) -> u64 {
        self.count(group);
        self.inner.steady(group)
    }
}

/// Counts groups.
#[derive(Default)]
struct Groups(usize);

impl PartSink for Groups {
    fn begin(&mut self, _: &Whole<'_>) -> Result<()> {
        Ok(())
    }
    fn part(&mut self, _: Table, partitioning: Partitioning, _: &Way) -> Result<()> {
        self.0 += partitioning.groups();
        Ok(())
    }
    fn slice(&mut self, _: Table, _: Partitioning, _: &Way, last: bool) -> Result<()> {
        self.0 += usize::from(last);
        Ok(())
    }
}

const ROWS: usize = 20_000;

/// Three quasi-identifiers, and a sensitive column in which hardly a value comes twice and a few come often.
fn people() -> Table {
    let mut state = 7u64;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut texts = vec![Vec::new(); 4];
    for _ in 0..ROWS {
        (0..3).for_each(|at| texts[at].push(next([80, 3000, 9][at]).to_string()));
        let loan = if next(50) == 0 { next(3) } else { next(15_000) };
        texts[3].push(loan.to_string());
    }
    let names = ["a", "b", "c", "loan"];
    let columns = names.iter().zip(&texts).map(|(name, texts)| {
        let role = if *name == "loan" { Role::Sensitive } else { Role::QuasiIdentifier };
        column(&ColumnSpec::new(*name, role), &texts.iter().map(String::as_str).collect::<Vec<_>>())
    });
    Table::new(ROWS, columns.collect()).unwrap()
}

fn requirements(flag: &str, text: &str, touched: &Arc<AtomicU64>) -> Vec<Box<dyn Requirement>> {
    let inner = registry::requirement(flag, "loan", text).unwrap();
    let k = registry::requirement("k", "", "20").unwrap();
    vec![k, Box::new(Counting { inner, touched: Arc::clone(touched) })]
}

/// The entries that Mondrian looks at in memory, and its groups.
fn in_memory(table: &Table, flag: &str, text: &str) -> (u64, usize) {
    let touched = Arc::new(AtomicU64::new(0));
    let bound = Checks::new(&requirements(flag, text, &touched), table).unwrap();
    let weights = [1.0; 3];
    let split = SplitCriterion::named("median", &Original::new(table, &weights)).unwrap();
    let job = Job {
        table,
        requirements: &bound,
        split: &split,
        loss: &SuppressedRows,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights: &weights,
        keep_tree: false,
        observer: &Unobserved,
    };
    let groups = Mondrian::default().partition(&job).unwrap().groups();
    (touched.load(Ordering::Relaxed), groups)
}

/// The same for Rothko-S, when so many rows fit in memory.
fn on_disk(table: &Table, flag: &str, text: &str, fit: u64) -> (u64, usize, Account) {
    let touched = Arc::new(AtomicU64::new(0));
    let requirements = requirements(flag, text, &touched);
    let frame = Block::empty(table).into_table(table).unwrap();
    let (pool, folder) = (Pool::new(64 << 20), SpillFolder::within(&std::env::temp_dir()));
    let job = External {
        frame: &frame,
        source: &HeldRows::new(table, 1000),
        requirements: &requirements,
        split: &SplitSpec::named("median"),
        weights: &[1.0; 3],
        workload: None,
        keep_tree: false,
        by_boundaries: false,
        pool: &pool,
        folder: &folder,
        secret: [7; 32],
        until: None,
        observer: &Unobserved,
    };
    let limits = RothkoLimits { memory_rows: Some(fit), ..RothkoLimits::default() };
    let method = Method::Sample(Sampling { alpha: 0.05, rows: None, seed: 1 });
    let mut groups = Groups::default();
    let rothko = Rothko { method, mondrian: Mondrian::default(), limits };
    let account = rothko.run(&job, &mut groups).unwrap();
    (touched.load(Ordering::Relaxed), groups.0, account)
}

#[test]
fn many_sensitive_values_are_looked_at_a_few_times() {
    let table = people();
    for (flag, text) in [
        ("l-diversity", "distinct:5"),
        ("l-diversity", "entropy:5"),
        ("l-diversity", "recursive:3:4"),
        ("t-closeness", "0.3:ordered"),
        ("t-closeness", "0.3:equal"),
        ("alpha", "0.3"),
        ("beta-likeness", "2"),
        ("delta-disclosure", "1"),
    ] {
        let (held, groups) = in_memory(&table, flag, text);
        for fit in [1000, 3000, 8000, 15_000] {
            let (touched, found, account) = on_disk(&table, flag, text, fit);
            assert!(
                touched <= 3 * held + 20 * ROWS as u64,
                "{flag} {text}, {fit} rows fit: {touched} entries, {held} in memory ({account:?})"
            );
            // A sample may miss cuts, but not most of them.
            assert!(found * 2 >= groups, "{flag} {text}, {fit} rows fit: {found} groups, {groups} in memory");
        }
    }
}

/// 80,000 people with nearly as many sensitive values.
fn people_of_many_values() -> Table {
    let cell = |row: u64, at: usize| match at {
        0 => (row.wrapping_mul(2_654_435_761) >> 7) % 90,
        1 => (row.wrapping_mul(40_503) >> 3) % 2000,
        _ => row * 7919 % 79_999,
    };
    let columns = ["a", "b", "loan"].iter().enumerate().map(|(at, name)| {
        let texts: Vec<String> = (0..80_000).map(|row| cell(row, at).to_string()).collect();
        let role = if at == 2 { Role::Sensitive } else { Role::QuasiIdentifier };
        column(&ColumnSpec::new(*name, role), &texts.iter().map(String::as_str).collect::<Vec<_>>())
    });
    Table::new(80_000, columns.collect()).unwrap()
}

/// Where memory is too little, the budget that an error names is enough for what it is about.
#[test]
fn a_budget_that_is_advised_would_do() {
    let table = people_of_many_values();
    let frame = Block::empty(&table).into_table(&table).unwrap();
    let folder = SpillFolder::within(&std::env::temp_dir());
    for (text, method) in [
        ("0.5:equal", Method::Sample(Sampling { alpha: 0.05, rows: None, seed: 1 })),
        ("0.5:equal", Method::Tree),
        ("0.1:equal", Method::Sample(Sampling { alpha: 0.05, rows: None, seed: 1 })),
        ("0.1:equal", Method::Tree),
        ("0.2:ordered", Method::Tree),
    ] {
        let requirements = [("k", "", "5"), ("t-closeness", "loan", text)]
            .map(|(flag, of, text)| registry::requirement(flag, of, text).unwrap());
        let mut memory = 1 << 20;
        let mut said: Vec<String> = Vec::new();
        loop {
            let pool = Pool::new(memory);
            let job = External {
                frame: &frame,
                source: &HeldRows::new(&table, 1000),
                requirements: &requirements,
                split: &SplitSpec::named("median"),
                weights: &[1.0; 2],
                workload: None,
                keep_tree: false,
                by_boundaries: false,
                pool: &pool,
                folder: &folder,
                secret: [7; 32],
                until: None,
                observer: &Unobserved,
            };
            let rothko = Rothko { method, mondrian: Mondrian::default(), limits: RothkoLimits::default() };
            let Err(error) = rothko.run(&job, &mut Groups::default()) else { break };
            let purpose = error.message().split(" of memory").nth(1).unwrap_or(error.message()).to_string();
            assert!(!said.contains(&purpose), "{text} {method:?}: {memory} bytes would do, and{purpose}");
            said.push(purpose);
            let advice = error.remedies().iter().find_map(|remedy| match remedy {
                Remedy::RaiseMemory(bytes) => Some(*bytes),
                _ => None,
            });
            memory = advice.expect("what would do is said");
        }
        eprintln!("{text} {method:?}: {memory} bytes did, after{said:?}");
        assert!(said.len() < 3, "{said:?}");
    }
}
