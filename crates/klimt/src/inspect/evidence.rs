//! Evidence about a column: its name, a sample of its values, and how often they repeat.

use klimt_core::Result;
use klimt_core::spill::{Block, Rows};
use klimt_core::table::{Column, ColumnData, Domain, Shape, Table, TypeSpec, ValueType};
use klimt_io::column::marker;
use klimt_io::room::{Loaded, SpilledTable};
use std::collections::BTreeSet;

/// Rows of a column that are looked at, spread evenly over the table.
const ROWS: usize = 10_000;
/// Different values of them that are kept.
const VALUES: usize = 2_000;
/// Blocks of a table on disk that are read for them.
const BLOCKS: usize = 8;

/// Evidence about a column.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    /// The column's name.
    pub name: String,
    /// The type of its values, where it is known.
    pub value_type: Option<ValueType>,
    /// Whether it is a set of texts: unordered, without a hierarchy, and not for markers alone.
    pub is_set: bool,
    /// Whether only markers of missing values keep its values from being numbers or dates.
    pub is_marked: bool,
    /// Whether every row that was looked at has a value.
    pub is_complete: bool,
    /// How many rows have a value.
    pub rows: u64,
    /// How many different values they have; an estimate where there are too many rows to look at.
    pub distinct: u64,
    /// Different values, at most 2,000.
    pub values: Vec<String>,
}

impl Evidence {
    /// At least so many different values for every hundred rows that have one.
    pub fn repeats_less_than(&self, percent: u64) -> bool {
        self.rows > 0 && self.distinct * 100 >= self.rows * percent
    }

    /// How many values there are where case and blanks around them do not matter.
    pub fn categories(&self) -> u64 {
        let seen = self.values.len() as u64;
        let folded =
            self.values.iter().map(|value| value.trim().to_lowercase()).collect::<BTreeSet<String>>();
        folded.len() as u64 + self.distinct.saturating_sub(seen)
    }

    /// Evidence about every column of a table that was read, in memory or on disk.
    pub fn of_loaded(loaded: &Loaded<'_>) -> Result<Vec<Evidence>> {
        match loaded {
            Loaded::Fits(table, _) => Ok(Evidence::of_table(table)),
            Loaded::Spilled(spilled) => of_spilled(spilled),
        }
    }

    /// Evidence about every column of a table in memory.
    pub fn of_table(table: &Table) -> Vec<Evidence> {
        table.columns().iter().map(|column| Evidence::of(column, table.rows() as u64, None)).collect()
    }

    /// Evidence about a column, or about a sample of a column with so many rows. Of a sample, `whole` is the domain.
    fn of(column: &Column, rows: u64, whole: Option<&Domain>) -> Evidence {
        let here = match &column.data {
            ColumnData::Coded { codes, .. } => codes.len(),
            ColumnData::Texts(texts) => texts.len(),
        };
        let looked_at = here.min(ROWS);
        let (mut text, mut present, mut marked, mut seen) = (Vec::new(), 0u64, false, BTreeSet::new());
        for row in (0..looked_at).map(|at| at * here / looked_at) {
            text.clear();
            column.write_text(row, &mut text);
            if column.is_missing(row) || text.is_empty() {
                continue;
            }
            match marker(&text) {
                Some(_) => marked = true,
                None => {
                    present += 1;
                    seen.insert(text.clone());
                }
            }
        }
        let filled = u128::from(rows) * u128::from(present) / (looked_at.max(1) as u128);
        let estimate = estimated(seen.len() as u64, present, filled as u64);
        let distinct = match (&column.data, whole) {
            (ColumnData::Coded { domain, codes }, None) if here > looked_at => {
                let mut occurs = vec![false; domain.cardinality()];
                codes.for_each(|code| occurs[code as usize] = true);
                occurs.iter().take(domain.value_count()).filter(|occurs| **occurs).count() as u64
            }
            (_, Some(domain)) if !domain.is_range() && matches!(domain.shape(), Shape::Set) => {
                domain.value_count() as u64
            }
            _ => estimate,
        };
        let domain = column.coded().map(|(domain, _)| domain);
        let step = seen.len().div_ceil(VALUES).max(1);
        let texts = seen.iter().step_by(step).map(|text| String::from_utf8_lossy(text).into_owned());
        let values: Vec<String> = texts.collect();
        let is_marked = marked && are_ordered(&values);
        let is_set = domain.is_some_and(|domain| {
            matches!(domain.shape(), Shape::Set) && domain.value_type() == ValueType::Text
        });
        Evidence {
            name: column.name.clone(),
            value_type: domain.map(Domain::value_type),
            is_set: is_set && !is_marked,
            is_marked,
            is_complete: present == looked_at as u64,
            rows: filled as u64,
            distinct,
            values,
        }
    }
}

/// Evidence about a table on disk, by a sample of its blocks.
fn of_spilled(spilled: &SpilledTable<'_>) -> Result<Vec<Evidence>> {
    let frame = spilled.frame();
    let (mut sample, mut block) = (Block::empty(frame), Block::empty(frame));
    let blocks = spilled.blocks().min(BLOCKS);
    for number in (0..blocks).map(|at| at * spilled.blocks() / blocks) {
        spilled.read(number, &mut block)?;
        let many = block.rows().min(ROWS / blocks);
        let rows: Vec<u32> = (0..many).map(|at| (at * block.rows() / many) as u32).collect();
        sample.append_rows(&block, &rows);
    }
    let sample = sample.into_table(frame)?;
    let domains = frame.columns().iter().map(|column| column.coded().map(|(domain, _)| domain));
    let of = |(column, domain)| Evidence::of(column, spilled.rows(), domain);
    Ok(sample.columns().iter().zip(domains).map(of).collect())
}

/// Whether all values are of one type that has an order, so that only markers make a set of texts of their column.
fn are_ordered(values: &[String]) -> bool {
    let types = [ValueType::Decimal, ValueType::Date, ValueType::Timestamp].map(TypeSpec::from);
    let fits = |spec: &TypeSpec| values.iter().all(|value| spec.position(value).is_some());
    !values.is_empty() && types.iter().any(fits)
}

/// How many different values a column of `rows` rows has, of which `sampled` rows hold `seen` ones: the number that is
/// expected to show so many, if all are equally common.
fn estimated(seen: u64, sampled: u64, rows: u64) -> u64 {
    if sampled >= rows || seen == 0 {
        return seen;
    }
    if seen == sampled {
        return rows;
    }
    let shown = |values: f64| values * (1.0 - (-(sampled as f64) / values).exp());
    let (mut low, mut high) = (seen as f64, rows as f64);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match shown(middle) < seen as f64 {
            true => low = middle,
            false => high = middle,
        }
    }
    high.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_values_is_estimated_from_a_sample() {
        assert_eq!(estimated(7, 100, 100), 7);
        assert_eq!(estimated(0, 0, 100), 0);
        assert_eq!(estimated(10_000, 10_000, 1_000_000), 1_000_000);
        // 50,000 values of which 10,000 rows show 9,063.
        assert!((49_000..51_000).contains(&estimated(9_063, 10_000, 1_000_000)));
        assert_eq!(estimated(20, 10_000, 1_000_000), 20);
    }
}
