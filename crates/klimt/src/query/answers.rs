//! The answers to queries, as `klimt query --json` prints them.

use klimt_core::workload::{Errors, Summary, Workload};
use serde::Serialize;

/// Longer texts of queries are cut off.
const LONGEST: usize = 72;

/// The answers of an original, and of its release where there is one.
#[derive(Clone, Debug, Serialize)]
pub struct Answers {
    /// How far the release is off.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub errors: Option<ReleaseErrors>,
    /// The answer to each query, in their order.
    pub queries: Vec<QueryAnswer>,
}

/// How far the answers of a release are off.
#[derive(Clone, Debug, Serialize)]
pub struct ReleaseErrors {
    /// The relative errors where the rows of a group are spread evenly over its region.
    pub error: Option<ErrorSummary>,
    /// The relative errors where every group is counted whole that a query meets.
    pub matched_error: Option<ErrorSummary>,
    /// The absolute errors where the rows of a group are spread evenly over its region.
    pub absolute_error: Option<ErrorSummary>,
    /// How many predicates coincide with region boundaries.
    pub matching: usize,
    /// How many answers are known to be exact.
    pub exact_answers: usize,
    /// How many rows the release leaves out.
    pub suppressed: usize,
}

/// The errors of all queries in a few numbers, weighted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ErrorSummary {
    /// How many queries both the original and the release could answer.
    pub queries: usize,
    /// The mean of their errors.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The median, where every query counts the same.
    pub median: f64,
    /// The greatest.
    pub greatest: f64,
}

/// The answer to a query.
#[derive(Clone, Debug, Serialize)]
pub struct QueryAnswer {
    /// The query in a line: its name or text, or the columns of one that was made, as that holds values of the table.
    pub query: String,
    /// The answer of the original; nothing where no row has a number.
    pub exact: Option<f64>,
    /// The answer of the release.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub released: Option<ReleaseAnswer>,
}

/// The answer of a release to a query.
#[derive(Clone, Debug, Serialize)]
pub struct ReleaseAnswer {
    /// How much the query matters.
    pub weight: f64,
    /// The answer where the rows of a group are spread evenly over its region.
    pub spread: Option<f64>,
    /// How far that is off, as a share of the exact answer.
    pub error: Option<f64>,
    /// The answer where every group is counted whole that the query meets.
    pub matched: Option<f64>,
    /// How far that is off, as a share of the exact answer.
    pub matched_error: Option<f64>,
    /// How many rows lie in groups that the predicate divides.
    pub partial_rows: u64,
    /// Whether the predicate coincides with region boundaries.
    pub matches: bool,
    /// Whether the published text fixes the answer.
    pub is_exact: bool,
}

impl Answers {
    /// The answers of an original alone.
    pub(super) fn exact(queries: &Workload, is_made: bool, exact: &[Option<f64>]) -> Self {
        let answer = |(number, &exact): (usize, &Option<f64>)| QueryAnswer {
            query: label(queries, number, is_made),
            exact,
            released: None,
        };
        Answers { errors: None, queries: exact.iter().enumerate().map(answer).collect() }
    }

    /// The answers of an original and its release.
    pub(super) fn beside(queries: &Workload, is_made: bool, errors: &Errors, suppressed: usize) -> Self {
        let answer = |number: usize| QueryAnswer {
            query: label(queries, number, is_made),
            exact: errors.answers[number].exact,
            released: Some(ReleaseAnswer::of(errors, number)),
        };
        Answers {
            errors: Some(ReleaseErrors {
                error: errors.summary(Errors::relative).map(ErrorSummary::from),
                matched_error: errors.summary(Errors::matched).map(ErrorSummary::from),
                absolute_error: errors.summary(Errors::absolute).map(ErrorSummary::from),
                matching: errors.matching(),
                exact_answers: errors.exact(),
                suppressed,
            }),
            queries: (0..errors.answers.len()).map(answer).collect(),
        }
    }
}

impl ReleaseAnswer {
    fn of(errors: &Errors, number: usize) -> Self {
        let estimate = errors.answers[number].estimate;
        ReleaseAnswer {
            weight: errors.weights[number],
            spread: estimate.spread,
            error: errors.relative(number),
            matched: estimate.matched,
            matched_error: errors.matched(number),
            partial_rows: estimate.partial,
            matches: estimate.partial == 0,
            is_exact: estimate.exact,
        }
    }
}

impl From<Summary> for ErrorSummary {
    fn from(summary: Summary) -> Self {
        let Summary { queries, mean, deviation, median, most } = summary;
        ErrorSummary { queries, mean, deviation, median, greatest: most }
    }
}

/// A query in a line: its own text, or the columns of one that was made, as that holds values of the table.
fn label(queries: &Workload, number: usize, is_made: bool) -> String {
    let query = &queries.queries[number];
    let text = match &query.name {
        Some(name) => name.clone(),
        None if is_made => format!("{} by {}", query.aggregate, query.columns().join(", ")),
        None => query.to_string().trim_start_matches("SELECT ").replace('"', ""),
    };
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
