//! Writing a release as CSV, whole or part by part: several writers render groups side by side, and their chunks go
//! out in order.

use super::Dialect;
use super::render::{Chunk, RenderScratch, Renderer, RowFormat, header};
use klimt_core::job::Observer;
use klimt_core::recode::{Release, ReleaseColumn};
use klimt_core::table::Table;
use klimt_core::{Error, ErrorKind, Result};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

/// Reads the bytes of a release as they are written, chunk by chunk, each of whole records.
pub trait ChunkObserver: Send {
    /// The next chunk of this observer, and which rows of the table it holds; other observers see other chunks.
    fn chunk(&mut self, bytes: &[u8], rows: &[u32]) -> Result<()>;
}

/// Counts of the written rows and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteSummary {
    /// The bytes, before compression.
    pub bytes: u64,
}

/// Writes a whole release; every writer has an observer of its own, and all are returned.
pub fn write_release<O: ChunkObserver>(
    release: &Release<'_>,
    dialect: Dialect,
    threads: usize,
    sink: &mut (dyn Write + Send),
    progress: &dyn Observer,
    observer: impl Fn() -> O,
) -> Result<(WriteSummary, Vec<O>)> {
    let mut writer = CsvWriter::new(release.columns(), release.table, dialect, threads, sink)?;
    let observers = writer.write(release, progress, observer)?;
    Ok((writer.finish().0, observers))
}

/// Writes a release part by part. What it keeps depends on the columns and their domains, and not on the number of
/// parts or rows.
pub struct CsvWriter<W> {
    sink: W,
    bytes: u64,
    threads: usize,
    format: RowFormat,
}

impl<W: Write + Send> CsvWriter<W> {
    /// Starts a release of some columns of a table, of which only the domains are looked at, and writes the header.
    pub fn new(
        columns: &[ReleaseColumn],
        frame: &Table,
        dialect: Dialect,
        threads: usize,
        mut sink: W,
    ) -> Result<Self> {
        let header = header(columns, dialect);
        sink.write_all(&header).map_err(|e| failed(&e))?;
        let format = RowFormat::new(columns, frame, dialect);
        Ok(CsvWriter { sink, bytes: header.len() as u64, threads, format })
    }

    /// Writes the next part, whose table has the domains of the frame; every writer has an observer of its own, and all
    /// are returned.
    pub fn write<O: ChunkObserver>(
        &mut self,
        release: &Release<'_>,
        progress: &dyn Observer,
        observer: impl Fn() -> O,
    ) -> Result<Vec<O>> {
        let renderer = Renderer::new(release, &self.format);
        let part = CsvPartWriter {
            chunks: renderer.chunks(),
            renderer,
            next: AtomicUsize::new(0),
            turn: Mutex::new(CsvTurn { next: 0, sink: &mut self.sink, bytes: self.bytes, result: Ok(()) }),
            changed: Condvar::new(),
            progress,
        };
        let observers = std::thread::scope(|scope| {
            let start = |_| {
                let (part, observer) = (&part, observer());
                scope.spawn(move || part.work(observer))
            };
            let handles: Vec<_> = (0..self.threads.max(1)).map(start).collect();
            handles.into_iter().map(|handle| handle.join().expect("a writer does not panic")).collect()
        });
        let turn = part.turn.into_inner().expect("no writer panicked");
        turn.result?;
        self.bytes = turn.bytes;
        if progress.cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "stopped"));
        }
        Ok(observers)
    }

    /// Finishes the file: returns the counts and the writer.
    pub fn finish(self) -> (WriteSummary, W) {
        (WriteSummary { bytes: self.bytes }, self.sink)
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::io("the output", "write it", error)
}

/// The unit that may be written next, and the result so far.
struct CsvTurn<'a> {
    next: usize,
    sink: &'a mut (dyn Write + Send),
    bytes: u64,
    result: Result<()>,
}

/// The state that the writers of a part share.
struct CsvPartWriter<'a, 's> {
    renderer: Renderer<'a>,
    chunks: Vec<Chunk>,
    next: AtomicUsize,
    turn: Mutex<CsvTurn<'s>>,
    changed: Condvar,
    progress: &'a dyn Observer,
}

impl CsvPartWriter<'_, '_> {
    fn work<O: ChunkObserver>(&self, mut observer: O) -> O {
        let mut scratch = RenderScratch::default();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = self.chunks.get(number) else { return observer };
            scratch.out.clear();
            let rows = self.renderer.render(chunk, &mut scratch);
            let seen = observer.chunk(&scratch.out, &scratch.rows);
            let mut turn = self.turn.lock().expect("no writer panics");
            while turn.next != number && turn.result.is_ok() {
                turn = self.changed.wait(turn).expect("no writer panics");
            }
            if turn.result.is_ok() {
                turn.result = seen.and_then(|()| turn.sink.write_all(&scratch.out).map_err(|e| failed(&e)));
                turn.bytes += scratch.out.len() as u64;
                turn.next += 1;
            }
            let stop = turn.result.is_err() || self.progress.cancelled();
            if stop && turn.result.is_ok() {
                turn.result = Err(Error::new(ErrorKind::Cancelled, "stopped"));
            }
            drop(turn);
            self.changed.notify_all();
            self.progress.advance(rows as u64);
            if stop {
                return observer;
            }
        }
    }
}
