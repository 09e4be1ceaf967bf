//! A part of the table, laid out for search: its rows as bits, and for every code the rows that have it or a lower one.

use super::bits::RowBits;
use super::place::row_key;
use super::problem::{OptimalPricing, OptimalProblem};
use super::tally::CodeTally;

/// A dimension in which the rows of the part differ.
pub(super) struct PartAxis<const W: usize> {
    pub dimension: usize,
    pub is_set: bool,
    /// The codes that occur, ascending: a local code is a place in here.
    pub values: Vec<u32>,
    /// The rows with each local code.
    pub slabs: Vec<RowBits<W>>,
    /// The rows with each local code or a lower one.
    pub below: Vec<RowBits<W>>,
}

/// A set of rows of a part.
#[derive(Clone, Copy)]
pub(super) struct RowSet<const W: usize> {
    pub rows: RowBits<W>,
    pub count: u32,
    pub key: u128,
}

/// A part of the table.
pub(super) struct OptimalPart<'p, const W: usize> {
    pub problem: &'p OptimalProblem<'p>,
    /// The rows by their number in the table.
    pub rows: Vec<u32>,
    pub axes: Vec<PartAxis<W>>,
    /// The local codes of each row, `stride` blocks per row.
    codes: Vec<[u16; LANES]>,
    stride: usize,
    keys: Vec<u128>,
    /// The least cost of each row, whatever its group; empty where nothing is known.
    pub dues: Vec<f64>,
    /// The cost of a row in the dimensions in which all rows agree.
    flat: f64,
    tally: Option<CodeTally<W>>,
    /// Which discount guesses rest on.
    pub slant: usize,
}

impl<'p, const W: usize> OptimalPart<'p, W> {
    /// The part of these rows, at most [`RowBits::CAPACITY`]; `dues` says what each pays at least.
    pub fn new(problem: &'p OptimalProblem<'p>, rows: Vec<u32>, dues: Vec<f64>, slant: usize) -> Self {
        let keys = rows.iter().map(|&row| row_key(row)).collect();
        let tally = CodeTally::new(problem, &rows);
        let (axes, codes, stride) = (Vec::new(), Vec::new(), 0);
        let mut part =
            OptimalPart { problem, rows, axes, codes, stride, keys, dues, flat: 0.0, tally, slant };
        let mut locals = Vec::new();
        for dimension in 0..problem.table.dimensions() {
            locals.extend(part.add_axis(dimension));
        }
        part.stride = locals.len().div_ceil(LANES);
        part.codes = vec![[0; LANES]; part.stride * part.rows.len()];
        for (axis, local) in locals.iter().enumerate() {
            for (row, &code) in local.iter().enumerate() {
                part.codes[row * part.stride + axis / LANES][axis % LANES] = code;
            }
        }
        part
    }

    /// Adds a dimension if its rows differ there, and returns their local codes.
    fn add_axis(&mut self, dimension: usize) -> Option<Vec<u16>> {
        let problem = self.problem;
        let mut codes = Vec::with_capacity(self.rows.len());
        problem.table.codes(dimension).gather(&self.rows, &mut codes);
        let (values, local) = localise(&codes);
        let is_set = problem.is_set(dimension);
        if values.len() < 2 {
            if problem.pricing == OptimalPricing::Cells {
                self.flat += match is_set {
                    true => problem.members(dimension, values.iter().copied()),
                    false => problem.interval(dimension, values[0], values[0]),
                };
            }
            return None;
        }
        let mut slabs = vec![RowBits::EMPTY; values.len()];
        for (row, &code) in local.iter().enumerate() {
            slabs[code as usize].insert(row);
        }
        let mut before = RowBits::EMPTY;
        let up_to = |slab: &RowBits<W>| {
            before = before.or(slab);
            before
        };
        let below = slabs.iter().map(up_to).collect();
        self.axes.push(PartAxis { dimension, is_set, values, slabs, below });
        Some(local)
    }

    /// All rows.
    pub fn all(&self) -> RowSet<W> {
        let key = self.keys.iter().fold(0, |all, key| all ^ key);
        RowSet { rows: RowBits::first(self.rows.len()), count: self.rows.len() as u32, key }
    }

    /// The box of some rows and the box of the others of a box, the smaller one first.
    pub fn divide(&self, of: &RowSet<W>, left: RowBits<W>, count: u32) -> [RowSet<W>; 2] {
        let right = of.rows.without(&left);
        let (few, many) = if count * 2 <= of.count { (left, right) } else { (right, left) };
        let mut key = 0;
        few.for_each(|row| key ^= self.keys[row]);
        let count = count.min(of.count - count);
        [RowSet { rows: few, count, key }, RowSet { rows: many, count: of.count - count, key: of.key ^ key }]
    }

    /// The rows of a box by their number in the table.
    pub fn ids(&self, of: &RowSet<W>) -> Vec<u32> {
        let mut ids = Vec::with_capacity(of.count as usize);
        of.rows.for_each(|row| ids.push(self.rows[row]));
        ids
    }

    /// The least cost of the rows of a box.
    pub fn dues_of(&self, of: &RowSet<W>) -> Vec<f64> {
        let mut dues = Vec::new();
        if !self.dues.is_empty() {
            of.rows.for_each(|row| dues.push(self.dues[row]));
        }
        dues
    }

