//! The state of a store: read when it is opened, and written with every change.

use crate::bytes::{ByteReader, ByteWriter, damaged};
use crate::dictionary::{Coding, Dictionary, MissingTexts, StoreFrame};
use crate::page::{PageEntry, read_tree, write_tree};
use crate::past::Chunks;
use crate::people::CodedColumns;
use crate::spec::Spec;
use crate::store::Size;
use crate::vault::{Change, ValueName, ValueSource};
use klimt_core::Result;
use klimt_core::partition::{CutNode, CutTree};
use klimt_core::parts::Whole;
use klimt_core::spill::Block;
use klimt_core::table::{Domain, Role};
use std::sync::Arc;

/// The cuts above the pages, and the pages in their order: page `i` is leaf `i`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Directory {
    pub tree: CutTree,
    pub pages: Vec<PageEntry>,
    /// By page, the rows that have come to it and are not in its leaves yet (the buffers of the buffer tree, section 2.1):
    /// each batch of them lies in the vault as a page without cuts.
    pub waiting: Vec<Vec<PageEntry>>,
}

/// The rows of each value of the sensitive columns, by what stands for it in the vault; columns by their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SensitiveCounts(Vec<Vec<u64>>);

impl SensitiveCounts {
    /// An empty count for a number of columns.
    pub fn new(columns: usize) -> Self {
        SensitiveCounts(vec![Vec::new(); columns])
    }

    /// The whole that requirements are bound to, of `rows` rows.
    pub fn whole<'f>(&self, frame: &'f StoreFrame, rows: u64) -> Whole<'f> {
        let mut counts = Vec::new();
        for (number, domain, coding) in sensitive(frame) {
            let rows = |code: u32| self.0[number].get(coding.stored(code) as usize).copied().unwrap_or(0);
            counts.push((number, (0..domain.cardinality() as u32).map(rows).collect()));
        }
        Whole { frame: &frame.table, rows, counts }
    }

    /// Counts rows that are not published, of which there are the columns that have codes.
    pub fn take_off(&mut self, frame: &StoreFrame, coded: &CodedColumns, block: &Block) {
        for ((number, _, coding), &place) in sensitive(frame).zip(&coded.sensitive) {
            block.codes(place).for_each(|code| {
                let count = &mut self.0[number][coding.stored(code) as usize];
                *count = count.saturating_sub(1);
            });
        }
    }

    /// The counts of a release, and its number of rows.
    pub fn of_release(release: u32, columns: usize, values: &dyn ValueSource) -> Result<(Self, u64)> {
        let bytes = values.get(ValueName::counts(release))?;
        let mut reader = ByteReader::new(&bytes);
        let rows = reader.long()?;
        let counts = (0..columns).map(|_| read_counts(&mut reader)).collect::<Result<Vec<_>>>()?;
        reader.end()?;
        Ok((SensitiveCounts(counts), rows))
    }

    /// Records these as the counts of a release of `rows` rows.
    pub fn save_release(&self, release: u32, rows: u64, change: &mut Change<'_>) -> Result<()> {
        let mut writer = ByteWriter::default();
        writer.long(rows);
        (0..self.0.len()).for_each(|column| self.write(column, &mut writer));
        change.set(ValueName::counts(release), &writer.bytes).map(|_| ())
    }

    fn write(&self, column: usize, writer: &mut ByteWriter) {
        writer.word(self.0[column].len() as u32);
        self.0[column].iter().for_each(|&count| writer.long(count));
    }

    /// Counts rows that have come, or gone.
    pub fn count(&mut self, frame: &StoreFrame, block: &Block, come: bool) {
        for (number, _, coding) in sensitive(frame) {
            let counts = &mut self.0[number];
            block.codes(number).for_each(|code| {
                let at = coding.stored(code) as usize;
                if counts.len() <= at {
                    counts.resize(at + 1, 0);
                }
                counts[at] = if come { counts[at] + 1 } else { counts[at].saturating_sub(1) };
            });
        }
    }
}

fn read_counts(reader: &mut ByteReader<'_>) -> Result<Vec<u64>> {
    let len = reader.word()?;
    (0..len).map(|_| reader.long()).collect()
}

/// The sensitive columns of a frame, by their numbers.
pub(crate) fn sensitive(frame: &StoreFrame) -> impl Iterator<Item = (usize, &Domain, &Coding)> {
    let columns = frame.table.columns().iter().enumerate().zip(&frame.codings);
    columns.filter(|((_, column), _)| column.role == Role::Sensitive).filter_map(
        |((number, column), coding)| {
            let (domain, _) = column.coded()?;
            Some((number, domain, coding.as_ref()?))
        },
    )
}

