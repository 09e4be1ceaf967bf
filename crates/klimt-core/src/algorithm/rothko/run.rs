//! The recursion of Rothko: divide what does not fit, hand over what does.

use super::grow::SampledPart;
use super::prune::{JudgedLeaves, PrunedTree, prune};
use super::room::{RothkoMemory, compared_bytes};
use super::tree::{Grower, GrownTree, finder_bytes};
use super::withheld::WithheldGroups;
use super::{Method, Rothko, Sampling, grow};
use crate::algorithm::mondrian::{InheritedCuts, PartStart};
use crate::cut::PartEdges;
use crate::job::{Job, Suppression};
use crate::loss::SuppressedRows;
use crate::partition::Way;
use crate::partition::{CutNode, CutTree, Partitioning};
use crate::parts::{Account, External, PartSink, Whole};
use crate::pass::{CountRequest, DividedRows, LeafJudge, LocalPasses, LocalRows, PartRows, counted};
use crate::region::Regions;
use crate::requirement::Checks;
use crate::split::SplitCriterion;
use crate::statistics::{Collector, Needs};
use crate::table::{Block, Role, Table};
use crate::words::option;
use crate::{Error, ErrorKind, Result};

pub(super) fn run(rothko: &Rothko, job: &External<'_>, sink: &mut dyn PartSink) -> Result<Account> {
    let looked_at = |&column: &usize| {
        matches!(job.frame.columns()[column].role, Role::QuasiIdentifier | Role::Sensitive | Role::Target)
    };
    let columns: Vec<usize> = (0..job.frame.columns().len()).filter(looked_at).collect();
    let least_group = job.requirements.iter().map(|r| r.minimum_size()).max().unwrap_or(1);
    let compared = compared_bytes(job);
    let counted = counted(job.frame);
    let cardinality =
        |&column: &usize| job.frame.columns()[column].coded().map_or(0, |(d, _)| d.cardinality());
    let counts = counted.iter().map(cardinality).sum::<usize>() * size_of::<u64>();
    // A quarter must be left for the rows, beside all that is counted once.
    let purpose = "the values that groups are compared with";
    let mut taken = job.pool.reserve(compared + compared / 3 + counts, purpose)?;
    taken.shrink_to(compared);
    let room = RothkoMemory::new(job, &columns, least_group, compared, rothko.limits)?;
    let (frame, pool, folder, observer) = (job.frame, job.pool, job.folder, job.observer);
    let passes = LocalPasses { frame, pool, memory: room.memory, folder, observer };
    let source = LocalRows { rows: job.source, passes };
    let mut account = Account { minimal: true, ..Account::default() };

    let sampling = match rothko.method {
        Method::Sample(sampling) if job.source.rows() > room.rows() => Some(sampling),
        _ => None,
    };
    let _counts = job.pool.reserve(counts, "the counts of sensitive values")?;
    let mut first = (Block::empty(job.frame), Vec::new());
    if sampling.is_some() || !counted.is_empty() {
        first = source.survey(sampling.map(|sampling| room.sample(sampling)), &counted)?;
        account.reads += 1.0;
    }
    let (sample, counts) = first;
    let whole = Whole::new(job.frame, job.source.rows(), counts);
    let mut checks = Checks::to(job.requirements, &whole)?;
    if job.by_boundaries {
        checks = checks.by_boundaries(|dimension| job.frame.domain(dimension))?;
    }
    let split = job.split.bind(&job.original(job.frame))?;
    let mut needs = checks.needs().clone();
    if let SplitCriterion::Loss(cost) = split.base() {
        needs.include(&cost.needs());
    }
    let judging = Collector::of_rows(checks.needs(), job.frame, whole.rows)?;
    sink.begin(&whole)?;
    let withheld = WithheldGroups::new(job.frame);
    let mut run =
        RothkoRun { rothko, job, whole: &whole, checks, split, needs, judging, withheld, room, account };
    run.divide(&source, sampling.map(|sampling| (sampling, sample)), &Way::default(), sink)?;
    run.merge_withheld(sink)?;
    Ok(run.account)
}

