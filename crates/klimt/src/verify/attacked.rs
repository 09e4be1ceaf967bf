//! What an attacker gains from a release over the base rate.

use super::read::{names, published_groups, tally, without_guides};
use crate::anonymizer::Anonymizer;
use crate::columns::{column_spec, plan};
use crate::input::Input;
use crate::observer::Watched;
use crate::reading;
use crate::settings::{ColumnSettings, Other, Settings};
use klimt_core::attack::{self as core, Attack, Report};
use klimt_core::risk::Share;
use klimt_core::table::{ColumnSpec, Role, Table, TypeSpec, ValueType};
use klimt_core::words::{option, option_is};
use klimt_core::{Error, ErrorKind, Result, Words};
use klimt_verify::Tally;
use klimt_verify::against::IntersectionAttack;
use serde::Serialize;

/// Attacks a release, by what is said of its columns. The background is what the attacker knows: a table with
/// quasi-identifiers as they are, of the people in the release or of others too, and with the true sensitive values if guesses
/// are to be marked. Without one, everybody is known by their published region.
///
/// ```
/// use klimt::prelude::*;
///
/// let release = "age,disease\n[30..39],Flu\n[30..39],Flu\n[40..49],Gout\n[40..49],Flu\n";
/// let known = "age,disease\n31,Flu\n38,Flu\n44,Gout\n45,Flu\n";
/// let input = |text: &'static str| Input::reader(Format::Csv, text.as_bytes());
/// let asked = Anonymizer::new().quasi_identifiers(["age"]).sensitive(["disease"]);
/// let findings = klimt::attack(input(release), Some(input(known)), &asked)?;
/// assert_eq!(findings.report.sensitive[0].certain, 2);
/// # Ok::<(), klimt::Error>(())
/// ```
pub fn attack(release: Input, background: Option<Input>, asked: &Anonymizer) -> Result<AttackFindings> {
    let question = AttackQuestion { background, ..AttackQuestion::default() };
    asked.watch(|watched| question.ask(release, asked.settings().clone(), watched))
}

/// What is asked of the attacks.
pub struct AttackQuestion {
    /// What the attacker knows: a table with quasi-identifiers as they are. Without one, everybody is known by their
    /// published region.
    pub background: Option<Input>,
    /// A sensitive value is inferred where more than this share of the candidates has it.
    pub confidence: Share,
    /// How much better than the base rate an attack may guess.
    pub max_gain: Option<Share>,
}

impl Default for AttackQuestion {
    fn default() -> Self {
        AttackQuestion { background: None, confidence: Share::percent(90), max_gain: None }
    }
}

/// What the attacks found.
#[derive(Debug, Serialize)]
pub struct AttackFindings {
    /// What one release tells.
    #[serde(flatten)]
    pub report: Report,
    /// The confidence above which a value counts as inferred.
    pub confidence: Share,
    /// What several releases tell together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intersection: Option<IntersectionAttack>,
    /// The greatest gain of any attack on any column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub greatest_gain: Option<Gain>,
    /// What it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_gain: Option<Share>,
    /// The quasi-identifiers that the background does not have.
    #[serde(skip)]
    pub unknown: Vec<String>,
}

/// What an attack gains on a column.
#[derive(Debug, Serialize)]
pub struct Gain {
    /// The share of the people for whom it is right beyond the base rate.
    pub gain: f64,
    /// The attack.
    pub attack: &'static str,
    /// The column.
    pub column: String,
}

impl AttackQuestion {
    /// Reads the shares from texts such as `5%`; all problems at once.
    pub fn parse(confidence: Option<&str>, max_gain: Option<&str>) -> Result<Self> {
        let mut problems = Vec::new();
        let mut share = |name: &str, text: Option<&str>| -> Option<Share> {
            let parsed = text?.parse().ok();
            if parsed.is_none() {
                problems.push(format!("{}: a share between 0% and 100% is needed, such as 5%", option(name)));
            }
            parsed
        };
        let confidence = share("confidence", confidence);
        let max_gain = share("max-gain", max_gain);
        let default = AttackQuestion::default();
        let confidence = confidence.unwrap_or(default.confidence);
        let question = AttackQuestion { confidence, max_gain, ..default };
        Error::all(ErrorKind::Input, problems).map_or(Ok(question), Err)
    }

    /// Attacks a release, by what settings say of its columns.
    pub fn ask(
        self,
        release: Input,
        mut settings: Settings,
        watched: &Watched<'_>,
    ) -> Result<AttackFindings> {
        let path = release.path().map(str::to_string);
        let tally = tally(release, &settings, &[Role::Sensitive])?;
        without_guides(&mut settings, path.as_deref(), &tally)?;
        self.run(&settings, &tally, None, watched)
    }

