//! The section about each column: how general it became, and how its values are spread before and after.

use crate::aggregate::{BinDrawing, Distribution, LeftOut, Weight, distribution, is_common, weights};
use crate::drawings::ReleaseRows;
use crate::html::{Html, Table, count, number, percent, text};
use klimt_chart::{Axis, Bars, Bin, Chart, Frame, Histogram, Tick};
use klimt_core::region::{PublishedReader, Reach};
use klimt_core::statistics::Extent;
use klimt_core::table::{Domain, Shape};
use std::collections::BTreeMap;

/// A published text with its rows, and what it stands for.
struct PublishedText<'a> {
    text: &'a str,
    rows: u64,
    reach: Reach,
}

/// The most frequent published values that are named.
const NAMED: usize = 5;

pub(crate) fn body(release: &ReleaseRows<'_>, left_out: &LeftOut) -> Html {
    let mut out = Html::default();
    let table = release.original;
    let said: Vec<Vec<PublishedText<'_>>> =
        (0..table.dimensions()).map(|dimension| said(release, dimension)).collect();
    out.table(&overview(release, &said));
    for (dimension, said) in said.iter().enumerate() {
        let column = table.quasi_identifiers()[dimension];
        let Some(weights) = weights(table, column, left_out) else { continue };
        let after: Vec<(Extent, u64)> =
            said.iter().map(|one| (one.reach.covered.clone(), one.rows)).collect();
        let (name, domain) = (&table.dimension(dimension).name, table.domain(dimension));
        out.heading(name);
        draw(release, left_out, &mut out, (column, domain), &weights, &after);
        frequent(release, &mut out, domain, &weights, said);
    }
    for kept in release.kept {
        let column = &table.columns()[kept.column];
        let Some((domain, _)) = column.coded() else { continue };
        let Some(weights) = weights(table, kept.column, left_out) else { continue };
        let reader = PublishedReader::new(domain);
        let exact = |text: &str| reader.code(text).map(|code| Extent::Interval { lo: code, hi: code });
        let after: Vec<(Extent, u64)> =
            kept.texts.iter().filter_map(|(text, rows)| Some((exact(text)?, *rows))).collect();
        out.heading(&format!("{} ({}, published as it is)", column.name, column.role));
        draw(release, left_out, &mut out, (kept.column, domain), &weights, &after);
    }
    out
}

/// The published texts of a dimension, each once, in their order.
fn said<'a>(release: &'a ReleaseRows<'_>, dimension: usize) -> Vec<PublishedText<'a>> {
    let mut rows: BTreeMap<&str, u64> = BTreeMap::new();
    for group in release.published {
        *rows.entry(&group.texts[dimension]).or_default() += group.rows;
    }
    let reader = PublishedReader::new(release.original.domain(dimension));
    rows.into_iter()
        .filter_map(|(text, rows)| Some(PublishedText { text, rows, reach: reader.reach(text)? }))
        .collect()
}

fn overview(release: &ReleaseRows<'_>, said: &[Vec<PublishedText<'_>>]) -> Table {
    let mut table = Table::new(
        "Quasi-identifiers: how many different values there were and are, and how rows are published",
        &["column", "domain", "#values", "#published values", "#exact", "#generalised", "#as *", "#loss"],
    );
    for (dimension, said) in said.iter().enumerate() {
        let domain = release.original.domain(dimension);
        let all: u64 = said.iter().map(|one| one.rows).sum();
        let share = |of: &dyn Fn(&PublishedText<'_>) -> bool| {
            let rows: u64 = said.iter().filter(|one| of(one)).map(|one| one.rows).sum();
            rows as f64 / all.max(1) as f64
        };
        let (exact, stars) = (share(&|one| one.reach.covered.len() == 1), share(&|one| one.text == "*"));
        let general = (1.0 - exact - stars).max(0.0);
        let lost: f64 = said.iter().map(|one| domain.penalty_of(&one.reach.ends) * one.rows as f64).sum();
        let lost = lost / all.max(1) as f64;
        let shape = match domain.shape() {
            Shape::Ordered => format!("ordered ({})", domain.value_type()),
            Shape::Hierarchy(_) => String::from("hierarchy"),
            Shape::Set => String::from("set"),
        };
        table.row(vec![
            text(&release.original.dimension(dimension).name),
            text(shape),
            count(domain.value_count() as u64),
            count(said.len() as u64),
            number(percent(exact), exact),
            number(percent(general), general),
            number(percent(stars), stars),
            number(percent(lost), lost),
        ]);
    }
    table
}

