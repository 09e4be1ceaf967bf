//! Cuts for a workload: at the ends of its predicates, where that lowers the error that is expected of its answers most.
//!
//! A group answers as if its rows lay evenly in its region: of rows of which a query selects the share p, it counts the
//! share f of the region that is admitted, and is off by f - p of each. Errors of many groups lean to one side where the
//! data does, so that the square counts: (f - p)². That alone would be content with a part whose rows happen to be as many
//! as its region says, however they lie in it; a trace of p(1 - p), what rows are mixed, makes it go on to where predicates
//! end ([`MIXED`]). (The mean of what single rows are counted wrong by would not do: where p is less than a half it is
//! least for f = 0, so that all groups count too little and the errors add up.)
//!
//! For a sum or an average, a row counts for its number (`workload/steering.rs`), and the group is off by f·g - p·m of each
//! row: m is what the selected rows count for on average, and g what the release takes them to count for, by the middle of
//! what is admitted of the region, or by the mean of the group where that is published. Without means, cuts between the
//! quantiles of the numbers are tried too, which bring g to m. A minimum or a maximum is exact where a count is. Besides
//! the error of the count, every group that the query meets is off by how far it reaches beyond the answer; a cut at the
//! answer is tried too.
//!
//! The number of rows that a query selects is estimated from those of its predicates, as if these were independent: all
//! that is known of rows on disk, too. So is their mean, from the frequencies of its own dimension. A cut in one dimension
//! changes shares for queries about that dimension alone, so that places are compared by these. Where no place at the end
//! of a predicate leaves enough rows on both sides, the nearest one does. Where no cut lowers the error, the other split
//! criterion decides.

use super::HierarchyCut;
use super::finder::{Cut, CutFinder, Part};
use crate::statistics::Extent;
use crate::table::{Domain, Shape};
use crate::workload::{
    AdmittedValues, AxisStretch, Function, QueryFunction, Spread, SteeringQuery, TableWorkload,
};
use std::cmp::Ordering;

/// Of the cuts that lower the error, this many are tried, best first.
const TRIES: usize = 32;

/// How much it counts that rows are mixed which a query selects and which it does not. With all of it, 200 random queries
/// about all columns of Adult are off by 0.019 at k = 5, and with hierarchies by more than without a workload; with none of
/// it by 0.009, but two columns of uniform numbers by 0.005 instead of 0.001.
const MIXED: f64 = 0.03;

/// How far the same mean can lie apart when it is computed in two ways, as a share of it.
const NOISE: f64 = 1e-12;

/// Cuts after each of this many parts of the rows are tried for the numbers of a dimension.
const QUANTILES: u64 = 8;

/// A query of which the part's region holds a part.
struct ActiveQuery<'w> {
    admitted: &'w AdmittedValues,
    /// The function of the numbers of the dimension, if the query has one.
    measure: Option<&'w QueryFunction>,
    /// Whether it asks for a least or greatest number.
    is_extreme: bool,
    worth: f64,
    /// The share admitted in the dimension, and in all others together.
    here: AdmittedShare,
    others: AdmittedShare,
}

/// The share of a part's rows that a dimension admits.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AdmittedShare {
    /// The share of the region; in the dimension that is computed with, times what its rows are taken to count for.
    region: f64,
    /// The share of the rows, times what they count for.
    rows: f64,
    /// The share of the rows.
    held: f64,
    /// The weight of the rows, squared.
    square: f64,
    /// How far what is admitted reaches beyond the answer, in the dimension that is computed with.
    beyond: f64,
    /// Whether nothing of the region is admitted.
    nothing: bool,
}

impl AdmittedShare {
    const ALL: AdmittedShare =
        AdmittedShare { region: 1.0, rows: 1.0, held: 1.0, square: 1.0, beyond: 1.0, nothing: false };
    const NOTHING: AdmittedShare =
        AdmittedShare { region: 0.0, rows: 0.0, held: 0.0, square: 0.0, beyond: 0.0, nothing: true };

