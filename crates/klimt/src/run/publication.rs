//! Publishing a release, whole or part by part: written beside its target, checked from the very bytes that are written,
//! and only then given its name.

use super::people::{PersonKey, RowPeople, bytes};
use crate::certificate::ReleaseFile;
use crate::files::Staged;
use crate::output::Output;
use klimt_core::job::Observer;
use klimt_core::recode::{Release, ReleaseColumn, Source};
use klimt_core::requirement::Requirement;
use klimt_core::table::{ColumnSpec, Domain, Role, Shape, Table, ValueType};
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::columnar::{ColumnarWriter, KeptTypes, OutputFormat, RowsKnown, TextRecords};
use klimt_io::csv::{ChunkObserver, CsvWriter, Dialect, DialectSpec};
use klimt_io::source::Compression;
use klimt_verify::claims::{ClaimedValues, Outcome, PromiseFacts};
use klimt_verify::csv::{Layout, scan};
use klimt_verify::{Comparison, Findings, Question, Segments, Tally, width};
use std::fs::File;
use std::io::{self, Write};

/// What is promised of a release, and how it is written.
#[derive(Clone, Copy)]
pub struct Publication<'a> {
    /// The columns of the table, with their domains; rows are not looked at.
    pub frame: &'a Table,
    /// The published columns.
    pub columns: &'a [ReleaseColumn],
    /// Where it goes.
    pub output: &'a Output,
    /// How text is written.
    pub dialect: Dialect,
    /// The least size of a group.
    pub k: u64,
    /// The types of the source's columns.
    pub kept_types: &'a KeptTypes,
    /// What must hold.
    pub requirements: &'a [Box<dyn Requirement>],
    /// What the verifier is told of the columns; see [`facts`].
    pub facts: &'a PromiseFacts,
    /// How many writers work side by side.
    pub threads: usize,
}

/// A checked release that waits for its name.
pub struct Checked {
    /// The file.
    pub staged: Staged,
    /// What the verifier found.
    pub findings: Findings,
    /// How the promises fared: they hold.
    pub outcomes: Vec<Outcome>,
    /// The BLAKE3 hash of the published bytes.
    pub hash: String,
    /// How the text is written, where the release is text.
    pub dialect: Option<Dialect>,
    /// Files that appear together with it, besides its certificate.
    pub beside: Vec<Staged>,
}

impl Checked {
    /// By what the file is known, and how its text is written.
    pub fn file(&self) -> ReleaseFile {
        ReleaseFile {
            hash: self.staged.is_named_or_copied().then(|| format!("blake3:{}", self.hash)),
            rows: self.findings.rows,
            delimiter: self.dialect.map(|dialect| char::from(dialect.delimiter)),
            header: self.dialect.map(|dialect| dialect.header),
        }
    }
}

impl<'a> Publication<'a> {
    /// Writes and checks a whole release of a table of so many rows. Nothing has its final name yet; an error leaves
    /// nothing behind.
    pub fn write(&self, release: &Release<'_>, rows: u64, progress: &dyn Observer) -> Result<Checked> {
        let question = Question { k: Some(self.k), original_rows: Some(rows) };
        let segments = Segments::one(self.requirements, self.facts, question);
        let mut parts = self.start(&RowsKnown::All(release), segments)?;
        parts.write(release, progress, Part::Groups)?;
        parts.finish()
    }

