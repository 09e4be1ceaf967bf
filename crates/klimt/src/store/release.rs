//! Releases of a store: checked like any other, and beside every earlier one.

use super::{LeafGrouping, LedgerEntry, Store};
use crate::certificate::{
    Certificate, Certified, MadeCertificate, RecordedOrder, RecordedSettings, ReleaseOrigin, RunAccount,
    is_by_sizes,
};
use crate::files::{check_outputs, lies_in};
use crate::hand_over::{CertificatePlace, HandOver, NamedRelease};
use crate::observer::{Note, Stage, Watched};
use crate::output::Output;
use crate::run::warnings::{Coarse, warn_coarse};
use crate::run::{
    Manner, Publication, Published, Publisher, facts, output_dialect, publish_meanwhile, row_order,
};
use klimt_core::job::Observer;
use klimt_core::loss::Original;
use klimt_core::parts::Whole;
use klimt_core::recode::release_columns;
use klimt_core::region::Extents;
use klimt_core::requirement::Requirement;
use klimt_core::table::Table;
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::columnar::KeptTypes;
use klimt_io::csv::Dialect;
use klimt_store::PendingRelease;
use serde::Serialize;

/// What is asked of a release of a store.
#[derive(Clone, Debug)]
pub struct ReleaseRequest {
    k: Option<u64>,
    by: LeafGrouping,
    hold_back: bool,
    allow_differences: bool,
    audience: String,
    seed: Option<u64>,
    certificate: CertificatePlace,
}

/// A release of a store that has its name.
#[derive(Clone, Debug, Serialize)]
pub struct StoreRelease {
    /// What the ledger says of it.
    pub entry: LedgerEntry,
    /// Its certificate, which may be published with it.
    pub certificate: Certificate,
    /// The certificate with exact losses, for the owner of the store.
    pub exact_certificate: Certificate,
    /// How many rows were held back.
    pub held_back: u64,
    /// The certificate of an older release that stood beside the file, and was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// Remarks and warnings about it.
    #[serde(skip)]
    pub notes: Vec<Note>,
}

impl Default for ReleaseRequest {
    /// A release at the base k of the store, for everybody, that is refused where rows would have to be held back.
    fn default() -> Self {
        ReleaseRequest {
            k: None,
            by: LeafGrouping::LeafScan,
            hold_back: false,
            allow_differences: false,
            audience: "everybody".to_string(),
            seed: None,
            certificate: CertificatePlace::Beside,
        }
    }
}

impl ReleaseRequest {
    /// The least size of a group: the base k of the store or more.
    pub fn k(mut self, k: u64) -> Self {
        self.k = Some(k);
        self
    }

    /// How groups are made of leaves.
    pub fn by(mut self, by: LeafGrouping) -> Self {
        self.by = by;
        self
    }

    /// Keeps rows out of the release that would not be safe beside earlier releases, until they are.
    pub fn hold_back(mut self, hold_back: bool) -> Self {
        self.hold_back = hold_back;
        self
    }

    /// Allows differences to earlier releases that tell who joined or left: only where nobody gets both. The certificate and
    /// the ledger say so.
    pub fn allow_differences(mut self, allow: bool) -> Self {
        self.allow_differences = allow;
        self
    }

    /// Whom the release is for, as the ledger will say.
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = audience.into();
        self
    }

    /// The number by which rows are shuffled within groups; it must stay secret. Random where nothing is said.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Where the certificate goes.
    pub fn certificate(mut self, place: CertificatePlace) -> Self {
        self.certificate = place;
        self
    }
}

impl Store {
    /// Releases the rows, checked against every earlier release. The release is entered in the ledger before its file gets
    /// its name: from then on somebody may have it.
    pub fn release(&mut self, request: &ReleaseRequest, output: &Output) -> Result<StoreRelease> {
        self.watched(|store, watched| store.release_watched(request, output, watched))
    }

    fn release_watched(
        &mut self,
        request: &ReleaseRequest,
        output: &Output,
        watched: &Watched<'_>,
    ) -> Result<StoreRelease> {
        self.check_files(request, output)?;
        let (base, weights) = (self.store.spec().k, self.store.spec().weights());
        let k = request.k.unwrap_or(base);
        let requirements = self.store.spec().requirements(k)?;
        let mut releasing = self.store.release(klimt_store::ReleaseRequest {
            k,
            by: request.by,
            hold_back: request.hold_back,
            allow_differences: request.allow_differences,
            audience: request.audience.clone(),
        })?;
        let frame: Table = releasing.frame().clone();
        let goal = Goal { frame: &frame, k, requirements: &requirements, weights: &weights };
        let published = goal.publish(&mut releasing, request.seed, output, watched)?;
        let held_back = releasing.held_back().rows();
        let settings = recorded(request, base);
        let certificate = goal.certificate(&releasing, settings, &published, watched);
        let ready = HandOver::stage(published.checked, certificate, output, &request.certificate)?;
        let (hash, groups) = ready.hash_and_groups();
        // From here on the release counts as one that somebody may have.
        let entry = releasing.enter(hash, groups)?;
        let NamedRelease { certificate, removed } = ready.publish(watched)?;
        let MadeCertificate { published, exact } = certificate;
        Ok(StoreRelease {
            entry,
            certificate: published,
            exact_certificate: exact,
            held_back,
            removed: removed.map(|path| path.display().to_string()),
            notes: watched.notes(),
        })
    }

