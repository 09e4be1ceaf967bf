//! `klimt query`: what a release answers to the queries of its users, beside the original.

pub mod args;

use super::{read_table, threads};
use crate::columns::{gather, list_of};
use crate::progress::Progress;
use crate::terminal::{note, print, table as text_table};
use args::QueryArgs;
use klimt::Input;
use klimt::Other;
use klimt::certificate::declared_beside;
use klimt::files::{same_file, write_private};
use klimt::measure::as_categories;
use klimt::run::workload;
use klimt::settings::{ColumnSettings, Settings};
use klimt::verify::{tally, without_guides};
use klimt_core::recode::{MAXIMUM, MEAN, MINIMUM};
use klimt_core::table::{Role, Table, TypeSpec, ValueType};
use klimt_core::workload::{Errors, Released, Summary, Workload};
use klimt_core::{Error, ErrorKind, Result};
use serde_json::{Value, json};

/// More queries than this are only summed up.
const SHOWN: usize = 25;
/// Longer texts of queries are cut off.
const LONGEST: usize = 72;

/// Runs the command.
pub fn run(args: &QueryArgs) -> Result<()> {
    let mut settings = gather(args.spec.as_deref(), &args.columns, &args.format)?;
    settings.other = Some(Other::Drop);
    if let Some(release) = &args.release
        && settings.columns.values().any(|column| column.hierarchy.is_some())
    {
        let tally = tally(Input::file(release)?, &settings, &[])?;
        without_guides(&mut settings, Some(release), &tally)?;
    }
    if let Some(release) = &args.release {
        let problems = declared_beside(&mut settings, release);
        Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)?;
    }
    let mut queries = args.workload.as_deref().map(workload::read).transpose()?;
    let made = queries.is_none();
    let (original, columns) = read_original(args, &mut settings, queries.get_or_insert_default())?;
    let queries = match queries {
        Some(queries) if !made => queries,
        _ => make(args, &original)?,
    };
    if let Some(path) = &args.save {
        save(path, args, &queries)?;
    }
    let bound = queries.bind(&original)?;
    workload::note_unknown(&Progress::new(args.general.quiet)?.watched(), &bound);
    let exact = bound.exact(&original);
    let Some(release) = &args.release else { return show_exact(args, &queries, made, &exact) };
    let rows = read_release(release, args, as_categories(&settings), &columns)?;
    let released = Released::read(&original, &rows)?;
    for column in &released.ignored {
        let why = "it does not hold statistics of the groups of the release";
        note(args.general.quiet, &format!("{column} is not used: {why}"));
    }
    let is_dimension = |name: &str| (0..original.dimensions()).any(|d| original.dimension(d).name == name);
    let published = |name: &str| rows.columns().iter().any(|column| column.name == name);
    if let Some(column) = queries.columns().into_iter().find(|column| !published(column)) {
        return Err(Error::input(format!("{release} does not publish column {column}"))
            .with_help("ask about columns of the release only"));
    }
    let of_rows = queries.about(|name| !is_dimension(name)).bind(&rows)?;
    let errors = Errors::new(&queries, &bound, &exact, &released.answers(&bound, &of_rows));
    show(args, &queries, made, &errors, released.suppressed())
}

/// The queries that the flags ask to be made.
fn make(args: &QueryArgs, table: &Table) -> Result<Workload> {
    let about = list_of("--about", &args.about)?;
    let dimensions: Vec<usize> = match about.is_empty() {
        true => (0..table.dimensions()).collect(),
        false => {
            let find = |name: &String| {
                (0..table.dimensions()).find(|&d| table.dimension(d).name == *name).ok_or_else(|| {
                    Error::input(format!("{name} is no quasi-identifier"))
                        .with_help("--about names columns of --qi")
                })
            };
            about.iter().map(find).collect::<Result<_>>()?
        }
    };
    Ok(match args.random {
        Some(many) => Workload::ranges(table, &dimensions, many, args.seed),
        None => Workload::values(table, &dimensions),
    })
}

