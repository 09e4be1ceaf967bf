//! Every figure and table of the experiments in the five papers: its numbers, its picture, and whether what the paper
//! says about it holds here.
//!
//! The list is in `registry.rs`. Each family of figures has a file, which runs the engine in this process, measures a
//! [`sweep::Sweep`] or several, and makes checks of them (`verdict.rs`). What is written is in `write.rs`, `draw.rs` and
//! `page.rs`.

mod adult;
mod data;
mod draw;
mod engine;
mod gensearch;
mod gensearch_search;
mod mondrian;
mod page;
mod plane;
mod registry;
mod rothko_io;
mod rothko_quality;
mod rothko_time;
mod rtree_quality;
mod rtree_store;
mod rtree_time;
mod schemes;
mod schemes_time;
mod sweep;
#[cfg(test)]
mod tests;
mod verdict;
mod write;

use adult::{Adult, EIGHT, Files};
use clap::Args;
use data::{As, Want};
use klimt::table::Table;
use registry::{Figure, figures};
use serde_json::{Value, json};
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;
use verdict::Outcome;

/// `klimt-experiments figure`.
#[derive(Args, Clone, Debug)]
pub struct FigureArgs {
    /// The figures, such as mondrian-10 or rtree-12; all, or the system of a paper, stands for all of its figures
    #[arg(value_name = "NAME", required_unless_present = "list")]
    names: Vec<String>,
    /// List the figures with their titles
    #[arg(long)]
    list: bool,
    /// With --list: as JSON, with the claims
    #[arg(long, requires = "list")]
    json: bool,
    /// Smaller tables and shorter searches: everything in a few minutes
    #[arg(long)]
    quick: bool,
    /// How many seconds a search may take; 6 by default, 1 with --quick
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<f64>,
    /// The folder for NAME.csv, NAME.svg and NAME.json, and for index.html and summary.md of all
    #[arg(long, value_name = "DIR", default_value = "figures")]
    out: PathBuf,
    /// Adult, as CSV; by default adult.csv of the folder that KLIMT_DATA names, or of ../shared/data/adult. Where there is
    /// none, a generated census stands in
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// The folder with hierarchy_COLUMN.csv and order_COLUMN.txt of Adult; that of the table by default
    #[arg(long, value_name = "DIR")]
    hierarchies: Option<PathBuf>,
    /// Say nothing of what is done
    #[arg(long)]
    quiet: bool,
}

/// A positive number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && *seconds <= 86_400.0);
    seconds.ok_or_else(|| "give a number of seconds, such as 3".to_string())
}

/// How large the experiments are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    /// So small that numbers say nothing: for tests.
    #[cfg_attr(not(test), allow(dead_code))]
    Tiny,
    /// All in a few minutes.
    Quick,
    /// Each within minutes.
    Full,
}

/// What experiments run in.
pub struct Context {
    size: Size,
    adult: Adult,
    limit: f64,
    alone: rayon::ThreadPool,
    /// What figures share, by name.
    shared: RefCell<BTreeMap<String, Rc<dyn Any>>>,
}

impl Context {
    fn new(size: Size, files: Option<Files>) -> Result<Self, String> {
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|e| e.to_string())?;
        let most = if size == Size::Tiny { 1500 } else { u64::MAX };
        let limit = match size {
            Size::Tiny => 0.05,
            Size::Quick => 1.0,
            Size::Full => 6.0,
        };
        Ok(Context { size, adult: Adult::new(files, most), limit, alone, shared: RefCell::default() })
    }

    #[cfg(test)]
    fn tiny() -> Self {
        Context::new(Size::Tiny, None).expect("a thread can be started")
    }

    /// What fits the size of the experiments.
    fn pick<T>(&self, tiny: T, quick: T, full: T) -> T {
        match self.size {
            Size::Tiny => tiny,
            Size::Quick => quick,
            Size::Full => full,
        }
    }

    /// How many seconds a search may take.
    fn limit(&self) -> f64 {
        self.limit
    }

    /// Adult, or what stands in for it.
    fn adult(&self) -> &Adult {
        &self.adult
    }

    /// Does work on one thread, so that times can be compared.
    fn alone<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.alone.install(work)
    }

    /// What figures share: made by the first that needs it.
    fn memo<T: 'static>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<T, String>,
    ) -> Result<Rc<T>, String> {
        let known = self.shared.borrow().get(name).cloned();
        if let Some(known) = known.and_then(|known| known.downcast::<T>().ok()) {
            return Ok(known);
        }
        let made = Rc::new(make()?);
        self.shared.borrow_mut().insert(name.to_string(), made.clone());
        Ok(made)
    }

    /// What the page says of the sizes.
    fn described(&self) -> &'static str {
        self.pick(
            "The tables were tiny: the numbers say nothing.",
            "Tables and searches were small (--quick), so that verdicts about times and about searches are rough.",
            "Tables were smaller than those of the papers where a figure says so.",
        )
    }
}

