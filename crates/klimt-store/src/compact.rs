//! Building the store anew: the rows are loaded in bulk from the pages they lie in.
//!
//! Once something was released this is over: leaves that are cut anew would tear apart who was released together.

use crate::batch::{arrived, carried, on_the_way};
use crate::dictionary::{Dictionary, StoreFrame};
use crate::load::Loader;
use crate::maintain::{Gone, RefitWork, forget};
use crate::page::{Page, PageEntry, PageRows};
use crate::past::Past;
use crate::state::StoreState;
use crate::store::{Means, Size, Store};
use crate::vault::{Snapshot, ValueName};
use klimt_core::spill::{Block, BlockColumn, Rows as Source};
use klimt_core::table::Codes;
use klimt_core::{Error, Result};
use std::sync::Arc;

/// The pages of a store, as rows with the codes of another frame.
struct Pages<'p> {
    snapshot: &'p Snapshot<'p>,
    entries: &'p [PageEntry],
    from: &'p StoreFrame,
    to: &'p StoreFrame,
    /// The code of each code, for every column that has any.
    codes: Vec<Vec<u32>>,
}

impl Pages<'_> {
    /// All rows at once.
    fn all(&self, frame: &StoreFrame) -> Result<PageRows> {
        let (on_the_way, mut all) = (on_the_way(frame)?, PageRows::empty(frame));
        for number in 0..self.blocks() {
            let mut block = Block::empty(&on_the_way);
            self.read(number, &mut block)?;
            let order: Vec<u32> = (0..block.rows() as u32).collect();
            all.append(&arrived(&block.into_table(&on_the_way)?, &order, frame)?);
        }
        Ok(all)
    }
}

impl Source for Pages<'_> {
    fn rows(&self) -> u64 {
        self.entries.iter().map(|entry| u64::from(entry.rows)).sum()
    }

    fn blocks(&self) -> usize {
        self.entries.len()
    }

    fn read(&self, number: usize, into: &mut Block) -> Result<()> {
        let page = Page::load(&self.entries[number], self.from, self.snapshot)?;
        let columns = page.rows.block.columns();
        into.fill(page.rows.len(), |column, into| {
            match (columns.get(column), into) {
                (Some(BlockColumn::Codes(from)), BlockColumn::Codes(into)) => {
                    let mut found = Vec::with_capacity(page.rows.len());
                    from.for_each(|code| found.push(self.codes[column][code as usize]));
                    let domain = self.to.table.columns()[column].coded();
                    let cardinality = domain.map_or(0, |(domain, _)| domain.cardinality());
                    *into = Codes::collect(cardinality, found.into_iter());
                }
                (Some(BlockColumn::Texts(from)), BlockColumn::Texts(into)) => {
                    (0..from.len()).for_each(|row| into.push(from.stored(row)));
                }
                (None, BlockColumn::Texts(into)) => {
                    let carried =
                        page.rows.keys.iter().zip(&page.rows.marks).map(|(key, mark)| carried(key, *mark));
                    carried.for_each(|bytes| into.push(&bytes));
                }
                _ => return Err(Error::internal("a page has columns of another store")),
            }
            Ok(())
        })
    }
}

impl Store {
    /// Builds the store anew from its rows and forgets values that no row has any more, unless something was released; and
    /// gives room back. The records of deleted rows stay: a key that comes back must be recognised.
    pub fn compact(&mut self, means: &Means<'_>) -> Result<Size> {
        let status = self.status()?;
        let size = match status.releases.is_empty() {
            true => self.rebuild(means)?,
            false => self.changed(|_, state, change| {
                Past::load(state.past, change)?.rewrite(&mut state.past, change)
            })?,
        };
        self.vault.compact().map(|()| size)
    }

    fn rebuild(&self, means: &Means<'_>) -> Result<Size> {
        let snapshot = self.vault.snapshot()?;
        self.changed(|store, state, change| {
            let used = store.used(state, &snapshot)?;
            let old = Arc::clone(&state.frame);
            let chunks: Vec<u32> = state.dictionaries.iter().map(|dictionary| dictionary.saved().0).collect();
            let (mut dictionaries, mut numbers) = (Vec::new(), Vec::new());
            for (number, column) in store.spec.columns.iter().enumerate() {
                let mut dictionary = Dictionary::new(column)?;
                let domain = old.table.columns()[number].coded().map(|(domain, _)| domain);
                numbers.push(domain.map_or(Vec::new(), |domain| {
                    dictionary.take(domain, &used[number], state.dictionaries[number].missing())
                }));
                dictionaries.push(dictionary);
            }
            let frame = Arc::new(StoreFrame::of(&store.spec, &dictionaries)?);
            let codes = numbers.into_iter().zip(&frame.codings).map(|(mut numbers, coding)| {
                if let Some(coding) = coding {
                    let known = numbers.iter_mut().filter(|number| **number != u32::MAX);
                    known.for_each(|number| *number = coding.code_of_number(*number));
                    numbers.push(coding.missing());
                }
                numbers
            });
            let codes = codes.collect();
            let entries = std::mem::take(&mut state.directory).entries();
            let pages = Pages { snapshot: &snapshot, entries: &entries, from: &old, to: &frame, codes };
            let (counts, satisfied) = store.survey(&pages, &frame)?;
            forget(&entries, change)?;
            for (column, chunks) in (0..).zip(chunks) {
                (0..chunks).try_for_each(|chunk| change.remove(ValueName::values(column, chunk)))?;
            }
            let (directory, late) = if satisfied {
                store.bulk(&pages, &frame, &mut state.next_page, change, means)?
            } else {
                (Loader::new(&frame, change, &mut state.next_page).finish()?.0, pages.all(&frame)?)
            };
            *state = StoreState { directory, dictionaries, counts, frame, ..*state };
            store.maintain(Gone::new(), late, state, change, RefitWork::Everything)
        })
    }

    /// Which codes occur in the rows of the store, for every column that has any.
    fn used(&self, state: &StoreState, snapshot: &Snapshot<'_>) -> Result<Vec<Vec<bool>>> {
        let columns = state.frame.table.columns().iter();
        let cardinality = columns.map(|column| column.coded().map_or(0, |(domain, _)| domain.cardinality()));
        let mut used: Vec<Vec<bool>> = cardinality.map(|cardinality| vec![false; cardinality]).collect();
        for entry in &state.directory.entries() {
            let page = Page::load(entry, &state.frame, snapshot)?;
            for (column, used) in page.rows.block.columns().iter().zip(&mut used) {
                if let BlockColumn::Codes(codes) = column {
                    codes.for_each(|code| used[code as usize] = true);
                }
            }
        }
        Ok(used)
    }
}