    /// Starts a release of all rows of a table, which come in parts, have these sensitive values together and are about so
    /// many people, where these are known.
    pub fn in_parts(&self, rows: u64, told: Vec<ClaimedValues>, people: Option<u64>) -> Result<Parts<'a>> {
        let question = Question { k: Some(self.k), original_rows: Some(rows) };
        let segments = Segments::of_whole(self.requirements, self.facts, question, rows, told, people)?;
        self.start(&RowsKnown::None(self.frame), segments)
    }

    fn start(&self, rows: &RowsKnown<'_>, segments: Segments<'a>) -> Result<Parts<'a>> {
        let staged = self.output.stage()?;
        let file = staged.file().try_clone().map_err(|e| self.failed(&e))?;
        let writer = match self.output.format()? {
            OutputFormat::Text { compression, .. } => {
                let (generalised, sensitive) = self.positions();
                let layout =
                    Layout::new(self.columns.len(), generalised, self.dialect)?.with_sensitive(sensitive)?;
                let sink = Sink::new(file, compression).map_err(|e| self.failed(&e))?;
                let writer = CsvWriter::new(self.columns, self.frame, self.dialect, self.threads, sink);
                Writer::Text(Box::new(writer.map_err(|error| self.named(error))?), layout)
            }
            OutputFormat::Columnar(format) => {
                let sink = Sink::new(file, Compression::None).map_err(|e| self.failed(&e))?;
                let (types, threads) = (self.kept_types, self.threads);
                let writer = ColumnarWriter::new(self.columns, rows, format, types, threads, sink);
                Writer::Columnar(Box::new(writer.map_err(|error| self.named(error))?), Vec::new())
            }
        };
        Ok(Parts { publication: *self, staged, writer, segments, rows: 0, slices: None, people: Vec::new() })
    }

    fn failed(&self, error: &io::Error) -> Error {
        Error::io(self.output.name(), "write it", error)
    }

    /// The positions of the generalised and of the sensitive columns.
    fn positions(&self) -> (Vec<usize>, Vec<usize>) {
        let is_sensitive = |source: Source| match source {
            Source::Kept(number) => self.frame.columns()[number].role == Role::Sensitive,
            _ => false,
        };
        let numbers = 0..self.columns.len();
        let generalised =
            numbers.clone().filter(|&c| matches!(self.columns[c].source, Source::Generalised(_)));
        (generalised.collect(), numbers.filter(|&c| is_sensitive(self.columns[c].source)).collect())
    }

    fn empty_tally(&self) -> Tally {
        let (generalised, sensitive) = self.positions();
        let name = |position: &usize| self.columns[*position].name.as_str();
        let names = |positions: &[usize]| positions.iter().map(name).collect::<Vec<_>>();
        let domain = |name: &str| {
            let column = self.frame.columns().iter().find(|column| column.name == name);
            column.and_then(|column| column.coded()).map(|(domain, _)| domain)
        };
        let tally = Tally::new(&names(&generalised), &names(&sensitive));
        let tally = tally.with_comparisons(|name| domain(name).map_or(Comparison::Value, comparison));
        if self.frame.person().is_some() { tally.with_people() } else { tally }
    }

    /// An error of the sink with the name of the output.
    fn named(&self, error: Error) -> Error {
        let message = error.message().replacen("the output", self.output.name(), 1);
        error.with_message(message)
    }
}

/// A release that is being written. Each part is a segment to the verifier.
pub struct Parts<'a> {
    publication: Publication<'a>,
    staged: Staged,
    writer: Writer,
    segments: Segments<'a>,
    rows: u64,
    /// What was counted of a group whose last slice has not come.
    slices: Option<Tally>,
    /// Whom the rows of a columnar file are about, where that is known.
    people: Vec<PersonKey>,
}

/// What a part of a release holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Groups.
    Groups,
    /// Some rows of a group that goes on in the next part.
    Slice,
    /// The last rows of a group.
    LastSlice,
}

enum Writer {
    /// Text, whose groups are counted from the bytes as they are written.
    Text(Box<CsvWriter<Sink>>, Layout),
    /// A columnar file, which is read again when it is written; and how many rows there are up to the end of each part.
    Columnar(Box<ColumnarWriter<Sink>>, Vec<u64>),
}

