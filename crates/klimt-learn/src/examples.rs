//! Rows to learn from and rows to be tested on, in one form.
//!
//! A generalised value stands for many, and the rows of a group are spread over its region evenly, as the papers do where
//! they answer queries: a row of the release becomes up to [`MOST_COPIES`] rows, each with a value of the region in every
//! column, chosen by a fixed rule. The middle of a region would be one value that few test rows have, and, where regions
//! are cut differently, would tell regions apart that overlap: trees that are trained with middles are right less often
//! the more the regions follow the target.

use crate::model::MOST_ROWS;
use klimt_core::loss::PublishedGroup;
use klimt_core::region::{PublishedReader, Reach};
use klimt_core::statistics::Extent;
use klimt_core::table::{Column, Decimal, Domain, Table};
use klimt_core::{Error, Result};
use std::collections::HashMap;

/// The target to learn, and the rows to learn it from.
#[derive(Clone, Copy, Debug)]
pub struct Learning<'a> {
    /// The original: quasi-identifiers, which are what is learnt from, and the target.
    pub original: &'a Table,
    /// The groups of the release, with how often each value of the target occurs in them.
    pub release: &'a [PublishedGroup],
    /// Rows that are in neither, with columns of the same names. They are read as texts, so their types do not matter.
    pub test: &'a Table,
    /// The number of the target among the columns of the original.
    pub target: usize,
}

/// The target of a model.
#[derive(Debug)]
pub(crate) enum LearningTarget<'a> {
    /// One of some classes, which have numbers by their texts.
    Class { column: &'a Column, numbers: HashMap<String, u32> },
    /// A number.
    Number { column: &'a Column, domain: &'a Domain },
}

impl<'a> Learning<'a> {
    /// A number where the column holds numbers or days, else a class.
    pub(crate) fn target(&self) -> Result<LearningTarget<'a>> {
        let column = self.original.columns().get(self.target);
        let column = column.ok_or_else(|| Error::internal("the target is not a column of the original"))?;
        let (domain, _) = column
            .coded()
            .ok_or_else(|| Error::internal(format!("the target {} is not coded", column.name)))?;
        if domain.is_measured() {
            return Ok(LearningTarget::Number { column, domain });
        }
        let mut numbers = HashMap::new();
        for code in 0..domain.cardinality() as u32 {
            number_of(domain.text(code), &mut numbers);
        }
        let published = self.release.iter().flat_map(|group| &group.kept);
        for (text, _) in published.filter(|(at, _)| *at == self.target).flat_map(|(_, counts)| counts) {
            number_of(text.clone(), &mut numbers);
        }
        Ok(LearningTarget::Class { column, numbers })
    }
}

fn number_of(text: String, numbers: &mut HashMap<String, u32>) {
    let next = numbers.len() as u32;
    numbers.entry(text).or_insert(next);
}

impl<'a> LearningTarget<'a> {
    pub fn column(&self) -> &'a Column {
        match self {
            LearningTarget::Class { column, .. } | LearningTarget::Number { column, .. } => column,
        }
    }

    /// The number of a class, or the number itself; `None` for a class that nothing is trained with, and for what is no
    /// number.
    fn value(&self, text: &str) -> Option<f64> {
        match self {
            LearningTarget::Class { numbers, .. } => numbers.get(text).map(|&number| f64::from(number)),
            LearningTarget::Number { domain, .. } => domain.type_spec().position(text).map(as_number),
        }
    }
}

/// A decimal as a floating-point number.
fn as_number(decimal: Decimal) -> f64 {
    decimal.units as f64 / 10f64.powi(decimal.scale as i32)
}

/// A value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FeatureCell {
    /// A code of the original's domain.
    Code(u32),
    /// A place on the axis of an ordered domain.
    Place(f64),
    /// A value that the original does not have.
    New,
}

/// A row of the release becomes at most this many.
pub(crate) const MOST_COPIES: usize = 4;

/// A column: its different cells, and which of them each row has.
#[derive(Debug)]
pub(crate) struct FeatureColumn<'a> {
    pub domain: &'a Domain,
    pub different: Vec<FeatureCell>,
    pub of_row: Vec<u32>,
}

/// Rows with their targets.
#[derive(Debug)]
pub(crate) struct Examples<'a> {
    pub columns: Vec<FeatureColumn<'a>>,
    /// The class or number of each row; not a number where the class is one that nothing is trained with.
    pub targets: Vec<f64>,
    /// How many rows there were before some were chosen, and before those without a number were left out.
    pub rows: u64,
    /// How many of these each stands for one that was published.
    pub copies: usize,
}

