//! Split criteria: how a greedy algorithm chooses the next cut.
//!
//! *Median* (LeFevre, DeWitt, Ramakrishnan, Fig. 7) cuts the widest dimension at its median. Every other criterion is
//! the greedy decrease of an additive loss: the allowable cut after which the two sides cost least. *InfoGain* is that
//! of the conditional entropy of a class label, *Regression* that of the squared error of a numeric target.
//!
//! Candidates are compared by cost, then by how evenly they cut, then by dimension and place: a total order without
//! tolerance. Where no cut lowers the loss, the part is cut as the median says.

mod sweep;

pub(crate) use sweep::Arrangement;
pub use sweep::{Candidate, Judge, Order, Sweep};

use crate::loss::{Cost, Original};
use crate::{Error, Result, registry};
use std::fmt;

/// How the next cut is chosen.
pub enum SplitCriterion<'a> {
    /// At the median of the widest dimension.
    Median,
    /// Where an additive loss falls most.
    Loss(Box<dyn Cost + 'a>),
}

impl fmt::Debug for SplitCriterion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SplitCriterion::Median => "Median",
            SplitCriterion::Loss(_) => "Loss",
        })
    }
}

impl<'a> SplitCriterion<'a> {
    /// The criterion of this name: `median`, `infogain`, `regression` or `loss:` and the name of an additive loss.
    pub fn named(name: &str, original: &Original<'a>) -> Result<Self> {
        let loss = match name {
            "median" => return Ok(SplitCriterion::Median),
            "infogain" => "conditional-entropy",
            "regression" => "rmse",
            other => other.strip_prefix("loss:").ok_or_else(|| unknown(name))?,
        };
        let (_, found) = registry::LOSSES.iter().find(|(entry, _)| entry.id == loss).ok_or_else(|| {
            let ids: Vec<&str> = registry::LOSSES.iter().map(|(entry, _)| entry.id).collect();
            Error::input(format!("there is no loss {loss}; the losses are {}", ids.join(", ")))
        })?;
        match found.cost(original) {
            Some(cost) => Ok(SplitCriterion::Loss(cost)),
            None if matches!(loss, "cm" | "conditional-entropy" | "rmse") => {
                let what = if loss == "rmse" { "a numeric target" } else { "a class label" };
                Err(Error::input(format!("the split criterion {name} needs {what}"))
                    .with_help("name a column with --target"))
            }
            None => {
                Err(Error::input(format!("the loss {loss} does not add up over groups, which a split needs")))
            }
        }
    }
}

fn unknown(name: &str) -> Error {
    let ids: Vec<&str> = registry::SPLITS.iter().map(|entry| entry.id).collect();
    Error::input(format!("there is no split criterion {name}; there are {}", ids.join(", ")))
        .with_help("such as --split median or --split loss:ncp")
}
