//! Refits a page after rows came and went.
//!
//! A new row goes to the leaf that the cuts lead it to. A leaf that has received rows is cut again, where a
//! cut is allowable: it has overflowed. As leaves that are cut one by one fit ever worse, a few neighbours
//! are merged with it and cut together; but released rows stay in the leaves in which they were released. A
//! leaf that no longer satisfies the requirements is merged with its neighbours, and the merged leaf is cut
//! again: it borrows, or it stays merged.

use crate::dictionary::StoreFrame;
use crate::page::{MOST_ROWS, Page, PageRows, dimensions, leaf_sizes, subtree};
use klimt_core::algorithm::mondrian::{HierarchyCut, Model, Mondrian};
use klimt_core::job::{Budget, Job, Suppression, Unobserved};
use klimt_core::loss::SuppressedRows;
use klimt_core::partition::{CutNode, CutTree, Descent, Partitioning};
use klimt_core::requirement::Checks;
use klimt_core::spill::Block;
use klimt_core::split::SplitCriterion;
use klimt_core::statistics::{Collector, Needs, Statistics};
use klimt_core::{Error, Result};

/// Up to this many times the rows that a leaf needs are cut again together.
const NEIGHBOURHOOD: u64 = 6;

/// Histograms have a place for every code of a column with at most this many.
const FEW_CODES: usize = 1 << 8;

/// Cuts leaves, for every page alike.
pub(crate) struct Fitter<'a> {
    frame: &'a StoreFrame,
    /// The requirements of leaves; `None` where not even all rows together satisfy them.
    checks: Option<&'a Checks>,
    split: &'a SplitCriterion<'a>,
    weights: &'a [f64],
    collector: Collector<'a>,
}

/// A leaf of the page that is being made: where its rows stand in the order of the draft, and whether it is to be cut.
struct PageLeaf {
    first: usize,
    rows: usize,
    cut: bool,
}

/// A page that is being made.
struct PageDraft {
    tree: CutTree,
    leaves: Vec<PageLeaf>,
    order: Vec<u32>,
}

impl<'a> Fitter<'a> {
    /// A fitter for the pages of a store with `rows` rows.
    pub fn new(
        frame: &'a StoreFrame,
        checks: Option<&'a Checks>,
        split: &'a SplitCriterion<'a>,
        weights: &'a [f64],
        rows: u64,
    ) -> Result<Self> {
        let needs = checks.map_or(Needs::default(), |checks| checks.needs().clone());
        let mut collector = Collector::of_rows(&needs, &frame.table, rows)?;
        collector.prepare_for_all(FEW_CODES);
        Ok(Fitter { frame, checks, split, weights, collector })
    }

    /// The page without the rows that are gone (ascending), and with others that its cuts lead to it.
    pub fn refit(&self, page: Page, gone: &[u32], arrivals: &PageRows) -> Result<Page> {
        let Page { rows: mut all, tree } = page;
        let kept = all.len() as u32;
        all.append(arrivals);
        let descent = Descent::over(&tree, &self.frame.table);
        let codes = dimensions(&all.block, self.frame);
        let routed = (kept..all.len() as u32)
            .map(|row| (descent.leaf(|dimension| codes[dimension].get(row as usize)), row));
        let mut routed: Vec<(usize, u32)> = routed.collect();
        routed.sort_unstable();
        let (mut routed, mut gone) = (routed.into_iter().peekable(), gone.iter().copied().peekable());
        let (mut order, mut leaves, mut next) = (Vec::with_capacity(all.len()), Vec::new(), 0);
        for (leaf, rows) in leaf_sizes(&tree).into_iter().enumerate() {
            let first = order.len();
            order.extend((next..next + rows).filter(|row| gone.next_if_eq(row).is_none()));
            next += rows;
            let stay = order.len() - first;
            while let Some((_, row)) = routed.next_if(|(of, _)| *of == leaf) {
                order.push(row);
            }
            let touched = stay < rows as usize || order.len() - first > stay;
            leaves.push(PageLeaf { first, rows: order.len() - first, cut: touched });
        }
        let mut draft =
            PageDraft { tree: CutTree::default(), leaves: Vec::with_capacity(leaves.len()), order };
        self.visit(&tree, 0, &mut leaves.into_iter(), &all, &mut draft)?;
        self.cut(draft, &all)
    }

