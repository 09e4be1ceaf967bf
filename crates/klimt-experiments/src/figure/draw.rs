//! Pictures of panels: files of their own, and parts of the page.

use super::sweep::{Panel, Plane, Region, Sweep};
use crate::number::Measured;
use klimt_chart::{Area, Axis, Bars, Chart, Frame, Lines, Scatter};

/// The size of a picture of one panel.
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 360.0;

fn chart(panel: &Panel, name: &str) -> Box<dyn Chart> {
    match panel {
        Panel::Sweep(sweep) => of_sweep(sweep, name),
        Panel::Plane(plane) => of_plane(plane, name),
    }
}

/// How high a panel is drawn.
fn height(panel: &Panel) -> f64 {
    match panel {
        // Legends of many series need room.
        Panel::Sweep(sweep) if sweep.series.len() > 4 => HEIGHT + 40.0,
        Panel::Sweep(_) => HEIGHT,
        Panel::Plane(_) => 620.0,
    }
}

fn of_sweep(sweep: &Sweep, name: &str) -> Box<dyn Chart> {
    let said = format!("{}: {} by {}", name, sweep.measure, sweep.parameter);
    let size = height(&Panel::Sweep(sweep.clone()));
    let frame = Frame::new(sweep.title.clone(), said).sized(WIDTH, size);
    let y = Axis::new(sweep.measure.clone());
    let y = match least(sweep) {
        // Below the least value, so that it has a bar, too.
        Some(least) if sweep.log => y.log().from(least * if sweep.bars { 0.5 } else { 0.8 }),
        _ if sweep.log => y.log(),
        // What is counted from nothing starts at nothing.
        _ => y.from(0.0),
    };
    if sweep.bars {
        let labels = sweep.labels.clone();
        let bars = Bars::new(frame, labels, y);
        return Box::new(
            sweep.series.iter().fold(bars, |bars, (name, values)| bars.with(name.clone(), shown(values))),
        );
    }
    let lines = Lines::over_labels(frame, sweep.parameter.clone(), sweep.labels.clone(), y);
    Box::new(
        sweep
            .series
            .iter()
            .fold(lines, |lines, (name, values)| lines.with_values(name.clone(), &shown(values))),
    )
}

/// What is drawn of numbers that may be known to lie between two.
fn shown(values: &[Measured]) -> Vec<f64> {
    values.iter().map(|value| value.shown()).collect()
}

/// The least of the values that a log scale can show.
fn least(sweep: &Sweep) -> Option<f64> {
    let values = sweep.series.iter().flat_map(|(_, values)| shown(values));
    values.filter(|value| value.is_finite() && *value > 0.0).min_by(f64::total_cmp)
}

fn of_plane(plane: &Plane, name: &str) -> Box<dyn Chart> {
    let said = format!("{}: {} rows in {} groups", name, plane.points.len(), plane.boxes.len());
    let frame = Frame::new(plane.title.clone(), said).sized(WIDTH, height(&Panel::Plane(plane.clone())));
    let (x, y) = &plane.dimensions;
    let area = |region: &Region| Area {
        x: region.x,
        y: region.y,
        weight: region.rows as f64,
        label: format!("{} rows", region.rows),
    };
    let scatter = Scatter::new(frame, Axis::new(x.clone()), Axis::new(y.clone()));
    let scatter = scatter.with("rows", plane.points.clone());
    Box::new(scatter.with_boxes("groups", plane.boxes.iter().map(area).collect()))
}

/// The picture of a figure as a file: its panels, one below the other.
pub fn file(name: &str, title: &str, panels: &[Panel]) -> String {
    let total: f64 = panels.iter().map(height).sum();
    let title = klimt_chart::escape(&format!("{name}: {title}"));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {total}\" role=\"img\"><title>{title}</title>"
    );
    let mut top = 0.0;
    for (number, panel) in panels.iter().enumerate() {
        let tall = height(panel);
        // Names inside a picture must not be those of its other panels.
        let drawn = chart(panel, name).svg().replace("chart-", &format!("chart{number}-"));
        let place = format!("<svg x=\"0\" y=\"{top}\" width=\"{WIDTH}\" height=\"{tall}\" xmlns=");
        svg.push_str(drawn.trim_end().replacen("<svg xmlns=", &place, 1).as_str());
        top += tall;
    }
    svg.push_str("</svg>\n");
    svg
}

/// The panels as parts of a page, each with its title.
pub fn inline(name: &str, panels: &[Panel]) -> Vec<(String, String)> {
    let title = |panel: &Panel| match panel {
        Panel::Sweep(sweep) => sweep.title.clone(),
        Panel::Plane(plane) => plane.title.clone(),
    };
    let part = |(number, panel): (usize, &Panel)| {
        (title(panel), chart(panel, name).inline(&format!("{name}-{number}")))
    };
    panels.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_stand_one_below_the_other() {
        let mut sweep = Sweep::new("a <b> & c", "k", "dm", &["x"]);
        sweep.push(2, vec![1.0]).unwrap();
        sweep.push(5, vec![3.0]).unwrap();
        let plane = Plane {
            title: "p".to_string(),
            dimensions: ("X".to_string(), "Y".to_string()),
            points: vec![(1.0, 1.0)],
            boxes: vec![Region { x: (0.0, 2.0), y: (0.0, 2.0), rows: 1 }],
        };
        let svg = file("n", "t", &[sweep.clone().into(), sweep.clone().bars().into(), plane.into()]);
        assert_eq!((svg.matches("<svg").count(), svg.matches("</svg>").count()), (4, 4));
        assert!(svg.contains("y=\"360\"") && svg.contains("y=\"720\"") && !svg.contains("<b>"));
        assert_eq!(inline("n", &[sweep.into()])[0].0, "a <b> & c");
    }
}
