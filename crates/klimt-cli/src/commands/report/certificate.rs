//! What the certificate of a release fills in, and whether it is that of the release.

use super::args::ReportArgs;
use crate::certificate::{file_hash, fill_declared};
use crate::options::FormatArgs;
use crate::requirements::{Wanted, flags, subject};
use crate::settings::Settings;
use klimt_core::names::flag;
use klimt_core::registry::Subject;
use klimt_core::table::{Role, TypeSpec, ValueType};
use klimt_core::{Error, ErrorKind, Result};
use klimt_report::{Certified, Warning};
use klimt_verify::Findings;
use klimt_verify::claims::Outcome;
use serde_json::Value;

/// Reads the certificate: the one that is named must be there, the one beside the release may.
pub fn read(args: &ReportArgs) -> Result<Option<Certified>> {
    let beside = format!("{}.certificate.json", args.release);
    let path = match &args.certificate {
        Some(path) => path,
        None if std::path::Path::new(&beside).is_file() => &beside,
        None => return Ok(None),
    };
    let text = std::fs::read(path).map_err(|e| Error::io(path, "read it", &e))?;
    let json: Value = serde_json::from_slice(&text)
        .map_err(|e| Error::input(format!("{path}: line {}: this is no JSON", e.line())))?;
    let Some(hash) = json["release"]["hash"].as_str() else {
        return Err(Error::input(format!("{path}: this is no certificate of klimt: it has no release.hash")));
    };
    let matches = hash == file_hash(&args.release)?;
    Ok(Some(Certified { json, matches }))
}

/// How the original is written: what flags say, and else what was said when the release was made.
pub fn format(args: &ReportArgs, certified: Option<&Certified>) -> FormatArgs {
    let mut format = args.format.clone();
    let Some(said) = certified.map(|certified| &certified.json["spec"]["settings"]) else { return format };
    format.delimiter = format.delimiter.or_else(|| said["delimiter"].as_str()?.bytes().next());
    if let (false, Some(header)) = (format.header || format.no_header, said["header"].as_bool()) {
        (format.header, format.no_header) = (header, !header);
    }
    format
}

