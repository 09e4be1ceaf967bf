//! Reports on a release for those who decide whether it goes out.
//!
//! ```
//! use klimt::prelude::*;
//!
//! let original = "name,age,disease\nAda,31,Asthma\nBob,35,Gout\nCem,38,Flu\nDea,39,Gout\n";
//! let release = "age,disease\n[31..35],Asthma\n[31..35],Gout\n[38..39],Flu\n[38..39],Gout\n";
//! let input = |text: &'static str| Input::reader(Format::Csv, text.as_bytes());
//! let asked = Anonymizer::new()
//!     .quasi_identifiers(["age"])
//!     .sensitive(["disease"])
//!     .identifiers(["name"])
//!     .require(KAnonymity::new(2)?);
//! let findings = klimt::report(input(original), input(release), &asked)?;
//! assert!(findings.holds);
//! assert_eq!(findings.risk.after.prosecutor.highest, 0.5);
//! // The page, with calls of klimt in plain words.
//! let page = findings.html(|call| call.to_string());
//! assert!(page.contains("all rows of the original"));
//! # Ok::<(), klimt::Error>(())
//! ```

mod again;
mod certified;
mod findings;
mod losses;
mod queries;
mod rows;

pub use findings::ReportFindings;
pub use klimt_report::{Inference, QueryError, QueryErrors, ReleaseLoss, Risks, Warning};

use crate::anonymizer::Anonymizer;
use crate::certificate::CertificateFile;
use crate::input::Input;
use crate::measure::groups_of;
use crate::observer::{Unobserved, Watched};
use crate::settings::Settings;
use crate::text::count;
use crate::verify::{Counted, count_release, facts, without_guides};
use again::Files;
use klimt_core::loss::PublishedGroups;
use klimt_core::requirement::Requirement;
use klimt_core::risk::Question as RiskQuestion;
use klimt_core::table::Role;
use klimt_core::words::option;
use klimt_core::{Result, Words};
use klimt_report::{Drawings, ReleaseRows, least};
use klimt_verify::claims::{Outcome, check};
use klimt_verify::{Findings, Question};
use losses::LossQuestion;
use rows::Original;

/// Columns whose values are counted beside the groups.
const COUNTED: [Role; 2] = [Role::Sensitive, Role::Target];

/// Reports on a release beside its original, by what is said of the columns and of the requirements. A certificate beside
/// the release fills in what is not said.
pub fn report(original: Input, release: Input, asked: &Anonymizer) -> Result<ReportFindings> {
    Reporting::of(asked.settings().clone()).run(original, release, &Watched::by(&Unobserved))
}

/// A report on a release.
///
/// ```
/// use klimt::prelude::*;
/// use klimt::{Reporting, Unobserved, Watched};
///
/// let table: String = (0..40).map(|at| format!("{},{}\n", 20 + at % 9, 1000 + at % 7)).collect();
/// let table = || Input::reader(Format::Csv, std::io::Cursor::new(format!("age,zip\n{table}")));
/// let asked = Anonymizer::new().quasi_identifiers(["age", "zip"]).require(KAnonymity::new(3)?);
/// let release = asked.anonymize(table())?;
/// let published = Input::batches(release.schema()?, release.to_batches()?);
/// let findings = Reporting::of(asked.settings().clone())
///     .plane(["age", "zip"])
///     .run(table(), published, &Watched::by(&Unobserved))?;
/// assert_eq!(findings.loss("ncp"), release.certificate().loss("ncp"));
/// # Ok::<(), klimt::Error>(())
/// ```
#[derive(Default)]
pub struct Reporting {
    settings: Settings,
    risk: RiskQuestion,
    stars_are_suppressed: bool,
    certificate: Option<CertificateFile>,
    plane: Vec<String>,
    words: Words,
}

impl Reporting {
    /// By what settings say of the columns, the requirements and, where the release was made for one, the workload.
    pub fn of(settings: Settings) -> Self {
        Reporting { settings, ..Reporting::default() }
    }

    /// How the risk of being found is measured.
    pub fn risk(mut self, question: RiskQuestion) -> Self {
        self.risk = question;
        self
    }

    /// Reads rows that are `*` in every quasi-identifier as suppressed rows, which are not checked.
    pub fn stars_are_suppressed(mut self, suppressed: bool) -> Self {
        self.stars_are_suppressed = suppressed;
        self
    }

    /// The certificate, where it is not the one beside the release.
    pub fn certificate(mut self, certificate: CertificateFile) -> Self {
        self.certificate = Some(certificate);
        self
    }

