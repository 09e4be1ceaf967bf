//! The release as the whole that requirements compare its groups with.

use super::sum::ValueSum;
use crate::{
    Histograms, Tally,
    histograms::{CodedCells, HistogramCell},
    keys::Keys,
    tally::{Group, too_many},
    values::{ColumnValues, Comparison},
};
use klimt_core::requirement::{Check, ColumnFacts, Level, PeopleFacts, Requirement, WholeFacts, by_code};
use klimt_core::statistics::{GroupPeople, Histogram, Moments, Statistics, distances};
use klimt_core::table::{ColumnSpec, Distinct, Domain, Encoding, PairColumn, Role};
use klimt_core::{Error, Result};
use std::collections::BTreeMap;

/// How many rows of a release have each value of a sensitive column, by the published text.
#[derive(Clone, Debug)]
pub struct ValueCounts {
    column: String,
    values: ColumnValues,
    rows: Vec<u64>,
}

impl ValueCounts {
    /// No values of a column, which are compared by value.
    pub fn new(column: &str) -> Self {
        ValueCounts::compared(column, Comparison::Value)
    }

    /// No values of a column, which are compared so.
    pub fn compared(column: &str, comparison: Comparison) -> Self {
        ValueCounts { column: column.to_string(), values: ColumnValues::new(comparison), rows: Vec::new() }
    }

    /// Counts rows that have a value; a missing one is an empty text.
    pub fn add(&mut self, text: &[u8], rows: u64) -> Result<()> {
        self.number(text, rows).map(drop)
    }

    /// Counts rows that have a value, and says the value's number.
    pub(crate) fn number(&mut self, text: &[u8], rows: u64) -> Result<u32> {
        let number = self.values.number(text).ok_or_else(too_many)?;
        self.rows.resize(self.values.len(), 0);
        self.rows[number as usize] += rows;
        Ok(number)
    }

    fn of(histograms: &Histograms) -> Self {
        let mut rows = vec![0; histograms.values()];
        for cell in histograms.all_cells() {
            rows[cell.value as usize] += cell.rows;
        }
        let column = histograms.column().to_string();
        ValueCounts { column, values: histograms.all_values().clone(), rows }
    }
}

/// The rows of a release and the distribution of its sensitive columns, and how much of them has been seen.
pub(crate) struct WholeRelease {
    rows: u64,
    seen: u64,
    columns: Vec<SensitiveColumn>,
    /// The people of the release, where whom rows are about is told.
    people: Option<WholePeople>,
}

/// The people of a release.
struct WholePeople {
    /// Each person once, as far as they have been seen.
    known: Keys,
    /// How many there are.
    people: u64,
    /// The pairs of a person and a value of each sensitive column.
    pairs: Vec<Histogram>,
}

/// The values of a sensitive column of a release that comes in segments, as they are claimed beforehand.
#[derive(Clone, Debug)]
pub enum ClaimedValues {
    /// How many rows have each value.
    Counts(ValueCounts),
    /// The sum of its values, where no requirement compares a group with them.
    Sum(ValueSum),
}

enum SensitiveColumn {
    Counted(CountedColumn),
    /// The claimed sum, the sum of the values read so far, and a domain for checks that look at neither values nor counts.
    Summed(ValueSum, ValueSum, Domain),
}

struct CountedColumn {
    name: String,
    values: ColumnValues,
    /// The code of each value, by its number.
    codes: Vec<u32>,
    domain: Domain,
    /// How many rows of the release have each code.
    counts: Vec<u64>,
    /// How many of them have been seen.
    seen: Vec<u64>,
}

/// The groups of a segment with their sensitive values.
pub(crate) struct Segment<'a> {
    /// The groups, ascending by number.
    pub groups: Vec<Group<'a>>,
    /// The counts of each sensitive column, group by group, and the code of each value by its number there.
    pub columns: Vec<CodedCells>,
}

