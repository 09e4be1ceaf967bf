//! Decision trees.

use crate::examples::{Examples, LearningTarget};
use crate::features::Features;
use klimt_core::{Error, Result};
use rayon::prelude::*;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::tree::decision_tree_regressor::{DecisionTreeRegressor, DecisionTreeRegressorParameters};

/// The most training rows; of more, this many are taken, evenly spread.
pub const MOST_ROWS: usize = 100_000;

/// The number of classes, the commonest first; a rarer one is never guessed.
pub const MOST_CLASSES: usize = 32;

/// A leaf has at least this many training rows.
pub const LEAST_LEAF: usize = 25;

/// No leaf is deeper.
pub const MOST_DEPTH: u16 = 12;

type Matrix = DenseMatrix<f32>;
type RegressionTree = DecisionTreeRegressor<f32, f64, Matrix, Vec<f64>>;

/// A trained model: for numbers one tree, for two classes one, for more one each.
pub(crate) struct TrainedModel {
    trees: Vec<Estimator>,
    /// The classes that the trees are of; for two classes, the class of the tree and then the other.
    classes: Vec<f64>,
}

/// A tree, and how rows become its features.
struct Estimator {
    features: Features,
    tree: RegressionTree,
}

impl Estimator {
    fn train(examples: &Examples<'_>, aims: Vec<f64>) -> Result<Self> {
        let features = Features::learn(examples, &aims);
        let parameters = DecisionTreeRegressorParameters {
            max_depth: Some(MOST_DEPTH),
            min_samples_leaf: (LEAST_LEAF * examples.copies).min(1 + examples.targets.len() / 10),
            min_samples_split: 2,
            seed: Some(0),
        };
        let matrix = matrix(&features, examples)?;
        let tree = RegressionTree::fit(&matrix, &aims, parameters).map_err(|_| odd())?;
        Ok(Estimator { features, tree })
    }

    fn estimates(&self, examples: &Examples<'_>) -> Result<Vec<f64>> {
        if examples.targets.is_empty() {
            return Ok(Vec::new());
        }
        self.tree.predict(&matrix(&self.features, examples)?).map_err(|_| odd())
    }
}

fn matrix(features: &Features, examples: &Examples<'_>) -> Result<Matrix> {
    Matrix::new(examples.targets.len(), features.len(), features.of(examples), true).map_err(|_| odd())
}

fn odd() -> Error {
    Error::internal("a tree could not be trained or evaluated")
}

impl TrainedModel {
    /// Trains on rows, of which there must be some.
    pub fn train(target: &LearningTarget<'_>, examples: &Examples<'_>) -> Result<Self> {
        if let LearningTarget::Number { .. } = target {
            let trees = vec![Estimator::train(examples, examples.targets.clone())?];
            return Ok(TrainedModel { trees, classes: Vec::new() });
        }
        let mut classes = commonest(&examples.targets);
        classes.truncate(MOST_CLASSES);
        let trees = if classes.len() == 2 { &classes[..1] } else { &classes[..] };
        let of_class = |class: &f64| {
            let aims = examples.targets.iter().map(|target| f64::from(u8::from(target == class))).collect();
            Estimator::train(examples, aims)
        };
        let trees = trees.par_iter().map(of_class).collect::<Result<_>>()?;
        Ok(TrainedModel { trees, classes })
    }

    /// The class or number that is guessed for each row.
    pub fn guess(&self, examples: &Examples<'_>) -> Result<Vec<f64>> {
        let estimates: Vec<Vec<f64>> =
            self.trees.par_iter().map(|tree| tree.estimates(examples)).collect::<Result<_>>()?;
        Ok(match &self.classes[..] {
            [] => estimates.into_iter().next().unwrap_or_default(),
            [first, second] => {
                let of_first = estimates.into_iter().next().unwrap_or_default();
                of_first.into_iter().map(|chance| if chance >= 0.5 { *first } else { *second }).collect()
            }
            classes => {
                let likeliest = |row: usize| {
                    // Of equally likely classes the commonest, which comes first.
                    let mut best = 0;
                    for class in 1..classes.len() {
                        if estimates[class][row] > estimates[best][row] {
                            best = class;
                        }
                    }
                    classes[best]
                };
                (0..examples.targets.len()).map(likeliest).collect()
            }
        })
    }
}

/// The classes of rows, the commonest first.
pub(crate) fn commonest(targets: &[f64]) -> Vec<f64> {
    let mut sorted = targets.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut counts: Vec<(usize, f64)> =
        sorted.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0])).collect();
    counts.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)));
    counts.into_iter().map(|(_, class)| class).collect()
}
