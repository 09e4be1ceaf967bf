//! Numbers as they are known: exactly, or only to lie between two.
//!
//! A search that was not over in its time has found something that costs at least what it proved and at most what it
//! found; its CPU time is at least what was measured. Clocks and repeated runs have a spread. All of these are intervals,
//! and a claim about them is decided only where every number of the interval gives the same answer.

/// A number that was measured; not a number where nothing was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// It is not less than this,
    pub low: f64,
    /// and not more than this.
    pub high: f64,
}

impl From<f64> for Measured {
    fn from(value: f64) -> Self {
        Measured { low: value, high: value }
    }
}

impl Measured {
    /// Nothing was measured.
    pub const UNKNOWN: Measured = Measured { low: f64::NAN, high: f64::NAN };

    /// A number that lies between two.
    pub fn between(low: f64, high: f64) -> Self {
        Measured { low, high }
    }

    /// A number that is not less than another.
    pub fn at_least(low: f64) -> Self {
        Measured { low, high: f64::INFINITY }
    }

    /// Whether it is known exactly.
    pub fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// What a chart shows: what a search found, or what a clock showed.
    pub fn shown(self) -> f64 {
        if self.high.is_finite() { self.high } else { self.low }
    }

    /// The same in another unit.
    pub fn scaled(self, factor: f64) -> Self {
        Measured { low: self.low * factor, high: self.high * factor }
    }

    /// The sum of two numbers.
    pub fn plus(self, other: Measured) -> Self {
        Measured { low: self.low + other.low, high: self.high + other.high }
    }

    /// How many times as large it is as another; both are not negative. Nothing over nothing is unknown.
    pub fn over(self, other: Measured) -> Self {
        if self == other && self.is_exact() && self.low == 0.0 {
            return Measured::UNKNOWN;
        }
        let low = if other.high.is_infinite() { 0.0 } else { self.low / other.high };
        let high = if other.low == 0.0 { f64::INFINITY } else { self.high / other.low };
        if self.low.is_nan() || other.low.is_nan() { Measured::UNKNOWN } else { Measured { low, high } }
    }

    /// The greatest of some; unknown where one of them is.
    pub fn most(all: &[Measured]) -> Self {
        Measured::joined(all, f64::max)
    }

    /// The least of some; unknown where one of them is.
    pub fn least(all: &[Measured]) -> Self {
        Measured::joined(all, f64::min)
    }

    fn joined(all: &[Measured], join: fn(f64, f64) -> f64) -> Self {
        if all.iter().any(|number| number.low.is_nan()) {
            return Measured::UNKNOWN;
        }
        let both = |a: Measured, b: Measured| Measured::between(join(a.low, b.low), join(a.high, b.high));
        all.iter().copied().reduce(both).unwrap_or(Measured::UNKNOWN)
    }

    /// In few digits.
    pub fn text(self) -> String {
        match (self.low, self.high) {
            (low, high) if low == high || low.is_nan() => short(low),
            (low, f64::INFINITY) => format!("at least {}", short(low)),
            (low, high) if short(low) == short(high) => short(low),
            (low, high) => format!("{}..{}", short(low), short(high)),
        }
    }
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

/// The mean of some numbers.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_hold_every_ratio_of_the_intervals() {
        let over = |a: (f64, f64), b: (f64, f64)| {
            let ratio = Measured::between(a.0, a.1).over(Measured::between(b.0, b.1));
            (ratio.low, ratio.high)
        };
        assert_eq!(over((2.0, 4.0), (1.0, 2.0)), (1.0, 4.0));
        assert_eq!(over((2.0, f64::INFINITY), (1.0, 1.0)), (2.0, f64::INFINITY));
        assert_eq!(over((2.0, 2.0), (1.0, f64::INFINITY)), (0.0, 2.0));
        assert_eq!(over((2.0, 2.0), (0.0, 0.0)), (f64::INFINITY, f64::INFINITY));
        assert!(over((0.0, 0.0), (0.0, 0.0)).0.is_nan());
        assert!(Measured::UNKNOWN.over(1.0.into()).low.is_nan());
        let unknown = [1.0.into(), Measured::UNKNOWN];
        assert!(Measured::most(&unknown).low.is_nan() && Measured::least(&unknown).low.is_nan());
    }

    #[test]
    fn numbers_are_written_in_few_digits() {
        let text = |low, high| Measured::between(low, high).text();
        assert_eq!((text(0.0, 0.0), text(123.4, 123.4)), ("0".into(), "123".into()));
        assert_eq!((text(0.5, f64::INFINITY), text(0.5, 2.0)), ("at least 0.50".into(), "0.50..2.00".into()));
        assert_eq!((short(0.000_2), Measured::UNKNOWN.text()), ("2.0e-4".into(), "–".into()));
    }
}