    /// A page of rows that have no cuts yet.
    pub fn fit(&self, rows: &PageRows) -> Result<Page> {
        let order: Vec<u32> = (0..rows.len() as u32).collect();
        let tree = CutTree { nodes: vec![CutNode::Leaf { rows: order.len() as u32 }], members: Vec::new() };
        let leaves = vec![PageLeaf { first: 0, rows: order.len(), cut: true }];
        self.cut(PageDraft { tree, leaves, order }, rows)
    }

    /// The rows that a leaf needs, at least.
    pub fn least(&self) -> u64 {
        self.checks.map_or(u64::MAX, Checks::minimum_size)
    }

    /// Whether rows satisfy the requirements of a leaf.
    fn satisfied(&self, block: &Block, rows: &[u32]) -> bool {
        let Some(checks) = self.checks else { return false };
        if checks.only_count() {
            return rows.len() as u64 >= checks.minimum_size();
        }
        let mut statistics: Statistics = self.collector.empty();
        self.collector.add_rows(&mut statistics, block, rows);
        checks.satisfied(&statistics)
    }

    /// Whether all rows of a page do; a page without rows always does.
    pub fn holds(&self, page: &Page) -> bool {
        let rows: Vec<u32> = (0..page.rows.len() as u32).collect();
        rows.is_empty() || self.satisfied(&page.rows.block, &rows)
    }

    /// Copies a subtree to the draft. Where a leaf violates the requirements, what lies below its parent becomes one leaf;
    /// where one has overflown, so does the neighbourhood. Returns whether what it has become violates them.
    fn visit(
        &self,
        tree: &CutTree,
        at: usize,
        leaves: &mut impl Iterator<Item = PageLeaf>,
        all: &PageRows,
        draft: &mut PageDraft,
    ) -> Result<bool> {
        let (node, leaf) = (draft.tree.nodes.len(), draft.leaves.len());
        if let CutNode::Leaf { .. } = tree.nodes[at] {
            let leaf = leaves.next().ok_or_else(|| Error::internal("a page has lost a leaf"))?;
            let rows = &draft.order[leaf.first..leaf.first + leaf.rows];
            let violated = leaf.cut && leaf.rows > 0 && !self.satisfied(&all.block, rows);
            draft.tree.nodes.push(CutNode::Leaf { rows: leaf.rows as u32 });
            draft.leaves.push(leaf);
            return Ok(violated);
        }
        let members = draft.tree.members.len();
        draft.tree.push_copy(tree, at);
        let left = self.visit(tree, at + 1, leaves, all, draft)?;
        draft.tree.close_left(node);
        let right = self.visit(tree, at + tree.right(at), leaves, all, draft)?;
        if !left && !right && !self.overflows(&draft.leaves[leaf..], &draft.order, &all.marks) {
            return Ok(false);
        }
        draft.tree.nodes.truncate(node);
        draft.tree.members.truncate(members);
        let merged = draft.leaves.split_off(leaf);
        let first = merged.first().map_or(0, |leaf| leaf.first);
        let rows = merged.iter().map(|leaf| leaf.rows).sum();
        draft.tree.nodes.push(CutNode::Leaf { rows: rows as u32 });
        draft.leaves.push(PageLeaf { first, rows, cut: true });
        Ok((left || right) && !self.satisfied(&all.block, &draft.order[first..first + rows]))
    }

    /// Whether one of some leaves has overflown, and all of them are few enough to be cut together.
    fn overflows(&self, leaves: &[PageLeaf], order: &[u32], marks: &[u32]) -> bool {
        let least = self.least();
        let rows: usize = leaves.iter().map(|leaf| leaf.rows).sum();
        let has_overflown = |leaf: &PageLeaf| leaf.cut && leaf.rows as u64 / 2 >= least;
        let is_new = |leaf: &PageLeaf| {
            order[leaf.first..leaf.first + leaf.rows].iter().all(|&row| marks[row as usize] == 0)
        };
        rows as u64 <= least.saturating_mul(NEIGHBOURHOOD)
            && leaves.iter().any(has_overflown)
            && leaves.iter().all(is_new)
    }