impl Parts<'_> {
    /// Writes the next part. The slices of a group are one segment.
    pub fn write(&mut self, release: &Release<'_>, progress: &dyn Observer, part: Part) -> Result<()> {
        let publication = self.publication;
        self.rows += release.rows() as u64;
        match &mut self.writer {
            Writer::Text(writer, layout) => {
                let layout = &*layout;
                let people = RowPeople::of(release.table);
                let observer = || Checker { layout, people, tally: publication.empty_tally() };
                let checkers =
                    writer.write(release, progress, observer).map_err(|error| publication.named(error))?;
                let before = self.slices.take().unwrap_or_else(|| publication.empty_tally());
                let tally =
                    checkers.into_iter().map(|checker| checker.tally).try_fold(before, Tally::merge)?;
                match part {
                    Part::Slice => self.slices = Some(tally),
                    Part::Groups | Part::LastSlice => self.segments.segment(&tally)?,
                }
                Ok(())
            }
            Writer::Columnar(writer, ends) => {
                ends.extend((part != Part::Slice).then_some(self.rows));
                if let Some(people) = RowPeople::of(release.table) {
                    self.people.extend(people.keys(&release.rows_in_order()));
                }
                writer.write(release, progress).map_err(|error| publication.named(error))
            }
        }
    }

    /// Ends the file and checks it. Nothing has its final name yet; an error leaves nothing behind.
    pub fn finish(self) -> Result<Checked> {
        let Parts { publication, staged, writer, mut segments, rows, people, .. } = self;
        let dialect = matches!(writer, Writer::Text(..)).then_some(publication.dialect);
        let sink = match writer {
            Writer::Text(writer, _) => writer.finish().1,
            Writer::Columnar(writer, ends) => {
                let (_, sink) = writer.finish().map_err(|error| publication.named(error))?;
                read_back(&publication, &staged, &ends, &people, &mut segments)?;
                sink
            }
        };
        let hash = sink.finish().map_err(|e| publication.failed(&e))?;
        let (findings, outcomes) = segments.finish()?;
        if let Some(broken) = outcomes.iter().find(|outcome| !outcome.holds) {
            return Err(Error::new(
                ErrorKind::Internal,
                format!(
                    "the release failed its own check: {} was promised, and {} is reached",
                    broken.description, broken.measured
                ),
            ));
        }
        if findings.rows != rows {
            return Err(Error::internal(format!(
                "the release holds {} rows where {rows} were to be published",
                findings.rows
            )));
        }
        Ok(Checked { staged, findings, outcomes, hash, dialect, beside: Vec::new() })
    }
}

/// Counts the groups of a columnar file by reading it again, part by part.
fn read_back(
    publication: &Publication<'_>,
    staged: &Staged,
    ends: &[u64],
    people: &[PersonKey],
    segments: &mut Segments<'_>,
) -> Result<()> {
    let file = staged.file().try_clone().map_err(|e| publication.failed(&e))?;
    let records = TextRecords::of_file(publication.output.name(), file, DialectSpec::default())?;
    let (generalised, sensitive) = publication.positions();
    let (split, mut tally) = (generalised.len(), publication.empty_tally());
    let wanted: Vec<usize> = generalised.into_iter().chain(sensitive).collect();
    let (mut ends, mut people) = (ends.iter().peekable(), people.iter());
    records.for_each(&wanted, &mut |row, fields| {
        people.next().map_or(Ok(()), |person| tally.expect([bytes(person)]))?;
        tally.add(&fields[..split], &fields[split..])?;
        if ends.next_if(|end| **end == row).is_some() {
            segments.segment(&tally)?;
            tally = publication.empty_tally();
        }
        Ok(())
    })?;
    segments.segment(&tally)
}

/// Counts what is published, from the bytes.
struct Checker<'a> {
    layout: &'a Layout,
    people: Option<RowPeople<'a>>,
    tally: Tally,
}

impl ChunkObserver for Checker<'_> {
    fn chunk(&mut self, bytes: &[u8], rows: &[u32]) -> Result<()> {
        if let Some(people) = self.people {
            people.tell(&mut self.tally, rows)?;
        }
        scan(self.layout, bytes, &mut self.tally)
    }
}

