//! Parameters of generators, and the checks that all generators share.

use super::Language;
use klimt_core::error::{Error, ErrorKind, Result};

/// Most attributes of a `uniform` or `skewed` table; bounds the memory of a block.
pub const MAX_ATTRIBUTES: u32 = 256;

/// Highest cardinality of `skewed`, which keeps a table of its distribution.
pub const MAX_SKEWED_CARDINALITY: u32 = 1 << 20;

/// Smallest standard deviation of `skewed`.
pub const MIN_SIGMA: f64 = 1e-6;

/// Largest standard deviation of `skewed`.
pub const MAX_SIGMA: f64 = 1e6;

/// The parameters of a generator as a user gives them; building the generator checks them.
///
/// A parameter that is left out gets the value of the papers' experiment. One that the generator does not
/// take is refused, so that none is ever without effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Rows of the table.
    pub rows: u64,
    /// The seed of all randomness.
    pub seed: u64,
    /// Number of columns; 5 if left out.
    pub attributes: Option<u32>,
    /// Number of distinct values of an attribute, which are 0 to `cardinality` - 1; 8 if left out.
    pub cardinality: Option<u32>,
    /// The value that the skewed distribution is centred on; the middle of the domain if left out.
    pub mean: Option<f64>,
    /// Standard deviation of the skewed distribution, in halves of the domain's length; 0.2 if left out.
    pub sigma: Option<f64>,
    /// Language of the table; English if left out.
    pub language: Option<Language>,
}

impl Parameters {
    /// A table of `rows` rows, everything else left out.
    pub fn new(rows: u64, seed: u64) -> Self {
        Parameters {
            rows,
            seed,
            attributes: None,
            cardinality: None,
            mean: None,
            sigma: None,
            language: None,
        }
    }

    /// Starts the checks for the generator `name`, which takes the parameters `taken`.
    pub(super) fn check(&self, name: &'static str, taken: &[&str]) -> ParameterChecks<'_> {
        let given = [
            ("attributes", self.attributes.is_some()),
            ("cardinality", self.cardinality.is_some()),
            ("mean", self.mean.is_some()),
            ("sigma", self.sigma.is_some()),
            ("language", self.language.is_some()),
        ];
        let mut checks = ParameterChecks { parameters: self, name, problems: Vec::new() };
        for (parameter, _) in given.iter().filter(|(parameter, given)| *given && !taken.contains(parameter)) {
            checks.problem(format!("takes no {parameter}; leave it out"));
        }
        checks
    }
}

/// Checks under way: collects every problem, so that all are reported at once.
pub(super) struct ParameterChecks<'a> {
    parameters: &'a Parameters,
    name: &'static str,
    problems: Vec<String>,
}

impl ParameterChecks<'_> {
    fn problem(&mut self, what: String) {
        self.problems.push(format!("generator {}: {what}", self.name));
    }

    /// The number of attributes.
    pub(super) fn attributes(&mut self) -> u32 {
        let attributes = self.parameters.attributes.unwrap_or(5);
        if !(1..=MAX_ATTRIBUTES).contains(&attributes) {
            self.problem(format!("attributes must be 1 to {MAX_ATTRIBUTES}, not {attributes}"));
        }
        attributes
    }

    /// The cardinality, which may be at most `most`.
    pub(super) fn cardinality(&mut self, most: u32) -> u32 {
        let cardinality = self.parameters.cardinality.unwrap_or(8);
        if !(1..=most).contains(&cardinality) {
            self.problem(format!("cardinality must be 1 to {most}, not {cardinality}"));
        }
        cardinality
    }

    /// The mean, which must lie in the domain of that cardinality.
    pub(super) fn mean(&mut self, cardinality: u32) -> f64 {
        let last = f64::from(cardinality.saturating_sub(1));
        let mean = self.parameters.mean.unwrap_or(last / 2.0);
        if !(0.0..=last).contains(&mean) {
            self.problem(format!("mean must be in the domain, 0 to {last}, not {mean}"));
        }
        mean
    }

    /// The standard deviation.
    pub(super) fn sigma(&mut self) -> f64 {
        let sigma = self.parameters.sigma.unwrap_or(0.2);
        if !(MIN_SIGMA..=MAX_SIGMA).contains(&sigma) {
            self.problem(format!("sigma must be {MIN_SIGMA} to {MAX_SIGMA}, not {sigma}"));
        }
        sigma
    }

    /// The end of the checks: an error that lists what was found wrong.
    pub(super) fn finish(self) -> Result<()> {
        Error::all(ErrorKind::Input, self.problems).map_or(Ok(()), Err)
    }
}
