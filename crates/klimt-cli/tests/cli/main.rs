//! The command, as a user runs it.

mod against;
mod attack;
mod browser;
mod budget;
mod commands;
mod common;
mod compare;
mod errors;
mod external;
mod index;
mod killed;
mod learning;
mod local;
mod privacy;
mod query;
mod reference;
mod release;
mod report;
mod requirements;
mod risk;
mod rtree;
mod scheme;
mod scheme_limits;
mod search;