    fn and(self, other: AdmittedShare) -> AdmittedShare {
        AdmittedShare {
            region: self.region * other.region,
            rows: self.rows * other.rows,
            held: self.held * other.held,
            square: self.square * other.square,
            beyond: self.beyond * other.beyond,
            nothing: self.nothing || other.nothing,
        }
    }
}

/// The rows of the part in a dimension: their extent, their values, the number of rows up to each value and,
/// where the workload computes with numbers, the sums of these and of their squares.
struct DimensionRows {
    extent: Extent,
    values: Vec<u32>,
    cumulative: Vec<u32>,
    sums: Vec<(f64, f64)>,
    /// Whether the mean of a group is published.
    means: bool,
}

/// Where a part may be cut.
#[derive(Clone, Debug, PartialEq)]
enum CutPosition {
    /// After the value with this index.
    After(usize),
    /// Between these values and the others.
    Members(Vec<u32>),
    /// Between the children of the lowest node.
    Children,
}

/// A place, and by how much a cut there lowers the error.
struct WorkloadCut {
    dimension: usize,
    place: CutPosition,
    gain: f64,
    imbalance: u64,
}

impl WorkloadCut {
    fn order(&self, other: &WorkloadCut) -> Ordering {
        let evenly = self.imbalance.cmp(&other.imbalance).then(self.dimension.cmp(&other.dimension));
        other.gain.total_cmp(&self.gain).then(evenly)
    }
}

