//! Measures how fast a release is verified, on one thread: `cargo run --release --example scan_speed [ROWS]`.
//!
//! The release has rows of about 90 bytes and 13 rows per group, ordered by group as klimt writes them and in
//! random order, with the quasi-identifiers in front and scattered, and given in chunks as the engine does.

use klimt_core::Result;
use klimt_io::csv::Dialect;
use klimt_verify::{
    Findings, Question, Tally,
    csv::{Layout, scan},
};
use std::{
    fmt::Write,
    time::{Duration, Instant},
};

const ROUNDS: usize = 7;
const ROWS_PER_GROUP: usize = 13;
const CHUNK: usize = 1 << 18;
/// The column with few values, to be counted as a sensitive one.
const DISEASE: usize = 6;
const SCATTERED: [usize; 5] = [0, 1, 3, 5, 8];

/// A row's fields: five quasi-identifiers (at the given positions) and four others.
fn row(group: usize, number: usize, positions: &[usize]) -> String {
    let (low, zip) = (group % 97, group / 97);
    let mut values = [
        format!("[{low}..{}]", low + 7),
        ["Male", "Female"][group % 2].to_string(),
        format!("{{Divorced|Widowed{}}}", group % 5),
        format!("[{}..{}]", zip * 10, zip * 10 + 9),
        ["Europe", "Asia", "Africa"][group % 3].to_string(),
    ]
    .into_iter();
    let mut line = String::new();
    for column in 0..9 {
        let separator = if column == 0 { "" } else { "," };
        if positions.contains(&column) {
            write!(line, "{separator}{}", values.next().unwrap_or_default()).unwrap_or_default();
        } else {
            let other = if column == DISEASE { 1_000_000 + number % 20 } else { number * 7919 % 10_000_000 };
            write!(line, "{separator}{other:07}").unwrap_or_default();
        }
    }
    line.push('\n');
    line
}

/// The release in chunks of whole rows; `stride` steps through the rows, 1 in the order of the groups.
fn release(rows: usize, positions: &[usize], stride: usize) -> Vec<Vec<u8>> {
    let mut chunks = vec![Vec::with_capacity(CHUNK)];
    for step in 0..rows {
        let number = step * stride % rows;
        let line = row(number / ROWS_PER_GROUP, number, positions);
        if chunks[chunks.len() - 1].len() + line.len() > CHUNK {
            chunks.push(Vec::with_capacity(CHUNK));
        }
        chunks.last_mut().into_iter().for_each(|chunk| chunk.extend_from_slice(line.as_bytes()));
    }
    chunks
}

/// Prints the speed. Each chunk counts with the least time that it took in several rounds, so that other work on
/// the machine does not.
fn measure(name: &str, chunks: &[Vec<u8>], positions: &[usize], sensitive: &[usize]) -> Result<()> {
    let layout =
        Layout::new(9, positions.to_vec(), Dialect::default())?.with_sensitive(sensitive.to_vec())?;
    let names = ["a", "b", "c", "d", "e"];
    let mut times = vec![Duration::MAX; chunks.len()];
    let mut buffer = Vec::with_capacity(CHUNK);
    let mut groups = 0;
    for _ in 0..ROUNDS {
        let mut tally = Tally::new(&names, &names[..sensitive.len()]);
        for (chunk, time) in chunks.iter().zip(&mut times) {
            // A chunk that was just written is in the cache.
            buffer.clear();
            buffer.extend_from_slice(chunk);
            let start = Instant::now();
            scan(&layout, &buffer, &mut tally)?;
            *time = start.elapsed().min(*time);
        }
        groups = Findings::new(&tally, &Question::default())?.groups;
    }
    let bytes: usize = chunks.iter().map(Vec::len).sum();
    let seconds = times.iter().sum::<Duration>().as_secs_f64();
    println!("{name:<34} {:6.2} GB/s  ({bytes} bytes, {groups} groups)", bytes as f64 / seconds / 1e9);
    Ok(())
}

fn main() -> Result<()> {
    let rows = std::env::args().nth(1).and_then(|rows| rows.parse().ok()).unwrap_or(1_300_000);
    let front = [0, 1, 2, 3, 4];
    let ordered = release(rows, &front, 1);
    measure("by group, in front", &ordered, &front, &[])?;
    measure("by group, in front, one sensitive", &ordered, &front, &[DISEASE])?;
    measure("by group, scattered", &release(rows, &SCATTERED, 1), &SCATTERED, &[])?;
    measure("unordered, in front", &release(rows, &front, 15_485_863), &front, &[])
}
