//! Batches that come: rows are inserted, replaced and removed, all of a batch or nothing.

use crate::batch::{Batch, CodedBatch, StoredBatch, on_the_way, take_values};
use crate::bytes::{ByteReader, ByteWriter};
use crate::dictionary::{Coding, StoreFrame};
use crate::load::Loader;
use crate::maintain::{Gone, Maintainer, RefitWork, forget};
use crate::page::{Page, PageRows, for_each_keys, read_tree, write_tree};
use crate::past::{Past, SensitiveNumbers};
use crate::refit::Fitter;
use crate::secret::Key;
use crate::state::{Directory, RawState, SensitiveCounts, StoreState, sensitive};
use crate::store::{Means, Size, Store};
use crate::vault::{Change, ValueSource};
use hashbrown::HashMap;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::rothko::{Method, Rothko, RothkoLimits};
use klimt_core::loss::Original;
use klimt_core::parts::{External, Whole};
use klimt_core::requirement::{Checks, Requirement};
use klimt_core::spill::{Block, Rows as Source};
use klimt_core::statistics::Collector;
use klimt_core::table::Domain;
use klimt_core::{ErrorKind, Result, partition::CutTree};
use std::sync::Arc;

/// For every two rows that come, this many rows of pages are fitted again, of the pages that most rows wait at, besides
/// those of pages that cannot wait any longer.
const FITTED_PER_TWO: usize = 3;

/// Where a row is: the place of its page, and its number there.
#[derive(Clone, Copy, Debug)]
struct RowPosition {
    place: usize,
    row: u32,
}

impl Store {
    /// Takes in the rows of a batch, none of whose keys is in the store. A key that was in the store before keeps its
    /// history.
    pub fn insert(&mut self, batch: &Batch<'_>, means: &Means<'_>) -> Result<Size> {
        let mut change = self.vault.change()?;
        // The values get their codes when those of the batch are among them.
        let mut raw = RawState::load(&self.spec, &change)?;
        let survey = batch.survey(&self.spec.key, change.secret(), means.pool)?;
        let found = (0..).zip(find(&raw.directory, &survey.keys, &change)?);
        let present: Vec<u64> = found.filter(|(_, found)| found.is_some()).map(|(row, _)| row).collect();
        if !present.is_empty() {
            let help = "klimt index update replaces rows";
            return Err(batch.problems(&present, "a row with this key is in the store", help));
        }
        let mut past = Past::load(raw.past, &change)?;
        let back = survey.keys.iter().map(|key| (*key, past.come_back(key)));
        let back: HashMap<Key, u32> = back.filter(|(_, mark)| *mark != 0).collect();
        let known = take_values(batch, &self.spec, &survey, &mut raw.dictionaries)?;
        let mut state = raw.settle(&self.spec)?;
        past.save(&mut state.past, &mut change)?;
        self.add(known, &back, &mut state, &mut change, means)?;
        commit(state, change)
    }

    /// Replaces rows by those of a batch that have the same keys, all of which are in the store.
    pub fn update(&mut self, batch: &Batch<'_>, means: &Means<'_>) -> Result<Size> {
        self.changed(|store, state, change| {
            let survey = batch.survey(&store.spec.key, change.secret(), means.pool)?;
            let gone = present(batch, &find(&state.directory, &survey.keys, change)?)?;
            let removed = store.remove(gone, state, change)?;
            let mut past = Past::load(state.past, change)?;
            for (key, _, values) in &removed {
                if let Some(values) = values {
                    past.leave(*key, 0, state.releases, Some(values.clone()));
                }
            }
            past.save(&mut state.past, change)?;
            let marks = removed.into_iter().map(|(key, mark, _)| (key, mark)).collect();
            let known = take_values(batch, &store.spec, &survey, &mut state.dictionaries)?;
            let frame = Arc::new(StoreFrame::of(&store.spec, &state.dictionaries)?);
            state.directory.tree = recoded(&state.directory.tree, &state.frame, &frame)?;
            state.frame = frame;
            store.add(known, &marks, state, change, means)
        })
    }

