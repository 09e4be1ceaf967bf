//! Missing values that go with another value.
//!
//! A missing value is a value of its own, which is merged with others last of all: a block with it is published as `*`
//! in the whole column. The search therefore also tries to let rows without a value go with the rarest other value, in the
//! same atom: all of them, and only those of columns in which they are fewer than a group needs. What it
//! comes to is published block by block, but for groups that hold rows with a value and rows without one: these publish
//! `*` in that column. They are divided where both can stand alone, else so that as few rows as possible pay.

use super::family::ColumnFamily;
use super::problem::SchemeProblem;
use crate::Result;
use crate::job::Job;
use crate::loss::{Totals, cost_of};
use crate::partition::{CutNode, CutTree, PartitionGroups, Partitioning};
use crate::region::Extents;
use crate::statistics::Collector;
use crate::table::{Domain, Shape, Table};
use std::time::{Duration, Instant};

/// How the families treat missing values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MissingRule {
    /// As a value of its own.
    Apart,
    /// As the rarest other value, where they are fewer than a group needs.
    FewWithRarest,
    /// As the rarest other value.
    WithRarest,
}

/// How many rows have no value in a column that gives missing values no place.
fn missing_rows(table: &Table, dimension: usize) -> usize {
    let (domain, codes) = (table.domain(dimension), table.codes(dimension));
    let missing = domain.missing_code().filter(|_| !matches!(domain.shape(), Shape::Set));
    missing.map_or(0, |missing| (0..table.rows()).filter(|&row| codes.get(row) == missing).count())
}

/// Whether fewer rows than a group needs have no value in a column.
pub(super) fn are_few(job: &Job<'_>, dimension: usize) -> bool {
    (missing_rows(job.table, dimension) as u64) < job.requirements.minimum_size()
}

/// The ways to treat missing values that are tried, each with its share of the time that is left. A search with the
/// missing value by itself hardly succeeds where few rows have it: it comes last and gets little.
pub(super) fn ways(job: &Job<'_>) -> Vec<(MissingRule, f64)> {
    let rows = job.table.rows();
    if job.suppression.limit(rows) > 0 {
        // Rows without a value can be left out instead, at the price of the loss.
        return vec![(MissingRule::Apart, 1.0)];
    }
    let (mut few, mut many) = (false, false);
    for dimension in 0..job.table.dimensions() {
        if (1..rows).contains(&missing_rows(job.table, dimension)) {
            *(if are_few(job, dimension) { &mut few } else { &mut many }) = true;
        }
    }
    match (few, many) {
        (false, false) => vec![(MissingRule::Apart, 1.0)],
        (true, false) => vec![(MissingRule::WithRarest, 0.875), (MissingRule::Apart, 1.0)],
        (false, true) => vec![(MissingRule::Apart, 0.5), (MissingRule::WithRarest, 1.0)],
        (true, true) => {
            vec![
                (MissingRule::FewWithRarest, 0.5),
                (MissingRule::WithRarest, 0.75),
                (MissingRule::Apart, 1.0),
            ]
        }
    }
}

impl ColumnFamily {
    /// The code of the missing value, where it goes with another.
    pub(super) fn joined(&self, domain: &Domain) -> Option<u32> {
        let missing = domain.missing_code().filter(|_| !matches!(domain.shape(), Shape::Set))?;
        self.codes.iter().any(|codes| codes.len() > 1 && codes.contains(&missing)).then_some(missing)
    }
}

/// The columns in which missing values go with another, with their codes.
fn joined(problem: &SchemeProblem<'_>) -> Vec<(usize, u32)> {
    let of = |(column, family): (usize, &ColumnFamily)| {
        family.joined(problem.job.table.domain(column)).map(|missing| (column, missing))
    };
    problem.families.iter().enumerate().filter_map(of).collect()
}