pub(super) struct RothkoRun<'a> {
    rothko: &'a Rothko,
    pub job: &'a External<'a>,
    pub whole: &'a Whole<'a>,
    pub checks: Checks,
    split: SplitCriterion<'a>,
    /// The statistics that requirements and split need.
    needs: Needs,
    /// Makes the statistics by which leaves are judged.
    judging: Collector<'a>,
    withheld: WithheldGroups,
    pub room: RothkoMemory,
    pub account: Account,
}

/// A pruned tree, the rows of its leaves, and for each leaf of the tree whether it is cut by the median.
type DividedPart<'s> = (PrunedTree, Box<dyn DividedRows + 's>, Vec<bool>);

/// A part that is not in memory.
struct PendingPart<'d> {
    part: Box<dyn PartRows + 'd>,
    way: Way,
}

impl<'a> RothkoRun<'a> {
    /// Divides rows on disk until parts fit in memory, and hands over their groups. A sample may have been taken of them
    /// already.
    fn divide(
        &mut self,
        source: &dyn PartRows,
        sample: Option<(Sampling, Block)>,
        way: &Way,
        sink: &mut dyn PartSink,
    ) -> Result<()> {
        if self.room.fits(source.rows()) {
            let mut block = Block::empty(self.job.frame);
            block.reserve(source.rows() as usize);
            source.load(&mut block)?;
            let rows = block.rows() as u32;
            self.count(source.rows(), 1, 0);
            return self.finish(block, &[(rows, way)], sink);
        }
        if self.job.budget().over() || self.checks.is_enough(source.rows()) {
            return self.large_group(source, way, sink);
        }
        let mut divided = match sample {
            Some((sampling, sample)) => self.optimistic(source, sampling, sample, way)?,
            None => match self.rothko.method {
                Method::Sample(sampling) => {
                    let (sample, _) = source.survey(Some(self.room.sample(sampling)), &[])?;
                    self.count(source.rows(), 1, 0);
                    self.optimistic(source, sampling, sample, way)?
                }
                Method::Tree => None,
            },
        };
        let sampled = matches!(self.rothko.method, Method::Sample(_));
        if divided.is_none() && sampled {
            self.account.switched += 1;
        }
        if divided.is_none() && sampled && !self.counts_fit(source.rows()) {
            self.account.minimal = false;
        } else if divided.is_none() {
            divided = self.exhaustive(source, way)?;
        }
        let Some((pruned, leaves, by_median)) = divided else {
            return self.large_group(source, way, sink);
        };
        let ways = self.ways(way, &pruned, &by_median);
        self.hand_on(&*leaves, pruned, ways, sink)
    }

    /// The settings that the part at the end of a way inherits from the cuts on it.
    fn above(&self, way: &Way) -> InheritedCuts {
        let whole = PartEdges::whole(&self.checks, self.job.frame);
        let edges = way.cuts().iter().fold(whole, |edges, (cut, left)| match cut.nodes[0] {
            CutNode::Threshold { dimension, code, .. } => edges.cut(dimension as usize, code, *left),
            _ => edges,
        });
        InheritedCuts { by_median: way.by_median, edges }
    }

    /// Accounts for reading and writing a number of rows a number of times.
    pub fn count(&mut self, rows: u64, reads: u64, writes: u64) {
        let share = rows as f64 / self.whole.rows.max(1) as f64;
        self.account.reads += share * reads as f64;
        self.account.writes += share * writes as f64;
    }

