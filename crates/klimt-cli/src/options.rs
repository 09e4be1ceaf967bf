//! Every flag of the command, in one place: help, completions and the man page are made from it.

use crate::choice::choice;
use crate::commands::compare::args::CompareArgs;
use crate::commands::hierarchy::args::HierarchyCommand;
use crate::commands::index::args::IndexCommand;
use crate::commands::measure::args::LearnArgs;
use crate::commands::query::args::QueryArgs;
use crate::commands::report::args::ReportArgs;
use crate::commands::verify::args::AttackArgs;
use crate::memory::MemoryArgs;
use crate::requirements::RequirementArgs;
use crate::schemes::SchemeArgs;
use crate::search::SearchArgs;
use crate::tree::TreeArgs;
use clap::{Args, Parser, Subcommand};
use klimt::Other;
use klimt_core::Choice;
use klimt_core::algorithm::mondrian::{HierarchyCut, Model};
use klimt_core::recode::StatisticKind;
use klimt_core::region::Extents;
use klimt_core::registry::{self, AlgorithmKind};
use klimt_io::encoding::TextEncoding;

/// Turns a table about people into a table that is safe to publish.
#[derive(Debug, Parser)]
#[command(
    name = "klimt",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    subcommand_required = true,
    after_help = "Examples:\n  klimt inspect patients.csv\n  klimt anonymize patients.csv --qi age,sex,zip --sensitive disease -k 5 -o release.csv\n  klimt verify release.csv --qi age,sex,zip -k 5\n\n`-` stands for standard input or output. Exit codes: 0 done; 1 a check failed or the\nrequirements cannot be met; 2 wrong usage, spec or data; 3 out of a resource; 4 a bug.\n\nA column whose name holds a comma or an equals sign, begins with a quote, or begins or ends with\na blank stands in double quotes, as in CSV: --qi '\"height, cm\",sex' --type '\"a=b\"=integer'."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a table safe to publish, check it, and write it with its certificate
    Anonymize(Box<AnonymizeArgs>),
    /// Check a release from its published file alone
    Verify(VerifyArgs),
    /// Measure what a release costs its users
    Measure(MeasureArgs),
    /// Ask a release what its users will ask, and how far its answers are off
    Query(QueryArgs),
    /// Put algorithms and values of k side by side: risk, loss and time
    Compare(Box<CompareArgs>),
    /// Write a page about a release for those who decide: what is reached, risked and lost
    Report(Box<ReportArgs>),
    /// Look at a table: columns, types, distinct values, risk as it is, suggested roles
    Inspect(InspectArgs),
    /// Write a starter spec for a table
    Init(InitArgs),
    /// Build, check and show hierarchies
    #[command(subcommand)]
    Hierarchy(HierarchyCommand),
    /// Recode other data with a saved recoding function
    Apply(ApplyArgs),
    /// Keep rows that change in a store, and release them again and again
    #[command(subcommand)]
    Index(IndexCommand),
    /// Generate synthetic data
    Generate(GenerateArgs),
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// What the registry offers, for the end of the long help.
pub fn registry_help() -> String {
    let losses: Vec<registry::Entry> = registry::LOSSES.iter().map(|(entry, _)| *entry).collect();
    let mut text = String::from("Requirements:\n");
    for entry in registry::REQUIREMENTS {
        let flag = if entry.flag == "k" { "-k".to_string() } else { format!("--{}", entry.flag) };
        let column = if entry.subject == registry::Subject::QuasiIdentifier { "age=" } else { "" };
        let sample = format!("{flag} {column}{}", entry.sample());
        text.push_str(&format!("  {:<22} {sample:<32} {}\n", entry.id, entry.help));
    }
    text.push('\n');
    text.push_str("Algorithms:\n");
    for (_, id, help) in AlgorithmKind::ALL {
        text.push_str(&format!("  {id:<22} {:<32} {help}\n", format!("--algorithm {id}")));
    }
    text.push('\n');
    let lists = [("Split criteria", registry::SPLITS), ("Losses", &losses[..])];
    for (heading, entries) in lists {
        text.push_str(&format!("{heading}:\n"));
        for entry in entries {
            text.push_str(&format!("  {:<22} {:<32} {}\n", entry.id, entry.flag, entry.help));
        }
        text.push('\n');
    }
    text
}

