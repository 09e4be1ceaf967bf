//! The last step of a reading in any format: makes the table.

use super::{GatheredRows, Loaded, LotGatherer, settle};
use crate::column::{ColumnBlock, Misfits, NAMED_ROWS, Remains, RowLines, assemble, doubt};
use crate::form::{FormDecision, FormEvidence, FormSpec, decide};
use crate::source::{ColumnPlan, ReadFailure, ReadReport};
use klimt_core::Remedy;
use klimt_core::spill::SpillFile;
use klimt_core::table::{Table, ValueType};
use klimt_core::words::column_option;
use klimt_core::{Error, ErrorKind, Result};

/// The results of readers, by reader and column.
pub type Readers = Vec<Vec<Remains>>;

/// The result of reading a table.
pub struct ReadingResult<'f> {
    /// The path of the source, for messages.
    pub path: &'f str,
    /// The columns.
    pub plan: &'f [ColumnPlan],
    /// How many rows there are.
    pub rows: usize,
    /// The counts and times of the reading.
    pub report: ReadReport,
    /// By column, values that are not of the form that was declared for it; in the order of columns and rows.
    pub misfits: Vec<(usize, Misfits)>,
    /// The lines of rows, for messages; some may have been kept in the spill file.
    pub lines: &'f dyn Fn(Option<&SpillFile>) -> Result<RowLines>,
}

impl ReadingResult<'_> {
    /// Makes the table, unless the values show that they have to be read in another way.
    pub fn load<'a>(
        mut self,
        readers: Readers,
        gathering: LotGatherer<'a>,
    ) -> Result<Loaded<'a>, ReadFailure> {
        let plan = self.with_forms(&readers)?;
        let misfits = std::mem::take(&mut self.misfits);
        let found = ReadingResult {
            path: self.path,
            plan: &plan,
            rows: self.rows,
            report: self.report,
            misfits: Vec::new(),
            lines: self.lines,
        };
        gathering.check(found.path, found.plan, &readers)?;
        match gathering.finish()? {
            GatheredRows::Held(blocks) => {
                found.check_forms(&misfits, None)?;
                let mut report = found.report.clone();
                Ok(Loaded::Fits(found.build(readers, blocks, &mut report)?, report))
            }
            GatheredRows::Spilled(spill) => {
                found.check_forms(&misfits, Some(&spill.file))?;
                Ok(settle(&found, readers, *spill).map(Loaded::Spilled)?)
            }
        }
    }

    /// The plan with what the values show of their forms, which goes into the report.
    fn with_forms(&mut self, readers: &Readers) -> Result<Vec<ColumnPlan>, ReadFailure> {
        let evidence: Vec<Option<FormEvidence>> = (0..self.plan.len())
            .map(|column| {
                let mut found = readers.iter().filter_map(|reader| reader[column].evidence.as_ref());
                let mut all = found.next()?.clone();
                found.for_each(|evidence| all.merge(evidence));
                Some(all)
            })
            .collect();
        let decisions = decide(self.path, self.plan, &evidence)?;
        let (mut plan, mut rewrites) = (self.plan.to_vec(), false);
        for (plan, decision) in plan.iter_mut().zip(decisions) {
            let Some(spec) = &mut plan.spec else { continue };
            match decision {
                FormDecision::AsItIs => {}
                FormDecision::Rewrite(form) => (plan.form, rewrites) = (FormSpec::Recognised(form), true),
                FormDecision::Codes => {
                    self.report.recognised.codes.push(spec.name.clone());
                    spec.type_spec = Some(ValueType::Text.into());
                }
            }
            if let Some(form) = plan.form.form() {
                self.report.recognised.forms.push((spec.name.clone(), form));
            }
        }
        if rewrites {
            // What was found is found again, or declared by now.
            return Err(ReadFailure::Forms(with_recognised(self.plan, &plan)));
        }
        Ok(plan)
    }

    /// Fails where values are not of the form that was declared for their column.
    fn check_forms(&self, misfits: &[(usize, Misfits)], file: Option<&SpillFile>) -> Result<()> {
        let mut problems = Vec::new();
        for of_column in misfits.chunk_by(|(a, _), (b, _)| a == b) {
            let column = &self.plan[of_column[0].0];
            let (Some(spec), Some(form)) = (&column.spec, column.form.form()) else { continue };
            let rows: usize = of_column.iter().map(|(_, misfits)| misfits.rows).sum();
            let first = of_column.iter().flat_map(|(_, misfits)| &misfits.first_rows).take(NAMED_ROWS);
            let lines = (self.lines)(file)?;
            let named: Vec<String> = first.map(|&row| lines.line(row).to_string()).collect();
            let (option, value) = form.option();
            problems.push(
                Error::input(format!(
                    "{}: column {}: {rows} value{} not {}, as {} says: line{} {}{}",
                    self.path,
                    spec.name,
                    if rows == 1 { " is" } else { "s are" },
                    form.noun(),
                    column_option(option, &spec.name, Some(value)),
                    if named.len() == 1 { "" } else { "s" },
                    named.join(", "),
                    if rows > named.len() { " and more" } else { "" },
                ))
                .with_help(format!(
                    "mend the lines, or name what stands for missing values: {}",
                    column_option("missing", &spec.name, Some("TEXT"))
                )),
            );
        }
        all(problems)
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
            match assemble(spec, &plan.missing, &dictionaries, blocks) {
                Ok(column) => {
                    let found = column.coded().and_then(|(domain, codes)| doubt(spec, domain, codes));
                    if let Some(doubt) = found {
                        doubt.settle(spec, self.path, &(self.lines)(None)?, &mut problems, report);
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

/// The plan as it was, with the forms that were recognised; types that were are recognised again.
fn with_recognised(plan: &[ColumnPlan], found: &[ColumnPlan]) -> Vec<ColumnPlan> {
    plan.iter().zip(found).map(|(plan, found)| ColumnPlan { form: found.form, ..plan.clone() }).collect()
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