    /// Cuts the leaves that are to be cut.
    fn cut(&self, draft: PageDraft, all: &PageRows) -> Result<Page> {
        let least = self.least();
        let is_part = |leaf: &&PageLeaf| leaf.cut && leaf.rows as u64 / 2 >= least;
        let parts: Vec<&PageLeaf> = draft.leaves.iter().filter(is_part).collect();
        let mut made = Vec::new();
        if !parts.is_empty() {
            let (mut block, mut ends) = (Block::empty(&self.frame.table), Vec::new());
            for part in &parts {
                block.append_rows(&all.block, &draft.order[part.first..part.first + part.rows]);
                ends.push(block.rows() as u32);
            }
            made = self.partition(block, &ends)?;
            let rows_of = |part: &PageLeaf| &draft.order[part.first..part.first + part.rows];
            let parts = parts.iter().zip(made);
            made = parts
                .map(|(part, (tree, rows))| (self.mended(&tree, &rows, rows_of(part), all), rows))
                .collect();
        }
        let (mut tree, mut order) = (CutTree::default(), Vec::with_capacity(draft.order.len()));
        let (mut made, mut leaves) = (made.into_iter(), draft.leaves.iter());
        // Cuts whose right child has not come yet: where it stands in the draft, and where the cut stands in the tree.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (at, node) in draft.tree.nodes.iter().enumerate() {
            if let Some((_, cut)) = open.pop_if(|(right, _)| *right == at) {
                tree.close_left(cut);
            }
            match node {
                CutNode::Leaf { rows } => {
                    let leaf = leaves.next().ok_or_else(|| Error::internal("a draft has lost a leaf"))?;
                    let rows_of = &draft.order[leaf.first..leaf.first + leaf.rows];
                    match is_part(&leaf).then(|| made.next()).flatten() {
                        Some((subtree, numbers)) => {
                            tree.append(&subtree);
                            order.extend(numbers.iter().map(|&number| rows_of[number as usize]));
                        }
                        None => {
                            tree.nodes.push(CutNode::Leaf { rows: *rows });
                            order.extend_from_slice(rows_of);
                        }
                    }
                }
                CutNode::Threshold { .. } | CutNode::Subset { .. } => {
                    open.push((at + draft.tree.right(at), tree.nodes.len()));
                    tree.push_copy(&draft.tree, at);
                }
            }
        }
        let mut rows = PageRows::empty(self.frame);
        rows.append_rows(all, &order);
        Ok(Page { rows, tree })
    }

    /// Cuts without those that leave rows of a released group on a side where these, as candidates for each other, violate
    /// the requirements. Where only sizes count, a release takes in neighbours until there are enough of them; what else
    /// they may lack, nobody knows beforehand.
    fn mended(&self, tree: &CutTree, order: &[u32], rows_of: &[u32], all: &PageRows) -> CutTree {
        if self.checks.is_none_or(Checks::only_count) {
            return tree.clone();
        }
        let rows: Vec<u32> = order.iter().map(|&number| rows_of[number as usize]).collect();
        let mut out = CutTree::default();
        self.mend(tree, 0, &rows, all, &mut out);
        out
    }

    /// Copies a subtree; returns how many of the given rows it has, and whether it keeps together who was.
    fn mend(
        &self,
        tree: &CutTree,
        at: usize,
        rows: &[u32],
        all: &PageRows,
        out: &mut CutTree,
    ) -> (usize, bool) {
        if let CutNode::Leaf { rows: many } = tree.nodes[at] {
            out.nodes.push(CutNode::Leaf { rows: many });
            return (many as usize, self.keeps_together(&rows[..many as usize], all));
        }
        let (node, members) = (out.nodes.len(), out.members.len());
        out.push_copy(tree, at);
        let (left, kept_left) = self.mend(tree, at + 1, rows, all, out);
        out.close_left(node);
        let (right, kept_right) = self.mend(tree, at + tree.right(at), &rows[left..], all, out);
        let many = left + right;
        if kept_left && kept_right {
            return (many, true);
        }
        out.nodes.truncate(node);
        out.members.truncate(members);
        out.nodes.push(CutNode::Leaf { rows: many as u32 });
        (many, self.keeps_together(&rows[..many], all))
    }

    /// Whether the rows of every released group among these satisfy the requirements by themselves.
    fn keeps_together(&self, rows: &[u32], all: &PageRows) -> bool {
        let mark = |row: &u32| all.marks[*row as usize];
        let mut released: Vec<u32> = rows.iter().copied().filter(|row| mark(row) != 0).collect();
        released.sort_unstable_by_key(mark);
        released.chunk_by(|a, b| mark(a) == mark(b)).all(|same| self.satisfied(&all.block, same))
    }

    /// The cuts of parts, and their rows in the order of the leaves, by their number in the part.
    fn partition(&self, block: Block, ends: &[u32]) -> Result<Vec<(CutTree, Vec<u32>)>> {
        let table = block.into_table(&self.frame.table)?;
        let checks = self.checks.ok_or_else(|| Error::internal("no cut is allowable"))?;
        let job = Job {
            table: &table,
            requirements: checks,
            split: self.split,
            loss: &SuppressedRows,
            suppression: Suppression::NONE,
            budget: Budget::default(),
            weights: self.weights,
            keep_tree: true,
            observer: &Unobserved,
        };
        let mondrian = Mondrian { model: Model::Strict, hierarchy_cut: HierarchyCut::Both };
        let found = mondrian.partition_parts(&job, ends)?;
        divide(&found, ends)
    }
}

