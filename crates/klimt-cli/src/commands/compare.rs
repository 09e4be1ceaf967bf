//! `klimt compare`: algorithms and values of k side by side, by risk, loss and time.

pub mod args;

use super::{anonymize, threads};
use crate::options::{AnonymizeArgs, MethodArgs, PublishArgs};
use crate::progress::Progress;
use crate::search::SearchArgs;
use crate::supervisor;
use crate::terminal::{count, note, print, rounded_up, table as lines_up};
use args::CompareArgs;
use klimt::certificate::Certificate;
use klimt::files::{same_file, write_whole};
use klimt::options::applies;
use klimt::run::{Guides, PartsInput, Prepared, TableRead, spill_folder};
use klimt::settings::Settings;
use klimt::{AlgorithmKind, Input, Output, did_you_mean};
use klimt_core::loss::Original;
use klimt_core::proof::Claim;
use klimt_core::spill::SpillFolder;
use klimt_core::table::Table;
use klimt_core::{Error, ErrorKind, Result, Words, registry};
use klimt_io::columnar::KeptTypes;
use klimt_io::csv::Dialect;
use klimt_io::room::{Loaded, SpillBudget};
use klimt_io::source::ReadReport;
use klimt_report::{Comparison, Trial, Tried};
use serde_json::{Map, Value, json};
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Instant;

/// The values of k where none are named.
const USUAL: [u64; 4] = [2, 5, 10, 50];

/// Runs the command.
pub fn run(args: &CompareArgs) -> Result<()> {
    let loss = loss_named(&args.loss)?;
    let mut every = args.requirements.k.clone();
    if every.is_empty() {
        every = USUAL.to_vec();
    }
    let first = settings_of(args, args.algorithms[0], every[0], None)?;
    let input = first.input.clone().ok_or_else(|| {
        Error::input("no table is named")
            .with_help("klimt compare TABLE.csv --qi age,sex --k 2,5,10 -o page.html")
    })?;
    check_files(args, &input, &first)?;
    let progress = Progress::new(args.general.quiet)?.all_or_nothing().silent();
    let pool = first.memory.pool();
    supervisor::grant(pool.limit());
    let mut bench = Bench {
        args,
        input: &input,
        progress: &progress,
        threads: threads(&args.general),
        tables: [None, None],
    };
    let mut trials = Vec::new();
    let many = args.algorithms.len() * every.len();
    for &algorithm in &args.algorithms {
        for &k in &every {
            if std::io::stderr().is_terminal() {
                note(args.general.quiet, &format!("{} of {many}: {algorithm}, k = {k}", trials.len() + 1));
            }
            let outcome = match bench.try_out(algorithm, k, loss.0) {
                Ok(tried) => Ok(tried),
                // What is wrong with the table or the flags is wrong with every setting.
                Err(error) if bench.tables.iter().all(Option::is_none) => return Err(error),
                Err(error) if error.kind() == ErrorKind::Cancelled || error.kind() == ErrorKind::Internal => {
                    return Err(error);
                }
                Err(error) => Err(error.worded(Words::Flags)),
            };
            trials.push(Trial { algorithm: algorithm.to_string(), k, outcome });
        }
    }
    let table = bench.tables.iter().flatten().next().map(|held| &held.table);
    let comparison = Comparison {
        table: std::path::Path::new(&input)
            .file_name()
            .map_or_else(|| String::from("standard input"), |name| name.to_string_lossy().into_owned()),
        rows: table.map_or(0, |table| table.rows() as u64),
        quasi_identifiers: table.map_or(Vec::new(), |table| names(table)),
        requirements: first
            .build_requirements()?
            .iter()
            .skip(1)
            .map(|requirement| requirement.describe())
            .collect(),
        loss,
        trials,
        command: command(&input, args, &every),
    };
    if let Some(output) = &args.output {
        write_whole(output, comparison.html().as_bytes())?;
    }
    tell(args, &comparison)?;
    match comparison.trials.iter().any(|trial| trial.outcome.is_ok()) {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Unsatisfied, "no setting is possible: the table above says why")),
    }
}

fn names(table: &Table) -> Vec<String> {
    (0..table.dimensions()).map(|dimension| table.dimension(dimension).name.clone()).collect()
}

/// A loss of the registry, with what it means.
fn loss_named(name: &str) -> Result<(&'static str, &'static str)> {
    let known = || registry::LOSSES.iter().map(|(entry, _)| entry.id);
    let found = registry::LOSSES.iter().find(|(entry, _)| entry.id == name);
    found.map(|(entry, _)| (entry.id, entry.help)).ok_or_else(|| {
        let names: Vec<&str> = known().collect();
        Error::input(format!("--loss: unknown loss {name}{}", did_you_mean(name, known())))
            .with_help(format!("the losses are {}", names.join(", ")))
    })
}