/// How things stand.
#[derive(Debug)]
pub(crate) struct StoreState {
    /// How many changes of the rows there have been.
    pub version: u64,
    /// The number of the next page.
    pub next_page: u32,
    /// How many releases the ledger has.
    pub releases: u32,
    /// How many histories there are, that of rows which were never released included.
    pub histories: u32,
    /// Where the records of people's past are.
    pub past: Chunks,
    /// How often sensitive values occur.
    pub counts: SensitiveCounts,
    /// The values of the columns.
    pub dictionaries: Vec<Dictionary>,
    /// The pages.
    pub directory: Directory,
    /// The columns with the codes of now.
    pub frame: Arc<StoreFrame>,
}

impl Directory {
    /// Pages to which nothing has come.
    pub fn of(tree: CutTree, pages: Vec<PageEntry>) -> Self {
        let waiting = vec![Vec::new(); pages.len()];
        Directory { tree, pages, waiting }
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        rows_of(&self.pages) + self.waiting_rows()
    }

    /// How many of them are not in leaves yet.
    pub fn waiting_rows(&self) -> u64 {
        self.waiting.iter().map(|waiting| rows_of(waiting)).sum()
    }

    /// Everything that holds rows.
    pub fn entries(&self) -> Vec<PageEntry> {
        self.pages.iter().chain(self.waiting.iter().flatten()).copied().collect()
    }

    /// Takes in another page.
    pub fn push(&mut self, page: PageEntry, waiting: Vec<PageEntry>) {
        self.pages.push(page);
        self.waiting.push(waiting);
    }

    /// How many leaves hold rows.
    pub fn leaves(&self) -> u64 {
        self.pages.iter().map(|page| u64::from(page.leaves)).sum()
    }

    /// How large the store is.
    pub fn size(&self) -> Size {
        Size { rows: self.rows(), groups: self.leaves(), waiting: self.waiting_rows() }
    }

    /// The rows of the smallest leaf that holds any.
    pub fn smallest(&self) -> u64 {
        let filled = self.pages.iter().filter(|page| page.rows > 0);
        filled.map(|page| u64::from(page.smallest)).min().unwrap_or(0)
    }

    /// How many cuts lie between the root and the deepest page.
    pub fn height(&self) -> usize {
        let (mut deepest, mut pending) = (0, vec![(0, 0)]);
        while let Some((at, depth)) = pending.pop() {
            deepest = deepest.max(depth);
            if !matches!(self.tree.nodes[at], CutNode::Leaf { .. }) {
                pending.extend([(at + 1, depth + 1), (at + self.tree.right(at), depth + 1)]);
            }
        }
        deepest
    }

    /// The directory in which some pages, by their place, have been replaced: by cuts and pages, or by nothing.
    pub fn replaced(&self, mut with: impl FnMut(usize) -> Replacement) -> Directory {
        let mut made = Directory::default();
        let mut next = 0;
        self.copy(0, &mut next, &mut with, &mut made);
        made
    }

    /// Copies a subtree; returns whether anything is left of it.
    fn copy(
        &self,
        at: usize,
        next: &mut usize,
        with: &mut impl FnMut(usize) -> Replacement,
        made: &mut Directory,
    ) -> bool {
        if let CutNode::Leaf { .. } = self.tree.nodes[at] {
            let place = *next;
            *next += 1;
            return match with(place) {
                Replacement::Same => {
                    made.tree.nodes.push(self.tree.nodes[at]);
                    made.push(self.pages[place], self.waiting[place].clone());
                    true
                }
                Replacement::Waits(rows) => {
                    made.tree.nodes.push(self.tree.nodes[at]);
                    made.push(self.pages[place], [&self.waiting[place][..], &[rows]].concat());
                    true
                }
                Replacement::Nothing => false,
                Replacement::Pages(tree, pages) => {
                    made.tree.append(&tree);
                    pages.into_iter().for_each(|page| made.push(page, Vec::new()));
                    true
                }
            };
        }
        let (node, members) = (made.tree.nodes.len(), made.tree.members.len());
        made.tree.push_copy(&self.tree, at);
        let left = self.copy(at + 1, next, with, made);
        if left {
            made.tree.close_left(node);
        } else {
            made.tree.nodes.truncate(node);
            made.tree.members.truncate(members);
        }
        let right = self.copy(at + self.tree.right(at), next, with, made);
        if left && !right {
            made.tree.nodes.remove(node);
        }
        left || right
    }
}

/// The replacement of a page.
pub(crate) enum Replacement {
    /// The page itself.
    Same,
    /// The page itself, and rows that wait.
    Waits(PageEntry),
    /// Nothing: what lies beside it takes its room.
    Nothing,
    /// Pages, and the cuts above them.
    Pages(CutTree, Vec<PageEntry>),
}

