//! The six generalization schemes on Adult: the experiments of Li and Li (*Towards Optimal k-Anonymization*, 2007), and
//! klimt beside ARX.

mod peers;

use crate::bench::PlaceArgs;
use crate::published::Published;
use crate::tables::Places;
use clap::Args;
use klimt_chart::{Axis, Chart, Frame, Lines};
use std::path::{Path, PathBuf};

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
    time_limit: String,
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
const SCHEMES: [&str; 6] = ["bhs", "ghs", "gops", "gsps", "ops", "sps"];

/// Each allows at least as much as the one before it: the least cost cannot rise.
pub const CHAINS: [&[&str]; 2] = [&["bhs", "ghs", "gops", "ops", "sps"], &["gops", "gsps", "sps"]];

/// The quasi-identifiers of the paper.
const FOUR: &str = "age,marital-status,race,sex";

/// Runs klimt on Adult and on larger tables like it.
struct Adult<'a> {
    args: &'a SchemesArgs,
    places: Places,
    data: PathBuf,
}

impl Adult<'_> {
    /// A release of Adult with the hierarchies of its columns.
    fn publish(&self, columns: &str, k: u64, flags: &str) -> Result<Published, String> {
        self.publish_table(&self.data.join("adult.csv"), columns, k, flags)
    }

    fn publish_table(&self, input: &Path, columns: &str, k: u64, flags: &str) -> Result<Published, String> {
        let mut all = vec![format!("-k={k}"), format!("--threads={}", self.args.threads)];
        for column in columns.split(',') {
            let hierarchy = self.data.join(format!("hierarchy_{column}.csv"));
            all.push(format!("--hierarchy={column}={}", hierarchy.display()));
        }
        all.extend(flags.split_whitespace().map(String::from));
        Published::make(&self.places, "schemes", input, columns, &all)
    }

    /// As the paper does: ages in intervals of five years, and suppressed rows at their price.
    fn as_published(&self, columns: &str, k: u64, scheme: &str, flags: &str) -> Result<Published, String> {
        let limit = &self.args.time_limit;
        let flags = format!(
            "--algorithm scheme --scheme {scheme} --levels age=1.. --suppress unlimited --time-limit {limit} {flags}"
        );
        self.publish(columns, k, &flags)
    }

    /// What every scheme costs, by both metrics (Fig. 12), and takes (Fig. 11).
    fn paper(&self) -> Result<(), String> {
        for loss in ["dm", "hdm"] {
            println!("\n{} of {FOUR}, unlimited suppression; ~ where not proven", loss.to_uppercase());
            println!("{:>5}{}", "k", SCHEMES.map(|scheme| format!(" {scheme:>14} {:>6}", "cpu s")).concat());
            let mut series: Vec<(&str, Vec<f64>)> = SCHEMES.map(|scheme| (scheme, Vec::new())).to_vec();
            let mut problems = Vec::new();
            for &k in &self.args.k {
                let mut line = format!("{k:>5}");
                let mut costs = Vec::new();
                for (scheme, values) in &mut series {
                    let found = self.as_published(FOUR, k, scheme, &format!("--loss {loss}"))?;
                    let (cost, optimal) = (found.loss(loss), found.is_optimal());
                    let mark = if optimal { " " } else { "~" };
                    line.push_str(&format!(" {mark}{cost:>13.1} {:>6.2}", found.cost.cpu));
                    values.push(cost);
                    costs.push((*scheme, cost, optimal));
                }
                println!("{line}");
                problems.extend(disorder(&costs).into_iter().map(|problem| format!("k = {k}: {problem}")));
            }
            match problems.is_empty() {
                true => {
                    println!("BHS >= GHS >= GOPS >= OPS >= SPS and GOPS >= GSPS >= SPS: holds for every k")
                }
                false => return Err(format!("the order of the schemes is broken: {}", problems.join("; "))),
            }
            self.draw(loss, &series)?;
        }
        Ok(())
    }

    fn draw(&self, loss: &str, series: &[(&str, Vec<f64>)]) -> Result<(), String> {
        let path = match (loss, self.args.chart.file_stem()) {
            ("hdm", Some(stem)) => {
                self.args.chart.with_file_name(format!("{}-hdm.svg", stem.to_string_lossy()))
            }
            _ => self.args.chart.clone(),
        };
        let labels: Vec<String> = self.args.k.iter().map(|k| format!("k = {k}")).collect();
        let title = format!("{} on Adult by generalization scheme: {FOUR}", loss.to_uppercase());
        let frame = Frame::new(title, "What the best release of each scheme costs, for every k");
        let chart = Lines::over_labels(frame, "", labels, Axis::new("").from(0.0));
        let chart = series.iter().fold(chart, |chart, (name, values)| chart.with_values(*name, values));
        std::fs::write(&path, chart.svg()).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("chart: {}", path.display());
        Ok(())
    }

    /// Bottom-up against top-down, over k and over the number of quasi-identifiers (Fig. 10). No column is solved by
    /// itself, as in the paper.
    fn direction(&self) -> Result<(), String> {
        println!(
            "\nCPU seconds of the search bottom-up and top-down, DM, without folding; ~ where the time was over"
        );
        let heading =
            |first: &str| println!("{first:>24} {:>6} {:>10} {:>10}", "scheme", "bottom-up", "top-down");
        heading("k");
        for scheme in ["ops", "sps"] {
            for &k in &self.args.k {
                self.directions(&format!("{k}"), FOUR, k, scheme)?;
            }
        }
        heading("columns, k = 5");
        for scheme in ["ops", "sps"] {
            for columns in ["age", "age,race", "age,race,sex", "age,marital-status,race,sex"] {
                self.directions(columns, columns, 5, scheme)?;
            }
        }
        Ok(())
    }

    fn directions(&self, name: &str, columns: &str, k: u64, scheme: &str) -> Result<(), String> {
        let time = |direction: &str| {
            let flags = format!("--loss dm --without fold --direction {direction}");
            Ok::<_, String>(seconds(&self.as_published(columns, k, scheme, &flags)?))
        };
        let (up, down) = (time("bottom-up")?, time("top-down")?);
        println!(
            "{name:>24} {scheme:>6} {up:>10} {down:>10}",
            name = name.replace("marital-status", "marital")
        );
        Ok(())
    }

    /// What the search takes without some of its techniques (Fig. 13).
    fn pruning(&self) -> Result<(), String> {
        println!(
            "\nCPU seconds of the search without some techniques, DM, k = 10; ~ where the time was over"
        );
        println!("{:<52} {:>8} {:>8} {:>8}", "without", "gops", "ops", "sps");
        for without in [
            "",
            "fold",
            "fold,seeding,reconsider",
            "fold,nodes,applicators",
            "fold,seeding,reconsider,nodes,applicators",
            "fold,useless,useful",
            "fold,bounds",
        ] {
            let flag = if without.is_empty() { String::new() } else { format!("--without {without}") };
            let mut line = format!("{:<52}", if without.is_empty() { "nothing" } else { without });
            for scheme in ["gops", "ops", "sps"] {
                let found = self.as_published(FOUR, 10, scheme, &format!("--loss dm {flag}"))?;
                line.push_str(&format!(" {:>8}", seconds(&found)));
            }
            println!("{line}");
        }
        Ok(())
    }
}

