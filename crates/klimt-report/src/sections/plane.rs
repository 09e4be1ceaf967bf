//! Two ordered columns in the plane: the original as cells, and the published groups as boxes over them.

use crate::aggregate::{GridCell, LeftOut, Quantity, grid, is_common, weights};
use crate::drawings::ReleaseRows;
use crate::html::{Html, Table, count, text, thousands};
use klimt_chart::{Area, Axis, Frame, Scatter, Tick};
use klimt_core::region::{PublishedReader, Reach};
use klimt_core::table::{Domain, Shape};
use std::collections::{BTreeMap, BTreeSet};

/// At most so many boxes are drawn: those with the most rows.
const BOXES: usize = 200;
/// At most so many boxes are listed.
const LISTED: usize = 50;

pub(crate) fn body(release: &ReleaseRows<'_>, left_out: &LeftOut) -> Html {
    let mut out = Html::default();
    let Some((x, y)) = release.plane.or_else(|| chosen(release)) else {
        out.remark("Not drawn: this needs two ordered quasi-identifiers, and there are fewer.");
        return out;
    };
    let table = release.original;
    let cells = grid(table, (x, y), left_out, release.least);
    let boxes = boxes(release, (x, y));
    let (shown, all) = (boxes.len().min(BOXES), boxes.len());
    let (across, up) = (&table.dimension(x).name, &table.dimension(y).name);
    let which = if shown < all {
        format!("the {} boxes with the most rows, of {}", thousands(shown as u64), thousands(all as u64))
    } else {
        format!("all {} different boxes", thousands(all as u64))
    };
    let original = match cells.is_empty() {
        true => "The original is not drawn: it cannot be divided into cells that give nothing away",
        false => {
            "The original is drawn as cells, the stronger the denser; no cell with rows has fewer than k"
        }
    };
    let frame = Frame::new(
        format!("{across} and {up}: published groups over the original"),
        format!("{original}. The release is drawn as {which}; groups that differ in other columns may share a box."),
    )
    .sized(860.0, 520.0);
    let area = |cell: &GridCell| ((cell.x.1 - cell.x.0) * (cell.y.1 - cell.y.0)).max(f64::MIN_POSITIVE);
    let cell = |cell: &GridCell| Area {
        x: cell.x,
        y: cell.y,
        weight: cell.rows.0 as f64 / area(cell),
        label: format!("{} to {} rows of the original", thousands(cell.rows.0), thousands(cell.rows.1)),
    };
    let cells: Vec<Area> = cells.iter().map(cell).collect();
    let drawn = || cells.iter().chain(boxes.iter().take(BOXES).map(|one| &one.area));
    let chart = Scatter::new(
        frame,
        axis(release, x, drawn().map(|area| area.x)),
        axis(release, y, drawn().map(|area| area.y)),
    )
    .with_cells(if cells.is_empty() { "" } else { "rows of the original" }, cells.clone())
    .with_boxes("published boxes", boxes.iter().take(BOXES).map(|one| one.area.clone()).collect());
    let mut data = Table::new(
        format!("The {LISTED} boxes with the most rows; values that few rows have are not named"),
        &[across, up, "#rows"],
    );
    for one in boxes.iter().take(LISTED) {
        data.row(vec![text(&one.names.0), text(&one.names.1), count(one.rows)]);
    }
    out.figure("plane-chart", &chart, &data);
    out
}

/// The two ordered quasi-identifiers with most values.
fn chosen(release: &ReleaseRows<'_>) -> Option<(usize, usize)> {
    let table = release.original;
    let ordered = |dimension: &usize| matches!(table.domain(*dimension).shape(), Shape::Ordered);
    let mut dimensions: Vec<usize> = (0..table.dimensions()).filter(ordered).collect();
    dimensions
        .sort_by_key(|dimension| (std::cmp::Reverse(table.domain(*dimension).value_count()), *dimension));
    let two = dimensions.get(..2)?;
    Some((two[0].min(two[1]), two[0].max(two[1])))
}

/// A published box over two columns.
struct PublishedBox {
    area: Area,
    names: (String, String),
    rows: u64,
}

