//! A store that grows batch by batch, beside anonymizing everything again (Figs. 7b and 11 of *K-Anonymization as Spatial
//! Indexing*).

use super::Context;
use super::claim::{At, Claim, Is, NEAR, Of};
use super::clock::Clocked;
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::rtree_time::{STANDS_IN, sales};
use super::sweep::Sweep;
use crate::Result;
use crate::engine::partitions::{EngineRelease, named};
use crate::engine::{groups, k_alone, whole_numbers};
use crate::number::Measured;
use crate::timing::timed;
use klimt::table::{Role, Table};
use klimt_core::algorithm::rothko::Sampling;
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::job::Unobserved;
use klimt_core::loss::{Original, PartitionGroups, Sums, Totals};
use klimt_core::memory::Pool;
use klimt_core::partition::Partitioning;
use klimt_core::parts::{PartSink, Way, Whole};
use klimt_core::region::Extents;
use klimt_core::spill::{Block, HeldRows, SpillFolder};
use klimt_core::split::SplitSpec;
use klimt_core::table::{Codes, Column, ColumnData};
use klimt_store::{Batch, Means, Promise, ReleaseRequest, Spec, Store};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[Figure::experiment(
    "rtree-11",
    "DM, KL divergence and certainty penalty after each batch",
    &[keeps(0), keeps(1), keeps(2), better(0), better(1), better(2)],
    incremental,
)];

const fn keeps(panel: usize) -> Claim {
    let says = "Anonymized data quality does not suffer from incremental anonymization;";
    Claim::new(says, Of::Ratio((panel, GROWN), (panel, AT_ONCE)), At::Mean, Is::AtMost(NEAR))
        .reading("does not suffer")
}

const fn better(panel: usize) -> Claim {
    let says = "in fact, the R+-tree anonymized data is still of higher quality than the re-anonymized data.";
    Claim::new(says, Of::Ratio((panel, GROWN), (panel, DOWN)), At::Every, Is::Below(1.0))
}

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
    seconds: Vec<[Measured; 3]>,
    /// The losses of the store, of a tree built at once, and of the top-down algorithm without compaction.
    losses: Vec<[Vec<f64>; 3]>,
}

/// Takes the groups of a release as they come.
#[derive(Default)]
struct Parts(Vec<(Table, Partitioning)>);

impl PartSink for Parts {
    fn begin(&mut self, _: &Whole<'_>) -> klimt_core::Result<()> {
        Ok(())
    }

    fn part(&mut self, table: Table, partitioning: Partitioning, _: &Way) -> klimt_core::Result<()> {
        self.0.push((table, partitioning));
        Ok(())
    }

    fn slice(&mut self, table: Table, slice: Partitioning, way: &Way, _: bool) -> klimt_core::Result<()> {
        self.part(table, slice, way)
    }
}

