//! The `klimt` command: flags, progress and printing, one file per subcommand.

mod choice;
mod columns;
mod command_line;
mod commands;
mod give_back;
mod hand_over;
mod memory;
mod options;
mod progress;
mod requirements;
mod risk;
mod schemes;
mod search;
mod supervisor;
mod terminal;
mod tree;

use clap::{CommandFactory, FromArgMatches};
use klimt_core::ErrorKind;
use std::process::ExitCode;
use std::sync::Mutex;

/// Runs the command with the arguments of the process.
pub fn main() -> ExitCode {
    // What a panic says may hold a value of the table; where it happened does not. Panics of libraries over damaged
    // files are caught and told as such, so nothing is printed here.
    std::panic::set_hook(Box::new(|panic| {
        if let (Some(place), Ok(mut last)) = (panic.location(), LAST_PANIC.lock()) {
            *last = format!(" at {}:{}", place.file(), place.line());
        }
    }));
    std::panic::catch_unwind(run).unwrap_or_else(|_| {
        let place = LAST_PANIC.lock().map_or(String::new(), |last| last.clone());
        terminal::report(&klimt_core::Error::internal(format!("klimt stopped{place}")));
        ExitCode::from(4)
    })
}

/// Where the last panic happened.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

fn run() -> ExitCode {
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
    let done = commands::run(cli);
    supervisor::leave();
    match done {
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
