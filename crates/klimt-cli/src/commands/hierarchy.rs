//! `klimt hierarchy`: build, check and show taxonomies.

pub mod args;

use super::{read_table, threads};
use crate::progress::Progress;
use crate::terminal::{count, note, print};
use args::{BuildArgs, BuildBy, CheckArgs, CountArgs, HierarchyCommand};
use klimt::columns::{load_hierarchy, read_order};
use klimt::did_you_mean;
use klimt::files::same_file;
use klimt::files::write_whole;
use klimt_core::Choice;
use klimt_core::algorithm::scheme::{ColumnFamily, Scheme, drawn};
use klimt_core::hierarchy::build::{
    Dates, EqualCount, EqualWidth, Order, PrefixLengths, dates, equal_count, equal_width, order, prefixes,
};
use klimt_core::hierarchy::{Hierarchy, NodeId, WriteOptions, write_csv};
use klimt_core::table::{ColumnSpec, Decimal, Role};
use klimt_core::{Error, Result};
use klimt_io::source::{ColumnPlan, Source};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Runs the command.
pub fn run(command: HierarchyCommand) -> Result<()> {
    match command {
        HierarchyCommand::Build(args) => build(&args),
        HierarchyCommand::Check(args) => check_one(&args),
        HierarchyCommand::Count(args) => count_all(&args),
        HierarchyCommand::Show { file } => draw(&load_hierarchy(&file)?),
    }
}

fn build(args: &BuildArgs) -> Result<()> {
    if same_file(&args.input, &args.output) {
        return Err(Error::input(format!("{}: this output would overwrite the input", args.output)));
    }
    let values = values(args)?;
    let number = |text: &String| {
        text.parse::<Decimal>()
            .map_err(|()| Error::input("a width or origin is not a number").with_help("--widths 5,10,20"))
    };
    let tree = match args.by {
        BuildBy::Width => {
            let mut parameters = EqualWidth::new(args.widths.iter().map(number).collect::<Result<Vec<_>>>()?);
            if let Some(origin) = &args.origin {
                parameters.origin = number(origin)?;
            }
            equal_width(values, &parameters)?
        }
        BuildBy::Count => {
            let per_group = args.size.unwrap_or(5) as usize;
            let fan_out = args.fanout.unwrap_or(2) as usize;
            let groups = (values.len() / per_group.max(1)).max(1);
            let levels = (groups as f64).log(fan_out.max(2) as f64).floor() as usize;
            equal_count(values, &EqualCount { per_group, fan_outs: vec![fan_out; levels] })?
        }
        BuildBy::Date => dates(values, &Dates { decades: args.decades })?,
        BuildBy::Prefix => {
            let lengths = args.lengths.iter().map(|&length| length as usize).collect::<Vec<_>>();
            let lengths =
                if lengths.is_empty() { PrefixLengths::Every } else { PrefixLengths::Given(lengths) };
            prefixes(values, &lengths)?
        }
        BuildBy::Order => {
            let listed = args.order.as_deref().map(read_order).transpose()?.unwrap_or(values);
            order(listed, &Order { fan_out: args.fanout.unwrap_or(2) as usize })?
        }
    };
    let text = write_csv(&tree, &WriteOptions::default())?;
    if args.output == "-" { print(&text) } else { write_whole(&args.output, text.as_bytes()) }
}

/// The different values of the column, in their natural order.
fn values(args: &BuildArgs) -> Result<Vec<String>> {
    let progress = Progress::new(args.general.quiet)?;
    let threads = threads(&args.general);
    let table = read_table(&args.input, &args.format, &[], threads, &progress, |source| {
        only(&args.input, source, &args.column, None)
    })?;
    let domain = table.domain(0);
    Ok((0..domain.value_count() as u32).map(|code| domain.text(code)).collect())
}

/// A plan that reads one column.
fn only(path: &str, source: &Source, column: &str, tree: Option<&Arc<Hierarchy>>) -> Result<Vec<ColumnPlan>> {
    position(path, source.columns(), column)?;
    let spec = |name: &String| {
        let mut spec = ColumnSpec::new(name, Role::QuasiIdentifier);
        spec.hierarchy = tree.cloned();
        (name == column).then_some(spec)
    };
    Ok(source.columns().iter().map(|name| ColumnPlan { spec: spec(name) }).collect())
}

