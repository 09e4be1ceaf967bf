//! `klimt query`: the answers of a release to the queries of its users, beside the original.

pub mod args;

use super::threads;
use crate::columns::{gather, list_of};
use crate::progress::Progress;
use crate::terminal::{print, table as text_table};
use args::QueryArgs;
use klimt::Input;
use klimt::query::{
    Answers, ErrorSummary, QueryAnswer, QueryRequest, Questions, ReleaseAnswer, ReleaseErrors,
};
use klimt_core::{Error, Result};

/// More queries than this are only summed up.
const SHOWN: usize = 25;

/// Runs the command.
pub fn run(args: &QueryArgs) -> Result<()> {
    let settings = gather(args.spec.as_deref(), &args.columns, &args.format)?;
    let mut request = QueryRequest::of(settings, questions(args)?);
    if let Some(path) = &args.save {
        request = request.save_to(path);
    }
    threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let release = args.release.as_ref().map(Input::file).transpose()?;
    let answers = request.run(Input::file(&args.original)?, release, &progress.watched())?;
    if args.json {
        let text = serde_json::to_string_pretty(&answers).map_err(|e| Error::internal(e.to_string()))?;
        return print(&format!("{text}\n"));
    }
    print(&match &answers.errors {
        None => describe_exact(&answers.queries),
        Some(errors) => describe(&answers, errors),
    })
}

/// The queries of a file, or those that the flags ask to be made.
fn questions(args: &QueryArgs) -> Result<Questions> {
    if let Some(path) = &args.workload {
        return Questions::from_file(path);
    }
    let questions = args.random.map_or_else(Questions::values, Questions::random);
    Ok(questions.seed(args.seed).about(list_of("--about", &args.about)?))
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

fn yes_or_no(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_string()
}

fn describe_exact(queries: &[QueryAnswer]) -> String {
    let mut lines = vec![["", "query", "exact"].map(String::from).to_vec()];
    let shown = queries.iter().enumerate().take(SHOWN);
    lines.extend(
        shown.map(|(at, query)| vec![(at + 1).to_string(), query.query.clone(), number(query.exact)]),
    );
    let rest = match queries.len().checked_sub(SHOWN) {
        Some(rest) if rest > 0 => format!("… and {rest} more (--json has all)\n"),
        _ => String::new(),
    };
    text_table(&lines) + &rest
}

fn describe(answers: &Answers, errors: &ReleaseErrors) -> String {
    let many = answers.queries.len();
    let mut text = String::new();
    if many <= SHOWN {
        let heading = ["", "query", "exact", "answer", "error", "groups met", "error", "matches", "exact"];
        let mut lines = vec![heading.map(String::from).to_vec()];
        for (at, answer) in answers.queries.iter().enumerate() {
            lines.extend(answer.released.as_ref().map(|released| line(at + 1, answer, released)));
        }
        text = text_table(&lines) + "\n";
    }
    let mut lines = vec![["error", "mean", "deviation", "median", "greatest"].map(String::from).to_vec()];
    let mut line = |name: &str, summary: Option<ErrorSummary>, shown: fn(Option<f64>) -> String| {
        let parts = summary.map(|one| [one.mean, one.deviation, one.median, one.greatest]);
        let of = |at: usize| shown(parts.map(|parts| parts[at]));
        lines.push(vec![name.to_string(), of(0), of(1), of(2), of(3)]);
    };
    line("rows spread evenly", errors.error, share);
    line("groups counted whole", errors.matched_error, share);
    line("absolute", errors.absolute_error, number);
    text += &text_table(&lines);
    text += &format!("\n{} of {many} predicates coincide with region boundaries", errors.matching);
    text += &match errors.suppressed {
        0 => format!("; {} answers are exact\n", errors.exact_answers),
        rows => format!("; {rows} rows are suppressed, so that no answer is known to be exact\n"),
    };
    text
}

fn line(number_of: usize, answer: &QueryAnswer, released: &ReleaseAnswer) -> Vec<String> {
    vec![
        number_of.to_string(),
        answer.query.clone(),
        number(answer.exact),
        number(released.spread),
        share(released.error),
        number(released.matched),
        share(released.matched_error),
        yes_or_no(released.matches),
        yes_or_no(released.is_exact),
    ]
}
