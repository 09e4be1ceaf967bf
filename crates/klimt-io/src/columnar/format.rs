//! The format of an output, by its name.

use crate::source::Compression;
use klimt_core::{Error, Result};

/// A format that stores columns side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnarFormat {
    /// Parquet, compressed with Zstandard.
    #[cfg(feature = "parquet")]
    Parquet,
    /// The Arrow IPC file format, also known as Feather version 2, compressed with LZ4.
    ArrowFile,
    /// The Arrow IPC stream format, not compressed.
    ArrowStream,
}

impl ColumnarFormat {
    /// Whether it is Parquet.
    pub fn is_parquet(self) -> bool {
        match self {
            #[cfg(feature = "parquet")]
            ColumnarFormat::Parquet => true,
            ColumnarFormat::ArrowFile | ColumnarFormat::ArrowStream => false,
        }
    }

    /// The format Parquet, where klimt was built with it.
    #[cfg(feature = "parquet")]
    fn parquet(_: &str) -> Result<Self> {
        Ok(ColumnarFormat::Parquet)
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet(path: &str) -> Result<Self> {
        Err(without_parquet(path))
    }
}

/// The error of a build without Parquet.
#[cfg(not(feature = "parquet"))]
pub fn without_parquet(path: &str) -> Error {
    Error::input(format!("{path}: this klimt was built without Parquet"))
        .with_help("build klimt with the feature parquet, or use CSV or Arrow")
}

/// The error of a build without workbooks and archives.
#[cfg(not(feature = "workbook"))]
pub fn without_workbooks(path: &str) -> Error {
    Error::input(format!("{path}: this klimt was built without workbooks and zip archives"))
        .with_help("build klimt with the feature workbook, or use CSV")
}

/// The format of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// Separated text.
    Text {
        /// Whether fields are separated by tabs.
        tabs: bool,
        /// How the text is compressed.
        compression: Compression,
    },
    /// Columns side by side.
    Columnar(ColumnarFormat),
}

impl OutputFormat {
    /// The format that the name of a file asks for: CSV unless it says otherwise.
    pub fn of(path: &str) -> Result<OutputFormat> {
        let name = path.to_ascii_lowercase();
        let (stem, compression) = match name.rsplit_once('.') {
            Some((stem, "gz")) => (stem, Compression::Gzip),
            Some((stem, "zst")) => (stem, Compression::Zstd),
            _ => (name.as_str(), Compression::None),
        };
        let extension = stem.rsplit_once('.').map_or("", |(_, extension)| extension);
        let format = match extension {
            "parquet" | "pq" => ColumnarFormat::parquet(path)?,
            "arrow" | "feather" | "ipc" => ColumnarFormat::ArrowFile,
            "arrows" => ColumnarFormat::ArrowStream,
            _ => return Ok(OutputFormat::Text { tabs: extension == "tsv", compression }),
        };
        if compression != Compression::None {
            return Err(Error::input(format!("{path}: only text is written in gzip or Zstandard"))
                .with_help(format!("leave the ending away: {}", &path[..stem.len()])));
        }
        Ok(OutputFormat::Columnar(format))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_format() {
        use ColumnarFormat::*;
        let of = |path: &str| OutputFormat::of(path).unwrap();
        for (path, format) in [
            #[cfg(feature = "parquet")]
            ("a.parquet", Parquet),
            #[cfg(feature = "parquet")]
            ("dir.csv/a.PQ", Parquet),
            ("a.arrow", ArrowFile),
            ("a.feather", ArrowFile),
            ("a.csv.ipc", ArrowFile),
            ("a.arrows", ArrowStream),
        ] {
            assert_eq!(of(path), OutputFormat::Columnar(format), "{path}");
        }
        for (path, tabs, compression) in [
            ("a.csv", false, Compression::None),
            ("a.tsv", true, Compression::None),
            ("a.csv.gz", false, Compression::Gzip),
            ("a.tsv.zst", true, Compression::Zstd),
            ("-", false, Compression::None),
            ("parquet", false, Compression::None),
            ("a.txt", false, Compression::None),
        ] {
            assert_eq!(of(path), OutputFormat::Text { tabs, compression }, "{path}");
        }
        let error = OutputFormat::of("a.Parquet.gz").unwrap_err();
        assert_eq!(error.help(klimt_core::Words::Flags), ["leave the ending away: a.Parquet"]);
    }
}
