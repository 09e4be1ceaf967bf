//! Gathering the rows of groups from the pages that they lie in.

use crate::page::Page;
use crate::plan::ReleasePlan;
use hashbrown::HashMap;
use klimt_core::spill::Block;
use klimt_core::table::Table;
use klimt_core::{Error, Result};

/// Takes pages in their order and hands over every group when all of its rows have come.
pub(crate) struct Gatherer<'p> {
    plan: &'p ReleasePlan,
    frame: &'p Table,
    /// The number of the next row.
    next: usize,
    /// Groups of which some rows have come.
    open: HashMap<u32, Block>,
}

impl<'p> Gatherer<'p> {
    pub fn new(plan: &'p ReleasePlan, frame: &'p Table) -> Self {
        Gatherer { plan, frame, next: 0, open: HashMap::new() }
    }

    /// The places in the plan of the rows of the next page.
    pub fn places(&self, page: &Page) -> Result<&'p [u32]> {
        let end = self.next + page.rows.len();
        self.plan.places.get(self.next..end).ok_or_else(|| Error::internal("a plan has too few rows"))
    }

    /// Takes the next page; `each` is handed the number of a group, a block, and the numbers of the group's rows in it.
    pub fn page(
        &mut self,
        page: &Page,
        mut each: impl FnMut(u32, &Block, &[u32]) -> Result<()>,
    ) -> Result<()> {
        let places = self.places(page)?;
        self.next += places.len();
        let mut rows: Vec<u32> =
            (0..places.len() as u32).filter(|&row| places[row as usize] != ReleasePlan::HELD).collect();
        rows.sort_by_key(|&row| places[row as usize]);
        for rows in rows.chunk_by(|&a, &b| places[a as usize] == places[b as usize]) {
            let group = places[rows[0] as usize];
            let size = self.plan.sizes[group as usize] as usize;
            if rows.len() == size {
                each(group, &page.rows.block, rows)?;
                continue;
            }
            let open = self.open.entry(group).or_insert_with(|| Block::empty(self.frame));
            open.append_rows(&page.rows.block, rows);
            if open.rows() == size
                && let Some(block) = self.open.remove(&group)
            {
                each(group, &block, &(0..size as u32).collect::<Vec<_>>())?;
            }
        }
        Ok(())
    }

    /// All pages have come.
    pub fn finish(self) -> Result<()> {
        let all = self.next == self.plan.places.len() && self.open.is_empty();
        if all { Ok(()) } else { Err(Error::internal("a plan has groups whose rows have not come")) }
    }
}
