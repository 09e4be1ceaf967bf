//! The problem of the best scheme: the table as distinct tuples, the requirements and the costs of groups.

use super::applicator::{Applicators, MOST_APPLICATORS, applicators_of};
use super::family::{ColumnFamily, Generalization};
use super::groups::TupleGroups;
use super::keys::{Grouper, KeyLayout};
use super::tuples::AtomTuples;
use crate::Result;
use crate::job::Job;
use crate::statistics::{Collector, Extent, Statistics};
use crate::table::Shape;
use rayon::prelude::*;
use std::borrow::Cow;

/// How the cost of a group is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemePricing {
    /// From its size.
    Size,
    /// As a sum over rows and columns of what a value pays for the block that it is in.
    Shares,
    /// From its statistics.
    Statistics,
}

/// The table as distinct tuples, with requirements and costs.
pub(super) struct SchemeProblem<'a> {
    pub job: &'a Job<'a>,
    pub families: &'a [ColumnFamily],
    /// `None` where a column has too many generalizations to enumerate them one by one.
    pub applicators: Vec<Applicators>,
    /// Whether they are not.
    pub tractable: bool,
    pub tuples: AtomTuples,
    pub layout: KeyLayout,
    pub pricing: SchemePricing,
    /// The cost of a suppressed row; infinite where nothing can be suppressed.
    pub price: f64,
    /// The most rows that may be suppressed.
    pub limit: u64,
    /// Whether groups are judged or priced by more than their size and what their values pay.
    pub collects: bool,
    /// Every tuple as a group of its own.
    pub base: TupleGroups,
    /// Whether there is memory for one piece of work at a time only.
    pub alone: bool,
    /// Whether everything is done to the end, however late it is.
    pub patient: bool,
    /// No smaller group satisfies the requirements.
    least_rows: u32,
    /// The cost of a row in small groups, by their size.
    rates: Vec<f64>,
}

/// The sizes of groups for which it is tabulated what a row pays.
const TABULATED: u64 = 4096;

/// Loops over more tuples or rows than this look at the clock.
const BLINK: usize = 100_000;

/// The purpose of the memory, in words.
const WORK: &str = "the search for the best generalization";

/// Bytes of an atom in its family.
const ATOM: usize = 128;
/// Bytes of an atom in the generalizations of a worker.
const GENERALIZED: usize = 40;
/// and what it takes more in the column that a worker folds.
const FOLDED: usize = 128;

/// Bytes per row while the distinct tuples are found: the tuples before and after they are sorted.
fn tupled(job: &Job<'_>) -> usize {
    64 + 8 * job.table.dimensions()
}

/// The bytes of the atoms of each column: once, and once more for each worker.
fn atom_bytes(atoms: &[usize]) -> (usize, usize) {
    let (all, widest) = (atoms.iter().sum::<usize>(), atoms.iter().max().copied().unwrap_or(0));
    (all * ATOM, all * GENERALIZED + widest * FOLDED)
}

/// Bytes of the search over a number of tuples, with the number of atoms in each column.
fn search_bytes(job: &Job<'_>, tuples: usize, atoms: &[usize], workers: usize) -> usize {
    let pricing = pricing(job);
    let (tuple, again) = bytes(job, pricing, collects(job, pricing));
    let (held, folded) = atom_bytes(atoms);
    job.table.rows() * 4 + tuples * (tuple + workers * again) + held + workers * folded
}

/// Refuses a search that there is not even memory to begin with, and names what would do however many tuples there are.
pub(super) fn admit(job: &Job<'_>) -> Result<()> {
    let (rows, table) = (job.table.rows(), job.table);
    let atoms: Vec<usize> =
        (0..table.dimensions()).map(|dimension| table.domain(dimension).cardinality().min(rows)).collect();
    let first = rows * tupled(job) + atom_bytes(&atoms).0;
    match job.budget.admit(table, first, WORK) {
        Ok(()) => Ok(()),
        Err(_) => job.budget.admit(table, first.max(search_bytes(job, rows, &atoms, 1)), WORK),
    }
}

/// Whether groups are judged or priced by more than their size and what their values pay.
fn collects(job: &Job<'_>, pricing: SchemePricing) -> bool {
    !job.requirements.only_count() || pricing == SchemePricing::Statistics
}

