//! The values of a domain that predicates admit, and the share of a region that these are.
//!
//! A region spreads its rows evenly over the units of an axis (`spread.rs`), its leaves or its members; where it also holds
//! the missing value, that gets the share of one value among all of the domain.

use super::spread::{AxisStretch, Portion, Spread};
use crate::statistics::Extent;
use crate::table::{Domain, Shape};

/// The values of a column that the predicates of a query admit.
#[derive(Clone, Debug, PartialEq)]
pub enum AdmittedValues {
    /// Of an ordered domain.
    Axis {
        /// Stretches of units, both ends included, ascending and apart.
        stretches: Vec<(i128, i128)>,
        /// The codes of each stretch, from the first up to one beyond the last.
        codes: Vec<(u32, u32)>,
        /// Whether the missing value is.
        missing: bool,
    },
    /// Of a hierarchy or a set.
    Codes {
        /// A bit per code.
        bits: Vec<u64>,
        /// How many codes before each are; one more than there are codes.
        before: Vec<u32>,
    },
}

/// How much of a region is admitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coverage {
    /// None of it.
    Nothing,
    /// A share, which may round to 0 or 1.
    Part(f64),
    /// All of it.
    Everything,
}

impl Coverage {
    /// The share that is admitted, 0..1.
    pub fn share(self) -> f64 {
        match self {
            Coverage::Nothing => 0.0,
            Coverage::Part(share) => share,
            Coverage::Everything => 1.0,
        }
    }

    /// The coverage of two independent conditions together.
    pub(super) fn and(self, other: Coverage) -> Coverage {
        match (self, other) {
            (Coverage::Nothing, _) | (_, Coverage::Nothing) => Coverage::Nothing,
            (Coverage::Everything, one) | (one, Coverage::Everything) => one,
            (Coverage::Part(a), Coverage::Part(b)) => Coverage::Part(a * b),
        }
    }

    fn ratio(part: u128, whole: u128) -> Coverage {
        match part {
            0 => Coverage::Nothing,
            part if part >= whole => Coverage::Everything,
            part => Coverage::Part(part as f64 / whole as f64),
        }
    }
}

