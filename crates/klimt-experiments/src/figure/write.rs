//! The files of a figure: its numbers, its picture and its verdict.

use super::draw;
use super::registry::Figure;
use super::sweep::{Panel, Plane, Sweep};
use super::verdict::Outcome;
use serde_json::{Value, json};
use std::path::Path;

/// A field of a CSV file.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

fn line(out: &mut String, fields: [&str; 6]) {
    out.push_str(&fields.map(field).join(","));
    out.push('\n');
}

/// The numbers of a figure, one in a line; nothing stands for what was not measured.
pub fn csv(panels: &[Panel]) -> String {
    let mut out = "panel,parameter,value,series,measure,measured\n".to_string();
    for panel in panels {
        match panel {
            Panel::Sweep(sweep) => of_sweep(&mut out, sweep),
            Panel::Plane(plane) => of_plane(&mut out, plane),
        }
    }
    out
}

fn of_sweep(out: &mut String, sweep: &Sweep) {
    for (at, label) in sweep.labels.iter().enumerate() {
        for (name, values) in &sweep.series {
            let number = if values[at].is_finite() { values[at].to_string() } else { String::new() };
            line(out, [&sweep.title, &sweep.parameter, label, name, &sweep.measure, &number]);
        }
    }
}

fn of_plane(out: &mut String, plane: &Plane) {
    for (number, region) in plane.boxes.iter().enumerate() {
        let (x, y) = &plane.dimensions;
        let parts = [
            (format!("{x} from"), region.x.0),
            (format!("{x} to"), region.x.1),
            (format!("{y} from"), region.y.0),
            (format!("{y} to"), region.y.1),
            ("rows".to_string(), region.rows as f64),
        ];
        for (name, value) in parts {
            line(
                out,
                [&plane.title, "group", &(number + 1).to_string(), &name, "region", &value.to_string()],
            );
        }
    }
}

/// The verdict of a figure.
pub fn verdict(figure: &Figure, outcome: &Outcome) -> Value {
    let mut all = json!({
        "name": figure.name,
        "paper": figure.paper().cited,
        "title": figure.title,
        "claim": figure.claim,
        "perhaps": perhaps(figure, outcome),
    });
    if let (Some(all), Value::Object(found)) = (all.as_object_mut(), outcome.json()) {
        all.extend(found);
    }
    all
}

/// What may be the reason where the claim does not hold.
pub fn perhaps(figure: &Figure, outcome: &Outcome) -> &'static str {
    if outcome.verdict() == super::verdict::Verdict::DoesNotHold { figure.caveat } else { "" }
}

/// Writes the three files of a figure into a folder.
pub fn write(folder: &Path, figure: &Figure, outcome: &Outcome) -> Result<(), String> {
    let text = serde_json::to_string_pretty(&verdict(figure, outcome)).map_err(|e| e.to_string())?;
    let files = [
        ("csv", csv(&outcome.panels)),
        ("svg", draw::file(figure.name, figure.title, &outcome.panels)),
        ("json", text + "\n"),
    ];
    for (ending, text) in files {
        let path = folder.join(format!("{}.{ending}", figure.name));
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::verdict::Check;
    use super::*;

    #[test]
    fn numbers_stand_one_in_a_line() {
        let mut sweep = Sweep::new("a, \"b\"", "k", "dm", &["x", "y"]);
        sweep.push(2, vec![1.5, f64::NAN]).unwrap();
        let text = csv(&[sweep.into()]);
        let expected = "panel,parameter,value,series,measure,measured\n\"a, \"\"b\"\"\",k,2,x,dm,1.5\n\"a, \"\"b\"\"\",k,2,y,dm,\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_reason_is_given_only_where_the_claim_does_not_hold() {
        let figure = Figure::experiment("mondrian-10", "t", "c", "because", |_| Ok(Outcome::default()));
        let judged = |holds| Outcome { checks: vec![Check::new(holds, "x")], ..Outcome::default() };
        assert_eq!((perhaps(&figure, &judged(true)), perhaps(&figure, &judged(false))), ("", "because"));
        assert_eq!(verdict(&figure, &judged(false))["verdict"], "does not hold");
    }
}