    /// Removes the rows whose keys a batch has, all of which are in the store. Of those that were released, their past is
    /// kept.
    pub fn delete(&mut self, batch: &Batch<'_>, means: &Means<'_>) -> Result<Size> {
        self.changed(|store, state, change| {
            let survey = batch.survey(&store.spec.key, change.secret(), means.pool)?;
            let gone = present(batch, &find(&state.directory, &survey.keys, change)?)?;
            let mut past = Past::load(state.past, change)?;
            for (key, mark, values) in store.remove(gone, state, change)? {
                past.leave(key, mark, state.releases, values);
            }
            past.save(&mut state.past, change)
        })
    }

    /// A change of the state, which is made whole or not at all.
    pub(crate) fn changed(
        &self,
        work: impl FnOnce(&Self, &mut StoreState, &mut Change<'_>) -> Result<()>,
    ) -> Result<Size> {
        let mut change = self.vault.change()?;
        let mut state = StoreState::load(&self.spec, &change)?;
        work(self, &mut state, &mut change)?;
        commit(state, change)
    }

    /// Removes rows; returns the key, the history and, where more than sizes is required, the sensitive values of those
    /// that were released.
    fn remove(
        &self,
        gone: Gone,
        state: &mut StoreState,
        change: &mut Change<'_>,
    ) -> Result<Vec<(Key, u32, Option<SensitiveNumbers>)>> {
        let mut released = Vec::new();
        for (&place, rows) in &gone {
            let mut all = Page::load(&state.directory.pages[place], &state.frame, change)?.rows;
            for waiting in &state.directory.waiting[place] {
                all.append(&Page::load(waiting, &state.frame, change)?.rows);
            }
            let mut removed = PageRows::empty(&state.frame);
            removed.append_rows(&all, rows);
            state.counts.count(&state.frame, &removed.block, false);
            for row in (0..removed.len()).filter(|&row| removed.marks[row] != 0) {
                let of_column = |(number, _, coding): (usize, &Domain, &Coding)| {
                    coding.stored(removed.block.codes(number).get(row))
                };
                let values = self
                    .spec
                    .protects_values()
                    .then(|| sensitive(&state.frame).map(of_column).collect::<SensitiveNumbers>());
                released.push((removed.keys[row], removed.marks[row], values));
            }
        }
        let arrivals = PageRows::empty(&state.frame);
        self.maintain(gone, arrivals, state, change, RefitWork::Rows(0))?;
        Ok(released)
    }

    /// Adds the rows of a batch, whose values the store has taken in, with the histories of rows that they replace.
    fn add(
        &self,
        batch: StoredBatch<'_>,
        marks: &HashMap<Key, u32>,
        state: &mut StoreState,
        change: &mut Change<'_>,
        means: &Means<'_>,
    ) -> Result<()> {
        let frame = Arc::clone(&state.frame);
        let translated = CodedBatch::new(batch, &frame);
        if state.directory.rows() == 0
            && marks.is_empty()
            && self.load(&translated, &frame, state, change, means)?
        {
            return Ok(());
        }
        let mut waiting = PageRows::empty(&frame);
        for block in 0..translated.blocks() {
            let mut rows = translated.rows_of(block)?;
            for (mark, key) in rows.marks.iter_mut().zip(&rows.keys) {
                *mark = marks.get(key).copied().unwrap_or(0);
            }
            waiting.append(&rows);
            let last = block + 1 == translated.blocks();
            if last || waiting.block.held_bytes() >= means.pool.limit() / 8 {
                let rows = std::mem::replace(&mut waiting, PageRows::empty(&frame));
                state.counts.count(&frame, &rows.block, true);
                let work = RefitWork::Rows(means.work.max(rows.len() * FITTED_PER_TWO / 2));
                self.maintain(Gone::new(), rows, state, change, work)?;
            }
        }
        Ok(())
    }

    /// Leads the rows that wait to their leaves.
    pub(crate) fn settle(&self, state: &mut StoreState, change: &mut Change<'_>) -> Result<()> {
        if state.directory.waiting_rows() == 0 {
            return Ok(());
        }
        let nothing = PageRows::empty(&state.frame);
        self.maintain(Gone::new(), nothing, state, change, RefitWork::Everything)
    }

    /// Lets rows come and go.
    pub(crate) fn maintain(
        &self,
        gone: Gone,
        arrivals: PageRows,
        state: &mut StoreState,
        change: &mut Change<'_>,
        work: RefitWork,
    ) -> Result<()> {
        let StoreState { frame, directory, counts, next_page, .. } = state;
        let (weights, requirements) = (self.spec.weights(), self.spec.requirements(self.spec.k)?);
        let leaving: usize = gone.values().map(Vec::len).sum();
        let rows = directory.rows() + arrivals.len() as u64 - leaving as u64;
        let checks = checks(&requirements, &counts.whole(frame, rows))?;
        let split = self.spec.split().bind(&Original::new(&frame.table, &weights))?;
        let fitter = Fitter::new(frame, checks.as_ref(), &split, &weights, rows)?;
        let mut maintainer = Maintainer { fitter: &fitter, frame, change, next_page };
        *directory = maintainer.apply(directory.clone(), gone, arrivals, work)?;
        Ok(())
    }

    /// Bulk loading: the batch is all there is. Returns whether it could be done: where not even all rows together satisfy
    /// the requirements, nothing has happened.
    fn load(
        &self,
        batch: &CodedBatch<'_>,
        frame: &StoreFrame,
        state: &mut StoreState,
        change: &mut Change<'_>,
        means: &Means<'_>,
    ) -> Result<bool> {
        let (counts, satisfied) = self.survey(batch, frame)?;
        if !satisfied {
            return Ok(false);
        }
        state.counts = counts;
        forget(&state.directory.entries(), change)?;
        let (directory, late) = self.bulk(batch, frame, &mut state.next_page, change, means)?;
        state.directory = directory;
        self.maintain(Gone::new(), late, state, change, RefitWork::Everything).map(|()| true)
    }

    /// Counts the sensitive values of rows on the way, and tells whether all of them together satisfy the requirements.
    pub(crate) fn survey(&self, source: &dyn Source, frame: &StoreFrame) -> Result<(SensitiveCounts, bool)> {
        let mut counts = SensitiveCounts::new(self.spec.columns.len());
        let mut block = Block::empty(&on_the_way(frame)?);
        for number in 0..source.blocks() {
            source.read(number, &mut block)?;
            counts.count(frame, &block, true);
        }
        let requirements = self.spec.requirements(self.spec.k)?;
        let Some(checks) = checks(&requirements, &counts.whole(frame, source.rows()))? else {
            return Ok((counts, false));
        };
        if checks.only_count() {
            return Ok((counts, source.rows() >= checks.minimum_size()));
        }
        let collector = Collector::of_rows(checks.needs(), &frame.table, source.rows())?;
        let mut all = collector.empty();
        for number in 0..source.blocks() {
            source.read(number, &mut block)?;
            collector.add_rows(&mut all, &block, &(0..block.rows() as u32).collect::<Vec<_>>());
        }
        Ok((counts, checks.satisfied(&all)))
    }

    /// Writes rows as pages; returns the directory, and rows that are to be inserted afterwards.
    pub(crate) fn bulk(
        &self,
        source: &dyn Source,
        frame: &StoreFrame,
        next_page: &mut u32,
        change: &mut Change<'_>,
        means: &Means<'_>,
    ) -> Result<(Directory, PageRows)> {
        let weights = self.spec.weights();
        let rothko = Rothko {
            method: Method::Sample(means.sampling),
            mondrian: Mondrian::default(),
            limits: RothkoLimits::default(),
        };
        let job = External {
            frame: &on_the_way(frame)?,
            source,
            requirements: &self.spec.requirements(self.spec.k)?,
            split: &self.spec.split(),
            weights: &weights,
            workload: None,
            keep_tree: true,
            by_boundaries: false,
            pool: means.pool,
            folder: means.folder,
            secret: [0; 32],
            until: None,
            observer: means.observer,
        };
        let mut loader = Loader::new(frame, change, next_page);
        rothko.run(&job, &mut loader)?;
        loader.finish()
    }
}

/// Makes a change of the rows.
fn commit(mut state: StoreState, mut change: Change<'_>) -> Result<Size> {
    state.version += 1;
    state.save(&mut change)?;
    change.commit()?;
    Ok(state.directory.size())
}

/// The requirements, bound to all rows; nothing where not even all rows together can satisfy them.
fn checks(requirements: &[Box<dyn Requirement>], whole: &Whole<'_>) -> Result<Option<Checks>> {
    match Checks::to(requirements, whole) {
        Ok(checks) => Ok(Some(checks)),
        Err(error) if error.kind() == ErrorKind::Unsatisfied => Ok(None),
        Err(error) => Err(error),
    }
}

/// Cuts by the codes of one frame, by those of another that has more values.
fn recoded(tree: &CutTree, from: &StoreFrame, to: &StoreFrame) -> Result<CutTree> {
    let mut writer = ByteWriter::default();
    write_tree(&mut writer, tree, from)?;
    read_tree(&mut ByteReader::new(&writer.bytes), to)
}

/// Keys that are looked for among many others.
struct KeyFilter {
    numbers: HashMap<Key, u32>,
    /// A bit for the first bits of each, which turns most others away.
    bits: Vec<u64>,
}

impl KeyFilter {
    fn new(keys: &[Key]) -> Self {
        let mut bits = vec![0u64; (keys.len() / 4).next_power_of_two()];
        for key in keys {
            let (word, bit) = KeyFilter::place(key, bits.len());
            bits[word] |= bit;
        }
        KeyFilter { numbers: keys.iter().copied().zip(0..).collect(), bits }
    }

