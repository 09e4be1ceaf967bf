//! Length restriction: every published value of a column has at least a given width.

use super::{Check, Claim, Facts, Level};
use crate::{
    Decimal, Tally,
    width::{Domain, Width, least_width},
};
use klimt::{Error, Result};

pub(super) const ID: &str = "length";

struct Length {
    column: String,
    limit: Width,
    domain: Domain,
}

pub(super) fn bind(claim: &Claim, facts: &Facts) -> Result<Box<dyn Check>> {
    let Some(column) = claim.column.clone() else {
        return Err(Error::input(format!("{ID} takes the column that it is about")));
    };
    match claim.limit.parse::<Decimal>() {
        Ok(limit) if limit >= 0.into() => {
            let domain = facts.domains.get(&column).cloned().unwrap_or_default();
            Ok(Box::new(Length { column, limit: Width::Exact(limit), domain }))
        }
        _ => Err(Error::input(format!("{ID} of column \"{column}\" takes a number, 0 or more"))),
    }
}

impl Check for Length {
    fn limit(&self) -> Level {
        Level::Width(self.limit)
    }

    fn measure(&self, tally: &Tally) -> Result<Level> {
        least_width(tally, &self.column, &self.domain).map(Level::Width)
    }

    fn holds(&self, measured: &Level) -> bool {
        matches!(measured, Level::Width(width) if *width >= self.limit)
    }
}
