//! Measures the worth of a release for machine learning.
//!
//! [`learn`] trains a decision tree on the original and one on the release, and tests both on rows that
//! neither has seen, in their original form. The difference between the two scores is the price of the
//! release for classification or prediction.
//!
//! `examples.rs` brings the original, the release and the test rows to one form, `features.rs` makes numbers of values,
//! `model.rs` has the trees and `score.rs` marks them.
//!
//! The trees are smartcore's regression trees, also for classes: the tree of a class estimates its chance, which splits as
//! the Gini index does, and the likeliest class wins. (Its classification trees look at every row in every node, and do
//! not try a cut between two values where the rows beside it are of one class, which hides most cuts between generalised
//! values. linfa-trees look at every row in every node as well, and have no numeric targets.)

mod examples;
mod features;
mod model;
mod score;

pub use examples::Learning;
pub use model::{LEAST_LEAF, MOST_CLASSES, MOST_DEPTH, MOST_ROWS};
pub use score::{Quality, Report, TreeScore};

use examples::Examples;
use klimt_core::Result;

/// Trains on the original and on the release, and tests both.
pub fn learn(learning: &Learning<'_>) -> Result<Report> {
    let target = learning.target()?;
    let test = Examples::of_test(learning, &target)?;
    let train = |examples: Examples| score::mark(&target, &examples, &test);
    let (original, release) = rayon::join(
        || train(Examples::of_original(learning, &target)?),
        || train(Examples::of_release(learning, &target)?),
    );
    score::report(learning, &target, &test, original?, release?)
}