/// How a text table is written.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input format")]
pub struct FormatArgs {
    /// The character between fields (`tab` for tabs); detected by default
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// The first line holds data; columns are called column1, column2, …
    #[arg(long, conflicts_with = "header")]
    pub no_header: bool,
    /// The first line names the columns, whatever it looks like
    #[arg(long)]
    pub header: bool,
    /// The encoding of the text, such as utf-8, utf-16le, windows-1252 or latin-1; recognised by default
    #[arg(long, value_name = "NAME", value_parser = str::parse::<TextEncoding>)]
    pub encoding: Option<TextEncoding>,
    /// The sheet of a workbook, by its name or its number
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// The file in a zip archive, by its name
    #[arg(long, value_name = "NAME")]
    pub member: Option<String>,
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if text == "tab" || text == "\\t" => Ok(b'\t'),
        [b'"' | b'\n' | b'\r'] => Err("a delimiter is neither a quote nor a line end".to_string()),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("a delimiter is one ASCII character, or `tab`".to_string()),
    }
}

/// What the columns are. Names are read by [`klimt_core::names`]: COLUMNS is a list of them.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Columns")]
pub struct ColumnArgs {
    /// Quasi-identifiers: published generalised. Where columns are equally good, the first of them is cut
    #[arg(long, value_name = "COLUMNS")]
    pub qi: Vec<String>,
    /// Sensitive columns: published as they are, within a group
    #[arg(long, value_name = "COLUMNS")]
    pub sensitive: Vec<String>,
    /// Identifiers: never published
    #[arg(long, value_name = "COLUMNS")]
    pub identifier: Vec<String>,
    /// The column that says whom a row is about, where people have several rows: k and every requirement count people
    #[arg(long, value_name = "COLUMN")]
    pub person: Vec<String>,
    /// Insensitive columns: published as they are
    #[arg(long, value_name = "COLUMNS")]
    pub insensitive: Vec<String>,
    /// Targets: class labels or numbers that splits may look at, published as they are
    #[arg(long, value_name = "COLUMNS")]
    pub target: Vec<String>,
    /// What to do with columns that have no role
    #[arg(long, value_parser = choice::<Other>(), value_name = "WHAT")]
    pub other: Option<Other>,
    /// The type of a column: integer, decimal, date, timestamp, boolean or text; date:%d.%m.%Y with a pattern
    #[arg(long = "type", value_name = "COLUMN=TYPE")]
    pub types: Vec<String>,
    /// The mark before the fraction of a column's numbers, where the values do not tell: , or .
    #[arg(long, value_name = "COLUMN=MARK")]
    pub decimal: Vec<String>,
    /// The order of day, month and year in a column's dates, where the values do not tell: dmy, mdy or ymd
    #[arg(long, value_name = "COLUMN=ORDER")]
    pub date_form: Vec<String>,
    /// What a quasi-identifier ranges over, whether all of it occurs or not: age=0..120 for numbers, dates and timestamps, or
    /// a file with a value per line for categories. A value outside is an error
    #[arg(long, value_name = "COLUMN=A..B|FILE")]
    pub domain: Vec<String>,
    /// Impose an order on a column: a file with a value per line, lowest first
    #[arg(long, value_name = "COLUMN=FILE")]
    pub order: Vec<String>,
    /// The hierarchy of a column: a file with a line per value, then its ever coarser ancestors
    #[arg(long, value_name = "COLUMN=FILE")]
    pub hierarchy: Vec<String>,
    /// How much a column matters; 1 by default
    #[arg(long, value_name = "COLUMN=NUMBER")]
    pub weight: Vec<String>,
    /// A text that stands for a missing value, besides the empty one, in every column or in one; may be given several times
    #[arg(long, value_name = "[COLUMN=]TEXT")]
    pub missing: Vec<String>,
    /// Columns that may have their role although they look like identifiers, or are sets of many texts
    #[arg(long, value_name = "COLUMNS")]
    pub accept: Vec<String>,
}

