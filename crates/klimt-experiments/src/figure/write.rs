//! The files of a figure: its numbers, its picture and its verdict. Numbers and verdict can be read again.

use super::draw;
use super::outcome::{Outcome, Run, judge};
use super::registry::Figure;
use super::sweep::{Panel, Plane, Sweep};
use crate::Result;
use crate::number::Measured;
use std::path::Path;

/// A field of a CSV file.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

fn line(out: &mut String, fields: [&str; 7]) {
    out.push_str(&fields.map(field).join(","));
    out.push('\n');
}

const HEAD: &str = "panel,parameter,value,series,measure,at_least,at_most";

/// The measure of regions, which claims do not count.
const REGION: &str = "region";

/// The numbers of a figure, one in a line: it is at least and at most so much. Nothing stands for what is not known.
pub fn csv(panels: &[Panel]) -> String {
    let mut out = format!("{HEAD}\n");
    for panel in panels {
        match panel {
            Panel::Sweep(sweep) => of_sweep(&mut out, sweep),
            Panel::Plane(plane) => of_plane(&mut out, plane),
        }
    }
    out
}

fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

fn of_sweep(out: &mut String, sweep: &Sweep) {
    for (at, label) in sweep.labels.iter().enumerate() {
        for (name, values) in &sweep.series {
            let [low, high] = [values[at].low, values[at].high].map(number);
            line(out, [&sweep.title, &sweep.parameter, label, name, &sweep.measure, &low, &high]);
        }
    }
}

fn of_plane(out: &mut String, plane: &Plane) {
    for (at, region) in plane.boxes.iter().enumerate() {
        let (x, y) = &plane.dimensions;
        let parts = [
            (format!("{x} from"), region.x.0),
            (format!("{x} to"), region.x.1),
            (format!("{y} from"), region.y.0),
            (format!("{y} to"), region.y.1),
            ("rows".to_string(), region.rows as f64),
        ];
        for (name, value) in parts {
            let (group, value) = ((at + 1).to_string(), value.to_string());
            line(out, [&plane.title, "group", &group, &name, REGION, &value, &value]);
        }
    }
}

/// The fields of each line of a CSV file that [`csv`] wrote.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut all, mut record, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                record.push(std::mem::take(&mut cell));
                all.push(std::mem::take(&mut record));
            }
            letter => cell.push(letter),
        }
    }
    all
}

/// The panels that numbers make, without regions.
pub fn read_csv(text: &str) -> Result<Vec<Panel>> {
    let mut sweeps: Vec<Sweep> = Vec::new();
    for (at, record) in records(text).iter().enumerate().skip(1) {
        let [title, parameter, value, name, measure, low, high] = record.as_slice() else {
            return Err(format!("line {}: {} fields instead of 7", at + 1, record.len()).into());
        };
        if measure == REGION {
            continue;
        }
        let end = |text: &str| if text.is_empty() { None } else { text.parse().ok() };
        let measured = match (end(low), end(high)) {
            (Some(low), high) => Measured::between(low, high.unwrap_or(f64::INFINITY)),
            _ => Measured::UNKNOWN,
        };
        if sweeps.last().is_none_or(|last| last.title != *title) {
            sweeps.push(Sweep::new(title, parameter, measure, &[""; 0]));
        }
        let Some(sweep) = sweeps.last_mut() else { continue };
        let first = sweep.series.first().is_none_or(|(first, _)| first == name);
        if first {
            sweep.labels.push(value.clone());
        }
        match sweep.series.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => values.push(measured),
            None => sweep.series.push((name.clone(), vec![measured])),
        }
    }
    Ok(sweeps.into_iter().map(Into::into).collect())
}

/// Writes the three files of a figure into a folder.
pub fn write(folder: &Path, figure: &Figure, outcome: &Outcome) -> Result<()> {
    let verdict = judge(figure, outcome).json(figure, &outcome.run);
    let text = serde_json::to_string_pretty(&verdict)?;
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

/// Reads the numbers of a figure and what is told of its run.
pub fn read(folder: &Path, figure: &Figure) -> Result<Outcome> {
    let text = |ending: &str| {
        let path = folder.join(format!("{}.{ending}", figure.name));
        std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
    };
    let mut told: serde_json::Value = serde_json::from_str(&text("json")?)?;
    let run: Run = serde_json::from_value(told["run"].take())?;
    Ok(Outcome { panels: read_csv(&text("csv")?)?, run })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_one_in_a_line_and_are_read_again() {
        let mut sweep = Sweep::new("a, \"b\"", "k", "dm", &["x", "y"]);
        sweep.push(2, vec![1.5.into(), Measured::UNKNOWN]).unwrap();
        sweep.push(5, vec![Measured::at_least(2.0), Measured::between(0.1, 0.3)]).unwrap();
        let mut other = Sweep::new("c", "k", "dm", &["x"]);
        other.push(2, vec![0.0]).unwrap();
        let panels: Vec<Panel> = vec![sweep.into(), other.into()];
        let text = csv(&panels);
        let name = "\"a, \"\"b\"\"\",k";
        let expected = format!(
            "{HEAD}\n{name},2,x,dm,1.5,1.5\n{name},2,y,dm,,\n{name},5,x,dm,2,\n{name},5,y,dm,0.1,0.3\nc,k,2,x,dm,0,0\n"
        );
        assert_eq!(text, expected);
        assert_eq!(csv(&read_csv(&text).unwrap()), text);
        assert!(read_csv("a\nb,c\n").unwrap_err().to_string().contains("line 2"));
    }
}
