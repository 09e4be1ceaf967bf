//! Pages: the rows of a subtree of the R+-tree, leaf by leaf, with the cuts that lead to them.

use crate::bytes::{ByteReader, ByteWriter, damaged};
use crate::dictionary::StoreFrame;
use crate::secret::{Key, Secret};
use crate::vault::{FetchedValue, Seal, SealedValue, ValueName, ValueSource};
use klimt_core::partition::{CutNode, CutTree};
use klimt_core::spill::{Block, BlockColumn};
use klimt_core::table::Codes;
use klimt_core::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// A page with more rows is divided, if its cuts allow that.
pub(crate) const MOST_ROWS: usize = 4096;

/// The number of pages that are read at a time, per thread.
const SIDE_BY_SIDE: usize = 16;

/// Some rows of the store, with what it knows of each.
#[derive(Clone, Debug)]
pub(crate) struct PageRows {
    /// Their columns, by the codes of now.
    pub block: Block,
    /// Their keys.
    pub keys: Vec<Key>,
    /// Their histories.
    pub marks: Vec<u32>,
}

impl PageRows {
    /// No rows.
    pub fn empty(frame: &StoreFrame) -> Self {
        PageRows { block: Block::empty(&frame.table), keys: Vec::new(), marks: Vec::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Appends all rows of others.
    pub fn append(&mut self, other: &PageRows) {
        self.block.append(&other.block);
        self.keys.extend_from_slice(&other.keys);
        self.marks.extend_from_slice(&other.marks);
    }

    /// Appends some rows of others, by their numbers.
    pub fn append_rows(&mut self, other: &PageRows, rows: &[u32]) {
        self.block.append_rows(&other.block, rows);
        self.keys.extend(rows.iter().map(|&row| other.keys[row as usize]));
        self.marks.extend(rows.iter().map(|&row| other.marks[row as usize]));
    }
}

/// The rows of a subtree: they stand leaf by leaf.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub rows: PageRows,
    pub tree: CutTree,
}

/// Where a page lies in the vault, and what is known of it without looking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageEntry {
    pub page: u32,
    pub rows: u32,
    pub leaves: u32,
    /// The rows of its smallest leaf.
    pub smallest: u32,
    /// The seals of its rows, keys and histories.
    pub seals: [Seal; 3],
}

impl Page {
    /// A page without rows or cuts.
    pub fn empty(frame: &StoreFrame) -> Self {
        Page::uncut(PageRows::empty(frame))
    }

    /// Rows without cuts.
    pub fn uncut(rows: PageRows) -> Self {
        let tree = CutTree { nodes: vec![CutNode::Leaf { rows: rows.len() as u32 }], members: Vec::new() };
        Page { rows, tree }
    }

    /// The sizes of the leaves, in order; some may hold no rows.
    pub fn leaves(&self) -> Vec<u32> {
        leaf_sizes(&self.tree)
    }

    /// The page under a number of its own, as it will lie in the vault.
    pub fn seal(
        &self,
        page: u32,
        frame: &StoreFrame,
        secret: &Secret,
    ) -> Result<(PageEntry, [SealedValue; 3])> {
        let rows = SealedValue::new(secret, ValueName::page(page), &self.encode(frame)?);
        let keys = SealedValue::new(secret, ValueName::keys(page), self.rows.keys.as_flattened());
        let marks = seal_marks(page, &self.rows.marks, secret);
        let leaves: Vec<u32> = self.leaves().into_iter().filter(|&rows| rows > 0).collect();
        let entry = PageEntry {
            page,
            rows: self.rows.len() as u32,
            leaves: leaves.len() as u32,
            smallest: leaves.iter().copied().min().unwrap_or(0),
            seals: [rows.seal, keys.seal, marks.seal],
        };
        Ok((entry, [rows, keys, marks]))
    }

    fn encode(&self, frame: &StoreFrame) -> Result<Vec<u8>> {
        let mut writer = ByteWriter::default();
        writer.word(self.rows.len() as u32);
        write_tree(&mut writer, &self.tree, frame)?;
        let mut stored = Vec::new();
        for (column, coding) in self.rows.block.columns().iter().zip(&frame.codings) {
            match (column, coding) {
                (BlockColumn::Codes(codes), Some(coding)) => {
                    stored.clear();
                    codes.for_each(|code| stored.push(coding.stored(code)));
                    writer.words(&stored);
                }
                (BlockColumn::Texts(texts), None) => {
                    (0..texts.len()).for_each(|row| writer.text(texts.stored(row)));
                }
                _ => return Err(Error::internal("a page has columns of another store")),
            }
        }
        Ok(writer.bytes)
    }

