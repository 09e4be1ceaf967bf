//! Releases: the groups of a plan, part by part, and their entry in the ledger.

use crate::dictionary::{MissingTexts, StoreFrame};
use crate::gather::Gatherer;
use crate::histories::Histories;
use crate::leavers::{Leavers, judges};
use crate::ledger::{self, LedgerEntry};
use crate::page::{Extract, for_each_keys, for_each_page, seal_marks};
use crate::past::{Past, PastPerson};
use crate::people::{CodedColumns, People, PeopleJudge};
use crate::plan::{HeldBackRows, Reason, ReleasePlan, Standard};
use crate::secret::Key;
use crate::state::{SensitiveCounts, StoreState};
use crate::store::Store;
use crate::vault::{Change, ValueSource};
use crate::write::{GroupWriter, Steps, groups_of};
use hashbrown::HashMap;
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::loss::Original;
use klimt_core::partition::Partitioning;
use klimt_core::parts::{PartSink, Whole};
use klimt_core::region::{Extents, Regions};
use klimt_core::spill::Block;
use klimt_core::table::{Domain, Table};
use klimt_core::words::option;
use klimt_core::{Error, Result};
use std::time::{SystemTime, UNIX_EPOCH};

/// So often is a plan made again because rows that are held back leave others with too few.
const ROUNDS: usize = 100;

/// The parameters of a release.
#[derive(Clone, Debug)]
pub struct ReleaseRequest {
    /// The least size of a group: the base k of the store or more.
    pub k: u64,
    /// How leaves become groups.
    pub by: LeafGrouping,
    /// Whether rows that are not safe are held back; otherwise the release is refused where there are any.
    pub hold_back: bool,
    /// Whether the release may tell who joined and who left since earlier ones.
    pub allow_differences: bool,
    /// The audience.
    pub audience: String,
}

/// The rows that are held back, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldBack {
    /// Too few of those that an earlier release had in their groups can be published with them.
    pub torn: u64,
    /// Newcomers who are too few: they wait for others.
    pub joined: u64,
    /// They hide those who have left.
    pub left: u64,
}

impl HeldBack {
    fn of(held: &HeldBackRows) -> Self {
        let count = |reason: Reason| held.values().filter(|other| **other == reason).count() as u64;
        HeldBack { torn: count(Reason::Torn), joined: count(Reason::Joined), left: count(Reason::Left) }
    }

    /// How many there are.
    pub fn rows(&self) -> u64 {
        self.torn + self.joined + self.left
    }
}

/// A plan, and what it publishes.
struct PlannedRelease {
    plan: ReleasePlan,
    /// How often sensitive values occur.
    counts: SensitiveCounts,
    rows: u64,
    held_back: HeldBack,
}

/// A release that is being made. Dropped, nothing has happened.
pub struct PendingRelease<'s> {
    asked: ReleaseRequest,
    state: StoreState,
    change: Change<'s>,
    planned: PlannedRelease,
    histories: Histories,
    /// The number of the group that each group is published like, where some are published alike.
    alike: HashMap<u32, u32>,
}

impl Store {
    /// Plans a release; an error where it cannot be safe.
    pub fn release(&mut self, asked: ReleaseRequest) -> Result<PendingRelease<'_>> {
        if asked.k < self.spec.k {
            return Err(Error::input(format!(
                "k {} is less than the base k of the store, which is {}",
                asked.k, self.spec.k
            ))
            .with_help("a store can be released at its base k or any larger one"));
        }
        let mut change = self.vault.change()?;
        let mut state = StoreState::load(&self.spec, &change)?;
        refuse_few(state.directory.rows(), asked.k)?;
        self.settle(&mut state, &mut change)?;
        let histories = Histories::load(&change, state.releases)?;
        let planned = self.plan(&asked, &state, &histories, &change)?;
        if !asked.hold_back && planned.held_back.rows() > 0 {
            return Err(refused(&planned.held_back, asked.allow_differences));
        }
        let alike = alike(&planned.plan, &state, &change)?;
        Ok(PendingRelease { asked, state, change, planned, histories, alike })
    }

    /// Holds back rows until the others can be released.
    fn plan(
        &self,
        asked: &ReleaseRequest,
        state: &StoreState,
        histories: &Histories,
        values: &dyn ValueSource,
    ) -> Result<PlannedRelease> {
        let frame = &*state.frame;
        let coded = CodedColumns::of(frame)?;
        let (requirements, promised) = (self.spec.requirements(asked.k)?, self.spec.promised(self.spec.k)?);
        let differences = state.releases > 0 && !asked.allow_differences;
        let whole = coded.whole(&state.counts, frame, state.directory.rows());
        let granular = PeopleJudge::new(&requirements, &whole)?;
        let columns = state.releases > 0 || !granular.checks.only_count();
        let people = People::load(&state.directory, frame, &coded, asked.by, &granular, columns, values)?;
        let past = Past::load(state.past, values)?;
        let leavers = Leavers {
            frame,
            coded: &coded,
            people: &people,
            histories,
            departed: past.departed(),
            changed: changed_rows(&past, state, values)?,
            judges: match differences {
                true => judges(state.releases, &promised, &coded, frame, values)?,
                false => Vec::new(),
            },
        };
        let (weights, mut held) = (self.spec.weights(), HeldBackRows::new());
        let split = self.spec.split().bind(&Original::new(&coded.table, &weights))?;
        for _ in 0..ROUNDS {
            let (counts, rows) = published(&held, &people, &coded, state);
            refuse_few(rows, asked.k).map_err(|error| of_held_back(error, &held))?;
            let whole = coded.whole(&counts, frame, rows);
            let standard = Standard {
                coded: &coded,
                people: &people,
                granular: PeopleJudge::new(&requirements, &whole)?,
                promised: PeopleJudge::new(&promised, &whole)?,
                histories,
                differences,
                split: &split,
                weights: &weights,
            };
            let before = held.len();
            if differences {
                leavers.hold(&mut held, |rows| standard.promised.satisfied(&people.block, rows))?;
            }
            if held.len() > before {
                continue;
            }
            if let Some(plan) = standard.plan(&mut held)? {
                return Ok(PlannedRelease { plan, counts, rows, held_back: HeldBack::of(&held) });
            }
        }
        Err(Error::unsatisfied("no set of rows that could be held back makes the release safe")
            .with_help("ask for a larger k"))
    }
}

