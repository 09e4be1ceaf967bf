//! A store that grows batch by batch, beside anonymizing everything again (Figs. 7b and 11 of *K-Anonymization as Spatial
//! Indexing*).

use super::Context;
use super::data::{KEY, keyed};
use super::registry::Figure;
use super::rtree_time::{STANDS_IN, sales, tree};
use super::sweep::Sweep;
use super::verdict::{Check, Outcome, mean_ratio};
use crate::index::{groups, k_alone};
use crate::measure::timed;
use crate::release::{Release, named};
use klimt::algorithm::index::By;
use klimt::algorithm::rothko::{PartSink, Sampling, Way, Whole};
use klimt::loss::{Original, PartitionGroups, Sums, Totals};
use klimt::memory::Pool;
use klimt::partition::{Partitioning, Unobserved};
use klimt::region::Extents;
use klimt::spill::{Block, HeldRows, SpillFolder};
use klimt::split::SplitSpec;
use klimt::table::Table;
use klimt_store::{Asked, Batch, Means, Promise, Spec, Store};
use std::path::Path;
use std::rc::Rc;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[Figure::experiment(
    "rtree-11",
    "DM, KL divergence and certainty penalty after each batch",
    "A tree that grows batch by batch loses nothing by that, and still loses less than the top-down algorithm on everything again.",
    "DM counts only rows, and cuts at the median make groups as even as they can be: a cut that follows boxes makes them less even",
    incremental,
)];

/// The least size of a group.
const K: u64 = 10;

const LOSSES: [&str; 3] = ["dm", "kl", "ncp"];

/// The rows of a batch.
pub fn batch(context: &Context) -> u64 {
    context.pick(300, 10_000, 50_000)
}

/// What happened after each batch.
pub struct Growth {
    rows: Vec<usize>,
    /// CPU seconds of inserting the batch, of a store built anew from all rows, and of the top-down algorithm on them.
    seconds: Vec<[f64; 3]>,
    /// The losses of the store, of a tree built at once, and of the top-down algorithm without compaction.
    losses: Vec<[Vec<f64>; 3]>,
}

/// Takes the groups of a release as they come.
#[derive(Default)]
struct Parts(Vec<(Table, Partitioning)>);

impl PartSink for Parts {
    fn begin(&mut self, _: &Whole<'_>) -> klimt::Result<()> {
        Ok(())
    }

    fn part(&mut self, table: Table, partitioning: Partitioning, _: &Way) -> klimt::Result<()> {
        self.0.push((table, partitioning));
        Ok(())
    }

    fn slice(&mut self, table: Table, slice: Partitioning, way: &Way, _: bool) -> klimt::Result<()> {
        self.part(table, slice, way)
    }
}

/// The losses of what a store would release, which is not entered in its ledger.
fn released(store: &mut Store) -> klimt::Result<Vec<f64>> {
    let asked = Asked {
        k: K,
        by: By::LeafScan,
        hold_back: false,
        allow_differences: false,
        audience: "nobody".to_string(),
    };
    let mut releasing = store.release(asked)?;
    let (frame, rows) = (releasing.frame().clone(), releasing.rows());
    let mut parts = Parts::default();
    releasing.write(&mut parts)?;
    let weights = vec![1.0; frame.dimensions()];
    let mut sums = Sums::new(named(&LOSSES).into_iter(), &Original::new(&frame, &weights));
    let mut groups = 0;
    for (table, partitioning) in &parts.0 {
        groups += partitioning.groups() as u64;
        let seen = PartitionGroups { table, partitioning, extents: Extents::Compact };
        sums.add(&Original::new(table, &weights), &seen)?;
    }
    let found = sums.finish(&Totals { rows, suppressed: 0, groups, k: K });
    let loss = |name: &&str| found.iter().find(|(id, _)| id == name).map_or(f64::NAN, |(_, loss)| *loss);
    Ok(LOSSES.iter().map(loss).collect())
}

/// Makes a store for rows like these.
fn create(folder: &Path, like: &Table) -> klimt::Result<Store> {
    let promise = Promise { k: K, requirements: Vec::new(), split: SplitSpec::named("box") };
    let spec = Spec::like(like, KEY, &|_| 1.0, Vec::new(), promise)?;
    Store::create(folder, &spec)?;
    Store::open(folder, &Pool::new(1 << 30))
}

fn insert(store: &mut Store, rows: &Table) -> klimt::Result<()> {
    let (pool, folder) = (Pool::new(1 << 30), SpillFolder::within(&std::env::temp_dir()));
    let sampling = Sampling { alpha: 0.05, rows: None, seed: 1 };
    let means = Means { pool: &pool, folder: &folder, sampling, observer: &Unobserved, work: Means::WORK };
    let frame = Block::empty(rows).into_table(rows)?;
    let source = HeldRows::new(rows, HeldRows::BLOCK);
    store.insert(&Batch { frame: &frame, source: &source, name: "the batch" }, &means).map(|_| ())
}

/// Lets a store grow; done once for all figures.
pub fn growth(context: &Context) -> Result<Rc<Growth>, String> {
    context.memo("a store that grows", || grow(batch(context) as usize, context.pick(3, 6, 9)))
}

