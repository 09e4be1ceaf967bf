//! The six generalization schemes on Adult: the experiments of Li and Li (*Towards Optimal k-Anonymization*, 2007), and
//! klimt beside ARX.

mod peers;

use crate::Result;
use crate::adult::{Adult, FOUR, folder};
use crate::figure::{self, Overrides};
use crate::print::{Cell, Columns};
use crate::process::{Klimt, ProcessRelease};
use crate::tables::{Dataset, PlaceArgs};
use clap::Args;
use klimt::Choice;
use klimt::prelude::*;
use klimt::settings::{Levels, TimeLimit};
use klimt_chart::{Axis, Chart, Frame, Lines};
use klimt_core::algorithm::scheme::Scheme;
use std::path::PathBuf;

/// `klimt-experiments schemes`.
#[derive(Args, Clone, Debug)]
pub struct SchemesArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// The folder with adult.csv and hierarchy_COLUMN.csv; what KLIMT_DATA says by default, else ../shared/data/adult
    #[arg(long)]
    data: Option<PathBuf>,
    /// The least sizes of a group in the experiments of the paper
    #[arg(short, value_delimiter = ',', default_values_t = [2, 3, 5, 10, 15, 20])]
    k: Vec<u64>,
    /// How long each search may take
    #[arg(long, default_value = "60s")]
    time_limit: TimeLimit,
    /// How many rows the large tables have, for the parts rows and local
    #[arg(long, value_delimiter = ',', default_values_t = [100_000, 1_000_000, 5_000_000])]
    rows: Vec<u64>,
    /// How many threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// The parts to run
    #[arg(long, value_delimiter = ',', default_values = PARTS)]
    parts: Vec<String>,
    /// Where the chart of the part paper goes; that of HDM goes beside it, as NAME-hdm.svg
    #[arg(long, default_value = "bench-data/schemes.svg")]
    chart: PathBuf,
}

const PARTS: [&str; 7] = ["paper", "direction", "pruning", "arx", "flexible", "local", "rows"];

/// The schemes, each after those that allow less.
pub const SCHEMES: [Scheme; 6] =
    [Scheme::Bhs, Scheme::Ghs, Scheme::Gops, Scheme::Gsps, Scheme::Ops, Scheme::Sps];

/// Each allows at least as much as the one before it: the least cost cannot rise.
pub const CHAINS: [&[Scheme]; 2] = [
    &[Scheme::Bhs, Scheme::Ghs, Scheme::Gops, Scheme::Ops, Scheme::Sps],
    &[Scheme::Gops, Scheme::Gsps, Scheme::Sps],
];

/// The search for the best generalization by one scheme for all columns.
pub fn by(scheme: Scheme) -> Algorithm {
    Algorithm::Scheme { scheme: Some(scheme), direction: None, without: Vec::new(), gap: None }
}

/// A run of the experiments of the paper, and its table: ages in intervals of five years at least, and rows may be
/// suppressed at their price.
fn as_in_the_paper(
    adult: &Adult,
    columns: &[&str],
    k: u64,
    algorithm: Algorithm,
    loss: &str,
) -> Result<(Dataset, Anonymizer)> {
    let dataset = adult.trees(columns)?;
    let mut asked = dataset.groups_of(k)?.algorithm(algorithm).loss(loss).suppress(Share::ONE);
    let age = asked.settings_mut().columns.entry("age".to_string()).or_default();
    age.levels = Some(Levels { least: 1, most: None });
    Ok((dataset, asked))
}

/// Runs klimt on Adult and on larger tables like it.
struct Runs<'a> {
    args: &'a SchemesArgs,
    klimt: Klimt,
    adult: Adult,
}

