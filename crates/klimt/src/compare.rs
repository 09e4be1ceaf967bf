//! Puts algorithms and values of k side by side, by risk, loss and time.
//!
//! ```
//! use klimt::prelude::*;
//!
//! let table: String = (0..60).map(|at| format!("{},{}\n", 20 + at % 30, ["Flu", "Gout"][at % 2])).collect();
//! let table = format!("age,disease\n{table}");
//! let asked = Anonymizer::new().quasi_identifiers(["age"]).insensitive(["disease"]);
//! let comparison = klimt::compare(Input::reader(Format::Csv, std::io::Cursor::new(table)), &asked)?;
//! for trial in comparison.frontier() {
//!     let release = trial.release().unwrap();
//!     println!("{}, k = {}: ncp {:.4}", trial.algorithm, trial.k, release.loss("ncp").unwrap());
//! }
//! # Ok::<(), klimt::Error>(())
//! ```

pub use klimt_report::{Comparison, Trial, TrialOutcome, TrialRelease, TrialRisk, TrialSeconds};

use crate::anonymizer::Anonymizer;
use crate::certificate::Certificate;
use crate::input::Input;
use crate::observer::{Unobserved, Watched};
use crate::options::applies;
use crate::output::Output;
use crate::reading::Reading;
use crate::run::{PartsInput, Prepared, TableRead, spill_folder};
use crate::settings::{Settings, TimeLimit};
use crate::suggest::did_you_mean;
use klimt_core::loss::Original;
use klimt_core::proof::Claim;
use klimt_core::registry::{self, AlgorithmKind, LossChoice};
use klimt_core::table::Table;
use klimt_core::words::option;
use klimt_core::{Error, ErrorKind, Result, Words};
use klimt_io::columnar::KeptTypes;
use klimt_io::csv::Dialect;
use klimt_io::room::{Loaded, SpillBudget};
use klimt_io::source::ReadReport;
use klimt_report::rounded_up;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The algorithms where none are named.
const ALGORITHMS: [AlgorithmKind; 3] = [AlgorithmKind::Mondrian, AlgorithmKind::RTree, AlgorithmKind::Local];
/// The values of k where none are named.
const EVERY_K: [u64; 4] = [2, 5, 10, 50];
/// The time of each search where none is named.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Compares the usual algorithms and values of k over a table, by what is said of its columns.
pub fn compare(table: Input, asked: &Anonymizer) -> Result<Comparison> {
    Comparing::of(asked.settings().clone()).run(table, &Watched::by(&Unobserved))
}

/// A comparison of algorithms and values of k over one table.
///
/// Every setting makes a whole release, which is checked as always and then thrown away: nothing is published.
///
/// ```
/// use klimt::prelude::*;
/// use klimt::{Comparing, Unobserved, Watched};
///
/// let table: String = (0..40).map(|at| format!("{},{}\n", 20 + at, 1000 + at % 7)).collect();
/// let table = Input::reader(Format::Csv, std::io::Cursor::new(format!("age,zip\n{table}")));
/// let asked = Anonymizer::new().quasi_identifiers(["age", "zip"]);
/// let comparison = Comparing::of(asked.settings().clone())
///     .algorithms([AlgorithmKind::Mondrian, AlgorithmKind::RTree])
///     .every_k([3, 41])
///     .loss("dm")
///     .run(table, &Watched::by(&Unobserved))?;
/// assert_eq!(comparison.trials.len(), 4);
/// // Nobody hides among 41 of 40 rows.
/// assert!(comparison.trials[0].release().is_some() && comparison.trials[1].reason().is_some());
/// # Ok::<(), klimt::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Comparing {
    settings: Settings,
    algorithms: Vec<AlgorithmKind>,
    every_k: Vec<u64>,
    loss: String,
    time_limit: TimeLimit,
    threads: Option<usize>,
    words: Words,
}

impl Comparing {
    /// By what settings say of the columns, the other requirements and the method. The algorithm, k, the loss and the time
    /// limit of these settings do not matter.
    pub fn of(settings: Settings) -> Self {
        Comparing {
            settings,
            algorithms: ALGORITHMS.to_vec(),
            every_k: EVERY_K.to_vec(),
            loss: "ncp".to_string(),
            time_limit: TimeLimit(TIME_LIMIT),
            threads: None,
            words: Words::Plain,
        }
    }