    /// Reads a page with the codes of now.
    pub fn load(entry: &PageEntry, frame: &StoreFrame, values: &dyn ValueSource) -> Result<Page> {
        RawPage::fetch(entry, Extract::Everything, values)?.decode(frame, values.secret())
    }
}

/// The part of a page to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extract {
    /// Cuts and histories.
    Outline,
    /// These, and the columns of the rows.
    Columns,
    /// These, and the keys.
    Everything,
}

/// A page as it lies in the vault, to be checked and decoded on any thread.
pub(crate) struct RawPage {
    entry: PageEntry,
    extract: Extract,
    rows: FetchedValue,
    keys: Option<FetchedValue>,
    marks: FetchedValue,
}

impl RawPage {
    pub fn fetch(entry: &PageEntry, extract: Extract, values: &dyn ValueSource) -> Result<RawPage> {
        let keys = (extract == Extract::Everything).then(|| values.fetch(ValueName::keys(entry.page)));
        Ok(RawPage {
            entry: *entry,
            extract,
            rows: values.fetch(ValueName::page(entry.page))?,
            keys: keys.transpose()?,
            marks: values.fetch(ValueName::marks(entry.page))?,
        })
    }

    pub fn decode(&self, frame: &StoreFrame, secret: &Secret) -> Result<Page> {
        let [rows, keys, marks] = self.entry.seals;
        let len = self.entry.rows as usize;
        let mut reader = ByteReader::new(self.rows.value(secret, Some(rows))?);
        if reader.word()? as usize != len {
            return Err(damaged());
        }
        let tree = read_tree(&mut reader, frame)?;
        let leaves: u64 = leaf_sizes(&tree).iter().map(|&rows| u64::from(rows)).sum();
        if leaves != len as u64 {
            return Err(damaged());
        }
        let mut block = Block::empty(&frame.table);
        let marks = read_marks(self.marks.value(secret, Some(marks))?, len)?;
        if self.extract == Extract::Outline {
            return Ok(Page { rows: PageRows { block, keys: Vec::new(), marks }, tree });
        }
        block.fill(len, |number, column| {
            match (column, &frame.codings[number], frame.table.columns()[number].coded()) {
                (BlockColumn::Codes(codes), Some(coding), Some((domain, _))) => {
                    *codes = reader.codes(len, domain.cardinality(), |stored| coding.code(stored))?;
                }
                (BlockColumn::Texts(texts), None, _) => {
                    for _ in 0..len {
                        texts.push(reader.text()?);
                    }
                }
                _ => return Err(damaged()),
            }
            Ok(())
        })?;
        reader.end()?;
        let keys = match &self.keys {
            Some(fetched) => read_keys(fetched.value(secret, Some(keys))?, len)?.to_vec(),
            None => Vec::new(),
        };
        Ok(Page { rows: PageRows { block, keys, marks }, tree })
    }
}

/// Reads pages in their order, some of them side by side, and hands over each with its place.
pub(crate) fn for_each_page(
    entries: &[PageEntry],
    extract: Extract,
    frame: &StoreFrame,
    values: &dyn ValueSource,
    mut each: impl FnMut(usize, Page) -> Result<()>,
) -> Result<()> {
    let together = SIDE_BY_SIDE * rayon::current_num_threads();
    for (lot, entries) in entries.chunks(together).enumerate() {
        let raw = entries.iter().map(|entry| RawPage::fetch(entry, extract, values));
        let raw = raw.collect::<Result<Vec<_>>>()?;
        let secret = values.secret();
        let pages: Vec<Result<Page>> = raw.into_par_iter().map(|raw| raw.decode(frame, secret)).collect();
        for (at, page) in pages.into_iter().enumerate() {
            each(lot * together + at, page?)?;
        }
    }
    Ok(())
}

