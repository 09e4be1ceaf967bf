//! The flags of `klimt index`.

use crate::choice::choice;
use crate::memory::MemoryArgs;
use crate::options::{ColumnArgs, FormatArgs, GeneralArgs};
use crate::requirements::RequirementArgs;
use clap::{Args, Subcommand};
use klimt_core::algorithm::rtree::LeafGrouping;

/// What is done with a store.
#[derive(Debug, Subcommand)]
pub enum IndexCommand {
    /// Make a store for rows like those of a file
    Create(Box<CreateArgs>),
    /// Take in the rows of a file, whose keys are new
    Insert(BatchArgs),
    /// Replace the rows that have the keys of a file
    Update(BatchArgs),
    /// Remove the rows that have the keys of a file
    Delete(BatchArgs),
    /// Tell what a store holds, and what was released from it
    Status(StatusArgs),
    /// Publish the rows of a store at a granularity, checked against every earlier release
    Release(ReleaseArgs),
    /// Give room back; before the first release, also build the index anew and forget values that are gone
    Compact(CompactArgs),
}

/// `klimt index create`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "The store is a folder that only you may read. It holds the rows, but of keys only keyed hashes;\nits secret lies in it, too: keep it as you keep the rows. Nothing of the file is taken in but\ncolumns and types: klimt index insert does that."
)]
pub struct CreateArgs {
    /// The store: a new folder
    pub store: String,
    /// A file with the columns and types that batches will have
    #[arg(long, value_name = "FILE")]
    pub like: String,
    /// The column that tells rows apart, such as a patient number: never published, kept as a keyed hash
    #[arg(long, value_name = "COLUMN", value_parser = klimt_core::names::single)]
    pub key: String,
    /// Take columns and requirements from a spec; flags win
    #[arg(long, value_name = "FILE")]
    pub spec: Option<String>,
    /// What the columns are.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// What every group must satisfy; -k is the base k, the least that can be released.
    #[command(flatten)]
    pub requirements: RequirementArgs,
    /// The quasi-identifiers that are cut before all others, because queries are about them
    #[arg(long, value_name = "COLUMNS")]
    pub prefer: Vec<String>,
    /// Split a leaf when it has so many times the rows that a group needs; 2 by default
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u64).range(2..))]
    pub leaf_capacity: Option<u64>,
    /// How the file is written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}

/// `klimt index insert`, `update` and `delete`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "All rows of the file, or none: a run that fails or is stopped changes nothing.")]
pub struct BatchArgs {
    /// The store
    pub store: String,
    /// The rows: CSV, TSV (gzip or zstd too), Parquet or Arrow; `-` is standard input. Of a file for `delete`, only the key
    /// is looked at
    pub file: String,
    /// Columns that may be taken in although they look like identifiers, or are sets of many texts; looked at when the first
    /// rows are taken in
    #[arg(long, value_name = "COLUMNS", help_heading = "Columns")]
    pub accept: Vec<String>,
    /// How much memory may be taken.
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// How the file is written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}

/// `klimt index status`.
#[derive(Args, Clone, Debug)]
pub struct StatusArgs {
    /// The store
    pub store: String,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

/// `klimt index compact`.
#[derive(Args, Clone, Debug)]
pub struct CompactArgs {
    /// The store
    pub store: String,
    /// How much memory may be taken.
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}

/// `klimt index release`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Every earlier release of the store counts: a row that was released before must be hidden among the\nbase k rows (and satisfy every other requirement) even from somebody who has all releases, and so\nmust those who joined or left since an earlier release, among those who joined or left with them.\nWhere that cannot be, the release is refused, or rows are held back. The release is entered in the\nledger before its file appears."
)]
pub struct ReleaseArgs {
    /// The store
    pub store: String,
    /// Where the release goes; its name decides the format; `-`, the default, is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
    /// The granularity: every group holds at least so many rows; the base k of the store by default
    #[arg(short, value_name = "K")]
    pub k: Option<u64>,
    /// How groups are made of leaves
    #[arg(long, value_parser = choice::<LeafGrouping>(), value_name = "WAY", default_value = "leaf-scan")]
    pub by: LeafGrouping,
    /// Whom the release is for, as the ledger will say
    #[arg(long, value_name = "NAME", default_value = "everybody")]
    pub audience: String,
    /// Keep rows out of the release that would not be safe beside earlier releases, until they are
    #[arg(long)]
    pub hold_back: bool,
    /// Allow differences to earlier releases that tell who joined or left: only where nobody gets both. The certificate and
    /// the ledger say so
    #[arg(long)]
    pub allow_differences: bool,
    /// Shuffle rows within groups by this number; keep it secret
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Where the certificate goes; beside the release by default
    #[arg(long, value_name = "FILE", conflicts_with = "no_certificate")]
    pub certificate: Option<String>,
    /// Write no certificate
    #[arg(long)]
    pub no_certificate: bool,
    /// Keep to so much memory, such as 256MB; half of what is free by default
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Print the certificate as JSON
    #[arg(long, help_heading = "General")]
    pub json: bool,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}
