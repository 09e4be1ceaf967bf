//! Every way to cut a box in two.

use super::bits::RowBits;
use super::part::{Corners, OptimalPart, RowSet};
use super::place::{CutPlace, LeftSide, SUBSET_CODES};
use super::problem::OptimalPricing;
use super::search::MANY_ROWS;

/// A set with at most this many codes in a box is cut in every way.
const EVERY_SUBSET: usize = 7;

/// A way to cut a box, with what is known of the sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchCut {
    pub axis: u32,
    /// The last local code on the left, of an ordered axis.
    at: u32,
    pub place: CutPlace,
    /// The rows on the left.
    pub left: u32,
    /// No partition of the sides costs less.
    pub lower: f64,
    /// The cost of the two sides as groups; infinite where one may not be a group.
    pub cost: f64,
    /// The estimated cost of the two sides once they are cut further.
    pub guess: f64,
}

impl<const W: usize> OptimalPart<'_, W> {
    /// Every way to cut a box whose sides can be groups by their size; false where some ways to cut a set are left
    /// out, or the search is stopped.
    pub fn cuts(&self, of: &RowSet<W>, found: &mut Vec<SearchCut>) -> bool {
        found.clear();
        let mut complete = true;
        let by_cells =
            self.problem.pricing == OptimalPricing::Cells && self.problem.requirements.only_count();
        for (number, axis) in self.axes.iter().enumerate() {
            if axis.is_set {
                complete &= self.set_cuts(number, of, found);
            } else if by_cells {
                self.priced_cuts(number, of, found);
            } else {
                complete &= self.plain_cuts(number, of, found);
            }
        }
        if self.problem.price.is_none() {
            found.retain(|cut| cut.cost.is_finite());
        }
        let even = |cut: &SearchCut| cut.left.abs_diff(of.count - cut.left);
        found.sort_unstable_by(|a, b| {
            a.guess.total_cmp(&b.guess).then_with(|| even(a).cmp(&even(b))).then(a.place.cmp(&b.place))
        });
        complete
    }

    /// The rows on the left of a cut.
    pub fn left(&self, of: &RowSet<W>, cut: &SearchCut) -> RowBits<W> {
        let axis = &self.axes[cut.axis as usize];
        if !axis.is_set {
            return of.rows.and(&axis.below[cut.at as usize]);
        }
        let on_left = axis.values.iter().zip(&axis.slabs).filter(|(value, _)| cut.place.is_left(**value));
        of.rows.and(&on_left.fold(RowBits::EMPTY, |left, (_, slab)| left.or(slab)))
    }

    fn ordered_cut(&self, axis: usize, at: usize, left: u32) -> SearchCut {
        let of = &self.axes[axis];
        let place = CutPlace::new(of.dimension, LeftSide::UpTo(of.values[at]));
        SearchCut { axis: axis as u32, at: at as u32, place, left, lower: 0.0, cost: 0.0, guess: 0.0 }
    }

    /// Says what the sides of a cut cost.
    fn judge(&self, of: &RowSet<W>, cut: &mut SearchCut) {
        let problem = self.problem;
        if problem.is_plain() {
            let sides = [cut.left, of.count - cut.left];
            cut.lower = sides.iter().map(|&side| self.sized(side)).sum();
            (cut.cost, cut.guess) = (cut.lower, cut.lower);
            return;
        }
        for side in self.divide(of, self.left(of, cut), cut.left) {
            let cost = self.group(&side);
            self.add_side(cut, side.count, cost, self.lower(&side.rows, side.count));
        }
    }

    /// Adds what one side costs as a group, and at least.
    fn add_side(&self, cut: &mut SearchCut, count: u32, cost: f64, lower: f64) {
        cut.cost += cost;
        let price = self.problem.price.map_or(f64::INFINITY, |price| price * f64::from(count));
        let cost = cost.min(price);
        let last = (count as usize) < 2 * self.problem.least_side();
        cut.lower += if last { cost } else { lower.min(cost) };
        cut.guess += match self.problem.pricing {
            OptimalPricing::Size if !last => lower,
            _ => cost * self.problem.discount(count, self.slant),
        };
    }

    /// Cuts of an ordered axis, by the sizes of the sides. Sizes only grow along the axis, so the first place is found by
    /// halving. False where the search is stopped before the last.
    fn plain_cuts(&self, axis: usize, of: &RowSet<W>, found: &mut Vec<SearchCut>) -> bool {
        let least = self.problem.least_side() as u32;
        let below = &self.axes[axis].below;
        let below = &below[..below.len() - 1];
        let first = below.partition_point(|before| of.rows.common(before) < least);
        let mut last = 0;
        for (at, before) in below.iter().enumerate().skip(first) {
            let left = of.rows.common(before);
            if left + least > of.count {
                break;
            }
            if left > last {
                if self.is_stopped(of, found.len()) {
                    return false;
                }
                last = left;
                let mut cut = self.ordered_cut(axis, at, left);
                self.judge(of, &mut cut);
                found.push(cut);
            }
        }
        true
    }

    /// Whether the search is to stop, which is asked now and then where a cut of the box takes long to judge.
    fn is_stopped(&self, of: &RowSet<W>, judged: usize) -> bool {
        of.count > MANY_ROWS && judged.is_multiple_of(16) && self.problem.stops()
    }

    /// Cuts of an ordered axis, with what the sides would cost as groups: every row is looked at once, then the slabs are
    /// joined from below and from above.
    fn priced_cuts(&self, axis: usize, of: &RowSet<W>, found: &mut Vec<SearchCut>) {
        let least = self.problem.least_side() as u32;
        let slabs: Vec<SlabRange<W>> =
            self.axes[axis].slabs.iter().map(|slab| self.stretch(of, slab)).collect();
        let first = found.len();
        let mut side = self.no_rows();
        for (at, slab) in slabs.iter().enumerate() {
            side.join(slab);
            if side.count + least > of.count {
                break;
            }
            if slab.count > 0 && side.count >= least {
                let mut cut = self.ordered_cut(axis, at, side.count);
                self.add_side(&mut cut, side.count, side.cost(self), side.dues);
                found.push(cut);
            }
        }
        let (mut side, mut at) = (self.no_rows(), slabs.len());
        for cut in found[first..].iter_mut().rev() {
            while at > cut.at as usize + 1 {
                at -= 1;
                side.join(&slabs[at]);
            }
            self.add_side(cut, side.count, side.cost(self), side.dues);
        }
    }

    fn no_rows(&self) -> SlabRange<W> {
        SlabRange { rows: RowBits::EMPTY, count: 0, dues: 0.0, corners: self.no_corners() }
    }

    /// The rows of a box in a slab.
    fn stretch(&self, of: &RowSet<W>, slab: &RowBits<W>) -> SlabRange<W> {
        let mut stretch = SlabRange { rows: of.rows.and(slab), ..self.no_rows() };
        let SlabRange { rows, count, dues, corners } = &mut stretch;
        rows.for_each(|row| {
            *count += 1;
            corners.add(self.codes_of(row));
        });
        if !self.dues.is_empty() {
            rows.for_each(|row| *dues += self.dues[row]);
        }
        stretch
    }

    /// Cuts of a set: in every way where few codes are left, else one code against the others, and the rarer ones
    /// against the commoner ones.
    fn set_cuts(&self, axis: usize, of: &RowSet<W>, found: &mut Vec<SearchCut>) -> bool {
        let OptimalPart { axes, problem, .. } = self;
        let here = axes[axis].values.iter().zip(&axes[axis].slabs);
        let mut here: Vec<(u32, u32)> =
            here.map(|(&value, slab)| (of.rows.common(slab), value)).filter(|&(rows, _)| rows > 0).collect();
        let few_codes = problem.table.domain(axes[axis].dimension).cardinality() <= SUBSET_CODES;
        let complete = here.len() <= EVERY_SUBSET && few_codes;
        let mut sides = Vec::new();
        if complete {
            let ways = 1..1usize << here.len().saturating_sub(1);
            sides.extend(ways.map(|way| {
                let chosen = (0..here.len()).filter(|at| way >> at & 1 == 1);
                LeftSide::Members(chosen.map(|at| 1u64 << here[at].1).sum())
            }));
        } else {
            sides.extend(here.iter().map(|&(_, value)| LeftSide::Only(value)));
            here.sort_unstable();
            if few_codes {
                let rarer = here[..here.len() - 1].iter().scan(0, |bits, &(_, value)| {
                    *bits |= 1u64 << value;
                    Some(LeftSide::Members(*bits))
                });
                sides.extend(rarer.skip(1));
            }
        }
        for side in sides {
            if self.is_stopped(of, found.len()) {
                return false;
            }
            self.set_cut(axis, side, of, found);
        }
        complete || here.len() < 2
    }

    fn set_cut(&self, axis: usize, side: LeftSide, of: &RowSet<W>, found: &mut Vec<SearchCut>) {
        let least = self.problem.least_side() as u32;
        let place = CutPlace::new(self.axes[axis].dimension, side);
        let mut cut =
            SearchCut { axis: axis as u32, at: 0, place, left: 0, lower: 0.0, cost: 0.0, guess: 0.0 };
        let left = self.left(of, &cut);
        cut.left = left.count();
        if cut.left < least || of.count - cut.left < least {
            return;
        }
        self.judge(of, &mut cut);
        found.push(cut);
    }
}

/// Neighbouring slabs of a box.
struct SlabRange<const W: usize> {
    rows: RowBits<W>,
    count: u32,
    dues: f64,
    corners: Corners,
}

impl<const W: usize> SlabRange<W> {
    fn join(&mut self, other: &Self) {
        if other.count > 0 {
            self.rows = self.rows.or(&other.rows);
            self.count += other.count;
            self.dues += other.dues;
            self.corners.join(&other.corners);
        }
    }

    fn cost(&self, part: &OptimalPart<'_, W>) -> f64 {
        self.corners.cost(part, &self.rows, self.count)
    }
}
