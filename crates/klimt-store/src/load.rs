//! Bulk loading (section 2.1): the first rows of a store.
//!
//! Rows flow down through buffers on disk, level by level, to parts that fit in memory: that is Rothko's recursion with
//! the cuts of the R+-tree. Here the parts become pages, and the ways to them the directory.

use crate::batch::arrived;
use crate::dictionary::StoreFrame;
use crate::page::{Page, PageEntry, PageRows};
use crate::refit::divide_page;
use crate::state::Directory;
use crate::vault::{Change, ValueSource};
use klimt_core::partition::{CutNode, CutTree, Partitioning};
use klimt_core::parts::{PartSink, Way, Whole};
use klimt_core::table::Table;
use klimt_core::{Error, Result};
use rayon::prelude::*;

/// Takes the parts of a batch and writes them as pages.
pub(crate) struct Loader<'l, 'v> {
    frame: &'l StoreFrame,
    change: &'l mut Change<'v>,
    next_page: &'l mut u32,
    parts: Vec<PartPages>,
    /// Rows whose part has no cuts: they go to their leaves when all parts are there.
    pub late: PageRows,
}

/// The pages of a part, the cuts above them, and the way to it.
struct PartPages {
    way: Way,
    tree: CutTree,
    pages: Vec<PageEntry>,
}

impl<'l, 'v> Loader<'l, 'v> {
    pub fn new(frame: &'l StoreFrame, change: &'l mut Change<'v>, next_page: &'l mut u32) -> Self {
        Loader { frame, change, next_page, parts: Vec::new(), late: PageRows::empty(frame) }
    }

    /// The directory of all parts, and the rows that are late.
    pub fn finish(mut self) -> Result<(Directory, PageRows)> {
        let mut parts = std::mem::take(&mut self.parts);
        parts.retain(|part| !part.pages.is_empty());
        let mut directory = Directory::default();
        self.assemble(&mut parts, 0, &mut directory)?;
        Ok((directory, self.late))
    }

    /// Appends what lies below a node of the ways: parts whose ways are the same up to a depth.
    fn assemble(&mut self, parts: &mut [PartPages], depth: usize, into: &mut Directory) -> Result<()> {
        match parts {
            [] => {
                let (entry, values) =
                    Page::empty(self.frame).seal(*self.next_page, self.frame, self.change.secret())?;
                *self.next_page += 1;
                values.iter().try_for_each(|value| self.change.put(value))?;
                into.tree.nodes.push(CutNode::Leaf { rows: 0 });
                into.push(entry, Vec::new());
                Ok(())
            }
            [part] if part.way.cuts().len() == depth => {
                into.tree.append(&part.tree);
                part.pages.drain(..).for_each(|page| into.push(page, Vec::new()));
                Ok(())
            }
            parts => {
                let way = |part: &PartPages| part.way.cuts().get(depth).cloned();
                let (cut, _) = way(&parts[0]).ok_or_else(|| Error::internal("two parts are in one place"))?;
                let lefts = parts.iter().take_while(|part| way(part).is_some_and(|(_, left)| left)).count();
                let node = into.tree.nodes.len();
                into.tree.push_copy(&cut, 0);
                let (left, right) = parts.split_at_mut(lefts);
                self.assemble(left, depth + 1, into)?;
                into.tree.close_left(node);
                self.assemble(right, depth + 1, into)
            }
        }
    }
}

impl PartSink for Loader<'_, '_> {
    fn begin(&mut self, _: &Whole<'_>) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, table: Table, partitioning: Partitioning, way: &Way) -> Result<()> {
        let rows = arrived(&table, &partitioning.order, self.frame)?;
        let Some(tree) = partitioning.tree else {
            self.late.append(&rows);
            return Ok(());
        };
        drop(table);
        let (above, pages) = divide_page(&Page { rows, tree }, self.frame);
        let first = *self.next_page;
        *self.next_page += pages.len() as u32;
        let (frame, secret) = (self.frame, self.change.secret());
        let sealed = pages.par_iter().zip(first..first + pages.len() as u32);
        let sealed: Vec<_> = sealed.map(|(page, number)| page.seal(number, frame, secret)).collect();
        let mut entries = Vec::with_capacity(pages.len());
        for sealed in sealed {
            let (entry, values) = sealed?;
            values.iter().try_for_each(|value| self.change.put(value))?;
            entries.push(entry);
        }
        self.parts.push(PartPages { way: way.clone(), tree: above, pages: entries });
        Ok(())
    }

    fn slice(&mut self, table: Table, slice: Partitioning, _: &Way, _: bool) -> Result<()> {
        let rows = arrived(&table, &slice.order, self.frame)?;
        self.late.append(&rows);
        Ok(())
    }
}
