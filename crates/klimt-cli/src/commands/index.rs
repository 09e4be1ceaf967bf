//! `klimt index`: a store of rows that change, and releases from it.

pub mod args;
mod release;

use super::threads;
use crate::columns::{gather, list_of};
use crate::give_back;
use crate::memory::MemoryArgs;
use crate::options::GeneralArgs;
use crate::progress::Progress;
use crate::supervisor;
use crate::terminal::{count, note, print, table};
use args::{BatchArgs, CompactArgs, CreateArgs, IndexCommand, StatusArgs};
use klimt::store::{Size, Status, Store, StoreBatch, StoreChange};
use klimt::{Anonymizer, Input};
use klimt_core::{Error, Result};
use std::fmt::Write;

/// Runs the command.
pub fn run(command: &IndexCommand) -> Result<()> {
    match command {
        IndexCommand::Create(args) => create(args),
        IndexCommand::Insert(args) => insert(args),
        IndexCommand::Update(args) => update(args),
        IndexCommand::Delete(args) => delete(args),
        IndexCommand::Status(args) => status(args),
        IndexCommand::Release(args) => release::run(args),
        IndexCommand::Compact(args) => compact(args),
    }
}

fn create(args: &CreateArgs) -> Result<()> {
    let mut settings = gather(args.spec.as_deref(), &args.columns, &args.format)?;
    args.requirements.apply(&mut settings)?;
    settings.tree.leaf_capacity = args.leaf_capacity.or(settings.tree.leaf_capacity);
    let prefer = list_of("--prefer", &args.prefer)?;
    if !prefer.is_empty() {
        settings.tree.prefer = prefer;
    }
    threads(&args.general);
    let asked = Anonymizer::of(settings).observer(Progress::new(args.general.quiet)?);
    Store::create(&args.store, Input::file(&args.like)?, &args.key, &asked)?;
    note(args.general.quiet, &format!("made {0}; klimt index insert {0} takes in rows", args.store));
    Ok(())
}

/// Opens a store, and keeps to its budget from now on.
fn open(store: &str, memory: &MemoryArgs, general: &GeneralArgs) -> Result<Store> {
    threads(general);
    let progress = Progress::new(general.quiet)?;
    let memory = memory.settings()?;
    give_back::begin_again(memory.pool().limit());
    let store = Store::open_within(store, memory)?;
    supervisor::grant(store.granted());
    Ok(store.observer(progress))
}

fn open_for(args: &BatchArgs) -> Result<(Store, StoreBatch)> {
    let store = open(&args.store, &args.memory, &args.general)?;
    let batch = StoreBatch::of(Input::file(&args.file)?)
        .source(args.format.source())
        .accept(list_of("--accept", &args.accept)?);
    Ok((store, batch))
}

fn insert(args: &BatchArgs) -> Result<()> {
    let (mut store, batch) = open_for(args)?;
    tell(args, "inserted", &store.insert(batch)?);
    Ok(())
}

fn update(args: &BatchArgs) -> Result<()> {
    let (mut store, batch) = open_for(args)?;
    tell(args, "replaced", &store.update(batch)?);
    Ok(())
}

fn delete(args: &BatchArgs) -> Result<()> {
    let (mut store, batch) = open_for(args)?;
    tell(args, "removed", &store.delete(batch)?);
    Ok(())
}

fn tell(args: &BatchArgs, done: &str, change: &StoreChange) {
    let text =
        format!("{done} {} rows; the store has {}", count(change.changed), describe_size(&change.size));
    note(args.general.quiet, &text);
}

fn compact(args: &CompactArgs) -> Result<()> {
    let size = open(&args.store, &args.memory, &args.general)?.compact()?;
    note(args.general.quiet, &format!("the store has {}", describe_size(&size)));
    Ok(())
}

fn describe_size(size: &Size) -> String {
    let waiting = match size.waiting {
        0 => String::new(),
        rows => format!("; {} of them wait for their group until the next release", count(rows)),
    };
    format!("{} rows in {} groups{waiting}", count(size.rows), count(size.groups))
}

fn status(args: &StatusArgs) -> Result<()> {
    let status = Store::open(&args.store)?.status()?;
    if args.json {
        let text = serde_json::to_string_pretty(&status)
            .map_err(|e| Error::internal(format!("the status cannot be written: {e}")))?;
        return print(&format!("{text}\n"));
    }
    print(&describe(&status))
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
