//! The certificate of a release: it fills in settings, and must agree with the release.

use crate::certificate::{
    Certificate, CertificateFile, DomainKind, Measure, Promise, RecordedSettings, ValueComparison,
    fill_declared,
};
use crate::settings::{NamedRequirement, Settings, flags, subject};
use klimt_core::registry::Subject;
use klimt_core::requirement::{KAnonymity, Side};
use klimt_core::table::{Role, TypeSpec, ValueType};
use klimt_core::words::{column_option, option, option_is};
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::source::SourceSpec;
use klimt_report::{CertificateSummary, Warning};
use klimt_verify::Findings;
use klimt_verify::claims::Outcome;

/// The part of a certificate that the page tells.
pub(super) fn summary(found: &CertificateFile) -> Result<CertificateSummary> {
    let certificate = &found.certificate;
    let json = serde_json::to_value(certificate)
        .map_err(|e| Error::internal(format!("the certificate cannot be written: {e}")))?;
    Ok(CertificateSummary {
        matches: found.matches,
        proven: certificate.proven,
        family: certificate.family.clone(),
        loss: certificate.proven_loss().map(str::to_string),
        counts: certificate.search.as_ref().and_then(|search| search.counts),
        text: format!("{json:#}"),
    })
}

/// How the original is written: what is said, and else what was said when the release was made.
pub(super) fn original_source(said: &SourceSpec, certified: Option<&CertificateFile>) -> SourceSpec {
    match certified {
        Some(certified) => certified.certificate.settings.source(said),
        None => said.clone(),
    }
}

/// Fills in what is not said otherwise: roles, types and weights of columns, k, and requirements.
pub(super) fn fill(settings: &mut Settings, certificate: &Certificate) -> Result<()> {
    let mut problems = Vec::new();
    let said = &certificate.settings;
    said.reading.restore(settings);
    for column in &certificate.columns {
        let (name, given) = (&column.name, settings.columns.entry(column.name.clone()).or_default());
        given.role = given.role.or(Some(column.role));
        if let Some(typed) = said.types.get(name) {
            given.type_spec = given.type_spec.take().or(Some(typed.clone()));
        }
        let known = [ValueType::Integer, ValueType::Decimal, ValueType::Boolean, ValueType::Text];
        let typed = known.into_iter().find(|known| column.value_type == Some(*known));
        // Sensitive values are compared as text only where that was asked for.
        let by_value =
            given.role == Some(Role::Sensitive) && column.compared != Some(ValueComparison::AsText);
        let typed = typed.filter(|typed| !(by_value && *typed == ValueType::Text));
        let free = given.type_spec.is_none() && given.order.is_none() && given.hierarchy.is_none();
        if let Some(typed) = typed.filter(|_| free) {
            given.type_spec = Some(TypeSpec::from(typed));
        }
        let file = match column.domain {
            Some(DomainKind::Hierarchy) => Some("hierarchy"),
            Some(DomainKind::Imposed) => Some("order"),
            _ => None,
        };
        let generalised = given.role == Some(Role::QuasiIdentifier);
        if let (Some(file), true, None, None) = (file, generalised, &given.order, &given.hierarchy) {
            problems.push(format!(
                "column {name} was published by its {file}: name the file, such as {}, or the {}",
                column_option(file, name, Some("FILE")),
                option("spec")
            ));
        }
    }
    for (rank, name) in said.qi.iter().enumerate() {
        settings.columns.entry(name.clone()).or_default().rank = Some(rank);
    }
    problems.extend(fill_declared(settings, certificate));
    for name in &said.guides {
        let given = settings.columns.entry(name.clone()).or_default();
        if given.hierarchy.is_none() {
            problems.push(format!(
                "the scheme of column {name} was guided by a hierarchy: name the file, such as {}, or the {}",
                column_option("hierarchy", name, Some("FILE")),
                option("spec")
            ));
        }
    }
    problems.extend(unsaid_texts(settings, said));
    if said.workload == Some(true) && settings.workload.is_none() {
        problems.push(format!(
            "the release was made for a workload: name the file, such as {}, or the {}",
            option_is("workload", "FILE"),
            option("spec")
        ));
    }
    for (name, weight) in &said.weights {
        let given = settings.columns.entry(name.clone()).or_default();
        given.weight = given.weight.or(Some(*weight));
    }
    settings.k = settings.k.or_else(|| certified_k(certificate));
    fill_requirements(settings, said);
    Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
}

