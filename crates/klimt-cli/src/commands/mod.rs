//! The subcommands, one file each.

mod anonymize;
mod apply;
pub mod compare;
mod generate;
pub mod hierarchy;
pub mod index;
mod init;
mod inspect;
pub mod measure;
pub mod query;
pub mod report;
pub mod verify;

use crate::options::{Cli, Command, GeneralArgs};
use crate::terminal::print;
use clap::CommandFactory;
use klimt_core::{Error, Result};

/// Runs what the command line asks for.
pub fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Command::Anonymize(args) => anonymize::run(*args),
        Command::Verify(args) => verify::run(&args),
        Command::Measure(args) => measure::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Hierarchy(command) => hierarchy::run(command),
        Command::Apply(args) => apply::run(&args),
        Command::Index(command) => index::run(&command),
        Command::Generate(args) => generate::run(&args),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "klimt", &mut text);
            print(&String::from_utf8_lossy(&text))
        }
        Command::Man => print(&manual()?),
    }
}

/// The manual: the page of the command, then those of its subcommands.
fn manual() -> Result<String> {
    let mut text = Vec::new();
    let mut command = Cli::command().after_long_help(crate::options::registry_help());
    command.build();
    let mut pages = vec![command.clone()];
    pages.extend(command.get_subcommands().filter(|sub| sub.get_name() != "help").cloned());
    for page in pages {
        clap_mangen::Man::new(page)
            .render(&mut text)
            .map_err(|e| Error::internal(format!("the manual cannot be made: {e}")))?;
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The stack of a thread of the pool. Parts are cut, and trees of cuts walked, by recursion with small frames, which goes as deep
/// as there are cuts above a group. Only what is used of a stack takes memory.
const STACK: usize = 16 << 20;

/// The number of threads, for readers and writers and for the pool that partitions.
pub fn threads(general: &GeneralArgs) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = general.threads.map_or(cores, usize::from);
    // A pool that exists already (there is one per process) was made with the same number.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build_global();
    threads
}