/// How the risk of being found is told.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Risk")]
pub struct RiskArgs {
    /// The share of the population that the table is a sample of, such as 10%: for estimates of the population
    #[arg(long, value_name = "SHARE")]
    pub sampling_fraction: Option<String>,
    /// The chance of being found above which a row counts as at risk, such as 20%
    #[arg(long, value_name = "SHARE", default_value = "20%")]
    pub risk_threshold: String,
}

/// What every command takes.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "General")]
pub struct GeneralArgs {
    /// Use so many threads; all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Say nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// `klimt anonymize`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Memory: about as much as the input file, in all, where --memory grants that; a larger table goes to\n--temp-dir while it is anonymized. The release, its check and its certificate appear\ntogether; a run that fails or is stopped leaves what was there before."
)]
pub struct AnonymizeArgs {
    /// The table: CSV, TSV (gzip or zstd too), Parquet or Arrow; `-` is standard input
    pub input: Option<String>,
    /// Where the release goes; its name decides the format; `-`, the default, is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// Take settings from a spec; flags win
    #[arg(long, value_name = "FILE")]
    pub spec: Option<String>,
    /// What the columns are.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// What every group must satisfy.
    #[command(flatten)]
    pub requirements: RequirementArgs,
    /// How it is done.
    #[command(flatten)]
    pub method: MethodArgs,
    /// What is asked of a search.
    #[command(flatten)]
    pub search: SearchArgs,
    /// What is asked of the generalization schemes.
    #[command(flatten)]
    pub schemes: SchemeArgs,
    /// What is asked of an R+-tree.
    #[command(flatten)]
    pub tree: TreeArgs,
    /// How much memory may be taken.
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// What is published.
    #[command(flatten)]
    pub publish: PublishArgs,
    /// How the input is written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Print the certificate as JSON
    #[arg(long, help_heading = "General")]
    pub json: bool,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}

/// How groups are found.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// The algorithm that finds the groups
    #[arg(long, value_name = "NAME", value_parser = choice::<AlgorithmKind>())]
    pub algorithm: Option<AlgorithmKind>,
    /// How the next cut is chosen: median, box, box:area, infogain, regression or loss:NAME; infogain:0.01 goes on by the
    /// median where no cut gains so many bits
    #[arg(long, value_name = "CRITERION")]
    pub split: Option<String>,
    /// Queries that the release is for, as SQL or TOML: cuts go where their predicates end and their functions are answered
    /// best, columns that they ask about matter more, and searches, schemes and local recoding minimise --loss queries
    #[arg(long, value_name = "FILE")]
    pub workload: Option<String>,
    /// Whether equal rows stay in one group
    #[arg(long, value_parser = choice::<Model>(), value_name = "MODEL")]
    pub partitioning: Option<Model>,
    /// Where a hierarchy may be cut
    #[arg(long, value_parser = choice::<HierarchyCut>(), value_name = "WHERE")]
    pub hierarchy_cut: Option<HierarchyCut>,
    /// Leave out at most this share of the rows where that saves more than it costs, such as 5%; none by default, or
    /// unlimited
    #[arg(long, value_name = "SHARE")]
    pub suppress: Option<String>,
    /// Shuffle rows within groups by this number; keep it secret. Groups never depend on it
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
}

/// What is published, and how.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Release")]
pub struct PublishArgs {
    /// Publish the smallest intervals that hold a group, or the boundaries of the partition (the default of schemes)
    #[arg(long, value_parser = choice::<Extents>(), value_name = "WHICH")]
    pub extent: Option<Extents>,
    /// Publish statistics beside ordered columns: NAME_min and NAME_max, NAME_mean
    #[arg(long, value_parser = choice::<StatisticKind>(), value_name = "WHICH", value_delimiter = ',')]
    pub statistics: Vec<StatisticKind>,
    /// Keep the order of the rows, which may tell who is who; by default rows stand by group, shuffled
    #[arg(long)]
    pub keep_order: bool,
    /// Save the recoding function for `klimt apply`
    #[arg(long, value_name = "FILE")]
    pub save_recoding: Option<String>,
    /// Save whom each row of the release is about, as pseudonyms, for `klimt verify --people`; it links rows, so keep it private
    #[arg(long, value_name = "FILE")]
    pub save_people: Option<String>,
    /// Where the certificate goes; beside the release by default
    #[arg(long, value_name = "FILE", conflicts_with = "no_certificate")]
    pub certificate: Option<String>,
    /// Write no certificate
    #[arg(long)]
    pub no_certificate: bool,
}