    /// The two ordered quasi-identifiers that groups are drawn in the plane of; by default those with most values.
    pub fn plane<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.plane = columns.into_iter().map(Into::into).collect();
        self
    }

    /// How the front end writes options in warnings.
    pub fn words(mut self, words: Words) -> Self {
        self.words = words;
        self
    }

    /// Reads both files and finds out what the page tells.
    pub fn run(mut self, original: Input, release: Input, watched: &Watched<'_>) -> Result<ReportFindings> {
        let names = (original.name().to_string(), release.name().to_string());
        let files = Files { original: &names.0, release: &names.1 };
        let titles = (original.title(), release.title());
        let path = release.path().map(str::to_string);
        let certified = match (self.certificate.take(), path.as_deref()) {
            (Some(certified), _) => Some(certified),
            (None, Some(path)) => CertificateFile::of(path, None)?,
            (None, None) => None,
        };
        let certificate = certified.as_ref().map(|certified| &certified.certificate);
        if let Some(certificate) = certificate {
            certified::fill(&mut self.settings, certificate)?;
        }
        // The hierarchies that guide schemes are needed to make the release again, though it is not read by them.
        let given = self.settings.clone();
        let requirements = given.build_requirements()?;
        let mut counted = count_release(release, &given, &COUNTED)?;
        counted.tally = counted.tally.with_suppressed_stars(self.stars_are_suppressed);
        let tally = &counted.tally;
        without_guides(&mut self.settings, path.as_deref(), tally)?;
        let settings = &self.settings;
        let source = certified::original_source(&settings.source, certified.as_ref());
        let Original { table, roles } = rows::read(original, settings, &source, &counted.columns, watched)?;
        let question = Question { k: settings.k, original_rows: Some(table.rows() as u64) };
        let findings = Findings::new(tally, &question)?;
        let claims = check(tally, &requirements, &facts(settings)?)?;
        let published = groups_of(tally, &table)?;
        let groups = PublishedGroups::read(&table, published.clone())?;
        let losses = LossQuestion { settings, table: &table, findings: &findings, published: &published }
            .losses(&groups, certified.as_ref(), watched)?;
        let warnings = self.warnings(&requirements, &counted, certified.as_ref(), (&findings, &claims));
        let drawings = Drawings::of(&ReleaseRows {
            original: &table,
            published: &published,
            groups: &groups,
            kept: &rows::kept(tally, &table),
            suppressed: findings.suppressed,
            plane: rows::plane(&self.plane, &table)?,
            least: least(settings.k, &findings),
        });
        Ok(ReportFindings {
            holds: claims.iter().all(|claim| claim.holds) && !warnings.iter().any(|warning| warning.loud),
            least: least(settings.k, &findings),
            risk: rows::risks(tally, &table, &findings, &self.risk)?,
            make: again::make(files, &given, source, &roles, certificate),
            check: again::check(files, settings, &roles, self.stars_are_suppressed),
            original: titles.0,
            release: titles.1,
            k: settings.k,
            certificate: certified.as_ref().map(certified::summary).transpose()?,
            query_errors: queries::errors(&table, &groups)?,
            findings,
            claims,
            losses,
            warnings,
            roles,
            drawings,
        })
    }

    /// Reasons not to publish the release, and remarks that a board would ask for.
    fn warnings(
        &self,
        requirements: &[Box<dyn Requirement>],
        counted: &Counted,
        certified: Option<&CertificateFile>,
        (findings, claims): (&Findings, &[Outcome]),
    ) -> Vec<Warning> {
        let settings = &self.settings;
        let role = |name: &String| settings.columns.get(name).and_then(|column| column.role);
        let mut warnings =
            certified.map_or(Vec::new(), |certified| certified::contradictions(certified, findings, claims));
        let never_published = |name: &&String| role(name).is_some_and(|role| !role.is_published());
        for name in counted.columns.iter().filter(never_published) {
            let text = format!("The release publishes column {name}, which is an identifier.");
            warnings.push(Warning { text, loud: true });
        }
        if let Some(people) = certified.and_then(|certified| certified.certificate.people) {
            let fewest = count(people.smallest_group);
            let text = format!(
                "People have several rows in this release. The risks on this page are those of rows, and people may be at a higher \
                 one: by the certificate, the smallest group has {fewest} people, which is a risk of 1 in {fewest}."
            );
            warnings.push(Warning { text, loud: false });
        }
        let mut say = |text: String| warnings.push(Warning { text, loud: false });
        if self.stars_are_suppressed {
            say(format!(
                "The release was read with {}: {} rows that are * in every quasi-identifier count as suppressed and are not \
                 checked.",
                option("stars-are-suppressed"),
                count(counted.tally.suppressed())
            ));
        }
        if certified.is_none() {
            say(String::from("There is no certificate beside the release: how it was made is not known."));
        }
        if settings.k.is_none() {
            say(String::from("No k was asked for: the release is compared with the k that it reaches."));
        }
        for column in settings.unprotected(requirements) {
            say(format!(
                "Nothing protects the sensitive column {column}: where all rows of a group have the same value, whoever finds the \
                 group knows it."
            ));
        }
        for name in counted.columns.iter().filter(|name| role(name).is_none()) {
            say(format!(
                "Column {name} is published and was given no role: it is taken as published as it is."
            ));
        }
        counted.warnings.iter().for_each(|text| say(text.clone()));
        for warning in &mut warnings {
            warning.text = self.words.render(&warning.text);
        }
        warnings
    }
}
