//! Whether the claim of a figure holds: checks of what was measured, made by code from the numbers.
//!
//! A number that is not one makes every comparison with it fail: what was not measured is not taken for a success.

use super::sweep::{Panel, Sweep};
use serde_json::{Value, json};
use std::cmp::Ordering;

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every check holds.
    Holds,
    /// Some check does not.
    DoesNotHold,
    /// It could not be tested here, and the figure says why.
    NotTested,
    /// There is no claim: the figure explains something.
    Illustration,
}

impl Verdict {
    /// What is written.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::DoesNotHold => "does not hold",
            Verdict::NotTested => "not tested",
            Verdict::Illustration => "illustration, no experiment",
        }
    }
}

/// One thing that must be so if the claim holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was found, with its numbers.
    pub found: String,
    /// Whether it is as claimed.
    pub holds: bool,
}

/// The least and the greatest of some ratios, as they are written.
fn spread(ratios: impl Iterator<Item = f64> + Clone) -> String {
    let least = ratios.clone().fold(f64::INFINITY, f64::min);
    let most = ratios.fold(f64::NEG_INFINITY, f64::max);
    format!("{} to {}", short(least), short(most))
}

/// A number in few digits.
pub fn short(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => "–".to_string(),
        0.0 => "0".to_string(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        size if size >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    }
}

impl Check {
    /// A check that was decided elsewhere.
    pub fn new(holds: bool, found: impl Into<String>) -> Self {
        Check { found: found.into(), holds }
    }

    /// At every value one series is at most a factor of the other.
    pub fn at_most(what: &str, low: &[f64], high: &[f64], factor: f64) -> Self {
        let pairs = low.iter().zip(high);
        let good = pairs.clone().filter(|(low, high)| **low <= **high * factor).count();
        let ratios = spread(pairs.map(|(low, high)| low / high));
        let holds = good == low.len() && low.len() == high.len() && good > 0;
        Check::new(holds, format!("{what} at {good} of {} places (ratio {ratios})", low.len()))
    }

    /// At every value of a sweep one series is at most the other; the values at which it is not are named.
    pub fn ordered(what: &str, sweep: &Sweep, low: &str, high: &str) -> Self {
        let mut check = Check::at_most(what, sweep.of(low), sweep.of(high), 1.0);
        let pairs = sweep.labels.iter().zip(sweep.of(low).iter().zip(sweep.of(high)));
        let bad: Vec<&str> = pairs
            .filter(|(_, (low, high))| low.partial_cmp(high).is_none_or(Ordering::is_gt))
            .map(|(label, _)| label.as_str())
            .collect();
        if !bad.is_empty() {
            check.found.push_str(&format!(", not at {} {}", sweep.parameter, bad.join(", ")));
        }
        check
    }

    /// A series never falls from one value to the next by more than a share of it.
    pub fn rises(what: &str, values: &[f64], slack: f64) -> Self {
        let holds = values.len() > 1 && values.windows(2).all(|two| two[1] >= two[0] * (1.0 - slack));
        Check::new(
            holds,
            format!("{what} goes from {} to {}{}", ends(values).0, ends(values).1, broken(holds)),
        )
    }

    /// A series never rises from one value to the next by more than a share of it.
    pub fn falls(what: &str, values: &[f64], slack: f64) -> Self {
        let holds = values.len() > 1 && values.windows(2).all(|two| two[1] <= two[0] * (1.0 + slack));
        Check::new(
            holds,
            format!("{what} goes from {} to {}{}", ends(values).0, ends(values).1, broken(holds)),
        )
    }

    /// The last of a series is less than the first, whatever lies between.
    pub fn ends_lower(what: &str, values: &[f64]) -> Self {
        let holds = values.len() > 1 && values[values.len() - 1] < values[0];
        Check::new(holds, format!("{what} goes from {} to {}", ends(values).0, ends(values).1))
    }

    /// The last of a series is more than the first, whatever lies between.
    pub fn ends_higher(what: &str, values: &[f64]) -> Self {
        let holds = values.len() > 1 && values[values.len() - 1] > values[0];
        Check::new(holds, format!("{what} goes from {} to {}", ends(values).0, ends(values).1))
    }

    /// A number is less than another.
    pub fn less(what: &str, low: f64, high: f64) -> Self {
        Check::new(low < high, format!("{what}: {} beside {}", short(low), short(high)))
    }

    /// A number lies below a limit.
    pub fn below(what: &str, value: f64, limit: f64) -> Self {
        Check::new(value <= limit, format!("{what}: {} (at most {})", short(value), short(limit)))
    }

    /// A number lies above a limit.
    pub fn above(what: &str, value: f64, limit: f64) -> Self {
        Check::new(value >= limit, format!("{what}: {} (at least {})", short(value), short(limit)))
    }
}

fn ends(values: &[f64]) -> (String, String) {
    let at = |value: Option<&f64>| value.map_or("–".to_string(), |value| short(*value));
    (at(values.first()), at(values.last()))
}

fn broken(holds: bool) -> &'static str {
    if holds { "" } else { ", not steadily" }
}

/// The mean of some numbers.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The geometric mean of the ratios of two series.
pub fn mean_ratio(over: &[f64], under: &[f64]) -> f64 {
    mean(&over.iter().zip(under).map(|(over, under)| (over / under).ln()).collect::<Vec<_>>()).exp()
}

/// The greatest of some numbers over the least.
pub fn range_ratio(values: &[f64]) -> f64 {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max) / least
}