/// The CPU seconds of a run; marked where it ended before it had a proof.
fn seconds(found: &Published) -> String {
    format!("{}{:.2}", if found.is_optimal() { "" } else { "~" }, found.cost.cpu)
}

/// Where a scheme that allows more is proven to cost more, which cannot be.
fn disorder(costs: &[(&str, f64, bool)]) -> Vec<String> {
    let of = |scheme: &str| costs.iter().find(|(name, ..)| *name == scheme);
    let mut problems = Vec::new();
    for pair in CHAINS.iter().flat_map(|chain| chain.windows(2)) {
        let (Some((less, before, _)), Some((more, after, proven))) = (of(pair[0]), of(pair[1])) else {
            continue;
        };
        if *proven && *after > before * (1.0 + 1e-9) {
            problems.push(format!("{more} costs {after}, {less} only {before}"));
        }
    }
    problems
}

/// Runs the parts that are asked for.
pub fn schemes(args: &SchemesArgs) -> Result<(), String> {
    let named = std::env::var_os("KLIMT_DATA").map(PathBuf::from);
    let data = args.data.clone().or(named).unwrap_or("../shared/data/adult".into());
    if !data.join("adult.csv").is_file() {
        println!("skipped: {} has no adult.csv; --data or KLIMT_DATA names the folder", data.display());
        return Ok(());
    }
    let adult = Adult { args, places: args.place.places()?, data };
    for part in &args.parts {
        match part.as_str() {
            "paper" => adult.paper()?,
            "direction" => adult.direction()?,
            "pruning" => adult.pruning()?,
            "arx" => adult.arx()?,
            "flexible" => adult.flexible()?,
            "local" => adult.local()?,
            "rows" => adult.rows()?,
            other => return Err(format!("there is no part {other}: {}", PARTS.join(", "))),
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