    /// The algorithms: Mondrian, the R+-tree and local recoding where none are named.
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = AlgorithmKind>) -> Self {
        self.algorithms = algorithms.into_iter().collect();
        self
    }

    /// The values of k: 2, 5, 10 and 50 where none are named.
    pub fn every_k(mut self, every: impl IntoIterator<Item = u64>) -> Self {
        self.every_k = every.into_iter().collect();
        self
    }

    /// The loss by which settings are compared, and which searches minimise where it can be minimised.
    pub fn loss(mut self, name: impl Into<String>) -> Self {
        self.loss = name.into();
        self
    }

    /// The time after which each search ends with the best release found; 10 seconds where nothing is said.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = TimeLimit(limit);
        self
    }

    /// How many threads read and write; all cores where nothing is said.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// How the front end writes options in the reasons why a setting is not possible.
    pub fn words(mut self, words: Words) -> Self {
        self.words = words;
        self
    }

    /// Reads the table once and tries every setting. A setting that is not possible gets the reason why; a mistake in the table
    /// or in every setting is an error.
    pub fn run(self, table: Input, watched: &Watched<'_>) -> Result<Comparison> {
        let loss = self.named_loss()?;
        let (Some(&algorithm), Some(&k)) = (self.algorithms.first(), self.every_k.first()) else {
            return Err(Error::input(format!("{} and {} need a value", option("algorithms"), option("k"))));
        };
        let requirements = self.settings(algorithm, k, None).build_requirements()?;
        let name = table.title();
        let mut bench = Bench { asked: &self, input: Some(table), watched, table: None };
        let mut trials = Vec::new();
        let many = self.algorithms.len() * self.every_k.len();
        for &algorithm in &self.algorithms {
            for &k in &self.every_k {
                watched.observer().trial(trials.len() + 1, many, algorithm, k);
                let outcome = bench.outcome(algorithm, k, loss.0)?;
                trials.push(Trial { algorithm: algorithm.to_string(), k, frontier: false, outcome });
            }
        }
        let table = bench.table.as_ref().map(|read| &read.table);
        let mut comparison = Comparison {
            table: name,
            rows: table.map_or(0, |table| table.rows() as u64),
            quasi_identifiers: table.map_or(Vec::new(), |table| names(table)),
            requirements: requirements.iter().skip(1).map(|requirement| requirement.describe()).collect(),
            loss,
            trials,
        };
        comparison.mark_frontier();
        Ok(comparison)
    }

    /// The loss, with its meaning.
    fn named_loss(&self) -> Result<(&'static str, &'static str)> {
        let known = || registry::LOSSES.iter().map(|(entry, _)| entry.id);
        let found = registry::LOSSES.iter().find(|(entry, _)| entry.id == self.loss);
        found.map(|(entry, _)| (entry.id, entry.help)).ok_or_else(|| {
            let names: Vec<&str> = known().collect();
            let hint = did_you_mean(&self.loss, known());
            Error::input(format!("{}: unknown loss {}{hint}", option("loss"), self.loss))
                .with_help(format!("the losses are {}", names.join(", ")))
        })
    }

    /// The settings of a run with this algorithm and k; `loss` is what a search minimises.
    fn settings(&self, algorithm: AlgorithmKind, k: u64, loss: Option<&str>) -> Settings {
        let mut settings = self.settings.clone();
        (settings.algorithm, settings.k) = (Some(algorithm), Some(k));
        settings.search.time_limit = Some(self.time_limit);
        settings.search.loss = loss.map(LossChoice::from).or(settings.search.loss);
        settings.complete();
        // A trace is of one search, and not every algorithm minimises the loss that all are compared by.
        settings.search.trace = None;
        if loss.is_some() && !applies("loss", &settings) {
            settings.search.loss = None;
        }
        settings
    }
}

fn names(table: &Table) -> Vec<String> {
    (0..table.dimensions()).map(|dimension| table.dimension(dimension).name.clone()).collect()
}

/// A table that was read, with what a release of it needs to know.
struct TrialTable {
    table: Arc<Table>,
    report: ReadReport,
    dialect: Dialect,
    kept_types: KeptTypes,
    reading: Reading,
}

/// Where settings are tried out.
struct Bench<'a> {
    asked: &'a Comparing,
    /// The table before it is read.
    input: Option<Input>,
    watched: &'a Watched<'a>,
    table: Option<TrialTable>,
}

