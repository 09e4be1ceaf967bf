//! `klimt report`: a page about a release for those who decide whether it goes out.

pub mod args;
pub mod certificate;
mod command;
mod queries;

use super::verify::stars_note;
use super::{read_table, threads};
use crate::columns::{dialect_spec, gather, list_of};
use crate::options::FormatArgs;
use crate::progress::Progress;
use crate::risk;
use crate::search::apply_splits;
use crate::terminal::{count, note, print};
use args::ReportArgs;
use klimt::Input;
use klimt::certificate::{CertificateFile, four_digits, is_by_sizes};
use klimt::columns;
use klimt::files::{same_file, write_whole};
use klimt::measure::{groups_of as published_groups, note_untold};
use klimt::settings::Settings;
use klimt::verify::{Counted, count_release, describe_broken, facts, without_guides};
use klimt::{Other, did_you_mean};
use klimt_core::loss::{self, Groups, Loss, Original, PublishedGroup, PublishedGroups, Totals};
use klimt_core::partition::identical_tuples;
use klimt_core::registry;
use klimt_core::requirement::Requirement;
use klimt_core::risk::{Risk, certain_rows};
use klimt_core::table::{Role, Shape, Table};
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::columnar::TextRecords;
use klimt_report::{Asked, Inference, Kept, Report, Risks, Warning};
use klimt_verify::claims::{Outcome, check};
use klimt_verify::{Findings, Question, Tally};
use serde_json::{Map, Value, json};

/// Runs the command.
pub fn run(args: &ReportArgs) -> Result<()> {
    let mut settings = gather(args.spec.as_deref(), &args.columns, &args.format)?;
    args.requirements.apply(&mut settings)?;
    settings.workload = args.workload.clone().or(settings.workload);
    let mut problems = Vec::new();
    apply_splits(&mut settings, &args.split_at, &mut problems);
    Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)?;
    check_files(args, &settings)?;
    let certified = CertificateFile::of(&args.release, args.certificate.as_deref())?;
    if let Some(certified) = &certified {
        certificate::fill(&mut settings, &certified.certificate)?;
    }
    // The hierarchies that guide schemes are asked for again, though the release is not read by them.
    let again = settings.clone();
    let question = risk::question(&args.risk)?;
    let requirements = settings.build_requirements()?;
    let mut counted = count_release(Input::file(&args.release)?, &settings, &COUNTED)?;
    counted.tally = counted.tally.with_suppressed_stars(args.stars_are_suppressed);
    let tally = &counted.tally;
    without_guides(&mut settings, Some(&args.release), tally)?;
    let format = certificate::format(args, certified.as_ref());
    let (table, roles) = read_original(args, &settings, &format)?;
    let asked = Question { k: settings.k, original_rows: Some(table.rows() as u64) };
    let findings = Findings::new(tally, &asked)?;
    let outcomes = check(tally, &requirements, &facts(&settings)?)?;
    let published = published_groups(tally, &table)?;
    let groups = PublishedGroups::read(&table, published.clone())?;
    let losses = losses(args, &settings, certified.as_ref(), &groups, &published, &table, &findings)?;
    let warnings =
        warnings(args, &settings, &requirements, &counted, certified.as_ref(), (&findings, &outcomes))?;
    let report = Report {
        asked: Asked {
            original: file_name(&args.original),
            release: file_name(&args.release),
            k: settings.k,
            command: command::make(
                args,
                &format,
                &again,
                &roles,
                certified.as_ref().map(|found| &found.certificate),
            ),
            check: command::check(args, &settings, &roles),
            roles,
        },
        findings: &findings,
        outcomes: &outcomes,
        original: &table,
        published: &published,
        groups: &groups,
        kept: &kept(tally, &table),
        sizes: &findings.sizes,
        risks: risks(tally, &table, &findings, &question)?,
        losses,
        warnings,
        certificate: certified.as_ref().map(certificate::shown).transpose()?,
        plane: plane(&list_of("--scatter", &args.scatter)?, &table)?,
        query_errors: queries::errors(&table, &groups)?,
    };
    write_whole(&args.output, report.html().as_bytes())?;
    tell(args, &report)
}

/// Columns whose values are counted beside the groups.
const COUNTED: [Role; 2] = [Role::Sensitive, Role::Target];

/// The page must not overwrite what it is made from.
fn check_files(args: &ReportArgs, settings: &Settings) -> Result<()> {
    if args.release == "-" {
        return Err(Error::input("the release must be a file: it is read more than once"));
    }
    let certificate = format!("{}.certificate.json", args.release);
    let mut read = vec![args.original.as_str(), &args.release, &certificate];
    read.extend(args.spec.as_deref());
    read.extend(args.certificate.as_deref());
    read.extend(settings.files());
    match read.iter().find(|read| same_file(read, &args.output)) {
        None => Ok(()),
        Some(same) => {
            Err(Error::input(format!("{}: this output would overwrite the input {same}", args.output))
                .with_help("choose another name with -o"))
        }
    }
}

