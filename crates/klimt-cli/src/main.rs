//! The `klimt` command: one file per subcommand.

mod certificate;
mod columns;
mod commands;
mod options;
mod output;
mod progress;
mod publish;
mod settings;
mod spec;
mod suggest;
mod terminal;

use clap::{CommandFactory, FromArgMatches};
use klimt::ErrorKind;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = options::Cli::command().after_long_help(options::registry_help());
    let cli = match command.try_get_matches().and_then(|matches| options::Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            // Help that nobody reads to the end is no failure.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let code = match error.kind() {
                ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
                ErrorKind::Unsatisfied => 1,
                ErrorKind::Input => 2,
                ErrorKind::Resource => 3,
                ErrorKind::Cancelled => 130,
                _ => 4,
            };
            terminal::report(&error);
            ExitCode::from(code)
        }
    }
}
