//! `klimt verify --attack`: what an attacker gains over the base rate.

use super::{names, published_groups};
use crate::commands::{read_table, threads};
use crate::options::VerifyArgs;
use crate::progress::Progress;
use crate::risk::percent;
use crate::terminal::{count, table};
use klimt::Other;
use klimt::columns::{column_spec, plan};
use klimt::settings::{ColumnSettings, Settings};
use klimt_core::attack::{Attack, Learnt, Linkage, Report, Score, attack};
use klimt_core::risk::Share;
use klimt_core::table::{ColumnSpec, Role, Table, TypeSpec, ValueType};
use klimt_core::{Error, ErrorKind, Result};
use klimt_verify::Tally;
use klimt_verify::against::Intersected;
use serde::Serialize;

/// What is asked of the attacks.
pub struct Question {
    confidence: Share,
    max_gain: Option<Share>,
}

/// What the attacks found.
#[derive(Debug, Serialize)]
pub struct Found {
    /// What one release tells.
    #[serde(flatten)]
    report: Report,
    /// The confidence above which a value counts as inferred.
    confidence: Share,
    /// What several releases tell together.
    #[serde(skip_serializing_if = "Option::is_none")]
    intersection: Option<Intersected>,
    /// The greatest gain of any attack on any column.
    #[serde(skip_serializing_if = "Option::is_none")]
    greatest_gain: Option<Gain>,
    /// What it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_gain: Option<Share>,
}

#[derive(Debug, Serialize)]
struct Gain {
    gain: f64,
    attack: &'static str,
    column: String,
}

/// Reads the flags; nothing when no attack is asked for. All problems at once.
pub fn question(args: &VerifyArgs) -> Result<Option<Question>> {
    let mut problems = Vec::new();
    if args.release == "-" && args.attack.background.as_deref() == Some("-") {
        problems.push("standard input can be read only once: write the background to a file".to_string());
    }
    let args = &args.attack;
    let mut share = |flag: &str, text: &Option<String>| -> Option<Share> {
        let parsed = text.as_ref()?.parse().ok();
        if parsed.is_none() {
            problems.push(format!("--{flag}: a share between 0% and 100% is needed, such as 5%"));
        }
        parsed
    };
    let confidence = share("confidence", &args.confidence).unwrap_or(Share::percent(90));
    let max_gain = share("max-gain", &args.max_gain);
    match Error::all(ErrorKind::Input, problems) {
        Some(error) => Err(error),
        None => Ok(args.attack.then_some(Question { confidence, max_gain })),
    }
}

impl Question {
    /// Attacks a release, alone and by what it tells together with others.
    pub fn attack(
        &self,
        args: &VerifyArgs,
        settings: &Settings,
        tally: &Tally,
        intersection: Option<Intersected>,
    ) -> Result<Found> {
        let background = match &args.attack.background {
            Some(path) => Some(read_background(path, args, settings)?),
            None => None,
        };
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
        Ok(Found {
            report,
            confidence: self.confidence,
            intersection,
            greatest_gain,
            max_gain: self.max_gain,
        })
    }
}

fn greatest(report: &Report, intersection: Option<&Intersected>) -> Option<Gain> {
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
fn read_background(path: &str, args: &VerifyArgs, settings: &Settings) -> Result<Table> {
    let progress = Progress::new(args.general.quiet || args.json)?;
    let wanted = |role: Option<Role>| matches!(role, Some(Role::QuasiIdentifier | Role::Sensitive));
    read_table(path, &args.format, &settings.missing, threads(&args.general), &progress, |source| {
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
            return Err(Error::input(format!("{path}: there is no column of a quasi-identifier's name"))
                .with_help("name its columns as the release does"));
        }
        plan(path, names, &asked)
    })
}

/// What to warn of.
pub fn warnings(found: &Found, settings: &Settings) -> Vec<String> {
    let mut warnings = Vec::new();
    let linkage = &found.report.linkage;
    let unknown: Vec<String> = names(settings, &[Role::QuasiIdentifier])
        .into_iter()
        .filter(|name| !found.report.known.contains(name))
        .collect();
    if !unknown.is_empty() {
        warnings
            .push(format!("the background does not have {}: not known to the attacker", unknown.join(", ")));
    }
    if found.report.background && linkage.unmatched * 2 > linkage.people {
        warnings.push(
            "most people of the background are in no published region: see whether the types, orders and hierarchies \
             that the release was made with are given"
                .to_string(),
        );
    }
    if found.report.sensitive.is_empty() {
        warnings.push(
            "no sensitive column is named, so nothing but linkage was tried: --sensitive COLUMN".to_string(),
        );
    }
    warnings
}

/// Where the limit that was given is exceeded.
pub fn problem(found: &Found) -> Option<String> {
    let (limit, greatest) = (found.max_gain?, found.greatest_gain.as_ref()?);
    (greatest.gain > limit.value()).then(|| {
        format!(
            "an attack gains more than {limit}: {} on {} is right for {} of the people more than the base rate",
            name_of(greatest.attack),
            greatest.column,
            percent(greatest.gain)
        )
    })
}

/// Says what to do where an attack gains too much.
pub fn advise(error: Error, found: Option<&Found>) -> Error {
    match found.and_then(problem) {
        None => error,
        Some(_) => error.with_help(
            "ask for t-closeness or beta-likeness of the column, which limit what a group tells, for a larger k, or for \
             fewer quasi-identifiers",
        ),
    }
}

fn name_of(attack: &str) -> &str {
    match attack {
        "group" => "commonest of the candidates",
        "naive-bayes" => "naive Bayes",
        "definetti" => "deFinetti",
        other => other,
    }
}

