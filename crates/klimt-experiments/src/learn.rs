//! What releases are worth to somebody who learns from them: a decision tree on the original beside one on each release,
//! tested on rows that are in neither.

use crate::bench::PlaceArgs;
use crate::published::Published;
use crate::tables::Places;
use clap::Args;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// `klimt-experiments learn`.
#[derive(Args, Clone, Debug)]
pub struct LearnArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// The folder with adult.csv and order_COLUMN.txt
    #[arg(long, default_value = "../shared/data/adult")]
    data: PathBuf,
    /// The least sizes of a group
    #[arg(short, value_delimiter = ',', default_values_t = [5, 10, 25, 50, 100])]
    k: Vec<u64>,
    /// How many rows the generated table has
    #[arg(long, default_value_t = 45_000)]
    rows: u64,
    /// The parts to run: a class of Adult, a class and a number of the generated table
    #[arg(long, value_delimiter = ',', default_values = ["adult", "class", "number"])]
    parts: Vec<String>,
}

const ADULT: &str = "sex,age,race,marital-status,education,native-country,workclass,occupation";

/// A table to learn from, without the rows that are tested on.
struct Task<'a> {
    places: &'a Places,
    train: PathBuf,
    test: PathBuf,
    columns: &'a str,
    target: &'a str,
    more: Vec<String>,
    /// The split criterion that looks at the target.
    aware: &'a str,
}

/// Anonymizes the training rows in several ways, and prints what is learnt from each.
pub fn learn(args: &LearnArgs) -> Result<(), String> {
    let places = args.place.places()?;
    for part in &args.parts {
        let task = match part.as_str() {
            "adult" => {
                let input = args.data.join("adult.csv");
                if !input.is_file() {
                    println!("skipped: {} is not there; --data names its folder", input.display());
                    continue;
                }
                let order = |column: &str| {
                    let path = args.data.join(format!("order_{column}.txt"));
                    path.is_file().then(|| format!("--order={column}={}", path.display()))
                };
                let more = ADULT.split(',').filter_map(order).collect();
                task(&places, "adult", &input, ADULT, "salary-class", more, "infogain")?
            }
            "class" | "number" => {
                let input = places.agrawal(args.rows)?;
                let (target, aware) = if part == "class" { ("C2", "infogain") } else { ("R7", "regression") };
                task(&places, "agrawal", &input.path, input.quasi_identifiers, target, Vec::new(), aware)?
            }
            other => return Err(format!("there is no part {other}: adult, class, number")),
        };
        task.run(&args.k)?;
    }
    Ok(())
}

/// Every third row is held out.
fn task<'a>(
    places: &'a Places,
    name: &str,
    input: &Path,
    columns: &'a str,
    target: &'a str,
    more: Vec<String>,
    aware: &'a str,
) -> Result<Task<'a>, String> {
    let text = std::fs::read_to_string(input).map_err(|e| format!("{}: {e}", input.display()))?;
    let (header, rows) = text.split_once('\n').ok_or_else(|| format!("{} is empty", input.display()))?;
    let file = |part: &str, wanted: &dyn Fn(usize) -> bool| -> Result<PathBuf, String> {
        let path = places.folder.join(format!("learn-{name}-{part}.csv"));
        let mut out = format!("{header}\n");
        for (_, row) in rows.lines().enumerate().filter(|(number, _)| wanted(*number)) {
            out.push_str(row);
            out.push('\n');
        }
        std::fs::create_dir_all(&places.folder).map_err(|e| e.to_string())?;
        std::fs::write(&path, out).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    };
    let train = file("train", &|row| row % 3 != 2)?;
    let test = file("test", &|row| row % 3 == 2)?;
    Ok(Task { places, train, test, columns, target, more, aware })
}

impl Task<'_> {
    fn run(&self, sizes: &[u64]) -> Result<(), String> {
        let methods = ["--split median", &format!("--split {}", self.aware), "--algorithm rtree"];
        let mut told = false;
        for &k in sizes {
            let mut found = Vec::new();
            for method in methods {
                found.push(self.learnt(k, method)?);
            }
            let (class, first) = (found[0]["classes"].is_u64(), &found[0]);
            let measure = if class { "accuracy" } else { "rmse" };
            let of = |value: &Value| value[measure].as_f64().unwrap_or(f64::NAN);
            if !told {
                told = true;
                println!(
                    "\n{}, target {}: {} of a decision tree on {} held-out rows; always the same guess: {:.4}",
                    self.train.display(),
                    self.target,
                    measure,
                    first["test_rows"],
                    of(&first["base"])
                );
                let names = methods.map(|method| format!("{method},ratio"));
                println!("k,original,{}", names.join(","));
            }
            let cells = found.iter().map(|found| {
                format!("{:.4},{:.4}", of(&found["release"]), found["ratio"].as_f64().unwrap_or(f64::NAN))
            });
            println!("{k},{:.4},{}", of(&first["original"]), cells.collect::<Vec<_>>().join(","));
        }
        Ok(())
    }

    /// What is learnt from a release.
    fn learnt(&self, k: u64, method: &str) -> Result<Value, String> {
        let mut flags = vec![format!("-k={k}"), format!("--target={}", self.target)];
        flags.extend(self.more.iter().cloned());
        flags.extend(method.split(' ').map(String::from));
        Published::make(self.places, "learn", &self.train, self.columns, &flags)?;
        let release = self.places.folder.join("out-learn.csv");
        let mut command = Command::new(&self.places.klimt);
        command.arg("measure").args([&self.train, &release]).arg("--test").arg(&self.test);
        command.arg(format!("--qi={}", self.columns)).arg(format!("--target={}", self.target));
        let output = command.args(&self.more).arg("--json").output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let found: Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
        Ok(found["learning"][0].clone())
    }
}