/// What a release is checked against.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Other releases of the table")]
pub struct AgainstArgs {
    /// Releases before this one, newest first: whoever is known to be in several must stay hidden among the rows that the
    /// groups have in common, with the sensitive values of the newest release of these
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub against: Vec<String>,
    /// The column that says which rows of the releases are the same
    #[arg(long, value_name = "COLUMN", value_parser = klimt_core::names::single)]
    pub key: Option<String>,
    /// Rows that joined or left a group between two releases must satisfy the requirements by themselves
    #[arg(long)]
    pub strict: bool,
}

/// `klimt verify`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Memory: with --against, about 60 bytes for every row of every file.")]
pub struct VerifyArgs {
    /// The release
    pub release: String,
    /// What the columns are; only quasi-identifiers and sensitive columns matter.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// Take columns and requirements from a spec; flags win
    #[arg(long, value_name = "FILE")]
    pub spec: Option<String>,
    /// Count people: the file that `klimt anonymize --save-people` wrote with the release
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    pub people: Option<String>,
    /// What the release is said to satisfy.
    #[command(flatten)]
    pub requirements: RequirementArgs,
    /// What the release is checked against.
    #[command(flatten)]
    pub against: AgainstArgs,
    /// How it is attacked.
    #[command(flatten)]
    pub attack: AttackArgs,
    /// How risk is told.
    #[command(flatten)]
    pub risk: RiskArgs,
    /// How the release is written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Read rows that are `*` in every quasi-identifier as suppressed rows, which are not checked: for releases of tools
    /// that publish them so. klimt leaves suppressed rows out
    #[arg(long, conflicts_with = "against")]
    pub stars_are_suppressed: bool,
    /// Show the published values of the smallest groups that hold at least k rows and satisfy every requirement
    #[arg(long)]
    pub show_groups: bool,
    /// Print the findings as JSON
    #[arg(long, help_heading = "General")]
    pub json: bool,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}

/// `klimt measure`.
#[derive(Args, Clone, Debug)]
pub struct MeasureArgs {
    /// The original table, or the release when it is the only file
    pub original: String,
    /// The release
    pub release: Option<String>,
    /// Take columns and requirements from a spec; flags win
    #[arg(long, value_name = "FILE")]
    pub spec: Option<String>,
    /// What the columns of the original are.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// The k that average sizes are compared with.
    #[command(flatten)]
    pub requirements: RequirementArgs,
    /// What is learnt from the release.
    #[command(flatten)]
    pub learning: LearnArgs,
    /// How both files are written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Read rows that are `*` in every quasi-identifier as suppressed rows, which are not checked: for releases of tools
    /// that publish them so. klimt leaves suppressed rows out
    #[arg(long)]
    pub stars_are_suppressed: bool,
    /// Print the losses as JSON
    #[arg(long, help_heading = "General")]
    pub json: bool,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}

/// `klimt inspect`.
#[derive(Args, Clone, Debug)]
pub struct InspectArgs {
    /// The table
    pub input: String,
    /// What the columns are; roles that are not given are suggested.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// How risk is told.
    #[command(flatten)]
    pub risk: RiskArgs,
    /// How the table is written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Print what was found as JSON
    #[arg(long, help_heading = "General")]
    pub json: bool,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}

