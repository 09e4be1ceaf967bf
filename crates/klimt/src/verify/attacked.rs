//! What an attacker gains from a release over the base rate.

use super::read::{names, published_groups};
use crate::columns::{column_spec, plan};
use crate::input::Input;
use crate::observer::{Stage, Watched};
use crate::settings::{ColumnSettings, Other, Settings};
use klimt_core::attack::{Attack, Report, attack};
use klimt_core::risk::Share;
use klimt_core::table::{ColumnSpec, Role, Table, TypeSpec, ValueType};
use klimt_core::words::option_is;
use klimt_core::{Error, Result};
use klimt_io::csv::ReadOptions;
use klimt_verify::Tally;
use klimt_verify::against::IntersectionAttack;
use serde::Serialize;

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
        let report = attack(&Attack {
            quasi_identifiers: &specs(tally, settings)?,
            sensitive: &sensitive,
            groups: &groups,
            background: background.as_ref(),
            k: settings.k,
            confidence: self.confidence,
        })?;
        let greatest_gain = greatest(&report, intersection.as_ref());
        Ok(AttackFindings {
            report,
            confidence: self.confidence,
            intersection,
            greatest_gain,
            max_gain: self.max_gain,
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
    let (path, bytes) = (input.name().to_string(), input.bytes());
    let source = input.open(settings.dialect)?;
    let wanted = |role: Option<Role>| matches!(role, Some(Role::QuasiIdentifier | Role::Sensitive));
    let names = source.columns();
    let mut asked = Settings { other: Some(Other::Drop), ..Settings::default() };
    for (name, column) in settings.columns.iter().filter(|(_, column)| wanted(column.role)) {
        if names.contains(name) {
            let type_spec = Some(TypeSpec::from(ValueType::Text));
            let column = ColumnSettings {
                role: column.role,
                type_spec,
                allow_unique: true,
                ..ColumnSettings::default()
            };
            asked.columns.insert(name.clone(), column);
        }
    }
    if !asked.columns.values().any(|column| column.role == Some(Role::QuasiIdentifier)) {
        return Err(Error::input(format!("{path}: no column has the name of a quasi-identifier"))
            .with_help("name its columns as the release does"));
    }
    let plan = plan(&path, names, &asked)?;
    let stage = watched.stage(Stage::Reading, Some(bytes));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    source
        .read(&plan, &ReadOptions { missing: &settings.missing, threads, observer: &stage })
        .map(|read| read.0)
}

impl AttackFindings {
    /// What to warn of.
    pub(super) fn warnings(&self, settings: &Settings) -> Vec<String> {
        let mut warnings = Vec::new();
        let linkage = &self.report.linkage;
        let unknown: Vec<String> = names(settings, &[Role::QuasiIdentifier])
            .into_iter()
            .filter(|name| !self.report.known.contains(name))
            .collect();
        if !unknown.is_empty() {
            warnings.push(format!(
                "the background does not have {}: not known to the attacker",
                unknown.join(", ")
            ));
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
        warnings
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
