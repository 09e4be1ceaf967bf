//! Generates synthetic tables: those that the papers measured their algorithms on, and an extract of an invented hospital.
//!
//! ```
//! use klimt::generate::{Parameters, generate};
//! use klimt::prelude::*;
//!
//! # let folder = std::env::temp_dir().join(format!("klimt-generate-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let path = folder.join("people.csv");
//! generate("agrawal", &Parameters::new(1000, 1), &Output::file(&path)?)?;
//! let columns = Anonymizer::new().quasi_identifiers(["age"]);
//! assert_eq!(klimt::inspect(Input::file(&path)?, &columns)?.rows, 1000);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), klimt::Error>(())
//! ```

pub use klimt_io::generate::{GENERATORS, Language, Parameters};

use crate::files::Staged;
use crate::observer::{Stage, Unobserved, Watched};
use crate::output::Output;
use crate::run::Sink;
use klimt_core::job::Observer;
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::columnar::{OutputFormat, write_generated};
use klimt_io::generate::{Generator, build, write_csv};
use std::cell::Cell;
use std::io::{self, Write};

/// Writes the table of a generator of [`GENERATORS`]. The same parameters make the same table.
pub fn generate(generator: &str, parameters: &Parameters, output: &Output) -> Result<()> {
    GenerateRequest::new(generator, parameters)?.run(output, &Watched::by(&Unobserved))
}

/// A table that is to be generated.
pub struct GenerateRequest {
    generator: Box<dyn Generator>,
    delimiter: u8,
}

impl GenerateRequest {
    /// The table of a generator, with its parameters checked.
    pub fn new(generator: &str, parameters: &Parameters) -> Result<Self> {
        Ok(GenerateRequest { generator: build(generator, parameters)?, delimiter: b',' })
    }

    /// The character between the fields of CSV.
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = delimiter;
        self
    }

    /// Writes the table. Invented rows need no check, so standard output streams at once; a file appears whole.
    pub fn run(&self, output: &Output, watched: &Watched<'_>) -> Result<()> {
        let stage = watched.stage(Stage::Generating, Some(self.generator.rows()));
        let written = Cell::new(0);
        let advance = |rows: u64| {
            stage.advance(rows - written.get());
            written.set(rows);
        };
        let failed = |error: &io::Error| match stage.cancelled() {
            true => Error::new(ErrorKind::Cancelled, "stopped"),
            false => Error::io(output.name(), "write it", error),
        };
        if output.is_stdout() {
            let mut stdout = io::stdout().lock();
            return self.write_text(&mut stdout, &stage, &advance).map_err(|e| failed(&e));
        }
        let staged = Staged::create(output.name())?;
        match output.format()? {
            OutputFormat::Text { compression, .. } => {
                let file = staged.file().try_clone().map_err(|e| failed(&e))?;
                let mut sink = Sink::new(file, compression).map_err(|e| failed(&e))?;
                self.write_text(&mut sink, &stage, &advance).map_err(|e| failed(&e))?;
                sink.finish().map_err(|e| failed(&e))?;
            }
            OutputFormat::Columnar(format) => {
                let mut file = Stoppable { sink: staged.file(), stage: &stage };
                write_generated(&*self.generator, format, &mut file, &advance)?;
            }
        }
        staged.publish()
    }

    fn write_text(&self, sink: impl Write, stage: &dyn Observer, advance: &dyn Fn(u64)) -> io::Result<()> {
        let mut sink = Stoppable { sink, stage };
        let threads = rayon::current_num_threads();
        write_csv(&*self.generator, threads, self.delimiter, true, &mut sink, advance)
    }
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
