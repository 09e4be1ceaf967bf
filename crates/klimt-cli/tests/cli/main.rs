//! The command, as a user runs it.

mod budget;
mod commands;
mod common;
mod errors;
mod external;
mod killed;
mod local;
mod privacy;
mod reference;
mod release;
mod requirements;
mod risk;
mod scheme;
mod scheme_limits;
mod search;
