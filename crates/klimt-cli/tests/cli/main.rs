//! The command, as a user runs it.

mod commands;
mod common;
mod errors;
mod killed;
mod release;
mod risk;
