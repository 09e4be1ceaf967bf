//! Those who left: the rows of an earlier release that are not in the new one.
//!
//! An attacker who knows that somebody left since a release looks among the rows of the group there that are not in the new
//! release. These must satisfy what is promised, with the values and the whole of the earlier release. Those who were
//! deleted cannot be brought back; so rows of their groups are held back that hide them, those with the same history first:
//! these were together wherever they were, and hide them in all earlier releases at once.

use crate::dictionary::{Coding, StoreFrame};
use crate::histories::Histories;
use crate::past::PastPerson;
use crate::people::{CodedColumns, People, PeopleJudge};
use crate::plan::{HeldBackRows, Reason};
use crate::state::{SensitiveCounts, sensitive};
use crate::vault::ValueSource;
use hashbrown::{HashMap, HashSet};
use klimt_core::requirement::Requirement;
use klimt_core::spill::{Block, BlockColumn};
use klimt_core::table::{Codes, Domain};
use klimt_core::{Error, Result};

/// A release and a group of it.
type ReleaseGroup = (u32, u32);

/// Somebody who is not in the new release.
#[derive(Clone, Copy)]
enum AbsentPerson<'a> {
    /// Their row has been deleted.
    Departed(&'a PastPerson),
    /// Their row, by its number, is held back.
    Held(u32),
}

/// The rows of this release and of earlier ones, compared for rows that left.
pub(crate) struct Leavers<'a> {
    pub frame: &'a StoreFrame,
    pub coded: &'a CodedColumns,
    pub people: &'a People,
    pub histories: &'a Histories,
    /// Those whose rows have been deleted.
    pub departed: Vec<&'a PastPerson>,
    /// The past of rows whose values have changed.
    pub changed: HashMap<u32, &'a PastPerson>,
    /// The promises, bound to each release, from the first on.
    pub judges: Vec<PeopleJudge<'a>>,
}

/// The promises, bound to each of the releases.
pub(crate) fn judges<'c>(
    releases: u32,
    promised: &[Box<dyn Requirement>],
    coded: &'c CodedColumns,
    frame: &StoreFrame,
    values: &dyn ValueSource,
) -> Result<Vec<PeopleJudge<'c>>> {
    let judge = |release: u32| {
        let (counts, rows) = SensitiveCounts::of_release(release, frame.table.columns().len(), values)?;
        PeopleJudge::new(promised, &coded.whole(&counts, frame, rows))
    };
    (1..=releases).map(judge).collect()
}

/// The absent and the present people, by history.
struct Attendance<'a> {
    absent: HashMap<u32, Vec<AbsentPerson<'a>>>,
    present: HashMap<u32, Vec<u32>>,
    /// The histories of each step.
    marks: HashMap<ReleaseGroup, Vec<u32>>,
}

impl<'a> Leavers<'a> {
    /// Holds back more rows until those who left are hidden in every group of every earlier release. `remain` tells whether
    /// the rows of a history that remain can be published.
    pub fn hold(&self, held: &mut HeldBackRows, remain: impl Fn(&[u32]) -> bool) -> Result<()> {
        let mut attendance = self.attendance(held);
        let mut concerned: Vec<ReleaseGroup> =
            attendance.absent.keys().flat_map(|&mark| self.histories.steps(mark)).collect();
        concerned.sort_unstable_by(|a, b| b.cmp(a));
        concerned.dedup();
        let mut waiting: HashSet<ReleaseGroup> = concerned.iter().copied().collect();
        while let Some(step) = concerned.pop() {
            waiting.remove(&step);
            let mut left = attendance.left(step);
            if self.hidden(step.0, &left)? {
                continue;
            }
            for mark in attendance.by_kinship(step) {
                let taken = self.take(step.0, &mut left, &attendance.present[&mark], &remain)?;
                held.extend(taken.iter().map(|&row| (row, Reason::Left)));
                attendance.leave(mark, &taken);
                for step in self.histories.steps(mark) {
                    if waiting.insert(step) {
                        concerned.push(step);
                    }
                }
                if self.hidden(step.0, &left)? {
                    break;
                }
            }
            if !self.hidden(step.0, &left)? {
                return Err(Error::internal("a released group does not satisfy what was promised"));
            }
        }
        Ok(())
    }