/// The columns of the original that the page is about, and the roles of all.
fn read_original(
    args: &ReportArgs,
    settings: &Settings,
    format: &FormatArgs,
) -> Result<(Table, Vec<(String, Role)>)> {
    let progress = Progress::new(args.general.quiet)?;
    let mut told = settings.clone();
    told.other = Some(Other::Drop);
    told.requirements.clear();
    told.tree.prefer.clear();
    // Published columns that are only carried along are not drawn, and need not be read.
    for column in told.columns.values_mut().filter(|column| column.role == Some(Role::Insensitive)) {
        column.role = Some(Role::Identifier);
    }
    let mut names = Vec::new();
    let table =
        read_table(&args.original, format, &settings.missing, threads(&args.general), &progress, |source| {
            names = source.columns().to_vec();
            columns::plan(&args.original, source.columns(), &told)
        })?;
    let released =
        TextRecords::open(&args.release, dialect_spec(&args.release, &args.format))?.columns().to_vec();
    let role = |name: &String| {
        let given = settings.columns.get(name).and_then(|column| column.role);
        given.unwrap_or(if released.contains(name) { Role::Insensitive } else { Role::Identifier })
    };
    let roles = names
        .into_iter()
        .map(|name| {
            let role = role(&name);
            (name, role)
        })
        .collect();
    Ok((table, roles))
}

/// The losses of the release as its certificate tells them: by the published rows, in four digits. Where rows were suppressed
/// and it is not known which, only losses by the sizes of groups are told without a certificate.
fn losses(
    args: &ReportArgs,
    settings: &Settings,
    certified: Option<&CertificateFile>,
    groups: &PublishedGroups<'_>,
    published: &[PublishedGroup],
    table: &Table,
    findings: &Findings,
) -> Result<Vec<(&'static str, f64, &'static str)>> {
    let weights = settings.weights(table);
    let k = settings.k.unwrap_or(findings.smallest_group).max(1);
    let rows = table.rows() as u64;
    let totals = Totals { rows, suppressed: findings.suppressed, groups: findings.groups, k };
    let every = || registry::LOSSES.iter().map(|(_, loss)| *loss as &dyn Loss);
    let members = (0..groups.count()).map(|group| groups.members(group));
    let members: Option<Vec<&[u32]>> = members.collect();
    let original = Original::new(table, &weights);
    let told = match (members, certified.filter(|certified| certified.matches)) {
        _ if findings.suppressed == 0 => {
            note_untold(&Progress::new(args.general.quiet)?.watched(), every(), &original, groups);
            loss::measure(every(), &original, groups, &totals)?
        }
        (_, Some(certified)) => {
            let loss = |loss: &dyn Loss| Some((loss.id(), certified.certificate.loss(loss.id())?));
            every().filter_map(loss).collect()
        }
        (Some(members), None) => {
            let mut rows = members.concat();
            rows.sort_unstable();
            let (narrow, _) = table.narrowed(&rows)?;
            let groups = PublishedGroups::read(&narrow, published.to_vec())?;
            loss::measure(every(), &Original::new(&narrow, &weights), &groups, &totals)?
        }
        (None, None) => {
            let by_sizes = every().filter(|loss| is_by_sizes(loss.id(), &original));
            loss::measure(by_sizes, &original, groups, &totals)?
        }
    };
    let help = |id: &str| {
        registry::LOSSES.iter().find(|(entry, _)| entry.id == id).map_or("", |(entry, _)| entry.help)
    };
    Ok(told.into_iter().map(|(id, value)| (id, four_digits(value), help(id))).collect())
}

fn risks(
    tally: &Tally,
    table: &Table,
    findings: &Findings,
    question: &klimt_core::risk::Question,
) -> Result<Risks> {
    let chosen = table.quasi_identifiers();
    let sizes = identical_tuples(table, chosen)?;
    let sensitive: Vec<usize> = (0..table.columns().len())
        .filter(|&column| table.columns()[column].role == Role::Sensitive)
        .collect();
    let certain = certain_rows(table, chosen, &sensitive)?;
    let share = |part: u64, all: u64| part as f64 / all.max(1) as f64;
    let inference = sensitive.iter().zip(certain).filter_map(|(&column, certain)| {
        let name = &table.columns()[column].name;
        let found = findings.sensitive.iter().find(|found| found.column == *name)?;
        Some(Inference {
            column: name.clone(),
            certain_before: share(certain, table.rows() as u64),
            certain_after: share(found.certain_rows, findings.rows),
            least_distinct: found.least_distinct,
        })
    });
    Ok(Risks {
        before: Risk::of(sizes.into_iter().map(u64::from), question),
        after: Risk::of(tally.groups().map(|group| group.rows()), question),
        contributions: klimt_verify::contributions(tally),
        inference: inference.collect(),
    })
}

