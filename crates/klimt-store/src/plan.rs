//! Which groups a release has (`LeafScan`, Fig. 5, and the hierarchical algorithm of section 3.1), and who is held back.
//!
//! Rows with one history were together wherever they were. A *bundle* is some of them, from leaves beside each other, that
//! satisfy by themselves what is promised: the base k and every other requirement. Groups are made of whole bundles, so
//! that in every release everybody is hidden among rows that no other release, and no difference between releases, tells
//! from them (`docs/republication.md`). As requirements hold for the union of sets for which they hold, groups of bundles
//! need no further check.
//!
//! Bundles are taken leaf by leaf, each where most of its rows are, until a group satisfies the requirements at the
//! requested granularity. A row that has moved stays with those it was with. Newcomers are a bundle where a leaf has
//! enough of them; the others are partitioned among themselves, so that nobody finds them by subtracting an
//! earlier release. Rows of histories that no bundle can be made of, and newcomers who are too few, are held back.

use crate::histories::Histories;
use crate::people::{CodedColumns, People, PeopleJudge};
use hashbrown::HashMap;
use klimt_core::algorithm::mondrian::{HierarchyCut, Model, Mondrian};
use klimt_core::job::{Budget, Job, Partitioner, Suppression, Unobserved};
use klimt_core::loss::SuppressedRows;
use klimt_core::spill::Block;
use klimt_core::split::SplitCriterion;
use klimt_core::{Error, Result};
use std::ops::Range;

/// The reason why a row is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// Too few of those it was with can be published with it.
    Torn,
    /// Too few have joined with it.
    Joined,
    /// Those who left are hidden among the rows that are not published with them.
    Left,
}

/// Rows that are held back.
pub(crate) type HeldBackRows = HashMap<u32, Reason>;

/// The groups of a release.
#[derive(Debug)]
pub(crate) struct ReleasePlan {
    /// The group of each row, in the order of the pages; [`ReleasePlan::HELD`] for rows that are held back.
    pub places: Vec<u32>,
    /// The rows of each group.
    pub sizes: Vec<u32>,
    /// Whether every group is some whole leaves beside each other, but for rows that are held back.
    pub plain: bool,
    /// The least number of candidates of a row that an earlier release had.
    pub smallest: Option<u64>,
}

impl ReleasePlan {
    /// The place of a row that is held back.
    pub const HELD: u32 = u32::MAX;
}

/// The requirements of groups.
pub(crate) struct Standard<'a> {
    pub coded: &'a CodedColumns,
    pub people: &'a People,
    /// The requirements at the requested granularity.
    pub granular: PeopleJudge<'a>,
    /// The promise for every set of rows that releases tell apart.
    pub promised: PeopleJudge<'a>,
    pub histories: &'a Histories,
    /// Whether newcomers must be hidden among the others of their group.
    pub differences: bool,
    pub split: &'a SplitCriterion<'a>,
    pub weights: &'a [f64],
}

/// Rows of one history that stay together.
struct Bundle {
    /// The unit that most of them are of.
    home: u32,
    rows: Vec<u32>,
}

