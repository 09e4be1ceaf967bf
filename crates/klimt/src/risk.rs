//! Questions about the risk of being found.
//!
//! ```
//! use klimt::risk::{Risk, question};
//!
//! let question = question(Some("10%"), Some("25%"))?;
//! let risk = Risk::of([1, 4, 4], &question);
//! assert_eq!((risk.unique, risk.prosecutor.highest), (1, 1.0));
//! # Ok::<(), klimt::Error>(())
//! ```

pub use klimt_core::risk::{Attack, Estimate, Population, Question, Risk, Share};

use klimt_core::words::option;
use klimt_core::{Error, ErrorKind, Result};

/// Reads a question about risk: the share of the population that is in the table, and the chance of being found above
/// which a row is at risk, each as a text such as `10%` or `0.1`. Reports all problems at once.
pub fn question(sampling_fraction: Option<&str>, threshold: Option<&str>) -> Result<Question> {
    let mut problems = Vec::new();
    let fraction = sampling_fraction.map(|text| {
        text.parse().ok().filter(|&share| share > Share::ZERO).unwrap_or_else(|| {
            problems.push(format!(
                "{}: a share of the population above 0% and up to 100% is needed, such as 10%",
                option("sampling-fraction")
            ));
            Share::ONE
        })
    });
    let threshold = threshold.map_or(Share::percent(20), |text| {
        text.parse().unwrap_or_else(|()| {
            problems.push(format!(
                "{}: a chance between 0% and 100% is needed, such as 20%",
                option("risk-threshold")
            ));
            Share::ONE
        })
    });
    match Error::all(ErrorKind::Input, problems) {
        None => Question::new(fraction, threshold),
        Some(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use klimt_core::Words;

    #[test]
    fn wrong_shares_are_reported_at_once() {
        let error = question(Some("110%"), Some("many")).unwrap_err();
        for (words, options) in [
            (Words::Flags, ["--sampling-fraction", "--risk-threshold"]),
            (Words::Keywords, ["sampling_fraction", "risk_threshold"]),
        ] {
            for option in options {
                assert!(error.worded(words).contains(option), "{error:?}");
            }
        }
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(question(Some("0%"), Some("20%")).is_err());
        assert!(question(Some("0.1"), Some("-1%")).is_err());
        assert_eq!(
            question(Some("0.1"), Some("33%")).unwrap(),
            question(Some("10 %"), Some("0.33")).unwrap()
        );
        assert_eq!(question(None, None).unwrap(), Question::default());
    }
}