/// How often the release has each value of the columns that were counted.
fn kept(tally: &Tally, table: &Table) -> Vec<Kept> {
    let mut kept = Vec::new();
    for histograms in tally.sensitive() {
        let Some(column) = table.columns().iter().position(|column| column.name == histograms.column())
        else {
            continue;
        };
        let mut rows = vec![0; histograms.values()];
        tally.cells(histograms).iter().for_each(|cell| rows[cell.value as usize] += cell.rows);
        let text = |(value, rows): (u32, u64)| (histograms.value(value).to_string(), rows);
        let texts = (0u32..).zip(rows).filter(|(_, rows)| *rows > 0).map(text).collect();
        kept.push(Kept { column, texts });
    }
    kept
}

/// The two dimensions to draw; all problems at once.
fn plane(names: &[String], table: &Table) -> Result<Option<(usize, usize)>> {
    if names.is_empty() {
        return Ok(None);
    }
    let all = || (0..table.dimensions()).map(|dimension| table.dimension(dimension).name.as_str());
    let mut problems = Vec::new();
    let mut found = Vec::new();
    for name in names {
        match all().position(|other| other == name) {
            None => problems
                .push(format!("--scatter: unknown quasi-identifier {name}{}", did_you_mean(name, all()))),
            Some(at) if !matches!(table.domain(at).shape(), Shape::Ordered) => {
                problems.push(format!("--scatter: column {name} has no order (give it one with --order)"));
            }
            Some(at) => found.push(at),
        }
    }
    if problems.is_empty() && (found.len() != 2 || found[0] == found[1]) {
        problems
            .push(String::from("--scatter: two different columns are needed, such as --scatter age,hours"));
    }
    match Error::all(ErrorKind::Input, problems) {
        Some(error) => Err(error),
        None => Ok(Some((found[0], found[1]))),
    }
}

/// What speaks against the release, and what a board would ask about.
fn warnings(
    args: &ReportArgs,
    settings: &Settings,
    requirements: &[Box<dyn Requirement>],
    counted: &Counted,
    certified: Option<&CertificateFile>,
    (findings, outcomes): (&Findings, &[Outcome]),
) -> Result<Vec<Warning>> {
    let mut warnings = Vec::new();
    if let Some(certified) = certified {
        warnings.extend(certificate::contradictions(certified, findings, outcomes));
    }
    let released =
        TextRecords::open(&args.release, dialect_spec(&args.release, &args.format))?.columns().to_vec();
    let identifier =
        |name: &&String| settings.columns.get(*name).and_then(|c| c.role) == Some(Role::Identifier);
    for name in released.iter().filter(identifier) {
        let text = format!("The release publishes column {name}, which is an identifier.");
        warnings.push(Warning { text, loud: true });
    }
    let mut say = |text: String| warnings.push(Warning { text, loud: false });
    if args.stars_are_suppressed {
        say(format!("The release was read with {}.", stars_note(counted.tally.suppressed())));
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
    let named = |name: &&String| settings.columns.get(*name).and_then(|column| column.role).is_none();
    for name in released.iter().filter(named) {
        say(format!("Column {name} is published and was given no role: it is taken as published as it is."));
    }
    counted.warnings.iter().for_each(|text| say(text.clone()));
    Ok(warnings)
}

/// A name without its folder.
fn file_name(path: &str) -> String {
    let name = std::path::Path::new(path).file_name();
    name.map_or_else(|| String::from("standard input"), |name| name.to_string_lossy().into_owned())
}

/// Says what was found; a release that fails ends with exit code 1 although its page is written.
fn tell(args: &ReportArgs, report: &Report<'_>) -> Result<()> {
    let findings = report.findings;
    if args.json {
        let losses: Map<String, Value> =
            report.losses.iter().map(|(id, loss, _)| (id.to_string(), json!(loss))).collect();
        let warnings: Vec<Value> =
            report.warnings.iter().map(|w| json!({ "text": w.text, "loud": w.loud })).collect();
        let text = json!({ "page": args.output, "holds": report.holds(), "least": report.least(), "findings": findings,
            "claims": report.outcomes, "losses": losses, "warnings": warnings,
            "risk": { "before": report.risks.before, "after": report.risks.after } });
        let text = format!("{text:#}\n");
        if args.output == "-" { note(false, text.trim_end()) } else { print(&text)? }
    } else {
        let holds = if report.holds() { "holds" } else { "FAILS" };
        note(
            args.general.quiet,
            &format!(
                "{}: {holds}; {} rows in {} groups, the smallest of {}",
                args.output,
                count(findings.rows),
                count(findings.groups),
                count(findings.smallest_group)
            ),
        );
        let loud = report.warnings.iter().filter(|warning| warning.loud);
        loud.for_each(|warning| note(args.general.quiet, &format!("warning: {}", warning.text)));
    }
    let failed = report.outcomes.iter().filter(|outcome| !outcome.holds);
    let mut broken: Vec<String> = failed.map(describe_broken).collect();
    broken.extend(report.warnings.iter().filter(|warning| warning.loud).map(|warning| warning.text.clone()));
    Error::all(ErrorKind::Unsatisfied, broken).map_or(Ok(()), Err)
}