/// Fills in what is not said otherwise: roles, types and weights of columns, k, and requirements.
pub fn fill(settings: &mut Settings, json: &Value) -> Result<()> {
    let mut problems = Vec::new();
    for column in json["spec"]["columns"].as_array().into_iter().flatten() {
        let (Some(name), Some(role)) = (column["name"].as_str(), column["role"].as_str().and_then(role))
        else {
            continue;
        };
        let given = settings.columns.entry(name.to_string()).or_default();
        if given.role.is_none() {
            given.role = Some(role);
        }
        // The release was made: its sets of texts are as they were asked for.
        given.allow_unique = given.role == Some(Role::QuasiIdentifier);
        if let Some(typed) = json["spec"]["settings"]["types"][name].as_str() {
            given.type_spec = given.type_spec.take().or(typed.parse().ok());
        }
        let known = [ValueType::Integer, ValueType::Decimal, ValueType::Boolean, ValueType::Text];
        let typed = known.into_iter().find(|known| column["type"].as_str() == Some(known.name()));
        // Sensitive values are compared as text only where that was asked for.
        let by_value = given.role == Some(Role::Sensitive) && column["compared"].as_str() != Some("as text");
        let typed = typed.filter(|typed| !(by_value && *typed == ValueType::Text));
        let free = given.type_spec.is_none() && given.order.is_none() && given.hierarchy.is_none();
        if let Some(typed) = typed.filter(|_| free) {
            given.type_spec = Some(TypeSpec::from(typed));
        }
        let file = match column["domain"].as_str() {
            Some("hierarchy") => Some("hierarchy"),
            Some("ordered (imposed)") => Some("order"),
            _ => None,
        };
        let generalised = given.role == Some(Role::QuasiIdentifier);
        if let (Some(file), true, None, None) = (file, generalised, &given.order, &given.hierarchy) {
            problems.push(format!(
                "column {name} was published by its {file}: name the file, such as {}, or the --spec",
                flag(file, name, Some("FILE"))
            ));
        }
    }
    let ranked = json["spec"]["settings"]["qi"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for (rank, name) in ranked.enumerate() {
        settings.columns.entry(name.to_string()).or_default().rank = Some(rank);
    }
    problems.extend(fill_declared(settings, json));
    let said = &json["spec"]["settings"];
    for name in said["guides"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let given = settings.columns.entry(name.to_string()).or_default();
        if given.hierarchy.is_none() {
            problems.push(format!(
                "the scheme of column {name} was guided by a hierarchy: name the file, such as {}, or the --spec",
                flag("hierarchy", name, Some("FILE"))
            ));
        }
    }
    problems.extend(unsaid_texts(settings, said));
    if said["workload"].as_bool() == Some(true) && settings.workload.is_none() {
        problems.push(
            "the release was made for a workload: name the file, such as --workload FILE, or the --spec"
                .to_string(),
        );
    }
    for (name, weight) in json["spec"]["settings"]["weights"].as_object().into_iter().flatten() {
        let given = settings.columns.entry(name.clone()).or_default();
        given.weight = given.weight.or(weight.as_f64());
    }
    let reached = json["reached"].as_array();
    let k = reached.into_iter().flatten().find(|claim| claim["claim"] == "k-anonymity");
    settings.k = settings.k.or_else(|| k?["limit"].as_u64());
    for saved in json["spec"]["settings"]["requirements"].as_array().into_iter().flatten() {
        let text = |key: &str| saved[key].as_str();
        let known = flags().find(|flag| text("flag") == Some(flag) && subject(flag) != Subject::Rows);
        if let (Some(flag), Some(column), Some(parameters)) = (known, text("column"), text("parameters")) {
            let said =
                |old: &Wanted| old.flag == flag && old.column.as_deref().is_none_or(|name| name == column);
            if !settings.requirements.iter().any(said) {
                let (column, text) = (Some(column.to_string()), parameters.to_string());
                settings.requirements.push(Wanted { flag, column, text });
            }
        }
    }
    Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
}

fn role(name: &str) -> Option<Role> {
    let roles = [Role::Identifier, Role::QuasiIdentifier, Role::Sensitive, Role::Insensitive, Role::Target];
    roles.into_iter().find(|role| role.to_string() == name)
}

/// What a certificate says that is not so.
pub fn contradictions(certified: &Certified, findings: &Findings, outcomes: &[Outcome]) -> Vec<Warning> {
    let json = &certified.json;
    let mut wrong = Vec::new();
    if !certified.matches {
        wrong.push(String::from(
            "The certificate is not that of this release: the hash in it is that of another file. Publish neither before it is \
             clear which is right.",
        ));
    }
    let figures = [
        ("published rows", &json["rows"]["published"], findings.rows),
        ("suppressed rows", &json["rows"]["suppressed"], findings.suppressed),
        ("groups", &json["groups"]["count"], findings.groups),
        ("rows in the smallest group", &json["groups"]["smallest"], findings.smallest_group),
        ("rows in the largest group", &json["groups"]["largest"], findings.largest_group),
    ];
    for (what, said, found) in figures {
        if said.as_u64() != Some(found) {
            let said = said.as_u64().map_or(String::from("nothing"), |said| said.to_string());
            wrong.push(format!("The certificate says {said} of {what}, the release has {found}."));
        }
    }
    for claim in json["reached"].as_array().into_iter().flatten() {
        let same = |outcome: &&Outcome| claim["description"].as_str() == Some(outcome.description.as_str());
        if let Some(outcome) = outcomes.iter().find(same)
            && serde_json::to_value(&outcome.measured).ok().as_ref() != Some(&claim["measured"])
        {
            wrong.push(format!(
                "The certificate says that another level of {} is reached.",
                outcome.description
            ));
        }
    }
    wrong.into_iter().map(|text| Warning { text, loud: true }).collect()
}

/// What was typed when the release was made and is only counted in the certificate: it must be named again.
fn unsaid_texts(settings: &Settings, said: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let missing = said["missing"].as_u64().unwrap_or(0) as usize;
    if settings.missing.len() < missing {
        problems.push(format!(
            "the release was made with texts that stand for missing values ({missing}): name all, such as --missing TEXT, \
             or the --spec"
        ));
    }
    for (name, count) in said["column-splits"].as_object().into_iter().flatten() {
        let given = settings.columns.get(name).and_then(|column| column.splits.as_ref());
        if given.is_none() {
            problems.push(format!(
                "column {name} was cut at values that the owner chose ({count}): name all, such as {}, or the --spec",
                flag("split-at", name, Some("VALUES"))
            ));
        }
    }
    problems
}
