//! Rows that come and go: which pages they belong to, and what becomes of those.

use crate::dictionary::Frame;
use crate::page::{Entry, Extract, Page, RawPage, Rows, dimensions, leaf_numbers, route};
use crate::refit::{Fitter, divide_page};
use crate::state::{Directory, Replacement};
use crate::vault::{Change, Name, Values};
use klimt::Result;
use klimt::partition::CutTree;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// So many pages are in memory at a time, for every thread.
const PAGES: usize = 16;

/// The rows that are gone, by the place of their page, ascending.
pub(crate) type Gone = BTreeMap<usize, Vec<u32>>;

/// What a page has become.
enum Became {
    /// Pages, and the cuts above them.
    Pages(CutTree, Vec<Page>),
    /// Nothing: its rows no longer satisfy the requirements.
    Orphans(Rows),
}

/// Changes the pages of a directory.
pub(crate) struct Maintainer<'m, 'v> {
    pub fitter: &'m Fitter<'m>,
    pub frame: &'m Frame,
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
        mut arrivals: Rows,
    ) -> Result<Directory> {
        loop {
            let (made, orphans) = self.round(&directory, &gone, &arrivals)?;
            if orphans.len() == 0 && !made.pages.is_empty() {
                return Ok(made);
            }
            if made.pages.is_empty() {
                let (above, pages) = divide_page(&self.fitter.fit(&orphans)?, self.frame);
                let pages = self.put(pages.into_iter().map(|page| (page, None)).collect())?;
                return Ok(Directory { tree: above, pages });
            }
            (directory, gone, arrivals) = (made, Gone::new(), orphans);
        }
    }

    /// The rows that belong to each page, by place.
    fn routed(&self, directory: &Directory, rows: &Rows) -> Vec<Vec<u32>> {
        let (numbers, codes) = (leaf_numbers(&directory.tree), dimensions(&rows.block, self.frame));
        let mut routed = vec![Vec::new(); directory.pages.len()];
        for row in 0..rows.len() {
            routed[route(&directory.tree, &numbers, &codes, row)].push(row as u32);
        }
        routed
    }

    /// Changes every page that rows come to or have gone from; returns the rows of those that are given up.
    fn round(&mut self, directory: &Directory, gone: &Gone, arrivals: &Rows) -> Result<(Directory, Rows)> {
        let routed = self.routed(directory, arrivals);
        let is_touched = |place: &usize| !routed[*place].is_empty() || gone.contains_key(place);
        let touched: Vec<usize> = (0..directory.pages.len()).filter(is_touched).collect();
        let mut replaced: BTreeMap<usize, Replacement> = BTreeMap::new();
        let mut orphans = Rows::empty(self.frame);
        for places in touched.chunks(PAGES * rayon::current_num_threads()) {
            let became = self.refit(directory, places, gone, arrivals, &routed)?;
            let (mut pages, mut cuts) = (Vec::new(), Vec::new());
            for (&place, became) in places.iter().zip(became) {
                let old = directory.pages[place].page;
                match became {
                    Became::Pages(above, made) => {
                        cuts.push((place, above, made.len()));
                        pages.extend(
                            made.into_iter().enumerate().map(|(at, page)| (page, (at == 0).then_some(old))),
                        );
                    }
                    Became::Orphans(rows) => {
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
        let made = directory.replaced(|place| replaced.remove(&place).unwrap_or(Replacement::Same));
        Ok((made, orphans))
    }

    /// What some pages become, by their places.
    fn refit(
        &self,
        directory: &Directory,
        places: &[usize],
        gone: &Gone,
        arrivals: &Rows,
        routed: &[Vec<u32>],
    ) -> Result<Vec<Became>> {
        let raw = places
            .iter()
            .map(|&place| RawPage::fetch(&directory.pages[place], Extract::Everything, self.change));
        let raw = raw.collect::<Result<Vec<RawPage>>>()?;
        let (fitter, frame, secret) = (self.fitter, self.frame, self.change.secret());
        let one = |(&place, raw): (&usize, RawPage)| {
            let page = raw.decode(frame, secret)?;
            let mut own = Rows::empty(frame);
            own.append_rows(arrivals, &routed[place]);
            let page = fitter.refit(page, gone.get(&place).map_or(&[], Vec::as_slice), &own)?;
            if page.rows.len() == 0 || !fitter.holds(&page) {
                return Ok(Became::Orphans(page.rows));
            }
            let (above, pages) = divide_page(&page, frame);
            Ok(Became::Pages(above, pages))
        };
        places.par_iter().zip(raw).map(one).collect()
    }

    /// Writes pages, each under the number of a page that it replaces or under a new one.
    fn put(&mut self, pages: Vec<(Page, Option<u32>)>) -> Result<Vec<Entry>> {
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
pub(crate) fn forget(entries: &[Entry], change: &mut Change<'_>) -> Result<()> {
    entries.iter().try_for_each(|entry| forget_page(entry.page, change))
}

fn forget_page(page: u32, change: &mut Change<'_>) -> Result<()> {
    [Name::page(page), Name::keys(page), Name::marks(page)]
        .into_iter()
        .try_for_each(|name| change.remove(name))
}