/// Where Adult is, where it is anywhere.
fn files(data: Option<&Path>, hierarchies: Option<&Path>) -> Result<Option<Files>, String> {
    let folder = std::env::var_os("KLIMT_DATA").map_or(PathBuf::from("../shared/data/adult"), PathBuf::from);
    let table = match data {
        Some(path) if !path.is_file() => return Err(format!("{}: there is no such file", path.display())),
        Some(path) => path.to_path_buf(),
        None => folder.join("adult.csv"),
    };
    if !table.is_file() {
        return Ok(None);
    }
    let folder = hierarchies.or(table.parent()).unwrap_or(Path::new(".")).to_path_buf();
    Ok(Some(Files { folder, table }))
}

/// Adult with a hierarchy for each of its eight quasi-identifiers, or what stands in for it; and which of both it is.
pub fn adult_with_hierarchies() -> Result<(String, Table), String> {
    let adult = Adult::new(files(None, None)?, u64::MAX);
    let values = |name: &str| if name == "age" { As::Intervals } else { As::Tree(3) };
    let wants: Vec<Want<'_>> = EIGHT.iter().map(|name| Want::quasi(name, values(name))).collect();
    Ok((format!("{}, hierarchies", adult.described()), adult.table(&wants)?))
}

/// The figures that names ask for; all problems at once.
fn wanted(names: &[String]) -> Result<Vec<&'static Figure>, String> {
    let all = figures();
    let asks = |name: &String, figure: &Figure| {
        name == "all" || name == figure.name || name == figure.paper().system
    };
    let unknown: Vec<&str> = names
        .iter()
        .filter(|name| !all.iter().any(|figure| asks(name, figure)))
        .map(String::as_str)
        .collect();
    if !unknown.is_empty() {
        return Err(format!(
            "there is no figure {}; figure --list tells which there are",
            unknown.join(", ")
        ));
    }
    Ok(all.into_iter().filter(|figure| names.iter().any(|name| asks(name, figure))).collect())
}

fn list(as_json: bool) -> Result<(), String> {
    if as_json {
        let of = |figure: &&Figure| -> Value {
            json!({
                "name": figure.name,
                "paper": figure.paper().cited,
                "title": figure.title,
                "claim": figure.claim,
                "experiment": figure.run.is_some(),
            })
        };
        let all: Vec<Value> = figures().iter().map(of).collect();
        println!("{}", serde_json::to_string_pretty(&all).map_err(|e| e.to_string())?);
        return Ok(());
    }
    for figure in figures() {
        let kind = if figure.run.is_some() { "" } else { " (illustration, no experiment)" };
        println!("{:<16} {}{kind}", figure.name, figure.title);
    }
    Ok(())
}

/// Runs the figures that were asked for, and writes their files. One that fails does not keep the others from running.
pub fn figure(args: &FigureArgs) -> Result<(), String> {
    if args.list {
        return list(args.json);
    }
    let wanted = wanted(&args.names)?;
    let size = if args.quick { Size::Quick } else { Size::Full };
    let mut context = Context::new(size, files(args.data.as_deref(), args.hierarchies.as_deref())?)?;
    context.limit = args.time_limit.unwrap_or(context.limit);
    if !args.quiet {
        println!("{}", context.adult().described());
    }
    let all = args.names.iter().any(|name| name == "all");
    let told = |line: String| {
        if !args.quiet {
            println!("{line}");
        }
    };
    let failed = run(&context, &wanted, &args.out, all, &told)?;
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// Runs figures and writes their files, and the page where these are all; returns what failed.
fn run(
    context: &Context,
    wanted: &[&'static Figure],
    out: &Path,
    all: bool,
    told: &dyn Fn(String),
) -> Result<Vec<String>, String> {
    std::fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    let (mut found, mut failed): (Vec<Option<Outcome>>, Vec<String>) = (Vec::new(), Vec::new());
    for figure in wanted {
        let Some(experiment) = figure.run else {
            told(format!("{:<14} illustration, no experiment", figure.name));
            found.push(None);
            continue;
        };
        let started = Instant::now();
        let outcome = experiment(context).unwrap_or_else(|error| {
            failed.push(format!("{}: {error}", figure.name));
            Outcome { untested: Some(format!("the experiment failed: {error}")), ..Outcome::default() }
        });
        write::write(out, figure, &outcome)?;
        let seconds = started.elapsed().as_secs_f64();
        told(format!(
            "{:<14} {:<14} {seconds:>6.1} s  {}",
            figure.name,
            outcome.verdict().text(),
            outcome.measured()
        ));
        found.push(Some(outcome));
    }
    if all {
        let shown: Vec<page::Shown<'_>> =
            wanted.iter().zip(&found).map(|(figure, outcome)| (*figure, outcome.as_ref())).collect();
        let size = context.described();
        for (name, text) in
            [("index.html", page::page(&shown, size)), ("summary.md", page::summary(&shown, size))]
        {
            let path = out.join(name);
            std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        told(format!("{}", out.join("index.html").display()));
    }
    Ok(failed)
}
