//! The one error type of klimt.
//!
//! A message says what is wrong, where (file, line, column) and what to do. It never holds a cell value:
//! whoever reads a log must not learn anything about a person from it.

use std::fmt;

/// Whose fault an error is; decides the exit code of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A check failed, or the requirements cannot be met by any release (exit code 1).
    Unsatisfied,
    /// Wrong usage, a wrong spec or unusable data (exit code 2).
    Input,
    /// Out of a resource: disk, memory, time (exit code 3).
    Resource,
    /// A bug of ours (exit code 4).
    Internal,
    /// The user asked to stop (exit code 130).
    Cancelled,
    /// The reader of our output went away (quiet, exit code 0).
    BrokenPipe,
}

/// An error with its kind, its message and optional lines of help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    help: Vec<String>,
}

/// The result type of klimt.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of the given kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), help: Vec::new() }
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
        let made = Error::new(kind, format!("{path}: cannot {doing}: {reason}"));
        if kind == ErrorKind::Resource {
            made.with_help("free some space or write to another disk")
        } else {
            made
        }
    }

    /// Adds a line of help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What is wrong and where.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn help(&self) -> &[String] {
        &self.help
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help.iter().try_for_each(|line| write!(f, "\n  help: {line}"))
    }
}

impl std::error::Error for Error {}