/// What was found.
pub fn describe(found: &Found) -> String {
    let mut text = String::from("\nAttacks\n");
    text.push_str(&describe_linkage(&found.report));
    for learnt in &found.report.sensitive {
        text.push_str(&describe_column(learnt, &found.report, found.confidence));
    }
    found.intersection.iter().for_each(|found| text.push_str(&describe_intersection(found)));
    if let Some(greatest) = &found.greatest_gain {
        text.push_str(&format!(
            "\nThe greatest gain is {}, by {} on {}.\n",
            signed(greatest.gain),
            name_of(greatest.attack),
            greatest.column
        ));
    }
    text
}

fn describe_linkage(report: &Report) -> String {
    let Linkage { people, outside_domain, unmatched, singled_out, below_k, candidates, .. } = &report.linkage;
    let of_people =
        |part: u64| format!("{} ({})", count(part), percent(part as f64 / (*people).max(1) as f64));
    let who = if report.background {
        format!("{} people of the background are known by {}.", count(*people), report.known.join(", "))
    } else {
        format!("Everybody in the release ({} rows) is known by the published region.", count(*people))
    };
    let mut text = format!("linkage       {who}\n");
    if report.background {
        text.push_str(&format!("              {} are in no published region", of_people(*unmatched)));
        text.push_str(&format!(
            "; of {} a value is not in the release's domain.\n",
            of_people(*outside_domain)
        ));
    }
    let below = below_k.map_or(String::new(), |below| format!("; {} have fewer than k", of_people(below)));
    text.push_str(&format!(
        "              {} have one candidate and are singled out{below}.\n",
        of_people(*singled_out)
    ));
    if candidates.greatest > 0 {
        text.push_str(&format!(
            "              Whoever is linked has {} to {} candidates: at most {} for half of the people, {:.1} on average.\n",
            count(candidates.least),
            count(candidates.greatest),
            count(candidates.median),
            candidates.average
        ));
    }
    let expected = |number: f64| format!("{:.1} ({})", number, percent(number / (*people).max(1) as f64));
    text.push_str(&format!(
        "              Picking a candidate at random finds {} of them",
        expected(report.linkage.expected_found)
    ));
    if report.background {
        let unsure = expected(report.linkage.expected_found_if_unsure);
        text.push_str(&format!(" if all are in the release, {unsure} if that is not known"));
    }
    text.push_str(".\n");
    text
}

fn describe_column(learnt: &Learnt, report: &Report, confidence: Share) -> String {
    let people = report.linkage.people.max(1) as f64;
    let of_people = |part: u64| format!("{} ({})", count(part), percent(part as f64 / people));
    let mut text = format!(
        "\n{}\n  {} people whose value is certain, as all candidates share it; {} with more than {confidence} confidence.\n",
        learnt.column,
        of_people(learnt.certain),
        of_people(learnt.confident)
    );
    let shown = |share: Option<f64>| share.map_or("-".to_string(), percent);
    let heading = ["  guess", "right", "gain", "confidence", "how"].map(String::from).to_vec();
    let how = "the commonest value of the release, for everybody";
    let base = ["  base rate", &shown(learnt.base_accuracy), "-", &percent(learnt.base_rate), how];
    let mut rows = vec![heading, base.map(String::from).to_vec()];
    rows.extend(learnt.attacks.iter().map(|score| row(score, &shown)));
    text.push_str(&table(&rows));
    if learnt.truths == 0 {
        text.push_str("  Nobody's true value is known: gains are what the attacker believes, the confidence less the base rate.\n");
    } else if report.background && learnt.truths < report.linkage.people {
        text.push_str(&format!(
            "  Marked on {} people who are linked and whose true value is known.\n",
            count(learnt.truths)
        ));
    }
    text
}

fn row(score: &Score, shown: &dyn Fn(Option<f64>) -> String) -> Vec<String> {
    let how = match score.attack {
        "group" => "the commonest value among the candidates",
        "naive-bayes" => "what the release teaches about each quasi-identifier, without linking anybody",
        _ => "who of a group has which of its values, learnt from all groups",
    };
    let name = format!("  {}", name_of(score.attack));
    vec![name, shown(score.accuracy), signed(score.gain), percent(score.confidence), how.to_string()]
}

fn signed(gain: f64) -> String {
    let text = percent(gain.abs());
    match text.as_str() {
        "0.00%" => text,
        _ if gain < 0.0 => format!("-{text}"),
        _ => text,
    }
}

fn describe_intersection(found: &Intersected) -> String {
    let Intersected {
        rows,
        candidates_alone,
        candidates_together,
        singled_out_alone,
        singled_out_together,
        ..
    } = found;
    if *rows == 0 {
        return "\nintersection  no row is in two of the files: there is nothing to intersect\n".to_string();
    }
    let mut text = format!(
        "\nintersection  {} rows are in two or more files. Their candidates are {candidates_alone:.1} on average in the newest \
         file alone, {candidates_together:.1} in all of them; {} are singled out alone, {} together.\n",
        count(*rows),
        count(*singled_out_alone),
        count(*singled_out_together),
    );
    for column in &found.sensitive {
        text.push_str(&format!(
            "              {}: certain for {} rows alone, {} together; the commonest candidate is right for {} alone, {} \
             together, {} over the base rate.\n",
            column.column,
            count(column.certain_alone),
            count(column.certain_together),
            percent(column.right_alone),
            percent(column.right_together),
            signed(column.gain),
        ));
    }
    text
}