/// Divides groups whose rows with a value and rows without one both satisfy the requirements.
pub(super) fn divide(problem: &SchemeProblem<'_>, found: &mut Partitioning) -> Result<()> {
    let joined = joined(problem);
    let Some(old) = found.tree.take().filter(|_| !joined.is_empty()) else { return Ok(()) };
    let collector = Collector::new(problem.job.requirements.needs(), problem.job.table)?;
    let until = problem.job.budget.until.map(|until| until.max(Instant::now() + GRACE));
    let (order, ends, tree) = (Vec::new(), Vec::new(), CutTree::default());
    let mut divided = MissingDivision { problem, joined, collector, until, order, ends, tree };
    // Cuts whose right child has not come yet: where it stands in the old tree, and where the cut stands in the new one.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut group = 0;
    for (at, node) in old.nodes.iter().enumerate() {
        if let Some((_, cut)) = open.pop_if(|(right, _)| *right == at) {
            divided.tree.close_left(cut);
        }
        match node {
            CutNode::Leaf { rows: 0 } => divided.tree.nodes.push(*node),
            CutNode::Leaf { .. } => {
                divided.push(found.rows(group).to_vec(), 0);
                group += 1;
            }
            _ => {
                open.push((at + old.right(at), divided.tree.nodes.len()));
                divided.tree.push_copy(&old, at);
            }
        }
    }
    (found.order, found.ends, found.tree) = (divided.order, divided.ends, Some(divided.tree));
    found.regions = found.compact(problem.job.table);
    Ok(())
}

/// How long groups may be divided after a search that took all of its time.
const GRACE: Duration = Duration::from_millis(300);

struct MissingDivision<'p, 'a> {
    problem: &'p SchemeProblem<'a>,
    joined: Vec<(usize, u32)>,
    collector: Collector<'p>,
    /// When groups are no longer divided, but where both parts can stand alone.
    until: Option<Instant>,
    order: Vec<u32>,
    ends: Vec<u32>,
    tree: CutTree,
}

impl MissingDivision<'_, '_> {
    /// Appends rows as a group, or as several, by the columns from the given one on.
    fn push(&mut self, rows: Vec<u32>, from: usize) {
        for at in from..self.joined.len() {
            let (column, missing) = self.joined[at];
            if let Some(cut) = self.cut(&rows, column, missing) {
                let codes = self.problem.job.table.codes(cut.dimension);
                let left = |row: &u32| match codes.get(*row as usize) {
                    code if cut.missing_left && code == missing => true,
                    code => code <= cut.code,
                };
                let (left, right): (Vec<u32>, Vec<u32>) = rows.iter().partition(|row| left(row));
                let node = match cut.missing_left {
                    true => self.tree.push_threshold_missing_left(cut.dimension, cut.code),
                    false => self.tree.push_threshold(cut.dimension, cut.code, false),
                };
                self.push(left, at);
                self.tree.close_left(node);
                self.push(right, at);
                return;
            }
        }
        self.tree.nodes.push(CutNode::Leaf { rows: rows.len() as u32 });
        self.order.extend_from_slice(&rows);
        self.ends.push(self.order.len() as u32);
    }

    fn satisfies(&self, rows: &[u32]) -> bool {
        let requirements = self.problem.job.requirements;
        rows.len() as u64 >= requirements.minimum_size().max(1)
            && (requirements.only_count() || requirements.satisfied(&self.collector.of(rows)))
    }

    /// The cut of a group that leaves fewest rows with those that have no value in a column.
    fn cut(&self, rows: &[u32], column: usize, missing: u32) -> Option<MissingCut> {
        let (job, codes) = (self.problem.job, self.problem.job.table.codes(column));
        let (without, with): (Vec<u32>, Vec<u32>) =
            rows.iter().partition(|&&row| codes.get(row as usize) == missing);
        if without.is_empty() || with.is_empty() {
            return None;
        }
        if self.satisfies(&without) && self.satisfies(&with) {
            let (dimension, code) = (column, missing - 1);
            return Some(MissingCut { dimension, code, missing_left: false, rows: without.len() });
        }
        let late = || self.until.is_some_and(|until| Instant::now() >= until);
        let stopped = || late() || job.observer.cancelled();
        let others = (0..job.table.dimensions()).filter(|&dimension| dimension != column);
        let ways =
            [column].into_iter().chain(others).flat_map(|dimension| [(dimension, true), (dimension, false)]);
        let mut best: Option<MissingCut> = None;
        for (dimension, left) in ways {
            // Two sides of a set or of a node of a hierarchy may be published alike.
            if !matches!(job.table.domain(dimension).shape(), Shape::Ordered) || stopped() {
                continue;
            }
            let found = self.aside(rows, (column, missing), dimension, left);
            if let Some(found) = found.filter(|found| best.as_ref().is_none_or(|best| found.rows < best.rows))
            {
                best = Some(found);
            }
        }
        best
    }

