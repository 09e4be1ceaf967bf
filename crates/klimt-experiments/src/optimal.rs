//! How good the best partitions are: found, proven and what that took, beside Mondrian and the figures of the GenSearch
//! paper (Hore, Jammalamadaka, Mehrotra, D'Ascanio).

use crate::Result;
use crate::adult::{Adult, EIGHT};
use crate::print::Columns;
use crate::process::{Klimt, ProcessRelease};
use crate::requirements::{RequirementSpec, require, words};
use crate::tables::{As, Dataset, PlaceArgs, Want, quasi};
use clap::Args;
use klimt::prelude::*;
use klimt::settings::TimeLimit;
use klimt_chart::{Axis, Bars, Chart, Frame};
use std::path::PathBuf;
use std::time::Duration;

/// `klimt-experiments optimal`.
#[derive(Args, Clone, Debug)]
pub struct OptimalArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// The folder with adult.csv and order_COLUMN.txt
    #[arg(long, default_value = "../shared/data/adult")]
    data: PathBuf,
    /// The least sizes of a group
    #[arg(short, value_delimiter = ',', default_values_t = [2, 5, 10, 25, 50, 100, 500, 1000])]
    k: Vec<u64>,
    /// How long each search may take
    #[arg(long, default_value = "120s")]
    time_limit: TimeLimit,
    /// How many threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// The parts to run
    #[arg(long, value_delimiter = ',', default_values = ["dm", "ncp", "dense", "binding", "large"])]
    parts: Vec<String>,
    /// Where the chart goes
    #[arg(long, default_value = "bench-data/optimal.svg")]
    chart: PathBuf,
}

/// Five columns with full domains: 88 splits.
const FIVE: [&str; 5] = ["age", "race", "marital", "workclass", "sex"];
/// The best that the paper reports, after five hours on its 101 splits, in units of n·k.
const PAPER: f64 = 1.35;

/// Runs klimt on Adult, whose columns have the orders at hand.
struct Runs<'a> {
    args: &'a OptimalArgs,
    klimt: Klimt,
    adult: Adult,
    /// With its eight quasi-identifiers.
    eight: Dataset,
}

/// The search for the best partition by a loss.
fn searching(asked: Anonymizer, loss: &str, limit: Option<Duration>) -> Anonymizer {
    let asked = asked.algorithm(AlgorithmKind::Optimal).loss(loss);
    limit.into_iter().fold(asked, Anonymizer::time_limit)
}

