//! ε-privacy against realistic adversaries of class II (Hore et al., section 3, after Machanavajjhala et al., 2009),
//! with parameters ε, σ (how many tuples the adversary's prior knowledge is worth) and b (how many people of a group he
//! knows): for every group of n rows and every sensitive value with n(s) of them,
//!
//! - R1: n − b ≥ (σ + b)/(ε − 1),
//! - R2: n(s)/(n − b) ≤ 1 − 1/(ε′ + δ), with δ = (ε − 1)(n − b)/(σ + b) and ε′ = ε·(1 − 1/(σ + b)).
//!
//! In R2 the people that the adversary knows to lack the value are taken *off* the group. With n + b in the
//! denominator, as it is sometimes printed, more knowledge would make the requirement weaker, a group of one value
//! could pass, and the requirement would not be monotone; what passes here passes that one too.
//!
//! Monotone: R1 grows with n. With x = n − b, R2 is n(s) ≤ f(x) = x − x/(ε′ + u·x), u = (ε − 1)/(σ + b). The fraction is
//! concave and 0 at 0, so f(x) + f(y) ≤ f(x + y); and where R1 holds f grows, so that f(x + y) ≤ f(x + y + b).

use super::exact::compare_products;
use super::parameter::{farthest, level, positive, ratio};
use super::{Check, Level, Requirement, Side, WholeFacts};
use crate::statistics::{GroupPeople, Needs, Statistics};
use crate::table::Decimal;
use crate::{Error, Result};
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::cmp::Ordering;

/// No adversary of class II learns more than by a factor ε.
#[derive(Clone, Debug)]
pub struct EpsilonPrivacy {
    column: String,
    epsilon: Decimal,
    sigma: Decimal,
    known: u64,
}

impl EpsilonPrivacy {
    /// The name of the requirement.
    pub const ID: &'static str = "epsilon-privacy";

    /// An adversary with `sigma` tuples of prior knowledge, who knows `known` people of a group, learns at most a factor
    /// `epsilon`.
    pub fn new(column: impl AsRef<str>, epsilon: f64, sigma: f64, known: u64) -> Result<Self> {
        EpsilonPrivacy::of_text(column.as_ref(), &format!("{epsilon}:{sigma}:{known}"))
    }

    /// From the text of its parameters ε, σ and b, such as `10:100:0`; b may be left out.
    pub fn parse(column: &str, text: &str) -> Result<Box<dyn Requirement>> {
        Ok(Box::new(EpsilonPrivacy::of_text(column, text)?))
    }

    fn of_text(column: &str, text: &str) -> Result<Self> {
        let mut parts = text.split(':');
        let (Some(epsilon), Some(sigma), known, None) =
            (parts.next(), parts.next(), parts.next().unwrap_or("0"), parts.next())
        else {
            return Err(Error::input("epsilon-privacy takes epsilon, sigma and b, such as 10:100:0"));
        };
        let epsilon = positive("the epsilon of epsilon-privacy", epsilon)?;
        let sigma = positive("the sigma of epsilon-privacy", sigma)?;
        let known = known
            .trim()
            .parse()
            .map_err(|_| Error::input("the b of epsilon-privacy must be a whole number"))?;
        if epsilon <= Decimal::whole(1) {
            return Err(Error::input("the epsilon of epsilon-privacy must be more than 1"));
        }
        if sigma < Decimal::whole(1) {
            return Err(Error::input("the sigma of epsilon-privacy must be at least 1"));
        }
        Ok(EpsilonPrivacy { column: column.to_string(), epsilon, sigma, known })
    }
}

impl Requirement for EpsilonPrivacy {
    fn id(&self) -> &'static str {
        EpsilonPrivacy::ID
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn describe(&self) -> String {
        format!(
            "epsilon-privacy of {} with epsilon = {}, sigma = {} and b = {}",
            self.column, self.epsilon, self.sigma, self.known
        )
    }

    fn parameters(&self) -> Option<String> {
        Some(format!("{}:{}:{}", self.epsilon, self.sigma, self.known))
    }

    fn limit(&self) -> Level {
        level(self.epsilon)
    }

    fn side(&self) -> Side {
        Side::AtMost
    }

    /// R1.
    fn minimum_size(&self) -> u64 {
        let prior = rational(self.sigma) + BigRational::from_integer(self.known.into());
        let least = prior / (rational(self.epsilon) - BigRational::one());
        let least = least.ceil().to_integer();
        u64::try_from(least).unwrap_or(u64::MAX).max(1).saturating_add(self.known)
    }

    fn compares_with_whole(&self) -> bool {
        false
    }

    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
        let column = whole.protected("epsilon-privacy", &self.column)?.number;
        let known = BigRational::from_integer(self.known.into());
        let prior = rational(self.sigma) + &known;
        let short = QuickDecision::new(self.epsilon, self.sigma, self.known);
        Ok(Box::new(ClassTwo { column, known: self.known, prior, epsilon: rational(self.epsilon), short }))
    }
}