fn save(path: &str, args: &QueryArgs, queries: &Workload) -> Result<()> {
    if args.release.iter().chain([&args.original]).any(|input| same_file(path, input)) {
        return Err(Error::input(format!("{path} is one of the tables; write the queries elsewhere")));
    }
    let text: String = queries.queries.iter().map(|query| format!("{query};\n")).collect();
    write_private(path, text.as_bytes())
}

/// The quasi-identifiers of the original and the other columns that queries look at, which are then all that is set; and the
/// names of all columns.
fn read_original(
    args: &QueryArgs,
    settings: &mut Settings,
    queries: &mut Workload,
) -> Result<(Table, Vec<String>)> {
    let progress = Progress::new(args.general.quiet)?;
    let (path, missing) = (&args.original, settings.missing.clone());
    let mut names = Vec::new();
    let table = read_table(path, &args.format, &missing, threads(&args.general), &progress, |source| {
        names = source.columns().to_vec();
        workload::resolve(queries, source.columns())?;
        ask_about(settings, queries)?;
        klimt::columns::plan(path, source.columns(), settings)
    })?;
    Ok((table, names))
}

/// The same columns of a release, and the statistics that it publishes beside its quasi-identifiers.
fn read_release(path: &str, args: &QueryArgs, mut settings: Settings, original: &[String]) -> Result<Table> {
    let progress = Progress::new(args.general.quiet)?;
    let missing = settings.missing.clone();
    read_table(path, &args.format, &missing, threads(&args.general), &progress, |source| {
        // What a release does not publish is told by name afterwards.
        settings.columns.retain(|name, column| {
            column.role == Some(Role::QuasiIdentifier) || source.columns().contains(name)
        });
        let of_dimensions: Vec<String> = settings
            .columns
            .iter()
            .filter(|(_, column)| column.role == Some(Role::QuasiIdentifier))
            .flat_map(|(name, _)| [MINIMUM, MAXIMUM, MEAN].map(|suffix| format!("{name}{suffix}")))
            .collect();
        // A column of the original that has such a name is no statistic.
        let published = |name: &String| source.columns().contains(name) && !original.contains(name);
        for name in of_dimensions.into_iter().filter(published) {
            settings.columns.insert(
                name,
                ColumnSettings {
                    role: Some(Role::Target),
                    type_spec: Some(TypeSpec::from(ValueType::Text)),
                    allow_unique: true,
                    ..ColumnSettings::default()
                },
            );
        }
        klimt::columns::plan(path, source.columns(), &settings)
    })
}

/// Leaves only the columns that matter, with those that queries look at coded.
fn ask_about(settings: &mut Settings, queries: &Workload) -> Result<()> {
    let asked = queries.columns();
    settings.requirements.clear();
    for name in &asked {
        let column = settings.columns.entry(name.to_string()).or_default();
        match column.role {
            Some(Role::Identifier) => {
                return Err(Error::input(format!("the workload asks about {name}, an identifier")));
            }
            Some(Role::QuasiIdentifier) => {}
            _ => column.role = Some(Role::Target),
        }
    }
    let matters = |name: &String, column: &ColumnSettings| {
        column.role == Some(Role::QuasiIdentifier) || asked.contains(&name.as_str())
    };
    settings.columns.retain(|name, column| matters(name, column));
    Ok(())
}