/// What an experiment found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What it shows.
    pub panels: Vec<Panel>,
    /// What must be so if the claim holds.
    pub checks: Vec<Check>,
    /// Which data it ran on, and what stood in.
    pub data: String,
    /// What is otherwise than in the paper.
    pub differs: String,
    /// Why the claim was not tested, where it was not.
    pub untested: Option<String>,
}

impl Outcome {
    /// What became of the claim: without a check nothing is claimed to hold.
    pub fn verdict(&self) -> Verdict {
        match (&self.untested, self.checks.is_empty()) {
            (Some(_), _) | (None, true) => Verdict::NotTested,
            _ if self.checks.iter().all(|check| check.holds) => Verdict::Holds,
            _ => Verdict::DoesNotHold,
        }
    }

    /// What was measured, in one sentence a check.
    pub fn measured(&self) -> String {
        let found: Vec<&str> = self.checks.iter().map(|check| check.found.as_str()).collect();
        found.join("; ")
    }

    /// What speaks against the claim, or why it was not tested.
    pub fn against(&self) -> String {
        let failed = self.checks.iter().filter(|check| !check.holds).map(|check| check.found.as_str());
        match &self.untested {
            Some(why) => why.clone(),
            None => failed.collect::<Vec<_>>().join("; "),
        }
    }

    /// For the file with the verdict.
    pub fn json(&self) -> Value {
        let checks: Vec<Value> =
            self.checks.iter().map(|check| json!({"found": check.found, "holds": check.holds})).collect();
        json!({
            "verdict": self.verdict().text(),
            "measured": self.measured(),
            "against": self.against(),
            "checks": checks,
            "data": self.data,
            "differs": self.differs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(checks: &[bool], untested: Option<&str>) -> Verdict {
        let checks = checks.iter().map(|&holds| Check::new(holds, "x")).collect();
        Outcome { checks, untested: untested.map(String::from), ..Outcome::default() }.verdict()
    }

    #[test]
    fn a_claim_holds_when_every_check_does() {
        assert_eq!(outcome(&[true, true], None), Verdict::Holds);
        assert_eq!(outcome(&[true, false], None), Verdict::DoesNotHold);
        assert_eq!(outcome(&[], None), Verdict::NotTested);
        assert_eq!(outcome(&[true], Some("no data")), Verdict::NotTested);
    }

    #[test]
    fn checks_go_both_ways() {
        let at_most = |low: &[f64], high: &[f64], factor| Check::at_most("", low, high, factor).holds;
        assert!(at_most(&[1.0, 2.0], &[1.0, 3.0], 1.0));
        assert!(!at_most(&[1.0, 4.0], &[1.0, 3.0], 1.0));
        assert!(at_most(&[1.0, 4.0], &[1.0, 3.0], 1.5));
        assert!(!at_most(&[1.0, f64::NAN], &[1.0, 3.0], 1.5) && !at_most(&[], &[], 1.0));
        assert!(!at_most(&[1.0], &[1.0, 2.0], 1.0), "as many of each");
        let rises = |values: &[f64], slack| Check::rises("", values, slack).holds;
        assert!(
            rises(&[1.0, 1.0, 2.0], 0.0) && !rises(&[1.0, 0.9, 2.0], 0.05) && rises(&[1.0, 0.96, 2.0], 0.05)
        );
        assert!(!rises(&[1.0], 0.0) && !rises(&[1.0, f64::NAN], 0.0));
        let falls = |values: &[f64], slack| Check::falls("", values, slack).holds;
        assert!(
            falls(&[2.0, 1.0, 1.0], 0.0) && !falls(&[2.0, 1.0, 1.1], 0.05) && falls(&[2.0, 1.0, 1.04], 0.05)
        );
        assert!(
            Check::ends_lower("", &[2.0, 3.0, 1.0]).holds && !Check::ends_lower("", &[2.0, 1.0, 2.0]).holds
        );
        assert!(
            Check::ends_higher("", &[2.0, 1.0, 3.0]).holds && !Check::ends_higher("", &[2.0, 3.0, 2.0]).holds
        );
        assert!(Check::less("", 1.0, 2.0).holds && !Check::less("", 2.0, 2.0).holds);
        assert!(Check::below("", 2.0, 2.0).holds && !Check::below("", 2.1, 2.0).holds);
        assert!(Check::above("", 2.0, 2.0).holds && !Check::above("", f64::NAN, 2.0).holds);
    }

    #[test]
    fn where_an_order_is_broken_is_named() {
        let mut sweep = Sweep::new("", "k", "dm", &["a", "b"]);
        sweep.push(2, vec![1.0, 2.0]).unwrap();
        assert_eq!(Check::ordered("x", &sweep, "a", "b").found, "x at 1 of 1 places (ratio 0.50 to 0.50)");
        sweep.push(5, vec![3.0, 2.0]).unwrap();
        sweep.push(9, vec![f64::NAN, 2.0]).unwrap();
        let broken = Check::ordered("x", &sweep, "a", "b");
        assert!(!broken.holds && broken.found.ends_with(", not at k 5, 9"), "{}", broken.found);
    }

    #[test]
    fn what_was_found_is_told_with_its_numbers() {
        let check = Check::at_most("a is below b", &[1.0, 4.0], &[2.0, 2.0], 1.0);
        assert_eq!(check.found, "a is below b at 1 of 2 places (ratio 0.50 to 2.00)");
        assert_eq!(
            (short(0.0), short(123.4), short(0.000_2), short(f64::NAN)),
            ("0".into(), "123".into(), "2.0e-4".into(), "–".into())
        );
        assert!((mean_ratio(&[4.0, 1.0], &[1.0, 1.0]) - 2.0).abs() < 1e-12);
        assert!((range_ratio(&[2.0, 6.0, 3.0]) - 3.0).abs() < 1e-12);
    }
}
