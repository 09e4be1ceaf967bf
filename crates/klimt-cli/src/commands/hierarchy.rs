//! `klimt hierarchy`: build, check and show taxonomies.

pub mod args;

use super::threads;
use crate::options::{FormatArgs, GeneralArgs};
use crate::progress::Progress;
use crate::terminal::{count, note, print};
use args::{BuildArgs, BuildBy, CheckArgs, CountArgs, HierarchyCommand};
use klimt::columns::read_order;
use klimt::files::{same_file, write_private};
use klimt::hierarchy::{BuildRule, Hierarchy};
use klimt::settings::Settings;
use klimt::{Anonymizer, Input};
use klimt_core::{Error, Result};

/// Runs the command.
pub fn run(command: HierarchyCommand) -> Result<()> {
    match command {
        HierarchyCommand::Build(args) => build(&args),
        HierarchyCommand::Check(args) => check(&args),
        HierarchyCommand::Count(args) => count_all(&args),
        HierarchyCommand::Show { file } => Hierarchy::from_file(file)?.draw(print),
    }
}

/// How the table is written, and who watches its reading.
fn reading(format: &FormatArgs, general: &GeneralArgs) -> Result<Anonymizer> {
    threads(general);
    let settings = Settings { source: format.source(), ..Settings::default() };
    Ok(Anonymizer::of(settings).observer(Progress::new(general.quiet)?))
}

fn build(args: &BuildArgs) -> Result<()> {
    if same_file(&args.input, &args.output) {
        return Err(Error::input(format!("{}: this output would overwrite the input", args.output)));
    }
    let (input, asked) = (Input::file(&args.input)?, reading(&args.format, &args.general)?);
    let text = Hierarchy::of_column(input, &args.column, rule(args)?, &asked)?.to_csv()?;
    if args.output == "-" { print(&text) } else { write_private(&args.output, text.as_bytes()) }
}

fn rule(args: &BuildArgs) -> Result<BuildRule> {
    let fan_out = args.fanout.map_or(BuildRule::FAN_OUT, |groups| groups as usize);
    Ok(match args.by {
        BuildBy::Width => BuildRule::widths(&args.widths, args.origin.as_deref())?,
        BuildBy::Count => {
            BuildRule::Count { size: args.size.map_or(BuildRule::SIZE, |values| values as usize), fan_out }
        }
        BuildBy::Date => BuildRule::Date { decades: args.decades },
        BuildBy::Prefix => {
            BuildRule::Prefix { lengths: args.lengths.iter().map(|&length| length as usize).collect() }
        }
        BuildBy::Order => {
            let values = args.order.as_deref().map(read_order).transpose()?.unwrap_or_default();
            BuildRule::Order { values, fan_out }
        }
    })
}

fn check(args: &CheckArgs) -> Result<()> {
    let tree = Hierarchy::from_file(&args.file)?;
    let size = format!(
        "{}: {} leaves, {} nodes, height {}",
        args.file,
        count(u64::from(tree.values())),
        count(u64::from(tree.nodes())),
        tree.height()
    );
    let Some(input) = &args.input else {
        note(args.general.quiet, &size);
        return Ok(());
    };
    let name = args
        .column
        .as_ref()
        .ok_or_else(|| Error::input("which column is it the hierarchy of?").with_help("say --column NAME"))?;
    let coverage = tree.coverage(Input::file(input)?, name, &reading(&args.format, &args.general)?)?;
    note(
        args.general.quiet,
        &format!(
            "{size}; covers the {} values of {name}, {} leaves unused",
            count(coverage.covered),
            count(coverage.unused)
        ),
    );
    Ok(())
}

/// How many generalizations each scheme allows, or one of them.
fn count_all(args: &CountArgs) -> Result<()> {
    let counts = Hierarchy::from_file(&args.file)?.generalizations(args.scheme)?;
    if args.json {
        let text = serde_json::to_string_pretty(&counts).map_err(|e| Error::internal(e.to_string()))?;
        return print(&format!("{text}\n"));
    }
    let lines = counts.0.iter().map(|(name, count)| match args.scheme {
        Some(_) => format!("{count}\n"),
        None => format!("{name:<4} {count}\n"),
    });
    print(&lines.collect::<String>())
}
