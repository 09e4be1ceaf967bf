//! `klimt generate`: synthetic data of the papers, as much as is wanted.

use super::threads;
use crate::options::GenerateArgs;
use crate::progress::Progress;
use klimt::Stage;
use klimt::files::Staged;
use klimt::run::Sink;
use klimt_core::job::Observer;
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::columnar::{OutputFormat, write_generated};
use klimt_io::generate::{Parameters, build, write_csv};
use std::io::{self, Write};

/// Runs the command.
pub fn run(args: &GenerateArgs) -> Result<()> {
    let parameters = Parameters {
        rows: args.rows,
        seed: args.seed,
        attributes: args.attributes,
        cardinality: args.cardinality,
        mean: args.mean,
        sigma: args.sigma,
    };
    let generator = build(&args.generator, &parameters)?;
    let threads = threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let watched = progress.watched();
    let stage = watched.stage(Stage::Generating, Some(args.rows));
    // Invented rows need no check, so standard output streams at once.
    let staged = if args.output == "-" { None } else { Some(Staged::create(&args.output)?) };
    let done = std::cell::Cell::new(0);
    let advance = |rows: u64| {
        stage.advance(rows - done.get());
        done.set(rows);
    };
    let mut stdout = io::stdout().lock();
    let failed = |error: &io::Error| {
        if stage.cancelled() {
            return Error::new(ErrorKind::Cancelled, "stopped");
        }
        Error::io(&args.output, "write it", error)
    };
    match (&staged, OutputFormat::of(&args.output)?) {
        (Some(staged), OutputFormat::Text { compression, .. }) => {
            let file = staged.file().try_clone().map_err(|e| failed(&e))?;
            let sink = Sink::new(file, compression).map_err(|e| failed(&e))?;
            let mut sink = Stoppable { sink, stage: &stage };
            write_csv(&*generator, threads, args.delimiter, true, &mut sink, &advance)
                .map_err(|e| failed(&e))?;
            sink.sink.finish().map_err(|e| failed(&e))?;
        }
        (Some(staged), OutputFormat::Columnar(format)) => {
            let mut file = Stoppable { sink: staged.file(), stage: &stage };
            write_generated(&*generator, format, &mut file, &advance)?;
        }
        (None, _) => {
            let mut sink = Stoppable { sink: &mut stdout, stage: &stage };
            write_csv(&*generator, threads, args.delimiter, true, &mut sink, &advance)
                .map_err(|e| failed(&e))?;
        }
    }
    staged.map_or(Ok(()), Staged::publish)
}

/// A sink that fails when the user asks to stop.
struct Stoppable<'a, W> {
    sink: W,
    stage: &'a dyn Observer,
}

impl<W: Write> Write for Stoppable<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stage.cancelled() {
            return Err(io::Error::other("stopped"));
        }
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
