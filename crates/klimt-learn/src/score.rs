//! The scores of decision trees.

use crate::examples::{Examples, Learning, LearningTarget};
use crate::model::{TrainedModel, commonest};
use klimt_core::{Error, Result};
use serde::Serialize;

/// The scores for a target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The name of the target.
    pub target: String,
    /// The rows that were tested on.
    pub test_rows: u64,
    /// The different classes of the original and the release; absent for a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<u64>,
    /// Guessing the commonest class, or the mean, of the original for every row.
    pub base: Quality,
    /// The tree of the original.
    pub original: TreeScore,
    /// The tree of the release.
    pub release: TreeScore,
    /// How good the release's tree is beside the original's: accuracy over accuracy, or the root mean squared error of
    /// the original's over that of the release's; 1 where nothing is lost. Absent where it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

/// A tree and how good it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeScore {
    /// The rows of the table.
    pub rows: u64,
    /// The training rows: all that have a value of the target, or a limited number of them, evenly spread.
    pub trained_rows: u64,
    /// How good it is.
    #[serde(flatten)]
    pub quality: Quality,
}

/// How good guesses are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Quality {
    /// Of classes.
    Class {
        /// The share of right guesses.
        accuracy: f64,
    },
    /// Of numbers.
    Number {
        /// The root of the mean squared error.
        rmse: f64,
        /// 1 − the squared error over that of the mean of the test rows; 0 where these are all the same.
        r2: f64,
    },
}

/// Trains on rows and marks the guesses for the test rows.
pub(crate) fn mark(
    target: &LearningTarget<'_>,
    examples: &Examples<'_>,
    test: &Examples<'_>,
) -> Result<TreeScore> {
    if examples.targets.is_empty() {
        let name = &target.column().name;
        return Err(Error::input(format!("there is no row with a value of {name} to learn from")));
    }
    let guesses = TrainedModel::train(target, examples)?.guess(test)?;
    let trained_rows = (examples.targets.len() / examples.copies) as u64;
    Ok(TreeScore { rows: examples.rows, trained_rows, quality: quality(target, &guesses, &test.targets) })
}

fn quality(target: &LearningTarget<'_>, guesses: &[f64], truths: &[f64]) -> Quality {
    let rows = truths.len().max(1) as f64;
    if let LearningTarget::Class { .. } = target {
        let right = guesses.iter().zip(truths).filter(|(guess, truth)| guess == truth).count();
        return Quality::Class { accuracy: right as f64 / rows };
    }
    let mean = truths.iter().sum::<f64>() / rows;
    let squares = |of: &dyn Fn(usize) -> f64| {
        truths.iter().enumerate().map(|(row, truth)| (truth - of(row)).powi(2)).sum::<f64>()
    };
    let (error, spread) = (squares(&|row| guesses[row]), squares(&|_| mean));
    Quality::Number { rmse: (error / rows).sqrt(), r2: if spread > 0.0 { 1.0 - error / spread } else { 0.0 } }
}

/// Puts together what was measured.
pub(crate) fn report(
    learning: &Learning<'_>,
    target: &LearningTarget<'_>,
    test: &Examples<'_>,
    original: TreeScore,
    release: TreeScore,
) -> Result<Report> {
    if test.targets.is_empty() {
        let name = &target.column().name;
        return Err(Error::input(format!("there is no row with a value of {name} to test on")));
    }
    let trained = Examples::of_original(learning, target)?.targets;
    let constant = match target {
        LearningTarget::Class { .. } => commonest(&trained).first().copied().unwrap_or(f64::NAN),
        LearningTarget::Number { .. } => trained.iter().sum::<f64>() / trained.len().max(1) as f64,
    };
    let base = quality(target, &vec![constant; test.targets.len()], &test.targets);
    let ratio = match (original.quality, release.quality) {
        (Quality::Class { accuracy: before }, Quality::Class { accuracy: after }) => (after, before),
        (Quality::Number { rmse: before, .. }, Quality::Number { rmse: after, .. }) => (before, after),
        _ => (0.0, 0.0),
    };
    Ok(Report {
        target: target.column().name.clone(),
        test_rows: test.targets.len() as u64,
        classes: match target {
            LearningTarget::Class { numbers, .. } => Some(numbers.len() as u64),
            LearningTarget::Number { .. } => None,
        },
        base,
        original,
        release,
        ratio: (ratio.1 > 0.0).then(|| ratio.0 / ratio.1),
    })
}
