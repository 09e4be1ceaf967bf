//! The release and the attacker's background, in codes.

use super::axis::AttackAxis;
use crate::loss::PublishedGroup;
use crate::table::{Column, ColumnSpec, Table, value_of};
use crate::{Error, Result};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use std::borrow::Cow;

/// The groups of a release, as far as the attacker can use them.
#[derive(Debug)]
pub(super) struct AttackedRelease {
    /// The quasi-identifiers that the attacker knows.
    pub axes: Vec<AttackAxis>,
    /// The number of the text of each group, by axis.
    pub texts: Vec<Vec<u32>>,
    /// The rows of each group.
    pub rows: Vec<u64>,
    /// The sensitive columns.
    pub sensitive: Vec<Sensitive>,
}

/// A sensitive column: how often each value occurs in each group. Values are numbered from the commonest on.
#[derive(Debug)]
pub(super) struct Sensitive {
    /// The name of the column.
    pub column: String,
    /// The number of each value.
    pub numbers: HashMap<String, u32>,
    /// How often each value occurs in all groups.
    pub totals: Vec<u64>,
    starts: Vec<usize>,
    cells: Vec<(u32, u64)>,
}

impl Sensitive {
    fn new(column: &str, at: usize, groups: &[PublishedGroup]) -> Result<Self> {
        let counts = |group: &PublishedGroup| {
            let found = group.kept.iter().find(|(number, _)| *number == at);
            let found =
                found.filter(|(_, counts)| counts.iter().map(|(_, rows)| rows).sum::<u64>() == group.rows);
            found.map(|(_, counts)| counts.clone()).ok_or_else(|| {
                Error::internal(format!("column {column} was not counted in every published row"))
            })
        };
        let counted = groups.iter().map(counts).collect::<Result<Vec<_>>>()?;
        // Whoever reads a release knows that 5000.0 is 5000.
        let mut totals: HashMap<Cow<'_, str>, u64> = HashMap::new();
        for (text, rows) in counted.iter().flatten() {
            *totals.entry(value_of(text, None)).or_default() += rows;
        }
        let mut order: Vec<(Cow<'_, str>, u64)> = totals.into_iter().collect();
        order.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let numbers: HashMap<String, u32> =
            order.iter().zip(0..).map(|((text, _), number)| (text.to_string(), number)).collect();
        let totals = order.iter().map(|(_, rows)| *rows).collect();
        let (mut starts, mut cells) = (vec![0], Vec::new());
        for group in &counted {
            let mut of_group: Vec<(u32, u64)> =
                group.iter().map(|(text, rows)| (numbers[value_of(text, None).as_ref()], *rows)).collect();
            of_group.sort_unstable();
            let values = of_group.chunk_by(|a, b| a.0 == b.0);
            cells.extend(values.map(|same| (same[0].0, same.iter().map(|(_, rows)| rows).sum::<u64>())));
            starts.push(cells.len());
        }
        Ok(Sensitive { column: column.to_string(), numbers, totals, starts, cells })
    }

    /// How often each value occurs in a group, ascending by value.
    pub fn of_group(&self, group: usize) -> &[(u32, u64)] {
        &self.cells[self.starts[group]..self.starts[group + 1]]
    }
}

/// The people that the attacker knows of, by what is known of them.
#[derive(Debug)]
pub(super) struct Background {
    /// How many people share each tuple.
    pub people: Vec<u64>,
    /// The codes of each tuple, one after the other; without a background file, nothing but the regions is known.
    pub codes: Option<Vec<u32>>,
    /// The people of whom a value lies outside of the release's domain.
    pub elsewhere: u64,
    /// The true values of each sensitive column, where they are known.
    pub truth: Vec<Option<Truth>>,
}

/// How many people of each tuple truly have each value; those whose value is unknown are left out.
#[derive(Debug)]
pub(super) struct Truth {
    starts: Vec<usize>,
    cells: Vec<(u32, u64)>,
}

/// A true value that the release does not have.
pub(super) const UNPUBLISHED: u32 = u32::MAX;

impl Truth {
    /// The true values of a tuple.
    pub fn of(&self, tuple: usize) -> &[(u32, u64)] {
        &self.cells[self.starts[tuple]..self.starts[tuple + 1]]
    }
}

/// Reads a release, and the background where there is one.
pub(super) fn read(
    columns: &[ColumnSpec],
    sensitive: &[String],
    groups: &[PublishedGroup],
    background: Option<&Table>,
) -> Result<(AttackedRelease, Background)> {
    let sensitive: Vec<Sensitive> = sensitive
        .iter()
        .enumerate()
        .map(|(at, name)| Sensitive::new(name, at, groups))
        .collect::<Result<_>>()?;
    let known =
        |name: &str| -> Option<&Column> { background?.columns().iter().find(|column| column.name == name) };
    let (mut axes, mut texts, mut of_people) = (Vec::new(), Vec::new(), Vec::new());
    for (at, spec) in columns.iter().enumerate() {
        let column = known(&spec.name);
        if background.is_some() && column.is_none() {
            continue;
        }
        let (published, numbers) = different(at, groups)?;
        let (domain, codes) = column.and_then(Column::coded).unzip();
        let spoken: Vec<String> = domain
            .map_or(Vec::new(), |domain| (0..domain.cardinality() as u32).map(|c| domain.text(c)).collect());
        let spoken: Vec<&str> = spoken.iter().map(String::as_str).collect();
        axes.push(AttackAxis::new(spec, &published, &spoken)?);
        texts.push(numbers);
        of_people.extend(codes);
    }
    let release =
        AttackedRelease { axes, texts, rows: groups.iter().map(|group| group.rows).collect(), sensitive };
    let Some(table) = background else {
        let background = of_release(&release);
        return Ok((release, background));
    };
    let mut rows = vec![0; table.rows() * release.axes.len()];
    for (at, (axis, codes)) in release.axes.iter().zip(of_people).enumerate() {
        let mut row = at;
        codes.for_each(|code| {
            rows[row] = axis.known(code);
            row += release.axes.len();
        });
    }
    let background = of_table(&release, table, &rows, known);
    Ok((release, background))
}

/// The different texts of a quasi-identifier, and which of them each group has.
fn different(at: usize, groups: &[PublishedGroup]) -> Result<(Vec<&str>, Vec<u32>)> {
    let (mut texts, mut numbers) = (Vec::new(), HashMap::new());
    let mut of_group = Vec::with_capacity(groups.len());
    for group in groups {
        let text = group.texts.get(at).ok_or_else(|| {
            Error::internal("a published group has fewer texts than there are quasi-identifiers")
        })?;
        of_group.push(match numbers.entry(text.as_str()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                texts.push(text.as_str());
                *new.insert(texts.len() as u32 - 1)
            }
        });
    }
    Ok((texts, of_group))
}

