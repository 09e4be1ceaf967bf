//! Sources and sinks of klimt: what turns files into tables and tables into files.

pub mod arrow;
pub mod column;
pub mod columnar;
pub mod csv;
pub mod generate;
pub mod room;
pub mod source;