/// How many bytes a tuple takes: once, and once more for each worker, who regroups all tuples and folds them.
fn bytes(job: &Job<'_>, pricing: SchemePricing, collects: bool) -> (usize, usize) {
    let dimensions = job.table.dimensions();
    let sums = if pricing == SchemePricing::Shares { 8 * (dimensions + 1) } else { 0 };
    let mut needs = job.requirements.needs().clone();
    if pricing == SchemePricing::Statistics {
        needs.include(&job.loss.needs());
    }
    let statistics = if collects { needs.bytes(job.table) } else { 0 };
    (4 * dimensions + 24 + sums + statistics, 184 + sums + statistics)
}

/// The cost of a row in a group of some size.
fn rate(job: &Job<'_>, size: u64) -> f64 {
    if size == 0 { 0.0 } else { job.loss.size(size).unwrap_or(0.0) / size as f64 }
}

impl<'a> SchemeProblem<'a> {
    /// Collects the distinct tuples; `None` where the search is stopped first, unless it is `patient`.
    pub fn new(job: &'a Job<'a>, families: &'a [ColumnFamily], patient: bool) -> Result<Option<Self>> {
        let late = || !patient && job.table.rows() > BLINK && job.stops();
        let Some(tuples) = AtomTuples::new(job.table, families, &late) else { return Ok(None) };
        let pricing = pricing(job);
        let limit = job.suppression.limit(job.table.rows()) as u64;
        let price = job.loss.price(job.table.rows() as u64).filter(|_| limit > 0);
        let tractable = families.iter().all(|family| applicators_of(family) <= MOST_APPLICATORS);
        let atoms: Vec<usize> = families.iter().map(ColumnFamily::atoms).collect();
        let needed = |workers: usize| search_bytes(job, tuples.len(), &atoms, workers);
        job.budget.admit(job.table, needed(1), WORK)?;
        let workers = rayon::current_num_threads();
        let mut problem = SchemeProblem {
            alone: job.budget.admit(job.table, needed(workers), WORK).is_err(),
            patient,
            job,
            families,
            applicators: if tractable { families.iter().map(Applicators::of).collect() } else { Vec::new() },
            tractable,
            layout: KeyLayout::new(&atoms),
            base: TupleGroups::default(),
            least_rows: u32::try_from(job.requirements.minimum_size()).unwrap_or(u32::MAX),
            rates: match pricing {
                SchemePricing::Size => (0..TABULATED).map(|size| rate(job, size)).collect(),
                _ => Vec::new(),
            },
            pricing,
            price: price.unwrap_or(f64::INFINITY),
            limit: if price.is_some() { limit } else { 0 },
            collects: collects(job, pricing),
            tuples,
        };
        let Some(base) = problem.every_tuple()? else { return Ok(None) };
        problem.base = base;
        Ok(Some(problem))
    }

    pub fn dimensions(&self) -> usize {
        self.families.len()
    }

    /// Does pieces of work, side by side where there is memory for that.
    pub fn each<R: Send>(&self, pieces: usize, work: impl Fn(usize) -> R + Send + Sync) -> Vec<R> {
        match self.alone {
            true => (0..pieces).map(work).collect(),
            false => (0..pieces).into_par_iter().map(&work).collect(),
        }
    }

    /// Every tuple as a group; nothing where the search is stopped meanwhile.
    fn every_tuple(&self) -> Result<Option<TupleGroups>> {
        let many = self.tuples.len();
        let mut base = TupleGroups {
            tuples: (0..many as u32).collect(),
            rows: self.tuples.rows.clone(),
            parts: self.families.iter().map(|family| Generalization::finest(family.atoms())).collect(),
            ..TupleGroups::default()
        };
        if self.layout.is_whole() {
            let parts: Vec<Option<&Generalization>> = base.parts.iter().map(Some).collect();
            let mut grouper = Grouper::default();
            let (groups, many) = grouper.group(&self.layout, &self.tuples, &base.tuples, &parts);
            base.keys = grouper.keys_of(&groups, many);
        }
        if self.pricing == SchemePricing::Shares {
            base.offsets = vec![0.0; many];
            for column in 0..self.dimensions() {
                let shares: Vec<Vec<(f64, f64)>> = self.families[column]
                    .codes
                    .iter()
                    .map(|codes| codes.iter().map(|&code| self.job.loss.share(column, code)).collect())
                    .collect();
                base.slopes.push(self.slopes(column, &shares, &mut base.offsets));
            }
        }
        if self.collects {
            let mut needs = self.job.requirements.needs().clone();
            if self.pricing == SchemePricing::Statistics {
                needs.include(&self.job.loss.needs());
            }
            let collector = Collector::new(&needs, self.job.table)?;
            let (order, ends) = self.tuples.by_tuple();
            let mut start = 0;
            for ends in ends.chunks(BLINK) {
                if self.is_late() {
                    return Ok(None);
                }
                let end = ends.last().copied().unwrap_or(start);
                let ends: Vec<usize> = ends.iter().map(|end| end - start).collect();
                base.statistics.extend(collector.of_each(&order[start..end], &ends));
                start = end;
            }
        }
        Ok(Some(base))
    }