/// The trees of parts that were cut side by side.
fn divide(found: &Partitioning, ends: &[u32]) -> Result<Vec<(CutTree, Vec<u32>)>> {
    let all = found.tree.as_ref().ok_or_else(|| Error::internal("the cuts were not kept"))?;
    let (mut at, mut first, mut parts) = (0, 0, Vec::with_capacity(ends.len()));
    for &end in ends {
        let nodes = subtree(all, at);
        at = nodes.end;
        let rows = &found.order[first as usize..end as usize];
        parts.push((extract(all, nodes.start), rows.iter().map(|&row| row - first).collect()));
        first = end;
    }
    Ok(parts)
}

/// A subtree as a tree of its own.
pub(crate) fn extract(tree: &CutTree, at: usize) -> CutTree {
    let mut out = CutTree::default();
    subtree(tree, at).for_each(|node| out.push_copy(tree, node));
    out
}

/// Divides a page whose rows have become too many: the cuts above the new pages, each of which is a leaf of them, and the
/// pages.
pub(crate) fn divide_page(page: &Page, frame: &StoreFrame) -> (CutTree, Vec<Page>) {
    let mut sizes = vec![0usize; page.tree.nodes.len()];
    for at in (0..sizes.len()).rev() {
        sizes[at] = match page.tree.nodes[at] {
            CutNode::Leaf { rows } => rows as usize,
            _ => sizes[at + 1] + sizes[at + page.tree.right(at)],
        };
    }
    let (mut above, mut pages, mut first) = (CutTree::default(), Vec::new(), 0u32);
    place(page, 0, &sizes, &mut above, &mut |at, above| {
        let tree = extract(&page.tree, at);
        let rows: Vec<u32> = (first..first + sizes[at] as u32).collect();
        first += sizes[at] as u32;
        let mut of_page = PageRows::empty(frame);
        of_page.append_rows(&page.rows, &rows);
        above.nodes.push(CutNode::Leaf { rows: sizes[at] as u32 });
        pages.push(Page { rows: of_page, tree });
    });
    (above, pages)
}

fn place(
    page: &Page,
    at: usize,
    sizes: &[usize],
    above: &mut CutTree,
    take: &mut impl FnMut(usize, &mut CutTree),
) {
    if sizes[at] <= MOST_ROWS || matches!(page.tree.nodes[at], CutNode::Leaf { .. }) {
        return take(at, above);
    }
    let cut = above.nodes.len();
    above.push_copy(&page.tree, at);
    place(page, at + 1, sizes, above, take);
    above.close_left(cut);
    place(page, at + page.tree.right(at), sizes, above, take);
}