/// The page must not overwrite what is read.
fn check_files(args: &CompareArgs, input: &str, settings: &Settings) -> Result<()> {
    let Some(output) = args.output.as_deref() else { return Ok(()) };
    let mut read = vec![input];
    read.extend(args.spec.as_deref());
    read.extend(settings.files());
    match read.iter().find(|read| same_file(read, output)) {
        None => Ok(()),
        Some(same) => Err(Error::input(format!("{output}: this output would overwrite the input {same}"))
            .with_help("choose another name with -o")),
    }
}

/// The settings of a run of `klimt anonymize` with this algorithm and k; `loss` is what a search minimises.
fn settings_of(args: &CompareArgs, algorithm: AlgorithmKind, k: u64, loss: Option<&str>) -> Result<Settings> {
    let mut requirements = args.requirements.others.clone();
    requirements.k = Some(k);
    let args = AnonymizeArgs {
        input: args.input.clone(),
        output: Some(String::from("-")),
        spec: args.spec.clone(),
        columns: args.columns.clone(),
        requirements,
        method: MethodArgs {
            algorithm: Some(algorithm),
            suppress: args.suppress.clone(),
            ..MethodArgs::default()
        },
        search: SearchArgs {
            loss: loss.map(str::to_string),
            time_limit: Some(args.time.clone()),
            ..SearchArgs::default()
        },
        schemes: Default::default(),
        tree: Default::default(),
        memory: args.memory.clone(),
        publish: PublishArgs { no_certificate: true, ..PublishArgs::default() },
        format: args.format.clone(),
        json: false,
        general: args.general.clone(),
    };
    let mut settings = anonymize::gather(&args)?;
    // A trace is of one search, and not every algorithm minimises the loss that all are compared by.
    settings.search.trace = None;
    if loss.is_some() && !applies("loss", &settings) {
        settings.search.loss = None;
    }
    Ok(settings)
}

/// A table as it was read, with what a release of it needs to know.
struct Held {
    table: Arc<Table>,
    report: ReadReport,
    dialect: Dialect,
    kept_types: KeptTypes,
    guides: Guides,
}

/// Where settings are tried out.
struct Bench<'a> {
    args: &'a CompareArgs,
    input: &'a str,
    progress: &'a Progress,
    threads: usize,
    /// The table as algorithms read it, and as the search for schemes does, which takes some hierarchies apart.
    tables: [Option<Held>; 2],
}

