//! The section about queries: how far answers from the release are from those of the original.
//!
//! The errors come from whoever answers a workload on both; without any there is no section.

use crate::html::{Html, Table, number, percent, text};
use crate::page::Section;

/// How far the answers to the queries of one kind are off, on average.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryError {
    /// The queries, in words.
    pub query: String,
    /// How much it counts beside the others.
    pub weight: f64,
    /// The mean of the errors relative to the answers of the original. That of a single query would tell its exact answer.
    pub error: f64,
}

/// The errors of a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryErrors {
    /// The workload, in a sentence.
    pub workload: String,
    /// Its queries.
    pub errors: Vec<QueryError>,
}

pub(crate) fn section(workload: &QueryErrors) -> Section {
    let mut body = Html::default();
    body.paragraph(&workload.workload);
    let weights: f64 = workload.errors.iter().map(|error| error.weight).sum();
    let sum: f64 = workload.errors.iter().map(|error| error.weight * error.error).sum();
    if weights > 0.0 {
        body.paragraph(&format!("On average, answers are off by {}.", percent(sum / weights)));
    }
    let mut table = Table::new("Mean relative error of counts", &["queries", "#error"]);
    for error in &workload.errors {
        table.row(vec![text(&error.query), number(percent(error.error), error.error)]);
    }
    body.table(&table);
    Section::new("queries", "Answers to queries", body)
}
