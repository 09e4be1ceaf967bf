//! Asks a release the queries of its users, beside its original: the answers, and how far they are off.
//!
//! ```
//! use klimt::prelude::*;
//! use klimt::query::Questions;
//!
//! let original = "age,disease\n31,Asthma\n35,Gout\n38,Flu\n";
//! let release = "age,disease\n[31..38],Asthma\n[31..38],Gout\n[31..38],Flu\n";
//! let input = |text: &'static str| Input::reader(Format::Csv, text.as_bytes());
//! let asked = Anonymizer::new().quasi_identifiers(["age"]);
//! let questions = Questions::sql("SELECT COUNT(*) WHERE age <= 35; SELECT COUNT(*)")?;
//! let answers = klimt::query(input(original), input(release), questions, &asked)?;
//! assert_eq!(answers.queries[0].exact, Some(2.0));
//! assert!(answers.queries[1].released.as_ref().unwrap().is_exact);
//! # Ok::<(), klimt::Error>(())
//! ```

mod answers;
mod questions;
mod read;

pub use answers::{Answers, ErrorSummary, QueryAnswer, ReleaseAnswer, ReleaseErrors};
pub use questions::Questions;

use crate::anonymizer::Anonymizer;
use crate::certificate::declared_beside;
use crate::files::{same_file, write_private};
use crate::input::Input;
use crate::observer::{Note, Watched};
use crate::run::workload;
use crate::settings::{ColumnSettings, Other, Settings};
use crate::verify::{tally, without_guides};
use klimt_core::table::{Role, Table};
use klimt_core::workload::{Errors, QueriedRelease, TableWorkload, Workload};
use klimt_core::{Error, ErrorKind, Result};

/// Asks a release and its original, by what is said of the columns.
pub fn query(original: Input, release: Input, questions: Questions, asked: &Anonymizer) -> Result<Answers> {
    let request = QueryRequest::of(asked.settings().clone(), questions);
    asked.watch(|watched| request.run(original, Some(release), watched))
}

/// Queries, and how they are asked.
///
/// Without a release only the original answers:
///
/// ```
/// use klimt::prelude::*;
/// use klimt::query::{QueryRequest, Questions};
/// use klimt::{Unobserved, Watched};
///
/// let original = Input::reader(Format::Csv, "age,sex\n31,f\n35,m\n38,f\n".as_bytes());
/// let columns = Anonymizer::new().quasi_identifiers(["age", "sex"]).settings().clone();
/// let request = QueryRequest::of(columns, Questions::values().about(["sex"]));
/// let answers = request.run(original, None, &Watched::by(&Unobserved))?;
/// assert_eq!(answers.queries.iter().map(|query| query.exact).collect::<Vec<_>>(), [Some(2.0), Some(1.0)]);
/// # Ok::<(), klimt::Error>(())
/// ```
#[derive(Debug)]
pub struct QueryRequest {
    settings: Settings,
    questions: Questions,
    save: Option<String>,
}

impl QueryRequest {
    /// Asks these questions, by what settings say of the columns.
    pub fn of(settings: Settings, questions: Questions) -> Self {
        QueryRequest { settings, questions, save: None }
    }

    /// Writes the queries to a file that only its owner can read, as SQL: those that were made hold values of the original.
    pub fn save_to(mut self, path: impl Into<String>) -> Self {
        self.save = Some(path.into());
        self
    }

    /// Asks the original, and the release where there is one. Where a column has a hierarchy the release is read twice, and
    /// must be a file.
    pub fn run(mut self, original: Input, release: Option<Input>, watched: &Watched<'_>) -> Result<Answers> {
        self.settings.other = Some(Other::Drop);
        self.check_save(&original, release.as_ref())?;
        if let Some(release) = &release {
            self.describe_release(release)?;
        }
        let asked = self.questions.given();
        let mut queries = asked.cloned().unwrap_or_default();
        let read::Original { table, columns } =
            read::original(original, &mut self.settings, &mut queries, watched)?;
        let is_made = self.questions.given().is_none();
        if is_made {
            queries = self.questions.make(&table)?;
        }
        if let Some(path) = &self.save {
            write_private(path, to_sql(&queries).as_bytes())?;
        }
        let bound = queries.bind(&table)?;
        workload::note_unknown(watched, &bound);
        let exact = bound.exact(&table);
        match release {
            None => Ok(Answers::exact(&queries, is_made, &exact)),
            Some(release) => {
                let name = release.name().to_string();
                let rows = read::release(release, &self.settings, &columns, watched)?;
                let asked = ExactAnswers { queries: &queries, bound: &bound, exact: &exact };
                let (errors, suppressed) = asked.of_release(&name, &table, &rows, watched)?;
                Ok(Answers::beside(&queries, is_made, &errors, suppressed))
            }
        }
    }

    /// The queries are not written over a table.
    fn check_save(&self, original: &Input, release: Option<&Input>) -> Result<()> {
        let Some(path) = &self.save else { return Ok(()) };
        let mut read = release.into_iter().chain([original]).filter_map(Input::path);
        match read.any(|input| same_file(path, input)) {
            true => Err(Error::input(format!("{path} is one of the tables; write the queries elsewhere"))),
            false => Ok(()),
        }
    }

    /// Takes in what the release and the certificate beside it tell of its columns.
    fn describe_release(&mut self, release: &Input) -> Result<()> {
        let settings = &mut self.settings;
        if settings.columns.values().any(|column| column.hierarchy.is_some()) {
            let tally = tally(release.again()?, settings, &[])?;
            without_guides(settings, release.path(), &tally)?;
        }
        let problems = release.path().map_or(Vec::new(), |path| declared_beside(settings, path));
        Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
    }
}

/// Queries that the original has answered.
struct ExactAnswers<'a> {
    queries: &'a Workload,
    bound: &'a TableWorkload,
    exact: &'a [Option<f64>],
}

impl ExactAnswers<'_> {
    /// The answers of a release, and how many of its rows are suppressed.
    fn of_release(
        &self,
        name: &str,
        original: &Table,
        rows: &Table,
        watched: &Watched<'_>,
    ) -> Result<(Errors, usize)> {
        let released = QueriedRelease::read(original, rows)?;
        for column in &released.ignored {
            let why = "it does not hold statistics of the groups of the release";
            watched.note(Note::remark(format!("{column} is not used: {why}")));
        }
        let published = |name: &str| rows.columns().iter().any(|column| column.name == name);
        if let Some(column) = self.queries.columns().into_iter().find(|column| !published(column)) {
            return Err(Error::input(format!("{name} does not publish column {column}"))
                .with_help("ask about columns of the release only"));
        }
        let is_dimension =
            |name: &str| (0..original.dimensions()).any(|d| original.dimension(d).name == name);
        let of_rows = self.queries.about(|name| !is_dimension(name)).bind(rows)?;
        let estimates = released.answers(self.bound, &of_rows);
        Ok((Errors::new(self.queries, self.bound, self.exact, &estimates), released.suppressed()))
    }
}

/// The queries as text.
fn to_sql(queries: &Workload) -> String {
    queries.queries.iter().map(|query| format!("{query};\n")).collect()
}

/// Whether a column matters to queries about these columns.
fn matters(name: &str, column: &ColumnSettings, asked: &[&str]) -> bool {
    column.role == Some(Role::QuasiIdentifier) || asked.contains(&name)
}
