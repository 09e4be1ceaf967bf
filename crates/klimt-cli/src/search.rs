//! Searches for better partitions: what may be asked of them, and how a run hands it on.

use crate::progress::{Progress, Stage};
use crate::settings::Settings;
use clap::{Args, ValueEnum};
use klimt_core::algorithm::gensearch::{GenSearch, Priority, Splits};
use klimt_core::algorithm::local::Local;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::optimal::{Effort, Optimal};
use klimt_core::job::{Budget, Observer, Partitioner, SearchCounts};
use klimt_core::loss::{Cost, Original, Totals, WithPenalty};
use klimt_core::region::Published;
use klimt_core::table::{Decimal, Shape, Table};
use klimt_core::{Error, Result, registry};
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How long a search may take where nothing is said.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// What may be asked of a search. A spec says the same under the same names.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// The loss that a search minimises, that suppression lowers and that claims are about: ncp (the default; dm for
    /// schemes), dm, c_avg, cm, vm, hdm, …
    #[arg(long, value_name = "NAME")]
    pub loss: Option<String>,
    /// Spend more time on a better release
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub effort: Option<EffortArg>,
    /// End the search for groups after this time with the best release found, such as 120s or 5m; 60s by default for
    /// algorithms that search. The table is read before that time, and the release is written and checked after it
    #[arg(long, value_name = "TIME")]
    pub time_limit: Option<String>,
    /// End a search when the loss is proven to be within this factor of the least possible, such as 1.05
    #[arg(long, value_name = "RATIO")]
    pub gap: Option<String>,
    /// Write loss found and lower bound over time, as CSV
    #[arg(long, value_name = "FILE")]
    pub trace: Option<String>,
    /// gensearch: where columns may be cut: every, equal-width:PARTS, equal-count:PARTS or at-most:SPLITS
    #[arg(long, value_name = "SPLITS")]
    pub splits: Option<String>,
    /// gensearch: which partition is looked at next
    #[arg(long, value_enum, value_name = "KEY")]
    pub priority: Option<PriorityArg>,
    /// gensearch: explicit places for a column instead of --splits, such as age=30,45,60: a number is cut after the last
    /// value up to each, a text after it, a set into it and the others; may be repeated
    #[arg(long, value_name = "COLUMN=VALUES")]
    pub split_at: Vec<String>,
    /// gensearch: how many partitions may wait; by default 200, then four times as many while time is left, and with
    /// --as-published as many as fit into memory
    #[arg(long, value_name = "N")]
    pub queue: Option<String>,
    /// gensearch: solve leaves with at most so many boxes for a better bound; 0 leaves the published bounds
    #[arg(long, value_name = "BOXES")]
    pub lookahead: Option<String>,
    /// gensearch: what the search starts from; cuts that are not in the split set are moved to the nearest split
    #[arg(long, value_enum, value_name = "ALGORITHM")]
    pub start: Option<StartArg>,
    /// gensearch: the algorithm of the paper, from one group on, without look-ahead or greedy descents but where the queue
    /// is full
    #[arg(long)]
    pub as_published: bool,
}

/// How much is spent on a better release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EffortArg {
    /// Publish what the algorithm finds.
    Fast,
    /// Look ahead once: a better release for a little more time.
    Balanced,
    /// Solve parts again until nothing gets better or the time is over.
    Best,
}

/// Which partition gensearch looks at next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PriorityArg {
    /// The one with the least lower bound.
    Bound,
    /// The one that costs least.
    Cost,
    /// The one with the least ratio of bound and cost.
    Ratio,
}

/// What gensearch starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StartArg {
    /// One group.
    Whole,
    /// What Mondrian finds.
    Mondrian,
    /// What the search of `--algorithm optimal` finds.
    Optimal,
}

