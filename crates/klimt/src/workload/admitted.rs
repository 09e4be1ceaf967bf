//! What predicates admit of a domain, and how much of a region that is.
//!
//! An ordered domain is an axis of units: whole numbers, days, ranks, or what the last digit of the column counts. A region
//! spreads its rows evenly over its units, its leaves or its members; where it also holds the missing value, that gets the
//! share of one value among all of the domain.

use crate::statistics::Extent;
use crate::table::{Domain, Shape};

/// What the predicates of a query on one column admit.
#[derive(Clone, Debug, PartialEq)]
pub enum Admitted {
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

/// A region's stretch of an axis: its first and last unit, and the share of its rows whose value is missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    pub first: i128,
    pub last: i128,
    pub missing: f64,
}

impl Stretch {
    /// What a region covers of an ordered domain, whose published ends may be open; `None` where there is no value.
    pub fn of(domain: &Domain, covered: &Extent, ends: &Extent) -> Option<Stretch> {
        let ((lo, hi), (from, to)) = (covered.ends()?, ends.ends()?);
        let values = domain.value_count() as u32;
        if lo >= values {
            return None;
        }
        if hi >= values {
            // The missing value among others is published as everything.
            let (first, last) = (domain.position(0), domain.position(values - 1));
            return Some(Stretch { first, last, missing: 1.0 / domain.cardinality() as f64 });
        }
        let first = if from < lo { domain.position(from) + 1 } else { domain.position(lo) };
        let last = if to > hi { domain.position(to) - 1 } else { domain.position(hi) };
        Some(Stretch { first, last, missing: 0.0 })
    }

    /// How many units of it lie in another stretch.
    fn common(&self, (first, last): (i128, i128)) -> i128 {
        (self.last.min(last) - self.first.max(first) + 1).max(0)
    }
}

impl Admitted {
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
        Admitted::Axis { stretches: apart, codes, missing }
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
        Admitted::Codes { bits, before }
    }

    /// What both admit.
    pub(super) fn and(&self, other: &Admitted, domain: &Domain) -> Self {
        match (self, other) {
            (
                Admitted::Axis { stretches, missing, .. },
                Admitted::Axis { stretches: others, missing: too, .. },
            ) => {
                let common = |&(a, b): &(i128, i128)| {
                    others.iter().map(move |&(c, d)| (a.max(c), b.min(d))).collect::<Vec<_>>()
                };
                let both = stretches.iter().flat_map(common).collect();
                Admitted::axis(domain, both, *missing && *too)
            }
            _ => Admitted::codes(domain, |code| self.holds(code) && other.holds(code)),
        }
    }

    /// Whether a code is admitted; `values` codes of an ordered domain are no missing value.
    fn holds(&self, code: u32) -> bool {
        match self {
            Admitted::Axis { codes, .. } => {
                codes.iter().any(|&(first, beyond)| first <= code && code < beyond)
            }
            Admitted::Codes { bits, .. } => bits[code as usize / 64] >> (code % 64) & 1 == 1,
        }
    }

    /// Whether a row with this code satisfies the predicates.
    pub fn admits(&self, domain: &Domain, code: u32) -> bool {
        match self {
            Admitted::Axis { missing, .. } if Some(code) == domain.missing_code() => *missing,
            _ => self.holds(code),
        }
    }

    /// Whether every value is admitted that the domain can have, the missing one included where there is one.
    pub fn is_everything(&self, domain: &Domain) -> bool {
        match self {
            Admitted::Axis { codes, missing, .. } => {
                let values = domain.value_count() as u32;
                codes.iter().any(|&(first, beyond)| first == 0 && beyond >= values)
                    && (*missing || domain.missing_code().is_none())
            }
            Admitted::Codes { before, .. } => before.last() == Some(&(domain.cardinality() as u32)),
        }
    }

    /// Which share of the rows of a region is admitted, 0..1, when they are spread evenly over it. A region is given by the
    /// codes that it covers and those of its published ends.
    pub fn share(&self, domain: &Domain, covered: &Extent, ends: &Extent) -> f64 {
        match self {
            Admitted::Axis { stretches, missing, .. } => {
                let Some(region) = Stretch::of(domain, covered, ends) else {
                    return f64::from(u8::from(*missing));
                };
                let units = region.last - region.first + 1;
                let common: i128 = stretches.iter().map(|&stretch| region.common(stretch)).sum();
                let share = if common >= units { 1.0 } else { common as f64 / units as f64 };
                share * (1.0 - region.missing) + if *missing { region.missing } else { 0.0 }
            }
            Admitted::Codes { bits, before } => match covered {
                Extent::Members(members) => {
                    let both: u32 = members.iter().zip(bits).map(|(a, b)| (a & b).count_ones()).sum();
                    ratio(u64::from(both), covered.len())
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
                    ratio(u64::from(both), u64::from(hi - lo) + 1)
                }
                Extent::Interval { .. } => 0.0,
            },
        }
    }

    /// Where a cut between two codes parts what is admitted from what is not: the last code before each.
    pub(crate) fn boundaries(&self, into: &mut Vec<u32>) {
        match self {
            Admitted::Axis { codes, .. } => {
                for &(first, beyond) in codes {
                    into.extend(first.checked_sub(1));
                    into.extend(beyond.checked_sub(1));
                }
            }
            Admitted::Codes { before, .. } => {
                let held = |code: usize| before[code + 1] > before[code];
                let codes = 1..before.len().saturating_sub(1);
                into.extend(codes.filter(|&code| held(code) != held(code - 1)).map(|code| code as u32 - 1));
            }
        }
    }

    /// What is admitted of a region of an ordered domain: average, first and last unit; `None` where nothing is.
    pub(super) fn spread(&self, region: &Stretch) -> Option<(f64, i128, i128)> {
        let Admitted::Axis { stretches, .. } = self else { return None };
        let common = |&(first, last): &(i128, i128)| (first.max(region.first), last.min(region.last));
        let parts: Vec<(i128, i128)> = stretches.iter().map(common).filter(|(a, b)| a <= b).collect();
        let units: i128 = parts.iter().map(|(a, b)| b - a + 1).sum();
        let weighted = |&(a, b): &(i128, i128)| (a as f64 + b as f64) / 2.0 * (b - a + 1) as f64;
        let mean = parts.iter().map(weighted).sum::<f64>() / units as f64;
        Some((mean, parts.first()?.0, parts.last()?.1))
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
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
