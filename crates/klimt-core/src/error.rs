//! The one error type of klimt.
//!
//! A message says what is wrong and where (file, line, column), remedies say what to do. Neither ever holds a cell value:
//! a log must not tell anything about a person. Both mention options by [`crate::words`], so that each front end writes
//! them in its own words.

use crate::algorithm::kind::AlgorithmKind;
use crate::role::Role;
use crate::words::{Words, amount_up, column_option, option_is};
use std::fmt;
use std::sync::Arc;

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A check failed, or no release can meet the requirements.
    Unsatisfied,
    /// Wrong usage, a wrong spec or unusable data.
    Input,
    /// Out of a resource: disk, memory, time.
    Resource,
    /// A bug of klimt.
    Internal,
    /// The user asked to stop.
    Cancelled,
    /// The reader of the output went away.
    BrokenPipe,
}

/// A remedy of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Grant the run at least this many bytes of memory.
    RaiseMemory(usize),
    /// Give a column another role.
    GiveRole {
        /// The column.
        column: String,
        /// The role.
        role: Role,
    },
    /// Take another algorithm.
    UseAlgorithm(AlgorithmKind),
    /// Set an option.
    SetOption {
        /// Its name, as in a spec.
        option: &'static str,
        /// The column that it is about, where it is about one.
        column: Option<String>,
        /// The value to set it to, where that is known.
        value: Option<String>,
    },
    /// Anything else, in a sentence.
    Advice(String),
}

impl Remedy {
    /// Sets an option of a column.
    pub fn of_column(option: &'static str, column: &str, value: Option<&str>) -> Self {
        let (column, value) = (Some(column.to_string()), value.map(str::to_string));
        Remedy::SetOption { option, column, value }
    }

    /// The remedy in the words of a front end.
    pub fn worded(&self, words: Words) -> String {
        words.render(&match self {
            Remedy::RaiseMemory(bytes) => format!("{} would do", option_is("memory", amount_up(*bytes))),
            Remedy::GiveRole { column, role } => column_option(flag_of(*role), column, None),
            Remedy::UseAlgorithm(algorithm) => option_is("algorithm", algorithm.to_string()),
            Remedy::SetOption { option, column: Some(column), value } => {
                column_option(option, column, value.as_deref())
            }
            Remedy::SetOption { option, column: None, value: Some(value) } => option_is(option, value),
            Remedy::SetOption { option, column: None, value: None } => crate::words::option(option),
            Remedy::Advice(text) => text.clone(),
        })
    }
}

/// The option that gives a role.
fn flag_of(role: Role) -> &'static str {
    match role {
        Role::QuasiIdentifier => "qi",
        other => other.name(),
    }
}

impl From<String> for Remedy {
    fn from(text: String) -> Self {
        Remedy::Advice(text)
    }
}

impl From<&str> for Remedy {
    fn from(text: &str) -> Self {
        Remedy::Advice(text.to_string())
    }
}

/// An error with its kind, its message, what can be done, and what caused it.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    remedies: Vec<Remedy>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// The result type of klimt.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of the given kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), remedies: Vec::new(), source: None }
    }

    /// A mistake in usage, spec or data.
    pub fn input(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Input, message)
    }

    /// A requirement or claim that does not hold.
    pub fn unsatisfied(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Unsatisfied, message)
    }

    /// An exhausted resource.
    pub fn resource(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Resource, message)
    }

    /// A broken promise of our own code.
    pub fn internal(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Internal, message)
    }

    /// Several problems of one kind as one error, a line each; `None` when there are none.
    pub fn all(kind: ErrorKind, mut problems: Vec<String>) -> Option<Self> {
        match problems.len() {
            0 => None,
            1 => Some(Error::new(kind, problems.remove(0))),
            n => Some(Error::new(kind, format!("{n} problems:\n  - {}", problems.join("\n  - ")))),
        }
    }

    /// An error of the operating system on `path`; a full disk and a broken pipe get their own kinds.
    pub fn io(path: &str, doing: &str, error: &std::io::Error) -> Self {
        use std::io::ErrorKind as Io;
        let kind = match error.kind() {
            Io::BrokenPipe => ErrorKind::BrokenPipe,
            Io::StorageFull | Io::QuotaExceeded | Io::FileTooLarge | Io::OutOfMemory => ErrorKind::Resource,
            _ => ErrorKind::Input,
        };
        let reason = match error.kind() {
            Io::NotFound => "no such file or folder".to_string(),
            Io::PermissionDenied => "permission denied".to_string(),
            Io::StorageFull => "no space left on the disk".to_string(),
            Io::IsADirectory => "it is a folder".to_string(),
            _ => error.to_string(),
        };
        let source = match error.raw_os_error() {
            Some(code) => std::io::Error::from_raw_os_error(code),
            None => std::io::Error::new(error.kind(), error.to_string()),
        };
        let made = Error {
            source: Some(Arc::new(source)),
            ..Error::new(kind, format!("{path}: cannot {doing}: {reason}"))
        };
        if kind == ErrorKind::Resource {
            made.with_help("free some space or write to another disk")
        } else {
            made
        }
    }

    /// Adds something that can be done.
    #[must_use]
    pub fn with_help(mut self, remedy: impl Into<Remedy>) -> Self {
        self.remedies.push(remedy.into());
        self
    }

    /// The same error with another message.
    #[must_use]
    pub fn with_message(self, message: impl Into<String>) -> Self {
        Error { message: message.into(), ..self }
    }

    /// Whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The problem and its place; options are marked as in [`crate::words`].
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The problem and its place, in the words of a front end.
    pub fn worded(&self, words: Words) -> String {
        words.render(&self.message)
    }

    /// The remedies, in the words of a front end.
    pub fn help(&self, words: Words) -> Vec<String> {
        self.remedies.iter().map(|remedy| remedy.worded(words)).collect()
    }

    /// The remedies.
    pub fn remedies(&self) -> &[Remedy] {
        &self.remedies
    }
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, &self.message, &self.remedies) == (other.kind, &other.message, &other.remedies)
    }
}

impl Eq for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(Words::Plain))?;
        self.remedies.iter().try_for_each(|remedy| write!(f, "\n  help: {}", remedy.worded(Words::Plain)))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
