//! How the rows are spread over the values of one column, before and after, in bins that may be shown.

use super::{LeftOut, Quantity, Weight};
use klimt_core::statistics::Extent;
use klimt_core::table::{Domain, Shape};

/// A column in bins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Distribution {
    /// The bins, in the order in which they are shown.
    pub bins: Vec<BinCounts>,
    /// Whether they are ranges of what is measured, or values.
    pub measured: Option<Quantity>,
}

/// A bin that may be shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BinCounts {
    /// Its values, in words.
    pub label: String,
    /// Where it is drawn, for a range.
    pub place: Option<(f64, f64)>,
    /// Its rows in the original.
    pub before: u64,
    /// Its rows in the release, those of more general values spread evenly.
    pub after: f64,
}

/// A column in bins, or why it is not shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BinDrawing {
    Bins(Distribution),
    Not(String),
}

/// About so many bins of numbers are aimed at.
const RANGES: usize = 20;
/// At most so many values are named.
const VALUES: usize = 14;

/// Puts a column into bins. `weights` are the rows of each code, `after` what the release publishes: extents of codes with
/// their rows.
pub(crate) fn distribution(
    domain: &Domain,
    weights: &[Weight],
    after: &[(Extent, u64)],
    left_out: &LeftOut,
    least: u64,
) -> BinDrawing {
    if *left_out == LeftOut::Unknown {
        return BinDrawing::Not(String::from(
            "Not drawn: rows were left out of the release, and which ones cannot be told from the files, so the original \
             might tell their values.",
        ));
    }
    let mut bins = match Quantity::of(domain) {
        Some(measured) => ranges(domain, measured, weights, least),
        None => values(domain, weights, least),
    };
    let too_few = |bins: &Bins| bins.bins.len() < 2 || bins.bins.iter().any(|bin| !bin.weight.is_safe(least));
    if too_few(&bins) {
        return BinDrawing::Not(format!(
            "Not drawn: there is no way to divide the rows into bins of at least {least} that gives nothing away."
        ));
    }
    bins.spread(domain, after);
    let shown = bins.bins.into_iter().map(|bin| BinCounts {
        label: bin.label,
        place: bin.place,
        before: bin.weight.rows,
        after: bin.after,
    });
    BinDrawing::Bins(Distribution { bins: shown.collect(), measured: bins.measured })
}

/// Bins in the making.
struct Bins {
    bins: Vec<Bin>,
    /// The bin of every code.
    of_code: Vec<usize>,
    measured: Option<Quantity>,
}

#[derive(Default)]
struct Bin {
    label: String,
    place: Option<(f64, f64)>,
    weight: Weight,
    after: f64,
}

/// Joins neighbours until every one is safe, or there is but one: the number of the bin of each unit.
pub(super) fn join(units: &[Weight], least: u64) -> Vec<usize> {
    let mut ends: Vec<(Weight, usize)> = Vec::new();
    let mut open = Weight::default();
    for (at, unit) in units.iter().enumerate() {
        open.add(*unit);
        if open.is_safe(least) {
            ends.push((open, at + 1));
            open = Weight::default();
        }
    }
    // What is left at the end goes to the bins before it, until that is safe.
    if ends.last().is_none_or(|last| last.1 < units.len()) {
        while let Some((last, _)) = ends.pop() {
            open.add(last);
            if open.is_safe(least) {
                break;
            }
        }
        ends.push((open, units.len()));
    }
    let mut of_unit = Vec::with_capacity(units.len());
    for (number, (_, end)) in ends.iter().enumerate() {
        of_unit.resize(*end, number);
    }
    of_unit
}

