//! Requirements on sets of rows of linked releases.

use super::{candidates::Sets, linked::LinkedRows};
use crate::{
    claims::{ClaimedValues, Outcome, PromiseFacts, Promises, Segment, WholeRelease},
    histograms::{HistogramCell, join},
    tally::Group,
};
use klimt_core::requirement::{LengthRestriction, Level, Requirement};
use klimt_core::{Error, Result};

/// Checks sets of rows, each against the release that its sensitive values are of.
pub(super) struct SetJudge<'r> {
    linked: &'r LinkedRows,
    requirements: Vec<&'r dyn Requirement>,
    facts: &'r PromiseFacts,
    /// The checks of the sets of each release; `None` before there is a set.
    benches: Vec<Option<ReleaseChecks<'r>>>,
}

/// The requirements bound to a release.
struct ReleaseChecks<'r> {
    promises: Promises<'r>,
    /// The code of each value, by sensitive column.
    codes: Vec<Vec<u32>>,
    smallest: u64,
}

/// The rows and sets that do not satisfy every requirement.
pub(super) struct SetVerdict {
    /// The rows that the failing classes hide.
    pub rows: u64,
    /// The failing classes.
    pub sets: u64,
}

impl<'r> SetJudge<'r> {
    pub fn new(
        linked: &'r LinkedRows,
        requirements: &'r [Box<dyn Requirement>],
        facts: &'r PromiseFacts,
    ) -> Self {
        let about_rows = requirements.iter().filter(|requirement| requirement.id() != LengthRestriction::ID);
        SetJudge {
            linked,
            requirements: about_rows.map(|requirement| &**requirement).collect(),
            facts,
            benches: linked.files.iter().map(|_| None).collect(),
        }
    }

    /// Checks the classes that are to be judged.
    pub fn judge(&mut self, sets: &Sets) -> Result<SetVerdict> {
        let mut failed = vec![false; sets.sizes.len()];
        let Some(smallest) = sets.smallest() else { return Ok(SetVerdict { rows: 0, sets: 0 }) };
        let file = &self.linked.files[sets.file];
        let bench = match &mut self.benches[sets.file] {
            Some(bench) => bench,
            none => {
                let told = file.counts.iter().cloned().map(ClaimedValues::Counts).collect();
                let whole = WholeRelease::new(file.members.len() as u64, told, &self.facts.sensitive);
                let whole = whole.map_err(|error| of_file(&file.name, &error))?;
                let promises = Promises::new(self.requirements.iter().copied(), &whole);
                none.insert(ReleaseChecks { promises, codes: whole.codes(), smallest })
            }
        };
        bench.smallest = bench.smallest.min(smallest);
        let groups = sets.judged().map(|(class, size)| Group::set(class, size)).collect();
        let codes = std::mem::take(&mut bench.codes);
        let columns = codes.into_iter().enumerate();
        let columns = columns.map(|(column, codes)| (cells(self.linked, sets, column), codes)).collect();
        let segment = Segment { groups, columns };
        let no_width =
            |_: &str| -> Result<Level> { Err(Error::internal("a set of rows has no published width")) };
        let judged = bench.promises.judge(&segment, &no_width, &mut |class| failed[class as usize] = true);
        judged.map_err(|error| of_file(&file.name, &error))?;
        bench.codes = segment.columns.into_iter().map(|(_, codes)| codes).collect();
        let failing = || failed.iter().zip(&sets.hidden).filter(|(failed, _)| **failed);
        Ok(SetVerdict { rows: failing().map(|(_, hidden)| hidden).sum(), sets: failing().count() as u64 })
    }

    /// The outcome of each requirement over all sets; empty when there were none.
    pub fn outcomes(self) -> Vec<Outcome> {
        let benches = self.benches.into_iter().flatten();
        let outcomes = benches.map(|bench| bench.promises.outcomes(bench.smallest));
        outcomes
            .reduce(|all, more| all.into_iter().zip(more).map(|(one, other)| one.join(other)).collect())
            .unwrap_or_default()
    }
}

/// How often each value of a sensitive column occurs in each class that is judged, ordered by class.
fn cells(linked: &LinkedRows, sets: &Sets, column: usize) -> Vec<HistogramCell> {
    let rows = sets.rows.iter().zip(&sets.classes).filter(|(_, class)| sets.hidden[**class as usize] > 0);
    let cell = |(&row, &group): (&u32, &u32)| HistogramCell {
        group,
        value: linked.value(row, sets.file, column),
        rows: 1,
    };
    let mut cells: Vec<HistogramCell> = rows.map(cell).collect();
    join(&mut cells);
    cells
}

fn of_file(name: &str, error: &Error) -> Error {
    error.clone().with_message(format!("{name}: {}", error.message()))
}
