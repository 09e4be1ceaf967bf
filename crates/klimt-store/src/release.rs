//! Releases: the groups of a plan, part by part, and what the ledger remembers of them.

use crate::dictionary::Frame;
use crate::histories::Histories;
use crate::ledger::{self, Listed};
use crate::page::{Extract, Page, for_each_page, seal_marks};
use crate::plan::{Group, Plan, Scanner, Standard};
use crate::state::{Counts, State};
use crate::store::Store;
use crate::vault::{Change, Values};
use hashbrown::HashMap;
use klimt::algorithm::index::By;
use klimt::algorithm::rothko::{PartSink, Way, Whole};
use klimt::partition::{Partitioning, Proof};
use klimt::region::{Cell, Regions};
use klimt::requirement::Bound;
use klimt::spill::Block;
use klimt::statistics::Collector;
use klimt::table::{Domain, Table};
use klimt::{Error, Result};
use std::time::{SystemTime, UNIX_EPOCH};

/// Parts have about so many rows.
const PART: usize = 1 << 18;
/// Histograms have a place for every code of a column with at most so many.
const FEW_CODES: usize = 1 << 12;
/// So often is a plan made again because those who are held back change what the others are compared with.
const ROUNDS: usize = 8;

/// What is asked of a release.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The least size of a group: the base k of the store or more.
    pub k: u64,
    /// How leaves become groups.
    pub by: By,
    /// Whether rows that are not safe are held back; otherwise the release is refused where there are any.
    pub hold_back: bool,
    /// Whom it is for.
    pub audience: String,
}

/// A release that is being made. Dropped, nothing has happened.
pub struct Releasing<'s> {
    asked: Asked,
    state: State,
    change: Change<'s>,
    plan: Plan,
    histories: Histories,
    counts: Counts,
    rows: u64,
    /// The number of the group that each group is published like, where some are published alike.
    alike: HashMap<u32, u32>,
}

impl Store {
    /// Plans a release; an error where it cannot be safe.
    pub fn release(&mut self, asked: Asked) -> Result<Releasing<'_>> {
        if asked.k < self.spec.k {
            return Err(Error::input(format!(
                "k {} is less than the base k of the store, which is {}",
                asked.k, self.spec.k
            ))
            .with_help("a store can be released at its base k or any larger one"));
        }
        let mut change = self.vault.change()?;
        let mut state = State::load(&self.spec, &change)?;
        refuse_few(state.directory.rows(), asked.k)?;
        self.settle(&mut state, &mut change)?;
        let histories = Histories::load(&change, state.releases)?;
        let (requirements, promised) =
            (self.spec.requirements(asked.k)?, self.spec.requirements(self.spec.k)?);
        let mut rows = state.directory.rows();
        let mut counts = state.counts.clone();
        let pages = &state.directory.pages;
        let mut alive = vec![0; histories.len() as usize];
        let released_before = if alive.len() > 1 { &pages[..] } else { &[] };
        alive[0] = if alive.len() > 1 { 0 } else { rows as u32 };
        for_each_page(released_before, Extract::Outline, &state.frame, &change, |_, page| {
            page.rows.marks.iter().for_each(|&mark| alive[mark as usize] += 1);
            Ok(())
        })?;
        for _ in 0..ROUNDS {
            let whole = counts.whole(&state.frame, rows);
            let (granular, base) = (Bound::to(&requirements, &whole)?, Bound::to(&promised, &whole)?);
            let mut collector = Collector::of_rows(granular.needs(), &state.frame.table, rows)?;
            collector.prepare_for_all(FEW_CODES);
            let standard = Standard {
                frame: &state.frame,
                granular: &granular,
                promised: &base,
                histories: &histories,
                by: asked.by,
                hold_back: asked.hold_back,
                collector,
            };
            let extract = if standard.only_counts() { Extract::Outline } else { Extract::Columns };
            let mut scanner = Scanner::new(standard, alive.clone());
            for_each_page(pages, extract, &state.frame, &change, |_, page| scanner.page(&page))?;
            let plan = scanner.finish()?;
            if plan.unsafe_rows > 0 && !asked.hold_back {
                return Err(refused(&plan, self.spec.k));
            }
            let held = held_back(&plan, &state, &change)?;
            let mut published = state.counts.clone();
            published.count(&state.frame, &held, false);
            let now = state.directory.rows() - held.rows() as u64;
            if now == rows && published == counts {
                let alike = alike(&plan, &state, &change)?;
                let (rows, asked) = (now, asked);
                return Ok(Releasing { asked, state, change, plan, histories, counts, rows, alike });
            }
            (rows, counts) = (now, published);
            refuse_few(rows, asked.k)?;
        }
        Err(Error::unsatisfied("no set of rows that could be held back makes the release safe")
            .with_help("ask for a larger k"))
    }
}

fn refuse_few(rows: u64, k: u64) -> Result<()> {
    if rows >= k {
        return Ok(());
    }
    Err(Error::unsatisfied(format!("{rows} rows cannot be released in groups of {k}"))
        .with_help("insert more rows first"))
}