    /// Rothko-S: grows on a sample, divides and prunes; nothing where no cut is left.
    fn optimistic<'s>(
        &mut self,
        source: &'s dyn PartRows,
        sampling: Sampling,
        sample: Block,
        way: &Way,
    ) -> Result<Option<DividedPart<'s>>> {
        let taken = self.job.pool.reserve(self.room.working_bytes(sample.rows() as u64), "a sample")?;
        let part = SampledPart { sample, rows: source.rows(), above: self.above(way) };
        let GrownTree { tree, by_median, .. } =
            grow::grow(self.job, self.rothko.mondrian, &self.checks, part, sampling.alpha, &self.room)?;
        drop(taken);
        if tree.nodes.len() < 2 {
            return Ok(None);
        }
        let leaves = self.repartition(source, &tree)?;
        let pruned = self.judge(&tree, &*leaves)?;
        self.account.pruned += pruned.undone;
        Ok((pruned.leaves.len() > 1).then_some((pruned, leaves, by_median)))
    }

    /// Whether cuts of a part of this many rows can be chosen from its frequency group.
    fn counts_fit(&self, rows: u64) -> bool {
        let whole = CountRequest::whole(self.job.frame, rows);
        let bytes = whole.bytes(&self.needs, self.job.frame) + finder_bytes([&whole].into_iter());
        self.needs.extents.is_empty() && bytes <= self.room.frequencies()
    }

    /// Rothko-T: grows from frequency groups and divides; nothing where there is no allowable cut.
    fn exhaustive<'s>(&mut self, source: &'s dyn PartRows, way: &Way) -> Result<Option<DividedPart<'s>>> {
        if !self.needs.extents.is_empty() {
            return Err(Error::input(
                "cuts cannot be chosen from frequency groups where widths are required or minimised",
            )
            .with_help(format!("with more {} the table is anonymized in memory", option("memory"))));
        }
        let collector = Collector::of_rows(&self.needs, self.job.frame, self.whole.rows)?;
        let inner = self.inner(self.job.frame, &self.split);
        let grower = Grower {
            job: self.job,
            mondrian: self.rothko.mondrian,
            inner: &inner,
            needs: &self.needs,
            collector: &collector,
            room: &self.room,
        };
        let grown = grower.grow(source, self.above(way))?;
        self.count(source.rows(), grown.passes, 0);
        if grown.tree.nodes.len() < 2 {
            return Ok(None);
        }
        // Cuts that were chosen from all rows are allowable.
        let leaves = self.repartition(source, &grown.tree)?;
        let ranges = (0..leaves.leaves()).map(|leaf| leaf..leaf + 1).collect();
        let pruned = PrunedTree { tree: grown.tree, leaves: ranges, undone: 0, violation: None };
        Ok(Some((pruned, leaves, grown.by_median)))
    }

    /// Mondrian's job on a table, or on the frame.
    fn inner<'j>(&'j self, table: &'j Table, split: &'j SplitCriterion<'j>) -> Job<'j> {
        Job {
            table,
            requirements: &self.checks,
            split,
            loss: &SuppressedRows,
            suppression: Suppression::NONE,
            budget: self.job.budget(),
            weights: self.job.weights,
            keep_tree: self.job.keep_tree,
            observer: self.job.observer,
        }
    }

    /// Divides rows among the leaves of a tree.
    fn repartition<'s>(
        &mut self,
        source: &'s dyn PartRows,
        tree: &CutTree,
    ) -> Result<Box<dyn DividedRows + 's>> {
        let leaves = source.divide(tree)?;
        self.count(source.rows(), 1, 1);
        self.account.repartitions += 1;
        Ok(leaves)
    }

    /// Undoes the cuts that are not allowable.
    fn judge(&mut self, tree: &CutTree, leaves: &dyn DividedRows) -> Result<PrunedTree> {
        let judge = LeafJudge { requirements: &self.checks, collector: &self.judging };
        let pruned = prune(tree, &leaves.violating(&judge)?, &JudgedLeaves { divided: leaves, judge })?;
        // A part satisfies what the whole does; only of the whole it is not known.
        if let Some(whole) = &pruned.violation {
            self.checks.feasible_as(whole)?;
        }
        let rows = (0..leaves.leaves()).map(|leaf| leaves.rows(leaf)).sum();
        if !self.checks.only_count() {
            self.count(rows, 1, 0);
        }
        Ok(pruned)
    }

    /// The ways to the leaves that are left of a tree at the end of a way. Cuts are only recorded where a recoding
    /// function needs them.
    fn ways(&self, way: &Way, pruned: &PrunedTree, by_median: &[bool]) -> Vec<Way> {
        let mut ways = match self.job.keep_tree || self.has_hierarchies() {
            true => way.to_leaves(&pruned.tree),
            false => vec![Way::default(); pruned.leaves.len()],
        };
        for (way, leaves) in ways.iter_mut().zip(&pruned.leaves) {
            way.by_median = by_median[leaves.clone()].iter().all(|&by_median| by_median);
        }
        ways
    }

    /// Hands the parts on, in order: those that fit to Mondrian, several at once where that is possible, and the others to
    /// be divided again.
    fn hand_on(
        &mut self,
        leaves: &dyn DividedRows,
        pruned: PrunedTree,
        ways: Vec<Way>,
        sink: &mut dyn PartSink,
    ) -> Result<()> {
        let keep_tree = self.job.keep_tree;
        let mut waiting: Vec<PendingPart<'_>> = Vec::new();
        for (range, way) in pruned.leaves.into_iter().zip(ways) {
            let part = leaves.part(range);
            let rows: u64 = waiting.iter().map(|piece| piece.part.rows()).sum();
            if !waiting.is_empty() && (keep_tree || rows + part.rows() > self.room.load_rows()) {
                self.load(std::mem::take(&mut waiting), sink)?;
            }
            if part.rows() > self.room.rows() {
                self.divide(&*part, None, &way, sink)?;
            } else if part.rows() > 0 {
                waiting.push(PendingPart { part, way });
            }
        }
        if waiting.is_empty() { Ok(()) } else { self.load(waiting, sink) }
    }

    /// Loads parts that fit together.
    fn load(&mut self, pieces: Vec<PendingPart<'_>>, sink: &mut dyn PartSink) -> Result<()> {
        let rows: u64 = pieces.iter().map(|piece| piece.part.rows()).sum();
        let mut block = Block::empty(self.job.frame);
        block.reserve(rows as usize);
        let mut parts = Vec::with_capacity(pieces.len());
        for PendingPart { part, way } in &pieces {
            part.load(&mut block)?;
            parts.push((block.rows() as u32, way));
        }
        self.count(rows, 1, 0);
        self.finish(block, &parts, sink)
    }

    fn has_hierarchies(&self) -> bool {
        (0..self.job.frame.dimensions()).any(|d| self.job.frame.domain(d).hierarchy().is_some())
    }

    /// Finds the groups of parts in memory, each of which ends at its row, and hands them over.
    fn finish(&mut self, block: Block, parts: &[(u32, &Way)], sink: &mut dyn PartSink) -> Result<()> {
        let rows = block.rows() as u64;
        let _taken = self.job.pool.reserve(self.room.working_bytes(rows), "the rows of a part")?;
        let table = block.into_table(self.job.frame)?;
        let mut partitioning = self.partition(&table, parts)?;
        let mut way = &Way::default();
        match (&partitioning.tree, parts) {
            (Some(_), [(_, to)]) => way = to,
            _ => {
                let folder = self.job.folder;
                self.withheld.take(&table, &mut partitioning, parts, || folder.file())?;
            }
        }
        self.account.parts += parts.len() as u64;
        if self.job.observer.cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "stopped"));
        }
        if partitioning.groups() == 0 { Ok(()) } else { sink.part(table, partitioning, way) }
    }

    fn partition(&mut self, table: &Table, parts: &[(u32, &Way)]) -> Result<Partitioning> {
        if table.rows() as u64 == self.whole.rows {
            self.checks.feasible(table)?;
        }
        let split = self.job.split.bind(&self.job.original(table))?;
        let start = |&(end, way): &(u32, &Way)| PartStart { end, above: self.above(way) };
        let starts: Vec<PartStart> = parts.iter().map(start).collect();
        let inner = self.inner(table, &split);
        let (partitioning, _) = self.rothko.mondrian.partition_from(&inner, &starts)?;
        self.account.leaves += partitioning.groups() as u64;
        Ok(partitioning)
    }

    /// Hands over the groups that were kept back, those that are published alike as one.
    fn merge_withheld(&mut self, sink: &mut dyn PartSink) -> Result<()> {
        let withheld = std::mem::replace(&mut self.withheld, WithheldGroups::new(self.job.frame));
        let rows = withheld.rows();
        if rows == 0 {
            return Ok(());
        }
        let purpose = "the groups that are published alike";
        let _taken = self.job.pool.reserve(self.room.working_bytes(rows), purpose)?;
        self.count(rows, 1, 1);
        let (block, sizes) = withheld.load(self.job.frame)?;
        let table = block.into_table(self.job.frame)?;
        let mut end = 0;
        let mut merged = Partitioning {
            order: (0..rows as u32).collect(),
            ends: sizes
                .iter()
                .map(|size| {
                    end += size;
                    end
                })
                .collect(),
            regions: Regions::new(self.job.frame.dimensions()),
            tree: None,
            bound: None,
            strict: true,
        };
        merged.regions = merged.compact(&table);
        let domains = table.domains();
        merged.coalesce(&domains);
        sink.part(table, merged, &Way::default())
    }
}
