//! Rows that come and go: leads them to their pages and refits these.
//!
//! A page that rows go from is fitted again at once. Rows that come may wait (the buffers of the buffer tree, section
//! 2.1), so
//! that a batch costs by its own size and not by that of the store: each pays for some rows of the pages that most wait at.

use crate::dictionary::StoreFrame;
use crate::page::{Extract, Page, PageEntry, PageRows, RawPage, dimensions};
use crate::refit::{Fitter, divide_page};
use crate::state::{Directory, Replacement, rows_of};
use crate::vault::{Change, ValueName, ValueSource};
use klimt_core::Result;
use klimt_core::partition::{CutTree, Descent};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The number of pages in memory at a time, per thread.
const PAGES: usize = 16;

/// A page at which this many batches wait is fitted again.
const BATCHES: usize = 16;

/// How many rows of pages may be fitted again for rows that come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefitWork {
    /// All pages that rows come to or wait at.
    Everything,
    /// About this many rows, besides those of pages that cannot wait.
    Rows(usize),
}

/// The rows that are gone, by the place of their page, ascending; those that wait are numbered after those of the page.
pub(crate) type Gone = BTreeMap<usize, Vec<u32>>;

/// The state of a page after it was refitted.
enum RefitResult {
    /// Pages, and the cuts above them.
    Pages(CutTree, Vec<Page>),
    /// Nothing: its rows no longer satisfy the requirements.
    Orphans(PageRows),
}

/// Changes the pages of a directory.
pub(crate) struct Maintainer<'m, 'v> {
    pub fitter: &'m Fitter<'m>,
    pub frame: &'m StoreFrame,
    pub change: &'m mut Change<'v>,
    pub next_page: &'m mut u32,
}

impl Maintainer<'_, '_> {
    /// The directory without the rows that are gone and with those that arrive. A page that no longer satisfies the
    /// requirements is given up, and its rows go where the cuts beside it lead them; the last page of all stays.
    pub fn apply(
        &mut self,
        mut directory: Directory,
        mut gone: Gone,
        mut arrivals: PageRows,
        mut work: RefitWork,
    ) -> Result<Directory> {
        loop {
            let (made, orphans) = self.round(&directory, &gone, &arrivals, work)?;
            if orphans.len() == 0 && !made.pages.is_empty() {
                return Ok(made);
            }
            if made.pages.is_empty() {
                let (above, pages) = divide_page(&self.fitter.fit(&orphans)?, self.frame);
                let pages = self.put(pages.into_iter().map(|page| (page, None)).collect())?;
                return Ok(Directory::of(above, pages));
            }
            (directory, gone, arrivals, work) = (made, Gone::new(), orphans, RefitWork::Rows(usize::MAX));
        }
    }

    /// The rows that belong to each page, by place.
    fn routed(&self, directory: &Directory, rows: &PageRows) -> Vec<Vec<u32>> {
        let descent = Descent::over(&directory.tree, &self.frame.table);
        let codes = dimensions(&rows.block, self.frame);
        let mut routed = vec![Vec::new(); directory.pages.len()];
        for row in 0..rows.len() {
            routed[descent.leaf(|dimension| codes[dimension].get(row))].push(row as u32);
        }
        routed
    }

    /// Which of the pages that rows come to or have gone from are fitted again, and at which the rows wait. The former are
    /// those that rows have gone from, those at which as many rows would wait as they have, those with a leaf that is too
    /// small, and of the others the ones at which most would wait, for what they have, as far as the work allows.
    fn due(
        &self,
        directory: &Directory,
        gone: &Gone,
        routed: &[Vec<u32>],
        work: RefitWork,
    ) -> (Vec<usize>, Vec<usize>) {
        let held = |place: usize| u64::from(directory.pages[place].rows);
        let come = |place: usize| rows_of(&directory.waiting[place]) + routed[place].len() as u64;
        let is_touched = |place: &usize| gone.contains_key(place) || !routed[*place].is_empty();
        let RefitWork::Rows(work) = work else {
            let due = (0..routed.len()).filter(|place| is_touched(place) || come(*place) > 0);
            return (due.collect(), Vec::new());
        };
        let cannot_wait = |place: &usize| {
            gone.contains_key(place)
                || come(*place) >= held(*place)
                || u64::from(directory.pages[*place].smallest) < self.fitter.least()
                || directory.waiting[*place].len() >= BATCHES
        };
        let (mut due, mut rest): (Vec<usize>, Vec<usize>) =
            (0..routed.len()).filter(is_touched).partition(cannot_wait);
        let rows = |place: usize| held(place) + come(place);
        let mut left = (work as u64).saturating_sub(due.iter().map(|&place| rows(place)).sum());
        rest.sort_by_key(|&place| Reverse(come(place) * 1024 / held(place)));
        let fits = |place: &&usize| {
            let fits = rows(**place) <= left;
            left = left.saturating_sub(rows(**place));
            fits
        };
        let first = rest.iter().take_while(fits).count();
        due.extend(rest.drain(..first));
        due.sort_unstable();
        rest.sort_unstable();
        (due, rest)
    }