impl Bench<'_> {
    /// Makes a release with a setting, checks it, and throws it away.
    fn try_out(&mut self, algorithm: AlgorithmKind, k: u64, loss: &str) -> Result<Tried> {
        let mut settings = settings_of(self.args, algorithm, k, None)?;
        let folder = spill_folder(&settings);
        let which = usize::from(settings.algorithm() == AlgorithmKind::Scheme);
        if self.tables[which].is_none() {
            self.tables[which] = Some(self.read(settings.clone(), &folder)?);
        }
        let held = self.tables[which].as_ref().ok_or_else(|| Error::internal("the table was not read"))?;
        if is_additive(loss, &held.table) {
            settings = settings_of(self.args, algorithm, k, Some(loss))?;
        }
        let prepared = Prepared::new(settings, Some(self.threads))?;
        let (watched, output) = (self.progress.watched(), Output::file("-")?);
        let room = SpillBudget { pool: &prepared.pool, folder: &folder };
        let request = prepared.request(&output, held.dialect, &held.kept_types, &watched, room);
        let (started, cpu) = (Instant::now(), cpu_seconds());
        let algorithm = prepared.settings.algorithm();
        let made = match algorithm.is_rothko() {
            true => {
                let loaded = Loaded::Fits(Table::clone(&held.table), held.report.clone());
                request.make_in_parts(algorithm, &PartsInput::of(loaded)?)?
            }
            false => request.make_in_memory(Arc::clone(&held.table), &held.report, &held.guides)?,
        };
        let (wall, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        let findings = &made.checked.findings;
        let certificate = made.certificate.published;
        let named = |id: &'static str| Some((id, certificate.loss(id)?));
        Ok(Tried {
            groups: findings.groups,
            smallest: findings.smallest_group,
            suppressed: findings.suppressed,
            losses: registry::LOSSES.iter().filter_map(|(entry, _)| named(entry.id)).collect(),
            highest: 1.0 / findings.smallest_group.max(1) as f64,
            average: findings.groups as f64 / (findings.rows.max(1)) as f64,
            wall,
            cpu,
            proven: proven(&certificate),
        })
    }

    fn read(&self, settings: Settings, folder: &SpillFolder) -> Result<Held> {
        let prepared = Prepared::new(settings, Some(self.threads))?;
        let room = SpillBudget { pool: &prepared.pool, folder };
        let TableRead { loaded, dialect, kept_types, .. } =
            prepared.read(Input::file(self.input)?, &self.progress.watched(), &room)?;
        match loaded {
            Loaded::Fits(table, report) => {
                Ok(Held { table: Arc::new(table), report, dialect, kept_types, guides: prepared.guides })
            }
            Loaded::Spilled(_) => {
                Err(Error::resource("the table does not fit in memory, where settings are compared")
                    .with_help("grant more with --memory, or compare on a sample of the rows"))
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

/// What a certificate proves, and about which family.
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

/// The command that makes the page again.
fn command(input: &str, args: &CompareArgs, every: &[u64]) -> String {
    let quoted = |word: &std::ffi::OsString| {
        let word = word.to_string_lossy();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=%+@".contains(c);
        match !word.is_empty() && word.chars().all(plain) {
            true => word.into_owned(),
            false => format!("'{}'", word.replace('\'', "'\\''")),
        }
    };
    let words: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    if words.is_empty() {
        let k: Vec<String> = every.iter().map(u64::to_string).collect();
        return format!(
            "klimt compare {input} --k {} --algorithms {}",
            k.join(","),
            args.algorithms.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
        );
    }
    format!("klimt {}", words.iter().map(quoted).collect::<Vec<_>>().join(" "))
}

fn tell(args: &CompareArgs, comparison: &Comparison) -> Result<()> {
    let frontier = comparison.frontier();
    if args.json {
        let trials: Vec<Value> = comparison
            .trials
            .iter()
            .enumerate()
            .map(|(at, trial)| trial_json(trial, frontier.contains(&at)))
            .collect();
        let text = json!({ "table": comparison.table, "rows": comparison.rows, "loss": comparison.loss.0,
            "requirements": comparison.requirements, "page": args.output, "trials": trials });
        return print(&format!("{text:#}\n"));
    }
    if args.general.quiet {
        return Ok(());
    }
    let mut shown = vec!["ncp", "dm", "kl"];
    if !shown.contains(&comparison.loss.0) {
        shown.push(comparison.loss.0);
    }
    let mut heads: Vec<String> =
        ["algorithm", "k", "groups", "smallest", "suppressed"].map(String::from).to_vec();
    heads.extend(shown.iter().map(|id| id.to_string()));
    heads.extend(["risk", "average", "seconds", "CPU", "proven", "frontier"].map(String::from));
    let many = heads.len();
    let mut rows = vec![heads];
    for (at, trial) in comparison.trials.iter().enumerate() {
        let mut row = vec![trial.algorithm.clone(), trial.k.to_string()];
        match &trial.outcome {
            Ok(tried) => {
                row.extend([tried.groups, tried.smallest, tried.suppressed].map(count));
                row.extend(shown.iter().map(|id| shown_loss(tried.loss(id))));
                row.extend([tried.highest, tried.average].map(crate::risk::percent));
                row.extend([tried.wall, tried.cpu].map(|seconds| format!("{seconds:.2}")));
                row.push(tried.proven.clone());
                row.push(if frontier.contains(&at) { String::from("yes") } else { String::new() });
            }
            Err(_) => row.resize(many, String::from("-")),
        }
        rows.push(row);
    }
    let mut text = lines_up(&rows);
    for trial in &comparison.trials {
        if let Err(why) = &trial.outcome {
            text.push_str(&format!("{}, k = {}: {why}\n", trial.algorithm, trial.k));
        }
    }
    print(&text)
}

fn shown_loss(loss: f64) -> String {
    match loss {
        loss if loss.is_nan() => String::from("-"),
        loss if loss.fract() == 0.0 => format!("{loss:.0}"),
        loss => format!("{loss:.4}"),
    }
}

fn trial_json(trial: &Trial, on_frontier: bool) -> Value {
    let mut entry = json!({ "algorithm": trial.algorithm, "k": trial.k, "frontier": on_frontier });
    match &trial.outcome {
        Err(why) => entry["impossible"] = json!(why),
        Ok(tried) => {
            let losses: Map<String, Value> =
                tried.losses.iter().map(|(id, loss)| (id.to_string(), json!(loss))).collect();
            entry["groups"] = json!(tried.groups);
            entry["smallest_group"] = json!(tried.smallest);
            entry["suppressed"] = json!(tried.suppressed);
            entry["losses"] = Value::Object(losses);
            entry["risk"] = json!({ "highest": tried.highest, "average": tried.average });
            entry["seconds"] = json!({ "wall": tried.wall, "cpu": tried.cpu });
            entry["proven"] = json!(tried.proven);
        }
    }
    entry
}