/// How the values of a sensitive column are compared.
pub fn comparison(domain: &Domain) -> Comparison {
    let spec = domain.type_spec();
    match (spec.value_type, &spec.pattern) {
        (ValueType::Date, Some(pattern)) => Comparison::Dates(pattern.clone()),
        (ValueType::Timestamp, Some(pattern)) => Comparison::Timestamps(pattern.clone()),
        _ if domain.is_compared_as_text() => Comparison::Text,
        _ => Comparison::Value,
    }
}

/// What is known of the columns beside their published values.
pub fn facts(table: &Table) -> PromiseFacts {
    let domains =
        (0..table.dimensions()).map(|d| (table.dimension(d).name.clone(), width_domain(table.domain(d))));
    let sensitive = table.columns().iter().filter(|column| column.role == Role::Sensitive);
    let sensitive = sensitive.filter_map(|column| {
        let (domain, _) = column.coded()?;
        Some((column.name.clone(), known_spec(&column.name, domain)))
    });
    PromiseFacts { domains: domains.collect(), sensitive: sensitive.collect() }
}

/// The type, order and hierarchy of a sensitive column.
fn known_spec(name: &str, domain: &Domain) -> ColumnSpec {
    let mut spec = ColumnSpec::new(name, Role::Sensitive);
    spec.type_spec = Some(domain.type_spec().clone());
    match domain.shape() {
        Shape::Hierarchy(tree) => spec.hierarchy = Some(std::sync::Arc::clone(tree)),
        Shape::Ordered if !domain.is_measured() => {
            spec.order = Some((0..domain.value_count() as u32).map(|code| domain.text(code)).collect());
        }
        _ => {}
    }
    spec
}

fn width_domain(domain: &Domain) -> width::Domain {
    match domain.shape() {
        Shape::Set => width::Domain::Set,
        Shape::Hierarchy(tree) => width::Domain::Hierarchy(
            tree.nodes()
                .map(|node| (tree.label(node).to_string(), u64::from(tree.leaves_under(node))))
                .collect(),
        ),
        Shape::Ordered if !domain.is_measured() => {
            width::Domain::order((0..domain.value_count() as u32).map(|code| domain.text(code)))
        }
        Shape::Ordered => match (domain.value_type(), &domain.type_spec().pattern) {
            (ValueType::Date, Some(pattern)) => width::Domain::Dates(pattern.clone()),
            (ValueType::Timestamp, Some(pattern)) => width::Domain::Timestamps(pattern.clone()),
            _ => width::Domain::Natural,
        },
    }
}

/// The file, its hash, and the compression that its name asks for.
pub enum Sink {
    /// As it is.
    Plain(Hashing),
    /// By gzip.
    Gzip(flate2::write::GzEncoder<Hashing>),
    /// By Zstandard.
    Zstd(zstd::Encoder<'static, Hashing>),
}

/// A file and the hash of what was written to it.
pub struct Hashing {
    file: File,
    hasher: blake3::Hasher,
}

impl Sink {
    /// A sink for a file, with the given compression.
    pub fn new(file: File, compression: Compression) -> io::Result<Self> {
        let plain = Hashing { file, hasher: blake3::Hasher::new() };
        Ok(match compression {
            Compression::None => Sink::Plain(plain),
            Compression::Gzip => {
                Sink::Gzip(flate2::write::GzEncoder::new(plain, flate2::Compression::default()))
            }
            Compression::Zstd => Sink::Zstd(zstd::Encoder::new(plain, 3)?),
        })
    }

    /// Ends the compression and returns the hash of the file.
    pub fn finish(self) -> io::Result<String> {
        let hashing = match self {
            Sink::Plain(hashing) => hashing,
            Sink::Gzip(encoder) => encoder.finish()?,
            Sink::Zstd(encoder) => encoder.finish()?,
        };
        Ok(hashing.hasher.finalize().to_hex().to_string())
    }
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Plain(sink) => sink.write(bytes),
            Sink::Gzip(sink) => sink.write(bytes),
            Sink::Zstd(sink) => sink.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
