//! Collects the lots of readers: in memory while they fit, and on disk from then on.

use super::piece::{SpillPiece, encode};
use super::{PoolShare, Readers, ReadingLimits, SpillBudget};
use crate::column::{ColumnBlock, DictionaryLimits, NumberSet, Sketch};
use crate::source::ColumnPlan;
use klimt_core::Remedy;
use klimt_core::memory::{Reservation, amount};
use klimt_core::spill::{SpillFile, SpillRange};
use klimt_core::table::CommonSpelling;
use klimt_core::words::option;
use klimt_core::words::option_is;
use klimt_core::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Some consecutive rows of some columns.
#[derive(Debug)]
pub struct Lot {
    /// The number of the stretch of rows that they are part of; stretches follow each other.
    pub stretch: usize,
    /// The number of their first row within the stretch.
    pub row: usize,
    /// How many rows they are.
    pub rows: usize,
    /// The stretch goes to disk in blocks of this many rows.
    pub block_rows: usize,
    /// Their values, by the number of the column, in the order of the rows.
    pub columns: Vec<(usize, Vec<ColumnBlock>)>,
}

impl Lot {
    fn size(&self) -> usize {
        self.columns.iter().flat_map(|(_, blocks)| blocks).map(ColumnBlock::size).sum()
    }
}

/// The lots that readers have handed over so far.
pub struct LotGatherer<'a> {
    width: usize,
    held: Mutex<MemoryLots>,
    spilling: Option<SpillControl<'a>>,
}

#[derive(Default)]
struct MemoryLots {
    lots: Vec<Lot>,
    size: usize,
    rows: usize,
}

/// Keeps a reading within its memory.
struct SpillControl<'a> {
    room: SpillBudget<'a>,
    limits: ReadingLimits,
    /// A column that every row is counted by.
    counted: usize,
    begun: AtomicBool,
    wanted: AtomicBool,
    overfull: AtomicBool,
    /// The memory of the block that each reader holds.
    buffers: Reservation<'a>,
    dictionaries: PoolShare<'a>,
    rows: PoolShare<'a>,
    /// Where rows are on disk.
    index: PoolShare<'a>,
    numbers: PoolShare<'a>,
    file: OnceLock<SpillFile>,
    sets: Vec<Mutex<NumberSet>>,
    /// By column, how its numbers are spelt.
    agreed: Vec<Mutex<CommonSpelling>>,
    entries: Mutex<Vec<PieceEntry>>,
}

/// Where a piece belongs: to a block of a stretch, and to a column.
#[derive(Clone, Copy, Debug)]
pub struct PieceEntry {
    /// The stretch.
    pub stretch: usize,
    /// The block of the stretch.
    pub block: usize,
    /// The column.
    pub column: usize,
    /// The first row within the stretch.
    pub row: usize,
    /// The rows themselves.
    pub piece: SpillPiece,
}

/// Everything that was read.
pub enum GatheredRows<'a> {
    /// The blocks of each column, in the order of their rows.
    Held(Vec<Vec<ColumnBlock>>),
    /// All rows are on disk.
    Spilled(Box<Spill<'a>>),
}

