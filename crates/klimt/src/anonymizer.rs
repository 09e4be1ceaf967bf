//! The front door: what a run is to do, and the run itself.

use crate::certificate::Certificate;
use crate::files::check_outputs;
use crate::hand_over::{CertificatePlace, HandOver};
use crate::hierarchy::Hierarchy;
use crate::input::{Input, text_of};
use crate::observer::{Observer, Unobserved, Watched, watch};
use crate::output::Output;
use crate::release::Release;
use crate::run::{LimitedObserver, Made, Prepared, spill_folder};
use crate::settings::{
    Algorithm, MemorySize, NamedRequirement, Other, OwnRequirement, Settings, TimeLimit, ValueList, offered,
};
use crate::spec;
use klimt_core::algorithm::optimal::Effort;
use klimt_core::recode::StatisticKind;
use klimt_core::region::Extents;
use klimt_core::registry::{LossChoice, REQUIREMENTS};
use klimt_core::requirement::{KAnonymity, Requirement};
use klimt_core::risk::Share;
use klimt_core::table::{Role, TypeSpec};
use klimt_core::{Error, Result};
use klimt_io::encoding::TextEncoding;
use klimt_io::form::ValueForm;
use klimt_io::room::SpillBudget;
use std::io::Seek;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Says what a release is to be, and makes it.
///
/// ```
/// use klimt::prelude::*;
///
/// let table = "name,age,zip,disease\n\
///     Ada,31,53703,Asthma\nBob,34,53703,Migraine\nCem,36,53704,Asthma\nDea,39,53704,Gout\n";
/// let release = Anonymizer::new()
///     .quasi_identifiers(["age", "zip"])
///     .sensitive(["disease"])
///     .identifiers(["name"])
///     .require(KAnonymity::new(2)?)
///     .require(DistinctDiversity::new("disease", 2)?)
///     .anonymize(Input::reader(Format::Csv, table.as_bytes()))?;
/// assert!(release.certificate().groups >= 1);
/// assert_eq!(release.to_batches()?.iter().map(|batch| batch.num_rows()).sum::<usize>(), 4);
/// # Ok::<(), klimt::Error>(())
/// ```
///
/// A column without a role is an error unless [`Anonymizer::other`] says what happens to it. Nothing is looked at before
/// [`Anonymizer::anonymize`] or [`Anonymizer::anonymize_to`], which report all problems at once.
#[derive(Clone, Default)]
pub struct Anonymizer {
    settings: Settings,
    threads: Option<usize>,
    observer: Option<Arc<dyn Observer + Send>>,
}

impl Anonymizer {
    /// Nothing is said as yet.
    pub fn new() -> Self {
        Anonymizer::default()
    }

