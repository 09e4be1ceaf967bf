//! The `klimt` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    klimt_cli::main()
}