    fn attendance(&self, held: &HeldBackRows) -> Attendance<'a> {
        let mut attendance =
            Attendance { absent: HashMap::new(), present: HashMap::new(), marks: HashMap::new() };
        for &person in &self.departed {
            attendance.absent.entry(person.mark).or_default().push(AbsentPerson::Departed(person));
        }
        for (row, &mark) in (0..).zip(&self.people.marks).filter(|(_, mark)| **mark != 0) {
            if held.contains_key(&row) {
                attendance.absent.entry(mark).or_default().push(AbsentPerson::Held(row));
            } else {
                attendance.present.entry(mark).or_default().push(row);
            }
        }
        let mut marks: Vec<u32> =
            attendance.absent.keys().chain(attendance.present.keys()).copied().collect();
        marks.sort_unstable();
        marks.dedup();
        for mark in marks {
            self.histories.steps(mark).for_each(|step| attendance.marks.entry(step).or_default().push(mark));
        }
        attendance
    }

    /// Takes of some rows of one history those that, with the ones who left, satisfy what is promised; or all of them,
    /// where that is not enough or the others could not be published.
    fn take(
        &self,
        release: u32,
        left: &mut Vec<AbsentPerson<'a>>,
        rows: &[u32],
        remain: impl Fn(&[u32]) -> bool,
    ) -> Result<Vec<u32>> {
        let (before, mut taken) = (left.len(), 0);
        let order = self.rotated(release, rows);
        while taken < order.len() && !self.hidden(release, left)? {
            left.push(AbsentPerson::Held(order[taken]));
            taken += 1;
        }
        let mut rest = order[taken..].to_vec();
        rest.sort_unstable();
        if !rest.is_empty() && !remain(&rest) {
            taken = order.len();
            left.truncate(before);
            left.extend(order.iter().map(|&row| AbsentPerson::Held(row)));
        }
        Ok(order[..taken].to_vec())
    }

    /// Rows in an order in which values that are the same come far apart.
    fn rotated(&self, release: u32, rows: &[u32]) -> Vec<u32> {
        if self.people.block.rows() == 0 {
            return rows.to_vec();
        }
        let mut seen: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut order: Vec<(u32, u32)> = Vec::with_capacity(rows.len());
        for &row in rows {
            let values = (0..self.coded.sensitive.len())
                .map(|column| self.code(AbsentPerson::Held(row), release, column));
            let count = seen.entry(values.collect()).or_default();
            order.push((*count, row));
            *count += 1;
        }
        order.sort_unstable();
        order.into_iter().map(|(_, row)| row).collect()
    }

    /// Whether people who are not in the new release satisfy what was promised in an earlier one, or there are none.
    fn hidden(&self, release: u32, left: &[AbsentPerson<'_>]) -> Result<bool> {
        let judge = &self.judges[release as usize - 1];
        if left.is_empty() || (left.len() as u64) < judge.checks.minimum_size() || judge.checks.only_count() {
            return Ok(left.is_empty() || left.len() as u64 >= judge.checks.minimum_size());
        }
        let sensitive = &self.coded.sensitive;
        let mut block = Block::empty(&self.coded.table);
        block.fill(left.len(), |place, into| {
            let cardinality =
                self.coded.table.columns()[place].coded().map_or(1, |(domain, _)| domain.cardinality());
            let column = sensitive.iter().position(|&other| other == place);
            let code =
                |absent: &AbsentPerson<'_>| column.map_or(0, |column| self.code(*absent, release, column));
            *into = BlockColumn::Codes(Codes::collect(cardinality, left.iter().map(code)));
            Ok(())
        })?;
        Ok(judge.satisfied(&block, &(0..left.len() as u32).collect::<Vec<_>>()))
    }

    /// The code of a sensitive column, by its place among them, that somebody had in a release.
    fn code(&self, absent: AbsentPerson<'_>, release: u32, column: usize) -> u32 {
        let past = match absent {
            AbsentPerson::Departed(person) => person.values_at(release),
            AbsentPerson::Held(row) => self.changed.get(&row).and_then(|person| person.values_at(release)),
        };
        let coding =
            sensitive(self.frame).nth(column).map(|(_, _, coding): (usize, &Domain, &Coding)| coding);
        match (past, absent, coding) {
            (Some(values), _, Some(coding)) => {
                values.get(column).and_then(|&stored| coding.code(stored)).unwrap_or(0)
            }
            (None, AbsentPerson::Held(row), _) => {
                let place = self.coded.sensitive[column];
                self.people.block.codes(place).get(row as usize)
            }
            _ => 0,
        }
    }
}

impl<'a> Attendance<'a> {
    /// Those who were in a group and are not in the new release.
    fn left(&self, step: ReleaseGroup) -> Vec<AbsentPerson<'a>> {
        let marks = self.marks.get(&step).into_iter().flatten();
        marks.filter_map(|mark| self.absent.get(mark)).flatten().copied().collect()
    }

    /// The histories with a step of which there are rows in the new release: those of people who left first, then those of
    /// the most rows.
    fn by_kinship(&self, step: ReleaseGroup) -> Vec<u32> {
        let rows = |mark: u32| self.present.get(&mark).map_or(0, Vec::len);
        let marks = self.marks.get(&step).into_iter().flatten().copied();
        let mut marks: Vec<u32> = marks.filter(|&mark| rows(mark) > 0).collect();
        marks.sort_by_key(|&mark| (!self.absent.contains_key(&mark), usize::MAX - rows(mark), mark));
        marks
    }

    /// Rows of a history are held back.
    fn leave(&mut self, mark: u32, rows: &[u32]) {
        let taken: HashSet<u32> = rows.iter().copied().collect();
        if let Some(present) = self.present.get_mut(&mark) {
            present.retain(|row| !taken.contains(row));
        }
        self.absent.entry(mark).or_default().extend(rows.iter().map(|&row| AbsentPerson::Held(row)));
    }
}