/// A query in a line: its own text, or the columns of one that was made, as that holds values of the table.
fn label(queries: &Workload, number: usize, made: bool) -> String {
    let query = &queries.queries[number];
    let text = match &query.name {
        Some(name) => name.clone(),
        None if made => format!("{} by {}", query.aggregate, query.columns().join(", ")),
        None => query.to_string().trim_start_matches("SELECT ").replace('"', ""),
    };
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn number(value: Option<f64>) -> String {
    match value {
        None => "-".to_string(),
        Some(value) if value.fract() == 0.0 && value.abs() < 1e15 => format!("{value:.0}"),
        Some(value) => format!("{value:.2}"),
    }
}

fn share(value: Option<f64>) -> String {
    value.map_or("-".to_string(), |value| format!("{:.2}%", value * 100.0))
}

fn show_exact(args: &QueryArgs, queries: &Workload, made: bool, exact: &[Option<f64>]) -> Result<()> {
    if args.json {
        let all: Vec<Value> = exact
            .iter()
            .enumerate()
            .map(|(at, exact)| json!({ "query": label(queries, at, made), "exact": exact }))
            .collect();
        return print(&format!("{:#}\n", json!({ "queries": all })));
    }
    let mut lines = vec![["", "query", "exact"].map(String::from).to_vec()];
    let shown = exact.iter().enumerate().take(SHOWN);
    lines.extend(
        shown.map(|(at, exact)| vec![(at + 1).to_string(), label(queries, at, made), number(*exact)]),
    );
    print(&(text_table(&lines) + &more(exact.len())))
}

fn more(queries: usize) -> String {
    match queries.checked_sub(SHOWN) {
        Some(rest) if rest > 0 => format!("… and {rest} more (--json has all)\n"),
        _ => String::new(),
    }
}

fn show(args: &QueryArgs, queries: &Workload, made: bool, errors: &Errors, suppressed: usize) -> Result<()> {
    if args.json {
        return print(&format!("{:#}\n", as_json(queries, made, errors, suppressed)));
    }
    let many = errors.answers.len();
    let mut text = String::new();
    if many <= SHOWN {
        let heading = ["", "query", "exact", "answer", "error", "groups met", "error", "matches", "exact"];
        let mut lines = vec![heading.map(String::from).to_vec()];
        for (at, answer) in errors.answers.iter().enumerate() {
            lines.push(vec![
                (at + 1).to_string(),
                label(queries, at, made),
                number(answer.exact),
                number(answer.estimate.spread),
                share(errors.relative(at)),
                number(answer.estimate.matched),
                share(errors.matched(at)),
                yes_or_no(answer.estimate.partial == 0),
                yes_or_no(answer.estimate.exact),
            ]);
        }
        text = text_table(&lines) + "\n";
    }
    let mut lines = vec![["error", "mean", "deviation", "median", "greatest"].map(String::from).to_vec()];
    let mut line = |name: &str, summary: Option<Summary>, shown: fn(Option<f64>) -> String| {
        let parts = summary.map(|one| [one.mean, one.deviation, one.median, one.most]);
        let of = |at: usize| shown(parts.map(|parts| parts[at]));
        lines.push(vec![name.to_string(), of(0), of(1), of(2), of(3)]);
    };
    line("rows spread evenly", errors.summary(Errors::relative), share);
    line("groups counted whole", errors.summary(Errors::matched), share);
    line("absolute", errors.summary(Errors::absolute), number);
    text += &text_table(&lines);
    text += &format!("\n{} of {many} predicates coincide with region boundaries", errors.matching());
    text += &match suppressed {
        0 => format!("; {} answers are exact\n", errors.exact()),
        rows => format!("; {rows} rows are suppressed, so that no answer is known to be exact\n"),
    };
    print(&text)
}

fn yes_or_no(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_string()
}

fn as_json(queries: &Workload, made: bool, errors: &Errors, suppressed: usize) -> Value {
    let summary = |summary: Option<Summary>| {
        summary.map(|one| {
            json!({ "queries": one.queries, "mean": one.mean, "deviation": one.deviation,
                "median": one.median, "greatest": one.most })
        })
    };
    let of = |at: usize| {
        let answer = &errors.answers[at];
        json!({ "query": label(queries, at, made), "weight": errors.weights[at], "exact": answer.exact,
            "spread": answer.estimate.spread, "error": errors.relative(at),
            "matched": answer.estimate.matched, "matched_error": errors.matched(at),
            "partial_rows": answer.estimate.partial, "matches": answer.estimate.partial == 0,
            "is_exact": answer.estimate.exact })
    };
    let all: Vec<Value> = (0..errors.answers.len()).map(of).collect();
    json!({
        "error": summary(errors.summary(Errors::relative)),
        "matched_error": summary(errors.summary(Errors::matched)),
        "absolute_error": summary(errors.summary(Errors::absolute)),
        "matching": errors.matching(),
        "exact_answers": errors.exact(),
        "suppressed": suppressed,
        "queries": all,
    })
}