impl SearchArgs {
    /// These, and the others where these say nothing.
    pub fn or(self, other: SearchArgs) -> Self {
        SearchArgs {
            loss: self.loss.or(other.loss),
            effort: self.effort.or(other.effort),
            time_limit: self.time_limit.or(other.time_limit),
            gap: self.gap.or(other.gap),
            trace: self.trace.or(other.trace),
            splits: self.splits.or(other.splits),
            priority: self.priority.or(other.priority),
            queue: self.queue.or(other.queue),
            lookahead: self.lookahead.or(other.lookahead),
            start: self.start.or(other.start),
            split_at: self.split_at,
            as_published: self.as_published || other.as_published,
        }
    }

    /// The name of the loss that is minimised.
    pub fn loss(&self) -> &str {
        self.loss.as_deref().unwrap_or("ncp")
    }

    /// What a proof is about: for a workload, the loss with what decides between releases that answer alike.
    pub fn proven_loss(&self) -> &str {
        if self.loss() == "queries" { WithPenalty::NAME } else { self.loss() }
    }

    /// The loss that is minimised, bound to a table.
    pub fn cost<'a>(&self, original: &Original<'a>) -> Result<Box<dyn Cost + 'a>> {
        let name = self.loss();
        if let Some(cost) = WithPenalty::new(original).filter(|_| name == "queries") {
            return Ok(Box::new(cost));
        }
        let additive: Vec<&str> = registry::LOSSES
            .iter()
            .filter(|(_, loss)| loss.cost(original).is_some())
            .map(|(entry, _)| entry.id)
            .collect();
        let found = registry::LOSSES.iter().find(|(entry, _)| entry.id == name);
        found.and_then(|(_, loss)| loss.cost(original)).ok_or_else(|| {
            let why = match found {
                None => format!("there is no loss {name}"),
                Some(_) if name == "queries" => "the loss queries is that of a workload, and needs --workload".to_string(),
                Some(_) => {
                    format!("the loss {name} cannot be minimised here: it does not add up over groups, or needs a --target")
                }
            };
            Error::input(format!("{why}; these can: {}", additive.join(", ")))
        })
    }

    /// How much is spent on a better release.
    pub fn effort(&self) -> Effort {
        match self.effort {
            None | Some(EffortArg::Fast) => Effort::Fast,
            Some(EffortArg::Balanced) => Effort::Balanced,
            Some(EffortArg::Best) => Effort::Best,
        }
    }

    /// When a run that starts now must be over, where that was said.
    pub fn until(&self) -> Result<Option<Instant>> {
        let limit = self.time_limit.as_deref().map(duration).transpose()?;
        Ok(limit.and_then(|limit| Instant::now().checked_add(limit)))
    }

    /// What a run that starts now may spend, with so much memory. Where nothing is said, a search has its usual time, and
    /// what does not search takes what it takes.
    pub fn budget(&self, memory: usize, searches: bool) -> Result<Budget> {
        let usual = || Instant::now().checked_add(TIME_LIMIT).filter(|_| searches);
        let until = if self.time_limit.is_some() { self.until()? } else { usual() };
        let gap = match &self.gap {
            None => 1.0,
            Some(text) => {
                text.parse().ok().filter(|gap: &f64| gap.is_finite() && *gap >= 1.0).ok_or_else(|| {
                    Error::input("the gap must be a number of at least 1").with_help("such as --gap 1.05")
                })?
            }
        };
        let bytes = Budget::default().bytes.min(memory);
        Ok(Budget { until, gap, bytes, memory })
    }

    /// What a certificate says of the search, by name.
    pub fn describe(&self, algorithm: &str) -> Vec<(&'static str, Value)> {
        let greedy = ["mondrian", "rtree"].contains(&algorithm) || algorithm.starts_with("rothko");
        let searches = !greedy || self.effort() != Effort::Fast;
        let mut said = Vec::new();
        if algorithm != "scheme" {
            said.push(("effort", json!(self.effort())));
        }
        if searches {
            said.push(("minimised", json!(self.loss())));
        }
        let texts = [
            ("time-limit", &self.time_limit),
            ("gap", &self.gap),
            ("splits", &self.splits),
            ("queue", &self.queue),
            ("lookahead", &self.lookahead),
        ];
        said.extend(texts.into_iter().filter_map(|(key, text)| Some((key, json!(text.as_ref()?)))));
        if self.as_published {
            said.push(("as-published", json!(true)));
        }
        said
    }

    fn whole(flag: &str, text: Option<&String>) -> Result<Option<usize>> {
        let parsed = text.map(|text| text.parse::<usize>());
        parsed.transpose().map_err(|_| Error::input(format!("--{flag} needs a whole number")))
    }

    /// Where gensearch may cut.
    fn splits(&self, settings: &Settings, table: &Table) -> Result<Splits> {
        let wrong = || {
            Error::input("splits are one of every, equal-width:PARTS, equal-count:PARTS, at-most:SPLITS")
                .with_help("such as --splits equal-count:8")
        };
        let chosen = match self.splits.as_deref().unwrap_or("every") {
            "every" => Splits::Every,
            text => {
                let (kind, many) = text.split_once(':').ok_or_else(wrong)?;
                let many = many.trim().parse().map_err(|_| wrong())?;
                match kind {
                    "equal-width" => Splits::EqualWidth(many),
                    "equal-count" => Splits::EqualCount(many),
                    "at-most" => Splits::at_most(many),
                    _ => return Err(wrong()),
                }
            }
        };
        let given =
            |dimension: usize| settings.columns.get(&table.dimension(dimension).name)?.splits.as_ref();
        if (0..table.dimensions()).all(|dimension| given(dimension).is_none()) {
            return Ok(chosen);
        }
        let mut codes = chosen.codes(table)?;
        for (dimension, codes) in codes.iter_mut().enumerate() {
            if let Some(values) = given(dimension) {
                *codes = split_codes(table, dimension, values)?;
            }
        }
        Ok(Splits::Given(codes))
    }
}