fn refused(plan: &Plan, k: u64) -> Error {
    let smallest = plan.smallest.unwrap_or(0);
    Error::unsatisfied(format!(
        "{} rows would be safe in this release alone, but not beside earlier ones: put side by side, the releases would \
         leave as few as {smallest} people among whom somebody is hidden, where {k} and every other requirement were promised",
        plan.unsafe_rows
    ))
    .with_help("--hold-back keeps these rows out of the release")
}

/// The rows that a plan holds back.
fn held_back(plan: &Plan, state: &State, change: &Change<'_>) -> Result<Block> {
    let mut held = Block::empty(&state.frame.table);
    if plan.unsafe_rows == 0 {
        return Ok(held);
    }
    let mut cursor = Cursor::new(&plan.groups);
    for_each_page(&state.directory.pages, Extract::Columns, &state.frame, change, |_, page| {
        let rows: Vec<u32> =
            (0..page.rows.len() as u32).filter(|_| cursor.next().is_some_and(|place| place.held)).collect();
        held.append_rows(&page.rows.block, &rows);
        Ok(())
    })?;
    Ok(held)
}

/// Where a row stands in the plan.
#[derive(Clone, Copy, Debug)]
struct Place {
    group: u32,
    held: bool,
    /// Whether it is the last of its group.
    last: bool,
}

/// Walks through the rows of a plan, in the order of the pages.
struct Cursor<'p> {
    groups: &'p [Group],
    group: usize,
    row: u32,
    held: usize,
}

impl<'p> Cursor<'p> {
    fn new(groups: &'p [Group]) -> Self {
        Cursor { groups, group: 0, row: 0, held: 0 }
    }
}

impl Iterator for Cursor<'_> {
    type Item = Place;

    fn next(&mut self) -> Option<Place> {
        let group = self.groups.get(self.group)?;
        let held = group.held.get(self.held) == Some(&self.row);
        let place = Place { group: self.group as u32, held, last: self.row + 1 == group.rows };
        self.held += usize::from(held);
        self.row += 1;
        if place.last {
            (self.group, self.row, self.held) = (self.group + 1, 0, 0);
        }
        Some(place)
    }
}

/// Groups that are published alike, which hierarchies can do, are one group to the reader: the first of them for each.
fn alike(plan: &Plan, state: &State, change: &Change<'_>) -> Result<HashMap<u32, u32>> {
    let (mut alike, table) = (HashMap::new(), &state.frame.table);
    if (0..table.dimensions()).all(|dimension| table.domain(dimension).hierarchy().is_none()) {
        return Ok(alike);
    }
    let mut seen: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut cursor = Cursor::new(&plan.groups);
    let mut open = Block::empty(table);
    for_each_page(&state.directory.pages, Extract::Columns, &state.frame, change, |_, page| {
        for row in 0..page.rows.len() as u32 {
            let Some(place) = cursor.next() else { break };
            if !place.held {
                open.append_rows(&page.rows.block, &[row]);
            }
            if place.last {
                let block = std::mem::replace(&mut open, Block::empty(table));
                let group = block.into_table(table)?;
                let regions = whole_group(&group).compact(&group);
                let first = *seen.entry(published(&regions, table)).or_insert(place.group);
                if first != place.group {
                    alike.extend([(place.group, first), (first, first)]);
                }
            }
        }
        Ok(())
    })?;
    Ok(alike)
}

fn whole_group(table: &Table) -> Partitioning {
    groups_of(table.rows(), vec![table.rows() as u32], false)
}

/// Groups of rows that stand one after the other, whose regions are not known yet.
fn groups_of(rows: usize, ends: Vec<u32>, strict: bool) -> Partitioning {
    let order = (0..rows as u32).collect();
    Partitioning { order, ends, regions: Regions::default(), tree: None, proof: Proof::Heuristic, strict }
}

/// What is published of a group, as bytes.
fn published(regions: &Regions, table: &Table) -> Vec<u8> {
    let mut bytes = Vec::new();
    for dimension in 0..table.dimensions() {
        let domain: &Domain = table.domain(dimension);
        match regions.cell(0, dimension, domain) {
            Cell::Interval { lo, hi } => bytes.extend([0, lo, hi].iter().flat_map(|word| word.to_le_bytes())),
            Cell::Node(node) => bytes.extend([1, node.0].iter().flat_map(|word| word.to_le_bytes())),
            Cell::Set(members) => {
                bytes.extend(
                    [2, members.len() as u32].iter().chain(members).flat_map(|word| word.to_le_bytes()),
                );
            }
            Cell::Missing => bytes.extend(3u32.to_le_bytes()),
            Cell::All => bytes.extend(4u32.to_le_bytes()),
        }
    }
    bytes
}