/// Ranges between round values; the outermost are open, and missing values are a unit of their own at the end.
fn ranges(domain: &Domain, measured: Quantity, weights: &[Weight], least: u64) -> Bins {
    let values = domain.value_count();
    let positions: Vec<f64> = (0..values as u32).map(|code| Quantity::position(domain, code)).collect();
    let nothing = || Bins { bins: Vec::new(), of_code: Vec::new(), measured: Some(measured) };
    let (Some(low), Some(high)) = (
        reached(0..values, weights, least).map(|code| positions[code]),
        reached((0..values).rev(), weights, least).map(|code| positions[code]),
    ) else {
        return nothing();
    };
    if low > high {
        return nothing();
    }
    let edges = measured.edges(low, high, RANGES);
    let inner = &edges[1..edges.len() - 1];
    let unit_of = |position: f64| inner.partition_point(|edge| *edge <= position);
    let missing = domain.missing_code().map(|code| weights[code as usize]).filter(|weight| weight.rows > 0);
    let mut units = vec![Weight::default(); inner.len() + 1];
    for (position, weight) in positions.iter().zip(weights) {
        units[unit_of(*position)].add(*weight);
    }
    units.extend(missing);
    let of_unit = join(&units, least);
    let mut bins: Vec<Bin> = Vec::new();
    bins.resize_with(of_unit.last().map_or(0, |last| last + 1), Bin::default);
    for (unit, weight) in units.iter().enumerate() {
        bins[of_unit[unit]].weight.add(*weight);
    }
    let step = edges[1] - edges[0];
    for (number, bin) in bins.iter_mut().enumerate() {
        let held = || (0..units.len()).filter(|unit| of_unit[*unit] == number);
        let ranges: Vec<usize> = held().filter(|unit| *unit <= inner.len()).collect();
        let with_missing = missing.is_some() && held().any(|unit| unit > inner.len());
        let Some((first, last)) = ranges.first().zip(ranges.last()) else {
            bin.label = String::from("missing");
            continue;
        };
        bin.place = Some((edges[*first], edges[last + 1]));
        let ends = (*first > 0, last + 1 < edges.len() - 1);
        bin.label = name(measured, (edges[*first], edges[last + 1]), ends, step);
        if with_missing {
            bin.label.push_str(", or missing");
        }
    }
    let of_code = positions.iter().map(|position| of_unit[unit_of(*position)]);
    let of_code = of_code.chain(of_unit.last().copied()).collect();
    Bins { bins, of_code, measured: Some(measured) }
}

/// The code at which so many rows have been passed.
pub(super) fn reached(
    mut codes: impl Iterator<Item = usize>,
    weights: &[Weight],
    least: u64,
) -> Option<usize> {
    let mut passed = 0;
    codes.find(|code| {
        passed += weights[*code].rows;
        passed >= least
    })
}

fn name(
    measured: Quantity,
    (from, to): (f64, f64),
    (from_known, to_known): (bool, bool),
    step: f64,
) -> String {
    let edge = |edge: f64| measured.written(edge, step);
    match (from_known, to_known) {
        (true, true) => format!("{} up to {}", edge(from), edge(to)),
        (false, true) => format!("below {}", edge(to)),
        (true, false) => format!("{} or more", edge(from)),
        (false, false) => String::from("all values"),
    }
}

/// Values that enough rows have, by name, and all others together.
fn values(domain: &Domain, weights: &[Weight], least: u64) -> Bins {
    let safe = |code: &usize| weights[*code].is_safe(least);
    let mut named: Vec<usize> = (0..weights.len()).filter(safe).collect();
    named.sort_by_key(|code| (std::cmp::Reverse(weights[*code].rows), *code));
    named.truncate(VALUES);
    let others = |named: &[usize]| {
        let mut rest = Weight::default();
        let rare = (0..weights.len()).filter(|code| !named.contains(code) && weights[*code].rows > 0);
        let many = rare.inspect(|code| rest.add(weights[*code])).count();
        (rest, many)
    };
    // The others are shown together, or not at all: values go to them until they are enough.
    let (mut rest, mut many) = others(&named);
    while rest.rows > 0 && !rest.is_safe(least) && !named.is_empty() {
        named.pop();
        (rest, many) = others(&named);
    }
    if matches!(domain.shape(), Shape::Ordered) {
        named.sort_unstable();
    }
    let text = |code: usize| match domain.text(code as u32) {
        empty if empty.is_empty() => String::from("missing"),
        text => text,
    };
    let mut bins: Vec<Bin> = named
        .iter()
        .map(|&code| Bin { label: text(code), weight: weights[code], ..Bin::default() })
        .collect();
    let mut of_code = vec![bins.len(); weights.len()];
    named.iter().enumerate().for_each(|(bin, code)| of_code[*code] = bin);
    if rest.rows > 0 {
        let label = if many == 1 { String::from("one other value") } else { format!("{many} other values") };
        bins.push(Bin { label, weight: rest, ..Bin::default() });
    }
    Bins { bins, of_code, measured: None }
}

