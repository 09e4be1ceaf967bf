//! Round values at which bins of numbers, days and instants end, and how these are written.

use jiff::civil::{Date, date};
use klimt_core::table::{Domain, Shape, ValueType};

/// The quantity that an ordered domain with distances measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Numbers; whole ones have no values between neighbours.
    Numbers {
        whole: bool,
    },
    Days,
    Seconds,
}

/// Seconds of a day.
const DAY: f64 = 86_400.0;

impl Quantity {
    /// The quantity that a domain measures; `None` where values have no distances.
    pub fn of(domain: &Domain) -> Option<Self> {
        if !matches!(domain.shape(), Shape::Ordered) || !domain.is_measured() {
            return None;
        }
        Some(match domain.value_type() {
            ValueType::Date => Quantity::Days,
            ValueType::Timestamp => Quantity::Seconds,
            other => Quantity::Numbers { whole: other == ValueType::Integer },
        })
    }

    /// Where a value of a domain lies.
    pub fn position(domain: &Domain, code: u32) -> f64 {
        domain.position(code) as f64 / 10f64.powi(domain.scale() as i32)
    }

    /// The length of a single value: whole numbers and days reach to the next one.
    pub fn single(self) -> f64 {
        if matches!(self, Quantity::Numbers { whole: true } | Quantity::Days) { 1.0 } else { 0.0 }
    }

    /// The unit of lengths.
    pub fn unit(self) -> &'static str {
        match self {
            Quantity::Numbers { .. } => "unit",
            Quantity::Days => "day",
            Quantity::Seconds => "second",
        }
    }

    /// Round values, ascending, the first at most `low` and the last above `high`; at most about `wanted` steps.
    pub fn edges(self, low: f64, high: f64, wanted: usize) -> Vec<f64> {
        match self {
            Quantity::Numbers { whole } => steps(low, high, number_step(low, high, wanted, whole)),
            Quantity::Days => calendar(low, high, wanted),
            Quantity::Seconds if high - low > 3.0 * DAY => {
                calendar(low / DAY, high / DAY, wanted).into_iter().map(|edge| edge * DAY).collect()
            }
            Quantity::Seconds => {
                let round = [1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 3.0 * 3600.0, 6.0 * 3600.0, DAY];
                let least = (high - low) / wanted as f64;
                steps(low, high, round.into_iter().find(|step| *step >= least).unwrap_or(DAY))
            }
        }
    }

    /// How an edge is written, beside a neighbour.
    pub fn written(self, edge: f64, step: f64) -> String {
        match self {
            Quantity::Numbers { .. } => plain(edge, step),
            Quantity::Days => day(edge),
            Quantity::Seconds => {
                let (days, seconds) = ((edge / DAY).floor(), edge.rem_euclid(DAY));
                let (hours, minutes) = ((seconds / 3600.0) as u32, (seconds / 60.0) as u32 % 60);
                match (step < DAY, step < 60.0) {
                    (false, _) => day(days),
                    (true, false) => format!("{} {hours:02}:{minutes:02}", day(days)),
                    (true, true) => {
                        format!("{} {hours:02}:{minutes:02}:{:02}", day(days), seconds as u32 % 60)
                    }
                }
            }
        }
    }
}

/// Multiples of a step that enclose a range.
fn steps(low: f64, high: f64, step: f64) -> Vec<f64> {
    let first = (low / step).floor();
    let many = ((high / step).floor() - first).clamp(0.0, 1000.0) as u32 + 1;
    (0..=many).map(|at| (first + f64::from(at)) * step).collect()
}

/// 1, 2 or 5 times a power of ten; no less than 1 for whole numbers.
fn number_step(low: f64, high: f64, wanted: usize, whole: bool) -> f64 {
    let least = ((high - low) / wanted as f64).max(high.abs().max(low.abs()) * 1e-9);
    let least = if whole { least.max(1.0) } else { least };
    if !least.is_finite() || least <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|s| *s >= least * 0.999_999)
        .unwrap_or(power * 10.0)
}

