//! How good the best partitions are: found, proven and what that took, beside Mondrian and the figures of the GenSearch
//! paper (Hore, Jammalamadaka, Mehrotra, D'Ascanio).

use crate::bench::PlaceArgs;
use crate::published::Published;
use crate::tables::Places;
use clap::Args;
use klimt_chart::{Axis, Bars, Chart, Frame};
use std::path::{Path, PathBuf};

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
    time_limit: String,
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

const QUASI_IDENTIFIERS: &str = "sex,age,race,marital-status,education,native-country,workclass,occupation";
/// Five columns with full domains: 88 splits.
const FIVE: &str = "age,race,marital-status,workclass,sex";
/// The best that the paper reports, after five hours on its 101 splits, in units of n·k.
const PAPER: f64 = 1.35;

/// Runs klimt on Adult.
struct Adult<'a> {
    args: &'a OptimalArgs,
    places: Places,
}

impl Adult<'_> {
    fn publish(&self, columns: &str, k: u64, flags: &str) -> Result<Published, String> {
        let input = self.args.data.join("adult.csv");
        let mut orders = Vec::new();
        for column in columns.split(',') {
            let order = self.args.data.join(format!("order_{column}.txt"));
            if order.is_file() {
                orders.push(format!("--order={column}={}", order.display()));
            }
        }
        self.run(&input, columns, k, flags, &orders)
    }

    fn run(
        &self,
        input: &Path,
        columns: &str,
        k: u64,
        flags: &str,
        more: &[String],
    ) -> Result<Published, String> {
        let mut all = vec![format!("-k={k}"), format!("--threads={}", self.args.threads)];
        all.extend(more.iter().cloned());
        all.extend(flags.split_whitespace().map(String::from));
        Published::make(&self.places, "optimal", input, columns, &all)
    }

    /// Discernibility in units of n·k, found and proven.
    fn discernibility(&self) -> Result<(), String> {
        println!("\nDM in units of n·k, Adult, eight quasi-identifiers with full domains (156 splits)");
        println!(
            "{:>5} {:>9} {:>9} {:>9} {:>10} {:>8} {:>8} {:>7} {:>7}",
            "k", "Mondrian", "paper", "found", "at least", "proven", "cpu s", "wall s", "MB"
        );
        let (mut greedy, mut found, mut proven) = (Vec::new(), Vec::new(), Vec::new());
        for &k in &self.args.k {
            let mondrian = self.publish(QUASI_IDENTIFIERS, k, "")?;
            let flags = format!("--algorithm optimal --loss dm --time-limit {}", self.args.time_limit);
            let best = self.publish(QUASI_IDENTIFIERS, k, &flags)?;
            let rows = best.certificate["rows"]["original"].as_f64().unwrap_or(f64::NAN);
            let unit = rows * k as f64;
            let (before, after, least) =
                (mondrian.loss("dm") / unit, best.loss("dm") / unit, best.bound() / unit);
            println!(
                "{k:>5} {before:>9.4} {:>9} {after:>9.4} {least:>10.4} {:>8} {:>8.1} {:>7.1} {:>7.0}",
                format!("≥ {PAPER}"),
                best.proven(),
                best.cost.cpu,
                best.cost.wall,
                best.cost.memory
            );
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

    fn print(&self, name: &str, loss: &str, published: &Published, beside: &Published) {
        println!(
            "{name:<44} {:>10.4} {:>7.3} {:>8} {:>8.2} {:>7.2} {:>7.0}",
            published.loss(loss),
            published.loss(loss) / beside.loss(loss),
            published.proven().replace("heuristic", "-"),
            published.cost.cpu,
            published.cost.wall,
            published.cost.memory
        );
    }

    fn heading(&self, text: &str, loss: &str) {
        println!("\n{text}");
        println!(
            "{:<44} {loss:>10} {:>7} {:>8} {:>8} {:>7} {:>7}",
            "", "ratio", "proven", "cpu s", "wall s", "MB"
        );
    }

    fn certainty_penalty(&self) -> Result<(), String> {
        for k in [10, 100] {
            self.heading(&format!("Certainty penalty, Adult, eight quasi-identifiers, k = {k}"), "ncp");
            let mondrian = self.publish(QUASI_IDENTIFIERS, k, "")?;
            self.print("Mondrian", "ncp", &mondrian, &mondrian);
            let best = format!("--effort best --loss ncp --time-limit {}", self.args.time_limit);
            for flags in ["--split loss:ncp", "--effort balanced --loss ncp", &best] {
                self.print(flags, "ncp", &self.publish(QUASI_IDENTIFIERS, k, flags)?, &mondrian);
            }
        }
        Ok(())
    }

    /// Five columns with full domains, solved to proven optimality.
    fn dense(&self) -> Result<(), String> {
        for loss in ["dm", "ncp", "cm"] {
            self.heading(&format!("Every box solved: {FIVE}, k = 10"), loss);
            for required in ["", "--l-diversity entropy:3", "--t-closeness 0.3:equal"] {
                let sensitive = format!("--sensitive occupation --target salary-class {required}");
                let mondrian = self.publish(FIVE, 10, &sensitive)?;
                let flags = format!("{sensitive} --algorithm optimal --loss {loss}");
                let best = self.publish(FIVE, 10, &flags)?;
                self.print(&format!("--loss {loss} {required}"), loss, &best, &mondrian);
            }
        }
        Ok(())
    }

    /// A requirement that binds.
    fn binding(&self) -> Result<(), String> {
        self.heading("t-closeness 0.2 of the salary class, Adult, eight quasi-identifiers, k = 100", "dm");
        let sensitive = "--sensitive salary-class --t-closeness 0.2:equal";
        let mondrian = self.publish(QUASI_IDENTIFIERS, 100, sensitive)?;
        self.print("Mondrian", "dm", &mondrian, &mondrian);
        let flags = format!("{sensitive} --algorithm optimal --loss dm --time-limit 60s");
        self.print("--algorithm optimal", "dm", &self.publish(QUASI_IDENTIFIERS, 100, &flags)?, &mondrian);
        Ok(())
    }

    /// Five million rows.
    fn large(&self) -> Result<(), String> {
        let Some(input) = self.places.adult(5_000_000)? else { return Ok(()) };
        self.heading("Five million rows like Adult, k = 10", "ncp");
        let fast = self.run(&input.path, input.quasi_identifiers, 10, "", &[])?;
        self.print("Mondrian", "ncp", &fast, &fast);
        let balanced = self.run(&input.path, input.quasi_identifiers, 10, "--effort balanced", &[])?;
        self.print("--effort balanced", "ncp", &balanced, &fast);
        println!(
            "time of balanced effort: {:.2} wall, {:.2} CPU of the greedy run",
            balanced.cost.wall / fast.cost.wall,
            balanced.cost.cpu / fast.cost.cpu
        );
        Ok(())
    }
}

/// Runs the parts that are asked for.
pub fn optimal(args: &OptimalArgs) -> Result<(), String> {
    let adult = Adult { args, places: args.place.places()? };
    for part in &args.parts {
        match part.as_str() {
            "dm" => adult.discernibility()?,
            "ncp" => adult.certainty_penalty()?,
            "dense" => adult.dense()?,
            "binding" => adult.binding()?,
            "large" => adult.large()?,
            other => return Err(format!("there is no part {other}: dm, ncp, dense, binding, large")),
        }
    }
    Ok(())
}