impl StoreState {
    /// A store without rows, but for an empty page.
    pub fn new(spec: &Spec, page: impl FnOnce(&StoreFrame) -> Result<PageEntry>) -> Result<Self> {
        let dictionaries = spec.columns.iter().map(Dictionary::new).collect::<Result<Vec<_>>>()?;
        let frame = Arc::new(StoreFrame::of(spec, &dictionaries)?);
        let tree = CutTree { nodes: vec![CutNode::Leaf { rows: 0 }], members: Vec::new() };
        let directory = Directory::of(tree, vec![page(&frame)?]);
        let counts = SensitiveCounts::new(spec.columns.len());
        Ok(StoreState {
            version: 0,
            next_page: 1,
            releases: 0,
            histories: 1,
            past: Chunks::default(),
            counts,
            dictionaries,
            directory,
            frame,
        })
    }

    /// Reads how things stand.
    pub fn load(spec: &Spec, values: &dyn ValueSource) -> Result<Self> {
        RawState::load(spec, values)?.settle(spec)
    }

    /// Writes how things stand.
    pub fn save(&mut self, change: &mut Change<'_>) -> Result<()> {
        let mut writer = ByteWriter::default();
        writer.long(self.version);
        let Chunks { first, next } = self.past;
        let words = [self.next_page, self.releases, self.histories, first, next];
        words.into_iter().for_each(|word| writer.word(word));
        for (number, dictionary) in self.dictionaries.iter_mut().enumerate() {
            dictionary.save(number, change)?;
            let (chunks, missing) = dictionary.saved();
            writer.word(chunks);
            writer.byte(missing.byte());
            self.counts.write(number, &mut writer);
        }
        writer.word(self.directory.pages.len() as u32);
        for (entry, waiting) in self.directory.pages.iter().zip(&self.directory.waiting) {
            write_entry(&mut writer, entry);
            writer.word(waiting.len() as u32);
            waiting.iter().for_each(|entry| write_entry(&mut writer, entry));
        }
        write_tree(&mut writer, &self.directory.tree, &self.frame)?;
        change.set(ValueName::STATE, &writer.bytes)?;
        Ok(())
    }
}

/// How things stand, before codes are given to the values.
#[derive(Debug)]
pub(crate) struct RawState {
    version: u64,
    next_page: u32,
    releases: u32,
    histories: u32,
    /// Where the records of people's past are.
    pub past: Chunks,
    counts: SensitiveCounts,
    /// The values of the columns: more may be taken in before they get codes.
    pub dictionaries: Vec<Dictionary>,
    /// The pages, in their order; the cuts above them are not among them yet.
    pub directory: Directory,
    /// These cuts, as they are stored.
    cuts: Vec<u8>,
}

impl RawState {
    /// Reads how things stand.
    pub fn load(spec: &Spec, values: &dyn ValueSource) -> Result<Self> {
        let bytes = values.get(ValueName::STATE)?;
        let mut reader = ByteReader::new(&bytes);
        let version = reader.long()?;
        let (next_page, releases, histories) = (reader.word()?, reader.word()?, reader.word()?);
        let past = Chunks { first: reader.word()?, next: reader.word()? };
        let (mut dictionaries, mut counts) = (Vec::new(), Vec::new());
        for (number, column) in spec.columns.iter().enumerate() {
            let saved = (reader.word()?, MissingTexts::of_byte(reader.byte()?));
            dictionaries.push(Dictionary::load(column, number, saved, values)?);
            counts.push(read_counts(&mut reader)?);
        }
        let mut directory = Directory::default();
        for _ in 0..reader.word()? {
            let page = read_entry(&mut reader)?;
            let waiting = (0..reader.word()?).map(|_| read_entry(&mut reader));
            directory.push(page, waiting.collect::<Result<Vec<_>>>()?);
        }
        let (counts, cuts) = (SensitiveCounts(counts), reader.rest().to_vec());
        Ok(RawState { version, next_page, releases, histories, past, counts, dictionaries, directory, cuts })
    }

    /// Gives codes to the values.
    pub fn settle(self, spec: &Spec) -> Result<StoreState> {
        let RawState { version, next_page, releases, histories, past, .. } = self;
        let RawState { counts, dictionaries, mut directory, cuts, .. } = self;
        let frame = Arc::new(StoreFrame::of(spec, &dictionaries)?);
        let mut reader = ByteReader::new(&cuts);
        directory.tree = read_tree(&mut reader, &frame)?;
        reader.end()?;
        let leaves = directory.tree.nodes.iter().filter(|node| matches!(node, CutNode::Leaf { .. })).count();
        if leaves != directory.pages.len() {
            return Err(damaged());
        }
        Ok(StoreState {
            version,
            next_page,
            releases,
            histories,
            past,
            counts,
            dictionaries,
            directory,
            frame,
        })
    }
}

