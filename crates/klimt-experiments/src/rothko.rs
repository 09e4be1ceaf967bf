//! Tables larger than memory: the experiments of LeFevre and DeWitt (*Scalable Anonymization Algorithms for Large Data
//! Sets*, 2007), and klimt beside GNU sort.

pub mod engine;
pub mod quality;
pub mod sensitive;
pub mod traffic;

use crate::bench::PlaceArgs;
use crate::measure::{Cost, measure, median};
use crate::published::Published;
use crate::tables::{Input, Places};
use clap::Args;
use serde_json::Value;

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
    #[arg(long, default_value = "rothko-s")]
    algorithm: String,
    /// How often everything of the parts sort and sensitive is run
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// What happens to the columns that are no quasi-identifiers: keep or drop
    #[arg(long, default_value = "drop")]
    other: String,
}

const PARTS: [&str; 6] = ["sort", "scale", "traffic", "pruning", "quality", "sensitive"];

/// Runs the parts that were asked for.
pub fn rothko(args: &RothkoArgs) -> Result<(), String> {
    if let Some(unknown) = args.parts.iter().find(|part| !PARTS.contains(&part.as_str())) {
        return Err(format!("there is no part {unknown}; the parts are {}", PARTS.join(", ")));
    }
    let wanted = |part: &str| args.parts.iter().any(|wanted| wanted == part);
    let places = args.place.places()?;
    if wanted("sort") {
        sort(args, &places)?;
    }
    if wanted("scale") {
        scale(args, &places)?;
    }
    if wanted("traffic") {
        traffic::traffic(&places, args.threads)?;
    }
    if wanted("pruning") {
        quality::pruning(&places)?;
    }
    if wanted("quality") {
        quality::quality(&places)?;
    }
    if wanted("sensitive") {
        let rows = args.rows.iter().copied().min().unwrap_or(1_000_000);
        sensitive::sensitive(&places, rows, args.threads, args.runs, &args.algorithm)?;
    }
    Ok(())
}

fn anonymize(args: &RothkoArgs, places: &Places, input: &Input, k: u64, flags: &[&str]) -> Vec<String> {
    let out = places.folder.join("out-rothko.csv").display().to_string();
    let mut command = vec![places.klimt.display().to_string(), "anonymize".to_string()];
    command.extend([
        input.path.display().to_string(),
        "--qi".to_string(),
        input.quasi_identifiers.to_string(),
        // Sets of many texts are measured as they are.
        format!("--accept={}", input.quasi_identifiers),
    ]);
    command.extend(["--other", &args.other, "--quiet", "-o", &out].map(String::from));
    command.extend([format!("-k={k}"), format!("--threads={}", args.threads)]);
    command.extend(flags.iter().map(|flag| flag.to_string()));
    command
}

/// klimt within a memory budget beside GNU sort within the same, and beside itself without one, in turn.
fn sort(args: &RothkoArgs, places: &Places) -> Result<(), String> {
    let rows = args.rows.iter().copied().max().unwrap_or(100_000_000);
    let input = places.agrawal(rows)?;
    let out = places.folder.join("out-sort.csv").display().to_string();
    let (size, folder) = (format!("{}M", args.memory), places.folder.display().to_string());
    let path = input.path.display().to_string();
    let threads = format!("--parallel={}", args.threads);
    let sort = ["env", "LC_ALL=C", "sort", "-S", &size, &threads, "-T", &folder, "-o", &out, &path];
    let sort: Vec<String> = sort.map(String::from).to_vec();
    let memory = format!("--memory={}MB", args.memory);
    println!(
        "{rows} rows, {} megabytes of memory, {} threads, other columns: {}",
        args.memory, args.threads, args.other
    );
    println!(
        "{:<26} {:>8} {:>8} {:>10} {:>14} {:>14}",
        "", "wall s", "cpu s", "memory MB", "wall/sort", "wall/in memory"
    );
    for &k in &args.k {
        let bounded = anonymize(args, places, &input, k, &["--algorithm=rothko-s", &memory]);
        let free = anonymize(args, places, &input, k, &["--algorithm=mondrian", "--memory=90%"]);
        let mut costs: [Vec<Cost>; 3] = Default::default();
        for _ in 0..args.runs.max(1) {
            costs[0].push(measure(&sort)?);
            let _ = std::fs::remove_file(&out);
            costs[1].push(measure(&bounded)?);
            // What does not fit is not compared.
            costs[2].extend(measure(&free).ok());
        }
        let sorted = median(&costs[0]);
        let within = (!costs[2].is_empty()).then(|| median(&costs[2]));
        print_cost("sort", sorted, sorted, within);
        print_cost(&format!("k = {k}, rothko-s"), median(&costs[1]), sorted, within);
        if let Some(within) = within {
            print_cost(&format!("k = {k}, in memory"), within, sorted, Some(within));
        }
    }
    Ok(())
}

fn print_cost(name: &str, cost: Cost, sort: Cost, within: Option<Cost>) {
    let ratio = within.map_or("-".to_string(), |within| format!("{:.2}", cost.wall / within.wall));
    println!(
        "{name:<26} {:>8.1} {:>8.1} {:>10.0} {:>14.2} {ratio:>14}",
        cost.wall,
        cost.cpu,
        cost.memory,
        cost.wall / sort.wall
    );
}

/// Scale-up: passes over the rows and bytes on disk as rows grow (Fig. 12).
fn scale(args: &RothkoArgs, places: &Places) -> Result<(), String> {
    println!(
        "\n{:>12} {:<9} {:>8} {:>8} {:>10} {:>7} {:>7} {:>8} {:>8} {:>10} {:>10}",
        "rows",
        "",
        "wall s",
        "cpu s",
        "memory MB",
        "reads",
        "writes",
        "divided",
        "parts",
        "read MB",
        "written MB"
    );
    for &rows in &args.rows {
        let input = places.agrawal(rows)?;
        for algorithm in ["rothko-s", "rothko-t"] {
            let flags = [
                "-k=1000".to_string(),
                format!("--algorithm={algorithm}"),
                format!("--memory={}MB", args.memory),
                format!("--threads={}", args.threads),
            ];
            let made = Published::make(places, "rothko", &input.path, input.quasi_identifiers, &flags)?;
            let run = &made.certificate["run"];
            let number = |value: &Value| value.as_f64().unwrap_or(0.0);
            println!(
                "{rows:>12} {algorithm:<9} {:>8.1} {:>8.1} {:>10.0} {:>7.2} {:>7.2} {:>8} {:>8} {:>10.0} {:>10.0}",
                made.cost.wall,
                made.cost.cpu,
                made.cost.memory,
                number(&run["passes"]["reads"]),
                number(&run["passes"]["writes"]),
                number(&run["repartitions"]),
                number(&run["parts"]),
                number(&run["bytes"]["read"]) / 1e6,
                number(&run["bytes"]["written"]) / 1e6,
            );
        }
    }
    Ok(())
}