impl Releasing<'_> {
    /// The columns, without rows.
    pub fn frame(&self) -> &Table {
        &self.state.frame.table
    }

    /// How many rows are published.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many rows are held back.
    pub fn held_back(&self) -> u64 {
        self.plan.unsafe_rows
    }

    /// Hands over the groups, part by part.
    pub fn write(&mut self, sink: &mut dyn PartSink) -> Result<()> {
        let Releasing { state, change, plan, histories, counts, alike, .. } = self;
        let State { frame, directory, releases, .. } = state;
        let frame: &Frame = frame;
        sink.begin(&counts.whole(frame, self.rows) as &Whole<'_>)?;
        let mut writing = Writing {
            sink,
            frame,
            histories,
            release: *releases + 1,
            // Boxes of several leaves may overlap.
            strict: directory.pages.iter().map(|page| page.leaves as usize).sum::<usize>()
                == plan.groups.len(),
            part: Held::new(frame),
            apart: Held::new(frame),
            steps: Vec::new(),
        };
        let mut cursor = Cursor::new(&plan.groups);
        let mut marks = Vec::new();
        for_each_page(&directory.pages, Extract::Columns, frame, &*change, |_, page| {
            marks.push(writing.page(&page, &mut cursor, alike)?);
            Ok(())
        })?;
        writing.finish()?;
        for (entry, marks) in directory.pages.iter_mut().zip(marks) {
            let sealed = seal_marks(entry.page, &marks, change.secret());
            entry.seals[2] = sealed.seal;
            change.put(&sealed)?;
        }
        Ok(())
    }

    /// Enters the release in the ledger, by the hash of its bytes and how many groups it has: from now on it counts.
    pub fn enter(mut self, hash: &str, groups: u64) -> Result<Listed> {
        let release = self.state.releases + 1;
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let listed = Listed {
            release,
            audience: self.asked.audience.clone(),
            k: self.asked.k,
            by: self.asked.by,
            version: self.state.version,
            rows: self.rows,
            groups,
            held_back: self.plan.unsafe_rows,
            smallest_intersection: self.plan.smallest,
            seconds,
            hash: hash.to_string(),
        };
        self.histories.save(release, &mut self.change)?;
        ledger::enter(&listed, &mut self.change)?;
        self.state.releases = release;
        self.state.histories = self.histories.len();
        self.state.save(&mut self.change)?;
        self.change.commit()?;
        Ok(listed)
    }
}

/// Rows that wait to be handed over, group by group.
struct Held {
    block: Block,
    ends: Vec<u32>,
}

impl Held {
    fn new(frame: &Frame) -> Self {
        Held { block: Block::empty(&frame.table), ends: Vec::new() }
    }
}

/// Hands over groups and remembers who was in them.
struct Writing<'w> {
    sink: &'w mut dyn PartSink,
    frame: &'w Frame,
    histories: &'w mut Histories,
    release: u32,
    strict: bool,
    part: Held,
    /// Groups that are published alike come last, together.
    apart: Held,
    /// The new histories of the open group, by the old ones.
    steps: Vec<(u32, u32)>,
}

impl Writing<'_> {
    /// Takes the rows of a page; returns their new histories.
    fn page(&mut self, page: &Page, cursor: &mut Cursor<'_>, alike: &HashMap<u32, u32>) -> Result<Vec<u32>> {
        let mut marks = page.rows.marks.clone();
        let (mut rows, mut row) = (Vec::new(), 0);
        while row < marks.len() {
            let place = cursor.next().ok_or_else(|| Error::internal("a plan has too few rows"))?;
            if !place.held {
                let number = alike.get(&place.group).copied().unwrap_or(place.group);
                marks[row] = self.step(marks[row], number);
                rows.push(row as u32);
            }
            row += 1;
            if place.last || row == marks.len() {
                let into = if alike.contains_key(&place.group) { &mut self.apart } else { &mut self.part };
                into.block.append_rows(&page.rows.block, &rows);
                rows.clear();
                if place.last {
                    into.ends.push(into.block.rows() as u32);
                    self.steps.clear();
                    if self.part.block.rows() >= PART {
                        self.flush(false)?;
                    }
                }
            }
        }
        Ok(marks)
    }

    fn step(&mut self, mark: u32, group: u32) -> u32 {
        if let Some((_, step)) = self.steps.iter().find(|(before, _)| *before == mark) {
            return *step;
        }
        let step = self.histories.step(mark, self.release, group);
        self.steps.push((mark, step));
        step
    }

    fn flush(&mut self, apart: bool) -> Result<()> {
        let waiting = if apart { &mut self.apart } else { &mut self.part };
        let Held { block, ends } = std::mem::replace(waiting, Held::new(self.frame));
        if ends.is_empty() {
            return Ok(());
        }
        let table = block.into_table(&self.frame.table)?;
        let mut partitioning = groups_of(table.rows(), ends, self.strict && !apart);
        partitioning.regions = partitioning.compact(&table);
        self.sink.part(table, partitioning, &Way::default())
    }

    fn finish(mut self) -> Result<()> {
        self.flush(false)?;
        self.flush(true)
    }
}