/// Looks at the keys of all pages, some of them side by side: what `each` makes of the page at a place, in order.
pub(crate) fn for_each_keys<T: Send>(
    entries: &[PageEntry],
    values: &dyn ValueSource,
    each: impl Fn(usize, &[Key]) -> T + Sync,
) -> Result<Vec<T>> {
    let (together, secret) = (SIDE_BY_SIDE * rayon::current_num_threads(), values.secret());
    let mut made = Vec::with_capacity(entries.len());
    for (lot, entries) in entries.chunks(together).enumerate() {
        let fetched = entries.iter().map(|entry| values.fetch(ValueName::keys(entry.page)));
        let fetched = fetched.collect::<Result<Vec<_>>>()?;
        let look = |(at, (entry, fetched)): (usize, (&PageEntry, FetchedValue))| {
            let keys = read_keys(fetched.value(secret, Some(entry.seals[1]))?, entry.rows as usize)?;
            Ok(each(lot * together + at, keys))
        };
        let lot: Vec<Result<T>> = entries.par_iter().zip(fetched).enumerate().map(look).collect();
        for one in lot {
            made.push(one?);
        }
    }
    Ok(made)
}

fn read_keys(bytes: &[u8], len: usize) -> Result<&[Key]> {
    let (keys, rest) = bytes.as_chunks();
    if rest.is_empty() && keys.len() == len { Ok(keys) } else { Err(damaged()) }
}

/// The histories of the rows of a page, sealed.
pub(crate) fn seal_marks(page: u32, marks: &[u32], secret: &Secret) -> SealedValue {
    let mut writer = ByteWriter::default();
    writer.words(marks);
    SealedValue::new(secret, ValueName::marks(page), &writer.bytes)
}

fn read_marks(bytes: &[u8], len: usize) -> Result<Vec<u32>> {
    let mut reader = ByteReader::new(bytes);
    let marks = reader.words(len)?;
    reader.end()?;
    Ok(marks)
}

/// Writes cuts so that they can be read when codes have changed.
pub(crate) fn write_tree(writer: &mut ByteWriter, tree: &CutTree, frame: &StoreFrame) -> Result<()> {
    let codings = (0..frame.table.dimensions()).map(|d| frame.dimension(d)).collect::<Result<Vec<_>>>()?;
    let is_set =
        |dimension: usize| matches!(frame.table.domain(dimension).shape(), klimt_core::table::Shape::Set);
    writer.tree(tree, |dimension, code| match is_set(dimension) {
        true => codings[dimension].stored(code),
        false => codings[dimension].stored_cut(code),
    });
    Ok(())
}

/// Reads cuts with the codes of now.
pub(crate) fn read_tree(reader: &mut ByteReader<'_>, frame: &StoreFrame) -> Result<CutTree> {
    let is_set =
        |dimension: usize| matches!(frame.table.domain(dimension).shape(), klimt_core::table::Shape::Set);
    let tree = reader.tree(|dimension, stored| {
        let coding = frame.dimension(dimension)?;
        if is_set(dimension) { coding.code(stored) } else { coding.cut(stored) }.ok_or_else(damaged)
    })?;
    if fits_together(&tree, frame) { Ok(tree) } else { Err(damaged()) }
}

/// Whether a tree is one, with cuts of dimensions that there are: sets are cut by members, others after a code.
fn fits_together(tree: &CutTree, frame: &StoreFrame) -> bool {
    let is_set = |dimension: u32| {
        let known = (dimension as usize) < frame.table.dimensions();
        known.then(|| matches!(frame.table.domain(dimension as usize).shape(), klimt_core::table::Shape::Set))
    };
    let known = |node: &CutNode| match *node {
        CutNode::Leaf { .. } => true,
        CutNode::Threshold { dimension, .. } => is_set(dimension) == Some(false),
        CutNode::Subset { dimension, len, .. } => is_set(dimension) == Some(true) && len > 0,
    };
    tree.nodes.iter().all(known) && tree.fits_together()
}

/// The sizes of the leaves of a tree, in order.
pub(crate) fn leaf_sizes(tree: &CutTree) -> Vec<u32> {
    let size = |node: &CutNode| if let CutNode::Leaf { rows } = node { Some(*rows) } else { None };
    tree.nodes.iter().filter_map(size).collect()
}

/// Where a subtree ends in its tree.
pub(crate) fn subtree(tree: &CutTree, at: usize) -> Range<usize> {
    let (mut end, mut open) = (at, 1);
    while open > 0 {
        open += if matches!(tree.nodes[end], CutNode::Leaf { .. }) { -1 } else { 1 };
        end += 1;
    }
    at..end
}

/// The codes of the dimensions of a block.
pub(crate) fn dimensions<'b>(block: &'b Block, frame: &StoreFrame) -> Vec<&'b Codes> {
    frame.table.quasi_identifiers().iter().map(|&column| block.codes(column)).collect()
}
