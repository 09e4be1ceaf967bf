//! The groups of a release that was read back as text, beside the original that it was made from.

use super::tuples::LossTuples;
use super::{Groups, Locator};
use crate::region::{PublishedReader, Reach};
use crate::statistics::{Collector, Extent, Needs, Statistics, distances};
use crate::table::{Column, Table};
use crate::{Error, Result};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use std::ops::Range;

/// A group as it is published.
#[derive(Clone, Debug, Default)]
pub struct PublishedGroup {
    /// The text of each dimension of the original.
    pub texts: Vec<String>,
    /// How many rows it has.
    pub rows: u64,
    /// Columns that are published as they are, by their number in the original, with how often each text occurs. The
    /// same columns in every group.
    pub kept: Vec<(usize, Vec<(String, u64)>)>,
}

/// The groups of a release, as far as its texts tell.
///
/// Where every row of the original lies in at most one region, and every group has as many rows as lie in its region,
/// the rows of each group are known: the others were suppressed.
#[derive(Debug)]
pub struct PublishedGroups<'a> {
    table: &'a Table,
    rows: Vec<u64>,
    dimensions: Vec<DimensionTexts>,
    kept: Vec<KeptColumn>,
    /// The rows of the original in each group, where they can be found.
    members: Option<Vec<Vec<u32>>>,
}

/// The published texts of a dimension, each different text once.
#[derive(Debug, Default)]
struct DimensionTexts {
    reaches: Vec<Reach>,
    /// Which of them each group has.
    of_group: Vec<u32>,
}

/// A column that is published as it is.
#[derive(Debug)]
struct KeptColumn {
    column: usize,
    /// The distances of its numbers, for moments; empty where it has none.
    distances: Vec<u64>,
    /// How often each code occurs, by group.
    counts: Vec<Vec<(u32, u64)>>,
}

impl<'a> PublishedGroups<'a> {
    /// Reads the texts of a release. Fails where one is no value of its column.
    pub fn read(original: &'a Table, groups: Vec<PublishedGroup>) -> Result<Self> {
        let dimensions =
            (0..original.dimensions()).map(|dimension| DimensionTexts::read(original, dimension, &groups));
        let kept = groups.first().map_or(&[][..], |group| &group.kept);
        let mut published = PublishedGroups {
            table: original,
            rows: groups.iter().map(|group| group.rows).collect(),
            dimensions: dimensions.collect::<Result<_>>()?,
            kept: (0..kept.len()).map(|at| KeptColumn::read(original, at, &groups)).collect::<Result<_>>()?,
            members: None,
        };
        published.members = published.assign()?;
        Ok(published)
    }

    /// The rows of every group, where they can be found.
    fn assign(&self) -> Result<Option<Vec<Vec<u32>>>> {
        let dimensions = self.table.dimensions();
        let locator = Locator::new(self.rows.len(), dimensions, |group, d| self.covered(group, d));
        let tuples = LossTuples::of(self.table, (0..self.table.rows() as u32).collect())?;
        let found = tuples.locate(self.table, &locator, |regions| match *regions {
            [] => Some(None),
            [group] => Some(Some(group as usize)),
            _ => None,
        });
        let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let mut members = vec![Vec::new(); self.rows.len()];
        for (rows, group) in tuples.rows().zip(found) {
            if let Some(group) = group {
                members[group].extend_from_slice(rows);
            }
        }
        let complete = members.iter().zip(&self.rows).all(|(rows, count)| rows.len() as u64 == *count);
        Ok(complete.then_some(members))
    }

    fn kept(&self, column: usize) -> Option<&KeptColumn> {
        self.kept.iter().find(|kept| kept.column == column)
    }

    fn reach(&self, group: usize, dimension: usize) -> &Reach {
        let texts = &self.dimensions[dimension];
        &texts.reaches[texts.of_group[group] as usize]
    }
}