impl Runs<'_> {
    fn publish(&self, dataset: &Dataset, asked: &Anonymizer) -> Result<ProcessRelease> {
        self.klimt.anonymize("optimal", dataset, asked)
    }

    /// Discernibility in units of n·k, found and proven.
    fn discernibility(&self) -> Result<()> {
        println!("\nDM in units of n·k, Adult, eight quasi-identifiers with full domains (156 splits)");
        let titles = [
            ("Mondrian", 4),
            ("paper", 0),
            ("found", 4),
            ("at least", 4),
            ("proven", 0),
            ("cpu s", 1),
            ("wall s", 1),
            ("MB", 0),
        ];
        let columns = Columns::new("k", 5, &titles);
        let (mut greedy, mut found, mut proven) = (Vec::new(), Vec::new(), Vec::new());
        for &k in &self.args.k {
            let asked = self.eight.groups_of(k)?;
            let mondrian = self.publish(&self.eight, &asked)?;
            let best = self.publish(&self.eight, &searching(asked, "dm", Some(self.args.time_limit.0)))?;
            let unit = best.certificate.rows.original as f64 * k as f64;
            let [before, after, least] =
                [mondrian.loss("dm"), best.loss("dm"), best.bound()].map(|loss| loss / unit);
            let (paper, cost) = (format!("≥ {PAPER}"), best.cost);
            let (proof, cpu, wall) = (best.proven(), &cost.cpu, &cost.wall);
            columns.line(k, &[&before, &paper, &after, &least, &proof, cpu, wall, &cost.memory]);
            greedy.push(before);
            found.push(after);
            proven.push(least);
        }
        let labels: Vec<String> = self.args.k.iter().map(|k| format!("k = {k}")).collect();
        let frame = Frame::new(
            "DM on Adult, in units of n·k",
            "For every k: what Mondrian loses, what klimt found, and what no release is below",
        );
        let text = Bars::new(frame, labels, Axis::new("").from(1.0).to(3.0))
            .with("Mondrian", greedy)
            .with("found by klimt", found)
            .with("proven: no release is below", proven)
            .with_rule(PAPER, "GenSearch, paper: 1.35 at best")
            .with_values()
            .svg();
        std::fs::write(&self.args.chart, text).map_err(|e| format!("{}: {e}", self.args.chart.display()))?;
        println!("chart: {}", self.args.chart.display());
        Ok(())
    }

    fn certainty_penalty(&self) -> Result<()> {
        let limit = self.args.time_limit;
        for k in [10, 100] {
            let columns = head(&format!("Certainty penalty, Adult, eight quasi-identifiers, k = {k}"), "ncp");
            let asked = self.eight.groups_of(k)?;
            let effort = |effort: Effort| asked.clone().loss("ncp").effort(effort);
            let runs = [
                ("Mondrian".to_string(), asked.clone()),
                ("--split loss:ncp".to_string(), asked.clone().split("loss:ncp")),
                ("--effort balanced --loss ncp".to_string(), effort(Effort::Balanced)),
                (
                    format!("--effort best --loss ncp --time-limit {limit}"),
                    effort(Effort::Best).time_limit(limit.0),
                ),
            ];
            let mut mondrian = None;
            for (name, asked) in runs {
                let published = self.publish(&self.eight, &asked)?;
                line(&columns, "ncp", &name, &published, mondrian.as_ref().unwrap_or(&published));
                mondrian.get_or_insert(published);
            }
        }
        Ok(())
    }

    /// Five columns with full domains, solved to proven optimality.
    fn dense(&self) -> Result<()> {
        const REQUIRED: [&[RequirementSpec<'_>]; 3] =
            [&[], &[("l-diversity", "", "entropy:3")], &[("t-closeness", "", "0.3:equal")]];
        let mut wants = quasi(&FIVE, As::Ordered);
        wants.extend([Want::other("occupation", Role::Sensitive), Want::other("income", Role::Target)]);
        let dataset = self.adult.dataset(&wants)?;
        for loss in ["dm", "ncp", "cm"] {
            let columns = head(&format!("Every box solved: {}, k = 10", FIVE.join(",")), loss);
            for required in REQUIRED {
                let asked = require(dataset.groups_of(10)?, required)?;
                let mondrian = self.publish(&dataset, &asked)?;
                let best = self.publish(&dataset, &searching(asked, loss, None))?;
                line(&columns, loss, &format!("--loss {loss} {}", words(required)), &best, &mondrian);
            }
        }
        Ok(())
    }

    /// A requirement that binds.
    fn binding(&self) -> Result<()> {
        let mut wants = quasi(&EIGHT, As::Ordered);
        wants.push(Want::other("income", Role::Sensitive));
        let dataset = self.adult.dataset(&wants)?;
        let asked = require(dataset.groups_of(100)?, &[("t-closeness", "", "0.2:equal")])?;
        let title = "t-closeness 0.2 of the salary class, Adult, eight quasi-identifiers, k = 100";
        let columns = head(title, "dm");
        let mondrian = self.publish(&dataset, &asked)?;
        line(&columns, "dm", "Mondrian", &mondrian, &mondrian);
        let best = self.publish(&dataset, &searching(asked, "dm", Some(Duration::from_secs(60))))?;
        line(&columns, "dm", "--algorithm optimal", &best, &mondrian);
        Ok(())
    }

    /// Five million rows.
    fn large(&self) -> Result<()> {
        let Some(dataset) = self.args.place.enlarged(5_000_000)? else { return Ok(()) };
        let columns = head("Five million rows like Adult, k = 10", "ncp");
        let asked = dataset.groups_of(10)?;
        let fast = self.publish(&dataset, &asked)?;
        line(&columns, "ncp", "Mondrian", &fast, &fast);
        let balanced = self.publish(&dataset, &asked.effort(Effort::Balanced))?;
        line(&columns, "ncp", "--effort balanced", &balanced, &fast);
        println!(
            "time of balanced effort: {:.2} wall, {:.2} CPU of the greedy run",
            balanced.cost.wall / fast.cost.wall,
            balanced.cost.cpu / fast.cost.cpu
        );
        Ok(())
    }
}

/// The head of a table of releases beside Mondrian's.
fn head(title: &str, loss: &str) -> Columns {
    println!("\n{title}");
    let titles = [(loss, 4), ("ratio", 3), ("proven", 0), ("cpu s", 2), ("wall s", 2), ("MB", 0)];
    Columns::new("", 44, &titles)
}

fn line(columns: &Columns, loss: &str, name: &str, published: &ProcessRelease, beside: &ProcessRelease) {
    let (lost, cost) = (published.loss(loss), &published.cost);
    let (ratio, proven) = (lost / beside.loss(loss), published.proven());
    columns.line(name, &[&lost, &ratio, &proven, &cost.cpu, &cost.wall, &cost.memory]);
}

/// Runs the parts that are asked for.
pub fn optimal(args: &OptimalArgs) -> Result<()> {
    let klimt = Klimt::new(&args.place, args.threads)?;
    let Some(adult) = Adult::in_folder(&klimt.tables, &args.data)? else { return Ok(()) };
    let eight = adult.dataset(&quasi(&EIGHT, As::Ordered))?;
    let runs = Runs { args, klimt, adult, eight };
    for part in &args.parts {
        match part.as_str() {
            "dm" => runs.discernibility()?,
            "ncp" => runs.certainty_penalty()?,
            "dense" => runs.dense()?,
            "binding" => runs.binding()?,
            "large" => runs.large()?,
            other => return Err(format!("there is no part {other}: dm, ncp, dense, binding, large").into()),
        }
    }
    Ok(())
}
