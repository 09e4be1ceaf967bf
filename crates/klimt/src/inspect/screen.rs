//! Refuses columns in roles that would publish what names people.

use super::evidence::Evidence;
use super::identify::{LARGEST_SET, counter, identifier, nearly_unique};
use crate::text::count;
use klimt_core::table::Role;
use klimt_core::words::column_option;
use klimt_core::{Error, ErrorKind, Result};

/// A column that must not have its role.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    /// The column's name.
    pub column: String,
    /// Its role.
    pub role: Role,
    /// Why it must not have it.
    pub reason: String,
    /// Whether a hierarchy or an order would make it fit to be generalised.
    pub is_set: bool,
    /// Whether its values are codes of digits, which can be published as ranges of numbers.
    pub are_codes: bool,
}

impl Refusal {
    /// The problem, for a message.
    pub fn message(&self) -> String {
        let published = match self.role {
            Role::QuasiIdentifier => "would be generalised and published",
            _ => "would be published as it is",
        };
        format!("column {} ({}) {published}: {}", self.column, self.role, self.reason)
    }

    /// What can be done.
    pub fn help(&self) -> Vec<String> {
        let leave = format!("leave the column out: {}", column_option("identifier", &self.column, None));
        let hierarchy = self.is_set.then(|| {
            format!(
                "generalise it by a hierarchy: {} (klimt hierarchy build makes one, of prefixes for example), or by an \
                 order: {}",
                column_option("hierarchy", &self.column, Some("FILE")),
                column_option("order", &self.column, Some("FILE"))
            )
        });
        let numbers = self.are_codes.then(|| {
            let integer = column_option("type", &self.column, Some("integer"));
            format!("its digits are taken for codes; publish them as ranges of numbers: {integer}")
        });
        let accept = format!("publish it all the same: {}", column_option("accept", &self.column, None));
        [leave].into_iter().chain(hierarchy).chain(numbers).chain([accept]).collect()
    }
}

/// Why a column must not have a role, if it must not.
pub(crate) fn refusal(evidence: &Evidence, role: Role) -> Option<Refusal> {
    if !role.is_published() {
        return None;
    }
    let are_codes = |is_set: bool| {
        let digits = |value: &String| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        is_set && !evidence.values.is_empty() && evidence.values.iter().all(digits)
    };
    let refused = |reason, is_set| {
        let are_codes = are_codes(is_set);
        Refusal { column: evidence.name.clone(), role, reason, is_set, are_codes }
    };
    if let Some(reason) = identifier(evidence) {
        return Some(refused(format!("it looks like an identifier: {reason}"), false));
    }
    let is_set = evidence.is_set && role == Role::QuasiIdentifier;
    // A hierarchy or an order generalises texts; nothing does so in other roles.
    let may_be_unique = role != Role::QuasiIdentifier || is_set;
    if let Some(reason) = nearly_unique(evidence, role).filter(|_| may_be_unique) {
        return Some(refused(reason, is_set));
    }
    if let Some(reason) = counter(evidence).filter(|_| role == Role::Insensitive) {
        return Some(refused(format!("it looks like an identifier: {reason}"), false));
    }
    (is_set && evidence.categories() > LARGEST_SET).then(|| {
        let distinct = count(evidence.categories());
        refused(format!("sets of {distinct} different texts say little, or name few people"), true)
    })
}

/// Refuses the columns that must not have their roles, all at once, but those that are accepted.
pub(crate) fn screen(
    table: &str,
    columns: &[Evidence],
    role: impl Fn(&str) -> Role,
    accepted: impl Fn(&str) -> bool,
) -> Result<()> {
    let asked = columns.iter().filter(|evidence| !accepted(&evidence.name));
    let refused: Vec<Refusal> =
        asked.filter_map(|evidence| refusal(evidence, role(&evidence.name))).collect();
    let messages = refused.iter().map(|refused| format!("{table}: {}", refused.message())).collect();
    let Some(error) = Error::all(ErrorKind::Input, messages) else { return Ok(()) };
    Err(refused.iter().flat_map(Refusal::help).fold(error, |error, line| error.with_help(line)))
}
