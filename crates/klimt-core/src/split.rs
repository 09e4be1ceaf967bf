//! Split criteria: how a greedy algorithm chooses the next cut.
//!
//! *Median* (LeFevre, DeWitt, Ramakrishnan, Fig. 7) cuts the widest dimension at its median. *Box* is the split of an
//! R+-tree (`algorithm/rtree`): the smallest boxes over the two sides cost least. Every other criterion is
//! the greedy decrease of an additive loss: the allowable cut after which the two sides cost least. *InfoGain* is that
//! of the conditional entropy of a class label, *Regression* that of the squared error of a numeric target. The experiments
//! of the Rothko paper switch from InfoGain to the median where no cut gains 0.01 bits (footnote 13), to save time:
//! `infogain:0.01` does the same, and `infogain` goes on as long as there is any gain. Where a workload is known, the
//! ends of its predicates come before any other place.
//!
//! Candidates are compared by cost, then by how evenly they cut, then by dimension and place: a total order without
//! tolerance. Where no cut lowers the loss, the part is cut as the median says.

use crate::loss::{ConditionalEntropy, Cost, Original};
use crate::words::{option, option_is};
use crate::workload::TableWorkload;
use crate::{Error, Result, registry};
use std::fmt;

/// How the next cut is chosen.
pub enum SplitCriterion<'a> {
    /// At the median of the widest dimension.
    Median,
    /// Where the smallest boxes over the two sides cost least.
    Box(BoxSplit),
    /// Where an additive loss falls most.
    Loss(Box<dyn Cost + 'a>),
    /// Where the error of a workload's answers falls most, and by another criterion where it falls nowhere.
    Workload(&'a TableWorkload, Box<SplitCriterion<'a>>),
}

/// The cost of each row of a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoxCost {
    /// Its weighted certainty penalty: the sum of its normalised lengths.
    #[default]
    Penalty,
    /// Its volume: the product of the shares of cells that it covers.
    Volume,
}

/// How an R+-tree splits its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxSplit {
    /// The cost of a box.
    pub cost: BoxCost,
    /// A leaf overflows when it holds at least this many times the rows that any group needs; 2 splits whatever can be.
    pub capacity: u64,
    /// The dimensions that are cut as long as they can be, before any other.
    pub preferred: Vec<usize>,
}

impl Default for BoxSplit {
    fn default() -> Self {
        BoxSplit { cost: BoxCost::default(), capacity: 2, preferred: Vec::new() }
    }
}

impl fmt::Debug for SplitCriterion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SplitCriterion::Median => "Median",
            SplitCriterion::Box(_) => "Box",
            SplitCriterion::Loss(_) => "Loss",
            SplitCriterion::Workload(..) => "Workload",
        })
    }
}

/// How the next cut is to be chosen, before there is a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitSpec {
    /// The name of the criterion.
    pub name: String,
    /// How many times the rows that a group needs make a part too large; only boxes know any but 2.
    pub capacity: u64,
    /// The columns that are cut as long as they can be, before any other; only boxes know any.
    pub preferred: Vec<String>,
}

impl SplitSpec {
    /// The criterion of this name, with nothing else said.
    pub fn named(name: &str) -> Self {
        SplitSpec { name: name.to_string(), capacity: BoxSplit::default().capacity, preferred: Vec::new() }
    }