/// The past of rows that are in the store and whose values have changed, by their numbers.
fn changed_rows<'p>(
    past: &'p Past,
    state: &StoreState,
    values: &dyn ValueSource,
) -> Result<HashMap<u32, &'p PastPerson>> {
    let mut changed = HashMap::new();
    if !past.has_changed_rows() {
        return Ok(changed);
    }
    let of_page = |_: usize, keys: &[Key]| -> Vec<(u32, &'p PastPerson)> {
        (0..).zip(keys).filter_map(|(row, key)| Some((row, past.of(key)?))).collect()
    };
    let found = for_each_keys(&state.directory.pages, values, of_page)?;
    let mut first = 0;
    for (page, entry) in found.into_iter().zip(&state.directory.pages) {
        changed.extend(page.into_iter().map(|(row, person)| (first + row, person)));
        first += entry.rows;
    }
    Ok(changed)
}

/// How often sensitive values occur among the rows that are not held back, and how many these are.
fn published(
    held: &HeldBackRows,
    people: &People,
    coded: &CodedColumns,
    state: &StoreState,
) -> (SensitiveCounts, u64) {
    let mut counts = state.counts.clone();
    if people.block.rows() > 0 {
        let mut rows: Vec<u32> = held.keys().copied().collect();
        rows.sort_unstable();
        let mut block = Block::empty(&coded.table);
        block.append_rows(&people.block, &rows);
        counts.take_off(&state.frame, coded, &block);
    }
    (counts, (people.len() - held.len()) as u64)
}

fn refuse_few(rows: u64, k: u64) -> Result<()> {
    if rows >= k {
        return Ok(());
    }
    Err(Error::unsatisfied(format!("{rows} rows cannot be released in groups of {k}"))
        .with_help("insert more rows first"))
}

/// The reason why too many rows would be held back.
fn refused(held: &HeldBack, allowed: bool) -> Error {
    let told: Vec<String> = [
        (held.torn, "was in an earlier release with people who have left, changed or moved"),
        (held.joined, "has joined since an earlier release with too few others"),
        (held.left, "would be needed to hide somebody who has left"),
    ]
    .iter()
    .filter(|(rows, _)| *rows > 0)
    .map(|(rows, why)| format!("{rows} because each of them {why}"))
    .collect();
    let error = Error::unsatisfied(format!(
        "{} rows would be safe in this release alone, but not beside earlier ones: put side by side, the releases would leave \
         people hidden among too few: {}",
        held.rows(),
        told.join("; ")
    ))
    .with_help(format!("{} keeps these rows out of the release until they are safe", option("hold-back")));
    if allowed || held.joined + held.left == 0 {
        return error;
    }
    error.with_help(format!(
        "{} reveals who joined and who left; use it only if nobody has both releases",
        option("allow-differences")
    ))
}

/// An error about the rows that are left, which says that others are held back.
fn of_held_back(error: Error, held: &HeldBackRows) -> Error {
    if held.is_empty() {
        return error;
    }
    Error::unsatisfied(format!("{} after {} rows were held back", error.message(), held.len()))
        .with_help("insert more rows first")
}

