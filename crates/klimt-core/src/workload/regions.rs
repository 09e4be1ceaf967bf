//! The regions of the groups of a release, and the statistics that are published beside them.

use super::bind::is_number;
use super::spread::{AxisStretch, Spread};
use super::{AdmittedValues, Coverage};
use crate::partition::Groups;
use crate::recode::{MAXIMUM, MEAN, MINIMUM};
use crate::region::{PublishedReader, Reach};
use crate::statistics::Extent;
use crate::table::{Codes, Decimal, Domain, Table};
use crate::{Error, Result};
use hashbrown::HashMap;

/// A statistic of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GroupStatistic<T> {
    /// It is not published.
    Unpublished,
    /// The group has none, as no row of it has a value.
    NoValue,
    /// It is published.
    Is(T),
}

/// The published cell of a group in one dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryCell {
    /// Its region.
    pub reach: Reach,
    /// Its least and greatest value, as codes.
    pub range: GroupStatistic<(u32, u32)>,
    /// The mean of its values.
    pub mean: GroupStatistic<Decimal>,
}

impl From<Reach> for QueryCell {
    fn from(reach: Reach) -> Self {
        QueryCell { reach, range: GroupStatistic::Unpublished, mean: GroupStatistic::Unpublished }
    }
}

impl QueryCell {
    /// The stretch of an ordered domain that its values lie in; `None` where no row has a value.
    pub(super) fn stretch(&self, domain: &Domain) -> Option<AxisStretch> {
        if self.range == GroupStatistic::NoValue || self.mean == GroupStatistic::NoValue {
            return None;
        }
        let stretch = AxisStretch::of(domain, &self.reach.covered, &self.reach.ends)?;
        Some(match self.range {
            GroupStatistic::Is((lo, hi)) => {
                AxisStretch { first: domain.position(lo), last: domain.position(hi), ..stretch }
            }
            _ => stretch,
        })
    }

    /// How its rows are spread over an ordered domain; `None` where no row has a value.
    pub(super) fn spread(&self, domain: &Domain) -> Option<Spread> {
        let mean = match self.mean {
            GroupStatistic::Is(mean) => Some(in_units_of(mean, domain.scale())),
            _ => None,
        };
        Some(Spread { stretch: self.stretch(domain)?, mean })
    }

    /// How much of it is admitted.
    pub(super) fn coverage(&self, domain: &Domain, admitted: &AdmittedValues) -> Coverage {
        match admitted {
            AdmittedValues::Axis { .. } => admitted.coverage_of(self.spread(domain).as_ref()),
            AdmittedValues::Codes { .. } => admitted.coverage(domain, &self.reach.covered, &self.reach.ends),
        }
    }

    /// The sum of the values of a group of this many rows, in units; `None` where what is published does not fix it.
    pub(super) fn sum(&self, domain: &Domain, rows: u64) -> Option<i128> {
        let Some(stretch) = self.stretch(domain) else { return Some(0) };
        match self.mean {
            _ if stretch.missing > 0.0 => None,
            _ if stretch.first == stretch.last => stretch.first.checked_mul(i128::from(rows)),
            GroupStatistic::Is(mean) => sum_of_mean(mean, rows, domain.scale()),
            _ => None,
        }
    }

    /// Whether its least and greatest value are published.
    pub(super) fn has_range(&self, domain: &Domain) -> bool {
        let single = |stretch: AxisStretch| stretch.first == stretch.last;
        matches!(self.range, GroupStatistic::Is(_)) || self.stretch(domain).is_none_or(single)
    }
}

/// A number in units of a scale.
fn in_units_of(number: Decimal, scale: u32) -> f64 {
    match number.rescaled(scale) {
        Some(units) => units as f64,
        None => number.units as f64 / 10f64.powi(number.scale as i32 - scale as i32),
    }
}

/// The greatest number up to which floating point is exact to the unit.
const PLAIN: f64 = (1u64 << 53) as f64;