/// Which rows are taken where there are too many: evenly spread, so that the same rows give the same choice.
fn chosen(rows: usize) -> impl Iterator<Item = usize> {
    let taken = rows.min(MOST_ROWS);
    (0..taken).map(move |at| (at as u128 * rows as u128 / taken.max(1) as u128) as usize)
}

impl<'a> Examples<'a> {
    /// The rows of the original.
    pub fn of_original(learning: &Learning<'a>, target: &LearningTarget<'a>) -> Result<Self> {
        let table = learning.original;
        let (domain, codes) = coded(target.column())?;
        let values: Vec<Option<f64>> =
            (0..domain.cardinality() as u32).map(|code| target.value(&domain.text(code))).collect();
        let known = |row: &usize| values[codes.get(*row) as usize].is_some();
        let rows: Vec<usize> = (0..table.rows()).filter(known).collect();
        let rows: Vec<usize> = chosen(rows.len()).map(|at| rows[at]).collect();
        let columns = (0..table.dimensions()).map(|dimension| {
            let (domain, codes) = (table.domain(dimension), table.codes(dimension));
            let different = (0..domain.cardinality() as u32).map(FeatureCell::Code).collect();
            FeatureColumn { domain, different, of_row: rows.iter().map(|&row| codes.get(row)).collect() }
        });
        let targets = rows.iter().filter_map(|&row| values[codes.get(row) as usize]).collect();
        Ok(Examples { columns: columns.collect(), targets, rows: table.rows() as u64, copies: 1 })
    }

    /// The rows of the release: as many of each group and value of the target as are published.
    pub fn of_release(learning: &Learning<'a>, target: &LearningTarget<'a>) -> Result<Self> {
        let table = learning.original;
        let (mut groups, mut values, mut all) = (Vec::new(), Vec::new(), 0);
        for (number, group) in learning.release.iter().enumerate() {
            all += group.rows;
            let counts = group.kept.iter().find(|(at, _)| *at == learning.target).map(|(_, counts)| counts);
            let column = target.column();
            let counts = counts.ok_or_else(|| {
                Error::internal(format!("column {} was not counted in every published row", column.name))
            })?;
            let mut known: Vec<(f64, u64)> =
                counts.iter().filter_map(|(text, rows)| Some((target.value(text)?, *rows))).collect();
            known.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (value, rows) in known {
                groups.extend(std::iter::repeat_n(number as u32, rows as usize));
                values.extend(std::iter::repeat_n(value, rows as usize));
            }
        }
        let rows: Vec<usize> = chosen(groups.len()).collect();
        let copies = (MOST_ROWS / rows.len().max(1)).clamp(1, MOST_COPIES);
        let column = |dimension: usize| -> Result<FeatureColumn<'a>> {
            let domain = table.domain(dimension);
            let (different, of_group) = regions(learning, dimension)?;
            let value = |copy: usize| {
                let row = rows[copy / copies];
                let chance = share_of(row as u64, dimension as u64) * copies as f64;
                // Each copy has a part of the region of its own, another one in every column.
                let part = (copy + chance as usize) % copies;
                let share = (part as f64 + chance.fract()) / copies as f64;
                within(domain, &different[of_group[groups[row] as usize] as usize], share)
            };
            let values: Vec<FeatureCell> = (0..rows.len() * copies).map(value).collect();
            Ok(FeatureColumn { domain, of_row: (0..values.len() as u32).collect(), different: values })
        };
        let columns = (0..table.dimensions()).map(column).collect::<Result<_>>()?;
        let targets = rows.iter().flat_map(|&row| std::iter::repeat_n(values[row], copies)).collect();
        Ok(Examples { columns, targets, rows: all, copies })
    }

    /// The rows to be tested on; all of them, but for those without a number.
    pub fn of_test(learning: &Learning<'a>, target: &LearningTarget<'a>) -> Result<Self> {
        let (original, test) = (learning.original, learning.test);
        let named = |name: &str| {
            let found = test.columns().iter().find(|column| column.name == name);
            coded(found.ok_or_else(|| Error::internal(format!("column {name} of the test was not read")))?)
        };
        let (domain, codes) = named(&target.column().name)?;
        let no_number = matches!(target, LearningTarget::Number { .. });
        let value = |code: u32| match target.value(&domain.text(code)) {
            None if !no_number => Some(f64::NAN),
            value => value,
        };
        let values: Vec<Option<f64>> = (0..domain.cardinality() as u32).map(value).collect();
        let rows: Vec<usize> =
            (0..test.rows()).filter(|&row| values[codes.get(row) as usize].is_some()).collect();
        let targets = rows.iter().filter_map(|&row| values[codes.get(row) as usize]).collect();
        let column = |dimension: usize| -> Result<FeatureColumn<'a>> {
            let domain = original.domain(dimension);
            let (spoken, codes) = named(&original.dimension(dimension).name)?;
            let reader = PublishedReader::new(domain);
            let cell = |code: u32| of_text(domain, &reader, &spoken.text(code));
            let different = (0..spoken.cardinality() as u32).map(cell).collect();
            Ok(FeatureColumn { domain, different, of_row: rows.iter().map(|&row| codes.get(row)).collect() })
        };
        let columns = (0..original.dimensions()).map(column).collect::<Result<_>>()?;
        Ok(Examples { columns, targets, rows: test.rows() as u64, copies: 1 })
    }
}