/// `klimt init`.
#[derive(Args, Clone, Debug)]
pub struct InitArgs {
    /// The table
    pub input: String,
    /// Where the spec goes; it must not exist yet
    #[arg(short, long, value_name = "FILE", default_value = "klimt.toml")]
    pub output: String,
    /// Asks about each column whose role is not given, with a preview of its form; values are not shown
    #[arg(short, long)]
    pub interactive: bool,
    /// What the columns are; roles that are not given are suggested.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// How the table is written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}

/// `klimt apply`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Groups are published as the function's release was: as the boundaries of the saved cuts (region), or as the\nsmallest intervals over their rows (compact). A value that the function does not know is published as *. The result is\nchecked like any release: with the requirements that the recoding function was made for, unless flags say otherwise."
)]
pub struct ApplyArgs {
    /// The saved recoding function
    pub recoding: String,
    /// The table
    pub input: String,
    /// Where the release goes; its name decides the format; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
    /// What the result must satisfy; by default what the recoding function was made for.
    #[command(flatten)]
    pub requirements: RequirementArgs,
    /// Leave out rows in groups that violate a requirement, at most this share of all rows, such as 5%
    #[arg(long, value_name = "SHARE")]
    pub suppress: Option<String>,
    /// Which intervals are published; as in the function's release by default
    #[arg(long, value_parser = choice::<Extents>(), value_name = "WHICH")]
    pub extent: Option<Extents>,
    /// What the other columns are.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// Keep the order of the rows, which may tell who is who
    #[arg(long)]
    pub keep_order: bool,
    /// Shuffle rows within groups by this number; keep it secret
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// How the table is written.
    #[command(flatten)]
    pub format: FormatArgs,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}

/// `klimt generate`.
#[derive(Args, Clone, Debug)]
pub struct GenerateArgs {
    /// Which data: uniform, skewed (discrete, of Mondrian's paper), agrawal (nine attributes, of Rothko's), census and
    /// sales, which stand in for data that cannot be handed on, or hospital, with everything that names a person
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(
        klimt_io::generate::GENERATORS.iter().map(|entry| clap::builder::PossibleValue::new(entry.name).help(entry.help))))]
    pub generator: String,
    /// How many rows
    #[arg(long, value_name = "N")]
    pub rows: u64,
    /// The same seed makes the same data
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// How many attributes (uniform, skewed)
    #[arg(long, value_name = "N")]
    pub attributes: Option<u32>,
    /// How many values an attribute has (uniform, skewed)
    #[arg(long, value_name = "N")]
    pub cardinality: Option<u32>,
    /// The mean of the values (skewed)
    #[arg(long, value_name = "NUMBER")]
    pub mean: Option<f64>,
    /// The standard deviation, relative to half the range: smaller is more skewed (skewed)
    #[arg(long, value_name = "NUMBER")]
    pub sigma: Option<f64>,
    /// The language of names and forms (hospital)
    #[arg(long, value_name = "LANGUAGE", value_parser = choice::<klimt_io::generate::Language>())]
    pub language: Option<klimt_io::generate::Language>,
    /// Where the data goes; its name decides the format; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: String,
    /// The character between fields of CSV
    #[arg(long, value_name = "CHAR", value_parser = delimiter, default_value = ",")]
    pub delimiter: u8,
    /// General flags.
    #[command(flatten)]
    pub general: GeneralArgs,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use klimt::options::OPTIONS;
    use klimt::settings::flags;
    use std::collections::BTreeSet;

    fn known() -> BTreeSet<&'static str> {
        OPTIONS.iter().map(|option| option.flag).chain(flags()).collect()
    }

    #[test]
    fn the_table_knows_every_flag_and_no_other() {
        let command = Cli::command();
        let anonymize = command.find_subcommand("anonymize").unwrap();
        let flags: BTreeSet<&str> = anonymize
            .get_arguments()
            .filter_map(|arg| arg.get_long())
            .filter(|flag| *flag != "help")
            .collect();
        let flags = flags.into_iter().filter(|flag| *flag != "version").collect::<BTreeSet<_>>();
        let known = known();
        let unknown: Vec<_> = flags.difference(&known).collect();
        assert!(
            unknown.is_empty(),
            "say in crates/klimt/src/options/table.rs what these have an effect on: {unknown:?}"
        );
        let gone: Vec<_> = known.difference(&flags).collect();
        assert!(gone.is_empty(), "there are no such flags: {gone:?}");
    }
}
