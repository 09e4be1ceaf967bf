//! Tables larger than memory: the experiments of LeFevre and DeWitt (*Scalable Anonymization Algorithms for Large Data
//! Sets*, 2007), and klimt beside GNU sort.

mod sensitive;

use crate::Result;
use crate::adult::Adult;
use crate::figure::{self, Overrides};
use crate::print::Columns;
use crate::process::Klimt;
use crate::tables::{Dataset, PlaceArgs};
use crate::timing::{COST, Cost, in_turn, measure};
use clap::Args;
use klimt::Choice;
use klimt::prelude::*;

/// `klimt-experiments rothko`.
#[derive(Args, Clone, Debug)]
pub struct RothkoArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// The parts to run
    #[arg(long, value_delimiter = ',', default_values = PARTS)]
    parts: Vec<String>,
    /// How many rows the tables of the parts sort, scale and sensitive have; sensitive takes the smallest
    #[arg(long, value_delimiter = ',', default_values_t = [1_000_000, 10_000_000, 50_000_000, 100_000_000])]
    rows: Vec<u64>,
    /// The least sizes of a group in the part sort
    #[arg(short, value_delimiter = ',', default_values_t = [1000, 10])]
    k: Vec<u64>,
    /// The memory of klimt and of sort, in megabytes
    #[arg(long, default_value_t = 256)]
    memory: u64,
    /// How many threads everybody gets
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// What the part sensitive runs within a budget
    #[arg(long, default_value = "rothko-s", value_parser = choice::<AlgorithmKind>)]
    algorithm: AlgorithmKind,
    /// How often everything of the parts sort and sensitive is run
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// What happens to the columns that are no quasi-identifiers: keep or drop
    #[arg(long, default_value = "drop", value_parser = choice::<Other>)]
    other: Other,
    /// How many rows the tables of the parts traffic, pruning and quality have; ten million, 100,000 and 100,000 by default
    #[arg(long)]
    figure_rows: Option<u64>,
}

/// The choice of a name.
fn choice<C: Choice>(name: &str) -> Result<C, String> {
    C::named(name).ok_or_else(|| format!("choose one of {}", C::names()))
}

const PARTS: [&str; 6] = ["sort", "scale", "traffic", "pruning", "quality", "sensitive"];

/// Runs the parts that were asked for.
pub fn rothko(args: &RothkoArgs) -> Result<()> {
    if let Some(unknown) = args.parts.iter().find(|part| !PARTS.contains(&part.as_str())) {
        return Err(format!("there is no part {unknown}; the parts are {}", PARTS.join(", ")).into());
    }
    let wanted = |part: &str| args.parts.iter().any(|wanted| wanted == part);
    let klimt = || Klimt::new(&args.place, args.threads);
    if wanted("sort") {
        sort(args, &klimt()?)?;
    }
    if wanted("scale") {
        scale(args, &klimt()?)?;
    }
    let shown = [
        ("traffic", 10_000_000, &["rothko-10", "rothko-11", "rothko-12"][..]),
        ("pruning", 100_000, &["rothko-28"]),
        ("quality", 100_000, &["rothko-22", "rothko-23", "rothko-25", "rothko-26"]),
    ];
    let threads = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    for (_, rows, figures) in shown.iter().filter(|(part, ..)| wanted(part)) {
        let adult = Adult::new(&args.place.tables()?, None, u64::MAX)?;
        let overrides = Overrides { rows: Some(args.figure_rows.unwrap_or(*rows)), ..Overrides::default() };
        threads.install(|| figure::show(figures, &adult, overrides))?;
    }
    if wanted("sensitive") {
        let rows = args.rows.iter().copied().min().unwrap_or(1_000_000);
        sensitive::sensitive(&klimt()?, rows, args.runs, args.algorithm)?;
    }
    Ok(())
}

/// A run over the table with nine attributes, within so much memory.
fn within(dataset: &Dataset, k: u64, algorithm: AlgorithmKind, memory: &str) -> Result<Anonymizer> {
    let mut asked = dataset.groups_of(k)?.algorithm(algorithm);
    asked.settings_mut().memory.memory = Some(memory.parse()?);
    Ok(asked)
}