    /// Keys are hashes, so that any of their bits will do.
    fn place(key: &Key, words: usize) -> (usize, u64) {
        let first = u64::from_le_bytes(*key.first_chunk().unwrap_or(&[0; 8]));
        (first as usize & (words - 1), 1 << (first >> 58))
    }

    fn number(&self, key: &Key) -> Option<u32> {
        let (word, bit) = KeyFilter::place(key, self.bits.len());
        if self.bits[word] & bit == 0 { None } else { self.numbers.get(key).copied() }
    }
}

/// Where the rows with these keys are, in their order.
fn find(directory: &Directory, keys: &[Key], values: &dyn ValueSource) -> Result<Vec<Option<RowPosition>>> {
    let wanted = KeyFilter::new(keys);
    // Rows that wait are numbered after those of their page.
    let (mut entries, mut firsts) = (Vec::new(), Vec::new());
    for (place, (page, waiting)) in directory.pages.iter().zip(&directory.waiting).enumerate() {
        let mut row = 0;
        for entry in std::iter::once(page).chain(waiting) {
            entries.push(*entry);
            firsts.push(RowPosition { place, row });
            row += entry.rows;
        }
    }
    let of_entry = |entry: usize, keys: &[Key]| -> Vec<(u32, RowPosition)> {
        let RowPosition { place, row } = firsts[entry];
        let rows = (row..).zip(keys);
        rows.filter_map(|(row, key)| Some((wanted.number(key)?, RowPosition { place, row }))).collect()
    };
    let mut found = vec![None; keys.len()];
    for (number, place) in for_each_keys(&entries, values, of_entry)?.into_iter().flatten() {
        found[number as usize] = Some(place);
    }
    Ok(found)
}

/// The rows that were found, by page; an error where some were not.
fn present(batch: &Batch<'_>, found: &[Option<RowPosition>]) -> Result<Gone> {
    let absent: Vec<u64> =
        (0..).zip(found).filter(|(_, found)| found.is_none()).map(|(row, _)| row).collect();
    if !absent.is_empty() {
        let help = "nothing was changed; klimt index insert takes in new rows";
        return Err(batch.problems(&absent, "no row with this key is in the store", help));
    }
    let mut gone = Gone::new();
    for found in found.iter().flatten() {
        gone.entry(found.place).or_default().push(found.row);
    }
    gone.values_mut().for_each(|rows| rows.sort_unstable());
    Ok(gone)
}