    /// The cut of a dimension that leaves fewest rows with those that have no value in a column, all of these on the given
    /// side.
    fn aside(
        &self,
        rows: &[u32],
        (column, missing): (usize, u32),
        dimension: usize,
        left: bool,
    ) -> Option<MissingCut> {
        let table = self.problem.job.table;
        let (codes, by) = (table.codes(column), table.codes(dimension));
        let missing_left = left && dimension == column;
        // Every row with its place, which is one more than its code, from the side of the rows without a value on.
        let place = |row: u32| match by.get(row as usize) {
            code if missing_left && code == missing => 0,
            code => code + 1,
        };
        let mut places: Vec<(u32, u32)> = rows.iter().map(|&row| (place(row), row)).collect();
        places.sort_unstable();
        if !left {
            places.reverse();
        }
        let has_none = |(_, row): &(u32, u32)| codes.get(*row as usize) == missing;
        let least = self.problem.job.requirements.minimum_size().max(1) as usize;
        let mut many = least.max(places.iter().rposition(has_none)? + 1);
        loop {
            let rest = places.get(many..)?;
            many += rest.iter().take_while(|(place, _)| *place == places[many - 1].0).count();
            let (side, rest) = places.split_at(many);
            if rest.len() < least {
                return None;
            }
            let of = |places: &[(u32, u32)]| places.iter().map(|(_, row)| *row).collect::<Vec<u32>>();
            // The last place on the left, which is none where nothing but missing values are there.
            let last = if left { side[many - 1].0 } else { rest[0].0 };
            if last > 0 && self.satisfies(&of(side)) && self.satisfies(&of(rest)) {
                return Some(MissingCut { dimension, code: last - 1, missing_left, rows: many });
            }
            many = if last > 0 { many.saturating_mul(2) } else { many + 1 };
        }
    }
}

/// A cut that sets rows without a value aside.
struct MissingCut {
    dimension: usize,
    code: u32,
    /// Whether they go left because they have no value in this dimension.
    missing_left: bool,
    /// How many rows go with them, themselves included.
    rows: usize,
}

/// The loss of a partitioning of all rows as it is published: by its boundaries, with groups that are published alike as
/// one.
pub(super) fn published_loss(job: &Job<'_>, found: &Partitioning) -> Result<f64> {
    let domains: Vec<&Domain> = (0..job.table.dimensions()).map(|d| job.table.domain(d)).collect();
    let mut published = found.clone();
    if let Some(tree) = &found.tree {
        published.regions = tree.regions(&domains, Some(&found.regions));
    }
    published.coalesce(&domains);
    let groups = PartitionGroups { table: job.table, partitioning: &published, extents: Extents::Region };
    let sum = cost_of(job.loss, job.table, &groups)?;
    Ok(job.loss.finish(sum, &totals(job, published.groups())))
}

/// The loss of all rows as one group.
pub(super) fn loss_of_one_group(job: &Job<'_>) -> Result<f64> {
    let all = Collector::new(&job.loss.needs(), job.table)?.of_all();
    Ok(job.loss.finish(job.loss.group(&all), &totals(job, 1)))
}

fn totals(job: &Job<'_>, groups: usize) -> Totals {
    let (rows, k) = (job.table.rows() as u64, job.requirements.minimum_size());
    Totals { rows, suppressed: 0, groups: groups as u64, k }
}
