//! Publishing a release: written beside its target, checked from the very bytes that are written, and only then
//! given its name.

use crate::output::Staged;
use crate::progress::Progress;
use klimt::recode::{Release, Source};
use klimt::requirement::Requirement;
use klimt::table::{ColumnSpec, Domain, Role, Shape, ValueType};
use klimt::{Error, ErrorKind, Result};
use klimt_io::columnar::{self, KeptTypes, OutputFormat, TextRecords};
use klimt_io::csv::{ChunkObserver, Dialect, DialectSpec, write_release};
use klimt_io::source::Compression;
use klimt_verify::claims::{Facts, Outcome, check};
use klimt_verify::csv::{Layout, scan};
use klimt_verify::{Findings, Question, Tally, width};
use std::fs::File;
use std::io::{self, Write};

/// What is promised of a release, and how it is written.
pub struct Publication<'a> {
    /// The release.
    pub release: &'a Release<'a>,
    /// Where it goes.
    pub output: &'a str,
    /// How text is written.
    pub dialect: Dialect,
    /// The least size of a group.
    pub k: u64,
    /// The types of the source's columns.
    pub kept_types: &'a KeptTypes,
    /// What must hold.
    pub requirements: &'a [Box<dyn Requirement>],
    /// How many writers work side by side.
    pub threads: usize,
    /// Progress and the wish to stop.
    pub progress: &'a Progress,
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
}

impl Publication<'_> {
    /// Writes and checks the release. Nothing has its final name yet; an error leaves nothing behind.
    pub fn write(&self) -> Result<Checked> {
        let staged = Staged::create(self.output)?;
        let (tally, hash) = match OutputFormat::of(self.output)? {
            OutputFormat::Text { compression, .. } => {
                let mut sink = Sink::new(staged.file(), compression).map_err(|e| self.failed(&e))?;
                let tally = self.write_text(&mut sink)?;
                (tally, sink.finish().map_err(|e| self.failed(&e))?)
            }
            OutputFormat::Columnar(format) => {
                let mut sink = Sink::new(staged.file(), Compression::None).map_err(|e| self.failed(&e))?;
                let stage = self.progress.stage("writing", self.release.rows() as u64, false);
                columnar::write_release(
                    self.release,
                    format,
                    self.kept_types,
                    self.threads,
                    &mut sink,
                    &stage,
                )
                .map_err(|error| self.named(error))?;
                let hash = sink.finish().map_err(|e| self.failed(&e))?;
                (self.read_back(&staged)?, hash)
            }
        };
        let original_rows = Some(self.release.table.rows() as u64);
        let findings = Findings::new(&tally, &Question { k: Some(self.k), original_rows })?;
        let outcomes = check(&tally, self.requirements, &facts(self.release))?;
        if let Some(broken) = outcomes.iter().find(|outcome| !outcome.holds) {
            return Err(Error::new(
                ErrorKind::Internal,
                format!(
                    "the release failed its own check: {} was promised, and {} is reached",
                    broken.description, broken.measured
                ),
            ));
        }
        if findings.rows != self.release.rows() as u64 {
            return Err(Error::internal(format!(
                "the release holds {} rows where {} were to be published",
                findings.rows,
                self.release.rows()
            )));
        }
        Ok(Checked { staged, findings, outcomes, hash })
    }

    fn failed(&self, error: &io::Error) -> Error {
        Error::io(self.output, "write it", error)
    }

    /// The positions of the generalised and of the sensitive columns.
    fn positions(&self) -> (Vec<usize>, Vec<usize>) {
        let columns = self.release.columns();
        let is_sensitive = |source: Source| match source {
            Source::Kept(number) => self.release.table.columns()[number].role == Role::Sensitive,
            _ => false,
        };
        let numbers = 0..columns.len();
        let generalised = numbers.clone().filter(|&c| matches!(columns[c].source, Source::Generalised(_)));
        (generalised.collect(), numbers.filter(|&c| is_sensitive(columns[c].source)).collect())
    }

    fn empty_tally(&self) -> Tally {
        let (generalised, sensitive) = self.positions();
        let name = |position: &usize| self.release.columns()[*position].name.as_str();
        let names = |positions: &[usize]| positions.iter().map(name).collect::<Vec<_>>();
        Tally::new(&names(&generalised), &names(&sensitive))
    }

    /// Writes text, and counts its groups from the bytes as they are written.
    fn write_text(&self, sink: &mut Sink<'_>) -> Result<Tally> {
        let (generalised, sensitive) = self.positions();
        let columns = self.release.columns().len();
        let layout = Layout::new(columns, generalised, self.dialect)?.with_sensitive(sensitive)?;
        let stage = self.progress.stage("writing", self.release.rows() as u64, false);
        let observer = || Checker { layout: &layout, tally: self.empty_tally() };
        let (_, checkers) = write_release(self.release, self.dialect, self.threads, sink, &stage, observer)
            .map_err(|error| self.named(error))?;
        checkers.into_iter().map(|checker| checker.tally).try_fold(self.empty_tally(), Tally::merge)
    }

    /// Counts the groups of a columnar file by reading it again.
    fn read_back(&self, staged: &Staged) -> Result<Tally> {
        let file = staged.file().try_clone().map_err(|e| self.failed(&e))?;
        let records = TextRecords::of_file(self.output, file, DialectSpec::default())?;
        let (generalised, sensitive) = self.positions();
        let (split, mut tally) = (generalised.len(), self.empty_tally());
        let wanted: Vec<usize> = generalised.into_iter().chain(sensitive).collect();
        records.for_each(&wanted, &mut |_, fields| tally.add(&fields[..split], &fields[split..]))?;
        Ok(tally)
    }

    /// An error of the sink with the name of the output.
    fn named(&self, error: Error) -> Error {
        let message = error.message().replacen("the output", self.output, 1);
        error.help().iter().fold(Error::new(error.kind(), message), |made, help| made.with_help(help.clone()))
    }
}

/// Counts what is published, from the bytes.
struct Checker<'a> {
    layout: &'a Layout,
    tally: Tally,
}

impl ChunkObserver for Checker<'_> {
    fn chunk(&mut self, bytes: &[u8]) -> Result<()> {
        scan(self.layout, bytes, &mut self.tally)
    }
}

/// What is known of the columns beside their published values.
fn facts(release: &Release<'_>) -> Facts {
    let table = release.table;
    let domains =
        (0..table.dimensions()).map(|d| (table.dimension(d).name.clone(), width_domain(table.domain(d))));
    let sensitive = table.columns().iter().filter(|column| column.role == Role::Sensitive);
    let sensitive = sensitive.filter_map(|column| {
        let (domain, _) = column.coded()?;
        Some((column.name.clone(), known_spec(&column.name, domain)))
    });
    Facts { domains: domains.collect(), sensitive: sensitive.collect() }
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
        Shape::Set => width::Domain::Natural,
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
pub enum Sink<'a> {
    /// As it is.
    Plain(Hashing<'a>),
    /// By gzip.
    Gzip(flate2::write::GzEncoder<Hashing<'a>>),
    /// By Zstandard.
    Zstd(zstd::Encoder<'static, Hashing<'a>>),
}

/// A file and the hash of what was written to it.
pub struct Hashing<'a> {
    file: &'a File,
    hasher: blake3::Hasher,
}

impl<'a> Sink<'a> {
    /// A sink for a file, with the given compression.
    pub fn new(file: &'a File, compression: Compression) -> io::Result<Self> {
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

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for Sink<'_> {
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