fn grow(batch: usize, batches: usize) -> Result<Growth, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let all = sales((batch * batches) as u64)?;
    let failed = |error: klimt::Error| error.to_string();
    let mut store = create(&folder.path().join("store"), &keyed(&all, 0..batch)?).map_err(failed)?;
    let mut growth = Growth { rows: Vec::new(), seconds: Vec::new(), losses: Vec::new() };
    for number in 0..batches {
        let come = keyed(&all, number * batch..(number + 1) * batch)?;
        let inserted = timed(|| insert(&mut store, &come).map_err(failed))?.1;
        let rows = (number + 1) * batch;
        let whole = keyed(&all, 0..rows)?;
        let mut anew = create(&folder.path().join(format!("anew-{number}")), &whole).map_err(failed)?;
        let built = timed(|| insert(&mut anew, &whole).map_err(failed))?.1;
        let so_far = sales(rows as u64)?;
        let bound = k_alone(&so_far, K)?;
        let (median, again) = timed(|| groups(&so_far, &bound, &SplitSpec::named("median"), true))?;
        let loose = Release::new(&so_far, median, Extents::Region).losses(K, &LOSSES)?;
        let at_once = Release::new(&so_far, tree(&so_far, K)?, Extents::Compact).losses(K, &LOSSES)?;
        growth.rows.push(rows);
        growth.seconds.push([inserted, built, again].map(|spent| spent.cpu()));
        growth.losses.push([released(&mut store).map_err(failed)?, at_once, loose]);
    }
    Ok(growth)
}

impl Growth {
    /// CPU time of each batch beside anonymizing everything again.
    pub fn times(&self) -> Sweep {
        let names =
            ["the batch into the store", "a store of all rows anew", "top-down on all rows, in memory"];
        let mut sweep = Sweep::new("CPU time of each batch", "rows so far", "seconds", &names);
        for (rows, seconds) in self.rows.iter().zip(&self.seconds) {
            // As many numbers as names.
            let _ = sweep.push(rows, seconds.to_vec());
        }
        sweep
    }

    fn panel(&self, title: &str, measure: &str, loss: usize) -> Sweep {
        let mut sweep = Sweep::new(title, "rows so far", measure, &NAMES);
        for (rows, losses) in self.rows.iter().zip(&self.losses) {
            let _ = sweep.push(rows, losses.iter().map(|losses| losses[loss]).collect());
        }
        sweep
    }
}

const NAMES: [&str; 3] = ["R+-tree, grown", "R+-tree, built at once", "top-down, not compacted"];

/// A batch into a store that has grown takes less time than everything again, into a store or by the top-down algorithm:
/// the later half of the batches decides.
pub fn batches_are_cheaper(times: &Sweep) -> Vec<Check> {
    let half = times.labels.len() / 2;
    let over = |other: usize| mean_ratio(&times.series[0].1[half..], &times.series[other].1[half..]);
    vec![
        Check::below("CPU time of a later batch over that of a store of all rows anew", over(1), 1.0),
        Check::below("and over that of the top-down algorithm on all rows, in memory", over(2), 1.0),
    ]
}

fn incremental(context: &Context) -> Result<Outcome, String> {
    let growth = growth(context)?;
    let panels = [
        growth.panel("Discernibility, k = 10", "DM", 0).log(),
        growth.panel("KL divergence, k = 10", "nats", 1),
        growth.panel("Certainty penalty, k = 10", "share of the range", 2),
    ];
    Ok(Outcome {
        checks: quality_checks(&panels),
        panels: panels.into_iter().map(Into::into).collect(),
        data: STANDS_IN.to_string(),
        differs: format!("batches of {} rows instead of 500,000", batch(context)),
        untested: None,
    })
}

fn quality_checks(panels: &[Sweep; 3]) -> Vec<Check> {
    let mut checks = Vec::new();
    for panel in panels {
        let [grown, at_once, down] = NAMES.map(|name| panel.of(name));
        let name = panel.title.split(',').next().unwrap_or_default();
        checks.push(Check::at_most(
            &format!("{name} of the grown tree is at most that of the top-down algorithm"),
            grown,
            down,
            1.0,
        ));
        // A twentieth is as good as nothing.
        checks.push(Check::below(
            &format!("{name} of the grown tree over one built at once, on average"),
            mean_ratio(grown, at_once),
            1.05,
        ));
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grown_store_is_judged_both_ways() {
        let panels = |grown: f64| {
            [(); 3].map(|()| {
                let mut sweep = Sweep::new("DM, k", "rows", "DM", &NAMES);
                sweep.push(1, vec![grown, 1.0, 2.0]).unwrap();
                sweep
            })
        };
        assert!(quality_checks(&panels(1.02)).iter().all(|check| check.holds));
        assert!(!quality_checks(&panels(2.5)).iter().any(|check| check.holds));
        let times = |insert: f64| {
            Growth {
                rows: vec![1, 2],
                seconds: vec![[9.0, 1.0, 1.0], [insert, 2.0, 2.0]],
                losses: Vec::new(),
            }
            .times()
        };
        assert!(batches_are_cheaper(&times(1.0)).iter().all(|check| check.holds));
        assert!(!batches_are_cheaper(&times(3.0)).iter().any(|check| check.holds));
    }
}
