//! `klimt generate`: synthetic data, as much as is wanted.

use super::threads;
use crate::options::GenerateArgs;
use crate::progress::Progress;
use klimt::Output;
use klimt::generate::{GenerateRequest, Parameters};
use klimt_core::Result;

/// Runs the command.
pub fn run(args: &GenerateArgs) -> Result<()> {
    let parameters = Parameters {
        rows: args.rows,
        seed: args.seed,
        attributes: args.attributes,
        cardinality: args.cardinality,
        mean: args.mean,
        sigma: args.sigma,
        language: args.language,
    };
    let request = GenerateRequest::new(&args.generator, &parameters)?.delimiter(args.delimiter);
    threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    request.run(&Output::file(&args.output)?, &progress.watched())
}