/// The sum of this many numbers in units of a scale, from their published mean: exact or rounded to the nearest
/// floating-point number, and beyond 2^53 units to six digits behind those of the numbers. `None` where rounding leaves
/// several sums, or where no sum of this many numbers has that mean.
fn sum_of_mean(mean: Decimal, rows: u64, scale: u32) -> Option<i128> {
    let size = in_units_of(mean, scale).abs();
    // Rounded once to a floating-point number, and once more to the fewest digits that tell it from others.
    let error = rows as f64 * if size < PLAIN { size * 2.0 / PLAIN } else { 5e-7 };
    let rows = i128::from(rows);
    if error >= 0.25 {
        return None;
    }
    if let Some(units) = mean.rescaled(scale) {
        return units.checked_mul(rows);
    }
    let unit = 10i128.checked_pow(mean.scale.checked_sub(scale)?)?;
    let product = mean.units.checked_mul(rows)?;
    let (below, rest) = (product.div_euclid(unit), product.rem_euclid(unit));
    let (sum, off) = if rest > unit / 2 { (below + 1, unit - rest) } else { (below, rest) };
    (off as f64 / unit as f64 <= error * 1.01).then_some(sum)
}

/// The regions of groups: each different cell of a dimension once.
#[derive(Clone, Debug)]
pub struct QueryRegions {
    /// By dimension.
    pub cells: Vec<Vec<QueryCell>>,
    /// Which cell each group has, by dimension.
    pub of_group: Vec<Vec<u32>>,
}

impl QueryRegions {
    /// The regions of the groups of a release of a table.
    pub fn of(groups: &dyn Groups, dimensions: usize) -> Self {
        let (mut cells, mut of_group) = (Vec::new(), Vec::new());
        for dimension in 0..dimensions {
            let mut known: HashMap<(CellKey, CellKey), u32> = HashMap::new();
            let mut of_dimension: Vec<QueryCell> = Vec::new();
            let numbers = (0..groups.count()).map(|group| {
                let reach = Reach {
                    ends: groups.extent(group, dimension),
                    covered: groups.covered(group, dimension),
                };
                *known.entry((key(&reach.ends), key(&reach.covered))).or_insert_with(|| {
                    of_dimension.push(reach.into());
                    of_dimension.len() as u32 - 1
                })
            });
            of_group.push(numbers.collect());
            cells.push(of_dimension);
        }
        QueryRegions { cells, of_group }
    }
}

type CellKey = std::result::Result<(u32, u32), Vec<u64>>;

fn key(extent: &Extent) -> CellKey {
    match extent {
        Extent::Interval { lo, hi } => Ok((*lo, *hi)),
        Extent::Members(bits) => Err(bits.clone()),
    }
}

/// The different cells of a dimension, and that of every row.
pub(super) struct CellsOfRows {
    pub cells: Vec<QueryCell>,
    pub of_row: Vec<u32>,
    /// Columns that have the names of statistics, but hold something else.
    pub ignored: Vec<String>,
}

/// Reads what is published of a dimension of the original. Fails where a published text is no value of its column.
pub(super) fn read_cells(original: &Table, rows: &Table, dimension: usize) -> Result<CellsOfRows> {
    let name = &original.dimension(dimension).name;
    let domain = original.domain(dimension);
    let of_rows = (0..rows.dimensions()).find(|&d| rows.dimension(d).name == *name);
    let of_rows =
        of_rows.ok_or_else(|| Error::input(format!("the release does not publish column {name}")))?;
    let reader = PublishedReader::new(domain);
    let (published, codes) = (rows.domain(of_rows), rows.codes(of_rows));
    let region = |code: u32| {
        reader.reach(&published.text(code)).map(QueryCell::from).ok_or_else(|| {
            Error::input(format!("column {name}: a published value is not a value of the original"))
                .with_help("give the hierarchy or order that the release was made with")
        })
    };
    let cells = (0..published.cardinality() as u32).map(region).collect::<Result<_>>()?;
    let of_row = (0..rows.rows()).map(|row| codes.get(row)).collect();
    let mut found = CellsOfRows { cells, of_row, ignored: Vec::new() };
    // A column of that name in the original is no statistic.
    let statistic = |suffix: &str| {
        let name = format!("{name}{suffix}");
        let is_kept = original.columns().iter().any(|column| column.name == name);
        rows.columns().iter().find(|column| column.name == name && !is_kept)?.coded()
    };
    if let (Some(least), Some(most)) = (statistic(MINIMUM), statistic(MAXIMUM))
        && domain.is_measured()
    {
        let taken = found.with([least, most], |cell, [least, most]| {
            Some(QueryCell { range: range(cell, domain, &reader, [&least, &most])?, ..cell.clone() })
        });
        found.take(taken, [MINIMUM, MAXIMUM].map(|suffix| format!("{name}{suffix}")));
    }
    if let Some(mean) = statistic(MEAN).filter(|_| is_number(domain)) {
        let taken = found.with([mean], |cell, [text]| {
            Some(QueryCell { mean: mean_of(cell, domain, &text)?, ..cell.clone() })
        });
        found.take(taken, [format!("{name}{MEAN}")]);
    }
    Ok(found)
}

