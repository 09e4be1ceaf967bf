//! The page with every figure: one file without anything from elsewhere.

use super::draw;
use super::registry::{Figure, PAPERS};
use super::verdict::{Outcome, Verdict};
use super::write::perhaps;
use klimt_chart::escape;
use klimt_chart::palette::{SERIES, SERIES_ON_DARK};
use std::fmt::Write;

/// A figure with what was found; an illustration has nothing.
pub type Shown<'a> = (&'a Figure, Option<&'a Outcome>);

/// What became of a figure.
pub fn verdict((_, outcome): &Shown<'_>) -> Verdict {
    outcome.map_or(Verdict::Illustration, Outcome::verdict)
}

/// How many figures have a verdict.
pub fn count(shown: &[Shown<'_>], wanted: Verdict) -> usize {
    shown.iter().filter(|one| verdict(one) == wanted).count()
}

const STYLE: &str = "
:root { color-scheme: light dark; --paper: #fdfbf7; --ink: #22201c; --soft: #6b655c; --line: #e4dfd5; --good: #0a6b52;
  --bad: #a3282a; --open: #8a6500; --chart-ink: #22201c; --chart-muted: #6b655c; --chart-grid: #e4dfd5;
  --chart-paper: #fdfbf7; --chart-warn: #a3282a; LIGHT }
@media (prefers-color-scheme: dark) { :root { --paper: #1b1a18; --ink: #ece7dd; --soft: #a89f90; --line: #3a3732;
  --good: #4fd0a7; --bad: #f28b6d; --open: #e2b441; --chart-ink: #ece7dd; --chart-muted: #a89f90; --chart-grid: #3a3732;
  --chart-paper: #1b1a18; --chart-warn: #f28b6d; DARK } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 58rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem } h2 { margin: 3rem 0 .5rem; font-size: 1.35rem }
h3 { margin: 0; font-size: 1.05rem } p { margin: .4rem 0 }
article { border-top: 1px solid var(--line); padding: 1.25rem 0; break-inside: avoid }
article header { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; justify-content: space-between }
figure { margin: 1rem 0 0 } figcaption { color: var(--soft); font-size: .9rem } svg { width: 100%; height: auto; display: block }
.soft, .soft a { color: var(--soft) } .holds { color: var(--good) } .fails { color: var(--bad) } .open { color: var(--open) }
.verdict { font-weight: 600; white-space: nowrap } code { font-family: ui-monospace, monospace; font-size: .92em }
table { border-collapse: collapse; width: 100%; font-size: .92rem; margin: 1rem 0 }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line) }
a { color: inherit } details { margin: .5rem 0 } dl { display: grid; grid-template-columns: 7rem 1fr; gap: .2rem .75rem; margin: .5rem 0 }
dt { color: var(--soft) } dd { margin: 0 }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr } dd { margin-bottom: .4rem } }
@media print { body { max-width: none; padding: 0; font-size: 11pt; background: #fff } h2 { break-after: avoid } }
";

fn style() -> String {
    let variables = |colours: &[&str]| {
        let each = colours.iter().enumerate().map(|(at, colour)| format!("--chart-{}: {colour};", at + 1));
        each.collect::<Vec<_>>().join(" ")
    };
    STYLE.replace("LIGHT", &variables(&SERIES)).replace("DARK", &variables(&SERIES_ON_DARK))
}

fn mark(verdict: Verdict) -> String {
    let (class, sign) = match verdict {
        Verdict::Holds => ("holds", "✓"),
        Verdict::DoesNotHold => ("fails", "✗"),
        Verdict::NotTested => ("open", "?"),
        Verdict::Illustration => ("soft", "–"),
    };
    format!("<span class=\"verdict {class}\">{sign} {}</span>", verdict.text())
}

/// The page of all figures.
pub fn page(shown: &[Shown<'_>], size: &str) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>klimt: the figures of the papers</title><style>{}</style></head><body>\n",
        style()
    );
    let _ = write!(
        out,
        "<h1>The figures of the papers, measured with klimt</h1>\
         <p>{} figures and tables of five papers: the claim of {} holds here, that of {} does not, {} could not be tested, and {} explain \
         something. Verdicts are made by code from the numbers, which lie beside this page as <code>NAME.csv</code>. {}</p>",
        shown.len(),
        count(shown, Verdict::Holds),
        count(shown, Verdict::DoesNotHold),
        count(shown, Verdict::NotTested),
        count(shown, Verdict::Illustration),
        escape(size)
    );
    stand_ins(&mut out, shown);
    overview(&mut out, shown);
    for paper in &PAPERS {
        let of_paper: Vec<&Shown<'_>> =
            shown.iter().filter(|(figure, _)| figure.paper().system == paper.system).collect();
        if of_paper.is_empty() {
            continue;
        }
        let _ = writeln!(out, "<h2>{}</h2>", escape(paper.cited));
        of_paper.iter().for_each(|one| article(&mut out, one));
        illustrations(&mut out, &of_paper);
    }
    out.push_str("</body></html>\n");
    out
}

/// Says plainly which data stood in.
fn stand_ins(out: &mut String, shown: &[Shown<'_>]) {
    let mut told: Vec<&str> = shown
        .iter()
        .filter_map(|(_, outcome)| outcome.map(|outcome| outcome.data.as_str()))
        .filter(|data| data.contains("stands in"))
        .collect();
    told.sort_unstable();
    told.dedup();
    if told.is_empty() {
        return;
    }
    out.push_str(
        "<p><strong>Some data of the papers cannot be had, and other data stood in:</strong></p><ul>",
    );
    told.iter().for_each(|one| {
        let _ = write!(out, "<li>{}</li>", escape(one));
    });
    out.push_str("</ul>\n");
}

fn overview(out: &mut String, shown: &[Shown<'_>]) {
    out.push_str(
        "<table><thead><tr><th>Figure</th><th>What it shows</th><th>Verdict</th></tr></thead><tbody>",
    );
    for one in shown.iter().filter(|(figure, _)| figure.run.is_some()) {
        let (name, title) = (one.0.name, escape(one.0.title));
        let _ = write!(
            out,
            "<tr><td><a href=\"#{name}\">{name}</a></td><td>{title}</td><td>{}</td></tr>",
            mark(verdict(one))
        );
    }
    out.push_str("</tbody></table>\n");
}

fn article(out: &mut String, one: &Shown<'_>) {
    let (figure, Some(outcome)) = one else { return };
    let _ = write!(
        out,
        "<article id=\"{0}\"><header><h3>{0}: {1}</h3>{2}</header><dl>",
        figure.name,
        escape(figure.title),
        mark(verdict(one))
    );
    let rows = [
        ("Claim", figure.claim.to_string()),
        ("Measured", outcome.measured()),
        (
            if outcome.verdict() == Verdict::NotTested { "Not tested" } else { "Against it" },
            outcome.against(),
        ),
        ("Perhaps", perhaps(figure, outcome).to_string()),
        ("Data", outcome.data.clone()),
        ("Otherwise", outcome.differs.clone()),
    ];
    for (name, text) in rows.iter().filter(|(_, text)| !text.is_empty()) {
        let _ = write!(out, "<dt>{name}</dt><dd>{}</dd>", escape(text));
    }
    out.push_str("</dl>");
    for (title, svg) in draw::inline(figure.name, &outcome.panels) {
        let _ = write!(out, "<figure><figcaption>{}</figcaption>{svg}</figure>", escape(&title));
    }
    out.push_str("</article>\n");
}

fn illustrations(out: &mut String, of_paper: &[&Shown<'_>]) {
    let explained: Vec<&&Shown<'_>> = of_paper.iter().filter(|(_, outcome)| outcome.is_none()).collect();
    if explained.is_empty() {
        return;
    }
    out.push_str(
        "<details><summary class=\"soft\">Illustrations, no experiments</summary><ul class=\"soft\">",
    );
    for (figure, _) in explained.into_iter().copied() {
        let _ = write!(out, "<li>{}: {}</li>", figure.name, escape(figure.title));
    }
    out.push_str("</ul></details>\n");
}

/// The same as a table for a document.
pub fn summary(shown: &[Shown<'_>], size: &str) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let mut out = format!(
        "{} figures and tables: {} hold, {} do not hold, {} were not tested, {} are illustrations. {size}\n",
        shown.len(),
        count(shown, Verdict::Holds),
        count(shown, Verdict::DoesNotHold),
        count(shown, Verdict::NotTested),
        count(shown, Verdict::Illustration)
    );
    for paper in &PAPERS {
        let _ = write!(
            out,
            "\n## {}\n\n| figure | claim | measured | verdict |\n|---|---|---|---|\n",
            paper.cited
        );
        let of_paper = || shown.iter().filter(|(figure, _)| figure.paper().system == paper.system);
        for one in of_paper() {
            let (figure, Some(outcome)) = one else { continue };
            let found =
                if outcome.verdict() == Verdict::NotTested { outcome.against() } else { outcome.measured() };
            let reason = perhaps(figure, outcome);
            let reason = if reason.is_empty() { String::new() } else { format!(". Perhaps: {reason}") };
            let _ = writeln!(
                out,
                "| `{}` | {} | {}{} | {} |",
                figure.name,
                cell(figure.claim),
                cell(&found),
                cell(&reason),
                verdict(one).text()
            );
        }
        let explained: Vec<&str> =
            of_paper().filter(|(_, outcome)| outcome.is_none()).map(|(figure, _)| figure.name).collect();
        if !explained.is_empty() {
            let _ = write!(out, "\nIllustrations, no experiments: {}.\n", explained.join(", "));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::verdict::Check;
    use super::*;

    fn figure(name: &'static str) -> Figure {
        Figure::experiment(name, "a <title> & more", "a | claim", "", |_| Ok(Outcome::default()))
    }

    #[test]
    fn the_page_says_what_holds_and_what_stood_in() {
        let (good, bad, none) =
            (figure("mondrian-10"), figure("rothko-10"), Figure { run: None, ..figure("rtree-1") });
        let judged = |holds: bool, data: &str| Outcome {
            checks: vec![Check::new(holds, "x < y")],
            data: data.to_string(),
            ..Outcome::default()
        };
        let (one, other) = (judged(true, "generated"), judged(false, "this stands in for that"));
        let shown = [(&good, Some(&one)), (&bad, Some(&other)), (&none, None)];
        let page = page(&shown, "");
        assert!(
            page.contains(
                "the claim of 1 holds here, that of 1 does not, 0 could not be tested, and 1 explain"
            )
        );
        assert!(page.contains("a &lt;title&gt; &amp; more") && !page.contains("<title> "));
        assert!(page.contains("<li>this stands in for that</li>") && page.contains("x &lt; y"));
        assert!(
            !page.contains("http://")
                || page.matches("http://").count() == page.matches("http://www.w3.org/2000/svg").count()
        );
        let table = summary(&shown, "");
        assert!(
            table.contains("| `mondrian-10` | a \\| claim | x < y | holds |")
                && table.contains("does not hold |")
        );
        assert!(table.contains("Illustrations, no experiments: rtree-1."));
    }
}
