//! `klimt index`: a store of rows that change, and releases from it.

pub mod args;
mod release;

use super::{read_table, threads};
use crate::columns::{dialect_spec, gather, list_of};
use crate::progress::Progress;
use crate::supervisor;
use crate::terminal::{count, note, print, table};
use args::{BatchArgs, CompactArgs, CreateArgs, IndexCommand, StatusArgs};
use klimt::certificate::saved;
use klimt::columns::plan;
use klimt::run::warnings::warn;
use klimt::settings::MemorySettings;
use klimt::{AlgorithmKind, Stage, did_you_mean};
use klimt_core::memory::Pool;
use klimt_core::requirement::TableFacts;
use klimt_core::spill::{Block, HeldRows, Rows, SpillFolder};
use klimt_core::table::{ColumnSpec, Guard, Role, Table};
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::csv::ReadOptions;
use klimt_io::room::{Loaded, Room};
use klimt_io::source::{ColumnPlan, ReadReport, Source};
use klimt_store::{Batch, Means, Promise, Size, Spec, Status, Store};
use std::fmt::Write;
use std::path::Path;

/// Runs the command.
pub fn run(command: &IndexCommand) -> Result<()> {
    match command {
        IndexCommand::Create(args) => create(args),
        IndexCommand::Insert(args) => change(args, Kind::Insert),
        IndexCommand::Update(args) => change(args, Kind::Update),
        IndexCommand::Delete(args) => change(args, Kind::Delete),
        IndexCommand::Status(args) => status(args),
        IndexCommand::Release(args) => release::run(args),
        IndexCommand::Compact(args) => compact(args),
    }
}

fn create(args: &CreateArgs) -> Result<()> {
    let mut settings = gather(args.spec.as_deref(), &args.columns, &args.format)?;
    if settings.columns.values().any(|column| column.domain.is_some()) {
        return Err(Error::input("--domain: the domains of a store grow with its rows")
            .with_help("leave it out, or anonymize the table with klimt anonymize"));
    }
    args.requirements.apply(&mut settings)?;
    settings.algorithm = Some(AlgorithmKind::RTree);
    settings.tree.leaf_capacity = args.leaf_capacity.or(settings.tree.leaf_capacity);
    let prefer = list_of("--prefer", &args.prefer)?;
    if !prefer.is_empty() {
        settings.tree.prefer = prefer;
    }
    let k = settings.k.ok_or_else(|| {
        Error::input("the base k is not given").with_help("no release can be finer than it; such as -k 5")
    })?;
    let role = &mut settings.columns.entry(args.key.clone()).or_default().role;
    if role.is_some_and(|role| role != Role::Identifier) {
        return Err(Error::input(format!("column {} is the key: it is not published", args.key))
            .with_help("give it no other role"));
    }
    *role = Some(Role::Identifier);
    let requirements = settings.build_requirements()?;
    let progress = Progress::new(args.general.quiet)?;
    let threads = threads(&args.general);
    let like = read_table(&args.like, &args.format, &settings.missing, threads, &progress, |source| {
        plan(&args.like, source.columns(), &settings)
    })?;
    check_preferred(&settings.tree.prefer, &like)?;
    warn(&progress.watched(), &settings, &requirements, &like, &TableFacts::of(&like), None);
    let weight = |name: &str| settings.columns.get(name).and_then(|column| column.weight).unwrap_or(1.0);
    let promise = Promise { k, requirements: saved(&settings), split: settings.split_spec() };
    let spec = Spec::like(&like, &args.key, &weight, settings.missing.clone(), promise)?;
    Store::create(Path::new(&args.store), &spec)?;
    note(args.general.quiet, &format!("made {0}; klimt index insert {0} takes in rows", args.store));
    Ok(())
}

fn check_preferred(prefer: &[String], like: &Table) -> Result<()> {
    let known: Vec<&str> = (0..like.dimensions()).map(|d| like.dimension(d).name.as_str()).collect();
    let unknown = prefer.iter().filter(|name| !known.contains(&name.as_str()));
    let problem = |name: &String| {
        format!("--prefer: unknown quasi-identifier {name}{}", did_you_mean(name, known.iter().copied()))
    };
    Error::all(ErrorKind::Input, unknown.map(problem).collect()).map_or(Ok(()), Err)
}

/// The budget of this run, which is kept to from now on.
pub fn granted(memory: &MemorySettings) -> Pool {
    let pool = memory.pool();
    supervisor::grant(pool.limit());
    pool
}

/// What a batch is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Insert,
    Update,
    Delete,
}

fn change(args: &BatchArgs, kind: Kind) -> Result<()> {
    let threads = threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let memory = args.memory.settings()?;
    let pool = granted(&memory);
    let mut store = Store::open(Path::new(&args.store), &pool)?;
    let folder = SpillFolder::within(&memory.folder());
    let room = Room { pool: &pool, folder: &folder };
    let loaded = read(args, kind, &store, threads, &progress, &room)?;
    let (frame, rows, report): (Table, Box<dyn Rows + '_>, &ReadReport) = match &loaded {
        Loaded::Fits(table, report) => {
            let frame = Block::empty(table).into_table(table)?;
            (frame, Box::new(HeldRows::new(table, HeldRows::BLOCK)), report)
        }
        Loaded::Spilled(spilled) => (spilled.frame().clone(), Box::new(Borrowed(spilled)), spilled.report()),
    };
    let watched = progress.watched();
    let stage = watched.stage(Stage::Indexing, Some(rows.rows()));
    let means = Means {
        pool: &pool,
        folder: &folder,
        sampling: memory.sampling(),
        observer: &stage,
        work: Means::WORK,
    };
    let empty_texts = &report.empty_texts[..];
    let batch = Batch { frame: &frame, source: &*rows, empty_texts, name: &args.file };
    let (done, size) = match kind {
        Kind::Insert => ("inserted", store.insert(&batch, &means)?),
        Kind::Update => ("replaced", store.update(&batch, &means)?),
        Kind::Delete => ("removed", store.delete(&batch, &means)?),
    };
    stage.end();
    note(
        args.general.quiet,
        &format!("{done} {} rows; the store has {}", count(batch.source.rows()), told(&size)),
    );
    Ok(())
}

