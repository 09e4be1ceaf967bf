//! Applies a saved recoding function to other data.
//!
//! ```
//! use klimt::prelude::*;
//!
//! # let folder = std::env::temp_dir().join(format!("klimt-apply-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let path = folder.join("later.csv");
//! let table = |ages: &str| Input::reader(Format::Csv, std::io::Cursor::new(format!("age\n{ages}")));
//! let asked = Anonymizer::new().quasi_identifiers(["age"]).require(KAnonymity::new(2)?).keep_recoding(true);
//! let release = asked.anonymize(table("31\n34\n58\n62\n"))?;
//! let function = release.recoding().unwrap();
//! let later = klimt::apply(function, table("33\n34\n60\n61\n"), Output::file(&path)?, &Anonymizer::new())?;
//! assert_eq!((later.findings.rows, later.findings.groups), (4, 2));
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), klimt::Error>(())
//! ```

use crate::anonymizer::Anonymizer;
use crate::columns::{column_spec, plan};
use crate::files::check_outputs;
use crate::hand_over::publish;
use crate::input::{Input, text_of};
use crate::inspect::Evidence;
use crate::observer::{Note, Stage, Unobserved, Watched};
use crate::output::Output;
use crate::reading::{self, Opened};
use crate::run::{Publication, facts, output_dialect, row_order};
use crate::settings::{NamedRequirement, Settings, flags};
use crate::text::count;
use klimt_core::job::Suppression;
use klimt_core::recode::{Manner, RecodedTable, RecodingFunction, Release};
use klimt_core::region::Extents;
use klimt_core::requirement::Requirement;
use klimt_core::table::{Domain, Role};
use klimt_core::words::option_is;
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::columnar::KeptTypes;
use klimt_io::csv::Dialect;
use klimt_io::source::ColumnPlan;
use klimt_verify::Findings;
use serde::Serialize;
use std::path::Path;

/// Recodes a table by a function, checks the result like any release, and writes it. What is said of columns is about those
/// that the function does not recode; requirements replace those that the function was made for.
pub fn apply(
    function: &RecodingFunction,
    input: Input,
    output: Output,
    asked: &Anonymizer,
) -> Result<RecodedRelease> {
    let request = ApplyRequest::of(function.clone()).settings(asked.settings().clone());
    asked.watch(|watched| request.run_watched(input, &output, watched))
}

/// A recoding function, and how it is applied.
///
/// Of the settings these count: the columns that the function does not recode, the requirements, suppression, extents, and
/// the order of the rows.
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    function: RecodingFunction,
    file: Option<String>,
    settings: Settings,
}

/// The release of a recoded table.
#[derive(Clone, Debug, Serialize)]
pub struct RecodedRelease {
    /// Its rows and groups.
    pub findings: Findings,
    /// How many rows were left out, as their groups violated a requirement.
    pub suppressed: u64,
    /// How many cells lie outside the domains of the function, and are published as `*`.
    pub outside_cells: u64,
    /// Whether rows of the function's own table were suppressed: its result must not be published beside that release.
    pub from_suppressed: bool,
}

impl ApplyRequest {
    /// Applies a function.
    pub fn of(function: RecodingFunction) -> Self {
        ApplyRequest { function, file: None, settings: Settings::default() }
    }

