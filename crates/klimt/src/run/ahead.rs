//! Publishes parts on a thread of their own, so that the next one is found while one is written.

use super::publisher::Publisher;
use super::workers::STACK;
use klimt_core::partition::Partitioning;
use klimt_core::parts::{PartSink, Way, Whole};
use klimt_core::table::Table;
use klimt_core::{Error, Result};
use rayon::ThreadPool;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// What is handed to the publisher.
enum Message {
    Begin { rows: u64, counts: Vec<(usize, Vec<u64>)> },
    Part(Table, Partitioning, Way),
    Slice(Table, Partitioning, Way, bool),
}

/// Hands parts on. Whoever hands one on waits until the publisher has taken it, so that no more than two are in memory.
struct Ahead {
    to: SyncSender<Message>,
}

impl Ahead {
    fn send(&self, message: Message) -> Result<()> {
        // The publisher has ended with an error of its own, which is the one that counts.
        self.to.send(message).map_err(|_| Error::internal("nobody publishes the groups"))
    }
}

impl PartSink for Ahead {
    fn begin(&mut self, whole: &Whole<'_>) -> Result<()> {
        self.send(Message::Begin { rows: whole.rows, counts: whole.counts.clone() })
    }

    fn part(&mut self, table: Table, partitioning: Partitioning, way: &Way) -> Result<()> {
        self.send(Message::Part(table, partitioning, way.clone()))
    }

    fn slice(&mut self, table: Table, slice: Partitioning, way: &Way, last: bool) -> Result<()> {
        self.send(Message::Slice(table, slice, way.clone(), last))
    }
}

/// Runs what finds the groups of a table with these columns, and publishes them meanwhile, with the threads of the
/// publisher's pool. In a pool of one thread a part is published before the next one is looked for: whoever hands a
/// part on keeps that thread waiting.
pub fn publish_meanwhile<'p, T>(
    frame: &'p Table,
    mut publisher: Publisher<'p>,
    find: impl FnOnce(&mut dyn PartSink) -> Result<T>,
) -> Result<(Publisher<'p>, T)> {
    let pool = publisher.pool();
    if pool.is_some_and(|pool| pool.current_num_threads() == 1) {
        let found = find(&mut publisher)?;
        return Ok((publisher, found));
    }
    std::thread::scope(|scope| {
        let (to, from) = sync_channel(0);
        let publish = move || take_all(frame, publisher, pool, from);
        let publishing = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, publish);
        let published = publishing.map_err(|e| Error::resource(format!("no thread can be started: {e}")))?;
        let found = find(&mut Ahead { to });
        let published = published.join().map_err(|_| Error::internal("the publisher has panicked"))?;
        Ok((published?, found?))
    })
}

fn take_all<'p>(
    frame: &'p Table,
    mut publisher: Publisher<'p>,
    pool: Option<&ThreadPool>,
    from: Receiver<Message>,
) -> Result<Publisher<'p>> {
    // Nothing waits for a message inside the pool, whose threads are needed to find the next part.
    for message in from {
        let take = || match message {
            Message::Begin { rows, counts } => publisher.begin(&Whole { frame, rows, counts }),
            Message::Part(table, partitioning, way) => publisher.part(table, partitioning, &way),
            Message::Slice(table, slice, way, last) => publisher.slice(table, slice, &way, last),
        };
        match pool {
            Some(pool) => pool.install(take)?,
            None => take()?,
        }
    }
    Ok(publisher)
}
