//! The parts that pages are made of. Every text that comes in is escaped here, and nowhere else.

use klimt_chart::{Chart, escape};
use std::fmt::Write;

/// HTML in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct Html(pub String);

/// A cell of a table: what is shown, and the number that it is sorted by.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    class: &'static str,
    sort: Option<f64>,
}

/// A text.
pub(crate) fn text(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), class: "", sort: None }
}

/// A number, as it is shown and as it is sorted.
pub(crate) fn number(shown: impl Into<String>, value: f64) -> Cell {
    Cell { text: shown.into(), class: "", sort: Some(value).filter(|value| value.is_finite()) }
}

/// A whole number with its thousands apart.
pub(crate) fn count(value: u64) -> Cell {
    number(thousands(value), value as f64)
}

/// Whether something holds.
pub(crate) fn verdict(holds: bool) -> Cell {
    let (text, class) = if holds { ("✓ holds", "holds") } else { ("✗ fails", "fails") };
    Cell { text: text.to_string(), class, sort: Some(f64::from(u8::from(holds))) }
}

/// A factor that a loss is within, rounded upwards: what is printed is never below it.
pub fn rounded_up(factor: f64, digits: usize) -> String {
    let nearest = format!("{factor:.digits$}");
    if !factor.is_finite() || nearest.parse::<f64>().is_ok_and(|nearest| nearest >= factor) {
        return nearest;
    }
    let unit = 10f64.powi(digits as i32);
    format!("{:.digits$}", ((factor * unit).floor() + 1.0) / unit)
}

pub use klimt_core::words::thousands;

/// A share in per cent, as short as tells it from nothing.
pub(crate) fn percent(share: f64) -> String {
    match share {
        share if !share.is_finite() => String::from("–"),
        share if share > 0.0 && share < 0.0001 => String::from("under 0.01%"),
        share if share < 0.1 && share > 0.0 => format!("{:.2}%", share * 100.0),
        share => format!("{:.1}%", share * 100.0),
    }
}

/// A table with a caption and the names of its columns, those with numbers at the right.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub caption: String,
    pub heads: Vec<(String, bool)>,
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows; columns whose name starts with `#` hold numbers.
    pub fn new(caption: impl Into<String>, heads: &[&str]) -> Self {
        let head = |head: &&str| match head.strip_prefix('#') {
            Some(name) => (name.to_string(), true),
            None => (head.to_string(), false),
        };
        Table { caption: caption.into(), heads: heads.iter().map(head).collect(), rows: Vec::new() }
    }

    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    fn write(&self, out: &mut String) {
        let class = if self.rows.len() > 1 { " class=\"sortable\"" } else { "" };
        write!(
            out,
            "<div class=\"scroll\" tabindex=\"0\"><table{class}><caption>{}</caption><thead><tr>",
            escape(&self.caption)
        )
        .expect(TAKES);
        for (name, numeric) in &self.heads {
            let class = if *numeric { " class=\"number\"" } else { "" };
            write!(out, "<th scope=\"col\"{class}>{}</th>", escape(name)).expect(TAKES);
        }
        out.push_str("</tr></thead><tbody>");
        for row in &self.rows {
            out.push_str("<tr>");
            for (at, cell) in row.iter().enumerate() {
                let (open, close) = if at == 0 { ("th scope=\"row\"", "th") } else { ("td", "td") };
                let sort = cell.sort.map_or(String::new(), |sort| format!(" data-sort=\"{sort}\""));
                let numeric = self.heads.get(at).is_some_and(|(_, numeric)| *numeric);
                let class = match if numeric { "number" } else { cell.class } {
                    "" => String::new(),
                    class => format!(" class=\"{class}\""),
                };
                write!(out, "<{open}{class}{sort}>{}</{close}>", escape(&cell.text)).expect(TAKES);
            }
            out.push_str("</tr>");
        }
        out.push_str("</tbody></table></div>");
    }
}

impl Html {
    pub fn heading(&mut self, text: &str) {
        write!(self.0, "<h3>{}</h3>", escape(text)).expect(TAKES);
    }

    pub fn paragraph(&mut self, text: &str) {
        write!(self.0, "<p>{}</p>", escape(text)).expect(TAKES);
    }

    /// A remark that is less than a sentence of the report.
    pub fn remark(&mut self, text: &str) {
        write!(self.0, "<p class=\"muted\">{}</p>", escape(text)).expect(TAKES);
    }

    pub fn warning(&mut self, text: &str, loud: bool) {
        let (class, role) = if loud { ("warning loud", " role=\"alert\"") } else { ("warning", "") };
        write!(self.0, "<p class=\"{class}\"{role}>{}</p>", escape(text)).expect(TAKES);
    }

    pub fn table(&mut self, table: &Table) {
        table.write(&mut self.0);
    }

    /// A chart with its caption, and what it shows as a table.
    pub fn figure(&mut self, id: &str, chart: &dyn Chart, data: &Table) {
        let frame = chart.frame();
        let (title, description) = (escape(&frame.title), escape(&frame.description));
        write!(
            self.0,
            "<figure><figcaption>{title}<small>{description}</small></figcaption><div class=\"chart scroll\" tabindex=\"0\">{}</div>\
             <details><summary>The same as a table</summary>",
            chart.inline(id)
        )
        .expect(TAKES);
        data.write(&mut self.0);
        self.0.push_str("</details></figure>");
    }

    /// Text that is shown as it is.
    pub fn verbatim(&mut self, text: &str) {
        let lines: Vec<String> = text.lines().map(escape).collect();
        write!(self.0, "<pre><code>{}</code></pre>", lines.join("\n")).expect(TAKES);
    }

    /// A part that is folded away.
    pub fn details(&mut self, summary: &str, body: Html) {
        write!(self.0, "<details><summary>{}</summary>{}</details>", escape(summary), body.0).expect(TAKES);
    }

    /// A few figures that say most.
    pub fn figures(&mut self, figures: &[(&str, String, String)]) {
        self.0.push_str("<dl class=\"figures\">");
        for (name, value, remark) in figures {
            let (name, value, remark) = (escape(name), escape(value), escape(remark));
            write!(self.0, "<div><dt>{name}</dt><dd>{value}<span>{remark}</span></dd></div>").expect(TAKES);
        }
        self.0.push_str("</dl>");
    }

    /// The one sentence that a page is about.
    pub fn verdict(&mut self, good: bool, word: &str, sentence: &str) {
        let class = if good { "good" } else { "bad" };
        let (word, sentence) = (escape(word), escape(sentence));
        write!(self.0, "<div class=\"verdict {class}\"><strong>{word}</strong><span>{sentence}</span></div>")
            .expect(TAKES);
    }
}

/// Writing to a text cannot fail.
const TAKES: &str = "a text takes everything";

#[cfg(test)]
mod tests {
    use super::rounded_up;

    #[test]
    fn a_factor_is_never_printed_below_what_it_is() {
        let printed =
            [1.000_04, 1.321_54, 1.3215, 1.0, 2.999_99, 1.000_1, 7.1].map(|factor| rounded_up(factor, 4));
        assert_eq!(printed, ["1.0001", "1.3216", "1.3215", "1.0000", "3.0000", "1.0001", "7.1000"]);
        assert_eq!(rounded_up(1.000_4, 3), "1.001");
        let mut factor = 1.0;
        while factor < 1e6 {
            assert!(rounded_up(factor, 4).parse::<f64>().unwrap() >= factor);
            factor *= 1.000_37;
        }
        assert_eq!(rounded_up(f64::INFINITY, 4), "inf");
    }
}
