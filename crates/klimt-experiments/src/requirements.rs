//! What requirements cost: klimt with k alone beside klimt with sensitive columns protected, in turn.

use crate::Result;
use crate::print::Columns;
use crate::process::Klimt;
use crate::tables::{Dataset, PlaceArgs};
use crate::timing::{COST, in_turn, measure};
use clap::Args;
use klimt::prelude::*;

/// `klimt-experiments requirements`.
#[derive(Args, Clone, Debug)]
pub struct RequirementsArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// How many rows the tables have
    #[arg(long, default_value_t = 5_000_000)]
    rows: u64,
    /// How many threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// How often everything is run
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// The least size of a group
    #[arg(short, default_value_t = 10)]
    k: u64,
}

/// A requirement: its option, the column (every sensitive one where none is named), and its parameters.
pub type RequirementSpec<'a> = (&'a str, &'a str, &'a str);

/// Requirements as the command has them.
pub fn words(asked: &[RequirementSpec<'_>]) -> String {
    let each = asked.iter().map(|(option, _, parameters)| format!("--{option} {parameters}"));
    each.collect::<Vec<_>>().join(" ")
}

/// Asks for requirements.
pub fn require(asked: Anonymizer, requirements: &[RequirementSpec<'_>]) -> Result<Anonymizer> {
    let require = |asked: Anonymizer, (option, column, text): &RequirementSpec<'_>| {
        asked.require_named(option, Some(*column).filter(|column| !column.is_empty()), text)
    };
    Ok(requirements.iter().try_fold(asked, require)?)
}

const ADULT: &[&[RequirementSpec<'_>]] = &[
    &[("l-diversity", "", "distinct:2")],
    &[("l-diversity", "", "entropy:1.3")],
    &[("l-diversity", "", "recursive:9:2")],
    &[("alpha", "", "0.9")],
    &[("t-closeness", "", "0.3:ordered")],
    &[("t-closeness", "", "0.3:equal")],
    &[("epsilon-privacy", "", "10:100")],
    &[("beta-likeness", "", "enhanced:2")],
    &[("delta-disclosure", "", "2")],
    &[("l-diversity", "", "entropy:1.3"), ("alpha", "", "0.9"), ("t-closeness", "", "0.3:equal")],
];

const CLASS: &[&[RequirementSpec<'_>]] =
    &[&[("l-diversity", "", "distinct:2")], &[("t-closeness", "", "0.4:equal")]];

const NUMBER: &[&[RequirementSpec<'_>]] =
    &[&[("l-diversity", "", "distinct:5")], &[("variance", "", "1000000")], &[("alpha", "", "0.2")]];

/// Runs klimt with k alone and with every requirement in turn, and prints the medians as ratios to k alone.
pub fn requirements(args: &RequirementsArgs) -> Result<()> {
    let klimt = Klimt::new(&args.place, args.threads)?;
    let agrawal = klimt.tables.agrawal(args.rows)?;
    if let Some(adult) = args.place.enlarged(args.rows)? {
        of_column(args, &klimt, &adult, "salary-class", ADULT)?;
    }
    of_column(args, &klimt, &agrawal, "C7", CLASS)?;
    of_column(args, &klimt, &agrawal, "R7", NUMBER)
}

fn of_column(
    args: &RequirementsArgs,
    klimt: &Klimt,
    dataset: &Dataset,
    column: &str,
    asked: &[&[RequirementSpec<'_>]],
) -> Result<()> {
    println!(
        "\n{}: {} rows, k = {}, sensitive {column}, {} threads, medians of {} runs in turn",
        dataset.name, args.rows, args.k, args.threads, args.runs
    );
    let alone = dataset.groups_of(args.k)?.other(Other::Keep);
    let mut lines = vec![klimt.anonymizing("requirements", &dataset.path, &alone)?];
    for (number, requirements) in asked.iter().enumerate() {
        let asked = require(alone.clone().sensitive([column]), requirements)?;
        lines.push(klimt.anonymizing(&format!("requirements-{number}"), &dataset.path, &asked)?);
    }
    let costs = in_turn(args.runs, lines.len(), |at| measure(&lines[at]).map(Some))?;
    let columns = Columns::new(&dataset.name, 62, &[&COST[..], &[("wall", 2), ("cpu", 2)]].concat());
    let names = std::iter::once("k alone".to_string()).chain(asked.iter().map(|asked| words(asked)));
    for (name, cost) in names.zip(costs.iter().flatten()) {
        let alone = costs[0].as_ref().unwrap_or(cost);
        let (wall, cpu) = (cost.wall / alone.wall, cost.cpu / alone.cpu);
        columns.line(name, &[&cost.wall, &cost.cpu, &cost.memory, &wall, &cpu]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_asked_of_a_column_or_of_all() {
        let asked = [("l-diversity", "", "distinct:2"), ("alpha", "C7", "0.9")];
        assert_eq!(words(&asked), "--l-diversity distinct:2 --alpha 0.9");
        let settings = require(Anonymizer::new(), &asked).unwrap().settings().clone();
        let columns: Vec<_> = settings.requirements.iter().map(|asked| asked.column.as_deref()).collect();
        assert_eq!(columns, [None, Some("C7")]);
        assert!(require(Anonymizer::new(), &[("no-such", "", "1")]).is_err());
    }
}
