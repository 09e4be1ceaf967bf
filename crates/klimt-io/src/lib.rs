//! Sources and sinks of klimt: what turns files into tables and tables into files.

#[cfg(feature = "workbook")]
mod archive;
pub mod arrow;
pub mod column;
pub mod columnar;
pub mod csv;
pub mod encoding;
pub mod form;
pub mod generate;
pub mod origin;
pub mod room;
pub mod source;
#[cfg(feature = "workbook")]
mod workbook;
