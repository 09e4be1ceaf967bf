//! Axes: label, range and ticks.

use crate::text::number;
use crate::ticks;

/// How values are laid out along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances are equal differences.
    #[default]
    Linear,
    /// Equal distances are equal ratios; values that are not positive are left out.
    Log,
}

/// A place on an axis with what is written there.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where it is.
    pub at: f64,
    /// The label.
    pub label: String,
}

/// An axis of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The label.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Where it starts, whatever the values; marks outside are cut off.
    pub from: Option<f64>,
    /// Where it ends, whatever the values.
    pub to: Option<f64>,
    /// Ticks that stand for the numbers, for dates and ordered words; round numbers where there are none.
    pub ticks: Vec<Tick>,
}

impl Axis {
    /// A linear axis over the values that there are.
    pub fn new(label: impl Into<String>) -> Self {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// The same on a log scale.
    pub fn log(mut self) -> Self {
        self.scale = Scale::Log;
        self
    }

    /// The same from this value on.
    pub fn from(mut self, from: f64) -> Self {
        self.from = Some(from);
        self
    }

    /// The same up to this value.
    pub fn to(mut self, to: f64) -> Self {
        self.to = Some(to);
        self
    }

    /// The same with ticks of its own.
    pub fn with_ticks(mut self, ticks: Vec<Tick>) -> Self {
        self.ticks = ticks;
        self
    }

    /// Whether a value has a place on it.
    pub(crate) fn takes(&self, value: f64) -> bool {
        value.is_finite() && (self.scale == Scale::Linear || value > 0.0)
    }

    /// A value as it is drawn: differences and ratios must stay finite.
    fn drawn(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value.clamp(-LARGEST, LARGEST),
            Scale::Log => value.clamp(1.0 / LARGEST, LARGEST),
        }
    }

    /// The axis over values, laid out between two places on the sheet.
    pub(crate) fn laid(
        &self,
        values: impl Iterator<Item = f64>,
        place: (f64, f64),
        snug: bool,
    ) -> AxisLayout {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| self.takes(*value)) {
            let value = self.drawn(value);
            (low, high) = (low.min(value), high.max(value));
        }
        let given = |end: Option<f64>| end.filter(|end| self.takes(*end)).map(|end| self.drawn(end));
        let (from, to) = (given(self.from), given(self.to));
        let empty = low > high;
        let log = self.scale == Scale::Log;
        if empty {
            (low, high) = if log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        let (mut low, mut high) = apart(from.unwrap_or(low), to.unwrap_or(high), log);
        if !snug && self.ticks.is_empty() {
            let (outer_low, outer_high) = if log { (low, high) } else { ticks::widened(low, high) };
            low = if from.is_some() { low } else { outer_low };
            high = if to.is_some() { high } else { outer_high };
        }
        AxisLayout { low, high, log, place }
    }

    /// The labelled marks of a laid out axis.
    pub(crate) fn marks(&self, laid: &AxisLayout) -> Vec<Tick> {
        let inside = |at: f64| self.takes(at) && at >= laid.low && at <= laid.high;
        if !self.ticks.is_empty() {
            return self.ticks.iter().filter(|tick| inside(tick.at)).cloned().collect();
        }
        let numbers = if laid.log {
            ticks::logarithmic(laid.low, laid.high)
        } else {
            ticks::linear(laid.low, laid.high)
        };
        numbers.into_iter().map(|at| Tick { at, label: number(at) }).collect()
    }
}

/// Values beyond this are drawn as if they were this.
const LARGEST: f64 = 1e200;

/// Two ends that are apart, the lower one first.
fn apart(low: f64, high: f64, log: bool) -> (f64, f64) {
    let (low, high) = if low <= high { (low, high) } else { (high, low) };
    let close = (high - low).abs() <= low.abs().max(high.abs()) * 1e-12;
    match (close, log) {
        (false, _) => (low, high),
        (true, true) => (low / 2.0, high * 2.0),
        (true, false) if low == 0.0 => (0.0, 1.0),
        (true, false) => (low - low.abs() * 0.1, high + high.abs() * 0.1),
    }
}

/// An axis with its ends, between two places on the sheet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisLayout {
    /// The value at the first place.
    pub low: f64,
    /// The value at the second place.
    pub high: f64,
    log: bool,
    /// The two places.
    pub place: (f64, f64),
}

impl AxisLayout {
    /// Where a value is drawn; values beyond the ends are drawn at the ends.
    pub fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.place.0 + (self.place.1 - self.place.0) * share
    }

    /// Whether a value lies between the ends.
    pub fn holds(&self, value: f64) -> bool {
        let value = value.clamp(-LARGEST, LARGEST);
        value >= self.low && value <= self.high
    }

    /// Where marks that stand on the axis begin: zero, or the end that is nearest to it.
    pub fn base(&self) -> f64 {
        if self.log { self.low } else { 0f64.clamp(self.low, self.high) }
    }
}