impl Groups for PublishedGroups<'_> {
    fn count(&self) -> usize {
        self.rows.len()
    }

    fn rows(&self, group: usize) -> u64 {
        self.rows[group]
    }

    fn extent(&self, group: usize, dimension: usize) -> Extent {
        self.reach(group, dimension).ends.clone()
    }

    fn covered(&self, group: usize, dimension: usize) -> Extent {
        self.reach(group, dimension).covered.clone()
    }

    fn members(&self, group: usize) -> Option<&[u32]> {
        Some(&self.members.as_ref()?[group])
    }

    /// No tuple of the original lies in two regions, which is all that losses look at.
    fn disjoint(&self) -> bool {
        self.members.is_some()
    }

    fn knows(&self, needs: &Needs) -> bool {
        let has_numbers = |kept: &KeptColumn| !kept.distances.is_empty();
        self.members.is_some()
            || (needs.histograms.iter().all(|&column| self.kept(column).is_some())
                && needs.moments.iter().all(|&column| self.kept(column).is_some_and(has_numbers)))
    }

    fn statistics(&self, groups: Range<usize>, collector: &Collector<'_>) -> Vec<Statistics> {
        groups.map(|group| self.statistics_of(group, collector)).collect()
    }
}

impl PublishedGroups<'_> {
    fn statistics_of(&self, group: usize, collector: &Collector<'_>) -> Statistics {
        let mut statistics = self.members(group).map_or_else(|| collector.empty(), |rows| collector.of(rows));
        statistics.count = self.rows[group];
        for (column, histogram) in &mut statistics.histograms {
            if let Some(kept) = self.kept(*column) {
                *histogram = kept.counts[group].iter().copied().collect();
            }
        }
        for (column, moments) in &mut statistics.moments {
            if let Some(kept) = self.kept(*column).filter(|kept| !kept.distances.is_empty()) {
                *moments = Default::default();
                for &(code, rows) in &kept.counts[group] {
                    if let Some(&distance) = kept.distances.get(code as usize) {
                        moments.add(distance, rows);
                    }
                }
            }
        }
        statistics
    }
}

fn unknown(column: &Column, help: &str) -> Error {
    Error::input(format!("column {}: a published value is not a value of the original", column.name))
        .with_help(help)
}

impl DimensionTexts {
    fn read(table: &Table, dimension: usize, groups: &[PublishedGroup]) -> Result<Self> {
        let reader = PublishedReader::new(table.domain(dimension));
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut texts = DimensionTexts::default();
        for group in groups {
            let text = group.texts.get(dimension).ok_or_else(|| {
                Error::internal("a published group has fewer texts than the original has quasi-identifiers")
            })?;
            let number = match numbers.entry(text) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    let help = "give the hierarchy or order that the release was made with";
                    let reach =
                        reader.reach(text).ok_or_else(|| unknown(table.dimension(dimension), help))?;
                    texts.reaches.push(reach);
                    *new.insert(texts.reaches.len() as u32 - 1)
                }
            };
            texts.of_group.push(number);
        }
        Ok(texts)
    }
}

impl KeptColumn {
    /// Reads the kept column that stands at a place in every group.
    fn read(table: &Table, at: usize, groups: &[PublishedGroup]) -> Result<Self> {
        let number = groups[0].kept[at].0;
        let column = &table.columns()[number];
        let odd =
            || Error::internal(format!("column {} was not counted in every published row", column.name));
        let (domain, _) = column.coded().ok_or_else(odd)?;
        let reader = PublishedReader::new(domain);
        let code = |(text, rows): &(String, u64)| {
            let help = "measure the release beside the table that it was made from";
            Ok((reader.code(text).ok_or_else(|| unknown(column, help))?, *rows))
        };
        let mut counts = Vec::with_capacity(groups.len());
        for group in groups {
            let (_, texts) = group.kept.get(at).filter(|(kept, _)| *kept == number).ok_or_else(odd)?;
            if texts.iter().map(|(_, rows)| rows).sum::<u64>() != group.rows {
                return Err(odd());
            }
            counts.push(texts.iter().map(code).collect::<Result<_>>()?);
        }
        let distances = distances(&column.name, domain, table.rows() as u64).unwrap_or_default();
        Ok(KeptColumn { column: number, distances, counts })
    }
}