    /// The release and its certificate are two files, and none of the store's.
    fn check_files(&self, request: &ReleaseRequest, output: &Output) -> Result<()> {
        let certificate = request.certificate.path(output);
        let mut written = vec![("release", output.name())];
        written.extend(certificate.as_deref().map(|path| ("certificate", path)));
        check_outputs(&written, &[])?;
        match written.iter().find(|(_, path)| lies_in(path, &self.folder)) {
            None => Ok(()),
            Some((kind, path)) => {
                Err(Error::input(format!("{path}: the {kind} cannot lie in the folder of the store"))
                    .with_help("choose another name"))
            }
        }
    }
}

/// What a release must satisfy, and its columns.
struct Goal<'a> {
    frame: &'a Table,
    k: u64,
    requirements: &'a [Box<dyn Requirement>],
    weights: &'a [f64],
}

impl<'a> Goal<'a> {
    /// Writes and checks the groups as they are gathered.
    fn publish(
        &self,
        releasing: &mut PendingRelease<'_>,
        seed: Option<u64>,
        output: &Output,
        watched: &Watched<'_>,
    ) -> Result<Published<'static>> {
        let columns = release_columns(self.frame, &[]);
        let facts = facts(self.frame);
        let kept_types = KeptTypes::default().with_empty_texts(releasing.empty_texts());
        let publication = Publication {
            frame: self.frame,
            columns: &columns,
            output,
            dialect: output_dialect(Dialect::default(), output)?,
            k: self.k,
            kept_types: &kept_types,
            requirements: self.requirements,
            facts: &facts,
            threads: rayon::current_num_threads(),
        };
        let manner = Manner {
            extents: Extents::Compact,
            statistics: &[],
            row_order: row_order(false, seed)?,
            weights: self.weights,
            workload: None,
        };
        let stage = watched.stage(Stage::Writing, Some(releasing.rows()));
        let say_nothing = |_: &Whole<'_>| {};
        let publisher = Publisher::new(publication, manner, &stage, &say_nothing, None);
        let (publisher, ()) = publish_meanwhile(self.frame, publisher, |sink| releasing.write(sink))?;
        if stage.cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "stopped"));
        }
        let Published { checked, losses, fixed, .. } = publisher.finish()?;
        Ok(Published { checked, losses, fixed, rules: None })
    }

    /// The certificate, and a warning where the release says next to nothing.
    fn certificate(
        &self,
        releasing: &PendingRelease<'_>,
        settings: RecordedSettings,
        published: &Published<'_>,
        watched: &Watched<'_>,
    ) -> MadeCertificate {
        let held_back = releasing.held_back().rows();
        let rows = releasing.rows() + held_back;
        warn_coarse(
            watched,
            &Coarse {
                table: self.frame,
                rows,
                k: self.k,
                requirements: self.requirements,
                groups: published.checked.findings.groups,
                losses: &published.losses,
            },
        );
        // Lengths are those of all rows of the store, of which those that are held back are nobody's business.
        let original = Original::new(self.frame, self.weights);
        let by_sizes = published.losses.iter().copied().filter(|(id, _)| is_by_sizes(id, &original));
        let published_losses = (held_back > 0).then(|| by_sizes.collect());
        let certified = Certified {
            table: self.frame,
            rows,
            k: self.k,
            requirements: self.requirements,
            settings,
            losses: published.losses.clone(),
            published_losses,
            proof: None,
            counts: None,
            run: RunAccount {
                algorithm: "index".to_string(),
                held_back: Some(held_back),
                ..RunAccount::default()
            },
            checked: &published.checked,
        };
        certified.make()
    }
}

/// The settings that the certificate of a release records.
fn recorded(request: &ReleaseRequest, base: u64) -> RecordedSettings {
    RecordedSettings {
        algorithm: Some(ReleaseOrigin::Store),
        base_k: Some(base),
        by: Some(request.by),
        audience: Some(request.audience.clone()),
        allow_differences: Some(request.allow_differences),
        extent: Some(Extents::Compact),
        row_order: Some(RecordedOrder::Shuffled),
        ..RecordedSettings::default()
    }
}
