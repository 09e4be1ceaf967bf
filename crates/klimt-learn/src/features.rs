//! Features: turns values into numbers.
//!
//! - An ordered column is one feature: the place of a value on its axis.
//! - A column of a hierarchy or a set is one feature: how common the class is among the rows with the value, or the mean
//!   of the numeric target, as the training rows tell it. A value of few rows is drawn towards all rows by [`WEIGHT`]
//!   rows, so that one that was never seen has the average of all. Cuts of such a feature are cuts between sets of values,
//!   the best ones for a class (Breiman, Friedman, Olshen, Stone, 1984).
//! - A column with missing values has one more feature: whether it is missing. Its place is then the average place.
//!
//! The table to learn from makes the features, and test rows are brought to them, so that nothing of the original is
//! known to who learns from the release.

use crate::examples::{Examples, FeatureCell, FeatureColumn, place_of};
use klimt_core::table::{Domain, Shape};

/// The number of average rows that are added to each value.
const WEIGHT: f64 = 10.0;

/// How the cells of a column become numbers.
#[derive(Debug)]
enum Maker {
    /// By place, with the place of what has none.
    Place(f64),
    /// By what each code is worth, and what an unseen value is.
    Worth(Vec<f64>, f64),
    /// By whether it is missing.
    Missing,
}

/// How rows become features, learnt from training rows and what each is to be.
#[derive(Debug)]
pub(crate) struct Features {
    /// For each feature the column, and how.
    makers: Vec<(usize, Maker)>,
}

impl Features {
    /// Learns features of training rows, where `aims` are what a tree is to estimate.
    pub fn learn(examples: &Examples<'_>, aims: &[f64]) -> Self {
        let mut makers = Vec::new();
        for (at, column) in examples.columns.iter().enumerate() {
            let ordered = matches!(column.domain.shape(), Shape::Ordered);
            makers
                .push((at, if ordered { Maker::Place(average_place(column)) } else { worth(column, aims) }));
            if column.domain.missing_code().is_some() {
                makers.push((at, Maker::Missing));
            }
        }
        Features { makers }
    }

    /// How many features there are.
    pub fn len(&self) -> usize {
        self.makers.len()
    }

    /// The features of rows, one after the other.
    pub fn of(&self, examples: &Examples<'_>) -> Vec<f32> {
        let mut all = Vec::with_capacity(self.len() * examples.targets.len());
        for (at, maker) in &self.makers {
            let column = &examples.columns[*at];
            let numbers: Vec<f32> =
                column.different.iter().map(|cell| maker.number(column.domain, cell) as f32).collect();
            all.extend(column.of_row.iter().map(|&cell| numbers[cell as usize]));
        }
        all
    }
}

impl Maker {
    fn number(&self, domain: &Domain, cell: &FeatureCell) -> f64 {
        match self {
            Maker::Place(average) => place(domain, cell).unwrap_or(*average),
            Maker::Worth(worth, unseen) => match cell {
                FeatureCell::Code(code) => worth[*code as usize],
                FeatureCell::Place(_) | FeatureCell::New => *unseen,
            },
            Maker::Missing => match cell {
                FeatureCell::Code(code) if Some(*code) == domain.missing_code() => 1.0,
                _ => 0.0,
            },
        }
    }
}

/// The place of a value of an ordered domain; `None` for a missing value and one without a place.
fn place(domain: &Domain, cell: &FeatureCell) -> Option<f64> {
    match cell {
        FeatureCell::Code(code) if Some(*code) == domain.missing_code() => None,
        FeatureCell::Code(code) => Some(place_of(domain, *code)),
        FeatureCell::Place(place) => Some(*place),
        FeatureCell::New => None,
    }
}

fn average_place(column: &FeatureColumn<'_>) -> f64 {
    let places: Vec<Option<f64>> = column.different.iter().map(|cell| place(column.domain, cell)).collect();
    let known = column.of_row.iter().filter_map(|&cell| places[cell as usize]);
    let (sum, rows) = known.fold((0.0, 0u64), |(sum, rows), place| (sum + place, rows + 1));
    if rows == 0 { 0.0 } else { sum / rows as f64 }
}

/// The worth of each code: the average of the aims of its rows.
fn worth(column: &FeatureColumn<'_>, aims: &[f64]) -> Maker {
    let average = aims.iter().sum::<f64>() / aims.len().max(1) as f64;
    let mut of_code = vec![(WEIGHT, WEIGHT * average); column.domain.cardinality()];
    for (&cell, aim) in column.of_row.iter().zip(aims) {
        if let FeatureCell::Code(code) = column.different[cell as usize] {
            let (rows, sum) = &mut of_code[code as usize];
            (*rows, *sum) = (*rows + 1.0, *sum + aim);
        }
    }
    Maker::Worth(of_code.into_iter().map(|(rows, sum)| sum / rows).collect(), average)
}
