//! The last step of a reading in any format: makes the table.

use super::{GatheredRows, Loaded, LotGatherer, settle};
use crate::column::{ColumnBlock, Remains, RowLines, assemble, doubt};
use crate::source::{ColumnPlan, ReadReport};
use klimt_core::Remedy;
use klimt_core::spill::SpillFile;
use klimt_core::table::Table;
use klimt_core::{Error, ErrorKind, Result};

/// The results of readers, by reader and column.
pub type Readers = Vec<Vec<Remains>>;

/// The result of reading a table.
pub struct ReadingResult<'f> {
    /// The path of the source, for messages.
    pub path: &'f str,
    /// The columns.
    pub plan: &'f [ColumnPlan],
    /// The texts that stand for a missing value, besides the empty one.
    pub missing: &'f [String],
    /// How many rows there are.
    pub rows: usize,
    /// The counts and times of the reading.
    pub report: ReadReport,
    /// The lines of rows, for messages; some may have been kept in the spill file.
    pub lines: &'f dyn Fn(Option<&SpillFile>) -> Result<RowLines>,
}

impl ReadingResult<'_> {
    /// Makes the table.
    pub fn load<'a>(&self, readers: Readers, gathering: LotGatherer<'a>) -> Result<Loaded<'a>> {
        gathering.check(self.path, self.plan, &readers)?;
        match gathering.finish()? {
            GatheredRows::Held(blocks) => {
                let mut report = self.report.clone();
                Ok(Loaded::Fits(self.build(readers, blocks, &mut report)?, report))
            }
            GatheredRows::Spilled(spill) => settle(self, readers, *spill).map(Loaded::Spilled),
        }
    }

    fn build(
        &self,
        readers: Readers,
        blocks: Vec<Vec<ColumnBlock>>,
        report: &mut ReadReport,
    ) -> Result<Table> {
        let mut dictionaries: Vec<Vec<_>> = (0..self.plan.len()).map(|_| Vec::new()).collect();
        for reader in readers {
            for (column, remains) in reader.into_iter().enumerate() {
                dictionaries[column].push(remains.dictionary);
            }
        }
        let mut columns = Vec::new();
        let mut problems = Vec::new();
        for ((plan, blocks), dictionaries) in self.plan.iter().zip(blocks).zip(dictionaries) {
            let Some(spec) = &plan.spec else { continue };
            match assemble(spec, self.missing, &dictionaries, blocks) {
                Ok(column) => {
                    let found = column.coded().and_then(|(domain, codes)| doubt(spec, domain, codes));
                    if let Some(doubt) = found {
                        doubt.settle(spec, self.path, &(self.lines)(None)?, &mut problems, &mut report.notes);
                    }
                    columns.push(column);
                }
                Err(unfit) => problems.push(unfit.error(self.path, &spec.name, &(self.lines)(None)?)),
            }
        }
        all(problems)?;
        Ok(Table::new(self.rows, columns)?.with_dimensions_by(|column| rank(self.plan, column)))
    }
}

/// The rank of a column, by its number among those that are read.
pub fn rank(plan: &[ColumnPlan], column: usize) -> usize {
    let mut read = plan.iter().filter_map(|plan| plan.spec.as_ref());
    read.nth(column).map_or(usize::MAX, |spec| spec.rank)
}

/// Fails with all problems at once, where there are any, and with the help of each.
pub fn all(mut problems: Vec<Error>) -> Result<()> {
    if problems.len() == 1 {
        return Err(problems.remove(0));
    }
    let messages = problems.iter().map(|problem| problem.message().to_string()).collect();
    let Some(error) = Error::all(ErrorKind::Input, messages) else { return Ok(()) };
    let mut help: Vec<&Remedy> = problems.iter().flat_map(Error::remedies).collect();
    help.dedup();
    Err(help.into_iter().fold(error, |error, line| error.with_help(line.clone())))
}