    /// The criterion for a table.
    pub fn bind<'a>(&self, original: &Original<'a>) -> Result<SplitCriterion<'a>> {
        let mut criterion = SplitCriterion::named(&self.name, original)?;
        let plain = self.preferred.is_empty() && self.capacity == BoxSplit::default().capacity;
        match &mut criterion {
            SplitCriterion::Box(split) => {
                split.capacity = self.capacity.max(BoxSplit::default().capacity);
                split.preferred = self.dimensions(original)?;
            }
            _ if plain => {}
            _ => {
                return Err(Error::input(format!(
                    "the split criterion {} knows no preferred columns and no capacity of leaves",
                    self.name
                ))
                .with_help(format!("{} does", option_is("split", "box"))));
            }
        }
        Ok(match original.workload {
            Some(workload) => SplitCriterion::Workload(workload, Box::new(criterion)),
            None => criterion,
        })
    }

    /// The dimensions of the preferred columns.
    fn dimensions(&self, original: &Original<'_>) -> Result<Vec<usize>> {
        let table = original.table;
        let dimension = |name: &String| {
            (0..table.dimensions()).find(|&d| table.dimension(d).name == *name).ok_or_else(|| {
                Error::input(format!("{name} cannot be preferred: it is no quasi-identifier"))
                    .with_help(format!("name columns of {}", option("qi")))
            })
        };
        self.preferred.iter().map(dimension).collect()
    }
}

impl<'a> SplitCriterion<'a> {
    /// The workload that comes first, where there is one.
    pub fn workload(&self) -> Option<&'a TableWorkload> {
        match self {
            SplitCriterion::Workload(workload, _) => Some(workload),
            _ => None,
        }
    }

    /// The criterion that decides where no workload does.
    pub fn base(&self) -> &SplitCriterion<'a> {
        match self {
            SplitCriterion::Workload(_, base) => base.base(),
            other => other,
        }
    }

    /// The criterion of this name: `median`, `box`, `box:area`, `infogain`, `infogain:` and the least gain in bits,
    /// `regression` or `loss:` and the name of an additive loss.
    pub fn named(name: &str, original: &Original<'a>) -> Result<Self> {
        let loss = match name {
            "median" => return Ok(SplitCriterion::Median),
            "box" => return Ok(SplitCriterion::Box(BoxSplit::default())),
            "box:area" => {
                return Ok(SplitCriterion::Box(BoxSplit { cost: BoxCost::Volume, ..BoxSplit::default() }));
            }
            "infogain" => "conditional-entropy",
            "regression" => "rmse",
            other if other.starts_with("infogain:") => "conditional-entropy",
            other => other.strip_prefix("loss:").ok_or_else(|| unknown(name))?,
        };
        let (_, found) = registry::LOSSES.iter().find(|(entry, _)| entry.id == loss).ok_or_else(|| {
            let ids: Vec<&str> = registry::LOSSES.iter().map(|(entry, _)| entry.id).collect();
            Error::input(format!("there is no loss {loss}; the losses are {}", ids.join(", ")))
        })?;
        let cost = match name.strip_prefix("infogain:") {
            Some(text) => ConditionalEntropy::with_least_gain(original, least_gain(text)?),
            None => found.cost(original),
        };
        match cost {
            Some(cost) => Ok(SplitCriterion::Loss(cost)),
            None if matches!(loss, "cm" | "conditional-entropy" | "rmse") => {
                let what = if loss == "rmse" { "a numeric target" } else { "a class label" };
                Err(Error::input(format!("the split criterion {name} needs {what}"))
                    .with_help(format!("name a column with {}", option("target"))))
            }
            None => {
                Err(Error::input(format!("the loss {loss} does not add up over groups, which a split needs")))
            }
        }
    }
}

/// The least gain of a cut, in bits.
fn least_gain(text: &str) -> Result<f64> {
    let parsed = text.trim().parse::<f64>().ok().filter(|gain| gain.is_finite() && *gain >= 0.0);
    parsed.ok_or_else(|| {
        Error::input(format!(
            "the least gain of {} must be a number of bits that is not negative",
            option_is("split", "infogain:GAIN")
        ))
        .with_help(format!("such as {}", option_is("split", "infogain:0.01")))
    })
}

fn unknown(name: &str) -> Error {
    let ids: Vec<&str> = registry::SPLITS.iter().map(|entry| entry.id).collect();
    Error::input(format!("there is no split criterion {name}; there are {}", ids.join(", ")))
        .with_help(format!("such as {} or {}", option_is("split", "median"), option_is("split", "loss:ncp")))
}
