//! Every figure and table of the experiments in the five papers: its numbers, its picture, and whether what the paper
//! says about it holds here.
//!
//! The list is in `registry.rs`. Each family of figures has a file, which makes releases in this process (`releases.rs`), or
//! asks the engine alone (`engine.rs`), and measures a [`sweep::Sweep`] or several, whose numbers are exact or lie between
//! bounds (`number.rs`, `clock.rs`). The claims of a figure
//! stand beside it, and are judged from these numbers alone (`claim.rs`, `outcome.rs`). What is written is in `write.rs`,
//! `draw.rs`, `page.rs` and `summary.rs`.

mod claim;
mod clock;
mod draw;
mod gensearch;
mod gensearch_search;
mod mondrian;
mod outcome;
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
mod summary;
mod sweep;
#[cfg(test)]
mod tests;
mod write;

use crate::Result;
use crate::adult::{Adult, Files};
use crate::tables::Tables;
use clap::Args;
use clock::Clocked;
use outcome::{Outcome, Run, judge};
use registry::{Figure, figures};
use serde_json::{Value, json};
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};
use sweep::Panel;

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
    /// Run nothing: judge again from the numbers that lie in the folder
    #[arg(long, conflicts_with_all = ["quick", "time_limit"])]
    again: bool,
    /// Where to write the table of all verdicts as Markdown, such as docs/experiments.md
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
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

/// Sizes that a user gives, in place of those that fit the size of the experiments.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// How many rows generated tables have.
    pub rows: Option<u64>,
    /// The least sizes of a group.
    pub k: Vec<u64>,
    /// How long a search may take.
    pub limit: Option<Duration>,
}

/// What experiments run in.
pub struct Context {
    size: Size,
    adult: Adult,
    overrides: Overrides,
    alone: rayon::ThreadPool,
    /// What figures share, by name.
    shared: RefCell<BTreeMap<String, Rc<dyn Any>>>,
}

impl Context {
    fn new(size: Size, adult: Adult, overrides: Overrides) -> Result<Self> {
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        Ok(Context { size, adult, overrides, alone, shared: RefCell::default() })
    }

    #[cfg(test)]
    fn tiny() -> (tempfile::TempDir, Self) {
        let (folder, tables) = Tables::temporary();
        let context = Adult::new(&tables, None, 1500)
            .and_then(|adult| Context::new(Size::Tiny, adult, Overrides::default()))
            .expect("a thread can be started");
        (folder, context)
    }

    /// What fits the size of the experiments.
    fn pick<T>(&self, tiny: T, quick: T, full: T) -> T {
        match self.size {
            Size::Tiny => tiny,
            Size::Quick => quick,
            Size::Full => full,
        }
    }

    /// The rows of a generated table: those that were said, or what fits the size of the experiments.
    fn rows(&self, tiny: u64, quick: u64, full: u64) -> u64 {
        self.overrides.rows.unwrap_or(self.pick(tiny, quick, full))
    }

    /// The least sizes of a group: those that were said, or what fits the size of the experiments.
    fn ks(&self, tiny: &[u64], quick: &[u64], full: &[u64]) -> Vec<u64> {
        match self.overrides.k.is_empty() {
            true => self.pick(tiny, quick, full).to_vec(),
            false => self.overrides.k.clone(),
        }
    }

    /// How many seconds a search may take.
    fn limit(&self) -> f64 {
        self.time_limit().as_secs_f64()
    }

    /// The same as a time.
    fn time_limit(&self) -> Duration {
        self.overrides.limit.unwrap_or(Duration::from_millis(self.pick(50, 1000, 6000)))
    }

    /// The tables that are generated.
    fn tables(&self) -> &Tables {
        self.adult.tables()
    }

    /// Adult, or what stands in for it.
    fn adult(&self) -> &Adult {
        &self.adult
    }

    /// Does work on one thread, so that times can be compared.
    fn alone<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.alone.install(work)
    }

    /// What work on one thread takes. Work tells whether it came to its end.
    fn clocked(&self, work: impl FnMut() -> Result<bool> + Send) -> Result<Clocked> {
        let (rounds, seconds) = self.pick((1, 0.0), (2, 0.1), (3, 0.2));
        self.alone(|| Clocked::new(rounds, seconds, work))
    }

    /// What figures share: made by the first that needs it.
    fn memo<T: 'static>(&self, name: &str, make: impl FnOnce() -> Result<T>) -> Result<Rc<T>> {
        let known = self.shared.borrow().get(name).cloned();
        if let Some(known) = known.and_then(|known| known.downcast::<T>().ok()) {
            return Ok(known);
        }
        let made = Rc::new(make()?);
        self.shared.borrow_mut().insert(name.to_string(), made.clone());
        Ok(made)
    }
}