/// Groups that are published alike are one group to the reader: the first of them for each. Groups of whole leaves are only
/// where there are hierarchies.
fn alike(plan: &ReleasePlan, state: &StoreState, change: &Change<'_>) -> Result<HashMap<u32, u32>> {
    let (mut alike, table) = (HashMap::new(), &state.frame.table);
    if plan.plain && (0..table.dimensions()).all(|dimension| table.domain(dimension).hierarchy().is_none()) {
        return Ok(alike);
    }
    let mut seen: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut gatherer = Gatherer::new(plan, table);
    for_each_page(&state.directory.pages, Extract::Columns, &state.frame, change, |_, page| {
        gatherer.page(&page, |group, block, rows| {
            let mut own = Block::empty(table);
            own.append_rows(block, rows);
            let own = own.into_table(table)?;
            let regions = whole_group(&own).compact(&own);
            let first = *seen.entry(shown(&regions, table)).or_insert(group);
            if first != group {
                alike.extend([(group, first), (first, first)]);
            }
            Ok(())
        })
    })?;
    gatherer.finish()?;
    Ok(alike)
}

fn whole_group(table: &Table) -> Partitioning {
    groups_of(table.rows(), vec![table.rows() as u32], false)
}

/// The published cells of the first group, as bytes.
fn shown(regions: &Regions, table: &Table) -> Vec<u8> {
    let mut text = Vec::new();
    for dimension in 0..table.dimensions() {
        let (domain, first): (&Domain, usize) = (table.domain(dimension), text.len());
        regions.cell(0, dimension, domain).write(domain, Extents::Compact, &mut text);
        text.extend(((text.len() - first) as u32).to_le_bytes());
    }
    text
}

impl PendingRelease<'_> {
    /// The columns, without rows.
    pub fn frame(&self) -> &Table {
        &self.state.frame.table
    }

    /// The columns in which what counts as missing are empty texts, which are published as such.
    pub fn empty_texts(&self) -> Vec<String> {
        let dictionaries = self.state.dictionaries.iter().zip(self.state.frame.table.columns());
        let empty = dictionaries.filter(|(dictionary, _)| dictionary.missing() == MissingTexts::EmptyText);
        empty.map(|(_, column)| column.name.clone()).collect()
    }

    /// How many rows are published.
    pub fn rows(&self) -> u64 {
        self.planned.rows
    }

    /// The rows that are held back.
    pub fn held_back(&self) -> HeldBack {
        self.planned.held_back
    }

    /// Hands over the groups, part by part.
    pub fn write(&mut self, sink: &mut dyn PartSink) -> Result<()> {
        let PendingRelease { state, change, planned, histories, alike, .. } = self;
        let PlannedRelease { plan, counts, rows, .. } = planned;
        let StoreState { frame, directory, releases, .. } = state;
        let frame: &StoreFrame = frame;
        sink.begin(&counts.whole(frame, *rows) as &Whole<'_>)?;
        let leaves: usize = directory.pages.iter().map(|page| page.leaves as usize).sum();
        // Boxes of several leaves may overlap.
        let strict = plan.plain && leaves == plan.sizes.len();
        let mut writing = GroupWriter::new(sink, frame, strict, alike);
        let mut gatherer = Gatherer::new(plan, &frame.table);
        let mut steps = Steps { release: *releases + 1, histories, made: HashMap::new() };
        let mut marks = Vec::new();
        for_each_page(&directory.pages, Extract::Columns, frame, &*change, |_, page| {
            marks.push(steps.page(&page, gatherer.places(&page)?, alike));
            gatherer.page(&page, |group, block, rows| writing.group(group, block, rows))
        })?;
        gatherer.finish()?;
        writing.finish()?;
        for (entry, marks) in directory.pages.iter_mut().zip(marks) {
            let sealed = seal_marks(entry.page, &marks, change.secret());
            entry.seals[2] = sealed.seal;
            change.put(&sealed)?;
        }
        Ok(())
    }

    /// Enters the release in the ledger, by the hash of its bytes and how many groups it has: from now on it counts.
    pub fn enter(mut self, hash: &str, groups: u64) -> Result<LedgerEntry> {
        let release = self.state.releases + 1;
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let listed = LedgerEntry {
            release,
            audience: self.asked.audience.clone(),
            k: self.asked.k,
            by: self.asked.by,
            version: self.state.version,
            rows: self.planned.rows,
            groups,
            held_back: self.planned.held_back.rows(),
            waiting_newcomers: self.planned.held_back.joined,
            differences_allowed: self.asked.allow_differences,
            smallest_intersection: self.planned.plan.smallest,
            seconds,
            hash: hash.to_string(),
        };
        self.histories.save(release, &mut self.change)?;
        self.planned.counts.save_release(release, self.planned.rows, &mut self.change)?;
        ledger::enter(&listed, &mut self.change)?;
        self.state.releases = release;
        self.state.histories = self.histories.len();
        self.state.save(&mut self.change)?;
        self.change.commit()?;
        Ok(listed)
    }
}
