//! A generated table as CSV text, made on several threads and written in order.

use super::{GeneratedBlock, Generator};
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// Blocks of text that a thread may be ahead of the sink.
const AHEAD: usize = 2;

/// Writes the whole table as CSV, in blocks made on `threads` threads (0 counts as 1).
///
/// The text depends neither on the number of threads nor on their timing. At most four blocks per thread are
/// in memory. After each block `progress` receives the number of rows written so far, on the calling thread. A
/// delimiter that could be part of a field is refused as [`io::ErrorKind::InvalidInput`].
pub fn write_csv(
    generator: &dyn Generator,
    threads: usize,
    delimiter: u8,
    header: bool,
    sink: &mut dyn Write,
    progress: &dyn Fn(u64),
) -> io::Result<()> {
    check_delimiter(delimiter)?;
    if header {
        sink.write_all(&header_line(generator, delimiter))?;
    }
    let blocks = generator.blocks();
    let workers = (threads.max(1) as u64).min(blocks);
    thread::scope(|scope| {
        // An early return drops the lanes, which ends their threads at their next block.
        let mut lanes = Vec::new();
        for first in 0..workers {
            let (lane, worker) = lane();
            let indices = (first..blocks).step_by(workers as usize);
            thread::Builder::new().spawn_scoped(scope, move || worker.run(generator, indices, delimiter))?;
            lanes.push(lane);
        }
        let mut written = 0;
        for index in 0..blocks {
            let lane = &lanes[(index % workers) as usize];
            let text = lane.filled.recv().map_err(|_| io::Error::other("a generator thread ended early"))?;
            sink.write_all(&text)?;
            written += generator.rows_in_block(index) as u64;
            progress(written);
            // A thread that has made its last block takes no text back.
            lane.emptied.send(text).ok();
        }
        sink.flush()
    })
}

/// The sink's side of one thread: texts come filled, in the order of the thread's blocks, and go back for
/// reuse.
struct Lane {
    filled: Receiver<Vec<u8>>,
    emptied: Sender<Vec<u8>>,
}

/// The thread's side of a [`Lane`].
struct Worker {
    filled: SyncSender<Vec<u8>>,
    emptied: Receiver<Vec<u8>>,
}

fn lane() -> (Lane, Worker) {
    let (filled, from_worker) = sync_channel(AHEAD);
    let (emptied, from_sink) = channel();
    (Lane { filled: from_worker, emptied }, Worker { filled, emptied: from_sink })
}

impl Worker {
    /// Makes these blocks, until done or until the receiver is gone.
    fn run(self, generator: &dyn Generator, indices: impl Iterator<Item = u64>, delimiter: u8) {
        let mut block = GeneratedBlock::default();
        for index in indices {
            let mut text = self.emptied.try_recv().unwrap_or_default();
            text.clear();
            generator.block(index, &mut block);
            block.write_csv(delimiter, &mut text);
            if self.filled.send(text).is_err() {
                return;
            }
        }
    }
}

/// Numbers, words and names of columns are never quoted, so the delimiter must be a byte that is in none of them.
fn check_delimiter(delimiter: u8) -> io::Result<()> {
    let in_fields = delimiter.is_ascii_alphanumeric() || matches!(delimiter, b'-' | b'.' | b'_');
    if in_fields || !delimiter.is_ascii() || matches!(delimiter, b'"' | b'\r' | b'\n') {
        let message = "the delimiter must be an ASCII character other than a letter, a digit, '-', '.', '_', \
                       a quote or a line end";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(())
}

fn header_line(generator: &dyn Generator, delimiter: u8) -> Vec<u8> {
    let names: Vec<Vec<u8>> =
        generator.columns().into_iter().map(|column| column.name.into_bytes()).collect();
    let mut line = names.join(&delimiter);
    line.push(b'\n');
    line
}