    /// The least cost of a number of rows.
    #[inline(always)]
    pub fn sized(&self, count: u32) -> f64 {
        self.problem.balanced(count)
    }

    /// A lower bound of every partition of the rows.
    pub fn lower(&self, rows: &RowBits<W>, count: u32) -> f64 {
        let mut dues = 0.0;
        if !self.dues.is_empty() {
            rows.for_each(|row| dues += self.dues[row]);
        }
        self.sized(count).max(dues)
    }

    /// The cost of a box as one group; infinite where it may not be one.
    pub fn group(&self, of: &RowSet<W>) -> f64 {
        let problem = self.problem;
        if (of.count as usize) < problem.minimum() {
            return f64::INFINITY;
        }
        let by_statistics = problem.pricing == OptimalPricing::Statistics;
        if by_statistics || !problem.requirements.only_count() {
            let judged = |statistics: &_| {
                let satisfied = problem.requirements.satisfied(statistics);
                if !satisfied {
                    f64::INFINITY
                } else if by_statistics {
                    problem.loss.group(statistics)
                } else {
                    0.0
                }
            };
            let cost = match &self.tally {
                Some(tally) => tally.with(self, of, judged),
                None => judged(&problem.collector.of(&self.ids(of))),
            };
            if by_statistics || cost.is_infinite() {
                return cost;
            }
        }
        match problem.pricing {
            OptimalPricing::Size => {
                problem.loss.size(u64::from(of.count)).expect("the loss is priced by size")
            }
            _ => self.corners(&of.rows).cost(self, &of.rows, of.count),
        }
    }

    /// No rows yet.
    pub fn no_corners(&self) -> Corners {
        Corners { lo: vec![[u16::MAX; LANES]; self.stride], hi: vec![[0; LANES]; self.stride] }
    }

    /// The smallest region over rows.
    pub fn corners(&self, rows: &RowBits<W>) -> Corners {
        let mut corners = self.no_corners();
        rows.for_each(|row| corners.add(self.codes_of(row)));
        corners
    }

    /// The local codes of a row.
    #[inline(always)]
    pub fn codes_of(&self, row: usize) -> &[[u16; LANES]] {
        &self.codes[row * self.stride..(row + 1) * self.stride]
    }
}

/// The different codes, ascending, and the place of each row's code among them.
fn localise(codes: &[u32]) -> (Vec<u32>, Vec<u16>) {
    let most = codes.iter().copied().max().unwrap_or(0) as usize;
    if most < 1024.max(4 * codes.len()) {
        let mut places = vec![u16::MAX; most + 1];
        codes.iter().for_each(|&code| places[code as usize] = 0);
        let mut values = Vec::new();
        for (code, place) in places.iter_mut().enumerate().filter(|(_, place)| **place == 0) {
            *place = values.len() as u16;
            values.push(code as u32);
        }
        let local = codes.iter().map(|&code| places[code as usize]).collect();
        return (values, local);
    }
    let mut values = codes.to_vec();
    values.sort_unstable();
    values.dedup();
    let place = |code: &u32| values.binary_search(code).expect("every code is among the values") as u16;
    let local = codes.iter().map(place).collect();
    (values, local)
}

/// How many local codes are compared at once.
pub(super) const LANES: usize = 8;

/// The least and the greatest local code of rows in each axis.
#[derive(Clone)]
pub(super) struct Corners {
    lo: Vec<[u16; LANES]>,
    hi: Vec<[u16; LANES]>,
}

impl Corners {
    #[inline(always)]
    pub fn add(&mut self, codes: &[[u16; LANES]]) {
        least(&mut self.lo, codes);
        greatest(&mut self.hi, codes);
    }

    #[inline(always)]
    pub fn join(&mut self, other: &Corners) {
        least(&mut self.lo, &other.lo);
        greatest(&mut self.hi, &other.hi);
    }

    /// The cost of a number of rows in the region.
    pub fn cost<const W: usize>(&self, part: &OptimalPart<'_, W>, rows: &RowBits<W>, count: u32) -> f64 {
        let mut sum = part.flat;
        for (at, axis) in part.axes.iter().enumerate() {
            sum += if axis.is_set {
                let here = axis.slabs.iter().zip(&axis.values).filter(|(slab, _)| slab.meets(rows));
                part.problem.members(axis.dimension, here.map(|(_, &value)| value))
            } else {
                let value = |corner: &[[u16; LANES]]| axis.values[corner[at / LANES][at % LANES] as usize];
                let (lo, hi) = (value(&self.lo), value(&self.hi));
                part.problem.interval(axis.dimension, lo, hi)
            };
        }
        sum * f64::from(count)
    }
}

#[inline(always)]
fn least(into: &mut [[u16; LANES]], codes: &[[u16; LANES]]) {
    for (into, codes) in into.iter_mut().zip(codes) {
        (0..LANES).for_each(|lane| into[lane] = into[lane].min(codes[lane]));
    }
}

#[inline(always)]
fn greatest(into: &mut [[u16; LANES]], codes: &[[u16; LANES]]) {
    for (into, codes) in into.iter_mut().zip(codes) {
        (0..LANES).for_each(|lane| into[lane] = into[lane].max(codes[lane]));
    }
}