/// Rows that somebody else holds.
struct Borrowed<'r>(&'r dyn Rows);

impl Rows for Borrowed<'_> {
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    fn blocks(&self) -> usize {
        self.0.blocks()
    }

    fn read(&self, number: usize, into: &mut Block) -> Result<()> {
        self.0.read(number, into)
    }
}

/// Reads a batch: the key, and the columns of the store unless the rows are removed.
fn read<'r>(
    args: &BatchArgs,
    kind: Kind,
    store: &Store,
    threads: usize,
    progress: &Progress,
    room: &Room<'r>,
) -> Result<Loaded<'r>> {
    let spec = store.spec();
    let source = Source::open(&args.file, dialect_spec(&args.file, &args.format))?;
    let mut wanted = vec![ColumnSpec::new(spec.key.clone(), Role::Insensitive)];
    if kind != Kind::Delete {
        wanted.extend(spec.column_specs()?);
        // A few rows may well differ in all values: only the first batch tells what the column is.
        let allowed = list_of("--allow-unique", &args.allow_unique)?;
        if store.status()?.rows == 0 {
            for column in wanted.iter_mut().filter(|column| column.role == Role::QuasiIdentifier) {
                (column.guard, column.allow_unique) = (Guard::Refuse, allowed.contains(&column.name));
            }
        }
    }
    let names = source.columns();
    let problems = wanted.iter().filter(|wanted| !names.contains(&wanted.name)).map(|wanted| {
        let hint = did_you_mean(&wanted.name, names.iter().map(String::as_str));
        format!("{}: unknown column {}{hint}", args.file, wanted.name)
    });
    if let Some(error) = Error::all(ErrorKind::Input, problems.collect()) {
        return Err(error);
    }
    let planned = |name: &String| wanted.iter().find(|wanted| wanted.name == *name).cloned();
    let plan: Vec<ColumnPlan> = names.iter().map(|name| ColumnPlan { spec: planned(name) }).collect();
    let bytes = std::fs::metadata(&args.file).map_or(0, |metadata| metadata.len());
    let watched = progress.watched();
    let stage = watched.stage(Stage::Reading, Some(bytes));
    source.read_within(&plan, &ReadOptions { missing: &spec.missing, threads, observer: &stage }, room)
}

fn compact(args: &CompactArgs) -> Result<()> {
    threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let memory = args.memory.settings()?;
    let pool = granted(&memory);
    let mut store = Store::open(Path::new(&args.store), &pool)?;
    let folder = SpillFolder::within(&memory.folder());
    let watched = progress.watched();
    let stage = watched.stage(Stage::Indexing, Some(store.status()?.rows));
    let means = Means {
        pool: &pool,
        folder: &folder,
        sampling: memory.sampling(),
        observer: &stage,
        work: Means::WORK,
    };
    let size = store.compact(&means)?;
    stage.end();
    note(args.general.quiet, &format!("the store has {}", told(&size)));
    Ok(())
}

fn told(size: &Size) -> String {
    let waiting = match size.waiting {
        0 => String::new(),
        rows => format!("; {} of them wait for their group until the next release", count(rows)),
    };
    format!("{} rows in {} groups{waiting}", count(size.rows), count(size.groups))
}

fn status(args: &StatusArgs) -> Result<()> {
    let pool = MemorySettings::default().pool();
    let status = open_status(&args.store, &pool)?;
    if args.json {
        let text = serde_json::to_string_pretty(&status)
            .map_err(|e| Error::internal(format!("the status cannot be written: {e}")))?;
        return print(&format!("{text}\n"));
    }
    print(&describe(&status))
}

fn open_status(store: &str, pool: &Pool) -> Result<Status> {
    Store::open(Path::new(store), pool)?.status()
}

fn describe(status: &Status) -> String {
    let mut text = format!(
        "{} rows{} in {} groups of at least {} (base k {}); {} pages, height {}; key {}\n",
        count(status.rows),
        if status.waiting > 0 { format!(" ({} waiting)", count(status.waiting)) } else { String::new() },
        count(status.groups),
        status.smallest,
        status.k,
        count(status.pages as u64),
        status.height,
        status.key
    );
    if status.releases.is_empty() {
        text.push_str("nothing was released\n");
        return text;
    }
    if status.held_back > 0 {
        let _ = writeln!(text, "{} rows wait: the last release held them back", count(status.held_back));
    }
    if status.departed > 0 {
        let _ = writeln!(
            text,
            "{} released rows have been deleted; their histories are kept, so that they are known if they come back",
            count(status.departed)
        );
    }
    let mut rows: Vec<Vec<String>> = vec![
        ["release", "for", "k", "rows", "groups", "held back", "hidden among", "differences"]
            .map(String::from)
            .to_vec(),
    ];
    rows.extend(status.releases.iter().map(|listed| {
        vec![
            listed.release.to_string(),
            listed.audience.clone(),
            listed.k.to_string(),
            count(listed.rows),
            count(listed.groups),
            count(listed.held_back),
            listed.smallest_intersection.map_or("-".to_string(), count),
            if listed.differences_allowed { "allowed" } else { "hidden" }.to_string(),
        ]
    }));
    text.push('\n');
    text.push_str(&table(&rows));
    text
}