impl CellsOfRows {
    /// The cells with what columns of texts say of them; `None` where a text makes no sense for its cell.
    fn with<const N: usize>(
        &self,
        columns: [(&Domain, &Codes); N],
        told: impl Fn(&QueryCell, [String; N]) -> Option<QueryCell>,
    ) -> Option<(Vec<QueryCell>, Vec<u32>)> {
        let mut known: HashMap<(u32, [u32; N]), u32> = HashMap::new();
        let (mut cells, mut of_row) = (Vec::new(), Vec::with_capacity(self.of_row.len()));
        for (row, &cell) in self.of_row.iter().enumerate() {
            let codes = columns.map(|(_, codes)| codes.get(row));
            let number = match known.get(&(cell, codes)) {
                Some(&number) => number,
                None => {
                    let mut at = 0;
                    let texts = columns.map(|(domain, _)| {
                        at += 1;
                        domain.text(codes[at - 1])
                    });
                    cells.push(told(&self.cells[cell as usize], texts)?);
                    known.insert((cell, codes), cells.len() as u32 - 1);
                    cells.len() as u32 - 1
                }
            };
            of_row.push(number);
        }
        Some((cells, of_row))
    }

    fn take<const N: usize>(&mut self, found: Option<(Vec<QueryCell>, Vec<u32>)>, names: [String; N]) {
        match found {
            Some((cells, of_row)) => (self.cells, self.of_row) = (cells, of_row),
            None => self.ignored.extend(names),
        }
    }
}

/// Whether a cell may hold rows without a value.
fn admits_missing(cell: &QueryCell, domain: &Domain) -> bool {
    domain.missing_code().is_some_and(|missing| cell.reach.covered.holds(missing))
}

fn range(
    cell: &QueryCell,
    domain: &Domain,
    reader: &PublishedReader<'_>,
    texts: [&str; 2],
) -> Option<GroupStatistic<(u32, u32)>> {
    if texts == ["", ""] {
        return admits_missing(cell, domain).then_some(GroupStatistic::NoValue);
    }
    let [least, most] =
        texts.map(|text| reader.code(text).filter(|&code| Some(code) != domain.missing_code()));
    let (lo, hi) = (least?, most?);
    let inside = |code: u32| cell.reach.covered.holds(code);
    (lo <= hi && inside(lo) && inside(hi)).then_some(GroupStatistic::Is((lo, hi)))
}

fn mean_of(cell: &QueryCell, domain: &Domain, text: &str) -> Option<GroupStatistic<Decimal>> {
    if text.is_empty() {
        return admits_missing(cell, domain).then_some(GroupStatistic::NoValue);
    }
    let stretch = cell.stretch(domain)?;
    let Ok(mean) = text.parse::<Decimal>() else {
        // A number with more digits than are read is not used.
        return text.parse::<f64>().ok().map(|_| GroupStatistic::Unpublished);
    };
    let end = |units: i128| Decimal { units, scale: domain.scale() };
    (end(stretch.first) <= mean && mean <= end(stretch.last)).then_some(GroupStatistic::Is(mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(mean: &str, rows: u64, scale: u32) -> Option<i128> {
        sum_of_mean(mean.parse().unwrap(), rows, scale)
    }

    #[test]
    fn sums_are_read_from_means() {
        assert_eq!(sum("21.5", 2, 0), Some(43));
        assert_eq!(sum("100.33333333333333", 3, 0), Some(301));
        assert_eq!(sum("-0.6666666666666666", 3, 0), Some(-2));
        assert_eq!(sum("0.9999996666666666", 3, 6), Some(2_999_999));
        assert_eq!(sum("2", 7, 2), Some(1400));
        assert_eq!(sum("9007199254740993.333333", 3, 0), Some(27_021_597_764_222_980));
        assert_eq!(sum("38.58165904117764", 30_162, 0), Some(1_163_700));
    }

    #[test]
    fn means_that_fix_no_sum_are_found_out() {
        assert_eq!(sum("21.5", 3, 0), None, "no three whole numbers have this mean");
        assert_eq!(sum("21.3", 3, 0), None);
        assert_eq!(sum("4503599627370496.5", 6_000_000, 0), None, "several sums are rounded to this mean");
        assert_eq!(sum("0.3333333333333333", u64::MAX, 0), None);
    }
}