/// The first days of years, of months, or days, that enclose a range of days.
fn calendar(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    const MONTHS: [i32; 9] = [1, 3, 6, 12, 24, 60, 120, 240, 600];
    let (Some(first), Some(last)) = (as_date(low), as_date(high)) else { return steps(low, high, 1000.0) };
    let span = (high - low) / 30.44;
    if span < 2.0 {
        let step = [1.0, 2.0, 5.0, 7.0, 14.0].into_iter().find(|step| (high - low) / step <= wanted as f64);
        return steps(low, high, step.unwrap_or(14.0));
    }
    let step = MONTHS.into_iter().find(|step| span / f64::from(*step) <= wanted as f64).unwrap_or(1200);
    let month = |date: Date| i32::from(date.year()) * 12 + i32::from(date.month()) - 1;
    let (mut at, end) = (month(first).div_euclid(step) * step, month(last));
    let mut edges = Vec::new();
    while at <= end + step && edges.len() < 1000 {
        let start = Date::new(at.div_euclid(12) as i16, (at.rem_euclid(12) + 1) as i8, 1);
        edges.extend(start.ok().map(in_days));
        at += step;
    }
    if edges.len() < 2 { steps(low, high, 1000.0) } else { edges }
}

fn as_date(days: f64) -> Option<Date> {
    let span = jiff::Span::new().try_days(days.floor() as i64).ok()?;
    date(1970, 1, 1).checked_add(span).ok()
}

fn in_days(day: Date) -> f64 {
    day.duration_since(date(1970, 1, 1)).as_hours() as f64 / 24.0
}

/// A day in words: a year by its first day, a month by its first day.
fn day(days: f64) -> String {
    let Some(date) = as_date(days) else { return String::from("–") };
    match (date.month(), date.day()) {
        (1, 1) => date.year().to_string(),
        (_, 1) => date.strftime("%b %Y").to_string(),
        _ => date.strftime("%-d %b %Y").to_string(),
    }
}

/// A number with as many digits as its step needs.
fn plain(value: f64, step: f64) -> String {
    if value.abs() >= 1e15 || (step > 0.0 && step < 1e-9) {
        return format!("{value:e}");
    }
    let places = (-step.abs().log10()).ceil().clamp(0.0, 9.0) as usize;
    let text = format!("{:.places$}", value.abs());
    let (whole, rest) = text.split_once('.').map_or((text.as_str(), ""), |(whole, rest)| (whole, rest));
    let grouped = crate::html::thousands(whole.parse().unwrap_or(0));
    let sign = if value < 0.0 { "−" } else { "" };
    if rest.is_empty() { format!("{sign}{grouped}") } else { format!("{sign}{grouped}.{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn edges_are_round() {
        let whole = Quantity::Numbers { whole: true };
        assert_eq!(whole.edges(17.0, 90.0, 20), (3..=19).map(|at| f64::from(at) * 5.0).collect::<Vec<_>>());
        assert_eq!(whole.written(1_234_000.0, 1000.0), "1,234,000");
        assert_eq!(Quantity::Numbers { whole: false }.written(-0.25, 0.05), "−0.25");
        let years = Quantity::Days.edges(-10_000.0, 10_000.0, 20);
        assert!(years.iter().all(|edge| Quantity::Days.written(*edge, 1.0).len() == 4), "{years:?}");
        assert_eq!(Quantity::Days.written(31.0, 1.0), "Feb 1970");
        assert_eq!(Quantity::Days.written(2.0, 1.0), "3 Jan 1970");
        assert_eq!(Quantity::Seconds.written(3_660.0, 60.0), "1970 01:01");
    }

    proptest! {
        #[test]
        fn edges_enclose_the_range(low in -1e7..1e7f64, span in 0.0..1e7f64, kind in 0..4usize) {
            let kinds = [
                Quantity::Numbers { whole: true },
                Quantity::Numbers { whole: false },
                Quantity::Days,
                Quantity::Seconds,
            ];
            let (low, span) = if kind == 2 { (low / 100.0, span / 100.0) } else { (low, span) };
            let edges = kinds[kind].edges(low, low + span, 20);
            prop_assert!(edges.len() >= 2 && edges.len() <= 64, "{}", edges.len());
            prop_assert!(edges[0] <= low && edges[edges.len() - 1] > low + span, "{edges:?}");
            prop_assert!(edges.is_sorted_by(|a, b| a < b));
        }
    }
}