/// All rows on disk, and what was found about them on the way.
pub struct Spill<'a> {
    /// The memory that is left.
    pub room: SpillBudget<'a>,
    /// How it is used.
    pub limits: ReadingLimits,
    /// The file.
    pub file: SpillFile,
    /// Where everything is, in the order of stretches, blocks, columns and rows.
    pub entries: Vec<PieceEntry>,
    /// The different numbers of each column that was read as such.
    pub sets: Vec<NumberSet>,
    /// The memory of the dictionaries.
    pub dictionaries: PoolShare<'a>,
    /// The memory of the numbers.
    pub numbers: PoolShare<'a>,
    /// The memory of the entries.
    pub index: PoolShare<'a>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> LotGatherer<'a> {
    /// Of the columns of a plan: all is held, or kept within a room.
    pub fn new(plan: &[ColumnPlan], within: Option<(SpillBudget<'a>, ReadingLimits)>) -> Result<Self> {
        let counted = plan.iter().position(|plan| plan.spec.is_some());
        let spilling = match (within, counted) {
            (Some((room, limits)), Some(counted)) => {
                Some(SpillControl::new(plan.len(), counted, room, limits)?)
            }
            _ => None,
        };
        Ok(LotGatherer { width: plan.len(), held: Mutex::default(), spilling })
    }

    /// The limits of the dictionaries of a column; `None` where the table is held in memory.
    pub fn thrift(&self, column: usize) -> Option<DictionaryLimits<'_, 'a>> {
        self.spilling.as_ref().map(|spilling| DictionaryLimits {
            share: &spilling.dictionaries,
            spilling: &spilling.begun,
            wanted: &spilling.wanted,
            overfull: &spilling.overfull,
            early: spilling.limits.early,
            agreed: &spilling.agreed[column],
        })
    }

    /// Takes rows. The scratch space is kept from call to call.
    pub fn add(&self, lot: Lot, scratch: &mut Vec<u8>) -> Result<()> {
        let Some(spilling) = &self.spilling else {
            lock(&self.held).lots.push(lot);
            return Ok(());
        };
        if spilling.overfull.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut held = match spilling.begun.load(Ordering::Acquire) {
            false => lock(&self.held),
            true => return spilling.write(lot, scratch),
        };
        if spilling.begun.load(Ordering::Acquire) {
            drop(held);
            return spilling.write(lot, scratch);
        }
        held.size += lot.size();
        held.rows += if lot.columns.iter().any(|c| c.0 == spilling.counted) { lot.rows } else { 0 };
        let granted = spilling.rows.resize(0, lot.size());
        let fits = spilling.limits.fits(held.size, held.rows, spilling.dictionaries.bytes());
        if granted && fits && !spilling.wanted.load(Ordering::Relaxed) {
            held.lots.push(lot);
            return Ok(());
        }
        spilling.begin()?;
        let lots = std::mem::take(&mut held.lots);
        drop(held);
        for lot in lots {
            let size = lot.size();
            spilling.write(lot, scratch)?;
            spilling.rows.resize(size, 0);
        }
        let size = if granted { lot.size() } else { 0 };
        spilling.write(lot, scratch)?;
        spilling.rows.resize(size, 0);
        Ok(())
    }

    /// Keeps numbers for later: on disk once rows go there.
    pub fn keep(&self, numbers: Vec<u32>) -> Result<SavedNumbers> {
        match &self.spilling {
            Some(spilling) if spilling.begun.load(Ordering::Acquire) => {
                let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
                spilling.file()?.append(&bytes).map(SavedNumbers::Spilled)
            }
            _ => Ok(SavedNumbers::Held(numbers)),
        }
    }

    /// Fails where columns have more different texts than fit.
    pub fn check(&self, path: &str, plan: &[ColumnPlan], readers: &Readers) -> Result<()> {
        let Some(SpillControl { limits, dictionaries, .. }) = &self.spilling else { return Ok(()) };
        let (mut names, mut needed) = (Vec::new(), dictionaries.bytes() * 2);
        for (column, spec) in plan.iter().enumerate().filter_map(|(c, plan)| Some((c, plan.spec.as_ref()?))) {
            let remains = || readers.iter().map(|reader| &reader[column]);
            if remains().all(|remains| remains.sketch.is_none()) {
                continue;
            }
            let mut all = Sketch::default();
            for remains in remains() {
                remains.sketch.iter().for_each(|sketch| all.merge(sketch));
                remains.dictionary.texts().iter().for_each(|text| all.add(text));
            }
            names.push(spec.name.as_str());
            needed += limits.memory_for_texts(all.estimate(), all.mean_length());
        }
        if names.is_empty() { Ok(()) } else { Err(too_many(path, &names, limits.memory, needed)) }
    }

    /// Everything, when all has been read.
    pub fn finish(self) -> Result<GatheredRows<'a>> {
        let held = self.held.into_inner().unwrap_or_else(PoisonError::into_inner);
        match self.spilling {
            Some(spilling) if spilling.begun.load(Ordering::Acquire) => {
                Ok(GatheredRows::Spilled(Box::new(spilling.finish()?)))
            }
            _ => {
                let mut lots = held.lots;
                lots.sort_by_key(|lot| (lot.stretch, lot.row));
                let mut columns: Vec<Vec<ColumnBlock>> =
                    (0..self.width).map(|_| Vec::with_capacity(lots.len())).collect();
                for (column, blocks) in lots.into_iter().flat_map(|lot| lot.columns) {
                    columns[column].extend(blocks);
                }
                Ok(GatheredRows::Held(columns))
            }
        }
    }
}

/// Columns whose different values do not fit in the memory; so much would do.
pub fn too_many(path: &str, names: &[&str], memory: usize, needed: usize) -> Error {
    let (s, their) = if names.len() == 1 { ("", "its") } else { ("s", "their") };
    Error::resource(format!(
        "{path}: column{s} {}: {their} different values are too many for {} of memory",
        names.join(", "),
        amount(memory)
    ))
    .with_help(Remedy::RaiseMemory(needed.max(memory) + 1_000_000))
    .with_help(format!(
        "columns that are published as they are need no such memory: {}",
        option_is("insensitive", "NAME")
    ))
}

/// Numbers that were kept for later.
#[derive(Debug)]
pub enum SavedNumbers {
    /// In memory.
    Held(Vec<u32>),
    /// On disk.
    Spilled(SpillRange),
}