    /// What a spec says. File names in it are relative to its folder.
    pub fn from_spec(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Anonymizer::of(spec::read(&text_of(path.as_ref())?)?))
    }

    /// What settings say that a front end has gathered.
    pub fn of(settings: Settings) -> Self {
        Anonymizer { settings, ..Anonymizer::default() }
    }

    /// The settings as a spec, which [`Anonymizer::from_spec`] reads. The seed, which must stay secret, is not in it.
    pub fn to_spec(&self) -> Result<String> {
        spec::write(&self.settings)
    }

    /// The table that the spec names.
    pub fn input(&self) -> Option<&str> {
        self.settings.input.as_deref()
    }

    /// The file for the release that the spec names.
    pub fn output(&self) -> Option<&str> {
        self.settings.output.as_deref()
    }

    /// What was said.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What was said, for front ends that ask for more than the methods here.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Columns that others may know: they are published generalised. Where columns are equally good to cut, the first of
    /// them is cut.
    pub fn quasi_identifiers<S: Into<String>>(self, columns: impl IntoIterator<Item = S>) -> Self {
        self.role(Role::QuasiIdentifier, columns)
    }

    /// Columns whose values must not be learnt of a person: they are published as they are, within a group.
    pub fn sensitive<S: Into<String>>(self, columns: impl IntoIterator<Item = S>) -> Self {
        self.role(Role::Sensitive, columns)
    }

    /// Columns that name a person: they are never published.
    pub fn identifiers<S: Into<String>>(self, columns: impl IntoIterator<Item = S>) -> Self {
        self.role(Role::Identifier, columns)
    }

    /// The column that says whom a row is about, where people have several rows: k and every requirement then count people.
    /// It is never published.
    pub fn person(self, column: impl Into<String>) -> Self {
        self.role(Role::Person, [column])
    }

    /// Columns that are published as they are.
    pub fn insensitive<S: Into<String>>(self, columns: impl IntoIterator<Item = S>) -> Self {
        self.role(Role::Insensitive, columns)
    }

    /// Class labels or numbers that splits may look at: they are published as they are.
    pub fn targets<S: Into<String>>(self, columns: impl IntoIterator<Item = S>) -> Self {
        self.role(Role::Target, columns)
    }

    fn role<S: Into<String>>(mut self, role: Role, columns: impl IntoIterator<Item = S>) -> Self {
        let before = self.settings.columns.values().filter(|column| column.role == Some(role)).count();
        for (rank, name) in columns.into_iter().enumerate() {
            let column = self.settings.columns.entry(name.into()).or_default();
            (column.role, column.rank) = (Some(role), Some(before + rank));
        }
        self
    }

    /// What happens to columns without a role.
    pub fn other(mut self, other: Other) -> Self {
        self.settings.other = Some(other);
        self
    }

    /// Columns that may have their role although they look like identifiers, or are sets of many texts.
    ///
    /// ```
    /// use klimt::prelude::*;
    ///
    /// let rows: String = (0..40).map(|row| format!("{},s{}\n", 20 + row % 9, row)).collect();
    /// let table = || Input::reader(Format::Csv, std::io::Cursor::new(format!("age,ship\n{rows}")));
    /// let asked = Anonymizer::new().quasi_identifiers(["age"]).insensitive(["ship"]).require(KAnonymity::new(4)?);
    /// assert!(asked.anonymize(table()).is_err());
    /// assert!(asked.accept(["ship"]).anonymize(table()).is_ok());
    /// # Ok::<(), klimt::Error>(())
    /// ```
    pub fn accept<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        for name in columns {
            self.settings.columns.entry(name.into()).or_default().accepted = true;
        }
        self
    }

    /// The hierarchy of a column.
    pub fn hierarchy(mut self, column: impl Into<String>, hierarchy: Hierarchy) -> Self {
        self.settings.columns.entry(column.into()).or_default().hierarchy = Some(hierarchy.source());
        self
    }

    /// The order of a column's values, lowest first.
    pub fn order<S: Into<String>>(
        mut self,
        column: impl Into<String>,
        values: impl IntoIterator<Item = S>,
    ) -> Self {
        let values = ValueList::Values(values.into_iter().map(Into::into).collect());
        self.settings.columns.entry(column.into()).or_default().order = Some(values);
        self
    }

    /// What a column ranges over, whether all of it occurs or not: a range such as `0..120`.
    pub fn domain(mut self, column: impl Into<String>, range: impl Into<String>) -> Self {
        self.settings.columns.entry(column.into()).or_default().domain = Some(ValueList::Text(range.into()));
        self
    }

    /// The type of a column's values.
    pub fn column_type(mut self, column: impl Into<String>, type_spec: impl Into<TypeSpec>) -> Self {
        self.settings.columns.entry(column.into()).or_default().type_spec = Some(type_spec.into());
        self
    }

    /// How much a column matters; 1 where nothing is said.
    pub fn weight(mut self, column: impl Into<String>, weight: f64) -> Self {
        self.settings.columns.entry(column.into()).or_default().weight = Some(weight);
        self
    }

    /// Texts that stand for a missing value, besides the empty one.
    pub fn missing<S: Into<String>>(mut self, texts: impl IntoIterator<Item = S>) -> Self {
        self.settings.missing.extend(texts.into_iter().map(Into::into));
        self
    }

    /// Texts that stand for a missing value in one column, besides those of all columns.
    pub fn missing_in<S: Into<String>>(
        mut self,
        column: impl Into<String>,
        texts: impl IntoIterator<Item = S>,
    ) -> Self {
        let texts = texts.into_iter().map(Into::into);
        self.settings.columns.entry(column.into()).or_default().missing.extend(texts);
        self
    }

    /// How the numbers or dates of a column are written, where its values do not tell.
    pub fn value_form(mut self, column: impl Into<String>, form: ValueForm) -> Self {
        self.settings.columns.entry(column.into()).or_default().form = Some(form);
        self
    }

    /// The encoding of the table's text, where its bytes do not tell.
    pub fn encoding(mut self, encoding: TextEncoding) -> Self {
        self.settings.source.encoding = Some(encoding);
        self
    }

    /// The sheet of a workbook, by its name or its number from 1.
    pub fn sheet(mut self, sheet: impl Into<String>) -> Self {
        self.settings.source.sheet = Some(sheet.into());
        self
    }

    /// The file in an archive, by its name.
    pub fn member(mut self, member: impl Into<String>) -> Self {
        self.settings.source.member = Some(member.into());
        self
    }

    /// Something that every group must satisfy. k-anonymity is always needed; of several the last counts.
    pub fn require(mut self, requirement: impl Requirement + 'static) -> Self {
        if requirement.id() == KAnonymity::ID {
            self.settings.k = Some(requirement.minimum_size());
            return self;
        }
        let entry = REQUIREMENTS.iter().find(|entry| entry.id == requirement.id());
        match (entry, requirement.column(), requirement.parameters()) {
            (Some(entry), Some(column), Some(text)) => {
                let text = entry.kind.map_or(text.clone(), |kind| format!("{kind}:{text}"));
                let column = Some(column.to_string());
                self.settings.requirements.push(NamedRequirement { flag: entry.flag, column, text });
            }
            _ => self.settings.own_requirements.push(OwnRequirement(Arc::new(requirement))),
        }
        self
    }

    /// A requirement by the name of its option and the text of its parameters, such as `l-diversity` and `entropy:3`; of
    /// a column, or of every sensitive one.
    pub fn require_named(mut self, option: &str, column: Option<&str>, parameters: &str) -> Result<Self> {
        let Some(entry) = offered(option).next() else {
            let known = crate::settings::flags();
            let hint = crate::suggest::did_you_mean(option, known);
            return Err(Error::input(format!("unknown requirement {option}{hint}")));
        };
        if entry.id == KAnonymity::ID {
            let k = parameters.trim().parse().map_err(|_| Error::input("k must be a whole number"))?;
            return Ok(self.require(KAnonymity::new(k)?));
        }
        let column = column.map(str::to_string);
        let (flag, text) = (entry.flag, parameters.to_string());
        self.settings.requirements.push(NamedRequirement { flag, column, text });
        Ok(self)
    }

    /// The algorithm that finds the groups.
    pub fn algorithm(mut self, algorithm: impl Into<Algorithm>) -> Self {
        algorithm.into().apply(&mut self.settings);
        self
    }

    /// How the next cut is chosen: `median`, `box`, `infogain`, `regression` or `loss:NAME`.
    pub fn split(mut self, criterion: impl Into<String>) -> Self {
        self.settings.split = Some(criterion.into());
        self
    }

    /// The loss that a search minimises, that suppression lowers and that claims are about: the name of one of klimt's
    /// losses, or a [`Loss`](klimt_core::loss::Loss) of your own. The certificate tells a loss of your own under its own name.
    ///
    /// ```
    /// use klimt::prelude::*;
    ///
    /// let ages: String = (0..40).map(|row| format!("{}\n", 20 + row)).collect();
    /// let release = Anonymizer::new()
    ///     .quasi_identifiers(["age"])
    ///     .require(KAnonymity::new(4)?)
    ///     .algorithm(AlgorithmKind::Optimal)
    ///     .loss("dm")
    ///     .anonymize(Input::reader(Format::Csv, std::io::Cursor::new(format!("age\n{ages}"))))?;
    /// assert_eq!(release.certificate().loss("dm"), Some(10.0 * 16.0));
    /// # Ok::<(), klimt::Error>(())
    /// ```
    pub fn loss(mut self, loss: impl Into<LossChoice>) -> Self {
        self.settings.search.loss = Some(loss.into());
        self
    }

    /// How much is spent on a better release.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.settings.search.effort = Some(effort);
        self
    }

    /// After which time a search ends with the best release found.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.settings.search.time_limit = Some(TimeLimit(limit));
        self
    }

    /// The share of rows that may be left out.
    pub fn suppress(mut self, share: Share) -> Self {
        self.settings.suppress = Some(share);
        self
    }

    /// Queries that the release is for: a file of SQL or TOML.
    pub fn workload(mut self, path: impl AsRef<Path>) -> Result<Self> {
        self.settings.workload = Some(text_of(path.as_ref())?);
        Ok(self)
    }

    /// Which intervals are published: the smallest that hold a group, or the boundaries of the partition.
    pub fn extent(mut self, extent: Extents) -> Self {
        self.settings.extent = Some(extent);
        self
    }

    /// Statistics that are published beside ordered columns.
    pub fn statistics(mut self, kinds: impl IntoIterator<Item = StatisticKind>) -> Self {
        self.settings.statistics = kinds.into_iter().collect();
        self
    }

    /// Keeps the order of the rows, which may tell who is who.
    pub fn keep_order(mut self, keep: bool) -> Self {
        self.settings.keep_order = keep;
        self
    }

    /// Keeps the recoding function: [`Release::recoding`] has it.
    pub fn keep_recoding(mut self, keep: bool) -> Self {
        self.settings.keep_recoding = keep;
        self
    }

    /// Saves the recoding function of [`Anonymizer::anonymize_to`] beside the release.
    pub fn save_recoding(mut self, path: impl AsRef<Path>) -> Result<Self> {
        self.settings.save_recoding = Some(text_of(path.as_ref())?);
        Ok(self)
    }

    /// Saves whom each row of [`Anonymizer::anonymize_to`] is about, as pseudonyms in a private file: with it,
    /// [`crate::verify()`] counts people. It links the rows of a person, and must not be published.
    pub fn save_people(mut self, path: impl AsRef<Path>) -> Result<Self> {
        self.settings.save_people = Some(text_of(path.as_ref())?);
        Ok(self)
    }

    /// The number by which rows are shuffled within groups; it must stay secret. Random where nothing is said. Groups never
    /// depend on it.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = Some(seed);
        self
    }

    /// How many threads read and write; all cores where nothing is said. The release does not depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// The budget of memory in bytes; half of what is free where nothing is said.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.settings.memory.memory = Some(MemorySize::bytes(bytes));
        self
    }

    /// The folder for spill files.
    pub fn temp_dir(mut self, path: impl AsRef<Path>) -> Result<Self> {
        self.settings.memory.temp_dir = Some(text_of(path.as_ref())?);
        Ok(self)
    }

    /// Who watches the run, and may stop it.
    pub fn observer(mut self, observer: impl Observer + Send + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Makes a release in memory. A table that does not fit is an error; [`Anonymizer::anonymize_to`] takes any size.
    pub fn anonymize(&self, input: Input) -> Result<Release> {
        self.run(|prepared, watched| make_in_memory(prepared, input, watched))
    }

    /// Makes a release of a table of any size within the budget of memory, and writes it with its certificate beside it
    /// (`PATH.certificate.json`). Both appear together when everything is checked; a run that fails leaves what was there.
    pub fn anonymize_to(&self, input: Input, output: Output) -> Result<Certificate> {
        self.run(|prepared, watched| make_file(prepared, input, &output, watched))
    }

    /// Checks the settings, and runs within the memory that is granted while the observer watches.
    fn run<T>(&self, run: impl FnOnce(Prepared, &Watched<'_>) -> Result<T>) -> Result<T> {
        let prepared = Prepared::new(self.settings.clone(), self.threads)?;
        let observer = self.observer.as_ref().map_or(&Unobserved as &dyn Observer, |observer| &**observer);
        let limited = LimitedObserver::new(observer, prepared.pool.limit());
        limited.outcome(run(prepared, &Watched::by(&limited)))
    }

    /// Runs something that the observer watches.
    pub(crate) fn watch<T>(&self, run: impl FnOnce(&Watched<'_>) -> Result<T>) -> Result<T> {
        watch(self.observer.as_deref(), run)
    }

    /// The observer.
    #[cfg(feature = "store")]
    pub(crate) fn watcher(&self) -> Option<Arc<dyn Observer + Send>> {
        self.observer.clone()
    }
}

impl std::fmt::Debug for Anonymizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns: Vec<&String> = self.settings.columns.keys().collect();
        f.debug_struct("Anonymizer")
            .field("k", &self.settings.k)
            .field("columns", &columns)
            .finish_non_exhaustive()
    }
}