impl WholeRelease {
    /// The whole of a release that is one segment.
    pub fn of(tally: &Tally, specs: &BTreeMap<String, ColumnSpec>) -> Result<Self> {
        let counts = tally.sensitive().iter().map(|column| ClaimedValues::Counts(ValueCounts::of(column)));
        let mut whole = WholeRelease::new(tally.rows(), counts.collect(), specs)?;
        let Some(people) = tally.people() else { return Ok(whole) };
        people.complete()?;
        let numbers: Vec<u32> = (0..people.known()).collect();
        let columns = whole.columns.iter().enumerate();
        let pairs = columns.map(|(at, column)| match column {
            SensitiveColumn::Counted(counted) => {
                let values = counted.domain.cardinality() as u32;
                people.pairs(at, &numbers, &counted.codes, values).ok_or_else(too_many)
            }
            SensitiveColumn::Summed(..) => Ok(Histogram::default()),
        });
        let pairs = pairs.collect::<Result<_>>()?;
        whole.people = Some(WholePeople { known: Keys::default(), people: people.people(), pairs });
        Ok(whole)
    }

    /// A whole of this many rows with these sensitive values; `specs` has the claimed values of the columns.
    pub fn new(rows: u64, told: Vec<ClaimedValues>, specs: &BTreeMap<String, ColumnSpec>) -> Result<Self> {
        let columns = told.into_iter().map(|told| match told {
            ClaimedValues::Counts(counts) => CountedColumn::new(counts, specs).map(SensitiveColumn::Counted),
            ClaimedValues::Sum(sum) => {
                let spec = ColumnSpec::new(sum.column(), Role::Sensitive);
                let domain = Encoding::of(&spec, Distinct::Integers(vec![0]), false);
                let domain = domain.map_err(|_| Error::internal("a number is not a value"))?.domain;
                Ok(SensitiveColumn::Summed(sum.clone(), sum.emptied(), domain))
            }
        });
        Ok(WholeRelease { rows, seen: 0, columns: columns.collect::<Result<_>>()?, people: None })
    }

    /// The same whole, of so many people.
    pub fn of_people(self, people: Option<u64>) -> Self {
        let people = people.map(|people| WholePeople { known: Keys::default(), people, pairs: Vec::new() });
        WholeRelease { people, ..self }
    }

    /// Counts the values of a segment, all of its rows among them, and says the code of each, column by column.
    pub fn see(&mut self, tally: &Tally) -> Result<Vec<Vec<u32>>> {
        let names = tally.sensitive().iter().map(Histograms::column);
        if !names.eq(self.columns.iter().map(SensitiveColumn::name)) {
            return Err(Error::internal("a segment has other sensitive columns than its release"));
        }
        self.seen += tally.rows();
        let see = |(column, found): (&mut SensitiveColumn, &Histograms)| match column {
            SensitiveColumn::Counted(counted) => counted.see(found),
            SensitiveColumn::Summed(_, seen, _) => {
                seen.see(found);
                Ok((0..found.values() as u32).collect())
            }
        };
        self.columns.iter_mut().zip(tally.sensitive()).map(see).collect()
    }

    /// The histograms of people of a segment, of which the values of sensitive columns have these codes.
    pub fn see_people(
        &mut self,
        tally: &Tally,
        codes: &[Vec<u32>],
        except: Option<u32>,
    ) -> Result<Vec<CodedCells>> {
        let (Some(whole), Some(people)) = (&mut self.people, tally.people()) else { return Ok(Vec::new()) };
        people.complete()?;
        people.numbers(&mut whole.known).ok_or_else(too_many)?;
        let numbers: Vec<u32> = (0..people.known()).collect();
        let values = |column: &SensitiveColumn| column.domain().cardinality() as u32;
        let columns: Vec<(&[u32], u32)> =
            codes.iter().zip(&self.columns).map(|(codes, column)| (&codes[..], values(column))).collect();
        people.histograms(&numbers, &columns, except).ok_or_else(too_many)
    }

    /// The code of each value by its number in the counts that the whole was made of, column by column.
    pub fn codes(&self) -> Vec<Vec<u32>> {
        let codes = |column: &SensitiveColumn| match column {
            SensitiveColumn::Counted(counted) => counted.codes.clone(),
            SensitiveColumn::Summed(..) => Vec::new(),
        };
        self.columns.iter().map(codes).collect()
    }

