//! The rows of a release as CSV text, chunk by chunk.

use super::dialect::DELIMITERS;
use super::{Dialect, QUOTE};
use klimt_core::recode::{Release, ReleaseColumn, RowOrder, Source};
use klimt_core::table::{Codes, Column, ColumnData, Domain, Role, Table, TextPool};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that are rendered at once, about: few enough that their text is still in the cache when it is checked, hashed
/// and written.
const CHUNK_ROWS: usize = 1 << 11;

/// A group with more rows than this is rendered in several chunks, so that writers can share it.
const LARGE: usize = 4 * CHUNK_ROWS;

/// The texts of a kept column with more values than this are made row by row, and not held beside the domain.
const POOLED: usize = 1 << 17;

/// A unit of rendering: groups, rows where these keep their order, or a part of a large group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Groups, by number.
    Groups(Range<usize>),
    /// Rows, by number.
    Rows(Range<usize>),
    /// Of the large group with this place in the list of them, the rows at these places.
    Part(usize, Range<usize>),
}

/// How the rows of a release are written.
pub struct RowFormat {
    dialect: Dialect,
    quoting: Quoting,
    pieces: Vec<TextPiece>,
    /// The number of published columns.
    columns: usize,
    /// The quoted texts of kept columns that have a dictionary, by column.
    kept: Vec<Option<TextPool>>,
}

/// The text between two places of a row where rows of a group differ.
enum TextPiece {
    /// Columns that are the same for a group, side by side.
    Group(Vec<Source>),
    /// A column that is published as it is.
    Row(usize),
}

/// Renders the rows of a release, or of a part of one.
pub struct Renderer<'a> {
    release: &'a Release<'a>,
    format: &'a RowFormat,
    /// Whether no text of a column needs quotes, by column.
    plain: Vec<bool>,
    /// Whether a column has codes, by column.
    is_coded: Vec<bool>,
    /// The group of every row, where rows keep their order.
    groups: Vec<Option<u32>>,
    /// The large groups, each with its rows as they are published, where rows stand by group.
    large: Vec<(usize, Vec<u32>)>,
}

/// The large groups of a release with their rows as they are published.
fn large_groups(release: &Release<'_>) -> Vec<(usize, Vec<u32>)> {
    let groups = 0..release.partitioning.groups();
    let is_large = |group: &usize| release.partitioning.range(*group).len() > LARGE;
    let in_order = |group: usize| {
        let mut rows = Vec::new();
        release.rows_of(group..group + 1, &mut rows);
        (group, rows)
    };
    groups.into_par_iter().filter(is_large).map(in_order).collect()
}

impl RowFormat {
    /// The format of some columns of a table, of which only the domains are looked at.
    pub fn new(columns: &[ReleaseColumn], frame: &Table, dialect: Dialect) -> Self {
        let mut pieces: Vec<TextPiece> = Vec::new();
        for column in columns {
            match (column.source, pieces.last_mut()) {
                (Source::Kept(number), _) => pieces.push(TextPiece::Row(number)),
                (source, Some(TextPiece::Group(sources))) => sources.push(source),
                (source, _) => pieces.push(TextPiece::Group(vec![source])),
            }
        }
        // Where no names say how many columns there are, a delimiter of others could be taken for that of the file.
        let quoting = Quoting { delimiter: dialect.delimiter, any: columns.len() == 1 || !dialect.header };
        let quoted = |column: &Column| match &column.data {
            ColumnData::Coded { domain, .. }
                if column.role.is_published()
                    && column.role != Role::QuasiIdentifier
                    && domain.cardinality() <= POOLED =>
            {
                Some(quoted_texts(domain, quoting))
            }
            _ => None,
        };
        let kept = frame.columns().iter().map(quoted).collect();
        RowFormat { dialect, quoting, pieces, columns: columns.len(), kept }
    }
}

/// The text of every code of a domain, in quotes where it needs them.
fn quoted_texts(domain: &Domain, quoting: Quoting) -> TextPool {
    let mut pool = TextPool::default();
    let (mut text, mut quoted) = (Vec::new(), Vec::new());
    for code in 0..domain.cardinality() as u32 {
        text.clear();
        quoted.clear();
        domain.write_text(code, &mut text);
        quoting.write(&text, &mut quoted);
        pool.push(&quoted);
    }
    pool
}

impl<'a> Renderer<'a> {
    /// Prepares to render a release whose table has the domains of the format.
    pub fn new(release: &'a Release<'a>, format: &'a RowFormat) -> Self {
        let quoting = format.quoting;
        let plain = release.table.columns().iter().map(|column| match &column.data {
            ColumnData::Texts(texts) => texts.bytes().all(|bytes| quoting.is_plain(bytes)),
            ColumnData::Coded { .. } => true,
        });
        let plain = plain.collect();
        let groups = if release.row_order == RowOrder::Kept { release.group_by_row() } else { Vec::new() };
        let by_group = release.row_order != RowOrder::Kept;
        let large = if by_group { large_groups(release) } else { Vec::new() };
        let is_coded = release.table.columns().iter().map(|column| column.coded().is_some()).collect();
        Renderer { release, format, plain, is_coded, groups, large }
    }

