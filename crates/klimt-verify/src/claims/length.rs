//! The length restriction: every published value of a column has at least a given width.
//!
//! The one requirement that is about regions, which a release tells only by its published text.

use super::PromiseFacts;
use crate::{
    Tally,
    width::{Domain, Width, least_width},
};
use klimt_core::Result;
use klimt_core::requirement::Level;

/// The least width that a column has in any row.
pub(super) fn measure(tally: &Tally, column: &str, facts: &PromiseFacts) -> Result<Level> {
    let domain = facts.domains.get(column).unwrap_or(&Domain::Natural);
    Ok(match least_width(tally, column, domain)? {
        Width::Unlimited => Level::Unbounded,
        Width::Exact(width) => width.to_level(),
    })
}