impl Runs<'_> {
    fn publish(&self, dataset: &Dataset, asked: Anonymizer) -> Result<ProcessRelease> {
        self.klimt.anonymize("schemes", dataset, &asked.time_limit(self.args.time_limit.0))
    }

    fn as_in_the_paper(
        &self,
        columns: &[&str],
        k: u64,
        algorithm: Algorithm,
        loss: &str,
    ) -> Result<ProcessRelease> {
        let (dataset, asked) = as_in_the_paper(&self.adult, columns, k, algorithm, loss)?;
        self.publish(&dataset, asked)
    }

    /// What every scheme costs, by both metrics (Fig. 12), and takes (Fig. 11).
    fn paper(&self) -> Result<()> {
        for loss in ["dm", "hdm"] {
            println!(
                "\n{} of {}, unlimited suppression; ~ where not proven",
                loss.to_uppercase(),
                FOUR.join(",")
            );
            let titles: Vec<(&str, usize)> =
                SCHEMES.iter().flat_map(|scheme| [(scheme.name(), 1), ("cpu s", 2)]).collect();
            let columns = Columns::new("k", 5, &titles);
            let mut series: Vec<(Scheme, Vec<f64>)> = SCHEMES.map(|scheme| (scheme, Vec::new())).to_vec();
            let mut problems = Vec::new();
            for &k in &self.args.k {
                let (mut line, mut costs) = (Vec::<Box<dyn Cell>>::new(), Vec::new());
                for (scheme, values) in &mut series {
                    let found = self.as_in_the_paper(&FOUR, k, by(*scheme), loss)?;
                    let (cost, optimal) = (found.loss(loss), found.is_optimal());
                    let mark = if optimal { "" } else { "~" };
                    line.extend([
                        Box::new(format!("{mark}{cost:.1}")) as Box<dyn Cell>,
                        Box::new(found.cost.cpu),
                    ]);
                    values.push(cost);
                    costs.push((*scheme, cost, optimal));
                }
                columns.line(k, &line.iter().map(|cell| &**cell).collect::<Vec<_>>());
                problems.extend(disorder(&costs).into_iter().map(|problem| format!("k = {k}: {problem}")));
            }
            if !problems.is_empty() {
                return Err(format!("the order of the schemes is broken: {}", problems.join("; ")).into());
            }
            println!("BHS >= GHS >= GOPS >= OPS >= SPS and GOPS >= GSPS >= SPS: holds for every k");
            self.draw(loss, &series)?;
        }
        Ok(())
    }

    fn draw(&self, loss: &str, series: &[(Scheme, Vec<f64>)]) -> Result<()> {
        let path = match (loss, self.args.chart.file_stem()) {
            ("hdm", Some(stem)) => {
                self.args.chart.with_file_name(format!("{}-hdm.svg", stem.to_string_lossy()))
            }
            _ => self.args.chart.clone(),
        };
        let labels: Vec<String> = self.args.k.iter().map(|k| format!("k = {k}")).collect();
        let title = format!("{} on Adult by generalization scheme: {}", loss.to_uppercase(), FOUR.join(","));
        let frame = Frame::new(title, "What the best release of each scheme costs, for every k");
        let chart = Lines::over_labels(frame, "", labels, Axis::new("").from(0.0));
        let with =
            |chart: Lines, (scheme, values): &(Scheme, Vec<f64>)| chart.with_values(scheme.name(), values);
        let chart = series.iter().fold(chart, with);
        std::fs::write(&path, chart.svg()).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("chart: {}", path.display());
        Ok(())
    }

    /// Shows a figure of the paper for the least sizes and the time limit that were given.
    fn show(&self, figure: &str) -> Result<()> {
        let overrides = Overrides { k: self.args.k.clone(), limit: Some(self.args.time_limit.0), rows: None };
        figure::show(&[figure], &self.adult, overrides)
    }
}

/// Where a scheme that allows more is proven to cost more, which cannot be.
fn disorder(costs: &[(Scheme, f64, bool)]) -> Vec<String> {
    let of = |scheme: Scheme| costs.iter().find(|(name, ..)| *name == scheme);
    let mut problems = Vec::new();
    for pair in CHAINS.iter().flat_map(|chain| chain.windows(2)) {
        let (Some((less, before, _)), Some((more, after, proven))) = (of(pair[0]), of(pair[1])) else {
            continue;
        };
        if *proven && *after > before * (1.0 + 1e-9) {
            problems.push(format!("{} costs {after}, {} only {before}", more.name(), less.name()));
        }
    }
    problems
}

/// Runs the parts that are asked for.
pub fn schemes(args: &SchemesArgs) -> Result<()> {
    let klimt = Klimt::new(&args.place, args.threads)?;
    let data = args.data.clone().unwrap_or_else(folder);
    let Some(adult) = Adult::in_folder(&klimt.tables, &data)? else { return Ok(()) };
    let runs = Runs { args, klimt, adult };
    for part in &args.parts {
        match part.as_str() {
            "paper" => runs.paper()?,
            "direction" => runs.show("schemes-10")?,
            "pruning" => runs.show("schemes-13")?,
            "arx" => runs.arx()?,
            "flexible" => runs.flexible()?,
            "local" => runs.local()?,
            "rows" => runs.rows()?,
            other => return Err(format!("there is no part {other}: {}", PARTS.join(", ")).into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proven_cost_that_rises_is_told() {
        let costs = [9.0, 8.0, 7.0, 5.0, 6.0, 4.0];
        let of = |costs: [f64; 6], proven: bool| -> Vec<String> {
            let each: Vec<_> =
                SCHEMES.iter().zip(costs).map(|(scheme, cost)| (*scheme, cost, proven)).collect();
            disorder(&each)
        };
        assert!(of(costs, true).is_empty(), "gsps and ops are not comparable");
        assert_eq!(of([9.0, 8.0, 7.0, 5.0, 6.0, 5.5], true), ["sps costs 5.5, gsps only 5"]);
        assert!(of([9.0, 8.0, 7.0, 5.0, 6.0, 5.5], false).is_empty(), "what is not proven may cost more");
        assert_eq!(of([1.0; 6], true), Vec::<String>::new());
    }
}
