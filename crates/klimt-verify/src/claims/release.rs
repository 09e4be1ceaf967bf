//! The release as the whole that its groups are parts of.

use crate::{Histograms, Tally, histograms::Cell};
use hashbrown::HashMap;
use klimt::requirement::{Check, ColumnFacts, Facts, Level, Requirement, Side};
use klimt::statistics::{Histogram, Moments, Statistics, distances};
use klimt::table::{ColumnSpec, Distinct, Domain, Encoding, Role};
use klimt::{Error, Result};
use std::collections::BTreeMap;

/// The sensitive columns of a release, encoded by their published texts.
pub(super) struct Release<'a> {
    tally: &'a Tally,
    columns: Vec<SensitiveColumn<'a>>,
}

struct SensitiveColumn<'a> {
    histograms: &'a Histograms,
    domain: Domain,
    /// The code of each value, by its number in the histograms.
    codes: Vec<u32>,
    /// How many rows of the release have each code.
    counts: Vec<u64>,
    /// What groups hold, group by group.
    cells: Vec<Cell>,
}

impl<'a> Release<'a> {
    /// Encodes the sensitive columns of a tally; `specs` says what is known of them beforehand.
    pub(super) fn new(tally: &'a Tally, specs: &BTreeMap<String, ColumnSpec>) -> Result<Self> {
        let columns =
            tally.sensitive().iter().map(|histograms| SensitiveColumn::new(tally, histograms, specs));
        Ok(Release { tally, columns: columns.collect::<Result<_>>()? })
    }

    /// Whether every group satisfies a requirement, and the worst level that one reaches. A release without groups
    /// proves nothing.
    pub(super) fn measure(&self, requirement: &dyn Requirement, check: &dyn Check) -> Result<(bool, Level)> {
        let (side, needs) = (requirement.side(), check.needs());
        let mut cursors: HashMap<usize, usize> = HashMap::new();
        let mut groups: Vec<_> = self.tally.groups().collect();
        groups.sort_unstable_by_key(|group| group.number());
        let mut worst: Option<Level> = None;
        let mut holds = true;
        let mut moments = Vec::new();
        for &number in &needs.moments {
            let column = &self.columns[number];
            moments.push((number, distances(column.histograms.column(), &column.domain, self.tally.rows())?));
        }
        for group in groups {
            let mut statistics = Statistics { count: group.rows(), ..Statistics::default() };
            for &number in needs.histograms.iter().chain(&needs.moments) {
                let cells = self.columns[number].cells_of(group.number(), cursors.entry(number).or_default());
                let coded =
                    cells.iter().map(|cell| (self.columns[number].codes[cell.value as usize], cell.rows));
                match moments.iter().find(|(column, _)| *column == number) {
                    Some((_, distances)) => statistics.moments.push((number, moments_of(coded, distances))),
                    None => statistics.histograms.push((number, coded.collect::<Histogram>())),
                }
            }
            holds &= group.rows() >= requirement.minimum_size() && check.satisfied(&statistics);
            let level = check.level(&statistics);
            worst = Some(match worst {
                Some(worst) => side.worse(worst, level),
                None => level,
            });
        }
        let nothing = if side == Side::AtLeast { Level::Count(0) } else { Level::Unbounded };
        Ok((holds && worst.is_some(), worst.unwrap_or(nothing)))
    }
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

impl<'a> SensitiveColumn<'a> {
    fn new(tally: &Tally, histograms: &'a Histograms, specs: &BTreeMap<String, ColumnSpec>) -> Result<Self> {
        let name = histograms.column();
        let spec = specs.get(name).cloned().unwrap_or_else(|| ColumnSpec::new(name, Role::Sensitive));
        let texts: Vec<&str> = (0..histograms.values() as u32).map(|value| histograms.value(value)).collect();
        let present: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
        let missing = present.len() < texts.len();
        let encoding = Encoding::of(&spec, Distinct::Texts(present.into_iter().collect()), missing);
        let Encoding { domain, codes } = encoding.map_err(|_| {
            Error::input(format!(
                "column {name} holds values that its type, order or hierarchy does not have"
            ))
        })?;
        let mut present = codes.into_iter();
        let absent = domain.missing_code().unwrap_or(0);
        let code = |text: &&str| if text.is_empty() { absent } else { present.next().unwrap_or(absent) };
        let codes: Vec<u32> = texts.iter().map(code).collect();
        let mut counts = vec![0; domain.cardinality()];
        for cell in histograms.all_cells() {
            counts[codes[cell.value as usize] as usize] += cell.rows;
        }
        Ok(SensitiveColumn { histograms, domain, codes, counts, cells: tally.cells(histograms) })
    }

    /// The cells of a group; groups are asked for in ascending order.
    fn cells_of(&self, group: u32, cursor: &mut usize) -> &[Cell] {
        let start = *cursor + self.cells[*cursor..].partition_point(|cell| cell.group < group);
        let end = start + self.cells[start..].iter().take_while(|cell| cell.group == group).count();
        *cursor = end;
        &self.cells[start..end]
    }
}

impl Facts for Release<'_> {
    fn rows(&self) -> u64 {
        self.tally.rows()
    }

    fn column(&self, name: &str) -> Option<ColumnFacts<'_>> {
        let number = self.columns.iter().position(|column| column.histograms.column() == name)?;
        let column = &self.columns[number];
        Some(ColumnFacts { number, domain: &column.domain, counts: column.counts.clone() })
    }

    /// Regions are known by their text only.
    fn dimension(&self, _: &str) -> Option<(usize, &Domain)> {
        None
    }
}