    /// The cost of the rows of every tuple per unit of width in a column, added up; empty where every row
    /// costs the same. The cost that they save is added to `offsets`.
    fn slopes(&self, column: usize, shares: &[Vec<(f64, f64)>], offsets: &mut [f64]) -> Vec<f64> {
        if shares.iter().flatten().all(|share| *share == (1.0, 0.0)) {
            return Vec::new();
        }
        let mut slopes = vec![0.0; self.tuples.len()];
        let atoms = self.tuples.atoms(column);
        let single = shares.iter().all(|codes| codes.len() == 1);
        let mut add = |tuple: usize, (slope, offset): (f64, f64), rows: f64| {
            slopes[tuple] += slope * rows;
            offsets[tuple] += offset * rows;
        };
        if single {
            for (tuple, &rows) in self.tuples.rows.iter().enumerate() {
                add(tuple, shares[atoms[tuple] as usize][0], f64::from(rows));
            }
        } else {
            // In the order of the codes, as sums are rounded.
            let codes = self.job.table.codes(column);
            let (order, ends) = self.tuples.by_tuple();
            let mut start = 0;
            for (tuple, &end) in ends.iter().enumerate() {
                let mut held: Vec<u32> =
                    order[start..end].iter().map(|&row| codes.get(row as usize)).collect();
                held.sort_unstable();
                held.iter().for_each(|&code| add(tuple, self.job.loss.share(column, code), 1.0));
                start = end;
            }
        }
        slopes
    }

    /// The cost per unit of their share of the rows of a group of atoms, as it is published.
    pub fn width(&self, column: usize, atoms: &[u32]) -> f64 {
        if self.pricing != SchemePricing::Shares {
            return 0.0;
        }
        self.job.loss.spread(column, &self.extent(column, atoms)).unwrap_or(0.0)
    }

    /// The extent that is published of a group of atoms, for the loss that is minimised.
    pub fn extent(&self, column: usize, atoms: &[u32]) -> Extent {
        let domain = self.job.table.domain(column);
        let family = &self.families[column];
        if matches!(domain.shape(), Shape::Set) {
            let mut extent = Extent::no_members(domain.cardinality());
            let codes = atoms.iter().flat_map(|&atom| &family.codes[atom as usize]);
            codes.for_each(|&code| extent.add(code));
            return extent;
        }
        let (lo, hi) = family.span(domain, atoms);
        self.interval(column, lo, hi)
    }

    /// The extent that is published of the codes between two, for the loss that is minimised.
    pub fn interval(&self, column: usize, lo: u32, hi: u32) -> Extent {
        let domain = self.job.table.domain(column);
        let open = matches!(domain.shape(), Shape::Ordered)
            && self.job.loss.measures_lengths()
            && lo > 0
            && domain.missing_code() != Some(lo)
            && !domain.is_single(lo, hi);
        Extent::Interval { lo: lo - u32::from(open), hi }
    }

    /// The least that rows of one group pay for its size: no row pays less in a larger group.
    #[inline]
    pub fn size(&self, rows: u32) -> f64 {
        let size = rows.max(self.least_rows);
        match self.rates.get(size as usize) {
            Some(rate) => rate * f64::from(rows),
            None if self.pricing == SchemePricing::Size => rate(self.job, u64::from(size)) * f64::from(rows),
            None => 0.0,
        }
    }

    /// Whether a group satisfies every requirement.
    #[inline]
    pub fn satisfied(&self, groups: &TupleGroups, group: usize) -> bool {
        match groups.statistics.get(group) {
            None => u64::from(groups.rows[group]) >= self.job.requirements.minimum_size(),
            Some(statistics) => self.job.requirements.satisfied(statistics),
        }
    }

