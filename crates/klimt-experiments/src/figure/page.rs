//! The page with every figure: one file without anything from elsewhere.

use super::claim::Verdict;
use super::draw;
use super::outcome::{Outcome, judge};
use super::registry::{Figure, PAPERS};
use klimt_chart::escape;
use klimt_chart::palette::{SERIES, SERIES_ON_DARK};
use std::fmt::Write;

/// A figure with what was found; an illustration has nothing.
pub type Shown<'a> = (&'a Figure, Option<&'a Outcome>);

/// What became of a figure.
pub fn verdict((figure, outcome): &Shown<'_>) -> Verdict {
    match (figure.run, outcome) {
        (None, _) => Verdict::Illustration,
        (Some(_), Some(outcome)) => judge(figure, outcome).verdict,
        (Some(_), None) => Verdict::NotDecided,
    }
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
        Verdict::NotDecided => ("open", "?"),
        Verdict::Illustration => ("soft", "–"),
    };
    format!("<span class=\"verdict {class}\">{sign} {}</span>", verdict.text())
}

/// The page of all figures.
pub fn page(shown: &[Shown<'_>]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>klimt: the figures of the papers</title><style>{}</style></head><body>\n",
        style()
    );
    let _ = write!(
        out,
        "<h1>The figures of the papers, measured with klimt</h1>\
         <p>{} figures and tables of five papers: the claim of {} holds here, that of {} does not, {} could not be decided, and {} explain \
         something. Verdicts are made by code from the numbers, which lie beside this page as <code>NAME.csv</code>.</p>",
        shown.len(),
        count(shown, Verdict::Holds),
        count(shown, Verdict::DoesNotHold),
        count(shown, Verdict::NotDecided),
        count(shown, Verdict::Illustration)
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
        .filter_map(|(_, outcome)| outcome.map(|outcome| outcome.run.data.as_str()))
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
        "<article id=\"{0}\"><header><h3>{0}: {1}</h3>{2}</header>",
        figure.name,
        escape(figure.title),
        mark(verdict(one))
    );
    let judged = judge(figure, outcome);
    if !judged.findings.is_empty() {
        out.push_str("<table><thead><tr><th>Claim</th><th>Asked</th><th>Measured</th><th>Verdict</th></tr></thead><tbody>");
    }
    for (claim, finding) in &judged.findings {
        let _ = write!(
            out,
            "<tr><td>{}{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            if claim.decides { "" } else { "<em>beside:</em> " },
            escape(claim.says),
            escape(&claim.asks()),
            escape(&finding.found),
            mark(finding.verdict)
        );
    }
    out.push_str(if judged.findings.is_empty() { "<dl>" } else { "</tbody></table><dl>" });
    let rows = [
        ("Not decided", figure.undecidable.to_string()),
        ("Data", outcome.run.data.clone()),
        ("Size", outcome.run.size()),
        ("Notes", outcome.run.notes.clone()),
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

#[cfg(test)]
mod tests {
    use super::super::claim::{At, Claim, Is, Of};
    use super::super::outcome::Run;
    use super::super::sweep::Sweep;
    use super::*;

    const CLAIMS: &[Claim] =
        &[Claim::new("a < b | c", Of::Ratio((0, "a"), (0, "b")), At::Every, Is::Below(1.0))];

    /// A figure whose claim holds where a number is below 1.
    pub fn outcome(number: f64, data: &str) -> Outcome {
        let mut sweep = Sweep::new("t", "k", "m", &["a", "b"]);
        sweep.push(7, vec![number, 1.0]).unwrap();
        Outcome { panels: vec![sweep.into()], run: Run::new(data, Vec::new(), "") }
    }

    fn figure(name: &'static str) -> Figure {
        Figure::experiment(name, "a <title> & more", CLAIMS, |_| Ok(Outcome::default()))
    }

    #[test]
    fn the_page_says_what_holds_and_what_stood_in() {
        let (good, bad, open, none) = (
            figure("mondrian-10"),
            figure("rothko-10"),
            figure("rothko-11"),
            Figure { run: None, ..figure("rtree-1") },
        );
        let (one, other, third) =
            (outcome(0.5, "generated"), outcome(2.0, "this stands in for that"), outcome(f64::NAN, ""));
        let shown = [(&good, Some(&one)), (&bad, Some(&other)), (&open, Some(&third)), (&none, None)];
        let page = page(&shown);
        let said = "the claim of 1 holds here, that of 1 does not, 1 could not be decided, and 1 explain";
        assert!(page.contains(said));
        assert!(page.contains("a &lt;title&gt; &amp; more") && !page.contains("<title> "));
        assert!(page.contains("<li>this stands in for that</li>") && page.contains("a &lt; b | c"));
        assert!(
            !page.contains("http://")
                || page.matches("http://").count() == page.matches("http://www.w3.org/2000/svg").count()
        );
        let table = super::super::summary::summary(&shown);
        assert!(table.contains("1 hold, 1 do not hold, 1 are not decided"), "{table}");
        assert!(table.contains("| `mondrian-10` | **holds** |"), "{table}");
        assert!(table.contains("a < b \\| c") && table.contains("0.50"));
        assert!(table.contains("Illustrations, no experiments: rtree-1."));
    }
}