/// klimt within a memory budget beside GNU sort within the same, and beside itself without one, in turn.
fn sort(args: &RothkoArgs, klimt: &Klimt) -> Result<()> {
    let rows = args.rows.iter().copied().max().unwrap_or(100_000_000);
    let dataset = klimt.tables.agrawal(rows)?;
    let (size, threads) = (format!("{}M", args.memory), format!("--parallel={}", args.threads));
    let paths =
        [&klimt.tables.folder, &klimt.out("sort"), &dataset.path].map(|path| path.display().to_string());
    let [folder, out, path] = &paths;
    let sort = ["env", "LC_ALL=C", "sort", "-S", &size, &threads, "-T", folder, "-o", out, path];
    let sort = sort.map(String::from).to_vec();
    println!(
        "{rows} rows, {} megabytes of memory, {} threads, other columns: {}",
        args.memory,
        args.threads,
        args.other.name()
    );
    let ratios = [("wall/sort", 2), ("wall/in memory", 2)];
    let columns = Columns::new("", 26, &[&COST[..], &ratios].concat());
    for &k in &args.k {
        let line = |name: &str, algorithm: AlgorithmKind, memory: &str| {
            let asked = within(&dataset, k, algorithm, memory)?.other(args.other);
            klimt.anonymizing(name, &dataset.path, &asked)
        };
        let bounded = line("bounded", AlgorithmKind::RothkoS, &format!("{}MB", args.memory))?;
        let free = line("free", AlgorithmKind::Mondrian, "90%")?;
        let costs = in_turn(args.runs, 3, |at| match at {
            0 => {
                let cost = measure(&sort)?;
                let _ = std::fs::remove_file(out);
                Ok(Some(cost))
            }
            1 => measure(&bounded).map(Some),
            // What does not fit is not compared.
            _ => Ok(measure(&free).ok()),
        })?;
        let wall = |cost: Option<Cost>| cost.map_or(f64::NAN, |cost| cost.wall);
        let names = ["sort".to_string(), format!("k = {k}, rothko-s"), format!("k = {k}, in memory")];
        for (name, cost) in names.iter().zip(&costs) {
            let Some(cost) = cost else { continue };
            let ratios = [costs[0], costs[2]].map(|other| cost.wall / wall(other));
            columns.line(name, &[&cost.wall, &cost.cpu, &cost.memory, &ratios[0], &ratios[1]]);
        }
    }
    Ok(())
}

/// Scale-up: passes over the rows and bytes on disk as rows grow (Fig. 12).
fn scale(args: &RothkoArgs, klimt: &Klimt) -> Result<()> {
    let passes =
        [("reads", 2), ("writes", 2), ("divided", 0), ("parts", 0), ("read MB", 0), ("written MB", 0)];
    println!();
    let columns = Columns::new(&format!("{:>12}", "rows"), 22, &[&COST[..], &passes].concat());
    for &rows in &args.rows {
        let dataset = klimt.tables.agrawal(rows)?;
        for algorithm in [AlgorithmKind::RothkoS, AlgorithmKind::RothkoT] {
            let asked = within(&dataset, 1000, algorithm, &format!("{}MB", args.memory))?;
            let made = klimt.anonymize("rothko", &dataset, &asked)?;
            let (run, Cost { wall, cpu, memory }) = (&made.certificate.run, made.cost);
            let (reads, writes) = made.passes();
            let [divided, parts] = [run.repartitions, run.parts].map(Option::unwrap_or_default);
            let bytes = run.bytes.map_or([0; 2], |bytes| [bytes.read, bytes.written]);
            let [read, written] = bytes.map(|bytes| bytes as f64 / 1e6);
            columns.line(
                format!("{rows:>12} {algorithm}"),
                &[&wall, &cpu, &memory, &reads, &writes, &divided, &parts, &read, &written],
            );
        }
    }
    Ok(())
}
