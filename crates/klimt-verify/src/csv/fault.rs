//! Faults of the text of a release.

use klimt_core::Error;

/// Something in the text that no reader should have to guess at, and where it is.
///
/// The text is our own output ([`Fault::internal`]); files that somebody gave us are read by klimt-io.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The line within the chunk, from 1; line breaks inside quotes count.
    pub line: u64,
}

/// The kind of a fault of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// A record has another number of fields than the release has columns.
    FieldCount {
        /// How many fields the record has.
        found: usize,
        /// How many columns the release has.
        expected: usize,
    },
    /// A quoted field is not closed.
    UnclosedQuote,
    /// A quote stands inside a field that does not begin with one, or text follows a closing quote.
    StrayQuote,
    /// A carriage return outside quotes does not belong to a line end: some readers end the record there.
    StrayCarriageReturn,
    /// The text is not UTF-8.
    InvalidUtf8,
    /// There are more distinct groups or sensitive values than can be counted.
    TooMany,
    /// The layout and the tally speak of different columns.
    Mismatch,
}

impl FaultKind {
    /// The problem and its remedy.
    fn message(self) -> String {
        match self {
            FaultKind::FieldCount { found, expected } => {
                let plural = if found == 1 { "" } else { "s" };
                format!("{found} field{plural} where the release has {expected} columns")
            }
            FaultKind::UnclosedQuote => "a quoted field is not closed".to_string(),
            FaultKind::StrayQuote => "a quote inside a field that is not quoted as a whole".to_string(),
            FaultKind::StrayCarriageReturn => {
                "a carriage return outside quotes that ends no line".to_string()
            }
            FaultKind::InvalidUtf8 => "the text is not UTF-8".to_string(),
            FaultKind::TooMany => crate::tally::too_many().message().to_string(),
            FaultKind::Mismatch => "the layout of a release and its tally have different columns".to_string(),
        }
    }

    /// The error to which no place in the text belongs, if it is one.
    fn placeless(self) -> Option<Error> {
        match self {
            FaultKind::TooMany => Some(crate::tally::too_many()),
            FaultKind::Mismatch => Some(Error::internal(self.message())),
            _ => None,
        }
    }
}

impl Fault {
    /// The fault as a bug of ours, for a text that klimt wrote itself.
    pub fn internal(&self) -> Error {
        self.kind.placeless().unwrap_or_else(|| {
            let Fault { kind, line } = self;
            Error::internal(format!(
                "the release to be written is faulty: line {line} of a chunk: {}",
                kind.message()
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_says_what_is_wrong() {
        let expected = [
            (FaultKind::FieldCount { found: 1, expected: 3 }, "1 field where the release has 3 columns"),
            (FaultKind::FieldCount { found: 4, expected: 3 }, "4 fields where the release has 3 columns"),
            (FaultKind::UnclosedQuote, "a quoted field is not closed"),
            (FaultKind::StrayQuote, "a quote inside a field"),
            (FaultKind::StrayCarriageReturn, "a carriage return outside quotes"),
            (FaultKind::InvalidUtf8, "the text is not UTF-8"),
        ];
        for (kind, words) in expected {
            let message = Fault { kind, line: 7 }.internal().message().to_string();
            assert!(message.contains(&format!("line 7 of a chunk: {words}")), "{message}");
        }
    }

    #[test]
    fn a_fault_without_a_place_names_none() {
        let error = Fault { kind: FaultKind::Mismatch, line: 1 }.internal();
        assert_eq!(error.kind(), klimt_core::ErrorKind::Internal);
        assert!(
            error.message().contains("different columns") && !error.message().contains("line"),
            "{error}"
        );
        let error = Fault { kind: FaultKind::TooMany, line: 1 }.internal();
        assert_eq!(error.kind(), klimt_core::ErrorKind::Resource);
    }
}