/// The losses of what a store would release, which is not entered in its ledger.
fn released(store: &mut Store) -> klimt_core::Result<Vec<f64>> {
    let asked = ReleaseRequest {
        k: K,
        by: LeafGrouping::LeafScan,
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

/// Some rows of a table, with a key in the first column: the numbers of the rows.
fn keyed(table: &Table, rows: std::ops::Range<usize>) -> Result<Table> {
    let gather = |column: &Column| -> Result<Column> {
        let (domain, codes) = match &column.data {
            ColumnData::Coded { domain, codes } => (domain, codes),
            ColumnData::Texts(_) => return Err(format!("column {} has no codes", column.name).into()),
        };
        let codes = Codes::collect(domain.cardinality(), rows.clone().map(|row| codes.get(row)));
        let data = ColumnData::Coded { domain: Arc::clone(domain), codes };
        Ok(Column { name: column.name.clone(), role: column.role, data })
    };
    let numbers = Codes::collect(table.rows(), rows.clone().map(|row| row as u32));
    let data = ColumnData::Coded { domain: Arc::new(whole_numbers(table.rows())), codes: numbers };
    let mut columns = vec![Column { name: KEY.to_string(), role: Role::Insensitive, data }];
    for column in table.columns() {
        columns.push(gather(column)?);
    }
    Ok(Table::new(rows.len(), columns)?)
}

/// The column that [`keyed`] adds.
const KEY: &str = "row";

/// Makes a store for rows like these.
fn create(folder: &Path, like: &Table) -> klimt_core::Result<Store> {
    let promise = Promise { k: K, requirements: Vec::new(), split: SplitSpec::named("box") };
    let spec = Spec::like(like, KEY, &|_| 1.0, Vec::new(), promise)?;
    Store::create(folder, &spec)?;
    Store::open(folder, &Pool::new(1 << 30))
}

fn insert(store: &mut Store, rows: &Table) -> klimt_core::Result<()> {
    let (pool, folder) = (Pool::new(1 << 30), SpillFolder::within(&std::env::temp_dir()));
    let sampling = Sampling { alpha: 0.05, rows: None, seed: 1 };
    let means = Means { pool: &pool, folder: &folder, sampling, observer: &Unobserved, work: Means::WORK };
    let frame = Block::empty(rows).into_table(rows)?;
    let source = HeldRows::new(rows, HeldRows::BLOCK);
    store
        .insert(&Batch { frame: &frame, source: &source, empty_texts: &[], name: "the batch" }, &means)
        .map(|_| ())
}

/// Lets a store grow; done once for all figures.
pub fn growth(context: &Context) -> Result<Rc<Growth>> {
    context.memo("a store that grows", || grow(context, batch(context) as usize, context.pick(3, 6, 9)))
}

fn grow(context: &Context, batch: usize, batches: usize) -> Result<Growth> {
    let folder = tempfile::tempdir()?;
    let all = sales(context, (batch * batches) as u64)?.table()?;
    let mut store = create(&folder.path().join("store"), &keyed(&all, 0..batch)?)?;
    let mut growth = Growth { rows: Vec::new(), seconds: Vec::new(), losses: Vec::new() };
    for number in 0..batches {
        let come = keyed(&all, number * batch..(number + 1) * batch)?;
        let inserted = timed(|| Ok(insert(&mut store, &come)?))?.1;
        let rows = (number + 1) * batch;
        let whole = keyed(&all, 0..rows)?;
        let mut anew = create(&folder.path().join(format!("anew-{number}")), &whole)?;
        let built = timed(|| Ok(insert(&mut anew, &whole)?))?.1;
        let so_far = sales(context, rows as u64)?.table()?;
        let bound = k_alone(&so_far, K)?;
        let made = |split: &str| groups(&so_far, &bound, split, true);
        let (median, again) = timed(|| made("median"))?;
        let loose = EngineRelease::new(&so_far, median, Extents::Region).losses(K, &LOSSES)?;
        let at_once = EngineRelease::new(&so_far, made("box")?, Extents::Compact).losses(K, &LOSSES)?;
        growth.rows.push(rows);
        growth.seconds.push([inserted, built, again].map(|spent| Clocked::once(spent).cpu()));
        growth.losses.push([released(&mut store)?, at_once, loose]);
    }
    Ok(growth)
}

impl Growth {
    /// CPU time of each batch beside anonymizing everything again.
    pub fn times(&self) -> Result<Sweep> {
        let mut sweep = Sweep::new("CPU time of each batch", "rows so far", "CPU seconds", &PER_BATCH);
        for (rows, seconds) in self.rows.iter().zip(&self.seconds) {
            sweep.push(rows, seconds.to_vec())?;
        }
        Ok(sweep)
    }

    fn panel(&self, title: &str, measure: &str, loss: usize) -> Result<Sweep> {
        let mut sweep =
            Sweep::new(&format!("{title}, k = {K}"), "rows so far", measure, &[GROWN, AT_ONCE, DOWN]);
        for (rows, losses) in self.rows.iter().zip(&self.losses) {
            sweep.push(rows, losses.iter().map(|losses| losses[loss]).collect())?;
        }
        Ok(sweep)
    }
}

/// The series of the times of batches.
pub const PER_BATCH: [&str; 3] = [BATCH, "a store of all rows anew", "top-down on all rows, in memory"];
/// The first of them.
pub const BATCH: &str = "the batch into the store";

const GROWN: &str = "R+-tree, grown";
const AT_ONCE: &str = "R+-tree, built at once";
const DOWN: &str = "top-down, not compacted";

fn incremental(context: &Context) -> Result<Outcome> {
    let growth = growth(context)?;
    let panels = [
        growth.panel("Discernibility", "DM", 0)?.log(),
        growth.panel("KL divergence", "nats", 1)?,
        growth.panel("Certainty penalty", "share of the range", 2)?,
    ];
    let sizes = vec![Size::new("rows of a batch", batch(context), 500_000), Size::new("k", K, 10)];
    Ok(Outcome::new(panels, Run::new(STANDS_IN, sizes, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_number_of_the_row() {
        let (_folder, context) = Context::tiny();
        let table = sales(&context, 10).unwrap().table().unwrap();
        let some = keyed(&table, 4..7).unwrap();
        let mut key = Vec::new();
        some.columns()[0].write_text(2, &mut key);
        assert_eq!((some.rows(), key, some.codes(0).get(0)), (3, b"6".to_vec(), table.codes(0).get(4)));
    }
}