    /// Applies a function that was saved to a file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = text_of(path.as_ref())?;
        let text = std::fs::read(&path).map_err(|e| Error::io(&path, "read it", &e))?;
        let function = RecodingFunction::from_json(&text, &path)?;
        Ok(ApplyRequest { file: Some(path), ..ApplyRequest::of(function) })
    }

    /// What else is said: columns that the function does not recode, requirements, and how the result is published.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The function.
    pub fn function(&self) -> &RecodingFunction {
        &self.function
    }

    /// Recodes a table.
    pub fn run(self, input: Input, output: &Output) -> Result<RecodedRelease> {
        self.run_watched(input, output, &Watched::by(&Unobserved))
    }

    /// Recodes a table while somebody watches.
    pub fn run_watched(
        mut self,
        input: Input,
        output: &Output,
        watched: &Watched<'_>,
    ) -> Result<RecodedRelease> {
        self.complete()?;
        self.check_files(&input, output)?;
        let requirements = self.settings.build_requirements()?;
        let mut read = (Dialect::default(), KeptTypes::default());
        let (spec, missing, name) =
            (self.settings.source.clone(), &self.settings.missing, input.name().to_string());
        let (table, _) = reading::read(input, spec, missing, watched, |opened| {
            let plan = self.plan(&opened)?;
            read = (opened.dialect, opened.kept_types);
            Ok(plan)
        })?;
        // What the function recodes is generalised by its own cuts.
        let recoded = self.function.columns();
        let mut carried = Evidence::of_table(&table);
        carried.retain(|column| !recoded.contains(&column.name.as_str()));
        self.settings.screen(&name, &carried)?;
        let (dialect, kept_types) = read;
        let extents = self.settings.extent.unwrap_or(self.function.extent);
        let granted = self.settings.suppress.map_or(0.0, |share| share.value());
        let mut applied = self.function.apply(&table, Manner { extents, apart: granted > 0.0 })?;
        let suppressed = finish(&mut applied, &requirements, extents, granted)?;
        let order = row_order(self.settings.keep_order, self.settings.seed)?;
        let release = Release::new(&applied.table, &applied.partitioning, extents, order, &[]);
        let publication = Publication {
            frame: &applied.table,
            columns: release.columns(),
            output,
            dialect: output_dialect(dialect, output)?,
            k: self.settings.k.unwrap_or(self.function.k),
            requirements: &requirements,
            facts: &facts(&applied.table),
            kept_types: &kept_types,
            threads: rayon::current_num_threads(),
        };
        let stage = watched.stage(Stage::Writing, Some(release.rows() as u64));
        let checked = publication.write(&release, applied.table.rows() as u64, &stage)?;
        drop(stage);
        let findings = checked.findings.clone();
        publish(checked, None, watched)?;
        let from_suppressed = self.function.suppressed_rows();
        if from_suppressed {
            watched.note(Note::warning(
                "rows of the table that this function was made from were suppressed; applied to that table, it may publish \
                 them, so do not publish its result beside the first release",
            ));
        }
        Ok(RecodedRelease {
            findings,
            suppressed: suppressed as u64,
            outside_cells: applied.outside as u64,
            from_suppressed,
        })
    }

    /// Fills in what the function was made for: its columns, its k, and its requirements unless the same is asked of the
    /// same column.
    fn complete(&mut self) -> Result<()> {
        let (function, settings) = (&self.function, &mut self.settings);
        let recoded = function.columns();
        let others = settings.columns.iter().filter(|(name, column)| {
            column.role == Some(Role::QuasiIdentifier) && !recoded.contains(&name.as_str())
        });
        let problems = others
            .map(|(name, _)| format!("the recoding function has no column {name}: give it another role"));
        Error::all(ErrorKind::Input, problems.collect()).map_or(Ok(()), Err)?;
        for name in recoded {
            let column = settings.columns.entry(name.to_string()).or_default();
            (column.role, column.rank) = (Some(Role::QuasiIdentifier), None);
        }
        settings.k = settings.k.or(Some(function.k));
        let mut requirements = Vec::new();
        for saved in &function.requirements {
            let flag = flags().find(|flag| *flag == saved.flag).ok_or_else(|| {
                let file = self.file.as_deref().unwrap_or("the recoding function");
                Error::input(format!("{file}: unknown requirement {}", saved.flag))
            })?;
            let column = Some(saved.column.clone());
            let is_same =
                |new: &NamedRequirement| new.flag == flag && (new.column.is_none() || new.column == column);
            if !settings.requirements.iter().any(is_same) {
                requirements.push(NamedRequirement { flag, column, text: saved.parameters.clone() });
            }
        }
        requirements.append(&mut settings.requirements);
        settings.requirements = requirements;
        Ok(())
    }

    /// The output is none of the files that are read.
    fn check_files(&self, input: &Input, output: &Output) -> Result<()> {
        let mut read = self.settings.files();
        read.extend(input.path());
        read.extend(self.file.as_deref());
        check_outputs(&[("release", output.name())], &read)
    }

    /// The function says what its columns are, the settings say it of the others.
    fn plan(&self, opened: &Opened<'_>) -> Result<Vec<ColumnPlan>> {
        let (function, settings, names) = (&self.function, &self.settings, opened.columns);
        let recoded = function.columns();
        if let Some(absent) = recoded.iter().find(|name| !names.iter().any(|column| column == *name)) {
            let message = format!("{}: column {absent}, which is recoded, is missing", opened.name);
            return Err(Error::input(message));
        }
        let mut plans = plan(opened.name, names, settings)?;
        for (plan, name) in plans.iter_mut().zip(names) {
            if recoded.contains(&name.as_str()) {
                let given = settings.columns.get(name).cloned().unwrap_or_default();
                let mut spec = column_spec(name, Role::QuasiIdentifier, &given)?;
                spec.type_spec =
                    spec.type_spec.or(function.column_spec(name).and_then(|spec| spec.type_spec));
                // Values that the function does not know are published as `*`.
                plan.spec = Some(spec);
            }
        }
        Ok(plans)
    }
}

/// Makes one group of groups that are published alike, and leaves out those that violate a requirement where that was
/// granted; without it, or beyond it, there is no release. Returns how many rows were left out.
///
/// The rows that are left are a smaller whole, by which some requirements measure groups anew, so this goes on until all
/// satisfy.
fn finish(
    applied: &mut RecodedTable,
    requirements: &[Box<dyn Requirement>],
    extents: Extents,
    granted: f64,
) -> Result<usize> {
    let domains: Vec<Domain> =
        (0..applied.table.dimensions()).map(|d| applied.table.domain(d).clone()).collect();
    let domains: Vec<&Domain> = domains.iter().collect();
    applied.partitioning.coalesce(&domains);
    let limit = Suppression::share(granted).unwrap_or(Suppression::NONE).limit(applied.table.rows());
    let mut suppressed = 0;
    loop {
        let violating = applied.partitioning.violating_as_published(&applied.table, requirements, extents)?;
        let rows: usize = violating.iter().map(|&group| applied.partitioning.rows(group).len()).sum();
        if rows == 0 {
            return Ok(suppressed);
        }
        suppressed += rows;
        if suppressed > limit {
            let percent = suppressed as f64 * 100.0 / applied.table.rows() as f64;
            let broken: Vec<String> = requirements.iter().map(|requirement| requirement.describe()).collect();
            let share = option_is("suppress", format!("{}%", percent.ceil()));
            return Err(Error::unsatisfied(format!(
                "{} rows fall into {} groups that violate {}",
                count(rows as u64),
                count(violating.len() as u64),
                broken.join(" or ")
            ))
            .with_help(format!("leave them out with {share}, or ask for less")));
        }
        applied.partitioning.drop_groups(&violating, &domains);
    }
}