/// The codes after which a column may be cut, by values: the last one up to the value in a domain with distances.
fn split_codes(table: &Table, dimension: usize, values: &[String]) -> Result<Vec<u32>> {
    let domain = table.domain(dimension);
    let measured = matches!(domain.shape(), Shape::Ordered) && domain.is_measured();
    let code = |(at, value): (usize, &String)| {
        let place =
            || format!("value {} of the splits of column {}", at + 1, table.dimension(dimension).name);
        if !measured {
            return Published::new(domain)
                .code(value)
                .map(Some)
                .ok_or_else(|| Error::input(format!("{}: the column has no such value", place())));
        }
        let last = domain
            .type_spec()
            .position(value)
            .ok_or_else(|| Error::input(format!("{}: this is not of the column's type", place())))?;
        let at = |code: u32| Decimal { units: domain.position(code), scale: domain.scale() };
        let below = (0..domain.value_count() as u32).take_while(|&code| at(code) <= last);
        Ok(below.last().filter(|&code| (code as usize) + 1 < domain.value_count()))
    };
    let codes: Result<Vec<Option<u32>>> = values.iter().enumerate().map(code).collect();
    let mut codes: Vec<u32> = codes?.into_iter().flatten().collect();
    codes.sort_unstable();
    codes.dedup();
    Ok(codes)
}

/// A duration such as `90s`, `2m`, `1.5h` or `500ms`; seconds where no unit is given.
fn duration(text: &str) -> Result<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => Some(1e-3),
        "" | "s" => Some(1.0),
        "m" | "min" => Some(60.0),
        "h" => Some(3600.0),
        _ => None,
    };
    let seconds = digits.trim().parse::<f64>().ok().zip(factor).map(|(number, factor)| number * factor);
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or_else(|| {
        Error::input("a time is a number with ms, s, m or h").with_help("such as --time-limit 120s")
    })
}

