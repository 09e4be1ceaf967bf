//! What releases are worth to somebody who learns from them: a decision tree on the original beside one on each release,
//! tested on rows that are in neither.

use crate::Result;
use crate::adult::{Adult, EIGHT};
use crate::tables::{AGRAWAL, As, Dataset, PlaceArgs, Tables, Want, quasi};
use clap::Args;
use klimt::generate::Parameters;
use klimt::prelude::*;
use klimt::{Measuring, Unobserved, Watched};
use serde_json::Value;
use std::path::PathBuf;

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

/// A table to learn from, without the rows that are tested on.
struct Task<'a> {
    tables: &'a Tables,
    train: Dataset,
    test: PathBuf,
    target: &'static str,
    /// The split criterion that looks at the target.
    aware: &'static str,
}

/// Anonymizes the training rows in several ways, and prints what is learnt from each.
pub fn learn(args: &LearnArgs) -> Result<()> {
    let tables = args.place.tables()?;
    for part in &args.parts {
        let (dataset, target, aware) = match part.as_str() {
            "adult" => {
                let Some(adult) = Adult::in_folder(&tables, &args.data)? else { continue };
                let mut wants = quasi(&EIGHT, As::Ordered);
                wants.push(Want::other("income", Role::Target));
                (adult.dataset(&wants)?, "income", "infogain")
            }
            "class" | "number" => {
                let (target, aware) = if part == "class" { ("C2", "infogain") } else { ("R7", "regression") };
                let mut wants = quasi(&AGRAWAL, As::Plain);
                wants.push(Want::other(target, Role::Target));
                let dataset = tables.generated("agrawal", &Parameters::new(args.rows, 1), &wants)?;
                (dataset, target, aware)
            }
            other => return Err(format!("there is no part {other}: adult, class, number").into()),
        };
        Task::new(&tables, dataset, target, aware)?.run(&args.k)?;
    }
    Ok(())
}

impl<'a> Task<'a> {
    /// Holds every third row out.
    fn new(tables: &'a Tables, dataset: Dataset, target: &'static str, aware: &'static str) -> Result<Self> {
        let path = dataset.path.display();
        let text = std::fs::read_to_string(&dataset.path).map_err(|e| format!("{path}: {e}"))?;
        let (header, rows) = text.split_once('\n').ok_or_else(|| format!("{path} is empty"))?;
        let file = |part: &str, wanted: &dyn Fn(usize) -> bool| -> Result<PathBuf> {
            let path = tables.file(&format!("learn-{}-{part}.csv", dataset.name));
            let rows = rows.lines().enumerate().filter(|(number, _)| wanted(*number)).map(|(_, row)| row);
            let lines: Vec<&str> = std::iter::once(header).chain(rows).collect();
            std::fs::write(&path, lines.join("\n") + "\n")?;
            Ok(path)
        };
        let train = Dataset { path: file("train", &|row| row % 3 != 2)?, ..dataset.clone() };
        Ok(Task { tables, train, test: file("test", &|row| row % 3 == 2)?, target, aware })
    }

    fn run(&self, sizes: &[u64]) -> Result<()> {
        let aware = format!("--split {}", self.aware);
        for (number, &k) in sizes.iter().enumerate() {
            let asked = self.train.groups_of(k)?;
            let found = [
                self.learnt(asked.clone().split("median"))?,
                self.learnt(asked.clone().split(self.aware))?,
                self.learnt(asked.algorithm(AlgorithmKind::RTree))?,
            ];
            let first = &found[0];
            let measure = if first["classes"].is_u64() { "accuracy" } else { "rmse" };
            let of = |value: &Value| value[measure].as_f64().unwrap_or(f64::NAN);
            if number == 0 {
                println!(
                    "\n{}, target {}: {} of a decision tree on {} held-out rows; always the same guess: {:.4}",
                    self.train.path.display(),
                    self.target,
                    measure,
                    first["test_rows"],
                    of(&first["base"])
                );
                let names =
                    ["--split median", &aware, "--algorithm rtree"].map(|name| format!("{name},ratio"));
                println!("k,original,{}", names.join(","));
            }
            let cells = found.each_ref().map(|found| {
                format!("{:.4},{:.4}", of(&found["release"]), found["ratio"].as_f64().unwrap_or(f64::NAN))
            });
            println!("{k},{:.4},{}", of(&first["original"]), cells.join(","));
        }
        Ok(())
    }

    /// What is learnt from a release.
    fn learnt(&self, asked: Anonymizer) -> Result<Value> {
        let out = self.tables.file("out-learn.csv");
        asked.anonymize_to(self.train.input()?, Output::file(&out)?)?;
        let measuring = Measuring::of(self.train.asked.settings().clone()).test(Input::file(&self.test)?);
        let watched = Watched::by(&Unobserved);
        let measured = measuring.run(Some(self.train.input()?), Input::file(&out)?, &watched)?;
        Ok(serde_json::to_value(&measured)?["learning"][0].take())
    }
}