    /// The cost of a group whose statistics say all, with the extents that are published of it where it
    /// looks at any.
    pub fn cost_of(&self, statistics: &Statistics, blocks: &[&Extent]) -> f64 {
        if blocks.is_empty() {
            return self.job.loss.group(statistics);
        }
        let mut statistics = statistics.clone();
        for (dimension, extent) in &mut statistics.extents {
            *extent = blocks[*dimension].clone();
        }
        self.job.loss.group(&statistics)
    }

    /// The groups under a generalization, from finer ones.
    pub fn roll_up(
        &self,
        finer: &TupleGroups,
        parts: &[Generalization],
        grouper: &mut Grouper,
    ) -> TupleGroups {
        let some: Vec<Option<&Generalization>> = parts.iter().map(Some).collect();
        let (groups, many) = self.regroup(finer, &some, grouper);
        self.rolled_up(finer.merged(&groups, many), &groups, parts, grouper)
    }

    /// The groups under a generalization, from the tuples; nothing where the search is stopped and there are many of them.
    pub fn roll_up_in_time(
        &self,
        parts: &[Generalization],
        grouper: &mut Grouper,
    ) -> Option<Cow<'_, TupleGroups>> {
        if self.is_late() {
            return None;
        }
        if parts == self.base.parts {
            return Some(Cow::Borrowed(&self.base));
        }
        let some: Vec<Option<&Generalization>> = parts.iter().map(Some).collect();
        let (groups, many) = self.regroup(&self.base, &some, grouper);
        let coarser = self.base.merged_unless(&groups, many, &|| self.is_late())?;
        Some(Cow::Owned(self.rolled_up(coarser, &groups, parts, grouper)))
    }

    fn rolled_up(
        &self,
        mut coarser: TupleGroups,
        groups: &[u32],
        parts: &[Generalization],
        grouper: &mut Grouper,
    ) -> TupleGroups {
        if self.layout.is_whole() {
            coarser.keys = grouper.keys_of(groups, coarser.len());
        }
        coarser.parts = parts.to_vec();
        coarser
    }

    /// The coarser group of every group, and how many there are. A column whose part is missing does not count.
    pub fn regroup(
        &self,
        groups: &TupleGroups,
        parts: &[Option<&Generalization>],
        grouper: &mut Grouper,
    ) -> (Vec<u32>, usize) {
        match self.layout.is_whole() {
            true => grouper.group_keys(&self.layout, groups.keys.iter().copied(), &groups.parts, parts),
            false => grouper.group(&self.layout, &self.tuples, &groups.tuples, parts),
        }
    }

    /// As [`SchemeProblem::regroup`], for some of the groups.
    pub fn regroup_some(
        &self,
        groups: &TupleGroups,
        some: &[u32],
        parts: &[Option<&Generalization>],
        grouper: &mut Grouper,
    ) -> (Vec<u32>, usize) {
        if self.layout.is_whole() {
            let keys = some.iter().map(|&group| groups.keys[group as usize]);
            return grouper.group_keys(&self.layout, keys, &groups.parts, parts);
        }
        let tuples: Vec<u32> = some.iter().map(|&group| groups.tuples[group as usize]).collect();
        grouper.group(&self.layout, &self.tuples, &tuples, parts)
    }

    /// Whether the search is stopped, where a loop over the tuples would take long.
    pub fn is_late(&self) -> bool {
        !self.patient && self.tuples.len() > BLINK && self.stopped()
    }

    /// Whether the search should end with what it has.
    pub fn stopped(&self) -> bool {
        self.job.stops()
    }
}

fn pricing(job: &Job<'_>) -> SchemePricing {
    if job.loss.size(1).is_some() {
        return SchemePricing::Size;
    }
    let whole = |dimension: usize| {
        let domain = job.table.domain(dimension);
        match domain.shape() {
            Shape::Set => Extent::no_members(domain.cardinality()),
            _ => Extent::NOTHING,
        }
    };
    let spreads = |dimension: usize| job.loss.spread(dimension, &whole(dimension)).is_some();
    if (0..job.table.dimensions()).all(spreads) { SchemePricing::Shares } else { SchemePricing::Statistics }
}