impl CutFinder<'_> {
    /// The allowable cut at a predicate of the workload that lowers the expected error most.
    pub(super) fn by_workload(&mut self, part: &Part<'_>, workload: &TableWorkload) -> Option<Cut> {
        let held = self.held(part, workload);
        let shares = shares(part, workload, &held);
        let mut found = Vec::new();
        for (dimension, held) in held.iter().enumerate() {
            if let Some(held) = held.as_ref().filter(|held| held.values.len() > 1) {
                let active = active(workload, &shares, dimension);
                self.places_of(part, dimension, held, &active, &mut found);
            }
        }
        // Stable, so that of equal places the first is the first.
        found.sort_by(WorkloadCut::order);
        found.into_iter().take(TRIES).find_map(|candidate| self.cut_at(part, candidate))
    }

    /// The the part holds in the dimensions that the workload asks about.
    fn held(&mut self, part: &Part<'_>, workload: &TableWorkload) -> Vec<Option<DimensionRows>> {
        let mut all: Vec<Option<DimensionRows>> = part.dimensions.iter().map(|_| None).collect();
        for (dimension, _) in workload.steering.iter().flat_map(|query| &query.admitted) {
            if all[*dimension].is_some() {
                continue;
            }
            let (lo, hi) = (self.widths.lo[*dimension], self.widths.hi[*dimension]);
            part.rows.fill(*dimension, lo, hi, &mut self.frequency);
            let (values, cumulative) = (self.frequency.values.clone(), self.frequency.cumulative.clone());
            let domain = part.dimensions[*dimension].domain;
            let extent = match part.dimensions[*dimension].is_set {
                true => members(domain, values.iter().copied()),
                false => Extent::Interval { lo, hi },
            };
            let means = workload.publishes_mean(domain);
            let measured = workload.steering.iter().any(|query| query.measure_of(*dimension).is_some());
            let sums = if means || measured { sums(domain, &values, &cumulative) } else { Vec::new() };
            all[*dimension] = Some(DimensionRows { extent, values, cumulative, sums, means });
        }
        all
    }

    /// Lists the places of a dimension that lower the error.
    fn places_of(
        &mut self,
        part: &Part<'_>,
        dimension: usize,
        held: &DimensionRows,
        active: &[ActiveQuery<'_>],
        found: &mut Vec<WorkloadCut>,
    ) {
        if active.is_empty() {
            return;
        }
        let (lo, hi) = (self.widths.lo[dimension], self.widths.hi[dimension]);
        part.rows.fill(dimension, lo, hi, &mut self.frequency);
        let domain = part.dimensions[dimension].domain;
        let rows = f64::from(part.rows.count());
        let whole: f64 = active.iter().map(|query| rows * query.off(query.here)).sum();
        let mut judge = |place: CutPosition, sides: &[(u32, Extent)]| {
            let off = |(count, extent): &(u32, Extent)| {
                let share =
                    |query: &ActiveQuery<'_>| held.of(domain, query.admitted, query.measure, extent, *count);
                let of = |query: &ActiveQuery<'_>| query.off(share(query));
                f64::from(*count) * active.iter().map(of).sum::<f64>()
            };
            let gain = whole - sides.iter().filter(|(count, _)| *count > 0).map(off).sum::<f64>();
            if gain > 0.0 {
                let most = sides.iter().map(|(count, _)| *count).max().unwrap_or(0);
                found.push(WorkloadCut { dimension, place, gain, imbalance: u64::from(most) });
            }
        };
        if let Shape::Set = domain.shape() {
            self.subsets(domain, active).into_iter().for_each(|(place, sides)| judge(place, &sides));
            return;
        }
        let by_nodes = matches!(domain.shape(), Shape::Hierarchy(_));
        if by_nodes
            && part.hierarchy_cut != HierarchyCut::Leaves
            && let Some(sides) = self.children(part, dimension)
        {
            judge(CutPosition::Children, &sides);
        }
        if by_nodes && part.hierarchy_cut == HierarchyCut::Nodes {
            return;
        }
        let (values, cumulative) = (&self.frequency.values, &self.frequency.cumulative);
        for index in self.places(domain, part.job.requirements.minimum_size(), held.means, active) {
            let left = Extent::Interval { lo, hi: values[index] };
            let right = Extent::Interval { lo: values[index + 1], hi };
            let count = cumulative[index];
            judge(CutPosition::After(index), &[(count, left), (part.rows.count() - count, right)]);
        }
    }

    /// The indices of values at the ends of predicates, at answers and between the quantiles of numbers, or nearest to them
    /// with enough rows on both sides.
    fn places(&self, domain: &Domain, least: u64, means: bool, active: &[ActiveQuery<'_>]) -> Vec<usize> {
        let (values, cumulative) = (&self.frequency.values, &self.frequency.cumulative);
        let all = cumulative.last().copied().unwrap_or(0);
        let first = cumulative.partition_point(|&rows| u64::from(rows) < least);
        let beyond = cumulative.partition_point(|&rows| u64::from(all - rows) >= least.max(1));
        if first >= beyond {
            return Vec::new();
        }
        let index = |code: u32| values.partition_point(|&value| value <= code).saturating_sub(1);
        let (mut codes, mut places) = (Vec::new(), Vec::new());
        let own = |query: &&ActiveQuery<'_>| query.measure.is_none_or(|measure| !measure.is_free);
        active.iter().filter(own).for_each(|query| query.admitted.boundaries(&mut codes));
        places.extend(codes.into_iter().map(index));
        let mut quantiles = false;
        for measure in active.iter().filter_map(|query| query.measure) {
            let below = values.partition_point(|&value| {
                let at = |value: u32| domain.position(value) as f64;
                let is_value = (value as usize) < domain.value_count();
                is_value
                    && (at(value) < measure.centre
                        || (measure.function == Function::Max && at(value) == measure.centre))
            });
            match measure.is_extreme() {
                true => places.extend(below.checked_sub(1)),
                false => quantiles |= !means,
            }
        }
        if quantiles {
            let nth = |part: u64| (u64::from(all) * part / QUANTILES) as u32;
            places.extend((1..QUANTILES).map(|part| cumulative.partition_point(|&rows| rows < nth(part))));
        }
        places.iter_mut().for_each(|place| *place = (*place).clamp(first, beyond - 1));
        places.sort_unstable();
        places.dedup();
        places
    }

    /// For each query about a set, the values that it admits and the others.
    fn subsets(&self, domain: &Domain, active: &[ActiveQuery<'_>]) -> Vec<(CutPosition, [(u32, Extent); 2])> {
        let mut found: Vec<(CutPosition, [(u32, Extent); 2])> = Vec::new();
        for query in active {
            let is_left = |at: &usize| query.admitted.admits(domain, self.frequency.values[*at]);
            let (left, right): (Vec<usize>, Vec<usize>) = (0..self.frequency.values.len()).partition(is_left);
            let side = |indices: &[usize]| {
                let count = indices.iter().map(|&at| self.frequency.count_of(at)).sum();
                (count, members(domain, indices.iter().map(|&at| self.frequency.values[at])))
            };
            let place = CutPosition::Members(left.iter().map(|&at| self.frequency.values[at]).collect());
            if !found.iter().any(|(known, _)| *known == place) {
                found.push((place, [side(&left), side(&right)]));
            }
        }
        found
    }

    /// The rows below each child of the lowest node over the part.
    fn children(&self, part: &Part<'_>, dimension: usize) -> Option<Vec<(u32, Extent)>> {
        let domain = part.dimensions[dimension].domain;
        let Cut::Runs { bounds, sizes, missing, .. } =
            self.specialise(part, dimension, domain.hierarchy()?)?
        else {
            return None;
        };
        let values = &self.frequency.values;
        let mut next = 0;
        let mut side = |(run, (&bound, &size)): (usize, (&u32, &u32))| {
            let first = next;
            next = values.partition_point(|&value| value <= bound);
            let missing = missing.filter(|missing| missing.run == run).map(|missing| missing.code);
            let extent = match next.checked_sub(1).filter(|last| *last >= first) {
                Some(last) => Extent::Interval { lo: values[first], hi: missing.unwrap_or(values[last]) },
                None => Extent::NOTHING,
            };
            (size, extent)
        };
        Some(bounds.iter().zip(&sizes).enumerate().map(&mut side).collect())
    }

    /// The cut at a place, when it is allowable.
    fn cut_at(&mut self, part: &Part<'_>, candidate: WorkloadCut) -> Option<Cut> {
        let WorkloadCut { dimension, place, .. } = candidate;
        let (lo, hi) = (self.widths.lo[dimension], self.widths.hi[dimension]);
        part.rows.fill(dimension, lo, hi, &mut self.frequency);
        match place {
            CutPosition::After(index) => self.threshold(part, dimension, index),
            CutPosition::Children => {
                let tree = part.dimensions[dimension].domain.hierarchy()?;
                self.specialise(part, dimension, tree)
            }
            CutPosition::Members(members) => {
                let counts = (0..self.frequency.values.len())
                    .filter(|&at| members.binary_search(&self.frequency.values[at]).is_ok())
                    .map(|at| self.frequency.count_of(at));
                let left: u32 = counts.sum();
                let side = |code: u32| usize::from(members.binary_search(&code).is_err());
                self.allows(part, &[left, part.rows.count() - left], dimension, side).then_some(Cut::Subset {
                    dimension,
                    members,
                    left,
                })
            }
        }
    }
}

impl ActiveQuery<'_> {
    /// How far a row's share in the answer is off, squared, with so much admitted in the dimension.
    fn off(&self, here: AdmittedShare) -> f64 {
        let AdmittedShare { region, rows, held, square, beyond, nothing } = here.and(self.others);
        if nothing {
            return 0.0;
        }
        // Sums of the same numbers in another order are no error.
        let off = region - rows;
        let off = if off.abs() <= NOISE * (region.abs() + rows.abs()) { 0.0 } else { off };
        let beyond = if self.is_extreme { beyond } else { 0.0 };
        (off.powi(2) + MIXED * held * (1.0 - held) * square + beyond.powi(2)) * self.worth
    }
}

impl DimensionRows {
    /// The share that a query admits of an extent in this dimension, which holds `count` of the part's rows.
    fn of(
        &self,
        domain: &Domain,
        admitted: &AdmittedValues,
        measure: Option<&QueryFunction>,
        extent: &Extent,
        count: u32,
    ) -> AdmittedShare {
        let Some(measure) = measure else { return self.share(domain, admitted, extent, count) };
        let Some(spread) = self.spread(domain, extent) else { return AdmittedShare::NOTHING };
        let Some(portion) = admitted.portion(&spread) else { return AdmittedShare::NOTHING };
        if measure.is_extreme() {
            let beyond = measure.beyond(portion.first, portion.last);
            return AdmittedShare { beyond, ..self.share(domain, admitted, extent, count) };
        }
        let (rows, sum, squares) = self.within(domain, admitted, extent);
        let share = portion.coverage.share() * (1.0 - spread.stretch.missing);
        let (all, known) = (f64::from(count.max(1)), f64::from(rows.max(1)));
        let (mean, square) = (sum / known, squares / known);
        let square = (square - 2.0 * mean * measure.centre + measure.centre.powi(2)) / measure.scale.powi(2);
        let held = f64::from(rows) / all;
        AdmittedShare {
            region: share * measure.of(portion.mean),
            rows: if rows > 0 { held * measure.of(mean) } else { 0.0 },
            held,
            square: square.max(0.0),
            beyond: 0.0,
            nothing: false,
        }
    }

    /// The share of an extent that is admitted in a dimension whose numbers are not computed with.
    fn share(
        &self,
        domain: &Domain,
        admitted: &AdmittedValues,
        extent: &Extent,
        count: u32,
    ) -> AdmittedShare {
        let region = match (admitted, self.means) {
            (AdmittedValues::Axis { .. }, true) => {
                admitted.coverage_of(self.spread(domain, extent).as_ref()).share()
            }
            _ => admitted.share(domain, extent, extent),
        };
        if region == 0.0 {
            return AdmittedShare::NOTHING;
        }
        let rows = match (admitted, extent) {
            (AdmittedValues::Axis { missing, .. }, Extent::Interval { lo, hi }) => {
                let absent = domain.missing_code().filter(|code| *missing && (*lo..=*hi).contains(code));
                let absent = absent.map_or(0, |code| self.before(code + 1) - self.before(code));
                self.within(domain, admitted, extent).0 + absent
            }
            _ => {
                let is_in = |at: &usize| {
                    let code = self.values[*at];
                    extent.holds(code) && admitted.admits(domain, code)
                };
                (0..self.values.len()).filter(is_in).map(|at| self.rows_of(at)).sum()
            }
        };
        let rows = f64::from(rows) / f64::from(count.max(1));
        AdmittedShare { region, rows, held: rows, square: 1.0, beyond: 1.0, nothing: false }
    }

    /// The rows of an interval whose values are admitted, with the sums of these and of their squares.
    fn within(&self, domain: &Domain, admitted: &AdmittedValues, extent: &Extent) -> (u32, f64, f64) {
        let (AdmittedValues::Axis { codes, .. }, Extent::Interval { lo, hi }) = (admitted, extent) else {
            return (0, 0.0, 0.0);
        };
        let mut found = (0, 0.0, 0.0);
        for &(first, beyond) in codes {
            let beyond = beyond.min(hi.saturating_add(1)).min(domain.value_count() as u32);
            let first = first.max(*lo);
            if first < beyond {
                found.0 += self.before(beyond) - self.before(first);
                let (upto, from) = (self.sums_before(beyond), self.sums_before(first));
                (found.1, found.2) = (found.1 + upto.0 - from.0, found.2 + upto.1 - from.1);
            }
        }
        found
    }

    /// How the rows of an extent of numbers are taken to lie; `None` where there is no value.
    fn spread(&self, domain: &Domain, extent: &Extent) -> Option<Spread> {
        let stretch = AxisStretch::of(domain, extent, extent)?;
        let (lo, hi) = extent.ends()?;
        let beyond = hi.saturating_add(1).min(domain.value_count() as u32);
        let rows = self.before(beyond) - self.before(lo);
        let mean = (self.means && rows > 0)
            .then(|| (self.sums_before(beyond).0 - self.sums_before(lo).0) / f64::from(rows));
        Some(Spread { stretch, mean })
    }

    fn sums_before(&self, code: u32) -> (f64, f64) {
        match self.values.partition_point(|&value| value < code) {
            0 => (0.0, 0.0),
            at => self.sums.get(at - 1).copied().unwrap_or((0.0, 0.0)),
        }
    }

    fn rows_of(&self, at: usize) -> u32 {
        self.cumulative[at] - if at == 0 { 0 } else { self.cumulative[at - 1] }
    }

    /// How many rows have a code below this one.
    fn before(&self, code: u32) -> u32 {
        match self.values.partition_point(|&value| value < code) {
            0 => 0,
            at => self.cumulative[at - 1],
        }
    }
}

/// The sums of the first values and of their squares; missing values add nothing.
fn sums(domain: &Domain, values: &[u32], cumulative: &[u32]) -> Vec<(f64, f64)> {
    let (mut before, mut sum) = (0, (0.0, 0.0));
    let add = |(&value, &upto): (&u32, &u32)| {
        let rows = f64::from(upto - before);
        before = upto;
        if (value as usize) < domain.value_count() {
            let number = domain.position(value) as f64;
            sum = (sum.0 + number * rows, sum.1 + number * number * rows);
        }
        sum
    };
    values.iter().zip(cumulative).map(add).collect()
}

fn members(domain: &Domain, codes: impl Iterator<Item = u32>) -> Extent {
    let mut extent = Extent::no_members(domain.cardinality());
    codes.for_each(|code| extent.add(code));
    extent
}

/// The each query admits, predicate by predicate; nothing where it holds all of the part or none.
fn shares(
    part: &Part<'_>,
    workload: &TableWorkload,
    held: &[Option<DimensionRows>],
) -> Vec<Vec<AdmittedShare>> {
    let of_query = |query: &SteeringQuery| {
        let mut shares = Vec::with_capacity(query.admitted.len());
        for (dimension, admitted) in &query.admitted {
            let domain = part.dimensions[*dimension].domain;
            let Some(held) = &held[*dimension] else { continue };
            let measure = query.measure_of(*dimension);
            let share = held.of(domain, admitted, measure, &held.extent, part.rows.count());
            if share.nothing {
                return Vec::new();
            }
            shares.push(share);
        }
        if shares.iter().all(|&share| share == AdmittedShare::ALL) { Vec::new() } else { shares }
    };
    workload.steering.iter().map(of_query).collect()
}

/// The queries about a dimension of which the part holds a part.
fn active<'w>(
    workload: &'w TableWorkload,
    shares: &[Vec<AdmittedShare>],
    dimension: usize,
) -> Vec<ActiveQuery<'w>> {
    let of_query = |(query, shares): (&'w SteeringQuery, &Vec<AdmittedShare>)| {
        if shares.is_empty() || query.worth <= 0.0 {
            return None;
        }
        let at = query.admitted.iter().position(|(of, _)| *of == dimension)?;
        let others = (0..shares.len()).filter(|&other| other != at).map(|other| shares[other]);
        let others = others.fold(AdmittedShare::ALL, AdmittedShare::and);
        let admitted = &query.admitted[at].1;
        let (measure, worth) = (query.measure_of(dimension), query.worth);
        let is_extreme = query.measure.is_some_and(|one| one.is_extreme());
        Some(ActiveQuery { admitted, measure, is_extreme, worth, here: shares[at], others })
    };
    workload.steering.iter().zip(shares).filter_map(of_query).collect()
}