    /// Attacks a release, alone and by what it tells together with others.
    pub(super) fn run(
        self,
        settings: &Settings,
        tally: &Tally,
        intersection: Option<IntersectionAttack>,
        watched: &Watched<'_>,
    ) -> Result<AttackFindings> {
        let background =
            self.background.map(|input| read_background(input, settings, watched)).transpose()?;
        let sensitive = names(settings, &[Role::Sensitive]);
        let places: Vec<usize> = (0..tally.quasi_identifiers().len()).collect();
        let number = |column: &str| sensitive.iter().position(|name| name == column);
        let groups = published_groups(tally, &places, number);
        let report = core::attack(&Attack {
            quasi_identifiers: &specs(tally, settings)?,
            sensitive: &sensitive,
            groups: &groups,
            background: background.as_ref(),
            k: settings.k,
            confidence: self.confidence,
        })?;
        let greatest_gain = greatest(&report, intersection.as_ref());
        let mut unknown = names(settings, &[Role::QuasiIdentifier]);
        unknown.retain(|name| !report.known.contains(name));
        Ok(AttackFindings {
            report,
            confidence: self.confidence,
            intersection,
            greatest_gain,
            max_gain: self.max_gain,
            unknown,
        })
    }
}

fn greatest(report: &Report, intersection: Option<&IntersectionAttack>) -> Option<Gain> {
    let single = report.greatest_gain();
    let together = intersection.iter().flat_map(|found| &found.sensitive);
    let together = together.filter(|_| intersection.is_some_and(|found| found.rows > 0));
    let together = together.map(|found| (found.gain, "intersection", found.column.as_str()));
    let all = single.into_iter().chain(together);
    let (gain, attack, column) = all.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    Some(Gain { gain, attack, column: column.to_string() })
}

/// What is known of the quasi-identifiers, in the order of the tally.
fn specs(tally: &Tally, settings: &Settings) -> Result<Vec<ColumnSpec>> {
    let spec = |name: &String| {
        // Somebody in the background may lie outside a declared domain.
        let given = settings.columns.get(name).cloned().unwrap_or_default();
        column_spec(name, Role::QuasiIdentifier, &ColumnSettings { domain: None, ..given })
    };
    tally.quasi_identifiers().iter().map(spec).collect()
}

/// The quasi-identifiers and sensitive columns of the background, as texts: what they mean is for the release to say.
fn read_background(input: Input, settings: &Settings, watched: &Watched<'_>) -> Result<Table> {
    let wanted = |role: Option<Role>| matches!(role, Some(Role::QuasiIdentifier | Role::Sensitive));
    let read = reading::read(input, settings.source.clone(), &settings.missing, watched, |opened| {
        let names = opened.columns;
        let mut asked = Settings { other: Some(Other::Drop), ..Settings::default() };
        for (name, column) in settings.columns.iter().filter(|(_, column)| wanted(column.role)) {
            if names.contains(name) {
                let type_spec = Some(TypeSpec::from(ValueType::Text));
                let column = ColumnSettings {
                    role: column.role,
                    type_spec,
                    form: column.form.or(column.recorded_form),
                    missing: column.missing.clone(),
                    ..ColumnSettings::default()
                };
                asked.columns.insert(name.clone(), column);
            }
        }
        if !asked.columns.values().any(|column| column.role == Some(Role::QuasiIdentifier)) {
            return Err(Error::input(format!(
                "{}: no column has the name of a quasi-identifier",
                opened.name
            ))
            .with_help("name its columns as the release does"));
        }
        plan(opened.name, names, &asked)
    });
    read.map(|(table, _)| table)
}

impl AttackFindings {
    /// Warnings, in the words of a front end.
    pub fn warnings(&self, words: Words) -> Vec<String> {
        let mut warnings = Vec::new();
        let linkage = &self.report.linkage;
        if !self.unknown.is_empty() {
            let unknown = self.unknown.join(", ");
            warnings.push(format!("the background does not have {unknown}: not known to the attacker"));
        }
        if self.report.background && linkage.unmatched * 2 > linkage.people {
            warnings.push(
            "most people of the background are in no published region: see whether the types, orders and hierarchies \
             that the release was made with are given"
                .to_string(),
        );
        }
        if self.report.sensitive.is_empty() {
            warnings.push(format!(
                "no sensitive column is named, so nothing but linkage was tried: {}",
                option_is("sensitive", "COLUMN")
            ));
        }
        warnings.into_iter().map(|warning| words.render(&warning)).collect()
    }

    /// Where the limit that was given is exceeded.
    pub fn problem(&self) -> Option<String> {
        let (limit, greatest) = (self.max_gain?, self.greatest_gain.as_ref()?);
        (greatest.gain > limit.value()).then(|| {
        format!(
            "an attack gains more than {limit}: {} on {} is right for {} of the people more than the base rate",
            attack_name(greatest.attack),
            greatest.column,
            format_args!("{:.2}%", greatest.gain * 100.0)
        )
    })
    }
}

/// An attack in words.
pub fn attack_name(attack: &str) -> &str {
    match attack {
        "group" => "commonest of the candidates",
        "naive-bayes" => "naive Bayes",
        "definetti" => "deFinetti",
        other => other,
    }
}