    /// Changes pages that rows come to or have gone from; returns the rows of those that are given up.
    fn round(
        &mut self,
        directory: &Directory,
        gone: &Gone,
        arrivals: &PageRows,
        work: RefitWork,
    ) -> Result<(Directory, PageRows)> {
        let routed = self.routed(directory, arrivals);
        let (due, rest) = self.due(directory, gone, &routed, work);
        let mut replaced: BTreeMap<usize, Replacement> = BTreeMap::new();
        let mut orphans = PageRows::empty(self.frame);
        for places in due.chunks(PAGES * rayon::current_num_threads()) {
            let became = self.refit(directory, places, gone, arrivals, &routed)?;
            let (mut pages, mut cuts) = (Vec::new(), Vec::new());
            for (&place, became) in places.iter().zip(became) {
                let old = directory.pages[place].page;
                forget(&directory.waiting[place], self.change)?;
                match became {
                    RefitResult::Pages(above, made) => {
                        cuts.push((place, above, made.len()));
                        pages.extend(
                            made.into_iter().enumerate().map(|(at, page)| (page, (at == 0).then_some(old))),
                        );
                    }
                    RefitResult::Orphans(rows) => {
                        orphans.append(&rows);
                        forget_page(old, self.change)?;
                        replaced.insert(place, Replacement::Nothing);
                    }
                }
            }
            let mut entries = self.put(pages)?.into_iter();
            for (place, above, made) in cuts {
                replaced.insert(place, Replacement::Pages(above, entries.by_ref().take(made).collect()));
            }
        }
        for places in rest.chunks(PAGES * rayon::current_num_threads()) {
            let waits = |&place: &usize| {
                let mut rows = PageRows::empty(self.frame);
                rows.append_rows(arrivals, &routed[place]);
                (Page::uncut(rows), None)
            };
            let waiting: Vec<_> = places.par_iter().map(waits).collect();
            let waiting = self.put(waiting)?.into_iter().map(Replacement::Waits);
            replaced.extend(places.iter().copied().zip(waiting));
        }
        let made = directory.replaced(|place| replaced.remove(&place).unwrap_or(Replacement::Same));
        Ok((made, orphans))
    }

    /// Refits some pages, by their places.
    fn refit(
        &self,
        directory: &Directory,
        places: &[usize],
        gone: &Gone,
        arrivals: &PageRows,
        routed: &[Vec<u32>],
    ) -> Result<Vec<RefitResult>> {
        let fetch = |entry: &PageEntry| RawPage::fetch(entry, Extract::Everything, self.change);
        let fetch = |&place: &usize| {
            let waiting = directory.waiting[place].iter().map(fetch).collect::<Result<Vec<_>>>()?;
            Ok((fetch(&directory.pages[place])?, waiting))
        };
        let raw = places.iter().map(fetch).collect::<Result<Vec<_>>>()?;
        let (fitter, frame, secret) = (self.fitter, self.frame, self.change.secret());
        let one = |(&place, (raw, waiting)): (&usize, (RawPage, Vec<RawPage>))| {
            let page = raw.decode(frame, secret)?;
            let gone = gone.get(&place).map_or(&[][..], Vec::as_slice);
            let (gone, late) = gone.split_at(gone.partition_point(|&row| (row as usize) < page.rows.len()));
            let mut waited = PageRows::empty(frame);
            for raw in waiting {
                waited.append(&raw.decode(frame, secret)?.rows);
            }
            let stays = |row: &u32| late.binary_search(&(*row + page.rows.len() as u32)).is_err();
            let stay: Vec<u32> = (0..waited.len() as u32).filter(stays).collect();
            let mut own = PageRows::empty(frame);
            own.append_rows(&waited, &stay);
            own.append_rows(arrivals, &routed[place]);
            let page = fitter.refit(page, gone, &own)?;
            if page.rows.len() == 0 || !fitter.holds(&page) {
                return Ok(RefitResult::Orphans(page.rows));
            }
            let (above, pages) = divide_page(&page, frame);
            Ok(RefitResult::Pages(above, pages))
        };
        places.par_iter().zip(raw).map(one).collect()
    }

    /// Writes pages, each under the number of a page that it replaces or under a new one.
    fn put(&mut self, pages: Vec<(Page, Option<u32>)>) -> Result<Vec<PageEntry>> {
        let mut numbered = Vec::with_capacity(pages.len());
        for (page, number) in pages {
            let number = number.unwrap_or_else(|| {
                *self.next_page += 1;
                *self.next_page - 1
            });
            numbered.push((page, number));
        }
        let (frame, secret) = (self.frame, self.change.secret());
        let sealed = numbered.par_iter().map(|(page, number)| page.seal(*number, frame, secret));
        let sealed: Vec<Result<_>> = sealed.collect();
        let mut entries = Vec::with_capacity(sealed.len());
        for sealed in sealed {
            let (entry, values) = sealed?;
            values.iter().try_for_each(|value| self.change.put(value))?;
            entries.push(entry);
        }
        Ok(entries)
    }
}

/// Removes pages from the vault.
pub(crate) fn forget(entries: &[PageEntry], change: &mut Change<'_>) -> Result<()> {
    entries.iter().try_for_each(|entry| forget_page(entry.page, change))
}

fn forget_page(page: u32, change: &mut Change<'_>) -> Result<()> {
    [ValueName::page(page), ValueName::keys(page), ValueName::marks(page)]
        .into_iter()
        .try_for_each(|name| change.remove(name))
}