/// The k that was asked for.
fn certified_k(certificate: &Certificate) -> Option<u64> {
    match certificate.promises(KAnonymity::ID).next()?.limit {
        Some(Measure::Whole(k)) => Some(k),
        _ => None,
    }
}

fn fill_requirements(settings: &mut Settings, said: &RecordedSettings) {
    for saved in &said.requirements {
        let known = flags().find(|flag| saved.flag == *flag && subject(flag) != Subject::Rows);
        let Some(flag) = known else { continue };
        let named = |old: &NamedRequirement| {
            old.flag == flag && old.column.as_deref().is_none_or(|name| name == saved.column)
        };
        if !settings.requirements.iter().any(named) {
            let (column, text) = (Some(saved.column.clone()), saved.parameters.clone());
            settings.requirements.push(NamedRequirement { flag, column, text });
        }
    }
}

/// The statements of a certificate that are not true of the release.
pub(super) fn contradictions(
    certified: &CertificateFile,
    findings: &Findings,
    outcomes: &[Outcome],
) -> Vec<Warning> {
    let certificate = &certified.certificate;
    let mut wrong = Vec::new();
    if !certified.matches {
        wrong.push(String::from(
            "The certificate is not that of this release: the hash in it is that of another file. Publish neither before it is \
             clear which is right.",
        ));
    }
    let figures = [
        ("published rows", certificate.rows.published, findings.rows),
        ("suppressed rows", certificate.rows.suppressed, findings.suppressed),
        ("groups", certificate.groups, findings.groups),
        ("rows in the smallest group", certificate.sizes.smallest, findings.smallest_group),
        ("rows in the largest group", certificate.sizes.largest, findings.largest_group),
    ];
    for (what, said, found) in figures {
        if said != found {
            wrong.push(format!("The certificate says {said} of {what}, the release has {found}."));
        }
    }
    for claim in &certificate.reached {
        let outcome = outcomes.iter().find(|outcome| outcome.description == claim.description);
        let of_people = certificate.people.is_some();
        if outcome.is_some_and(|outcome| !agrees(claim, outcome, of_people)) {
            wrong.push(format!(
                "The certificate says that another level of {} is reached.",
                claim.description
            ));
        }
    }
    wrong.into_iter().map(|text| Warning { text, loud: true }).collect()
}

/// Whether the level that is certified is the one that was found. People may reach less than their rows, and a release tells of
/// rows alone.
fn agrees(claim: &Promise, outcome: &Outcome, of_people: bool) -> bool {
    let found = Promise::from(outcome).measured;
    if found == claim.measured {
        return true;
    }
    let number = |measure: &Option<Measure>| match measure {
        Some(Measure::Whole(count)) => *count as f64,
        Some(Measure::Real(real)) => *real,
        None => f64::INFINITY,
    };
    let (said, found) = (number(&claim.measured), number(&found));
    match outcome.side {
        Some(Side::AtLeast) => of_people && said <= found,
        Some(_) => of_people && said >= found,
        None => false,
    }
}

/// Texts that were typed when the release was made and are only counted in the certificate: they must be named again.
fn unsaid_texts(settings: &Settings, said: &RecordedSettings) -> Vec<String> {
    let mut problems = Vec::new();
    let missing = said.missing.unwrap_or(0) as usize;
    for (name, count) in &said.reading.missing {
        let given = settings.columns.get(name).map_or(0, |column| column.missing.len());
        if (given as u64) < *count {
            problems.push(format!(
                "the release was made with texts that stand for missing values in column {name} ({count}): name all, such \
                 as {}, or the {}",
                column_option("missing", name, Some("TEXT")),
                option("spec")
            ));
        }
    }
    if settings.missing.len() < missing {
        problems.push(format!(
            "the release was made with texts that stand for missing values ({missing}): name all, such as {}, \
             or the {}",
            option_is("missing", "TEXT"),
            option("spec")
        ));
    }
    for (name, count) in &said.column_splits {
        let given = settings.columns.get(name).and_then(|column| column.splits.as_ref());
        if given.is_none() {
            problems.push(format!(
                "column {name} was cut at values that the owner chose ({count}): name all, such as {}, or the {}",
                column_option("split-at", name, Some("VALUES")),
                option("spec")
            ));
        }
    }
    problems
}