    /// How many people have been seen, where people are counted.
    pub fn seen_people(&self) -> Option<u64> {
        self.people.as_ref().map(|people| people.known.len() as u64)
    }

    /// Fails unless exactly the rows and values of the whole have been seen.
    pub fn complete(&self) -> Result<()> {
        let all = |column: &SensitiveColumn| match column {
            SensitiveColumn::Counted(counted) => counted.seen == counted.counts,
            SensitiveColumn::Summed(told, seen, _) => told.equals(seen),
        };
        let everybody = |people: &WholePeople| people.known.len() as u64 == people.people;
        if self.seen == self.rows && self.columns.iter().all(all) && self.people.iter().all(everybody) {
            return Ok(());
        }
        Err(Error::internal("the release holds other sensitive values or people than were to be published"))
    }

    /// The distances by which the moments of some columns are taken.
    pub fn distances(&self, columns: &[usize]) -> Result<Vec<(usize, Vec<u64>)>> {
        let of = |&number: &usize| {
            let column = &self.columns[number];
            Ok((number, distances(column.name(), column.domain(), self.rows)?))
        };
        columns.iter().map(of).collect()
    }
}

impl Segment<'_> {
    /// Whether every group satisfies a requirement, and the worst level that one reaches, where there are groups.
    /// `failed` is called with the number of every group that does not satisfy it.
    pub fn measure(
        &self,
        requirement: &dyn Requirement,
        check: &dyn Check,
        distances: &[(usize, Vec<u64>)],
        failed: &mut dyn FnMut(u32),
    ) -> (bool, Option<Level>) {
        let (side, needs) = (requirement.side(), check.needs());
        let mut cursors = vec![0; self.columns.len()];
        let (mut holds, mut worst) = (true, None);
        for group in &self.groups {
            let mut statistics = Statistics { count: group.rows(), ..Statistics::default() };
            for &number in needs.histograms.iter().chain(&needs.moments) {
                let (cells, codes) = &self.columns[number];
                let cells = cells_of(cells, group.number(), &mut cursors[number]);
                let coded = cells.iter().map(|cell| (codes[cell.value as usize], cell.rows));
                match distances.iter().find(|(column, _)| *column == number) {
                    Some((_, distances)) => statistics.moments.push((number, moments_of(coded, distances))),
                    None => statistics.histograms.push((number, coded.collect::<Histogram>())),
                }
            }
            if group.rows() < requirement.minimum_size() || !check.satisfied(&statistics) {
                holds = false;
                failed(group.number());
            }
            let level = check.level(&statistics);
            worst = Some(match worst {
                Some(worst) => side.worse(worst, level),
                None => level,
            });
        }
        (holds, worst)
    }
}

/// The cells of a group; callers must ask for groups in ascending order.
fn cells_of<'c>(cells: &'c [HistogramCell], group: u32, cursor: &mut usize) -> &'c [HistogramCell] {
    let start = *cursor + cells[*cursor..].partition_point(|cell| cell.group < group);
    let end = start + cells[start..].iter().take_while(|cell| cell.group == group).count();
    *cursor = end;
    &cells[start..end]
}

fn moments_of(coded: impl Iterator<Item = (u32, u64)>, distances: &[u64]) -> Moments {
    let mut moments = Moments::default();
    for (code, rows) in coded {
        if let Some(&distance) = distances.get(code as usize) {
            moments.add(distance, rows);
        }
    }
    moments
}

impl SensitiveColumn {
    fn name(&self) -> &str {
        match self {
            SensitiveColumn::Counted(counted) => &counted.name,
            SensitiveColumn::Summed(told, ..) => told.column(),
        }
    }

    fn domain(&self) -> &Domain {
        match self {
            SensitiveColumn::Counted(CountedColumn { domain, .. })
            | SensitiveColumn::Summed(_, _, domain) => domain,
        }
    }
}