/// The people of the release itself, of whom the regions are known: one tuple for each group.
fn of_release(release: &AttackedRelease) -> Background {
    let truth = |sensitive: &Sensitive| {
        Some(Truth { starts: sensitive.starts.clone(), cells: sensitive.cells.clone() })
    };
    Background {
        people: release.rows.clone(),
        codes: None,
        elsewhere: 0,
        truth: release.sensitive.iter().map(truth).collect(),
    }
}

/// The people of a table whose codes are given row by row.
fn of_table<'t>(
    release: &AttackedRelease,
    table: &'t Table,
    rows: &[u32],
    known: impl Fn(&str) -> Option<&'t Column>,
) -> Background {
    use rayon::prelude::*;
    let axes = release.axes.len();
    let tuple = |row: u32| &rows[row as usize * axes..(row as usize + 1) * axes];
    let mut order: Vec<u32> = (0..table.rows() as u32).collect();
    order.par_sort_unstable_by(|&a, &b| tuple(a).cmp(tuple(b)).then(a.cmp(&b)));
    let same: Vec<&[u32]> = order.chunk_by(|&a, &b| tuple(a) == tuple(b)).collect();
    let outside = |row: u32| release.axes.iter().zip(tuple(row)).any(|(axis, &code)| axis.is_elsewhere(code));
    let elsewhere = same.iter().filter(|rows| outside(rows[0])).map(|rows| rows.len() as u64).sum();
    let truth = |sensitive: &Sensitive| {
        let (domain, codes) = known(&sensitive.column)?.coded()?;
        let number = |text: String| match sensitive.numbers.get(value_of(&text, None).as_ref()) {
            Some(&number) => Some(number),
            None => (!text.is_empty()).then_some(UNPUBLISHED),
        };
        let numbers: Vec<Option<u32>> =
            (0..domain.cardinality() as u32).map(|code| number(domain.text(code))).collect();
        let (mut starts, mut cells) = (vec![0], Vec::new());
        for rows in &same {
            let mut values: Vec<u32> =
                rows.iter().filter_map(|&row| numbers[codes.get(row as usize) as usize]).collect();
            values.sort_unstable();
            cells.extend(values.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as u64)));
            starts.push(cells.len());
        }
        Some(Truth { starts, cells })
    };
    Background {
        people: same.iter().map(|rows| rows.len() as u64).collect(),
        codes: Some(same.iter().flat_map(|rows| tuple(rows[0]).iter().copied()).collect()),
        elsewhere,
        truth: release.sensitive.iter().map(truth).collect(),
    }
}