    /// The units of rendering, in the order of the release.
    pub fn chunks(&self) -> Vec<Chunk> {
        let partitioning = self.release.partitioning;
        let steps = |rows: usize| (0..rows).step_by(CHUNK_ROWS).map(move |at| at..rows.min(at + CHUNK_ROWS));
        if self.release.row_order == RowOrder::Kept {
            return steps(self.groups.len()).map(Chunk::Rows).collect();
        }
        let (mut chunks, mut first) = (Vec::new(), 0);
        let mut large = self.large.iter().enumerate().peekable();
        for group in 0..partitioning.groups() {
            if let Some((at, (_, rows))) = large.next_if(|(_, (number, _))| *number == group) {
                if first < group {
                    chunks.push(Chunk::Groups(first..group));
                }
                chunks.extend(steps(rows.len()).map(|part| Chunk::Part(at, part)));
                first = group + 1;
                continue;
            }
            let rows = partitioning.range(group).end - partitioning.range(first).start;
            if rows >= CHUNK_ROWS || group + 1 == partitioning.groups() {
                chunks.push(Chunk::Groups(first..group + 1));
                first = group + 1;
            }
        }
        chunks
    }

    /// Renders a chunk at the end of what the writer has, and says how many rows that were.
    pub fn render(&self, chunk: &Chunk, scratch: &mut RenderScratch<'a>) -> usize {
        match chunk.clone() {
            Chunk::Rows(rows) => self.render_rows(rows, scratch),
            Chunk::Groups(groups) => self.render_groups(groups, scratch),
            Chunk::Part(large, part) => self.render_part(large, part, scratch),
        }
    }

    fn render_part(&self, large: usize, part: Range<usize>, scratch: &mut RenderScratch<'a>) -> usize {
        let (group, rows) = &self.large[large];
        let rows = &rows[part];
        scratch.rows.clear();
        scratch.rows.extend_from_slice(rows);
        self.gather(rows, scratch);
        self.fill_pieces(*group, scratch);
        (0..rows.len()).for_each(|at| self.render_row(at, scratch));
        rows.len()
    }

    fn render_groups(&self, groups: Range<usize>, scratch: &mut RenderScratch<'a>) -> usize {
        let mut rows = std::mem::take(&mut scratch.rows);
        self.release.rows_of(groups.clone(), &mut rows);
        self.gather(&rows, scratch);
        let first = self.release.partitioning.range(groups.start).start;
        for group in groups {
            let range = self.release.partitioning.range(group);
            self.fill_pieces(group, scratch);
            for at in range.start - first..range.end - first {
                self.render_row(at, scratch);
            }
        }
        scratch.rows = rows;
        scratch.rows.len()
    }

    fn render_rows(&self, rows: Range<usize>, scratch: &mut RenderScratch<'a>) -> usize {
        let kept: Vec<u32> =
            rows.clone().filter(|&row| self.groups[row].is_some()).map(|row| row as u32).collect();
        self.gather(&kept, scratch);
        for (at, &row) in kept.iter().enumerate() {
            if let Some(group) = self.groups[row as usize] {
                self.fill_pieces(group as usize, scratch);
                self.render_row(at, scratch);
            }
        }
        scratch.rows = kept;
        rows.len()
    }

    /// Looks up the codes of the kept columns for all rows of a chunk at once: rows lie anywhere in the table, and
    /// look-ups that do not wait for each other are many times faster.
    fn gather(&self, rows: &[u32], scratch: &mut RenderScratch<'a>) {
        scratch.codes.resize_with(self.format.pieces.len(), Vec::new);
        scratch.kept.resize_with(self.format.pieces.len(), Vec::new);
        for (at, piece) in self.format.pieces.iter().enumerate() {
            let TextPiece::Row(number) = piece else { continue };
            let (codes, kept) = (&mut scratch.codes[at], &mut scratch.kept[at]);
            codes.clear();
            kept.clear();
            match &self.release.table.columns()[*number].data {
                ColumnData::Coded { codes: Codes::U8(column), .. } => {
                    codes.extend(rows.iter().map(|&row| u32::from(column[row as usize])));
                }
                ColumnData::Coded { codes: Codes::U16(column), .. } => {
                    codes.extend(rows.iter().map(|&row| u32::from(column[row as usize])));
                }
                ColumnData::Coded { codes: Codes::U32(column), .. } => {
                    codes.extend(rows.iter().map(|&row| column[row as usize]));
                }
                ColumnData::Texts(texts) => {
                    kept.extend(rows.iter().map(|&row| texts.get(row as usize)));
                    // Looking at the first bytes brings all the texts into the cache.
                    let first = kept.iter().map(|text| u64::from(text.first().copied().unwrap_or(0)));
                    std::hint::black_box(first.sum::<u64>());
                }
            }
        }
    }