impl Bench<'_> {
    fn outcome(&mut self, algorithm: AlgorithmKind, k: u64, loss: &str) -> Result<TrialOutcome> {
        match self.try_out(algorithm, k, loss) {
            Ok(release) => Ok(TrialOutcome::Release(release)),
            // What is wrong with the table or the settings is wrong with every trial.
            Err(error) if self.table.is_none() => Err(error),
            Err(error) if matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Internal) => Err(error),
            Err(error) => Ok(TrialOutcome::Impossible { reason: error.worded(self.asked.words) }),
        }
    }

    /// Makes a release with a setting, checks it, and throws it away.
    fn try_out(&mut self, algorithm: AlgorithmKind, k: u64, loss: &str) -> Result<TrialRelease> {
        let asked = self.asked;
        let first = Prepared::new(asked.settings(algorithm, k, None), asked.threads)?;
        let read = match self.table.take() {
            Some(read) => read,
            None => self.read(&first)?,
        };
        let read = &*self.table.insert(read);
        let minimised = Some(loss).filter(|loss| is_additive(loss, &read.table));
        let prepared = Prepared::new(asked.settings(algorithm, k, minimised), asked.threads)?;
        let folder = spill_folder(&prepared.settings);
        let output = Output::file("-")?;
        let room = SpillBudget { pool: &prepared.pool, folder: &folder };
        let written = (&read.kept_types, &read.reading);
        let request = prepared.request(&output, read.dialect, written, self.watched, room);
        let (started, cpu) = (Instant::now(), cpu_seconds());
        let algorithm = prepared.settings.algorithm();
        let made = match algorithm.is_rothko() {
            true => {
                let loaded = Loaded::Fits(Table::clone(&read.table), read.report.clone());
                request.make_in_parts(algorithm, &PartsInput::of(loaded)?)?
            }
            false => request.make_in_memory(Arc::clone(&read.table), &read.report, &prepared.guides)?,
        };
        let seconds = TrialSeconds { wall: started.elapsed().as_secs_f64(), cpu: cpu_seconds() - cpu };
        let findings = &made.checked.findings;
        // Where people are counted, they and not their rows are found.
        let fewest = findings.people.map_or(findings.smallest_group, |people| people.smallest_group);
        let certificate = made.certificate.published;
        let named = |id: &'static str| Some((id, certificate.loss(id)?));
        Ok(TrialRelease {
            groups: findings.groups,
            smallest_group: findings.smallest_group,
            suppressed: findings.suppressed,
            losses: registry::LOSSES.iter().filter_map(|(entry, _)| named(entry.id)).collect(),
            risk: TrialRisk {
                highest: 1.0 / fewest.max(1) as f64,
                average: findings.groups as f64 / (findings.rows.max(1)) as f64,
            },
            seconds,
            proven: proven(&certificate),
        })
    }

    /// Reads the table. All trials read it alike: what is said of its columns is the same in all, and the search for schemes
    /// takes hierarchies apart only where a scheme is named, which the other algorithms refuse.
    fn read(&mut self, prepared: &Prepared) -> Result<TrialTable> {
        let input = self.input.take().ok_or_else(|| Error::internal("the table was read before"))?;
        let folder = spill_folder(&prepared.settings);
        let room = SpillBudget { pool: &prepared.pool, folder: &folder };
        let TableRead { loaded, dialect, kept_types, reading, .. } =
            prepared.read(input, self.watched, &room)?;
        match loaded {
            Loaded::Fits(table, report) => {
                Ok(TrialTable { table: Arc::new(table), report, dialect, kept_types, reading })
            }
            Loaded::Spilled(_) => {
                Err(Error::resource("the table does not fit in memory, where settings are compared")
                    .with_help(format!(
                        "grant more with {}, or compare on a sample of the rows",
                        option("memory")
                    )))
            }
        }
    }
}

/// Whether searches can minimise a loss.
fn is_additive(name: &str, table: &Table) -> bool {
    let weights = vec![1.0; table.dimensions()];
    let original = Original::new(table, &weights);
    registry::LOSSES.iter().any(|(entry, loss)| entry.id == name && loss.cost(&original).is_some())
}

/// The claim of a certificate, and the family that it is about.
fn proven(certificate: &Certificate) -> String {
    let claim = match certificate.proven {
        Claim::Optimal => String::from("optimal"),
        Claim::WithinFactor(factor) => format!("within {}", rounded_up(factor, 3)),
        Claim::Heuristic => String::from("heuristic"),
    };
    certificate.family.as_ref().map_or(claim.clone(), |family| format!("{claim} ({family})"))
}

/// The seconds that all threads of this process have worked.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