fn position(path: &str, columns: &[String], name: &str) -> Result<usize> {
    columns.iter().position(|column| column == name).ok_or_else(|| {
        let hint = did_you_mean(name, columns.iter().map(String::as_str));
        Error::input(format!("{path}: unknown column {name}{hint}"))
    })
}

fn check_one(args: &CheckArgs) -> Result<()> {
    let tree = load_hierarchy(&args.file)?;
    let size = format!(
        "{}: {} leaves, {} nodes, height {}",
        args.file,
        count(u64::from(tree.leaf_count())),
        count(u64::from(tree.node_count())),
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
    let progress = Progress::new(args.general.quiet)?;
    let tree = Arc::new(tree);
    // Reading the column with its hierarchy names every value that is missing from it.
    let table = read_table(input, &args.format, &[], threads(&args.general), &progress, |source| {
        only(input, source, name, Some(&tree))
    })?;
    let mut used = vec![false; table.domain(0).cardinality()];
    (0..table.rows()).for_each(|row| used[table.codes(0).get(row) as usize] = true);
    let covered = used.iter().take(tree.leaf_count() as usize).filter(|&&used| used).count() as u64;
    note(
        args.general.quiet,
        &format!(
            "{size}; covers the {} values of {name}, {} leaves unused",
            count(covered),
            count(u64::from(tree.leaf_count()) - covered)
        ),
    );
    Ok(())
}

/// How many generalizations each scheme allows, or one of them.
fn count_all(args: &CountArgs) -> Result<()> {
    let tree = load_hierarchy(&args.file)?;
    let asked = |scheme: Scheme| args.scheme.is_none_or(|only| only == scheme);
    let mut counts = Vec::new();
    for &(scheme, name, _) in Scheme::ALL.iter().filter(|(scheme, ..)| asked(*scheme)) {
        let count = match drawn(scheme, &tree) {
            Some(count) => count.to_string(),
            None => ColumnFamily::of_hierarchy(scheme, &tree, (0, u32::MAX))?.count_text(),
        };
        counts.push((name, count));
    }
    if args.json {
        let counts: Map<String, Value> =
            counts.into_iter().map(|(name, count)| (name.to_string(), Value::String(count))).collect();
        return print(&format!("{:#}\n", Value::Object(counts)));
    }
    let lines = counts.iter().map(|(name, count)| match args.scheme {
        Some(_) => format!("{count}\n"),
        None => format!("{name:<4} {count}\n"),
    });
    print(&lines.collect::<String>())
}

/// The levels that are drawn as branches; below, a line says how deep its node is.
const DRAWN: usize = 60;
/// Lines are printed when they have so many bytes.
const PRINTED: usize = 1 << 16;

/// Prints the tree, a line per node.
fn draw(tree: &Hierarchy) -> Result<()> {
    let mut text = format!("{} ({} leaves)\n", tree.label(tree.root()), tree.leaf_count());
    // What waits: a node, how deep it is, and whether it is the last of its siblings.
    let mut pending: Vec<(NodeId, usize, bool)> = Vec::new();
    let push = |parent: NodeId, depth: usize, pending: &mut Vec<(NodeId, usize, bool)>| {
        let children = tree.children(parent);
        for (at, &child) in children.iter().enumerate().rev() {
            pending.push((child, depth, at + 1 == children.len()));
        }
    };
    push(tree.root(), 0, &mut pending);
    let mut indents: Vec<&str> = Vec::new();
    while let Some((node, depth, last)) = pending.pop() {
        let leaves =
            if tree.is_leaf(node) { String::new() } else { format!(" ({})", tree.leaves_under(node)) };
        let (branch, deeper) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let label = tree.label(node);
        if depth < DRAWN {
            indents.truncate(depth);
            indents.iter().for_each(|indent| text.push_str(indent));
            text.push_str(&format!("{branch}{label}{leaves}\n"));
            indents.push(deeper);
        } else {
            text.push_str(&format!("… level {} {branch}{label}{leaves}\n", depth + 1));
        }
        push(node, depth + 1, &mut pending);
        if text.len() >= PRINTED {
            print(&text)?;
            text.clear();
        }
    }
    print(&text)
}
