//! Small parts are finished at once: their rows are looked at once, and moved once all of their cuts are known.
//!
//! Most of the time of an R+-tree goes into parts of a few hundred rows and less, whose rows are looked at and moved again
//! at every level below. Where only sizes count and all dimensions are ordered, nothing but thresholds is cut, and numbers
//! of rows can be moved in the place of the rows.

use super::kernel::{MondrianGroups, MondrianRun, WorkerBuffers};
use super::span::{BufferRows, PartSpan};
use crate::cut::boxes::{BoxFinder, BoxPlan};
use crate::packed::Tuple;
use crate::partition::CutNode;
use crate::split::SplitCriterion;

impl<'a> MondrianRun<'a> {
    /// How boxes see the dimensions, where parts are cut by thresholds alone, and sizes alone decide.
    pub(super) fn thresholds_only(&self) -> Option<&BoxPlan<'a>> {
        let by_size = self.job.requirements.only_count() && self.job.split.workload().is_none();
        self.boxes.as_ref().filter(|plan| by_size && plan.only_thresholds())
    }

    /// Whether a part holds missing values and others in some dimension.
    pub(super) fn mixes_missing<T: Tuple>(&self, rows: &[T]) -> bool {
        self.dimensions.iter().enumerate().any(|(number, dimension)| {
            let is_missing = |row: &T| Some(row.code(number)) == dimension.missing;
            let (first, others) = (rows.first().map(is_missing), rows.get(1..).unwrap_or_default());
            dimension.missing.is_some() && others.iter().any(|row| Some(is_missing(row)) != first)
        })
    }

    /// Finishes a part, where it can be: returns it where not.
    pub(super) fn finish<'s, T: Tuple>(
        &self,
        span: PartSpan<'s, T>,
        work: &mut WorkerBuffers<'a>,
        found: &mut MondrianGroups,
    ) -> Option<PartSpan<'s, T>> {
        let (rows, least) = (span.here.rows.len(), self.job.requirements.minimum_size());
        let plan = self
            .thresholds_only()
            .filter(|_| BoxFinder::finishes(rows as u64, least) && !self.mixes_missing(span.here.rows));
        let (Some(plan), SplitCriterion::Box(split)) = (plan, self.job.split) else { return Some(span) };
        let finder = &mut work.finder.boxes;
        finder.look_at_all(plan, &&*span.here.rows);
        let mut order = std::mem::take(&mut work.order);
        order.clear();
        order.extend(0..rows as u32);
        let overflows = least.saturating_mul(split.capacity.max(2));
        let mut finish = Finish { run: self, plan, finder, overflows, sides: &mut work.sides, found };
        finish.cut(&mut order);
        arrange(span, &order);
        work.order = order;
        self.job.observer.advance(rows as u64);
        None
    }
}

/// Puts the rows of a part in the given order, in the buffer in which the groups end up.
fn arrange<T: Tuple>(span: PartSpan<'_, T>, order: &[u32]) {
    let PartSpan { here: BufferRows { rows, ids }, there, at_home } = span;
    for ((to, id), &from) in there.rows.iter_mut().zip(there.ids.iter_mut()).zip(order) {
        (*to, *id) = (rows[from as usize], ids[from as usize]);
    }
    if at_home {
        rows.copy_from_slice(there.rows);
        ids.copy_from_slice(there.ids);
    }
}

struct Finish<'f, 'a> {
    run: &'f MondrianRun<'a>,
    plan: &'f BoxPlan<'a>,
    finder: &'f mut BoxFinder,
    /// A part of this many rows is cut, if it can be.
    overflows: u64,
    /// The right side of a cut while rows are moved.
    sides: &'f mut Vec<u32>,
    found: &'f mut MondrianGroups,
}

impl Finish<'_, '_> {
    fn cut(&mut self, order: &mut [u32]) {
        let (rows, requirements) = (order.len() as u64, self.run.job.requirements);
        let cut = match rows < self.overflows || requirements.is_enough(rows) {
            true => None,
            false => self.finder.threshold(self.plan, order, requirements.minimum_size()),
        };
        let Some((dimension, code, left)) = cut else {
            self.found.push_group(rows as u32, false);
            if self.run.job.keep_tree {
                self.found.tree.nodes.push(CutNode::Leaf { rows: rows as u32 });
            }
            return;
        };
        self.move_numbers(order, dimension, code);
        let (low, high) = order.split_at_mut(left);
        if self.run.job.keep_tree {
            let node = self.found.tree.push_threshold(dimension, code, false);
            self.cut(low);
            self.found.tree.close_left(node);
        } else {
            self.cut(low);
        }
        self.cut(high);
    }

    /// Moves the numbers of rows with codes up to `code` before the others, each in their order.
    fn move_numbers(&mut self, order: &mut [u32], dimension: usize, code: u32) {
        let codes = self.finder.codes(dimension);
        self.sides.clear();
        self.sides.resize(order.len(), 0);
        let (mut lefts, mut rights) = (0, 0);
        for at in 0..order.len() {
            let row = order[at];
            let right = codes[row as usize] > code;
            order[lefts] = row;
            self.sides[rights] = row;
            lefts += usize::from(!right);
            rights += usize::from(right);
        }
        order[lefts..].copy_from_slice(&self.sides[..rights]);
    }
}