/// The different boxes over two columns, with most rows first.
fn boxes(release: &ReleaseRows<'_>, (x, y): (usize, usize)) -> Vec<PublishedBox> {
    let mut rows: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for group in release.published {
        *rows.entry((&group.texts[x], &group.texts[y])).or_default() += group.rows;
    }
    let (across, up) = (Side::new(release, x), Side::new(release, y));
    let mut boxes: Vec<PublishedBox> = rows
        .into_iter()
        .filter_map(|((a, b), rows)| {
            let ((x, first), (y, second)) = (across.read(a)?, up.read(b)?);
            let label = format!(
                "{} rows of the release: {} {first}, {} {second}",
                thousands(rows),
                release.original.dimension(across.dimension).name,
                release.original.dimension(up.dimension).name
            );
            let area = Area { x, y, weight: rows as f64, label };
            Some(PublishedBox { area, names: (first, second), rows })
        })
        .collect();
    boxes.sort_by_key(|one| std::cmp::Reverse(one.rows));
    boxes
}

/// Reads what is published of one column.
struct Side<'a> {
    reader: PublishedReader<'a>,
    domain: &'a Domain,
    weights: Vec<crate::aggregate::Weight>,
    least: u64,
    dimension: usize,
    /// The ends of all that is published besides `*`: the original may go beyond, in rows that are left out.
    hull: Option<(f64, f64)>,
}

impl<'a> Side<'a> {
    fn new(release: &ReleaseRows<'a>, dimension: usize) -> Self {
        let table = release.original;
        let weights =
            weights(table, table.quasi_identifiers()[dimension], &LeftOut::Nobody).unwrap_or_default();
        let domain = table.domain(dimension);
        let mut side = Side {
            reader: PublishedReader::new(domain),
            domain,
            weights,
            least: release.least,
            dimension,
            hull: None,
        };
        let texts: BTreeSet<&str> =
            release.published.iter().map(|group| group.texts[dimension].as_str()).collect();
        let ranges =
            texts.into_iter().filter(|text| *text != "*").filter_map(|text| Some(side.read(text)?.0));
        side.hull = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        side
    }

    /// Where a published text is drawn, and what it is called here; nothing for a missing value alone.
    fn read(&self, text: &str) -> Option<((f64, f64), String)> {
        let Reach { ends, covered } = self.reader.reach(text)?;
        let last = (self.domain.value_count() as u32).checked_sub(1)?;
        let (lo, hi) = ends.ends()?;
        if lo > last {
            return None;
        }
        let single = Quantity::of(self.domain).map_or(1.0, Quantity::single);
        let place = |code: u32| crate::aggregate::place(self.domain, code);
        let range = match text {
            "*" => self.hull?,
            _ => (place(lo), place(hi.min(last)) + single),
        };
        let named = text == "*" || is_common(self.domain, &self.weights, &covered, &ends, self.least);
        let name = if named {
            klimt_chart::shorten(text, 60)
        } else {
            String::from("a range that is not named here")
        };
        Some((range, name))
    }
}

/// The axis of an ordered column over what is drawn: dates and words have ticks of their own, and only common words are
/// written.
fn axis(release: &ReleaseRows<'_>, dimension: usize, ranges: impl Iterator<Item = (f64, f64)>) -> Axis {
    let (domain, column) = (release.original.domain(dimension), release.original.dimension(dimension));
    let axis = Axis::new(klimt_chart::shorten(&column.name, 60));
    let Some((low, high)) = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else { return axis };
    let axis = axis.from(low).to(high);
    match Quantity::of(domain) {
        Some(Quantity::Numbers { .. }) => axis,
        Some(measured) => {
            let edges = measured.edges(low, high, 10);
            let step = edges[1] - edges[0];
            axis.with_ticks(edges.iter().map(|&at| Tick { at, label: measured.written(at, step) }).collect())
        }
        None => {
            let number = release.original.quasi_identifiers()[dimension];
            let rows = weights(release.original, number, &LeftOut::Nobody).unwrap_or_default();
            let common = |code: &u32| rows[*code as usize].rows >= release.least;
            let tick = |code: u32| Tick { at: f64::from(code) + 0.5, label: domain.text(code) };
            axis.with_ticks((0..domain.value_count() as u32).filter(common).map(tick).collect())
        }
    }
}
