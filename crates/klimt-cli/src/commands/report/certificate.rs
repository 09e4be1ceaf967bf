//! What the certificate of a release fills in, and whether it is that of the release.

use super::args::ReportArgs;
use crate::options::FormatArgs;
use klimt::certificate::{
    Certificate, CertificateFile, DomainKind, Measure, RecordedSettings, fill_declared,
};
use klimt::settings::{NamedRequirement, Settings, flags, subject};
use klimt_core::registry::Subject;
use klimt_core::requirement::KAnonymity;
use klimt_core::table::{Role, TypeSpec, ValueType};
use klimt_core::words::{column_option, option_is};
use klimt_core::{Error, ErrorKind, Result};
use klimt_report::{Certified, Warning};
use klimt_verify::Findings;
use klimt_verify::claims::Outcome;

/// The certificate as the page shows it.
pub fn shown(found: &CertificateFile) -> Result<Certified> {
    let json = serde_json::to_value(&found.certificate)
        .map_err(|e| Error::internal(format!("the certificate cannot be written: {e}")))?;
    Ok(Certified { json, matches: found.matches })
}

/// How the original is written: what flags say, and else what was said when the release was made.
pub fn format(args: &ReportArgs, certified: Option<&CertificateFile>) -> FormatArgs {
    let mut format = args.format.clone();
    let Some(said) = certified.map(|certified| &certified.certificate.settings) else { return format };
    format.delimiter = format.delimiter.or(said.delimiter.and_then(|c| u8::try_from(c).ok()));
    if let (false, Some(header)) = (format.header || format.no_header, said.header) {
        (format.header, format.no_header) = (header, !header);
    }
    format
}

/// Fills in what is not said otherwise: roles, types and weights of columns, k, and requirements.
pub fn fill(settings: &mut Settings, certificate: &Certificate) -> Result<()> {
    let mut problems = Vec::new();
    let said = &certificate.settings;
    for column in &certificate.columns {
        let (name, given) = (&column.name, settings.columns.entry(column.name.clone()).or_default());
        given.role = given.role.or(Some(column.role));
        // The release was made: its sets of texts are as they were asked for.
        given.allow_unique = given.role == Some(Role::QuasiIdentifier);
        if let Some(typed) = said.types.get(name) {
            given.type_spec = given.type_spec.take().or(typed.parse().ok());
        }
        let known = [ValueType::Integer, ValueType::Decimal, ValueType::Boolean, ValueType::Text];
        let typed = known.into_iter().find(|known| column.value_type.as_deref() == Some(known.name()));
        // Sensitive values are compared as text only where that was asked for.
        let by_value = given.role == Some(Role::Sensitive) && column.compared.as_deref() != Some("as text");
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
                "column {name} was published by its {file}: name the file, such as {}, or the --spec",
                column_option(file, name, Some("FILE"))
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
                "the scheme of column {name} was guided by a hierarchy: name the file, such as {}, or the --spec",
                column_option("hierarchy", name, Some("FILE"))
            ));
        }
    }
    problems.extend(unsaid_texts(settings, said));
    if said.workload == Some(true) && settings.workload.is_none() {
        problems.push(format!(
            "the release was made for a workload: name the file, such as {}, or the --spec",
            option_is("workload", "FILE")
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
    let claim = certificate.reached.iter().find(|claim| claim.claim == KAnonymity::ID)?;
    match claim.limit {
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

/// What a certificate says that is not so.
pub fn contradictions(
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
        if outcome
            .is_some_and(|outcome| klimt::certificate::Promise::from(outcome).measured != claim.measured)
        {
            wrong.push(format!(
                "The certificate says that another level of {} is reached.",
                claim.description
            ));
        }
    }
    wrong.into_iter().map(|text| Warning { text, loud: true }).collect()
}

/// What was typed when the release was made and is only counted in the certificate: it must be named again.
fn unsaid_texts(settings: &Settings, said: &RecordedSettings) -> Vec<String> {
    let mut problems = Vec::new();
    let missing = said.missing.unwrap_or(0) as usize;
    if settings.missing.len() < missing {
        problems.push(format!(
            "the release was made with texts that stand for missing values ({missing}): name all, such as --missing TEXT, \
             or the --spec"
        ));
    }
    for (name, count) in &said.column_splits {
        let given = settings.columns.get(name).and_then(|column| column.splits.as_ref());
        if given.is_none() {
            problems.push(format!(
                "column {name} was cut at values that the owner chose ({count}): name all, such as {}, or the --spec",
                column_option("split-at", name, Some("VALUES"))
            ));
        }
    }
    problems
}