    /// Renders what is the same for all rows of a group: a text per piece.
    fn fill_pieces(&self, group: usize, scratch: &mut RenderScratch<'a>) {
        scratch.texts.clear();
        scratch.ends.clear();
        for (at, piece) in self.format.pieces.iter().enumerate() {
            if let TextPiece::Group(sources) = piece {
                for (inner, &source) in sources.iter().enumerate() {
                    separate(at + inner, self.format.dialect, &mut scratch.texts);
                    scratch.field.clear();
                    self.release.write_group(group, source, &mut scratch.field);
                    self.format.quoting.write(&scratch.field, &mut scratch.texts);
                }
            } else {
                separate(at, self.format.dialect, &mut scratch.texts);
            }
            scratch.ends.push(scratch.texts.len());
        }
    }

    /// Renders a value of a column with many.
    fn render_code(&self, column: usize, code: u32, field: &mut Vec<u8>, out: &mut Vec<u8>) {
        if let Some((domain, _)) = self.release.table.columns()[column].coded() {
            field.clear();
            domain.write_text(code, field);
            self.format.quoting.write(field, out);
        }
    }

    /// Renders the row that is the `at`-th of its chunk.
    #[inline]
    fn render_row(&self, at: usize, scratch: &mut RenderScratch<'a>) {
        let mut start = 0;
        for (number, &end) in scratch.ends.iter().enumerate() {
            // A single byte is a delimiter between two columns of the row.
            match &scratch.texts[start..end] {
                [byte] => scratch.out.push(*byte),
                texts => scratch.out.extend_from_slice(texts),
            }
            start = end;
            if let TextPiece::Row(column) = &self.format.pieces[number] {
                match &self.format.kept[*column] {
                    Some(texts) => {
                        scratch.out.extend_from_slice(texts.get(scratch.codes[number][at] as usize))
                    }
                    None if self.is_coded[*column] => {
                        let (field, out) = (&mut scratch.field, &mut scratch.out);
                        self.render_code(*column, scratch.codes[number][at], field, out);
                    }
                    None if self.plain[*column] => scratch.out.extend_from_slice(scratch.kept[number][at]),
                    None => self.format.quoting.write(scratch.kept[number][at], &mut scratch.out),
                }
            }
        }
        // A line with nothing on it would be no record.
        if self.format.columns == 1 && matches!(scratch.out.last(), None | Some(b'\n')) {
            scratch.out.extend_from_slice(b"\"\"");
        }
        scratch.out.push(b'\n');
    }
}

/// Buffers that a writer reuses for every chunk.
#[derive(Default)]
pub struct RenderScratch<'a> {
    /// The rendered bytes.
    pub out: Vec<u8>,
    /// The rows of the chunk, in their order.
    pub rows: Vec<u32>,
    /// The codes of the chunk's rows, for every piece that is a coded column.
    codes: Vec<Vec<u32>>,
    /// The texts of the chunk's rows, for every piece that is a column of texts.
    kept: Vec<Vec<&'a [u8]>>,
    texts: Vec<u8>,
    ends: Vec<usize>,
    field: Vec<u8>,
}

/// The names of the columns as the first record; nothing where there is to be none.
pub fn header(columns: &[ReleaseColumn], dialect: Dialect) -> Vec<u8> {
    let mut header = Vec::new();
    let quoting = Quoting { delimiter: dialect.delimiter, any: true };
    if dialect.header {
        for (at, column) in columns.iter().enumerate() {
            separate(at, dialect, &mut header);
            quoting.write(column.name.as_bytes(), &mut header);
        }
        header.push(b'\n');
    }
    header
}

fn separate(at: usize, dialect: Dialect, out: &mut Vec<u8>) {
    if at > 0 {
        out.push(dialect.delimiter);
    }
}

/// Appends a field, in quotes where RFC 4180 wants them.
#[inline]
pub fn quote_field(text: &[u8], delimiter: u8, out: &mut Vec<u8>) {
    Quoting { delimiter, any: false }.write(text, out);
}

/// Which fields are put in quotes.
#[derive(Clone, Copy, Debug)]
struct Quoting {
    delimiter: u8,
    /// Also those that hold a delimiter which files are known to have, so that a reader that detects it is not misled.
    any: bool,
}

impl Quoting {
    /// Appends a field, in quotes where it needs them.
    #[inline]
    fn write(self, text: &[u8], out: &mut Vec<u8>) {
        if self.is_plain(text) {
            out.extend_from_slice(text);
            return;
        }
        out.push(QUOTE);
        for &byte in text {
            if byte == QUOTE {
                out.push(QUOTE);
            }
            out.push(byte);
        }
        out.push(QUOTE);
    }

    /// Whether a text needs no quotes.
    fn is_plain(self, text: &[u8]) -> bool {
        memchr::memchr3(self.delimiter, QUOTE, b'\n', text).is_none()
            && memchr::memchr(b'\r', text).is_none()
            && !(self.any && text.iter().any(|byte| DELIMITERS.contains(byte)))
    }
}