impl AdmittedValues {
    /// Stretches of the axis of an ordered domain, in any order.
    pub(super) fn axis(domain: &Domain, mut stretches: Vec<(i128, i128)>, missing: bool) -> Self {
        stretches.retain(|(first, last)| first <= last);
        stretches.sort_unstable();
        let mut apart: Vec<(i128, i128)> = Vec::with_capacity(stretches.len());
        for (first, last) in stretches {
            match apart.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => apart.push((first, last)),
            }
        }
        let upto = |unit: i128| codes_below(domain, unit);
        let codes = apart.iter().map(|&(first, last)| (upto(first), upto(last.saturating_add(1)))).collect();
        AdmittedValues::Axis { stretches: apart, codes, missing }
    }

    /// Some codes of a hierarchy or a set.
    pub(super) fn codes(domain: &Domain, admitted: impl Fn(u32) -> bool) -> Self {
        let many = domain.cardinality();
        let (mut bits, mut before) = (vec![0u64; many.div_ceil(64)], Vec::with_capacity(many + 1));
        let mut count = 0;
        for code in 0..many as u32 {
            before.push(count);
            if admitted(code) {
                bits[code as usize / 64] |= 1 << (code % 64);
                count += 1;
            }
        }
        before.push(count);
        AdmittedValues::Codes { bits, before }
    }

    /// The values that both admit.
    pub(super) fn and(&self, other: &AdmittedValues, domain: &Domain) -> Self {
        match (self, other) {
            (
                AdmittedValues::Axis { stretches, missing, .. },
                AdmittedValues::Axis { stretches: others, missing: too, .. },
            ) => {
                let common = |&(a, b): &(i128, i128)| {
                    others.iter().map(move |&(c, d)| (a.max(c), b.min(d))).collect::<Vec<_>>()
                };
                let both = stretches.iter().flat_map(common).collect();
                AdmittedValues::axis(domain, both, *missing && *too)
            }
            _ => AdmittedValues::codes(domain, |code| self.holds(code) && other.holds(code)),
        }
    }

    /// Whether a code is admitted; `values` codes of an ordered domain are no missing value.
    fn holds(&self, code: u32) -> bool {
        match self {
            AdmittedValues::Axis { codes, .. } => {
                codes.iter().any(|&(first, beyond)| first <= code && code < beyond)
            }
            AdmittedValues::Codes { bits, .. } => bits[code as usize / 64] >> (code % 64) & 1 == 1,
        }
    }

    /// Whether a row with this code satisfies the predicates.
    pub fn admits(&self, domain: &Domain, code: u32) -> bool {
        match self {
            AdmittedValues::Axis { missing, .. } if Some(code) == domain.missing_code() => *missing,
            _ => self.holds(code),
        }
    }

    /// Whether every value is admitted that the domain can have, the missing one included where there is one.
    pub fn is_everything(&self, domain: &Domain) -> bool {
        match self {
            AdmittedValues::Axis { codes, missing, .. } => {
                let values = domain.value_count() as u32;
                codes.iter().any(|&(first, beyond)| first == 0 && beyond >= values)
                    && (*missing || domain.missing_code().is_none())
            }
            AdmittedValues::Codes { before, .. } => before.last() == Some(&(domain.cardinality() as u32)),
        }
    }

    /// Which share of the rows of a region is admitted, 0..1, when they are spread evenly over it. A region is given by the
    /// codes that it covers and those of its published ends.
    pub fn share(&self, domain: &Domain, covered: &Extent, ends: &Extent) -> f64 {
        self.coverage(domain, covered, ends).share()
    }

    /// How much of a region is admitted when rows are spread evenly over it.
    pub fn coverage(&self, domain: &Domain, covered: &Extent, ends: &Extent) -> Coverage {
        match self {
            AdmittedValues::Axis { stretches, missing, .. } => {
                let region = AxisStretch::of(domain, covered, ends);
                let values = region.map_or(Coverage::Nothing, |region| {
                    let common: i128 = stretches.iter().map(|&stretch| region.common(stretch)).sum();
                    Coverage::ratio(common.unsigned_abs(), region.units().unsigned_abs())
                });
                with_missing(values, region.map(|region| region.missing), *missing)
            }
            AdmittedValues::Codes { bits, before } => match covered {
                Extent::Members(members) => {
                    let both: u32 = members.iter().zip(bits).map(|(a, b)| (a & b).count_ones()).sum();
                    Coverage::ratio(u128::from(both), u128::from(covered.len()))
                }
                Extent::Interval { lo, hi } if lo <= hi => {
                    let (lo, hi) = match domain.shape() {
                        Shape::Hierarchy(tree) if lo < hi => {
                            let node = domain.node_over(tree, *lo, *hi);
                            let last = domain.cardinality() as u32 - 1;
                            let (first, end) = tree.span(node);
                            (first, if node == tree.root() { last } else { end })
                        }
                        _ => (*lo, *hi),
                    };
                    let both = before[hi as usize + 1] - before[lo as usize];
                    Coverage::ratio(u128::from(both), u128::from(hi - lo) + 1)
                }
                Extent::Interval { .. } => Coverage::Nothing,
            },
        }
    }

    /// How much of some rows of an ordered domain is admitted, by how they are spread; `None` for rows without a value.
    pub(crate) fn coverage_of(&self, spread: Option<&Spread>) -> Coverage {
        let AdmittedValues::Axis { stretches, missing, .. } = self else { return Coverage::Nothing };
        let portion = spread.and_then(|spread| spread.portion(stretches));
        let values = portion.map_or(Coverage::Nothing, |portion| portion.coverage);
        with_missing(values, spread.map(|spread| spread.stretch.missing), *missing)
    }

    /// Everything of an ordered domain but the missing value.
    pub(crate) fn every_value(domain: &Domain) -> Self {
        AdmittedValues::axis(domain, vec![(i128::MIN / 4, i128::MAX / 4)], false)
    }

    /// The admitted portion of the rows of an ordered domain that have a value; `None` where it is empty.
    pub(crate) fn portion(&self, spread: &Spread) -> Option<Portion> {
        let AdmittedValues::Axis { stretches, .. } = self else { return None };
        spread.portion(stretches)
    }

    /// Where a cut between two codes parts what is admitted from what is not: the last code before each.
    pub(crate) fn boundaries(&self, into: &mut Vec<u32>) {
        match self {
            AdmittedValues::Axis { codes, .. } => {
                for &(first, beyond) in codes {
                    into.extend(first.checked_sub(1));
                    into.extend(beyond.checked_sub(1));
                }
            }
            AdmittedValues::Codes { before, .. } => {
                let held = |code: usize| before[code + 1] > before[code];
                let codes = 1..before.len().saturating_sub(1);
                into.extend(codes.filter(|&code| held(code) != held(code - 1)).map(|code| code as u32 - 1));
            }
        }
    }
}

/// The coverage of rows of which a share has no value; all of them have none where `values` is `None`.
fn with_missing(values: Coverage, lost: Option<f64>, missing: bool) -> Coverage {
    let Some(lost) = lost else { return if missing { Coverage::Everything } else { Coverage::Nothing } };
    match (values, missing) {
        (values, _) if lost == 0.0 => values,
        (Coverage::Nothing, false) => Coverage::Nothing,
        (Coverage::Everything, true) => Coverage::Everything,
        (values, missing) => Coverage::Part(values.share() * (1.0 - lost) + if missing { lost } else { 0.0 }),
    }
}

/// How many values of an ordered domain lie below a unit of its axis.
fn codes_below(domain: &Domain, unit: i128) -> u32 {
    let (mut lo, mut hi) = (0, domain.value_count() as u32);
    while lo < hi {
        let middle = lo + (hi - lo) / 2;
        if domain.position(middle) < unit {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    lo
}