/// How many rows lie in some pages.
pub(crate) fn rows_of(entries: &[PageEntry]) -> u64 {
    entries.iter().map(|entry| u64::from(entry.rows)).sum()
}

fn write_entry(writer: &mut ByteWriter, entry: &PageEntry) {
    [entry.page, entry.rows, entry.leaves, entry.smallest].into_iter().for_each(|word| writer.word(word));
    entry.seals.iter().for_each(|seal| writer.bytes.extend_from_slice(seal));
}

fn read_entry(reader: &mut ByteReader<'_>) -> Result<PageEntry> {
    let (page, rows, leaves, smallest) = (reader.word()?, reader.word()?, reader.word()?, reader.word()?);
    let mut seals = [[0; 16]; 3];
    for seal in &mut seals {
        seal.copy_from_slice(reader.take(16)?);
    }
    Ok(PageEntry { page, rows, leaves, smallest, seals })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory() -> Directory {
        // ((0 1) (2 3))
        let mut tree = CutTree::default();
        let leaf = CutNode::Leaf { rows: 1 };
        let root = tree.push_threshold(0, 20, false);
        let left = tree.push_threshold(0, 10, false);
        tree.nodes.push(leaf);
        tree.close_left(left);
        tree.nodes.push(leaf);
        tree.close_left(root);
        let right = tree.push_threshold(0, 30, false);
        tree.nodes.push(leaf);
        tree.close_left(right);
        tree.nodes.push(leaf);
        let page = |page| PageEntry { page, rows: 1, leaves: 1, smallest: 1, seals: [[0; 16]; 3] };
        Directory::of(tree, (0..4).map(page).collect())
    }

    /// The pages in order, each with the codes that the cuts lead to it.
    fn regions(directory: &Directory) -> Vec<(u32, u32, u32)> {
        fn walk(tree: &CutTree, at: usize, lo: u32, hi: u32, out: &mut Vec<(u32, u32)>) {
            match tree.nodes[at] {
                CutNode::Threshold { code, .. } => {
                    walk(tree, at + 1, lo, hi.min(code), out);
                    walk(tree, at + tree.right(at), lo.max(code + 1), hi, out);
                }
                _ => out.push((lo, hi)),
            }
        }
        let mut out = Vec::new();
        walk(&directory.tree, 0, 0, 99, &mut out);
        assert_eq!(out.len(), directory.pages.len());
        directory.pages.iter().zip(out).map(|(entry, (lo, hi))| (entry.page, lo, hi)).collect()
    }

    #[test]
    fn pages_that_are_gone_leave_their_room_to_what_lies_beside_them() {
        let without = |gone: &[usize]| {
            regions(&directory().replaced(|place| {
                if gone.contains(&place) { Replacement::Nothing } else { Replacement::Same }
            }))
        };
        assert_eq!(without(&[]), [(0, 0, 10), (1, 11, 20), (2, 21, 30), (3, 31, 99)]);
        assert_eq!(without(&[0]), [(1, 0, 20), (2, 21, 30), (3, 31, 99)]);
        assert_eq!(without(&[1]), [(0, 0, 20), (2, 21, 30), (3, 31, 99)]);
        assert_eq!(without(&[2, 3]), [(0, 0, 10), (1, 11, 99)]);
        assert_eq!(without(&[0, 1]), [(2, 0, 30), (3, 31, 99)]);
        assert_eq!(without(&[1, 2]), [(0, 0, 20), (3, 21, 99)]);
        assert_eq!(without(&[0, 2, 3]), [(1, 0, 99)]);
    }

    #[test]
    fn a_page_can_become_several() {
        let made = directory().replaced(|place| {
            if place != 1 {
                return Replacement::Same;
            }
            let mut tree = CutTree::default();
            let cut = tree.push_threshold(0, 15, false);
            tree.nodes.push(CutNode::Leaf { rows: 1 });
            tree.close_left(cut);
            tree.nodes.push(CutNode::Leaf { rows: 1 });
            let page = |page| PageEntry { page, rows: 1, leaves: 1, smallest: 1, seals: [[0; 16]; 3] };
            Replacement::Pages(tree, vec![page(8), page(9)])
        });
        assert_eq!(regions(&made), [(0, 0, 10), (8, 11, 15), (9, 16, 20), (2, 21, 30), (3, 31, 99)]);
        assert_eq!((made.height(), made.rows()), (3, 5));
    }
}
