//! What requirements cost: klimt with k alone beside klimt with sensitive columns protected, in turn.

use crate::bench::{PlaceArgs, anonymize};
use crate::measure::{Cost, measure, median};
use crate::tables::Input;
use clap::Args;

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

/// The sensitive column of a table and what is asked of it.
type Asked = (&'static str, &'static [&'static str]);

const ADULT: Asked = (
    "salary-class",
    &[
        "--l-diversity distinct:2",
        "--l-diversity entropy:1.3",
        "--l-diversity recursive:9:2",
        "--alpha 0.9",
        "--t-closeness 0.3:ordered",
        "--t-closeness 0.3:equal",
        "--epsilon-privacy 10:100",
        "--beta-likeness enhanced:2",
        "--delta-disclosure 2",
        "--l-diversity entropy:1.3 --alpha 0.9 --t-closeness 0.3:equal",
    ],
);

const CLASS: Asked = ("C7", &["--l-diversity distinct:2", "--t-closeness 0.4:equal"]);

const NUMBER: Asked = ("R7", &["--l-diversity distinct:5", "--variance 1000000", "--alpha 0.2"]);

/// Runs klimt with k alone and with every requirement in turn, and prints the medians as ratios to k alone.
pub fn requirements(args: &RequirementsArgs) -> Result<(), String> {
    let places = args.place.places()?;
    let agrawal = places.agrawal(args.rows)?;
    let adult = places.adult(args.rows)?.map(|input| (input, ADULT));
    let tables = [adult, Some((agrawal.clone(), CLASS)), Some((agrawal, NUMBER))];
    for (input, (column, asked)) in tables.into_iter().flatten() {
        println!(
            "\n{}: {} rows, k = {}, sensitive {column}, {} threads, medians of {} runs in turn",
            input.name, args.rows, args.k, args.threads, args.runs
        );
        let out = places.folder.join("out-requirements.csv").display().to_string();
        let alone = anonymize(&places, &input, args.k, args.threads, &out);
        let commands: Vec<Vec<String>> = std::iter::once(alone.clone())
            .chain(asked.iter().map(|flags| with(&alone, column, flags)))
            .collect();
        let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); commands.len()];
        for _ in 0..args.runs.max(1) {
            for (command, costs) in commands.iter().zip(&mut costs) {
                costs.push(measure(command)?);
            }
        }
        print_ratios(&input, asked, &costs);
    }
    Ok(())
}

fn with(alone: &[String], column: &str, flags: &str) -> Vec<String> {
    let mut command = alone.to_vec();
    command.extend(["--sensitive", column].map(String::from));
    command.extend(flags.split_whitespace().map(String::from));
    command
}

fn print_ratios(input: &Input, asked: &[&str], costs: &[Vec<Cost>]) {
    let alone = median(&costs[0]);
    println!(
        "{:<62} {:>8} {:>8} {:>10} {:>6} {:>6}",
        input.name, "wall s", "cpu s", "memory MB", "wall", "cpu"
    );
    for (name, costs) in std::iter::once(&"k alone").chain(asked).zip(costs) {
        let cost = median(costs);
        let (wall, cpu) = (cost.wall / alone.wall, cost.cpu / alone.cpu);
        println!(
            "{name:<62} {:>8.2} {:>8.2} {:>10.0} {wall:>6.2} {cpu:>6.2}",
            cost.wall, cost.cpu, cost.memory
        );
    }
}