impl Standard<'_> {
    /// Makes groups of the rows that are not held back. Where others have to be, they are added, and there is no plan.
    pub fn plan(&self, held: &mut HeldBackRows) -> Result<Option<ReleasePlan>> {
        let before = held.len();
        let (mut bundles, mut newcomers) = self.bundles(held);
        let mut apart = Vec::new();
        if !newcomers.is_empty() {
            (newcomers, apart) = self.newcomers(newcomers, &mut bundles, held)?;
        }
        if held.len() > before {
            return Ok(None);
        }
        bundles.sort_by_key(|bundle| (bundle.home, bundle.rows[0]));
        let mut groups = self.scan(bundles, &mut apart)?;
        let own = groups.len();
        groups.extend(apart);
        let mut plan = self.settle(&groups, own == groups.len());
        if !newcomers.is_empty() {
            self.join(&newcomers, &mut plan)?;
        }
        plan.smallest = self.check(&plan)?;
        Ok(Some(plan))
    }

    fn promised(&self, rows: &[u32]) -> bool {
        self.promised.satisfied(&self.people.block, rows)
    }

    fn granular(&self, rows: &[u32]) -> bool {
        self.granular.satisfied(&self.people.block, rows)
    }

    /// The bundles, and the newcomers that are in none.
    fn bundles(&self, held: &mut HeldBackRows) -> (Vec<Bundle>, Vec<u32>) {
        let (marks, units) = (&self.people.marks, &self.people.units);
        let mut order: Vec<u32> =
            (0..self.people.len() as u32).filter(|row| !held.contains_key(row)).collect();
        order.sort_by_key(|&row| marks[row as usize]);
        let (mut bundles, mut newcomers, mut weak) = (Vec::new(), Vec::new(), Vec::new());
        for class in order.chunk_by(|&a, &b| marks[a as usize] == marks[b as usize]) {
            if marks[class[0] as usize] != 0 {
                let pieces = self.pieces(class);
                if pieces.is_empty() {
                    weak.push(class);
                }
                bundles.extend(pieces.into_iter().map(|piece| self.bundle(&class[piece])));
                continue;
            }
            for rows in class.chunk_by(|&a, &b| units[a as usize] == units[b as usize]) {
                if !self.differences || self.promised(rows) {
                    bundles.push(self.bundle(rows));
                } else {
                    newcomers.extend_from_slice(rows);
                }
            }
        }
        self.accompany(&weak, &mut bundles, held);
        (bundles, newcomers)
    }

    /// Puts rows whose history no bundle can be made of into bundles of people who were with them wherever they were, the
    /// nearest ones: these are candidates, too. That tells who joined since a release that only the others were in; where
    /// it must not, and where there is nobody, the rows are held back.
    fn accompany(&self, weak: &[&[u32]], bundles: &mut [Bundle], held: &mut HeldBackRows) {
        let (marks, units) = (&self.people.marks, &self.people.units);
        let mut with_step: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
        if !self.differences && !weak.is_empty() {
            for (number, bundle) in bundles.iter().enumerate() {
                let steps = self.histories.steps(marks[bundle.rows[0] as usize]);
                steps.for_each(|step| with_step.entry(step).or_default().push(number));
            }
        }
        let own: Vec<usize> = bundles.iter().map(|bundle| bundle.rows.len()).collect();
        for class in weak {
            let (mark, unit) = (marks[class[0] as usize], units[class[0] as usize]);
            let last = self.histories.steps(mark).next().and_then(|step| with_step.get(&step));
            let hides = |number: &usize| {
                let rows = &bundles[*number].rows[..own[*number]];
                let includes = self.histories.includes(marks[rows[0] as usize], mark);
                includes && self.promised(&[rows, class].concat())
            };
            let near = |number: &usize| (bundles[*number].home.abs_diff(unit), *number);
            match last.into_iter().flatten().copied().filter(hides).min_by_key(near) {
                Some(number) => bundles[number].rows.extend_from_slice(class),
                None => held.extend(class.iter().map(|&row| (row, Reason::Torn))),
            }
        }
    }

    fn bundle(&self, rows: &[u32]) -> Bundle {
        let units = &self.people.units;
        let same = rows.chunk_by(|&a, &b| units[a as usize] == units[b as usize]);
        let most = same.min_by_key(|rows| usize::MAX - rows.len()).unwrap_or(rows);
        Bundle { home: units[most[0] as usize], rows: rows.to_vec() }
    }

    /// Divides the rows of a history, unit by unit, into pieces that satisfy the requirements at the granularity that is
    /// asked for: smaller ones would make no smaller groups, and have less to lose. All of them are one piece where they
    /// only satisfy what is promised; there is none where they do not.
    fn pieces(&self, class: &[u32]) -> Vec<Range<usize>> {
        let units = &self.people.units;
        let (mut pieces, mut first, mut end) = (Vec::<Range<usize>>::new(), 0, 0);
        for unit in class.chunk_by(|&a, &b| units[a as usize] == units[b as usize]) {
            end += unit.len();
            if self.granular(&class[first..end]) {
                pieces.push(first..end);
                first = end;
            }
        }
        // What is left joins the pieces before it.
        while first < class.len() {
            first = pieces.pop().map_or(0, |last| last.start);
            if self.promised(&class[first..]) {
                pieces.push(first..class.len());
                break;
            }
            if first == 0 {
                return Vec::new();
            }
        }
        pieces
    }

    /// Decides what becomes of newcomers that are in no bundle: groups of their own; or, where they are too few for one but
    /// may join another together, these rows; the others are held back.
    fn newcomers(
        &self,
        mut rows: Vec<u32>,
        bundles: &mut Vec<Bundle>,
        held: &mut HeldBackRows,
    ) -> Result<(Vec<u32>, Vec<Vec<u32>>)> {
        if !self.promised(&rows) {
            // With the newcomers of bundles they may be enough.
            let is_new = |bundle: &Bundle| self.people.marks[bundle.rows[0] as usize] == 0;
            let mut all = rows.clone();
            bundles.iter().filter(|bundle| is_new(bundle)).for_each(|bundle| all.extend(&bundle.rows));
            if all.len() > rows.len() && self.promised(&all) {
                bundles.retain(|bundle| !is_new(bundle));
                all.sort_unstable();
                rows = all;
            } else {
                let kept = self.diverse(&rows);
                let left_out = rows.iter().filter(|row| kept.binary_search(row).is_err());
                held.extend(left_out.map(|&row| (row, Reason::Joined)));
                rows = kept;
            }
        }
        if rows.is_empty() || !self.granular(&rows) {
            return Ok((rows, Vec::new()));
        }
        Ok((Vec::new(), self.partition(&rows)?))
    }

    /// The most of some rows that satisfy what is promised when no value of a sensitive column is more frequent than
    /// another number allows; none where that does not help.
    fn diverse(&self, rows: &[u32]) -> Vec<u32> {
        let sensitive = &self.coded.sensitive;
        if sensitive.is_empty() || self.promised.checks.only_count() || self.people.block.rows() == 0 {
            return Vec::new();
        }
        let mut most = rows.len();
        while most > 1 {
            most -= most.div_ceil(8);
            let mut counts: HashMap<(usize, u32), usize> = HashMap::new();
            let fits = |row: &&u32| {
                let values =
                    || sensitive.iter().map(|&c| (c, self.people.block.codes(c).get(**row as usize)));
                let fits = values().all(|value| counts.get(&value).is_none_or(|&count| count < most));
                if fits {
                    values().for_each(|value| *counts.entry(value).or_default() += 1);
                }
                fits
            };
            let kept: Vec<u32> = rows.iter().filter(fits).copied().collect();
            if self.promised(&kept) {
                return kept;
            }
        }
        Vec::new()
    }

    /// Partitions rows among themselves.
    fn partition(&self, rows: &[u32]) -> Result<Vec<Vec<u32>>> {
        let mut block = Block::empty(&self.coded.table);
        block.append_rows(&self.people.block, rows);
        let table = block.into_table(&self.coded.table)?;
        let job = Job {
            table: &table,
            requirements: &self.granular.checks,
            split: self.split,
            loss: &SuppressedRows,
            suppression: Suppression::NONE,
            budget: Budget::default(),
            weights: self.weights,
            keep_tree: false,
            observer: &Unobserved,
        };
        let mondrian = Mondrian { model: Model::Strict, hierarchy_cut: HierarchyCut::Both };
        let found = mondrian.partition(&job)?;
        let group = |group: usize| found.rows(group).iter().map(|&row| rows[row as usize]).collect();
        Ok((0..found.groups()).map(group).collect())
    }

    /// Takes bundles in the order of their homes, and closes a group wherever it satisfies the requirements. What is left
    /// joins the groups before it, or those that are apart.
    fn scan(&self, bundles: Vec<Bundle>, apart: &mut Vec<Vec<u32>>) -> Result<Vec<Vec<u32>>> {
        let (mut groups, mut open) = (Vec::new(), Vec::new());
        for home in bundles.chunk_by(|a, b| a.home == b.home) {
            home.iter().for_each(|bundle| open.extend_from_slice(&bundle.rows));
            if self.granular(&open) {
                groups.push(std::mem::take(&mut open));
            }
        }
        while !open.is_empty() {
            open.extend(groups.pop().or_else(|| apart.pop()).ok_or_else(too_few)?);
            if self.granular(&open) {
                groups.push(std::mem::take(&mut open));
            }
        }
        Ok(groups)
    }

    fn settle(&self, groups: &[Vec<u32>], mut plain: bool) -> ReleasePlan {
        let mut places = vec![ReleasePlan::HELD; self.people.len()];
        for (group, rows) in groups.iter().enumerate() {
            rows.iter().for_each(|&row| places[row as usize] = group as u32);
        }
        let published: Vec<usize> =
            (0..places.len()).filter(|&row| places[row] != ReleasePlan::HELD).collect();
        plain &= published.windows(2).all(|pair| {
            let [before, row] = [pair[0], pair[1]];
            let same_unit = self.people.units[before] == self.people.units[row];
            places[before] == places[row] || (places[before] < places[row] && !same_unit)
        });
        let sizes = groups.iter().map(|rows| rows.len() as u32).collect();
        ReleasePlan { places, sizes, plain, smallest: None }
    }

    /// Lets rows join the group that is beside the middle one of them.
    fn join(&self, rows: &[u32], plan: &mut ReleasePlan) -> Result<()> {
        let middle = rows[rows.len() / 2] as usize;
        let published = |row: &usize| plan.places[*row] != ReleasePlan::HELD;
        let beside =
            (middle..plan.places.len()).find(published).or_else(|| (0..middle).rev().find(published));
        let group = plan.places[beside.ok_or_else(too_few)?];
        rows.iter().for_each(|&row| plan.places[row as usize] = group);
        plan.sizes[group as usize] += rows.len() as u32;
        plan.plain = false;
        Ok(())
    }

    /// Checks a plan by the definition: the candidates of everybody who was released before, and those who joined each
    /// group since each earlier release. Returns the least number of candidates.
    fn check(&self, plan: &ReleasePlan) -> Result<Option<u64>> {
        if self.histories.len() == 1 {
            return Ok(None);
        }
        let marks = &self.people.marks;
        let mut order: Vec<u32> =
            (0..marks.len() as u32).filter(|&row| plan.places[row as usize] != ReleasePlan::HELD).collect();
        let key = |row: u32| (plan.places[row as usize], marks[row as usize]);
        order.sort_by_key(|&row| key(row));
        let mut smallest = None;
        for group in order.chunk_by(|&a, &b| key(a).0 == key(b).0) {
            let classes: Vec<(u32, &[u32])> = group
                .chunk_by(|&a, &b| key(a) == key(b))
                .map(|rows| (marks[rows[0] as usize], rows))
                .collect();
            let wrong = || Error::internal("a plan tells somebody from those who must hide them");
            let least = self.candidates(&classes).ok_or_else(wrong)?;
            smallest = smallest.into_iter().chain(least).min();
            if self.differences && !self.hides_newcomers(&classes) {
                return Err(wrong());
            }
        }
        Ok(smallest)
    }

    /// The least number of candidates of the released rows of a group, given by history; nothing where they violate what is
    /// promised.
    fn candidates(&self, classes: &[(u32, &[u32])]) -> Option<Option<u64>> {
        // Whoever includes a history has its last step.
        let mut with_step: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
        for (number, &(mark, _)) in classes.iter().enumerate() {
            self.histories.steps(mark).for_each(|step| with_step.entry(step).or_default().push(number));
        }
        let (mut smallest, mut candidates) = (None, Vec::new());
        for &(mark, _) in classes.iter().filter(|(mark, _)| *mark != 0) {
            candidates.clear();
            let last = self.histories.steps(mark).next().and_then(|step| with_step.get(&step));
            for &(other, rows) in last.into_iter().flatten().map(|&number| &classes[number]) {
                if self.histories.includes(other, mark) {
                    candidates.extend_from_slice(rows);
                }
            }
            smallest = smallest.into_iter().chain(Some(candidates.len() as u64)).min();
            if !self.promised(&candidates) {
                return None;
            }
        }
        Some(smallest)
    }

    /// Whether those of a group who were not in an earlier release satisfy what is promised, for each release that has
    /// others of the group.
    fn hides_newcomers(&self, classes: &[(u32, &[u32])]) -> bool {
        let releases = |mark: u32| self.histories.steps(mark).map(|(release, _)| release);
        let mut all: Vec<u32> = classes.iter().flat_map(|(mark, _)| releases(*mark)).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().all(|release| {
            let is_new = |class: &&(u32, &[u32])| !releases(class.0).any(|other| other == release);
            let new: Vec<u32> =
                classes.iter().filter(is_new).flat_map(|(_, rows)| rows.iter().copied()).collect();
            new.is_empty() || self.promised(&new)
        })
    }
}

fn too_few() -> Error {
    Error::unsatisfied("the rows of the store do not satisfy the requirements together")
        .with_help("insert more rows, or ask for less")
}
