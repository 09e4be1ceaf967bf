//! A release: checked rows with their certificate.

use crate::certificate::{Certificate, MadeCertificate, usual_path};
use crate::files::{Staged, publish_together};
use crate::observer::{Note, Stage, Unobserved, Watched};
use crate::output::Output;
use crate::run::{HeldRelease, Prepared, Publication, facts, output_dialect};
use klimt_core::recode::RecodingFunction;
use klimt_core::{Error, Result};
use klimt_io::arrow::array::{RecordBatch, RecordBatchReader};
use klimt_io::arrow::datatypes::SchemaRef;
use klimt_io::arrow::ipc::reader::StreamReader;
use klimt_io::columnar::KeptTypes;
use klimt_io::csv::Dialect;
use std::fs::File;
use std::io::{BufReader, Seek};
use std::path::Path;

/// A release in memory. It was written and checked when it was made: there is no way to its rows that was not checked.
pub struct Release {
    pub(crate) prepared: Prepared,
    pub(crate) held: HeldRelease,
    pub(crate) certificate: MadeCertificate,
    pub(crate) recoding: Option<RecodingFunction>,
    pub(crate) notes: Vec<Note>,
    /// The checked batches, as a stream in memory.
    pub(crate) batches: File,
    pub(crate) dialect: Dialect,
    pub(crate) kept_types: KeptTypes,
}

impl Release {
    /// What was asked for, what is reached and what is proven; it may be published with the release.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate.published
    }

    /// The certificate with the exact losses by the whole table, which is for the owner of all rows alone.
    pub fn exact_certificate(&self) -> &Certificate {
        &self.certificate.exact
    }

    /// What should be known before the release goes out.
    pub fn warnings(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| note.is_warning)
    }

    /// Everything that was noted while the release was made.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The function that recodes other data in the same way, where [`crate::Anonymizer::keep_recoding`] asked for it. It
    /// holds values of the original: boundaries, and all values of columns that are published as sets.
    pub fn recoding(&self) -> Option<&RecodingFunction> {
        self.recoding.as_ref()
    }

    /// How many rows are published.
    pub fn rows(&self) -> u64 {
        self.certificate().rows.published
    }

    /// The names and types of the published columns.
    pub fn schema(&self) -> Result<SchemaRef> {
        Ok(self.reader()?.schema())
    }

    /// The published rows, batch by batch.
    pub fn reader(&self) -> Result<impl RecordBatchReader + Send + 'static> {
        let failed = |e: &std::io::Error| Error::io("the release in memory", "read it", e);
        let mut file = self.batches.try_clone().map_err(|e| failed(&e))?;
        file.rewind().map_err(|e| failed(&e))?;
        StreamReader::try_new(BufReader::with_capacity(1 << 20, file), None)
            .map_err(|_| Error::internal("the release in memory cannot be read back"))
    }

    /// The published rows.
    pub fn to_batches(&self) -> Result<Vec<RecordBatch>> {
        self.reader()?
            .collect::<Result<_, _>>()
            .map_err(|_| Error::internal("the release in memory cannot be read back"))
    }

    /// Writes the release and, beside it, its certificate (`PATH.certificate.json`). What is written is checked again, and
    /// both files get their names together: a run that fails leaves what was there before.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<Certificate> {
        let output = Output::file(path)?;
        let Release { prepared, held, kept_types, .. } = self;
        let release = held.release();
        let facts = facts(&held.table);
        let publication = Publication {
            frame: &held.table,
            columns: release.columns(),
            output: &output,
            dialect: output_dialect(self.dialect, &output)?,
            k: prepared.k,
            kept_types,
            requirements: &prepared.requirements,
            facts: &facts,
            threads: prepared.workers.threads(),
        };
        let watched = Watched::by(&Unobserved);
        let stage = watched.stage(Stage::Writing, Some(release.rows() as u64));
        let checked = prepared.workers.run(|_| publication.write(&release, held.original_rows, &stage))?;
        let certificate = self.certificate.clone().for_file(checked.file());
        let beside = output
            .path()
            .map(|path| Staged::whole(&usual_path(path), certificate.published.to_json()?.as_bytes()));
        publish_together(checked.staged, beside.transpose()?.into_iter().collect(), None)?;
        Ok(certificate.published)
    }
}

impl std::fmt::Debug for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Certificate { rows, groups, k, .. } = self.certificate();
        f.debug_struct("Release")
            .field("rows", &rows.published)
            .field("groups", groups)
            .field("k", k)
            .finish()
    }
}
