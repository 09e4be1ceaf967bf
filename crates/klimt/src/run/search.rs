//! What finds the groups of a table in memory, and how a search is watched.

use crate::observer::{Observer as RunObserver, Stage, Stretch, Watched};
use crate::settings::{Settings, SplitSet, Start};
use klimt_core::algorithm::gensearch::{GenSearch, Splits};
use klimt_core::algorithm::local::Local;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::optimal::Optimal;
use klimt_core::job::{Observer, Partitioner, SearchCounts};
use klimt_core::loss::{Cost, Totals};
use klimt_core::region::PublishedReader;
use klimt_core::registry::AlgorithmKind;
use klimt_core::table::{Decimal, Shape, Table};
use klimt_core::{Error, Result};
use std::fs::File;
use std::io::Write;
use std::sync::Mutex;
use std::time::Instant;

/// Where GenSearch may cut a table.
fn splits(settings: &Settings, table: &Table) -> Result<Splits> {
    let chosen = settings.search.splits.unwrap_or(SplitSet::Every).splits();
    let given = |dimension: usize| settings.columns.get(&table.dimension(dimension).name)?.splits.as_ref();
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

/// The codes after which a column may be cut, by values: the last one up to the value in a domain with distances.
fn split_codes(table: &Table, dimension: usize, values: &[String]) -> Result<Vec<u32>> {
    let domain = table.domain(dimension);
    let measured = matches!(domain.shape(), Shape::Ordered) && domain.is_measured();
    let code = |(at, value): (usize, &String)| {
        let place =
            || format!("value {} of the splits of column {}", at + 1, table.dimension(dimension).name);
        if !measured {
            return PublishedReader::new(domain)
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

/// The algorithm that a run asks for.
pub fn partitioner(settings: &Settings, table: &Table, mondrian: Mondrian) -> Result<Box<dyn Partitioner>> {
    let search = &settings.search;
    Ok(match settings.algorithm() {
        AlgorithmKind::GenSearch => {
            let usual = if search.as_published { Start::Whole } else { Start::Mondrian };
            let seed: Option<Box<dyn Partitioner>> = match search.start.unwrap_or(usual) {
                Start::Whole => None,
                Start::Mondrian => Some(Box::new(mondrian)),
                Start::Optimal => Some(Box::new(Optimal { start: Box::new(mondrian) })),
            };
            let splits = splits(settings, table)?;
            let defaults = match search.as_published {
                true => GenSearch::as_published(splits),
                false => GenSearch { splits, ..GenSearch::default() },
            };
            Box::new(GenSearch {
                priority: search.priority.unwrap_or_default(),
                max_size: search.queue,
                lookahead: search.lookahead.unwrap_or(defaults.lookahead),
                seed,
                ..defaults
            })
        }
        AlgorithmKind::Optimal => Box::new(Optimal { start: Box::new(mondrian) }),
        AlgorithmKind::Local => Box::new(Local::default()),
        _ => Box::new(mondrian),
    })
}

/// Watches a search: shows the loss found and the bound, and writes them over time.
pub struct Watch<'a> {
    stage: Stretch<'a>,
    observer: &'a dyn RunObserver,
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
        watched: &Watched<'a>,
        rows: u64,
        searching: bool,
        cost: &'a dyn Cost,
        totals: Totals,
        trace: Option<&str>,
    ) -> Result<Self> {
        let (stage, total) =
            if searching { (Stage::Searching, None) } else { (Stage::Partitioning, Some(rows)) };
        let stage = watched.stage(stage, total);
        let trace = trace.map(|path| begin(path).map_err(|e| Error::io(path, "write it", &e))).transpose()?;
        let last = Mutex::new(Last { trace, counts: None, found: f64::NAN, bound: f64::NAN });
        Ok(Watch { stage, observer: watched.observer(), cost, totals, started: Instant::now(), last })
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
        self.observer.improved(loss, (least > 0.0).then_some(least));
    }
}
