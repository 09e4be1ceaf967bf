//! k-anonymity: every group has at least k rows.

use super::{Check, Claim, Facts, Level};
use crate::Tally;
use klimt::{Error, Result};

pub(super) const ID: &str = "k-anonymity";

struct KAnonymity {
    k: u64,
}

pub(super) fn bind(claim: &Claim, _: &Facts) -> Result<Box<dyn Check>> {
    if let Some(column) = &claim.column {
        return Err(Error::input(format!(
            "{ID} is about all quasi-identifiers, not about column \"{column}\" alone"
        )));
    }
    match claim.limit.parse() {
        Ok(k) if k > 0 => Ok(Box::new(KAnonymity { k })),
        _ => Err(Error::input(format!("{ID} takes a whole number of rows, 1 or more"))),
    }
}

impl Check for KAnonymity {
    fn limit(&self) -> Level {
        Level::Count(self.k)
    }

    /// The size of the smallest group; zero when there is none, as a release without rows proves nothing.
    fn measure(&self, tally: &Tally) -> Result<Level> {
        Ok(Level::Count(tally.groups().map(|group| group.rows()).min().unwrap_or(0)))
    }

    fn holds(&self, measured: &Level) -> bool {
        matches!(measured, Level::Count(size) if *size >= self.k)
    }
}
