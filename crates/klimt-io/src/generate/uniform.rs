//! The discrete uniform distribution.

use super::random::Draws;
use super::{GeneratedBlock, GeneratedColumn, Generator, Parameters, numbered_columns};
use klimt_core::error::Result;

/// The name of the generator.
pub(super) const NAME: &str = "uniform";

/// The parameters it takes besides rows and seed.
pub(super) const PARAMETERS: &[&str] = &["attributes", "cardinality"];

/// Attributes `X1`, `X2`, … that are independent integers from 0 to cardinality - 1, each equally likely
/// (*Multidimensional K-Anonymity*, section 6.1, "discrete uniform").
#[derive(Clone, Debug)]
pub struct Uniform {
    rows: u64,
    seed: u64,
    attributes: u32,
    cardinality: u32,
}

impl Uniform {
    /// Checks the parameters; takes attributes and cardinality.
    pub fn new(parameters: &Parameters) -> Result<Self> {
        let mut checks = parameters.check(NAME, PARAMETERS);
        let attributes = checks.attributes();
        let cardinality = checks.cardinality(u32::MAX);
        checks.finish()?;
        Ok(Uniform { rows: parameters.rows, seed: parameters.seed, attributes, cardinality })
    }
}

impl Generator for Uniform {
    fn columns(&self) -> Vec<GeneratedColumn> {
        numbered_columns(self.attributes)
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn block(&self, index: u64, out: &mut GeneratedBlock) {
        let mut draws = Draws::of_block(NAME, self.seed, index);
        out.reset(&self.columns());
        for _ in 0..self.rows_in_block(index) {
            for column in &mut out.columns {
                column.values.push(i64::from(draws.below(self.cardinality)));
            }
        }
    }
}