impl Bins {
    /// Spreads what is published evenly: over lengths where there are distances, over values otherwise.
    fn spread(&mut self, domain: &Domain, after: &[(Extent, u64)]) {
        for (extent, rows) in after {
            let (Some((lo, hi)), rows) = (extent.ends(), *rows as f64) else { continue };
            let last = domain.cardinality().saturating_sub(1) as u32;
            match self.measured {
                Some(_) if lo == hi => self.give(self.of_code[lo as usize], rows),
                // Anything at all is spread over what is drawn: the ends of the column are no one's to know.
                Some(_) if (lo == 0 && hi == last) || domain.mixes_missing(lo, hi) => self.give_all(rows),
                Some(measured) => {
                    let ends =
                        (Quantity::position(domain, lo), Quantity::position(domain, hi) + measured.single());
                    self.give_range(ends, rows);
                }
                None => {
                    let codes = extent.codes();
                    let share = rows / codes.len().max(1) as f64;
                    codes.into_iter().for_each(|code| self.give(self.of_code[code as usize], share));
                }
            }
        }
    }

    fn give(&mut self, bin: usize, rows: f64) {
        if let Some(bin) = self.bins.get_mut(bin) {
            bin.after += rows;
        }
    }

    fn give_all(&mut self, rows: f64) {
        let length = |bin: &Bin| bin.place.map_or(0.0, |(from, to)| to - from);
        let whole: f64 = self.bins.iter().map(length).sum();
        self.bins.iter_mut().for_each(|bin| bin.after += rows * length(bin) / whole);
    }

    fn give_range(&mut self, (from, to): (f64, f64), rows: f64) {
        let last = self.bins.iter().rposition(|bin| bin.place.is_some()).unwrap_or(0);
        for (at, bin) in self.bins.iter_mut().enumerate() {
            let Some((low, high)) = bin.place else { continue };
            // The outermost bins are open.
            let low = if at == 0 { f64::NEG_INFINITY } else { low };
            let high = if at == last { f64::INFINITY } else { high };
            bin.after += rows * ((to.min(high) - from.max(low)) / (to - from)).clamp(0.0, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Rules 1 and 2 for neighbours that are joined: all rows, and no bin that tells of fewer than k.
        #[test]
        fn joined_bins_are_safe_and_hold_everything(
            units in prop::collection::vec((0..9u64, 0..4u64), 1..40),
            least in 2..12u64,
        ) {
            let units: Vec<Weight> =
                units.iter().map(|&(rows, out)| Weight { rows: rows + out, left_out: out }).collect();
            let of_unit = join(&units, least);
            prop_assert_eq!(of_unit.len(), units.len());
            prop_assert!(of_unit.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1));
            let many = of_unit.last().unwrap() + 1;
            for bin in 0..many {
                let mut sum = Weight::default();
                units.iter().zip(&of_unit).filter(|(_, of)| **of == bin).for_each(|(unit, _)| sum.add(*unit));
                prop_assert!(many == 1 || sum.is_safe(least), "{sum:?} of {many}");
            }
        }
    }

    #[test]
    fn a_bin_tells_of_nobody_who_was_left_out_alone() {
        let safe = |rows, left_out| Weight { rows, left_out }.is_safe(5);
        assert!(safe(5, 0) && safe(9, 5));
        assert!(!safe(4, 0) && !safe(20, 1) && !safe(20, 4));
    }
}
