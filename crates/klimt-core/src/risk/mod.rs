//! How easily people are found in a table or a release, from the sizes of its groups alone.
//!
//! There are three attackers (El Emam, *Guide to the De-Identification of Personal Health Information*, 2013).
//! The **prosecutor** looks for one person who is known to be in the table. The **journalist** looks for any one
//! person of the population, and does not know who of them is in the table. The **marketer** wants to find as many
//! as possible. When the table is a sample of a population, the sizes of its groups also tell how many people are
//! unique in that population: see [`Population`].
//!
//! Nothing here looks at a value: the same sizes give the same risk.

mod certain;
mod gamma;
mod maximum;
mod pitman;
mod population;
mod reidentification;
mod share;
#[cfg(test)]
mod simulation;
mod sizes;
mod zayatz;

pub use certain::certain_rows;
pub use population::{Estimate, Population};
pub use reidentification::Attack;
pub use share::Share;
use sizes::SizeCounts;

use crate::{Error, Result};
use serde::Serialize;

/// Parameters of a risk estimate; checked, so that every estimate is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    sampling_fraction: Option<Share>,
    threshold: Share,
}

impl Question {
    /// A row is at risk above the threshold; the sampling fraction, which must not be 0, is the share of the
    /// population that is in the table.
    pub fn new(sampling_fraction: Option<Share>, threshold: Share) -> Result<Self> {
        if sampling_fraction == Some(Share::ZERO) {
            return Err(Error::input("the sampling fraction must be above 0%")
                .with_help("it is the share of the population that is in the table, such as 10%"));
        }
        Ok(Question { sampling_fraction, threshold })
    }
}

impl Default for Question {
    /// A threshold of 20 %, which a group of five does not exceed, and no sampling fraction.
    fn default() -> Self {
        Question { sampling_fraction: None, threshold: Share::percent(20) }
    }
}

/// How easily people are found. A risk is a chance in 0..=1; without rows, every risk is 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Risk {
    /// The number of rows.
    pub rows: u64,
    /// The number of groups.
    pub groups: u64,
    /// The size of the smallest group; 0 without rows.
    pub smallest_group: u64,
    /// How many rows are alone in their group.
    pub unique: u64,
    /// The share of rows that are alone in their group.
    pub unique_share: f64,
    /// The chance of being found above which a row counts as at risk.
    pub threshold: Share,
    /// The share of the population that is in the table, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling_fraction: Option<Share>,
    /// The attacker knows that the person is in the table.
    pub prosecutor: Attack,
    /// The attacker does not know whether the person is in the table. Without a sampling fraction the table is taken
    /// for the whole population, and the risk is the prosecutor's.
    pub journalist: Attack,
    /// The share of rows that an attacker is expected to find who tries all of them.
    pub marketer: f64,
    /// Estimates of the population, when the sampling fraction is known and there are rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<Population>,
}

impl Risk {
    /// The risk of a table or release whose groups have the given sizes, in any order.
    pub fn of(sizes: impl IntoIterator<Item = u64>, question: &Question) -> Self {
        let sizes = SizeCounts::new(sizes);
        let Question { sampling_fraction, threshold } = *question;
        let fraction = sampling_fraction.unwrap_or(Share::ONE);
        let prosecutor = Attack::of(&sizes, Share::ONE, threshold);
        let journalist = Attack::of(&sizes, fraction, threshold);
        Risk {
            rows: sizes.rows(),
            groups: sizes.groups(),
            smallest_group: sizes.smallest(),
            unique: sizes.unique(),
            unique_share: sizes.unique() as f64 / sizes.rows().max(1) as f64,
            threshold,
            sampling_fraction,
            prosecutor,
            journalist,
            marketer: reidentification::marketer(&sizes, fraction),
            population: sampling_fraction.and_then(|fraction| Population::of(&sizes, fraction)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_told_by_its_sizes() {
        let question = Question::new(Some(Share::percent(10)), Share::percent(5)).unwrap();
        let risk = Risk::of([4, 1, 2, 1], &question);
        assert_eq!((risk.rows, risk.groups, risk.smallest_group, risk.unique), (8, 4, 1, 2));
        assert_eq!((risk.unique_share, risk.marketer), (0.25, 0.05));
        assert_eq!((risk.prosecutor.highest, risk.journalist.highest), (1.0, 0.1));
        // Rows alone are found with 10 %, rows of the pair with exactly 5 %.
        assert_eq!((risk.prosecutor.above_threshold, risk.journalist.above_threshold), (1.0, 0.25));
        assert_eq!(risk.population.map(|population| population.size), Some(80));
        assert_eq!(Risk::of([1, 1, 2, 4], &question), risk);
    }

    #[test]
    fn without_a_sampling_fraction_the_table_is_the_population() {
        let risk = Risk::of([3, 3, 2], &Question::default());
        assert_eq!(risk.prosecutor, risk.journalist);
        assert_eq!((risk.marketer, risk.population), (0.375, None));
        let whole = Question::new(Some(Share::ONE), Share::percent(20)).unwrap();
        assert_eq!(Risk::of([3, 3, 2], &whole).journalist, risk.prosecutor);
    }

    #[test]
    fn no_rows_are_no_risk() {
        let risk = Risk::of([], &Question::new(Some(Share::percent(1)), Share::percent(20)).unwrap());
        assert_eq!((risk.rows, risk.smallest_group, risk.unique_share, risk.marketer), (0, 0, 0.0, 0.0));
        assert_eq!(risk.prosecutor, Attack { highest: 0.0, average: 0.0, above_threshold: 0.0 });
        assert_eq!(risk.population, None);
    }

    #[test]
    fn nobody_samples_nothing() {
        assert!(Question::new(Some(Share::ZERO), Share::percent(20)).is_err());
        assert!(Question::new(Some(Share::percent(1)), Share::ZERO).is_ok());
    }

    #[test]
    fn it_is_written_with_plain_numbers() {
        let risk = Risk::of([2, 2], &Question::default());
        let json = serde_json::to_value(&risk).unwrap();
        assert_eq!(json["threshold"], 0.2);
        assert_eq!(json["prosecutor"]["above_threshold"], 1.0);
        assert!(json.get("population").is_none() && json.get("sampling_fraction").is_none());
    }
}