impl CountedColumn {
    fn new(counts: ValueCounts, specs: &BTreeMap<String, ColumnSpec>) -> Result<Self> {
        let ValueCounts { column: name, values, rows } = counts;
        let spec = specs.get(&name).cloned().unwrap_or_else(|| ColumnSpec::new(&name, Role::Sensitive));
        let texts = || (0..values.len() as u32).map(|value| values.text(value));
        let present = texts().filter(|text| !text.is_empty());
        let missing = texts().any(str::is_empty);
        let encoding = Encoding::of(&spec, Distinct::Texts(present.collect()), missing);
        let Encoding { domain, codes } = encoding.map_err(|_| {
            Error::input(format!(
                "column {name} holds values that its type, order or hierarchy does not have"
            ))
        })?;
        let mut present = codes.into_iter();
        let absent = domain.missing_code().unwrap_or(0);
        let code = |text: &str| if text.is_empty() { absent } else { present.next().unwrap_or(absent) };
        let codes: Vec<u32> = texts().map(code).collect();
        let mut counts = vec![0; domain.cardinality()];
        for (&code, rows) in codes.iter().zip(rows) {
            counts[code as usize] += rows;
        }
        let seen = vec![0; counts.len()];
        Ok(CountedColumn { name, values, codes, domain, counts, seen })
    }

    /// Counts values, and says the code of each.
    fn see(&mut self, found: &Histograms) -> Result<Vec<u32>> {
        let code = |value: u32| Some(self.codes[self.values.find(found.value(value).as_bytes())? as usize]);
        let codes: Option<Vec<u32>> = (0..found.values() as u32).map(code).collect();
        let codes = codes.ok_or_else(|| {
            let name = &self.name;
            Error::internal(format!(
                "column {name} of the release holds a value that was not to be published"
            ))
        })?;
        for cell in found.all_cells() {
            self.seen[codes[cell.value as usize] as usize] += cell.rows;
        }
        Ok(codes)
    }
}

impl WholeFacts for WholeRelease {
    fn rows(&self) -> u64 {
        self.rows
    }

    fn column(&self, name: &str) -> Option<ColumnFacts<'_>> {
        let number = self.columns.iter().position(|column| column.name() == name)?;
        let column = &self.columns[number];
        let counts = match column {
            SensitiveColumn::Counted(counted) => counted.counts.clone(),
            SensitiveColumn::Summed(..) => Vec::new(),
        };
        Some(ColumnFacts { number, domain: column.domain(), counts })
    }

    /// Regions are known by their text only.
    fn dimension(&self, _: &str) -> Option<(usize, &Domain)> {
        None
    }

    fn people(&self) -> Option<PeopleFacts> {
        let people = self.people.as_ref()?.people;
        Some(PeopleFacts { column: self.columns.len(), people, nobody: None })
    }

    fn pairs(&self, name: &str) -> Option<PairColumn> {
        self.people.as_ref()?;
        let at = self.columns.iter().position(|column| column.name() == name)?;
        let values = self.columns[at].domain().cardinality() as u32;
        Some(PairColumn { number: self.columns.len() + 1 + at, values, nobody: None })
    }

    fn votes(&self, pairs: PairColumn) -> Vec<u64> {
        let of_column = |people: &WholePeople| {
            let pairs_of_column = people.pairs.get(pairs.number.checked_sub(self.columns.len() + 1)?)?;
            Some(by_code(&GroupPeople::of(pairs_of_column, pairs.values, None), pairs.values))
        };
        self.people.as_ref().and_then(of_column).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_groups_that_are_not_asked_for_are_skipped() {
        let cell = |group, value| HistogramCell { group, value, rows: 1 };
        let cells = [cell(0, 0), cell(1, 0), cell(1, 2), cell(2, 0), cell(3, 1), cell(5, 0)];
        let mut cursor = 0;
        let found = [1, 3, 4, 5].map(|group| cells_of(&cells, group, &mut cursor));
        assert_eq!(found, [&cells[1..3], &cells[4..5], &[], &cells[5..6]]);
    }
}