fn draw(
    release: &ReleaseRows<'_>,
    left_out: &LeftOut,
    out: &mut Html,
    (column, domain): (usize, &Domain),
    weights: &[Weight],
    after: &[(Extent, u64)],
) {
    let found = match distribution(domain, weights, after, left_out, release.least) {
        BinDrawing::Not(why) => return out.remark(&why),
        BinDrawing::Bins(found) => found,
    };
    let name = &release.original.columns()[column].name;
    let mut data =
        Table::new(format!("Rows of {name}"), &["values", "#rows of the original", "#rows of the release"]);
    for bin in &found.bins {
        data.row(vec![
            text(&bin.label),
            count(bin.before),
            number(klimt_chart::number(rounded(bin.after)), bin.after),
        ]);
    }
    let id = format!("column-{column}");
    let description =
        "Rows before and after; rows with a more general value are spread evenly over what it stands for";
    match found.measured {
        Some(_) => out.figure(&id, &*ranges(name, description, &found), &data),
        None => {
            let labels = found.bins.iter().map(|bin| bin.label.clone()).collect();
            let chart =
                Bars::new(Frame::new(format!("Rows by {name}"), description), labels, Axis::new("rows"))
                    .with("original", found.bins.iter().map(|bin| bin.before as f64).collect())
                    .with("release", found.bins.iter().map(|bin| rounded(bin.after)).collect())
                    .with_values()
                    .to_the_right();
            out.figure(&id, &chart, &data);
        }
    }
}

fn ranges(name: &str, description: &str, found: &Distribution) -> Box<dyn Chart> {
    let measured = found.measured.expect("only ranges come here");
    let placed = || found.bins.iter().filter_map(|bin| Some((bin.place?, bin)));
    let ends: Vec<f64> = placed().flat_map(|((from, to), _)| [from, to]).collect();
    let step = placed().map(|((from, to), _)| to - from).fold(f64::INFINITY, f64::min);
    let mut ticks: Vec<Tick> =
        ends.iter().map(|&at| Tick { at, label: measured.written(at, step) }).collect();
    ticks.dedup_by(|a, b| a.at == b.at);
    // The outermost bins are open, so that their outer ends stand for nothing.
    let ticks = ticks[1..ticks.len().saturating_sub(1).max(1)].to_vec();
    let bins = |rows: &dyn Fn(&crate::aggregate::BinCounts) -> f64| -> Vec<Bin> {
        placed().map(|((from, to), bin)| Bin::new(from, to, rows(bin)).called(&bin.label)).collect()
    };
    let missing = match found.bins.iter().find(|bin| bin.place.is_none()) {
        Some(bin) => format!(
            "; besides, the value is missing in {} rows of the original and {:.0} of the release",
            crate::html::thousands(bin.before),
            bin.after
        ),
        None => String::new(),
    };
    let frame = Frame::new(
        format!("Rows by {name}"),
        format!("{description}{missing}. The outermost bins are open."),
    )
    .sized(860.0, 300.0);
    let x = Axis::new("").from(ends[0]).to(ends[ends.len() - 1]).with_ticks(ticks);
    let chart = Histogram::new(frame, x, Axis::new(format!("rows per {}", measured.unit())))
        .with("original", bins(&|bin| bin.before as f64))
        .with("release", bins(&|bin| rounded(bin.after)))
        .by_area();
    Box::new(chart)
}

/// Rows that were spread, as precisely as such a guess is worth.
fn rounded(rows: f64) -> f64 {
    if rows >= 10.0 { rows.round() } else { (rows * 10.0).round() / 10.0 }
}

/// The published values that most rows have, where they may be named.
fn frequent(
    release: &ReleaseRows<'_>,
    out: &mut Html,
    domain: &Domain,
    weights: &[Weight],
    said: &[PublishedText<'_>],
) {
    let least = release.least;
    let mut common: Vec<&PublishedText<'_>> = said
        .iter()
        .filter(|one| {
            one.rows >= least && is_common(domain, weights, &one.reach.covered, &one.reach.ends, least)
        })
        .collect();
    common.sort_by(|a, b| b.rows.cmp(&a.rows).then(a.text.cmp(b.text)));
    let names: Vec<String> = common
        .iter()
        .take(NAMED)
        .map(|one| {
            let text = if one.text.is_empty() { "missing" } else { one.text };
            format!("{} ({} rows)", klimt_chart::shorten(text, 60), crate::html::thousands(one.rows))
        })
        .collect();
    if !names.is_empty() {
        out.remark(&format!(
            "Published most often, among values that may be named here: {}.",
            names.join(", ")
        ));
    }
}