/// The algorithm that a run asks for.
pub fn partitioner(settings: &Settings, table: &Table, mondrian: Mondrian) -> Result<Box<dyn Partitioner>> {
    let search = &settings.search;
    Ok(match settings.algorithm() {
        "gensearch" => {
            let usual = if search.as_published { StartArg::Whole } else { StartArg::Mondrian };
            let seed: Option<Box<dyn Partitioner>> = match search.start.unwrap_or(usual) {
                StartArg::Whole => None,
                StartArg::Mondrian => Some(Box::new(mondrian)),
                StartArg::Optimal => Some(Box::new(Optimal { start: Box::new(mondrian) })),
            };
            let priority = match search.priority {
                None | Some(PriorityArg::Bound) => Priority::Bound,
                Some(PriorityArg::Cost) => Priority::Cost,
                Some(PriorityArg::Ratio) => Priority::Ratio,
            };
            let splits = search.splits(settings, table)?;
            let defaults = match search.as_published {
                true => GenSearch::as_published(splits),
                false => GenSearch { splits, ..GenSearch::default() },
            };
            Box::new(GenSearch {
                priority,
                max_size: SearchArgs::whole("queue", search.queue.as_ref())?,
                lookahead: SearchArgs::whole("lookahead", search.lookahead.as_ref())?
                    .unwrap_or(defaults.lookahead),
                seed,
                ..defaults
            })
        }
        "optimal" => Box::new(Optimal { start: Box::new(mondrian) }),
        "local" => Box::new(Local::default()),
        _ => Box::new(mondrian),
    })
}

/// Watches a search: shows the loss found and the bound, and writes them over time.
pub struct Watch<'a> {
    stage: Stage<'a>,
    cost: &'a dyn Cost,
    totals: Totals,
    started: Instant,
    last: Mutex<Last>,
}

/// What was seen last.
struct Last {
    trace: Option<File>,
    counts: Option<SearchCounts>,
    found: f64,
    bound: f64,
}

impl<'a> Watch<'a> {
    /// Starts to watch; the trace is begun where one is asked for.
    pub fn new(
        progress: &'a Progress,
        rows: u64,
        searching: bool,
        cost: &'a dyn Cost,
        totals: Totals,
        trace: Option<&str>,
    ) -> Result<Self> {
        let stage = if searching { progress.search() } else { progress.stage("partitioning", rows, false) };
        let trace = trace.map(|path| begin(path).map_err(|e| Error::io(path, "write it", &e))).transpose()?;
        let last = Mutex::new(Last { trace, counts: None, found: f64::NAN, bound: f64::NAN });
        Ok(Watch { stage, cost, totals, started: Instant::now(), last })
    }

    /// How a search over a split set went, where there was one.
    pub fn counts(&self) -> Option<SearchCounts> {
        self.last.lock().ok()?.counts
    }

    fn finished(&self, sum: f64) -> f64 {
        self.cost.finish(sum, &self.totals)
    }
}

fn begin(path: &str) -> std::io::Result<File> {
    let mut file = File::create(path)?;
    writeln!(file, "seconds,found,bound,ratio")?;
    Ok(file)
}

impl Observer for Watch<'_> {
    fn advance(&self, rows: u64) {
        self.stage.advance(rows);
    }

    fn cancelled(&self) -> bool {
        self.stage.cancelled()
    }

    fn searched(&self, counts: SearchCounts) {
        if let Ok(mut last) = self.last.lock() {
            last.counts = Some(counts);
        }
    }

    fn improved(&self, found: f64, bound: f64) {
        let Ok(mut last) = self.last.lock() else { return };
        if last.found == found && last.bound == bound {
            return;
        }
        (last.found, last.bound) = (found, bound);
        let (loss, least) = (self.finished(found), self.finished(bound));
        let ratio = if least > 0.0 { (loss / least).to_string() } else { String::new() };
        if let Some(trace) = &mut last.trace {
            let seconds = self.started.elapsed().as_secs_f64();
            // A trace that cannot be written on is no reason to lose the release.
            let _ = writeln!(trace, "{seconds:.3},{loss},{least},{ratio}");
        }
        self.stage.say(&match least > 0.0 {
            true => format!("loss {loss:.6}, at least {least:.6}, within a factor {:.4}", loss / least),
            false => format!("loss {loss:.6}"),
        });
    }
}