impl SavedNumbers {
    /// The numbers; those on disk are in the given file.
    pub fn read(&self, file: Option<&SpillFile>) -> Result<Vec<u32>> {
        match (self, file) {
            (SavedNumbers::Held(numbers), _) => Ok(numbers.clone()),
            (SavedNumbers::Spilled(place), Some(file)) => {
                let mut bytes = Vec::new();
                file.read(*place, &mut bytes)?;
                Ok(bytes.as_chunks().0.iter().map(|&number| u32::from_le_bytes(number)).collect())
            }
            (SavedNumbers::Spilled(_), None) => Err(Error::internal("lines were spilled, and rows were not")),
        }
    }
}

impl<'a> SpillControl<'a> {
    fn new(width: usize, counted: usize, room: SpillBudget<'a>, limits: ReadingLimits) -> Result<Self> {
        let share = |most| {
            PoolShare::new(room.pool, most)
                .ok_or_else(|| Error::resource("there is no memory left to read in"))
        };
        Ok(SpillControl {
            room,
            limits,
            counted,
            begun: AtomicBool::new(false),
            wanted: AtomicBool::new(false),
            overfull: AtomicBool::new(false),
            buffers: room.pool.reserve(limits.buffers(), "the blocks that are being read")?,
            dictionaries: share(limits.dictionaries)?,
            rows: share(usize::MAX)?,
            index: share(usize::MAX)?,
            numbers: share(usize::MAX)?,
            file: OnceLock::new(),
            sets: (0..width).map(|_| Mutex::new(NumberSet::new(limits.numbers_of_column()))).collect(),
            agreed: (0..width).map(|_| Mutex::new(CommonSpelling::Nothing)).collect(),
            entries: Mutex::default(),
        })
    }

    /// Rows go to disk from now on. Readers learn of it after the file exists.
    fn begin(&self) -> Result<()> {
        let file = self.room.folder.file()?;
        let _ = self.file.set(file);
        self.begun.store(true, Ordering::Release);
        Ok(())
    }

    fn file(&self) -> Result<&SpillFile> {
        self.file.get().ok_or_else(|| Error::internal("rows are spilled before there is a file for them"))
    }

    fn write(&self, lot: Lot, scratch: &mut Vec<u8>) -> Result<()> {
        scratch.clear();
        let mut entries = Vec::new();
        for (column, blocks) in &lot.columns {
            let mut row = lot.row;
            for block in blocks {
                if let ColumnBlock::Numbers { values, spelled } = block {
                    let mut set = lock(&self.sets[*column]);
                    let before = set.size();
                    set.add(values, spelled.digits());
                    if !self.numbers.resize(before, set.size()) {
                        // What was granted so far stays taken: the numbers are given up below their limit.
                        set.give_up();
                        self.numbers.resize(before, 0);
                    }
                }
                let end = row + block.rows();
                let mut from = row;
                while from < end {
                    let number = from / lot.block_rows;
                    let to = end.min((number + 1) * lot.block_rows);
                    let start = scratch.len();
                    if let Some(kind) = encode(block, from - row..to - row, scratch) {
                        let len = u32::try_from(scratch.len() - start)
                            .map_err(|_| Error::resource("a block of rows is larger than 4 GB"))?;
                        let piece = SpillPiece { start: start as u64, len, rows: (to - from) as u32, kind };
                        entries.push(PieceEntry {
                            stretch: lot.stretch,
                            block: number,
                            column: *column,
                            row: from,
                            piece,
                        });
                    }
                    from = to;
                }
                row = end;
            }
        }
        drop(lot);
        let place = self.file()?.append(scratch)?;
        entries.iter_mut().for_each(|entry| entry.piece.start += place.start);
        if !self.index.resize(0, entries.len() * size_of::<PieceEntry>()) {
            return Err(Error::resource("the places of rows on disk take more memory than is left")
                .with_help(format!("raise {}", option("memory"))));
        }
        lock(&self.entries).append(&mut entries);
        Ok(())
    }

    fn finish(self) -> Result<Spill<'a>> {
        drop(self.buffers);
        let mut entries = self.entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        entries.sort_unstable_by_key(|entry| (entry.stretch, entry.block, entry.column, entry.row));
        let sets = self.sets.into_iter().map(|set| set.into_inner().unwrap_or_else(PoisonError::into_inner));
        let file = self.file.into_inner().ok_or_else(|| Error::internal("no rows were spilled"))?;
        Ok(Spill {
            room: self.room,
            limits: self.limits,
            file,
            entries,
            sets: sets.collect(),
            dictionaries: self.dictionaries,
            numbers: self.numbers,
            index: self.index,
        })
    }
}