fn rational(number: Decimal) -> BigRational {
    BigRational::new(number.units.into(), 10i128.pow(number.scale).into())
}

#[derive(Debug)]
struct ClassTwo {
    column: usize,
    known: u64,
    /// σ + b.
    prior: BigRational,
    epsilon: BigRational,
    short: Option<QuickDecision>,
}

/// The parameters in whole numbers, for groups that are quickly decided: ε = e/d and σ + b = p/s.
#[derive(Clone, Copy, Debug)]
struct QuickDecision {
    /// (e − d)·s.
    per_row: u128,
    /// e·(p − s).
    constant: u128,
    /// d·p.
    prior: u128,
}

impl QuickDecision {
    fn new(epsilon: Decimal, sigma: Decimal, known: u64) -> Option<Self> {
        let ((e, d), (units, s)) = (ratio(epsilon), ratio(sigma));
        let p = u128::from(known).checked_mul(s)?.checked_add(units)?;
        Some(QuickDecision {
            per_row: (e - d).checked_mul(s)?,
            constant: e.checked_mul(p - s)?,
            prior: d.checked_mul(p)?,
        })
    }

    /// Both rules for x rows that the adversary does not know, `others` of them without the value, all counted in `parts`
    /// of a row; `None` when a number does not fit.
    fn satisfied(&self, x: u128, others: u128, parts: u128) -> Option<bool> {
        let grown = self.per_row.checked_mul(x)?;
        let bracket = grown.checked_add(self.constant.checked_mul(parts)?)?;
        let prior = self.prior.checked_mul(parts)?;
        let second = compare_products(others, bracket, prior, x) != Ordering::Less;
        Some(grown >= prior && second)
    }
}

impl ClassTwo {
    /// The least ε for which a group of `rows` rows, `commonest` of them with one value, both counted in `parts` of a row,
    /// satisfies both rules; `None` when there is none. Both are linear in ε: R2 is
    /// ε·(σ + b − 1) + (ε − 1)·x ≥ (σ + b)·x/(x − n(s)).
    fn least_epsilon(&self, rows: u64, commonest: u64, parts: u64) -> Option<BigRational> {
        let unknown = self.unknown(rows, commonest, parts)?;
        let of_rows = |counted: u128| BigRational::new(counted.into(), parts.into());
        let others = of_rows(unknown - u128::from(commonest));
        let unknown = of_rows(unknown);
        let first = BigRational::one() + &self.prior / &unknown;
        let slope = &self.prior - BigRational::one() + &unknown;
        if slope <= BigRational::zero() {
            return None;
        }
        let second = (&self.prior * &unknown / others + &unknown) / slope;
        Some(first.max(second))
    }

    /// What the adversary does not know of a group, where that is more than one value has.
    fn unknown(&self, rows: u64, commonest: u64, parts: u64) -> Option<u128> {
        let known = u128::from(self.known) * u128::from(parts);
        u128::from(rows).checked_sub(known).filter(|&unknown| unknown > commonest.into())
    }

    fn decide(&self, rows: u64, commonest: u64, parts: u64) -> bool {
        let Some(x) = self.unknown(rows, commonest, parts) else { return false };
        let others = x - u128::from(commonest);
        let short = self.short.and_then(|short| short.satisfied(x, others, parts.into()));
        short.unwrap_or_else(|| {
            self.least_epsilon(rows, commonest, parts).is_some_and(|least| least <= self.epsilon)
        })
    }
}

impl Check for ClassTwo {
    fn needs(&self) -> Needs {
        Needs::histogram(self.column)
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        self.decide(group.count, group.histogram(self.column).commonest(), 1)
    }

    fn satisfied_by(&self, people: &GroupPeople, votes: &Statistics) -> bool {
        self.decide(votes.count, people.votes().commonest(), people.parts())
    }

    fn level_of(&self, people: &GroupPeople, votes: &Statistics) -> Level {
        let least = self.least_epsilon(votes.count, people.votes().commonest(), people.parts());
        least.map_or(Level::Unbounded, Level::Ratio)
    }

    /// Of j rows, at worst all have the commonest value and at best none. Both rules are linear or convex in j, so what
    /// holds at both ends holds in between.
    fn steady(&self, group: &Statistics) -> u64 {
        let commonest = group.histogram(self.column).commonest();
        let (Some(short), Some(x)) = (self.short, group.count.checked_sub(self.known)) else { return 0 };
        let holds = |x: u64, commonest: u64| {
            x > commonest && short.satisfied(x.into(), (x - commonest).into(), 1) == Some(true)
        };
        if holds(x, commonest) {
            farthest(group.count, |j| holds(x + j, commonest + j))
        } else {
            farthest(group.count, |j| !holds(x + j, commonest))
        }
    }

    fn level(&self, group: &Statistics) -> Level {
        let commonest = group.histogram(self.column).commonest();
        self.least_epsilon(group.count, commonest, 1).map_or(Level::Unbounded, Level::Ratio)
    }
}