/// The figures that names ask for; all problems at once.
fn wanted(names: &[String]) -> Result<Vec<&'static Figure>> {
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
        let unknown = unknown.join(", ");
        return Err(format!("there is no figure {unknown}; figure --list tells which there are").into());
    }
    Ok(all.into_iter().filter(|figure| names.iter().any(|name| asks(name, figure))).collect())
}

fn list(as_json: bool) -> Result<()> {
    if as_json {
        let of = |figure: &&Figure| -> Value {
            json!({
                "name": figure.name,
                "paper": figure.paper().cited,
                "title": figure.title,
                "claims": figure.claims.iter().map(|claim| json!({"says": claim.says, "asks": claim.asks()})).collect::<Vec<_>>(),
                "experiment": figure.run.is_some(),
            })
        };
        let all: Vec<Value> = figures().iter().map(of).collect();
        println!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(());
    }
    for figure in figures() {
        let kind = if figure.run.is_some() { "" } else { " (illustration, no experiment)" };
        println!("{:<16} {}{kind}", figure.name, figure.title);
    }
    Ok(())
}

/// Runs the figures that were asked for, and writes their files. One that fails does not keep the others from running.
pub fn figure(args: &FigureArgs) -> Result<()> {
    if args.list {
        return list(args.json);
    }
    let wanted = wanted(&args.names)?;
    let told = |line: String| {
        if !args.quiet {
            println!("{line}");
        }
    };
    let size = if args.quick { Size::Quick } else { Size::Full };
    let files = Files::find(args.data.as_deref(), args.hierarchies.as_deref())?;
    let folder = tempfile::tempdir()?;
    let overrides = Overrides { limit: args.time_limit.map(Duration::from_secs_f64), ..Overrides::default() };
    let adult = Adult::new(&Tables::new(folder.path())?, files, u64::MAX)?;
    let context = Context::new(size, adult, overrides)?;
    let (found, failed) = match args.again {
        true => again(&wanted, &args.out),
        false => {
            told(context.adult().described());
            run(&context, &wanted, &args.out, &told)?
        }
    };
    if args.names.iter().any(|name| name == "all") {
        let shown: Vec<page::Shown<'_>> =
            wanted.iter().copied().zip(found.iter().map(Option::as_ref)).collect();
        let markdown = args.markdown.clone().unwrap_or_else(|| args.out.join("summary.md"));
        for (path, text) in
            [(args.out.join("index.html"), page::page(&shown)), (markdown, summary::summary(&shown))]
        {
            std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
            told(path.display().to_string());
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n").into()) }
}

/// Runs figures in full size, but for what is given, and prints their numbers.
pub fn show(names: &[&str], adult: &Adult, overrides: Overrides) -> Result<()> {
    let context = Context::new(Size::Full, adult.clone(), overrides)?;
    for figure in figures().into_iter().filter(|figure| names.contains(&figure.name)) {
        let Some(experiment) = figure.run else { continue };
        let outcome = experiment(&context)?;
        println!("\n{}: {}; {}", figure.name, figure.title, outcome.run.size());
        Panel::sweeps(&outcome.panels).into_iter().for_each(sweep::Sweep::print);
    }
    Ok(())
}

/// What figures found, and what failed.
type Found = (Vec<Option<Outcome>>, Vec<String>);

/// Reads what figures found before.
fn again(wanted: &[&'static Figure], out: &Path) -> Found {
    let mut failed = Vec::new();
    let read = |figure: &&Figure| {
        figure.run?;
        let outcome = write::read(out, figure);
        outcome.map_err(|error| failed.push(format!("{}: {error}", figure.name))).ok()
    };
    let found = wanted.iter().map(read).collect();
    (found, failed)
}

/// Runs figures and writes their files; what they found, and what failed.
fn run(context: &Context, wanted: &[&'static Figure], out: &Path, told: &dyn Fn(String)) -> Result<Found> {
    std::fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    let (mut found, mut failed): Found = (Vec::new(), Vec::new());
    for figure in wanted {
        let Some(experiment) = figure.run else {
            told(format!("{:<14} illustration, no experiment", figure.name));
            found.push(None);
            continue;
        };
        let started = Instant::now();
        let mut outcome = experiment(context).unwrap_or_else(|error| {
            failed.push(format!("{}: {error}", figure.name));
            Outcome {
                run: Run::new("", Vec::new(), format!("the experiment failed: {error}")),
                ..Outcome::default()
            }
        });
        outcome.run.trial = context.size == Size::Tiny;
        write::write(out, figure, &outcome)?;
        let (seconds, judged) = (started.elapsed().as_secs_f64(), judge(figure, &outcome));
        told(format!(
            "{:<14} {:<14} {seconds:>6.1} s  {}",
            figure.name,
            judged.verdict.text(),
            judged.line()
        ));
        found.push(Some(outcome));
    }
    Ok((found, failed))
}