fn coded(column: &Column) -> Result<(&Domain, &klimt_core::table::Codes)> {
    column.coded().ok_or_else(|| Error::internal(format!("column {} is not coded", column.name)))
}

/// The region of a published text.
struct TextRegion {
    /// The least and the greatest code, an open end included.
    ends: Option<(u32, u32)>,
    covered: Extent,
    /// The codes of a set.
    members: Vec<u32>,
}

impl From<Reach> for TextRegion {
    fn from(reach: Reach) -> Self {
        let members = match &reach.covered {
            Extent::Interval { .. } => Vec::new(),
            set => set.codes(),
        };
        TextRegion { ends: reach.ends.ends(), covered: reach.covered, members }
    }
}

/// A share in 0..1 that looks like chance, and is the same for the same row and dimension.
fn share_of(row: u64, dimension: u64) -> f64 {
    let mut bits =
        row.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (dimension + 1).wrapping_mul(0xD1B5_4A32_D192_ED03);
    for _ in 0..2 {
        bits = (bits ^ bits >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
    ((bits ^ bits >> 32) >> 11) as f64 / (1u64 << 53) as f64
}

/// The value that lies at a share of a region. Where the axis has a measure, it is a place between the ends, whether
/// some row of the original lies there or not.
fn within(domain: &Domain, region: &TextRegion, share: f64) -> FeatureCell {
    let codes = region.covered.len();
    let at = ((share * codes as f64) as u64).min(codes.saturating_sub(1));
    let code = match &region.covered {
        Extent::Interval { lo, .. } => lo + at as u32,
        Extent::Members(_) => region.members[at as usize],
    };
    let last = domain.value_count().saturating_sub(1) as u32;
    match region.ends {
        Some((lo, hi)) if domain.is_measured() && lo < hi && Some(code) != domain.missing_code() => {
            let place = |code: u32| place_of(domain, code.min(last));
            FeatureCell::Place(place(lo) + share * (place(hi) - place(lo)))
        }
        _ => FeatureCell::Code(code),
    }
}

/// Where a code of an ordered domain lies.
pub(crate) fn place_of(domain: &Domain, code: u32) -> f64 {
    as_number(Decimal { units: domain.position(code), scale: domain.scale() })
}

/// A value of a test row, as it is.
fn of_text(domain: &Domain, reader: &PublishedReader<'_>, text: &str) -> FeatureCell {
    if let Some(code) = reader.code(text) {
        return FeatureCell::Code(code);
    }
    let place = domain.is_measured().then(|| domain.type_spec().position(text)).flatten();
    place.map_or(FeatureCell::New, |place| FeatureCell::Place(as_number(place)))
}

/// The different regions of a dimension, and which of them each group has.
fn regions(learning: &Learning<'_>, dimension: usize) -> Result<(Vec<TextRegion>, Vec<u32>)> {
    let column = learning.original.dimension(dimension);
    let reader = PublishedReader::new(learning.original.domain(dimension));
    let (mut different, mut numbers) = (Vec::new(), HashMap::new());
    let mut of_group = Vec::with_capacity(learning.release.len());
    for group in learning.release {
        let text = group.texts.get(dimension).map_or("", String::as_str);
        let number = match numbers.get(text) {
            Some(&number) => number,
            None => {
                let reach = reader.reach(text).ok_or_else(|| {
                    Error::input(format!(
                        "column {}: a published value is not a value of the original",
                        column.name
                    ))
                    .with_help("give the hierarchy or order that the release was made with")
                })?;
                different.push(TextRegion::from(reach));
                numbers.insert(text, different.len() as u32 - 1);
                different.len() as u32 - 1
            }
        };
        of_group.push(number);
    }
    Ok((different, of_group))
}