fn make_in_memory(prepared: Prepared, input: Input, watched: &Watched<'_>) -> Result<Release> {
    let folder = spill_folder(&prepared.settings);
    let room = SpillBudget { pool: &prepared.pool, folder: &folder };
    let read = prepared.read(input, watched, &room)?;
    let (dialect, kept_types) = (read.dialect, read.kept_types.clone());
    let output = Output::memory();
    let made = prepared.make(read, &output, watched, room)?;
    watched.go_on()?;
    let Made { checked, certificate, held, recoding } = made;
    let held = held.ok_or_else(|| {
        Error::resource("a release of a table larger than memory, or of Rothko, has no room in memory")
            .with_help("write it to a file with anonymize_to, or grant more memory")
    })?;
    let mut batches = checked.staged.into_file()?;
    batches.rewind().map_err(|e| Error::io("the release in memory", "read it", &e))?;
    drop(folder);
    Ok(Release {
        held,
        certificate,
        recoding,
        notes: watched.notes(),
        batches,
        dialect,
        kept_types,
        prepared,
    })
}

fn make_file(
    prepared: Prepared,
    input: Input,
    output: &Output,
    watched: &Watched<'_>,
) -> Result<Certificate> {
    let place = CertificatePlace::Beside;
    let certificate_path = place.path(output);
    let recoding_path = prepared.settings.save_recoding.as_deref();
    let mut written = vec![("release", output.name())];
    written.extend(certificate_path.as_deref().map(|path| ("certificate", path)));
    written.extend(recoding_path.map(|path| ("recoding function", path)));
    written.extend(prepared.settings.save_people.as_deref().map(|path| ("file of people", path)));
    written.extend(prepared.settings.search.trace.as_deref().map(|path| ("trace", path)));
    let mut read = prepared.settings.files();
    read.extend(input.path());
    check_outputs(&written, &read)?;
    let folder = spill_folder(&prepared.settings);
    let room = SpillBudget { pool: &prepared.pool, folder: &folder };
    let table = prepared.read(input, watched, &room)?;
    let Made { checked, certificate, .. } = prepared.make(table, output, watched, room)?;
    let staged = HandOver::stage(checked, certificate, output, &place)?;
    watched.go_on()?;
    Ok(staged.publish(watched)?.certificate.published)
}
