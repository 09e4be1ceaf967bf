//! How often guesses of a sensitive value are right, beside the base rate.
//!
//! The *base rate* is what guessing the commonest value of the release for everybody achieves: the attacker who looks at no
//! group. A guess of several values that are equally likely is right in proportion: one of two counts half.
//!
//! The *gain* of an attack is its accuracy less that of the base rate, on the same people: those who are linked with some
//! group and whose true value is known. Where no true value is known, it is the gain that the attacker expects: the average
//! chance of the guesses less the share of the commonest value in the release.

use super::release::{Background, Truth};
use rayon::prelude::*;
use serde::Serialize;

/// The values that an attack holds for likeliest, and the chance of each.
#[derive(Clone, Debug)]
pub(super) struct Guess {
    /// The values; none where there is no guess.
    pub values: Vec<u32>,
    /// The chance that the attack gives to each.
    pub chance: f64,
}

impl Guess {
    /// The likeliest of some values by their chances, which need not sum to 1; `others` is the chance of all
    /// further values.
    ///
    /// Chances that differ by rounding alone are equal.
    pub fn likeliest(chances: &[(u32, f64)], others: f64) -> Self {
        let most = chances.iter().map(|(_, chance)| *chance).fold(0.0, f64::max);
        let all: f64 = chances.iter().map(|(_, chance)| chance).sum::<f64>() + others;
        let equal = |&&(_, chance): &&(u32, f64)| chance > most * (1.0 - 1e-9);
        let values = chances.iter().filter(equal).map(|(value, _)| *value).collect();
        Guess { values, chance: if all > 0.0 { most / all } else { 0.0 } }
    }
}

/// How good an attack on a sensitive column is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The attack.
    pub attack: &'static str,
    /// The share of right guesses; absent where no true value is known.
    pub accuracy: Option<f64>,
    /// The average chance that the attacker gives to the guesses.
    pub confidence: f64,
    /// The gain over the base rate.
    pub gain: f64,
}

/// The base rate that scores are compared with.
#[derive(Clone, Debug)]
pub(super) struct BaseRate {
    /// The share of the commonest value in the release.
    pub base_rate: f64,
    /// Whose value is known, of those who are linked.
    pub truths: u64,
    /// How many of them have the commonest value.
    pub right: f64,
}

/// Sums of what guesses achieve.
#[derive(Clone, Copy, Debug, Default)]
struct GuessSums {
    people: f64,
    truths: f64,
    right: f64,
    chance: f64,
}

/// The sums over all tuples for which there is a guess.
fn sums(
    background: &Background,
    truth: Option<&Truth>,
    guess: impl Fn(usize) -> Option<Guess> + Sync,
) -> GuessSums {
    let of_tuple = |tuple: usize| {
        let Some(guess) = guess(tuple) else { return GuessSums::default() };
        let people = background.people[tuple] as f64;
        let known = truth.map_or(&[][..], |truth| truth.of(tuple));
        let rows = |of: &dyn Fn(u32) -> bool| {
            known.iter().filter(|(value, _)| of(*value)).map(|(_, rows)| rows).sum::<u64>() as f64
        };
        let right = rows(&|value| guess.values.contains(&value)) / guess.values.len().max(1) as f64;
        GuessSums { people, truths: rows(&|_| true), right, chance: people * guess.chance }
    };
    let all: Vec<GuessSums> = (0..background.people.len()).into_par_iter().map(of_tuple).collect();
    all.iter().fold(GuessSums::default(), |sum, more| GuessSums {
        people: sum.people + more.people,
        truths: sum.truths + more.truths,
        right: sum.right + more.right,
        chance: sum.chance + more.chance,
    })
}

impl BaseRate {
    /// The base rate of a column, on those who are linked.
    pub fn new(
        background: &Background,
        truth: Option<&Truth>,
        totals: &[u64],
        linked: impl Fn(usize) -> bool + Sync,
    ) -> Self {
        let equal = (0..).zip(totals).filter(|(_, rows)| Some(*rows) == totals.first());
        let values: Vec<u32> = equal.map(|(value, _)| value).collect();
        let commonest = || Guess { values: values.clone(), chance: 1.0 };
        let sums = sums(background, truth, |tuple| linked(tuple).then(commonest));
        let rows: u64 = totals.iter().sum();
        let base_rate = totals.first().map_or(0.0, |&most| most as f64 / rows as f64);
        BaseRate { base_rate, truths: sums.truths as u64, right: sums.right }
    }

    /// The accuracy of guessing the commonest value; absent where no true value is known.
    pub fn accuracy(&self) -> Option<f64> {
        (self.truths > 0).then(|| self.right / self.truths as f64)
    }

    /// Scores an attack over those for whom it has a guess: everybody who is linked.
    pub fn score(
        &self,
        attack: &'static str,
        background: &Background,
        truth: Option<&Truth>,
        guess: impl Fn(usize) -> Option<Guess> + Sync,
    ) -> Score {
        let sums = sums(background, truth, guess);
        let confidence = if sums.people > 0.0 { sums.chance / sums.people } else { 0.0 };
        let accuracy = (sums.truths > 0.0).then(|| sums.right / sums.truths);
        let gain = match (sums.truths > 0.0, sums.people > 0.0) {
            (true, _) => (sums.right - self.right) / sums.truths,
            (false, true) => confidence - self.base_rate,
            (false, false) => 0.0,
        };
        Score { attack, accuracy, confidence, gain }
    }
}
